"""A small folder of games, stores and books, whose tables the snapshots show."""

from __future__ import annotations

import itertools
from pathlib import Path

from support.cli_runner import run

_LINES = (
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6",
    "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6",
    "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7",
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6",
    "1. Nf3 d5 2. d4 Nf6 3. c4 e6 4. Nc3 Be7",
    "1. e4 e6 2. d4 d5 3. Nc3 Bb4 4. e5 c5",
    "1. c4 e5 2. Nc3 Nf6 3. Nf3 Nc6",
)
_RESULTS = ("1-0", "1/2-1/2", "1-0", "0-1", "1/2-1/2")
_XIANGQI = ("h2e2 h9g7 h0g2 i9h9", "b2e2 b9c7 b0c2 a9b9", "c3c4 g6g5 h2e2", "h2e2 b7e7")
_XIANGQI_TAGS = '[Game "Chinese Chess"]\n[Result "1-0"]\n[Format "ICCS"]'
_SETTINGS = "[defaults]\nquiet = true\n\n[build]\nmin-games = 5\ntag = ['Event=Open 2001', 'Round=1']\n"


def set_up(folder: Path) -> None:
    """Write archives, stores and books into a folder, which is the working directory."""
    rounds = zip(range(70), itertools.cycle(_LINES), itertools.cycle(_RESULTS), strict=False)
    (folder / "games.pgn").write_text(
        "".join(_chess_game(number, line, result) for number, line, result in rounds), encoding="utf-8"
    )
    (folder / "bad.pgn").write_text('[Event "Bad"]\n\n1. e4 e5 2. Ke3 1-0\n\n', encoding="utf-8")
    (folder / "xiangqi.pgn").write_text(
        "".join(f"{_XIANGQI_TAGS}\n\n{_iccs(line)} 1-0\n\n" for line in _XIANGQI), encoding="utf-8"
    )
    (folder / "settings.toml").write_text(_SETTINGS, encoding="utf-8")
    for command in (
        ("tally", "games.pgn", "-o", "chess.store", "-q"),
        ("tally", "xiangqi.pgn", "-o", "xiangqi.store", "-q"),
        ("build", "chess.store", "-o", "a.book", "-q"),
        ("build", "chess.store", "-o", "a.bin", "-q"),
        ("build", "chess.store", "-o", "b.book", "-q", "--min-games", "9"),
        ("book", "edit", "a.book", "e2e4", "e5", "--weight", "7"),
        ("endgame", "build", "KRvK", "-o", "tables", "-q"),
    ):
        ran = run(*command)
        assert ran.code == 0, ran.err


def _chess_game(number: int, line: str, result: str) -> str:
    year = 2001 + number % 12
    names = f'[White "Player {number % 9}"]\n[Black "A Player With a Rather Long Name {number % 4}"]'
    tags = f'[Event "Open {year}"]\n[Date "{year}.03.01"]\n{names}\n[WhiteElo "2500"]\n[BlackElo "2400"]'
    return f'{tags}\n[Result "{result}"]\n\n{line} {result}\n\n'


def _iccs(line: str) -> str:
    moves = [f"{move[:2]}-{move[2:]}".upper() for move in line.split()]
    return " ".join(f"{'' if place % 2 else f'{place // 2 + 1}. '}{move}" for place, move in enumerate(moves))
