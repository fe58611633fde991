"""What every page owes every reader: names for controls, contrast, 360 pixels, and both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.pages import PAGES

NARROW = {"width": 360, "height": 780}


def faults(page: Any) -> list[str]:
    """Return what axe finds on a page: names, contrast, roles, headings."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:100]}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("path", {**PAGES, "/nothing": ".empty"})
def test_axe_finds_nothing_in_any_theme_width_or_language(open_visit: Any, path: str) -> None:
    # Axe puts its own script into the page.
    for look in (
        {"color_scheme": "light"},
        {"color_scheme": "dark"},
        {"locale": "zh-CN", "viewport": NARROW},
    ):
        visit = open_visit(bypass_csp=True, **look)
        page = visit.go(path, PAGES.get(path, ".empty"))
        if "chess.store&play" in path:
            page.locator(".unfold").first.click()
            page.wait_for_selector(".move-editor")
        assert faults(page) == []
        visit.faults[:] = [fault for fault in visit.faults if "404" not in fault]


def test_board_and_table_have_accessible_names(visit: Any) -> None:
    page = visit.go("/?src=chess.store&play=e2e4")
    table = page.get_by_role("table", name="Moves")
    rows = table.get_by_role("row")
    heads = table.get_by_role("columnheader").all_inner_texts()
    assert [head.strip(" ▾▴\n") for head in heads] == [
        *("Move", "Opening", "Games", "Results", "Win share", "In book", "More")
    ]
    cells = [row.get_by_role("cell").count() for row in rows.all()[1:]]
    assert cells == [len(heads) - 1] * len(cells)
    board = page.get_by_role("application", name="Chess board, Black to move")
    assert "pawn e4" in board.get_attribute("aria-label")
    page.set_viewport_size({"width": 360, "height": 780})
    left = table.get_by_role("columnheader").count()
    assert left == len(heads) - 1  # the openings are in the unfolded rows
    assert [row.get_by_role("cell").count() for row in rows.all()[1:-1]] == [left - 1] * (len(cells) - 1)


def test_theme_survives_reload(visit: Any) -> None:
    page = visit.go("/")
    page.get_by_label("Colours: as the system").click()
    page.get_by_label("Colours: light").click()
    page.get_by_label("Colours: dark").wait_for()
    page.reload()
    page.wait_for_selector(".moves")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 26)"


def test_the_picture_of_the_readme(open_visit: Any, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Takes the picture; `BOOKBUILDER_FIGURES=docs/figures` in the environment keeps it there."""
    import os

    visit = open_visit(viewport={"width": 1280, "height": 720})
    page = visit.go("/?src=xiangqi.store&p=0.5&min_games=3", ".games a")
    folder = Path(os.environ.get("BOOKBUILDER_FIGURES", tmp_path))
    page.screenshot(path=folder / "explorer.png")
    # With the fonts of the system, whichever they are.
    assert 20_000 < (folder / "explorer.png").stat().st_size < 400_000


def test_axe_finds_faults(open_visit: Any) -> None:
    page = open_visit(bypass_csp=True).go("/?src=chess.store")
    page.evaluate(
        "() => { const [button, text] = ['button', 'p'].map(tag => document.createElement(tag));"
        " text.textContent = 'pale'; text.style.color = '#999';"
        " document.querySelector('main').append(button, text); }"
    )
    assert [fault.partition(":")[0] for fault in faults(page)] == ["button-name", "color-contrast"]


@pytest.mark.parametrize("width", [1600, 1400, 1280, 1100, 900])
def test_openings_are_readable(visit: Any, width: int) -> None:
    page = visit.go("/?src=full.store")
    page.set_viewport_size({"width": width, "height": 900})
    openings = page.locator(".moves tbody tr[data-move] .c-opening:visible").all()
    assert min((opening.bounding_box()["width"] for opening in openings), default=90) >= 70
