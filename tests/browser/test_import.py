"""Imports and judgements on the pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.cli_runner import run

DROP = """([text, name]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  document.querySelector('main').dispatchEvent(
    new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def played(page: Any, source: str, games: str) -> None:
    """Waits for the total of a source's table."""
    page.wait_for_function(
        "([source, games]) => document.getElementById('source').value === source"
        " && document.querySelector('.moves tfoot .c-played .n')?.textContent === games",
        arg=[source, games],
    )


def test_chosen_dropped_and_pasted_games_are_counted(visit: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.pgn").write_text("1. e4 e5 1-0\n\n1. d4 d5 1/2-1/2\n\n1. d4 Nf6 0-1\n")
    page = visit.go("/?src=chess.store")
    page.set_input_files("input[type=file]", tmp_path / "mine.pgn")
    played(page, "mine.store", "3")
    assert page.get_by_role("button", name="Keep this import").count() == 1
    page.evaluate(DROP, ["1. c4 e5 1-0\n\n1. c4 c4 1-0\n", "some.pgn"])
    played(page, "some.store", "1")
    dialog = page.get_by_role("dialog")
    assert dialog.get_by_role("heading").inner_text() == "some.pgn: 1 of 2 games counted"
    assert "c4" in dialog.locator(".rejects").inner_text()
    page.get_by_role("button", name="Close").click()
    games = '[Event "a"]\\n\\n1. g3 d5 1-0\\n\\n[Event "b"]\\n\\n1. g3 e5 0-1\\n'
    page.evaluate(
        "() => { const data = new DataTransfer(); data.setData('text/plain', '" + games + "');"
        " document.getElementById('entry').dispatchEvent("
        "new ClipboardEvent('paste', { clipboardData: data, cancelable: true })); }"
    )
    played(page, "pasted.store", "2")


def test_broken_file_shows_what_is_wrong(visit: Any) -> None:
    page = visit.go("/?src=chess.store")
    for text, words in (("1. e5 1-0", "not legal"), ("PK\x03\x04", "broken.pgn")):
        page.evaluate(DROP, [text, "broken.pgn"])
        dialog = page.get_by_role("dialog")
        dialog.wait_for()
        assert words in dialog.inner_text()
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
    assert page.input_value("#source") == "chess.store"
    visit.faults[:] = [fault for fault in visit.faults if "400" not in fault]


def test_games_follow_a_book_and_leave_it(visit: Any) -> None:
    page = visit.go("/book?src=chess.book", ".followed")
    page.locator(".followed").select_option("chess.store")
    page.wait_for_selector("text=they leave the book after")
    page = visit.go("/?src=chess.store&play=e2e4&min_games=3&margin=off", ".games a")
    page.locator(".games a").first.click()
    page.wait_for_selector(".game-line")
    told = page.locator("text=A book with these rules").inner_text()
    outside = page.locator(".game-line .outside").count()
    assert (outside > 0) == ("plies, until" in told or "ply, until" in told)


def test_calibration_is_shown_where_years_are_kept(visit: Any) -> None:
    page = visit.go("/tune?src=chess.store", ".size strong")
    page.locator("summary:has-text('Does P hold')").click()
    page.wait_for_selector("text=Needs a store that keeps years apart")
    page = visit.go("/tune?src=dated.store&min_games=1&split=2006", ".size strong")
    page.locator("summary:has-text('Does P hold')").click()
    page.wait_for_selector("text=2 games before 2006, 1 from then on.")
    assert run("info", visit.served.folder / "dated.store").code == 0


def test_whole_books_are_shown_and_compared(visit: Any) -> None:
    page = visit.go("/book?src=xiangqi.book", ".replies")
    assert "C2=5" in page.locator(".replies td").first.inner_text()
    page = visit.go("/book?src=chess.book", ".replies")
    page.locator(".opponent").select_option("chess.store")
    page.wait_for_selector(".gaps a")
    page.locator(".gaps a").first.click()
    page.wait_for_selector(".moves, .empty")
    page = visit.go("/compare?a=chess.book&b=xiangqi.book", ".compare, .empty")
    assert page.get_by_role("button", name="Compare the whole books").count() == 0


def test_tree_shows_two_levels_and_compares_with_siblings(visit: Any) -> None:
    page = visit.go("/tree?src=chess.store&depth=4&width=3", "[role=treeitem]")
    levels = page.evaluate(
        "[...document.querySelectorAll('[role=treeitem]')].map(each => Number(each.ariaLevel))"
    )
    assert set(levels) == {1, 2}
    bands = page.evaluate(
        "[...document.querySelectorAll('[role=treeitem]')].map(each => [each.dataset.line.split(',').length,"
        " each.querySelector('.meter').className])"
    )
    for level in (1, 2):
        assert len({name for depth, name in bands if depth == level}) > 1


def test_years_are_compared_with_years(visit: Any) -> None:
    page = visit.go("/compare?a=dated.store&b=dated.store", ".compare")
    assert page.locator(".compare tbody tr").count() == 2
    for change in page.get_by_text("Change", exact=True).all()[:2]:
        change.click()
    page.get_by_label("To year").first.fill("2005")
    page.get_by_label("To year").first.press("Enter")
    page.wait_for_function("() => location.search.includes('a_year_to=2005')")
    page.get_by_label("From year").nth(1).fill("2006")
    page.get_by_label("From year").nth(1).press("Enter")
    page.wait_for_function("() => document.querySelectorAll('.compare .only-a').length > 0")
    assert page.locator(".compare tr.only-b").count() == 1
    assert "--until 2005" in visit.copied(page, "Copy as commands")
