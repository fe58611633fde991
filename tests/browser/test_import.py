"""Imports and judgements on the pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

DROP = """([content, name]) => {
  const data = new DataTransfer();
  data.items.add(new File([typeof content === 'string' ? content : new Uint8Array(content)], name));
  document.querySelector('main').dispatchEvent(
    new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
}"""

PASTE = """text => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const paste = new ClipboardEvent('paste', { clipboardData, cancelable: true });
  document.getElementById('entry').dispatchEvent(paste);
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
    games = '[Event "a"]\n\n1. g3 d5 1-0\n\n[Event "b"]\n\n1. g3 e5 0-1\n'
    page.evaluate(PASTE, games)
    played(page, "pasted.store", "2")


def test_games_of_a_player_are_a_source(visit: Any) -> None:
    page = visit.go("/?src=chess.store")
    tags = '[White "Ada"]\n[Black "{}"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
    page.evaluate(DROP, [tags.format("Ben") * 2 + tags.format("Cy"), "club.pgn"])
    played(page, "club.store", "3")
    page.get_by_text("Change", exact=True).click()
    page.get_by_label("Player", exact=True).fill("cy")
    page.get_by_role("button", name="Show these games").click()
    page.wait_for_function("() => document.querySelector('.moves tfoot .c-played .n')?.textContent === '1'")
    assert page.locator("#source option:checked").inner_text() == "club cy.store"


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
    assert (outside > 0) == ("leaves the game at" in told)


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


def test_wrong_games_and_replaced_stores_are_one_sentence_each(open_visit: Any) -> None:
    """In the language of the page."""
    visit = open_visit(locale="zh-CN")
    page = visit.go("/?src=chess.store")
    page.fill("#entry", "中炮局")
    page.press("#entry", "Enter")
    page.wait_for_selector(".found:has-text('这是另一棋种的开局。')")
    assert page.input_value("#entry") == "中炮局"
    book = (visit.served.folder / "xiangqi.book").read_bytes()
    page.evaluate(DROP, [list(book), "dropped.book"])
    page.wait_for_selector("#live:has-text('dropped.book：象棋开局库，已作为新来源打开')")
    assert page.input_value("#source") == "dropped.book"
    error = {"code": "changed", "message": "chess.store was replaced"}
    failed = {"id": "x", "number": 1, "state": "failed", "phase": None, "formats": [], "error": error}
    page.route("**/api/v1/builds?*", lambda route: route.fulfill(json={"builds": [failed]}))
    page.goto(visit.served.address + "/tune?src=chess.store")
    page.wait_for_selector(".error:has-text('构建期间统计库已被替换。请重新构建。')")
    visit.faults[:] = [fault for fault in visit.faults if "400" not in fault]
