"""Boards in a browser: moves by click, by drag, by touch and by keys, on both boards."""

from __future__ import annotations

from typing import Any

import pytest

from bookbuilder import Position

GAMES = {"chess": ["e2e4", "e7e5", "g1f3"], "xiangqi": ["h2e2", "h9g7", "h0g2"]}
START = {"chess": "chess.store", "xiangqi": "xiangqi.store"}


def place_of(page: Any, game: str, square: str) -> tuple[float, float]:
    """The middle of a square on the screen."""
    box = page.locator("svg.board").bounding_box()
    files, ranks, base, margin = (8, 8, 1, 0.0) if game == "chess" else (9, 10, 0, 0.3)
    side = box["width"] / (files + 2 * margin)
    column, row = ord(square[0]) - ord("a"), ranks - 1 - (int(square[1:]) - base)
    return box["x"] + (margin + column + 0.5) * side, box["y"] + (margin + row + 0.5) * side


def click(visit: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    visit.page.mouse.click(*start)
    visit.page.wait_for_selector(".dest", state="attached")
    visit.page.mouse.click(*end)


def drag(visit: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    visit.page.mouse.move(*start)
    visit.page.mouse.down()
    visit.page.mouse.move(*end, steps=4)
    visit.page.mouse.up()


def tap(visit: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    visit.page.touchscreen.tap(*start)
    visit.page.touchscreen.tap(*end)


def touch_drag(visit: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    session = visit.context.new_cdp_session(visit.page)
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)

    def send(kind: str, points: list[tuple[float, float]]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    send("touchStart", [start])
    send("touchMove", [middle])
    send("touchMove", [end])
    send("touchEnd", [])


WAYS = {"click": click, "drag": drag, "tap": tap, "touch drag": touch_drag}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("game", GAMES)
def test_three_moves_on_the_board(open_visit: Any, game: str, way: str) -> None:
    visit = open_visit(has_touch="t" in way[:2])
    page = visit.go(f"/?src={START[game]}")
    position = Position(game)
    for count, move in enumerate(GAMES[game], start=1):
        WAYS[way](visit, place_of(page, game, move[:2]), place_of(page, game, move[2:]))
        visit.play_is(",".join(GAMES[game][:count]))
        position = position.play(position.parse_move(move))
        page.wait_for_function("fen => document.querySelector('.fen').textContent === fen", arg=position.fen)
        assert page.locator(".moves .play").count() > 0
    page.go_back()
    visit.play_is(",".join(GAMES[game][:2]))
    page.wait_for_selector(f".moves [data-play={GAMES[game][2]}]")


def test_illegal_drag_is_undone(visit: Any) -> None:
    page = visit.go("/")
    here = place_of(page, "chess", "e2")
    drag(visit, here, place_of(page, "chess", "e5"))
    for dots in (2, 0):
        page.mouse.click(*here)
        assert page.locator(".dest").count() == dots
    assert "play=" not in page.url


@pytest.mark.parametrize("piece", ["knight", "rook"])
def test_promotion_asks_for_the_piece(visit: Any, piece: str) -> None:
    page = visit.go("/?fen=8/P7/8/8/8/8/8/k1K5%20w%20-%20-%200%201")
    click(visit, place_of(page, "chess", "a7"), place_of(page, "chess", "a8"))
    if piece == "knight":
        page.get_by_role("button", name=piece).click()
    else:  # the second one, by keys
        page.wait_for_selector("dialog.promotion")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    visit.play_is(f"a7a8{'n' if piece == 'knight' else 'r'}")


@pytest.mark.parametrize("game", GAMES)
def test_boards_and_pieces_have_three_looks(visit: Any, game: str) -> None:
    page = visit.go(f"/?src={START[game]}")
    shape = "() => document.querySelector('.layer-pieces .piece :is(.body, .glyph)').getAttribute('d')"
    colour = "() => getComputedStyle(document.querySelector('.board :is(.light, .wood)')).fill"
    seen = set()
    for look in ("slate", "wood", "paper", "slate"):
        page.wait_for_selector(f".board.{look}")
        seen.add((page.evaluate(shape), page.evaluate(colour)))
        page.keyboard.press("x")
    assert len(seen) == 3
    page.reload()
    page.wait_for_selector(".board.wood")


def test_arrow_width_follows_frequency(visit: Any) -> None:
    page = visit.go("/?src=xiangqi.store")
    page.wait_for_selector(".arrow", state="attached")
    width = "move => document.querySelector(`.arrow[data-move=${move}]`).getBBox().width"
    rows = page.locator(".moves tbody tr[data-move]")
    drawn = page.evaluate("[...document.querySelectorAll('.arrow')].map(each => each.dataset.move)")
    kept = page.evaluate("[...document.querySelectorAll('tr.kept')].map(each => each.dataset.move)")
    assert drawn == kept[: len(drawn)]  # the kept moves, the most played first
    upwards = [move for move in drawn if move[0] == move[2]]
    assert len(upwards) < 2 or page.evaluate(width, upwards[0]) >= page.evaluate(width, upwards[-1])
    rows.first.hover()
    assert page.locator(".arrow.lit").get_attribute("data-move") == rows.first.get_attribute("data-move")


def test_keys_play_and_step(visit: Any) -> None:
    page = visit.go("/?src=chess.store")
    first = page.locator(".moves .play").first.get_attribute("data-play")
    press = page.keyboard.press
    press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.play") == first
    press("Enter")
    visit.play_is(first)
    press("ArrowLeft")
    visit.play_is("")
    press("ArrowRight")
    visit.play_is(first)
    second = page.locator(".moves .play").nth(1).get_attribute("data-play")
    press("2")
    visit.play_is(f"{first},{second}")
    press("Home")
    visit.play_is("")
    press("End")
    visit.play_is(f"{first},{second}")
    press("Home")
    visit.play_is("")


@pytest.mark.parametrize("game", GAMES)
def test_move_is_played_on_the_board_by_keys(visit: Any, game: str) -> None:
    page = visit.go(f"/?src={START[game]}")
    move = GAMES[game][0]
    page.locator("svg.board").focus()
    page.keyboard.press("ArrowUp")  # the cursor begins in the corner
    here = "a1" if game == "chess" else "a0"
    for square in (move[:2], move[2:]):
        files, ranks = ord(square[0]) - ord(here[0]), int(square[1]) - int(here[1])
        for key in ["ArrowRight"] * files + ["ArrowLeft"] * -files + ["ArrowUp"] * ranks + ["Enter"]:
            page.keyboard.press(key)
        page.wait_for_selector(".dest", state="attached" if square == move[:2] else "detached")
        here = square
    visit.play_is(move)


def test_keys_change_the_page(visit: Any) -> None:
    page = visit.go("/?src=chess.store&p=0.55")
    press = page.keyboard.press
    press("f")
    corner = page.locator(".coordinate").first
    assert (corner.text_content(), corner.get_attribute("x")) == ("a", "794")
    press("]")
    page.wait_for_function("() => location.search.includes('p=0.56')")
    press("k")
    page.wait_for_function("() => !document.querySelector('.moves tr.dropped')")
    press("/")
    page.keyboard.type("e4")
    press("Enter")
    visit.play_is("e2e4")
    press("/")
    press("Escape")
    press("?")
    page.wait_for_selector("dialog.help")
    press("Escape")
    page.wait_for_selector("dialog.help", state="detached")


def test_coordinates_and_names_follow_the_notation(visit: Any) -> None:
    page = visit.go("/?src=xiangqi.store&play=h2e2")
    bottom = (
        "() => [...document.querySelectorAll('.coordinate')]"
        ".filter(text => text.getAttribute('y') === '1049')"
        ".sort((one, other) => one.getAttribute('x') - other.getAttribute('x'))"
        ".map(text => text.textContent).join('')"
    )
    assert page.evaluate(bottom) == "987654321"  # WXF: Red counts from its right
    page.keyboard.press("n")
    page.wait_for_function(f"() => ({bottom})() === '九八七六五四三二一'")
    assert "炮" in page.locator(".position-name").inner_text()
    page.keyboard.press("f")
    page.wait_for_function(f"() => ({bottom})() === '987654321'")  # now Black's side is below
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.wait_for_function(f"() => ({bottom})() === 'ihgfedcba'")
