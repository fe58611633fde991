"""The whole job in the browser: find an opening, tune, edit, build, look at the book, download it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.cli_runner import run

import bookbuilder as bb

JOBS = {
    "chess": ("Sicilian Defence", "e2e4,c7c5", "polyglot", "bin"),
    "xiangqi": ("Central Cannon", "h2e2", "obk", "obk"),
}


@pytest.fixture(autouse=True)
def changes(served: Any) -> Iterator[None]:
    """The files of changes are gone at the end."""
    yield
    for game in JOBS:
        (served.folder / f"{game}.edits").unlink(missing_ok=True)


@pytest.mark.parametrize("game", JOBS)
def test_book_is_made_from_opening_to_download(visit: Any, tmp_path: Path, game: str) -> None:
    opening, play, format_name, suffix = JOBS[game]
    store = visit.served.folder / f"{game}.store"
    page = visit.go(f"/?src={game}.store&min_games=3")
    page.fill("#entry", opening)
    page.press("#entry", "Enter")
    page.locator(".found button").first.click()
    visit.play_is(play)
    page.keyboard.press("Home")
    visit.play_is("")
    first = page.locator("tr.kept").first.get_attribute("data-move")
    page.locator(f"tr[data-move={first}] .unfold").click()
    page.get_by_role("button", name="Drop").click()
    page.wait_for_selector(f"tr[data-move={first}].dropped")
    page.get_by_role("link", name="Tune").click()
    page.get_by_label("Margin").fill("0.1")
    page.get_by_label("Margin").press("Enter")
    page.wait_for_function("() => location.search.includes('margin=0.1')")
    page.wait_for_selector(".size:not(.stale) strong")
    page.locator("#build").click()
    page.wait_for_selector(".downloads a[href]")
    shown = [
        page.locator(each).inner_text() for each in (".size strong", f"[data-format={format_name}] small")
    ]
    with page.expect_download() as download:
        page.locator(f"[data-format={format_name}]").click()
    download.value.save_as(tmp_path / f"page.{suffix}")
    rules = ("--min-games", "3", "--margin", "0.1", "--edits", store.with_suffix(".edits"))
    ran = run("build", store, *rules, "-o", tmp_path / f"own.{suffix}", "--json")
    assert ran.code == 0, ran.err
    assert (tmp_path / f"page.{suffix}").read_bytes() == (tmp_path / f"own.{suffix}").read_bytes()
    told = json.loads(ran.out)
    moves, written = (int(text.replace(",", "")) for text in shown)
    assert written == told["written"]["moves"]
    # An .obk lists only what the start leads to, and here its first move was dropped.
    assert moves == told["moves"] or format_name == "obk"
    page.get_by_role("link", name="as a source").click()
    page.wait_for_selector(".moves th.c-weight")
    moves = page.locator("tr[data-move]").evaluate_all("rows => rows.map(row => row.dataset.move)")
    assert first not in moves
    rows = bb.open_book(tmp_path / f"own.{suffix}").move_rows("startpos")
    assert set(moves) == {row["move"] for row in rows}
    visit.faults[:] = [fault for fault in visit.faults if "400" not in fault]  # the name is no move
