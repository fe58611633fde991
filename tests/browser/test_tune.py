"""Tune: the figures of thresholds, and the books that are built on the page."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.cli_runner import run
from support.selections import LITERATURE

import bookbuilder as bb


def test_tune_counts_the_book_and_its_texts_run(visit: Any, tmp_path: Path) -> None:
    # With rules beside P and the count, which all of curve, coverage and texts must heed.
    rules = {"max_ply": 12, "side": "first", "undefined_p": "drop", "confident": True}
    more = "max_ply=12&side=first&undefined_p=drop&confident=1"
    page = visit.go(f"/tune?src=chess.store&min_games=3&p=0.4&counts=1,3&{more}", ".exact strong")
    slider = page.get_by_role("slider", name="Threshold P").nth(1)
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.search.includes('p=0.41')")
    store = visit.served.folder / "chess.store"
    chosen = bb.select(bb.Tally.open(store), LITERATURE, min_win_rate="0.41", min_games=3, **rules).table
    kept = sum(chosen.column("kept").to_pylist())
    page.wait_for_function(
        "kept => document.querySelector('.exact strong').textContent === kept", arg=f"{kept:,}"
    )
    assert page.evaluate("document.activeElement.getAttribute('role')") == "slider"
    visits, known = (
        sum(row["reached"] for row in chosen.select(["reached", "kept", "reason"]).to_pylist() if wanted(row))
        for wanted in (lambda row: row["reason"] != "root", lambda row: row["kept"])
    )
    assert f"{known / visits:.2%}".replace("%", " %") in page.locator(".exact").inner_text()
    box = page.locator(".chart").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.55, box["y"] + box["height"] / 2)
    page.wait_for_function("() => Number(new URLSearchParams(location.search).get('p')) > 0.42")
    # Lower, so that the rules about lines leave something.
    page = visit.go(f"/tune?src=chess.store&min_games=3&p=0.2&{more}", ".exact strong")
    page.wait_for_selector("pre code", state="attached")
    command, python = page.locator("pre code").all_text_contents()
    program, *words = shlex.split(command)
    assert program == "bookbuilder"
    for text in (
        [sys.executable, "-P", "-m", "bookbuilder", *words, "--quiet"],
        [sys.executable, "-P", "-c", python],
    ):
        for book in tmp_path.glob("*.book"):
            book.unlink()
        subprocess.run(text, check=True, cwd=tmp_path, capture_output=True)
        threshold = re.search(r"--min-win-rate (\S+)", command).group(1)
        selected = bb.select(bb.Tally.open(store), min_win_rate=threshold, min_games=3, **rules).table
        assert len(bb.Book.open(tmp_path / "chess.book")) == sum(selected.column("kept").to_pylist())


def test_book_is_built_on_the_page(visit: Any, tmp_path: Path) -> None:
    page = visit.go("/tune?src=chess.store&min_games=3", "#build")
    page.get_by_label("Book for").select_option("first")
    page.wait_for_function("() => location.search.includes('for=first')")
    assert page.get_by_label("Preset").input_value() == "repertoire"
    page.locator("#build").click()
    page.wait_for_selector(".downloads")
    with page.expect_download() as download:
        page.locator("[data-format=polyglot]").click()
    download.value.save_as(tmp_path / "page.bin")
    store = visit.served.folder / "chess.store"
    assert run("build", store, "--side", "white", "--min-games", 3, "-o", tmp_path / "own.bin").code == 0
    assert (tmp_path / "page.bin").read_bytes() == (tmp_path / "own.bin").read_bytes()
    page.get_by_label("Preset").select_option("literature")
    page.wait_for_function("() => new URLSearchParams(location.search).get('p') === '0.55'")
    page.locator("#build").click()
    page.wait_for_selector("text=Since book")
    page.get_by_label("Preset").select_option("engine")
    page.wait_for_function("() => !location.search.includes('p=')")
    gap = page.locator(".gaps a").first
    if gap.count():
        gap.click()
        page.wait_for_selector(".moves, .empty")


def test_figures_tell_which_rules_they_leave_out(visit: Any) -> None:
    page = visit.go("/tune?src=chess.store", ".exact strong")
    page.wait_for_selector("text=A book also asks for the share, the margin, what its lines reach")
    page = visit.go("/tune?src=chess.store&margin=off&min_share=off", ".exact strong")
    page.wait_for_selector("text=A book also asks for what its lines reach")
