"""Opening lines: shares decide how often a line is drawn; a wrong row is named."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from bookbuilder.engine.opening_lines import OpeningLines
from bookbuilder.errors import ArchiveError
from bookbuilder.games.position import Game, as_position


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_lines_of_the_program_are_legal_and_distinct(game: Game) -> None:
    found = OpeningLines.of_program(game)
    assert len(set(found.lines)) == len(found.lines) == len(found.shares)
    for line in found.lines:
        as_position(" ".join(line), game)


def test_usual_first_moves_lead() -> None:
    first = Counter[str]()
    found = OpeningLines.of_program("chess")
    for line, share in zip(found.lines, found.shares, strict=True):
        first[line[0]] += share
    assert [move for move, _ in first.most_common(4)] == ["e2e4", "d2d4", "c2c4", "g1f3"]


def test_lines_are_drawn_by_their_shares(tmp_path: Path) -> None:
    file = tmp_path / "lines.tsv"
    file.write_text("share\tmoves\n3 e4 e5\n\n1\td2d4\n", encoding="utf-8")
    found = OpeningLines.read(file, "chess")
    assert found.lines == (("e2e4", "e7e5"), ("d2d4",))
    chance = random.Random(1)
    drawn = Counter(found.draw(chance)[0] for _ in range(4000))
    assert 2900 < drawn["e2e4"] < 3100


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has no opening lines"),
        ("share\tmoves\n", "has no opening lines"),
        ("e4 e5\n", ":1: expected a share above 0"),
        ("5 e4\n0 d4\n", ":2: expected a share above 0"),
        ("5\n", ":1: expected a share above 0"),
        ("5 e4 e5 Nf4\n", ":1, ply 3: "),
    ],
)
def test_wrong_rows_are_named(text: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "lines.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ArchiveError, match=why):
        OpeningLines.read(file, "chess")


def test_file_of_other_bytes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "lines.tsv"
    file.write_bytes(b"5 e4 \xff\n")
    with pytest.raises(ArchiveError, match="not text in UTF-8"):
        OpeningLines.read(file, "chess")
