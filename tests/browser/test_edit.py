"""Changes by hand in the browser: keep, drop, add, weigh, mark, comment, and undo."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

CROWDED = (Path(__file__).parent / "crowded.js").read_text(encoding="utf-8")
STORE = "dated.store"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


@pytest.fixture(autouse=True)
def changes(served: Any) -> Iterator[Path]:
    """The file of changes, which is gone at the end."""
    path: Path = served.folder / "dated.edits"
    yield path
    path.unlink(missing_ok=True)


def told(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def unfold(page: Any, move: str) -> Any:
    page.locator(f"tr[data-move={move}] .unfold").click()
    return page.locator(".move-editor")


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=lambda size: str(size[0]))
def test_move_is_dropped_marked_and_taken_back(open_visit: Any, changes: Path, size: tuple[int, int]) -> None:
    page = open_visit(viewport={"width": size[0], "height": size[1]}).go(f"/?src={STORE}&min_games=1")
    page.wait_for_selector("tr[data-move=e2e4].kept")
    editor = unfold(page, "e2e4")
    editor.get_by_role("button", name="Drop").click()
    page.wait_for_selector("tr[data-move=e2e4].dropped")
    editor.get_by_label("Mark").select_option("?!")
    page.wait_for_selector("tr[data-move=e2e4] .mark:has-text('?!')")
    editor.get_by_label("Comment").fill("not for me")
    editor.get_by_label("Comment").press("Tab")
    page.wait_for_selector(".figures dd:has-text('not for me')")
    saved = told(changes)
    assert {(each.pop("position").split()[0], each.pop("move")) for each in saved} == {(START, "e2e4")}
    times = [datetime.fromisoformat(each.pop("time")) for each in saved]
    assert saved == [{"keep": False}, {"mark": "?!"}, {"comment": "not for me"}]
    assert page.evaluate(CROWDED) == []
    page.locator(".edits summary").click()
    page.wait_for_selector(f".edits li:has-text('1. e4'):has-text('{times[0]:%Y}')")
    # Each change is undone by itself, here the oldest first.
    for left in ("Changes by hand: 2", "Changes by hand: 1"):
        page.locator(".undo").last.click()
        page.wait_for_selector(f".edits:has-text('{left}')")
    page.wait_for_selector("tr[data-move=e2e4].kept")
    page.locator(".undo").last.click()
    page.wait_for_function("() => !document.querySelector('.edits li')")
    assert not changes.exists()


def test_focus_stays_on_the_control_that_changed(open_visit: Any) -> None:
    page = open_visit().go(f"/?src={STORE}&min_games=1")
    drop = unfold(page, "d2d4").get_by_role("button", name="Drop")
    drop.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("tr[data-move=d2d4].dropped")
    assert page.evaluate("document.activeElement.textContent") == "Drop"


def test_novelty_is_played_on_the_board(open_visit: Any, changes: Path) -> None:
    page = open_visit().go(f"/?src={STORE}&min_games=1&play=g1f3", ".empty")
    page.get_by_label("Weight, 0 … 31").fill("7")
    page.locator("#add-last").click()
    page.wait_for_selector("#live:has-text('saved')")
    assert (told(changes)[0]["move"], told(changes)[0]["quality"]) == ("g1f3", 7)
    page.goto(page.url.replace("&play=g1f3", ""))
    page.wait_for_selector("tr[data-move=g1f3].kept")
