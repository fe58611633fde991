"""WXF and UCI texts against pyffish (Fairy-Stockfish) on positions of real archives and of crowded pawns.

pyffish writes the same WXF except in two cases, and we read both of its forms. It omits + and - if only
one of two pieces can make the move, like some archives: `H7-9` for `H+-9`. Where three or
more pawns share a column, or pawns share two columns, it numbers them from the front (`25=6`, the second
pawn on column 5); the World Xiangqi Federation writes `P5=6` or `++=6`. One text means two moves: by the
Federation's rule for pawns on two columns `33=4` is the middle one of three on column 3, by pyffish's
the third; we follow the Federation.
"""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyffish
import pytest

from bookbuilder import Position
from bookbuilder.errors import FenError

GAME = "xiangqi"
REAL_GAMES = 150
PLIES = 10
MOVES = 3
CROWDED = 150


def pyffish_wxf(fen: str, move: str) -> str:
    return pyffish.get_san(GAME, fen, move, False, pyffish.NOTATION_XIANGQI_WXF)


def real_positions(corpus: Path) -> Iterator[Position]:
    """Yield positions of seeded random play from the start positions of the XQF sample."""
    manifest = corpus / "data" / "xiangqi" / "xqf" / "sample_manifest.csv"
    with manifest.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream)
        fens = sorted({f"{row['start_fen']} {row['first_side']} - - 0 1" for row in rows})
    chance = random.Random(3)
    for fen in chance.sample(fens, REAL_GAMES):
        try:
            position = Position(GAME, fen)
        except FenError:
            continue
        for _ in range(PLIES):
            yield position
            codes = position.moves()
            if not codes:
                break
            position = position.play(chance.choice(codes))


def crowded_positions() -> Iterator[Position]:
    """Yield positions in which red has five pawns and more on few columns beyond the river."""
    chance = random.Random(4)
    while True:
        board = [["1"] * 9 for _ in range(10)]
        board[0][3], board[9][5] = "k", "K"
        columns = chance.sample(range(9), chance.choice([1, 2, 2, 3]))
        points = [(rank, file) for rank in range(5) for file in columns if board[rank][file] == "1"]
        for rank, file in chance.sample(points, min(5, len(points))):
            board[rank][file] = "P"
        try:
            yield Position(GAME, "/".join(map("".join, board)) + " w - - 0 1")
        except FenError:
            continue


def compare(position: Position, seen: Counter[str], chance: random.Random | None = None) -> None:
    """Compare all moves of a position, or a random sample, and count the kinds of results."""
    fen = position.fen
    moves = {position.format_move(code, "uci"): code for code in position.moves()}
    compared = list(moves.items())
    if chance is not None:
        compared = chance.sample(compared, min(MOVES, len(compared)))
    for uci, code in compared:
        ours, theirs = position.format_move(code, "wxf"), pyffish_wxf(fen, uci)
        assert position.parse_move(uci, "uci") == code
        if ours == theirs:
            seen["same"] += 1
            continue
        assert ours[2:] == theirs[2:], (fen, ours, theirs)
        if theirs[0].isalpha():
            assert position.parse_move(theirs, "wxf") == code, (fen, ours, theirs)
            seen["without order"] += 1
            continue
        assert theirs[:2].isdecimal(), (fen, ours, theirs)
        if position.parse_move(theirs, "wxf") == code:
            seen["numbered"] += 1
        else:
            # The middle pawn can make the move as well, and is the one that the Federation's rule names.
            assert theirs[:2] in {"11", "33"}, (fen, ours, theirs)
            seen["two meanings"] += 1


@pytest.mark.corpus
def test_notation_of_real_positions_equals_pyffish(corpus: Path) -> None:
    seen: Counter[str] = Counter()
    for position in real_positions(corpus):
        compare(position, seen, random.Random(position.key))
    assert seen["same"] > 20 * (seen["without order"] + seen["numbered"]) > 0
    assert seen["two meanings"] == 0


def test_notation_of_crowded_pawns_matches_pyffish() -> None:
    seen: Counter[str] = Counter()
    positions = crowded_positions()
    for _ in range(CROWDED):
        compare(next(positions), seen)
    assert seen["numbered"] > 10 * seen["two meanings"] > 0
