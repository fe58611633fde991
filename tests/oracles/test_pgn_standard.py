"""Rules of the PGN standard (1994), a small text for each."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

import pytest
from support.pgn_readers import Game, ours

TAGS: Final = '[Event "a"]\n[Result "1-0"]\n\n'
PAWN: Final = '[SetUp "1"]\n[FEN "8/P6k/8/8/8/8/7K/8 w - - 0 1"]\n\n'


class Rule(NamedTuple):
    """A rule of the standard, with a text that needs it."""

    section: str
    name: str
    text: str
    games: tuple[str, ...]
    """What must be read: main lines, each with its result."""


RULES = (
    Rule(
        "5",
        "comment to the end of the line",
        TAGS + "1. e4 ; d5 0-1\ne5 1-0\n",
        ("e2e4 e7e5 1-0",),
    ),
    Rule("5", "brace in such a comment", TAGS + "1. e4 ; {\ne5 1-0\n", ("e2e4 e7e5 1-0",)),
    Rule("5", "semicolon within braces", TAGS + "1. e4 {; x} e5 1-0\n", ("e2e4 e7e5 1-0",)),
    Rule("5", "comments do not nest", TAGS + "1. e4 {a {b} e5 1-0\n", ("e2e4 e7e5 1-0",)),
    Rule(
        "5",
        "comment after a move number",
        TAGS + "1. e4 e5 2. {x} d4 1-0\n",
        ("e2e4 e7e5 d2d4 1-0",),
    ),
    Rule("5", "tag within a comment", TAGS + '1. e4 {\n[White]\n[A "b"]\n} e5 1-0\n', ("e2e4 e7e5 1-0",)),
    Rule("6", "escaped line", TAGS + "1. e4\n% d5 0-1\ne5 1-0\n", ("e2e4 e7e5 1-0",)),
    Rule("7", "asterisk without a space before it", '[Event "a"]\n\n1. e4 e5*\n', ("e2e4 e7e5 *",)),
    Rule("7", "escaped quotes", '[Event "a \\"b\\" ]"]\n\n1. e4 1-0\n', ("e2e4 1-0",)),
    Rule("8.1", "game without tags", "1. e4 e5 1-0\n", ("e2e4 e7e5 1-0",)),
    Rule("8.1", "tag pair over lines", '[Event\n"a"\n]\n\n1. e4 1-0\n', ("e2e4 1-0",)),
    Rule("8.1", "spaces within brackets", '[ Event "a" ]\n\n1. e4 1-0\n', ("e2e4 1-0",)),
    Rule("8.1", "two tags on a line", '[Event "a"] [White "w"]\n\n1. e4 1-0\n', ("e2e4 1-0",)),
    Rule("8.1", "tag and moves on a line", '[Event "a"] 1. e4 1-0\n', ("e2e4 1-0",)),
    Rule(
        "8.1",
        "games of one line",
        '[White "a"] 1. e4 1-0\n[White "b"] 1. d4 0-1\n',
        ("e2e4 1-0", "d2d4 0-1"),
    ),
    Rule(
        "8.1",
        "two games on a line",
        '[Event "a"] 1. e4 1-0 [Event "b"] 1. d4 0-1\n',
        ("e2e4 1-0", "d2d4 0-1"),
    ),
    Rule(
        "8.1",
        "tags from the line of a marker on",
        '[Event "a"]\n\n1. e4 1-0[FEN "8/P6k/8/8/8/8/7K/8 w - - 0 1"]\n[SetUp "1"]\n\n1. a8=N 1-0\n',
        ("e2e4 1-0", "a7a8n 1-0"),
    ),
    Rule("8.2", "no null moves", '[Event "a"]\n\n1. e4 -- 2. d4 1-0\n', ()),
    Rule(
        "8.2.1",
        "blank line between moves",
        TAGS + "1. e4 e5\n\n2. d4 1-0\n",
        ("e2e4 e7e5 d2d4 1-0",),
    ),
    Rule("8.2.2.1", "no move numbers", TAGS + "e4 e5 d4 1-0\n", ("e2e4 e7e5 d2d4 1-0",)),
    Rule("8.2.2.1", "move numbers without periods", TAGS + "1 e4 e5 2 d4 1-0\n", ("e2e4 e7e5 d2d4 1-0",)),
    Rule("8.2.2.1", "space before periods", TAGS + "1 . e4 1 ... e5 1-0\n", ("e2e4 e7e5 1-0",)),
    Rule("8.2.3.2", "English letters only", TAGS + "1. e4 e5 2. Sf3 1-0\n", ()),
    Rule("8.2.3.3", "piece of a promotion", PAWN + "1. a8=N 1-0\n", ("a7a8n 1-0",)),
    Rule("8.2.3.3", "promotion without a piece", PAWN + "1. a8 1-0\n", ()),
    Rule(
        "8.2.3.4",
        "pinned piece",
        TAGS + "1. d4 e6 2. e4 Bb4 3. Nc3 a6 4. Ne2 1-0\n",
        ("d2d4 e7e6 e2e4 f8b4 b1c3 a7a6 g1e2 1-0",),
    ),
    Rule("8.2.3.5", "wrong marks of check", TAGS + "1. e4+ e5# 1-0\n", ("e2e4 e7e5 1-0",)),
    Rule("8.2.3.8", "suffix", TAGS + "1. e4!? e5?? 1-0\n", ("e2e4 e7e5 1-0",)),
    Rule("8.2.4", "glyphs", TAGS + "1. e4$1 e5 $255 1-0\n", ("e2e4 e7e5 1-0",)),
    Rule("8.2.5", "nested variations", TAGS + "1. e4 e5 (1... c5 2. d4 (2. c3)) 1-0\n", ("e2e4 e7e5 1-0",)),
    Rule("8.2.6", "marker ends a game", "1. e4 1-0 1. d4 0-1\n", ("e2e4 1-0", "d2d4 0-1")),
)


def main_lines(games: list[Game]) -> tuple[str, ...]:
    """Return each game as a line of moves and its result."""
    return tuple(" ".join([*game.moves, game.result]) for game in games)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.section} {rule.name}")
def test_rule_is_followed(rule: Rule, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(rule.text, encoding="ascii")
    assert main_lines(ours(path)) == rule.games
