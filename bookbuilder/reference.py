"""From archives to the bytes of a clustered book in pandas and python-chess: what the native path computes.

The steps are short and slow: `observe`, `count`, `judge`, `book_bytes`. A test holds each equal to the native
path, row by row and byte by byte, so they are its specification. `docs/book-file.md` describes the bytes.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final, TypeAlias

import chess.pgn
import chess.polyglot
import numpy as np
import pandas as pd
from xxhash import xxh3_64_intdigest as xxh3

from bookbuilder._core import Position
from bookbuilder.games.position import Game, as_position

_Played: TypeAlias = tuple[dict[str, str], list[tuple[int, int, int, int, int]]]
"""Tags of a game, and for each ply key, lock, move, side to move and mark; at the end with move 0."""

_RESULTS: Final = {"1-0": 1, "1/2-1/2": 2, "0-1": 3}
_MARKS: Final = {1: 2, 2: -2, 3: 3, 4: -3, 5: 1, 6: -1}
"""Annotation marks by their number in PGN: ! ? !! ?? !? ?!"""
_SCHEMES: Final = {"chess": 0xF8EEEF9357544B06, "xiangqi": 0x5E13E594E89F8DBB}
_SUMS: Final = ["games", "first_wins", "draws", "second_wins", "rating_sum", "rated", "marks"]


def chess_games(path: Path) -> Iterator[_Played]:
    """Yield the games of a PGN file that are legal and begin at the start position."""
    with path.open(encoding="utf-8") as stream:
        while (game := chess.pgn.read_game(stream)) is not None:
            board, plies, nodes = game.board(), [], list(game.mainline())
            if game.errors or "FEN" in game.headers or not nodes:
                continue
            for node in [*nodes, None]:
                here = as_position(board, "chess")
                move = 0 if node is None else here.parse_move(node.move.uci())
                mark = 0 if node is None else sum(_MARKS.get(each, 0) for each in node.nags)
                plies.append((chess.polyglot.zobrist_hash(board), here.lock, move, here.side, mark))
                board.push(chess.Move.null() if node is None else node.move)
            yield dict(game.headers), plies


def xiangqi_games(path: Path, *, fold: bool = True) -> Iterator[_Played]:
    """Yield the games of xiangqi in a PGN file with moves like h2e2, or in an XQF file."""
    data, tags = path.read_bytes(), r'\[(\w+) "(.*)"'
    if data.startswith(b"XQ"):
        found = [([("Result", ("*", "1-0", "0-1", "1/2-1/2")[data[0x33]])], list(_xqf_moves(data)))]
    else:
        parts = [text.rpartition("]") for text in re.split(r"(?m)^(?=\[Event )", data.decode())[1:]]
        found = [(re.findall(tags, head), re.findall(r"[a-i]\d[a-i]\d", text)) for head, _, text in parts]
    for facts, moves in found:
        here, plies = Position("xiangqi"), []
        for text in moves:
            code = here.parse_move(text)
            plies.append((*here.stored(fold), here.stored_move(code, fold), here.side, 0))
            here = here.play(code)
        if moves:
            yield dict(facts), [*plies, (*here.stored(fold), 0, here.side, 0)]


def _xqf_moves(data: bytes) -> Iterator[str]:
    """Yield the moves of an XQF file that is not encrypted: origin + 24, target + 32, flags, comment."""
    place, flags = 0x400, 0xF0
    while flags & 0xF0:
        origin, target, flags, _, comment = struct.unpack_from("<BBBBI", data, place)
        if place > 0x400:
            yield "".join("abcdefghi"[at // 10] + str(at % 10) for at in (origin - 24, target - 32))
        place += 8 + comment


def observe(games: Iterable[_Played], *, max_ply: int | None = None) -> pd.DataFrame:
    """Return the observations of games, schema OBSERVATIONS: a position counts once a game."""
    rows = []
    for number, (tags, plies) in enumerate(games):
        ratings = [int(tags[name]) if name in tags else 0 for name in ("WhiteElo", "BlackElo")]
        year = tags.get("Date", "")[:4]
        facts = (_RESULTS.get(tags["Result"], 0), ratings, int(year) if year.isdigit() else 0)
        seen = set[tuple[int, int]]()
        for ply, (key, lock, move, side, mark) in enumerate(plies):
            if (max_ply is None or ply <= max_ply) and (key, lock) not in seen:
                seen.add((key, lock))
                move, mark = (0, 0) if ply == max_ply else (move, mark)
                of = (facts[0], ratings[side], ratings[1 - side], facts[2])
                rows.append((key, lock, move, side, ply, *of, mark, number))
    names = ["key", "lock", "move", "mover", "ply", "result", "rating", "opponent", "year", "mark", "game"]
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    return frame.astype({name: np.uint64 if name == "key" else np.int64 for name in frame})


def count(observed: pd.DataFrame) -> pd.DataFrame:
    """Return the tally of observations: one row for each position and move, sorted."""
    o = observed.assign(games=1, marks=observed["mark"], rating_sum=observed["rating"])
    for code, name in enumerate(("first_wins", "draws", "second_wins"), start=1):
        o[name] = o["result"] == code
    o = o.assign(rated=o["rating"] > 0, year=o["year"].where(o["year"] > 0))
    by = o.groupby(["key", "lock", "move"])
    ends = {"mover": by["mover"].first(), "ply": by["ply"].min()}
    ends |= {"year_min": by["year"].min(), "year_max": by["year"].max()}
    return by[_SUMS].sum().assign(**ends).fillna(0).astype(np.int64).reset_index()


def judge(
    tally: pd.DataFrame, *, max_ply: int | None = None, min_games: int = 1, min_win_rate: str = "0.55"
) -> pd.DataFrame:
    """Return the positions of a tally with P of the side that moved to them, quality and verdict."""
    by = tally.groupby(["key", "lock"])
    ends = {"side": 1 - by["mover"].first(), "ply": by["ply"].min(), "year": by["year_max"].max()}
    f = by[_SUMS].sum().assign(**ends).reset_index()
    wins = np.where(f.side == 0, f.first_wins, f.second_wins)
    losses = np.where(f.side == 0, f.second_wins, f.first_wins)
    over, under = Fraction(min_win_rate).as_integer_ratio()
    reason = pd.Series("", f.index).mask(under * wins < over * (wins + losses), "below-p")
    reason = reason.mask(f.games < min_games, "below-games")
    last = np.inf if max_ply is None else max_ply
    reason = reason.mask(f.ply > last, "beyond-ply").mask(f.ply == 0, "root")
    marks, rating = -f.marks / (f.marks.abs() + 3), f.rating_sum / f.rated.replace(0, np.nan)
    blend = 50 * ((wins + 5) / (wins + losses + 10)) + 20 * (f.games / (f.games + 50))
    blend = blend + 15 * ((1 + marks) / 2) + 10 * ((rating - 1800) / 1000).clip(0, 1).fillna(0.5)
    blend = blend + 5 * np.where(f.year == 0, 0.5, 20 / (20.0 + f.year.max() - f.year))
    p, quality = wins / pd.Series(wins + losses).replace(0, np.nan), np.floor(31 * blend / 100 + 0.5)
    return f.assign(p=p, quality=quality.astype(np.int64), reason=reason)


def book_bytes(judged: pd.DataFrame, game: Game, recipe: bytes, *, fold: bool = False) -> bytes:
    """Return the clustered book of the positions that are kept."""
    kept = judged[judged.reason == ""].sort_values(["key", "lock"])
    word = (kept.first_wins > 0) * 2**31 + (kept.draws > 0) * 2**30 + (kept.second_wins > 0) * 2**29
    records = np.empty(len(kept), [("key", "<u8"), ("word", "<u4")])
    records["key"], records["word"] = kept.key, word + kept.quality * 2**24 + kept.games.clip(upper=2**24 - 1)
    clusters = np.searchsorted(records["key"] >> np.uint64(49), np.arange(2**15 + 1))
    columns = [kept[name].to_numpy("<u4") for name in ("lock", "first_wins", "draws", "second_wins")]
    body, places = bytes(64), []
    for section in (clusters.astype("<u4").tobytes(), records.tobytes(), *map(bytes, columns), recipe):
        body += bytes(-len(body) % 64)
        places.append(len(body))
        body += section
    head = struct.pack("<8sHBBI", b"BOOKBLDR", 1, game == "xiangqi", 2 + fold, len(recipe))
    head += struct.pack("<5Q", _SCHEMES[game], len(kept), places[1], places[2], places[-1])
    body = head + struct.pack("<Q", xxh3(head)) + body[64:]
    sums = [xxh3(body[at : at + 4096]) % 2**32 for at in range(0, len(body), 4096)]
    body += bytes(-len(body) % 64) + struct.pack(f"<{len(sums)}I", *sums)
    return body + struct.pack("<Q", xxh3(body))
