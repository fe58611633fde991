"""The pages in a browser show the numbers of the command line, and the texts that they copy run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.cli_runner import run

import bookbuilder as bb

GAMES = ("chess", "xiangqi")
ROWS = """[...document.querySelectorAll('.moves tr[data-move]')].map(row => ({
  move: row.dataset.move,
  kept: row.querySelector('.verdict').classList.contains('kept'),
  cells: Object.fromEntries([...row.cells].map(cell => [cell.className.slice(2), cell.innerText.trim()])),
  bar: row.querySelector('.bar')?.getAttribute('aria-label') ?? '',
}))"""


def number(text: str) -> float:
    """The first number of a cell; a percentage as a share."""
    digits, share = re.search(r"([\d,.]+)( %)?", text).groups()
    return float(digits.replace(",", "")) / (100 if share else 1)


def shown(source: Path, *words: str) -> dict[str, Any]:
    """What `bookbuilder show --json` tells."""
    return json.loads(run("show", source, "--json", *words).out)


@pytest.mark.parametrize("game", GAMES)
def test_slider_and_numbers_agree_with_show(visit: Any, game: str) -> None:
    store = visit.served.folder / f"{game}.store"
    page = visit.go(f"/?src={game}.store&min_games=3")
    page.get_by_text("Change", exact=True).click()
    for column in ("Score", "Reached", "Quality"):
        page.get_by_role("checkbox", name=column).check()
        page.wait_for_selector(f"th.c-{column.lower()}")
    marks = []
    for threshold in ("0.35", "0.6"):
        page.locator("#p-slider").fill(threshold)
        page.wait_for_function("p => document.querySelector('.p-value').textContent === Number(p).toFixed(2)"
                               " && location.search.includes(`p=${p}`)", arg=threshold)  # fmt: skip
        wanted = shown(store, "--min-win-rate", threshold, "--min-games", "3")["moves"]
        kept = [row["move"] for row in wanted if row["kept"]]
        page.wait_for_function(
            "kept => [...document.querySelectorAll('.moves tr.kept')].map(row => row.dataset.move).join()"
            " === kept",
            arg=",".join(kept),
        )
        marks.append(kept)
    assert marks[0] != marks[1]
    rows = page.evaluate(ROWS)
    assert [row["move"] for row in rows] == [row["move"] for row in wanted]
    frame = bb.Tally.open(store).moves("startpos").set_index("move")
    sides = ("White", "Black") if game == "chess" else ("Red", "Black")
    for row, told in zip(rows, wanted, strict=True):
        cells = row["cells"]
        assert row["kept"] == told["kept"]
        assert number(cells["played"]) == told["played"] == frame["played"][row["move"]]
        assert number(cells["reached"]) == told["reached"]
        assert number(cells["quality"]) == told["quality"]
        for name in ("p", "score"):
            assert told[name] is None or number(cells[name]) == pytest.approx(told[name], abs=0.00051)
        first, draws, second = (told[name] for name in ("first_wins", "draws", "second_wins"))
        told_bar = f"{sides[0]} wins {first:,}, draws {draws:,}, {sides[1]} wins {second:,}"
        assert row["bar"] == (told_bar if first + draws + second else "")
    total = number(page.locator(".moves tfoot .c-played").inner_text())
    ended = page.locator(".ended-here .c-played")
    rest = number(ended.inner_text()) if ended.count() else 0
    assert total == sum(row["played"] for row in wanted) + rest == shown(store)["reached"]


def test_facets_are_offered_as_filters(visit: Any) -> None:
    page = visit.go("/?src=dated.store&year_from=2005")
    assert number(page.locator(".moves tfoot .c-played").inner_text()) == 2
    labels = page.locator(".rules .label").all_text_contents()
    assert {"From year", "To year", "Speed"} <= set(labels)
    assert "Minimum rating" not in labels
    page.get_by_text("Change", exact=True).click()
    page.get_by_label("To year").fill("2008")
    page.get_by_label("To year").press("Enter")
    page.wait_for_selector(".moves tfoot .c-played .n:text-is('1')")
    assert "year_to=2008" in page.url
    page.get_by_label("Source").select_option("chess.store")
    page.wait_for_function("() => location.search.includes('chess.store')")
    assert "year" not in page.url
    assert page.locator(".rules .label", has_text="year").count() == 0


def test_empty_states_differ(visit: Any) -> None:
    line = bb.Position("chess")
    moves = []
    for _ in range(16):
        code = line.moves()[0]
        moves.append(line.coordinates(code))
        line = line.play(code)
    played = "a2a3,h7h5,a3a4,h5h4,a4a5,h4h3"
    for address, heading in (
        (f"/?src=chess.store&play={','.join(moves)}", "Beyond the stored depth"),
        (f"/?src=chess.store&play={played}", "Never seen"),
        ("/?src=chess.store&p=1&min_games=500&kept=1", "Dropped by the rules"),
    ):
        page = visit.go(address, ".empty")
        assert page.locator(".empty strong").inner_text() == heading
    page.get_by_role("button", name="Show them").click()
    page.wait_for_selector(".moves tr.dropped")


def test_chosen_columns_sort_and_stay(visit: Any) -> None:
    page = visit.go("/?src=chess.store&play=e2e4")
    page.get_by_role("checkbox", name="Reached").check()
    page.wait_for_selector("th.c-reached")
    assert page.evaluate("document.activeElement.dataset.column") == "reached"
    page.get_by_role("button", name="Reached").click()
    page.wait_for_selector("th.c-reached[aria-sort=descending]")
    reached = [number(each) for each in page.locator("tr[data-move] .c-reached").all_inner_texts()]
    assert reached == sorted(reached, reverse=True)
    page.reload()
    page.wait_for_selector("th.c-reached")


def test_engine_values_each_move_and_its_lines_are_played(visit: Any) -> None:
    page = visit.go("/?src=chess.store")
    page.get_by_role("button", name="Engine", exact=True).click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('tr[data-move] .c-value .n')]"
        ".filter(cell => /\\d/.test(cell.textContent)).length"
        " === document.querySelectorAll('tr[data-move]').length"
    )
    assert "by the engine" in page.locator(".value-bar").get_attribute("aria-label")
    page.get_by_role("columnheader", name="Engine").get_by_role("button").click()
    page.wait_for_selector("th.c-value[aria-sort=descending]")
    values = [float(text.replace("−", "-")) for text in page.locator(".c-value .n").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    page.wait_for_selector(".engine-lines .step >> nth=1")
    page.get_by_role("button", name="Stop the engine").click()
    page.wait_for_selector(".value-bar", state="hidden")
    page.get_by_role("button", name="Engine", exact=True).click()
    second = page.locator(".engine-lines li").first.locator(".step").nth(1)
    second.click()
    page.wait_for_function("() => new URLSearchParams(location.search).get('play')?.split(',').length === 2")


def test_compare_shows_verdicts_of_both_sides(visit: Any) -> None:
    page = visit.go("/compare?a=chess.store&b=chess.store&a_p=0.35&b_p=0.6", ".compare")
    sides = [
        shown(visit.served.folder / "chess.store", "--min-win-rate", p)["moves"] for p in ("0.35", "0.6")
    ]
    rows = page.evaluate(
        "[...document.querySelectorAll('.compare tbody tr')].map(row => ["
        " row.querySelector('.play').dataset.play, row.className,"
        " ...[...row.querySelectorAll('.verdict')].map(each => each.classList.contains('kept'))])"
    )
    expected = [[a["move"], a["kept"], b["kept"]] for a, b in zip(*sides, strict=True)]
    assert [[row[0], *row[2:]] for row in rows] == expected
    assert [row[1] for row in rows] == ["same" if a == b else "changed" for _, a, b in expected]
    page = visit.go("/compare?a=xiangqi.store&b=xiangqi.book", ".compare")
    assert page.locator(".compare tr.only-a").count() > 0


def test_tree_folds_and_opens_positions(visit: Any) -> None:
    page = visit.go("/tree?src=chess.store&depth=4&width=3", ".tree-row")
    rows = page.evaluate(
        "[...document.querySelectorAll('.tree-row')].map(each => "
        "[each.dataset.level, each.querySelector('.meter').className])"
    )
    assert {level for level, _ in rows} == {"1", "2"}
    for level in "12":
        assert len({name for depth, name in rows if depth == level}) > 1
    page.locator(".tree .unfold").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".tree .unfold[aria-expanded=false]")
    assert page.locator(".tree-row").count() == len(rows) - 3
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    move = page.locator(".tree .play").first.get_attribute("data-play")
    page.locator(".tree .play").first.click()
    page.wait_for_function("move => location.search.includes(`play=${move}`)", arg=move)


def test_sample_game_opens_at_the_position(visit: Any) -> None:
    page = visit.go("/?src=xiangqi.store&play=h2e2,h9g7", ".games a")
    fen = page.locator(".fen").inner_text()
    page.locator(".games a").first.click()
    page.wait_for_selector(".game-line [aria-current=step]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.get_by_role("link", name="Explore from here").click()
    page.wait_for_selector(".moves")
    there = page.locator(".fen").inner_text()
    assert bb.Position("xiangqi", fen).stored(True) == bb.Position("xiangqi", there).stored(True)


def test_an_endgame_is_probed(visit: Any) -> None:
    page = visit.go("/endgame", ".worths")
    tables = bb.Endgames(visit.served.folder / "tables")
    fen = page.locator("#entry").input_value()
    ranked = [(each.move, abs(each.plies)) for each in tables.moves(fen)]
    rows = page.locator(".worths tbody tr")
    first = rows.first.locator(".play")
    assert (first.get_attribute("data-play"), int(rows.first.locator(".number").inner_text())) == ranked[0]
    assert page.locator(".panel h2").first.inner_text() == f"White mates in {(ranked[0][1] + 1) // 2}"
    first.click()
    page.wait_for_selector("text=White mates in")
    page.locator(".line button").first.click()
    page.wait_for_function("() => new URLSearchParams(location.search).get('play').split(',').length === 2")
    page.fill("#entry", "no FEN")
    page.press("#entry", "Enter")
    page.wait_for_selector("text=No answer from the tables")
    visit.faults[:] = [fault for fault in visit.faults if "400" not in fault]


def test_unknown_paths_and_sources_show_a_way_back(visit: Any) -> None:
    page = visit.go("/nothing", ".empty")
    assert "No such page" in page.locator(".empty").inner_text()
    page.get_by_role("link", name="To the explorer").click()
    page.wait_for_selector(".moves")
    page = visit.go("/?src=gone.store", ".empty")
    assert "gone.store is not served here" in page.locator(".empty").inner_text()
    page.get_by_role("link", name="Without it").click()
    page.wait_for_selector(".moves")
    # The browser notes that the path was not found.
    visit.faults[:] = [fault for fault in visit.faults if "404" not in fault]


def test_several_moves_and_games_are_entered(visit: Any) -> None:
    page = visit.go("/")
    for text, play in (
        ("e4 e5 Nf3", "e2e4,e7e5,g1f3"),
        ("Nc6", "e2e4,e7e5,g1f3,b8c6"),
        ("1.d4 d5", "d2d4,d7d5"),
        ('[Event "x"]\n\n1. c4 {a comment} e5 (1... c5) *', "c2c4,e7e5"),
    ):
        page.fill("#entry", text)
        page.press("#entry", "Enter")
        visit.play_is(play)
    page.fill("#entry", "Nf3 Ke4")
    page.press("#entry", "Enter")
    page.wait_for_function("() => document.querySelector('.found').textContent.includes('“Ke4” is not')")
    visit.play_is("c2c4,e7e5,g1f3")
    assert page.input_value("#entry") == "Nf3 Ke4"
    assert page.evaluate("() => getSelection().toString()") == "Ke4"
    page.fill("#entry", "Najdorf")
    page.press("#entry", "Enter")
    page.locator(".found button").first.click()
    visit.play_is("e2e4,c7c5,g1f3,d7d6,d2d4,c5d4,f3d4,g8f6,b1c3,a7a6")
    visit.faults[:] = [fault for fault in visit.faults if "400" not in fault]


def test_filters_go_along_to_another_page(visit: Any) -> None:
    page = visit.go("/?p=0.6&for=first&max_ply=12&min_share=0.02")
    page.get_by_role("link", name="Tune").click()
    page.wait_for_selector(".size")
    address = page.evaluate("location.search")
    for part in ("p=0.6", "for=first", "max_ply=12", "min_share=0.02"):
        assert part in address


def test_controls_follow_the_address_even_with_the_focus(visit: Any) -> None:
    page = visit.go("/?src=chess.store")
    page.select_option("#source", "dated.store")
    page.wait_for_function("() => location.search.includes('dated')")
    page.go_back()
    page.wait_for_function("() => document.getElementById('source').value === 'chess.store'")
    page.get_by_text("Change", exact=True).click()
    page.focus("#p-slider")
    for key in ("]", "]", "["):
        page.keyboard.press(key)
    page.wait_for_function("() => new URLSearchParams(location.search).get('p') === '0.01'")
    assert page.input_value("#p-slider") == "0.01"
    assert page.locator(".p-field output").inner_text() == "0.01"
    assert page.evaluate("document.activeElement.id") == "p-slider"


def test_first_page_needs_few_requests(visit: Any) -> None:
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.url))
    for _ in range(2):
        asked.clear()
        visit.go("/?src=chess.store", ".games a")
        # One for each module and style, which browsers keep; and four answers.
        assert len([url for url in asked if "/static/" not in url]) <= 6, asked


def test_flipped_board_survives_reload_and_other_pages(visit: Any) -> None:
    page = visit.go("/?src=chess.store")
    page.keyboard.press("f")
    page.wait_for_function("() => location.search.includes('flip=1')")
    page.reload()
    page.wait_for_selector(".moves .play")
    assert page.locator(".coordinate").first.get_attribute("x") == "794"
    page.get_by_role("link", name="Tree").click()
    page.wait_for_selector(".tree")
    assert page.locator(".coordinate").first.get_attribute("x") == "794"
