"""The reference pipeline in pandas equals the native path on random archives and options."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pandas as pd
import pytest

import bookbuilder as bb
from bookbuilder import reference
from bookbuilder.archives.played_game import PlayedGame
from bookbuilder.archives.write import write_archive

FEW = 25
MANY = int(os.environ.get("REFERENCE_CASES", "10000"))
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
MARKS = (*[""] * 8, "!", "?", "!!", "??", "!?", "?!")


@pytest.mark.parametrize("seed", range(FEW))
def test_reference_equals_native_path(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path)


@pytest.mark.slow
def test_reference_equals_native_path_on_many_archives(tmp_path: Path) -> None:
    for seed in range(FEW, FEW + MANY):
        try:
            check(seed, tmp_path)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error


def check(seed: int, folder: Path) -> None:
    """Compare every step on the archive and the options of a seed."""
    rng = random.Random(seed)
    game: Any = rng.choice(["chess", "xiangqi"])
    path = (write_chess if game == "chess" else write_xiangqi)(rng, folder)
    fold = game == "xiangqi" and rng.random() < 0.7
    max_ply = rng.choice([None, 0, 1, 3, 6, 9])
    counting: Any = {"game": game, "check": "full", "fold": fold, "max_ply": max_ply}
    read = reference.chess_games(path) if game == "chess" else reference.xiangqi_games(path, fold=fold)
    observed = reference.observe(read, max_ply=max_ply)
    require_equal(bb.observations(path, **counting).to_pandas(), observed)
    if rng.random() < 0.3:
        counting |= {"min_rating": 2000, "since": "2001"}
        observed = observed.query("rating >= 2000 and opponent >= 2000 and year >= 2001")
    tally = bb.Tally.from_archives(path, **counting)
    counted = reference.count(observed)
    require_equal(tally.to_pandas()[list(counted)], counted)
    options: Any = {
        "min_games": rng.choice([1, 1, 2, 3]),
        "min_win_rate": rng.choice(["0", "0.5", "0.55", "2/3", "1"]),
        "max_ply": rng.choice([None, 2, 5]),
    }
    chosen = bb.select(tally, margin=None, sharpen=0, **options)
    judged = reference.judge(counted, **options)
    columns = {name: name for name in ("key", "lock", "side", "ply", "p", "quality", "reason")}
    columns["games"] = "reached"
    native = chosen.to_pandas().astype({"reason": object})
    require_equal(native[list(columns.values())], judged[list(columns)].rename(columns=columns))
    book = bb.Book.write(folder / "native.book", chosen)
    recipe = book.native.recipe
    text = recipe if isinstance(recipe, bytes) else recipe.encode()
    assert book.path.read_bytes() == reference.book_bytes(judged, game, text, fold=fold)
    # The frame goes back into the native path, and gives the same records.
    again = bb.select(bb.Tally.from_frame(counted, game=game, fold=fold), margin=None, sharpen=0, **options)
    assert bb.Book.write(folder / "again.book", again).to_arrow().equals(book.to_arrow())


def require_equal(native: pd.DataFrame, frame: pd.DataFrame) -> None:
    """Compare frames row by row, whatever the width of their numbers."""
    wide = {name: np.int64 for name, kind in native.dtypes.items() if kind.kind in "iu" and name != "key"}
    assert list(native) == list(frame)
    pd.testing.assert_frame_equal(
        native.astype(wide).reset_index(drop=True),
        frame.astype(wide).reset_index(drop=True),
        check_dtype=False,
        check_exact=True,
    )


def tags(rng: random.Random) -> dict[str, str]:
    """Return some tags of a game, with facts missing."""
    found = {"Event": "E", "Date": rng.choice(["????.??.??", f"{rng.randint(1990, 2025)}.01.02"])}
    for name in ("WhiteElo", "BlackElo"):
        if rng.random() < 0.7:
            found[name] = str(rng.randint(1500, 2900))
    return found | {"Result": rng.choice(RESULTS)}


def write_chess(rng: random.Random, folder: Path) -> Path:
    """Write random games with marks; some are illegal, and some begin elsewhere."""
    texts = []
    for _ in range(rng.randint(1, 14)):
        board, facts, words = chess.Board(), tags(rng), []
        if rng.random() < 0.05:
            board.set_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
            facts |= {"SetUp": "1", "FEN": board.fen()}
        for _ in range(rng.randint(0, 10)):
            moves = sorted(board.legal_moves, key=str)
            if not moves:
                break
            # Few moves, so that games meet and positions recur.
            move = rng.choice(moves[:2] if rng.random() < 0.8 else moves)
            words.append(board.san(move) + rng.choice(MARKS))
            board.push(move)
        if rng.random() < 0.1:
            words.append("Kxe8")
        head = "".join(f'[{name} "{text}"]\n' for name, text in facts.items())
        texts.append(f"{head}\n{' '.join(words)} {facts['Result']}\n\n")
    path = folder / "random.pgn"
    path.write_text("".join(texts))
    return path


def write_xiangqi(rng: random.Random, folder: Path) -> Path:
    """Write random games as PGN, or one as XQF."""
    games = []
    for number in range(1 if (is_xqf := rng.random() < 0.2) else rng.randint(1, 14)):
        here, moves, result = bb.Position("xiangqi"), [], rng.choice(RESULTS)
        for _ in range(rng.randint(1, 10)):
            codes = sorted(here.moves())
            code = rng.choice(codes[-3:] if rng.random() < 0.8 else codes)
            moves.append(here.coordinates(code))
            here = here.play(code)
        games.append((tags(rng) | {"Game": "Chinese Chess", "Result": result}, moves))
        if is_xqf:
            played = PlayedGame(
                game="xiangqi", event="E", date="????.??.??", number=number, first="A", second="B",
                result=result, moves=tuple(moves),
            )  # fmt: skip
            return write_xqf(played, folder)
    heads = ("".join(f'[{name} "{text}"]\n' for name, text in facts.items()) for facts, _ in games)
    path = folder / "random.pgn"
    path.write_text(
        "".join(
            f"{head}\n{' '.join(moves)} {facts['Result']}\n\n"
            for head, (facts, moves) in zip(heads, games, strict=True)
        )
    )
    return path


def write_xqf(played: PlayedGame, folder: Path) -> Path:
    """Write a game as an XQF file."""
    import zipfile

    packed = folder / "random.zip"
    with packed.open("wb") as stream:
        write_archive(stream, ".zip", "xiangqi", [played])
    with zipfile.ZipFile(packed) as files:
        path = folder / "random.xqf"
        path.write_bytes(files.read(files.namelist()[0]))
    return path
