"""Tune: the exact size of the book of the rules, and the books that are built on the page."""

from __future__ import annotations

import re
from typing import Any

import pytest


def size(page: Any) -> int:
    """The number of moves that the page shows, when it is that of its rules."""
    page.wait_for_selector(".size:not(.stale) strong")
    return int(page.locator(".size strong").inner_text().replace(",", ""))


@pytest.mark.parametrize("moment", ["fresh page", "after a build", "after an edit"])
def test_drag_asks_for_sizes_only(visit: Any, moment: str) -> None:
    page = visit.go("/tune?src=chess.store&min_games=3", ".rules, #build")
    page.locator("summary:has-text('More rules')").click()
    if moment == "after a build":
        page.locator("#build").click()
        page.wait_for_selector(".downloads a[href]")
    elif moment == "after an edit":
        edit = {"fen": "startpos", "move": "h2h4", "keep": True, "quality": 1}
        script = "edit => import(document.querySelector('link[href$=\"/api.js\"]').href)"
        page.evaluate(f"{script}.then(({{ send }}) => send('/edits', edit, {{ src: 'chess.store' }}))", edit)
    asked: list[str] = []
    page.on("request", lambda request: "/api/" in request.url and asked.append(request.url))
    for step in range(1, 21):
        page.locator("#p-slider").fill(str(step / 100))
    page.wait_for_function("() => location.search.includes('p=0.2')")
    size(page)
    (visit.served.folder / "chess.edits").unlink(missing_ok=True)
    assert len(asked) <= 25
    assert {re.search(r"/api/v1/(\w+)", url)[1] for url in asked} == {"size"}


def test_book_belongs_to_its_source_and_rules(visit: Any) -> None:
    page = visit.go("/tune?src=chess.store&min_games=3", "#build")
    page.get_by_label("Book for").select_option("first")
    page.wait_for_function("() => location.search.includes('for=first')")
    page.locator("#build").click()
    page.wait_for_selector(".downloads a[href]")
    assert int(page.locator("[data-format=polyglot] small").inner_text().replace(",", "")) == size(page)
    # Other rules: the downloads are not links any more.
    page.get_by_label("Margin").fill("off")
    page.get_by_label("Margin").press("Enter")
    page.wait_for_selector(".built.stale")
    assert page.locator(".downloads a[href]").count() == 0
    assert "Built with other rules" in page.locator(".notice").inner_text()
    page.get_by_role("button", name="Build again").click()
    page.wait_for_selector("text=Since book")
    # Another source has no book yet.
    page.get_by_label("Source").select_option("xiangqi.store")
    page.wait_for_function("() => location.search.includes('xiangqi.store')")
    page.wait_for_function("() => !document.querySelector('.downloads a[href]')")
    page.get_by_label("Source").select_option("chess.store")
    page.wait_for_selector(".downloads")
    page.get_by_role("link", name="as a source").click()
    page.wait_for_selector(".moves th.c-weight")


def test_lost_server_is_told(visit: Any) -> None:
    page = visit.go("/tune?src=chess.store&min_games=3", "#build")
    page.route("**/api/v1/**", lambda route: route.abort())
    page.locator("#build").click()
    page.wait_for_selector("text=the server does not answer")
    visit.faults.clear()


@pytest.mark.parametrize(
    "title", ["The size of the book by its rules", "Does the win share hold in later games?"]
)
def test_folded_panels_are_filled_when_they_open(visit: Any, title: str) -> None:
    page = visit.go("/tune?src=dated.store&min_games=1&split=2006", ".size strong")
    fold = page.locator(f"details:has-text('{title}')")
    assert fold.locator(".chart").count() == 0
    fold.locator("summary").first.click()
    fold.locator(".chart").wait_for()
