"""Every number of a book on the page is counted again by python-chess, from the games and the file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import chess
import pytest
from support.recount import MAX_PLY, Recount, write_simple_games

import bookbuilder as bb
from bookbuilder.selection.options import minimum_for

MIN_REPLIES = 10  # a frequent reply: this number of games, and more than 2 % of the games of its position
OFFERED = ("polyglot", "abk", "book", "pgn", "csv")


class Replies:
    """The replies of the opponent that a side meets while it plays its book, and those without an answer."""

    def __init__(self, count: Recount, owner: chess.Color) -> None:
        self.frequent, self.answered, self.gaps = 0, 0, dict[int, int]()
        front = {count.key(chess.Board())}
        seen = set(front)
        for _ in range(MAX_PLY - 1):
            after = set[int]()
            for key in front:
                if count.boards[key].turn == owner:
                    after |= {count.after(key, move) for move in count.book[key]}
                    continue
                for move, (games, _) in count.played[key].items():
                    there = count.after(key, move)
                    after.add(there)
                    if games >= MIN_REPLIES and 50 * games > count.reached[key] and count.played[there]:
                        self.frequent += games
                        if count.book[there]:
                            self.answered += games
                        else:
                            self.gaps[there] = count.reached[there]
            front = after - seen
            seen |= front


def reached(count: Recount) -> int:
    """Return the number of moves at the positions that book moves of both sides lead to."""
    waiting = [count.key(chess.Board())]
    for key in waiting:
        waiting += {count.after(key, move) for move in count.book[key]} - set(waiting)
    return sum(len(count.book[key]) for key in waiting)


def numbers(text: str) -> list[float]:
    """Return the numbers of a text."""
    return [float(each.replace(",", "")) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


@pytest.fixture(params=["", "0.45"], ids=["default", "gaps"])
def built(request: Any, visit: Any, data: Path, tmp_path: Path) -> tuple[Any, Recount]:
    """The page Tune with a book that was built there from imported games; and its recount."""
    archive = tmp_path / "games.pgn"
    write_simple_games(data / "chess_selfplay.pgn", archive, 300)
    page = visit.go("/")
    page.set_input_files("input[type=file]", archive)
    page.wait_for_function("() => document.getElementById('source').value.startsWith('games.store')")
    page.get_by_role("link", name="Tune").click()
    if request.param:
        page.locator("summary:has-text('More rules')").click()
        page.locator("#p-slider").fill(request.param)
        page.wait_for_function("() => location.search.includes('p=')")
    page.locator("#build").click()
    page.wait_for_selector(".downloads a[href]")
    for name in OFFERED:
        with page.expect_download() as download:
            page.locator(f"[data-format={name}]").click()
        download.value.save_as(tmp_path / f"a.{name}")
    return page, Recount(archive, tmp_path / "a.polyglot")


def test_numbers_of_a_build_equal_a_recount(built: tuple[Any, Recount], tmp_path: Path) -> None:
    page, count = built
    start = count.key(chess.Board())
    moves = sum(len(entries) for entries in count.book.values())
    least = minimum_for(count.games)
    assert numbers(page.get_by_label("Minimum games").get_attribute("placeholder")) == [int(least)]
    rows = [
        (*row, int(least) + (count.ply[key] + 1 > MAX_PLY * (1 - least % 1)))  # more of them where it is deep
        for key, played in count.played.items()
        for row in played.values()
    ]

    # The size of the book, and what is not in it.
    size = page.locator(".size").inner_text()
    few = sum(games < need for games, _, need in rows)
    beaten = sum(games >= need and not points for games, points, need in rows)
    found = [int(each) for each in numbers(size)]
    assert found[0] == moves
    assert f"{beaten:,} further moves are kept with weight 0" in size or not beaten or "p=" in page.url
    assert f"few games {few:,}" in size or "p=" in page.url

    # The book: its moves, its games, what the start reaches, and its files.
    assert numbers(page.locator(".built h3").first.inner_text())[1] == moves
    assert numbers(page.locator(".built .hint").first.inner_text()) == [count.games, reached(count)]
    assert int(page.locator("[data-format=polyglot] small").inner_text().replace(",", "")) == moves
    book = len(bb.Book.open(tmp_path / "a.book"))
    assert int(page.locator("[data-format=book] small").inner_text().replace(",", "")) == book

    # What it is to each side.
    sides = page.locator(".built table.sizes").first.locator("tbody tr").all_inner_texts()
    replies = [Replies(count, side) for side in chess.COLORS]
    assert numbers(sides[0]) == pytest.approx([count.plies(side) for side in chess.COLORS], abs=0.051)
    shares = [100 * each.answered / each.frequent for each in replies]
    shares = [min(share, 99.9) if each.gaps else share for share, each in zip(shares, replies, strict=True)]
    assert numbers(sides[1]) == pytest.approx(shares, abs=0.051)
    assert numbers(sides[2]) == [len(each.gaps) for each in replies]

    # The main replies, with the weights of the file as shares.
    firsts = sorted(count.played[start].items(), key=lambda each: -each[1][0])
    table = page.locator(".replies tbody tr").all()
    for row, key in zip(table, [start, *(count.after(start, move) for move, _ in firsts)], strict=False):
        assert numbers(row.locator("td").first.inner_text()) == [count.reached[key]]
        words = row.locator("td").last.inner_text()
        rest = len(count.book[key]) - 4
        assert words == ", ".join([*count.words(key), *([f"{rest} more"] if rest > 0 else [])])

    # Replies without an answer, and main moves that the book lacks.
    for side, each in zip(("White", "Black"), replies, strict=True):
        listed = page.locator(f".built div:has(> h3:has-text('without an answer by {side}')) li")
        shown = [numbers(text)[-1] for text in listed.all_inner_texts()]
        assert shown == sorted(each.gaps.values(), reverse=True)[:6]
    assert any(each.gaps for each in replies) == ("p=" in page.url)
    lacking = page.locator("h3:has-text('Main moves that the book lacks') + ol li").count()
    assert lacking == min(count.lacking(), 6)
