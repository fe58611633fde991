"""A mistake in the moves of a game, whatever it does to this game, loses nothing of the games around it."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import chess.pgn
from support.cli_runner import run
from support.mistakes import mistakes

MOVES = "1. e4 e5 {a b} 2. Nf3 $1 (2. f4 exf4) 2... Nc6 3. O-O? ; c\n3... a6 1-0"
SOUND = "1. d4 { d } 1... d5 ( 1... f5 ) 2. c4 1/2-1/2"
ROSTER = ("e", "?", "????.??.??", "w", "b", "1/2-1/2")


def game(number: int, moves: str) -> str:
    """Return a game whose round is its number."""
    tags = {"Event": "e", "White": "w", "Round": str(number), "Black": "b"}
    return "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + f"\n{moves}\n\n"


def is_sound(read: chess.pgn.Game) -> bool:
    """Return whether all of a game without a mistake was read, but for its round."""
    tags = [value for name, value in read.headers.items() if name != "Round"]
    return (*tags, read.accept(chess.pgn.StringExporter(headers=False))) == (*ROSTER, SOUND)


def test_mistake_in_moves_loses_no_other_game(tmp_path: Path) -> None:
    made = sorted(set(mistakes(MOVES)))
    path = tmp_path / "mistyped.pgn"
    text = "".join(game(2 * place, SOUND) + game(2 * place + 1, moves) for place, moves in enumerate(made))
    path.write_text(text + game(2 * len(made), SOUND), encoding="utf-8")
    stream = io.StringIO(run("games", "convert", path, "--game", "chess", "--quiet").out)
    sound, met = Counter[int](), Counter[int]()
    while read := chess.pgn.read_game(stream):
        number = int(read.headers["Round"])
        met[number] += 1
        sound[number] += is_sound(read)
    assert len(made) == 4174
    lost = [made[max(0, place - 1) : place + 1] for place in range(len(made) + 1) if sound[2 * place] != 1]
    assert not lost, f"{len(lost)}: {lost[:20]}"
    twice = [made[number // 2] for number, times in met.items() if times > 1]
    assert not twice, f"{len(twice)}: {twice[:20]}"
