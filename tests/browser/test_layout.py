"""The layout at five widths: nothing is cut, nothing overlaps, and a move takes one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.pages import PAGES

SIZES = ((1440, 900), (1280, 800), (1024, 768), (768, 1024), (390, 844))
# A page of 1280 pixels at 400 %, as WCAG 1.4.10 asks for.
REFLOWED = (320, 640)
CROWDED = (Path(__file__).parent / "crowded.js").read_text(encoding="utf-8")
LINE = 42


@pytest.mark.parametrize(
    ("size", "locale"),
    [*((size, "en-GB") for size in (*SIZES, REFLOWED)), *((size, "zh-TW") for size in SIZES[2::2])],
)
@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_cut_or_overlaps(open_visit: Any, path: str, size: tuple[int, int], locale: str) -> None:
    visit = open_visit(viewport={"width": size[0], "height": size[1]}, locale=locale)
    page = visit.go(path, PAGES[path])
    assert page.evaluate("document.documentElement.lang") == {"zh-TW": "zh-Hant"}.get(locale, "en")
    assert page.evaluate(CROWDED) == []


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_game_page_is_not_crowded(open_visit: Any, size: tuple[int, int]) -> None:
    page = open_visit(viewport={"width": size[0], "height": size[1]}).go(
        "/?src=chess.store&play=e2e4", ".games a"
    )
    page.locator(".games a").first.click()
    page.wait_for_selector(".game-line")
    assert page.evaluate(CROWDED) == []


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_moves_take_one_line(open_visit: Any, size: tuple[int, int]) -> None:
    page = open_visit(viewport={"width": size[0], "height": size[1]}).go("/?src=xiangqi.store")
    boxes = [row.bounding_box() for row in page.locator("tr[data-move]").all()]
    assert max(box["height"] for box in boxes) <= LINE
    seen = sum(box["y"] + box["height"] <= size[1] for box in boxes)
    assert seen > 4 or seen == len(boxes)


@pytest.mark.parametrize("size", SIZES[:2], ids=lambda size: str(size[0]))
@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_board_is_as_high_as_the_window_allows(open_visit: Any, game: str, size: tuple[int, int]) -> None:
    page = open_visit(viewport={"width": size[0], "height": size[1]}).go(f"/?src={game}.store")
    board = page.locator(".board").bounding_box()
    assert board["height"] >= 0.65 * size[1]
    controls = page.locator(".controls").bounding_box()
    assert controls["y"] + controls["height"] <= size[1]


def test_row_unfolds_to_all_figures(open_visit: Any) -> None:
    page = open_visit(viewport={"width": 390, "height": 844}).go("/?src=full.store")
    row = page.locator("tr[data-move]").first
    row.get_by_role("button", name="More about").click()
    figures = page.locator(".unfolded .figures")
    shown = figures.inner_text()
    for title in ("Opening", "Score", "Reached", "Quality", "Rating", "Years", "Win share, 95 %"):
        assert title in shown
    assert "2,650" in shown
    assert page.evaluate(CROWDED) == []
    row.get_by_role("button", name="More about").click()
    figures.wait_for(state="detached")
