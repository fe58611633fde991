"""A mistake in one line of tags loses no other tag and no move, of its game and of its neighbours."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import chess.pgn
import pytest
from support.cli_runner import run
from support.mistakes import mistakes

TAGS = {
    "Event": "e",
    "Site": "s t",
    "Date": "2020.01.02",
    "White": "w",
    "Black": "b, c",
    "Result": "1-0",
    "ECO": "C20",
    "WhiteElo": "2300",
}
LINES = tuple(f'[{name} "{value}"]' for name, value in TAGS.items())


def means_more(wrong: int, line: str) -> bool:
    """Return whether a mistake has a meaning outside tags: a result, or what opens and nothing closes."""
    opens = line[0] in "({" or line[-1] in "({"
    return line[0] == "*" or line[-1] == "*" or (opens and wrong in {0, len(LINES) - 1})


def game(number: int, wrong: int, line: str) -> str:
    """Return a game whose round is its number, one line of whose tags is replaced."""
    lines = [*LINES[:wrong], line, *LINES[wrong + 1 :]]
    lines.insert(3 if wrong != 3 else 2, f'[Round "{number}"]')
    return "\n".join(lines) + f"\n\n1. e4 e5 2. {'Nf3' if number % 2 else 'Nc3'} 1-0\n"


def fault(read: list[chess.pgn.Game], number: int, wrong: int) -> str | None:
    """Return what a game lost, as it was read."""
    if len(read) != 1:
        return f"{len(read)} games"
    if [move.uci() for move in read[0].mainline_moves()] != [
        "e2e4",
        "e7e5",
        "g1f3" if number % 2 else "b1c3",
    ]:
        return "moves"
    right = [name for index, name in enumerate(TAGS) if index != wrong]
    lost = [name for name in right if read[0].headers.get(name) != TAGS[name]]
    return ", ".join(lost) or None


def losses(text: str, made: Sequence[tuple[int, str]]) -> list[tuple[str, str]]:
    """Return the mistakes after which a game lacks something in a text, and what."""
    stream, found = io.StringIO(text), defaultdict(list)
    while read := chess.pgn.read_game(stream):
        found[read.headers["Round"]].append(read)
    return [
        (line, what)
        for number, (wrong, line) in enumerate(made)
        if not means_more(wrong, line) and (what := fault(found[str(number)], number, wrong))
    ]


@pytest.fixture(scope="module")
def made() -> list[tuple[int, str]]:
    """Mistakes: the number of a line of tags, and what stands in its place."""
    return sorted({(wrong, text) for wrong, line in enumerate(LINES) for text in mistakes(line)})


@pytest.fixture(scope="module")
def path(made: list[tuple[int, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game with each mistake, in one file."""
    path = tmp_path_factory.mktemp("mistakes") / "mistyped.pgn"
    path.write_text("\n".join(game(number, *each) for number, each in enumerate(made)), encoding="utf-8")
    return path


def test_mistake_in_one_line_loses_no_other_tag(path: Path, made: list[tuple[int, str]]) -> None:
    assert sum(not means_more(*each) for each in made) == 6654
    ours = losses(run("games", "convert", path, "--game", "chess", "--quiet").out, made)
    assert not ours, f"{len(ours)}: {ours[:40]}"
