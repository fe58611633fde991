"""The tally: an independent replay by python-chess is the oracle; sums are the law."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Literal

import chess
import chess.polyglot
import numpy as np
import pyarrow as pa
import pytest

from bookbuilder.errors import FenError, SchemaError, StoreError
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.tally import Tally

RESULTS = ("1-0", "1/2-1/2", "0-1", "*")
MAX_PLY = 8


def write_games(path: Path, seed: int, games: int) -> list[tuple[list[chess.Move], str]]:
    """A PGN file of random short games, few enough moves deep that they meet; returns what it holds."""
    rng = random.Random(seed)
    written, texts = [], []
    for number in range(games):
        board = chess.Board()
        for _ in range(rng.randint(2, 12)):
            # Knights come and go: positions repeat inside a game and transpose between games.
            quiet = sorted(board.legal_moves, key=lambda m: (m.uci()[:2] not in "g1b1f3c3g8b8f6c6", m.uci()))
            board.push(quiet[min(int(rng.expovariate(0.5)), len(quiet) - 1)])
        result = rng.choice(RESULTS)
        tags = f'[White "W{number}"]\n[Black "B{number}"]\n[Date "{1990 + number % 9}.01.01"]\n'
        tags += f'[WhiteElo "{2000 + number}"]\n[BlackElo "{1900 + number}"]\n[Result "{result}"]\n'
        texts.append(f"{tags}\n{chess.Board().variation_san(board.move_stack)} {result}\n\n")
        written.append((list(board.move_stack), result))
    path.write_text("".join(texts), encoding="utf-8")
    return written


def replay(games: list[tuple[list[chess.Move], str]]) -> dict[tuple[int, str], list[int]]:
    """(key, move) → games, wins of the first, draws, wins of the second, by the counting rule."""
    counted: defaultdict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for moves, result in games:
        first: dict[int, str] = {}
        board = chess.Board()
        for ply, move in enumerate([*moves, None]):
            if ply > MAX_PLY:
                break
            key = chess.polyglot.zobrist_hash(board)
            first.setdefault(key, "" if move is None or ply == MAX_PLY else move.uci())
            if move is not None:
                board.push(move)
        for pair in first.items():
            counted[pair][0] += 1
            if result != "*":
                counted[pair][1 + RESULTS.index(result)] += 1
    return dict(counted)


@pytest.fixture(scope="module")
def archives(tmp_path_factory) -> tuple[list[Path], list[tuple[list[chess.Move], str]]]:
    folder = tmp_path_factory.mktemp("archives")
    paths = [folder / f"{seed}.pgn" for seed in range(3)]
    return paths, [game for seed, path in enumerate(paths) for game in write_games(path, seed, 120)]


@pytest.fixture(scope="module")
def tally(archives) -> Tally:
    return Tally.from_archives(*archives[0], max_ply=MAX_PLY, jobs=2)


def test_counts_equal_an_independent_replay(archives, tally) -> None:
    expected = replay(archives[1])
    boards: dict[int, chess.Board] = {}
    for moves, _ in archives[1]:
        board = chess.Board()
        for move in [*moves, None]:
            boards.setdefault(chess.polyglot.zobrist_hash(board), board.copy(stack=False))
            if move is not None:
                board.push(move)
    by_key: defaultdict[int, dict[str, list[int]]] = defaultdict(dict)
    for (key, move), counts in expected.items():
        by_key[key][move] = counts
    assert len(tally) == len(expected)
    for key, moves in by_key.items():
        assert tally.reached(boards[key]) == sum(counts[0] for counts in moves.values())
        frame = tally.moves(boards[key])
        columns = ["played", "first_wins", "draws", "second_wins"]
        found = dict(zip(frame["move"], frame[columns].to_numpy().tolist(), strict=True))
        assert found == {move: counts for move, counts in moves.items() if move}


def test_moves_have_all_figures(archives, tally) -> None:
    frame = tally.moves("startpos")
    assert list(frame.columns) == [
        "move", "san", "played", "reached", "first_wins", "draws", "second_wins", "wins", "losses",
        "p", "p_low", "p_high", "score", "rating", "year_min", "year_max", "marks",
        "paired", "performance", "code",
    ]  # fmt: skip
    assert frame["played"].is_monotonic_decreasing
    assert (frame["reached"] >= frame["played"]).all()
    decisive = frame["wins"] + frame["losses"]
    assert np.allclose(frame["p"][decisive > 0], (frame["wins"] / decisive)[decisive > 0])
    board = chess.Board()
    for row in frame.itertuples():
        assert board.san(chess.Move.from_uci(row.move)) == row.san
        after = chess.Board()
        after.push_uci(row.move)
        assert row.reached == tally.reached(after)
    after = chess.Board()
    after.push_uci(frame["move"][0])
    replies = tally.moves(after)
    assert replies["wins"].tolist() == replies["second_wins"].tolist(), "the second side is to move"
    whole = tally.moves("startpos", basis="reached")
    known = whole["first_wins"] + whole["draws"] + whole["second_wins"]
    assert (known <= whole["reached"]).all()
    assert (known >= frame["first_wins"] + frame["draws"] + frame["second_wins"]).all()


def test_unreached_position_has_no_moves(tally) -> None:
    lone = "4k3/8/8/8/8/8/8/4K2R w - - 0 1"
    assert tally.reached(lone) == 0
    assert tally.moves(lone).empty
    with pytest.raises(FenError):
        tally.moves("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1")


def test_tallies_of_parts_add_up_to_the_tally_of_all(archives, tally) -> None:
    parts = [Tally.from_archives(path, max_ply=MAX_PLY, jobs=1) for path in archives[0]]
    for first, second, third in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        assert parts[first] + parts[second] + parts[third] == tally
        assert parts[first] + (parts[second] + parts[third]) == tally


def test_adding_archives_skips_known_content(archives, tally, tmp_path) -> None:
    paths = archives[0]
    tally_of_one = Tally.from_archives(paths[0], max_ply=MAX_PLY)
    tally_of_one.save(tmp_path / "store")
    grown = Tally.open(tmp_path / "store").add_archives(*paths)
    assert grown == tally
    assert grown.report is not None
    assert grown.report.skipped == (str(paths[0]),)
    assert [source.source for source in grown.report.sources] == [str(path) for path in paths[1:]]
    again = grown.add_archives(*paths)
    assert again == grown
    assert again.report is not None
    assert (len(again.report.skipped), again.report.games_read, again.report.rows) == (3, 0, len(grown))


def test_rows_out_of_order_are_refused(make_tally) -> None:
    rows = make_tally().to_arrow()
    for wrong in (rows.take(list(range(rows.num_rows - 1, -1, -1))), pa.concat_tables([rows, rows[-1:]])):
        with pytest.raises(SchemaError, match="does not ascend at row"):
            Tally(wrong, TallyOptions(game="chess"))


def test_tallies_of_other_options_or_the_same_archive_do_not_add_up(make_tally) -> None:
    with pytest.raises(StoreError, match="max_ply 60 against 30"):
        make_tally(1) + make_tally(2, max_ply=30)
    with pytest.raises(StoreError, match=r"both hold the content of games\.pgn"):
        make_tally(1) + make_tally(1)


@pytest.mark.parametrize("check", ["prefix", "full"])
def test_ply_limit_0_counts_every_game_where_it_starts(
    tmp_path: Path, check: Literal["prefix", "full"]
) -> None:
    write_games(tmp_path / "a.pgn", seed=3, games=40)
    tally = Tally.from_archives(tmp_path, game="chess", max_ply=0, check=check)
    assert (len(tally), tally.games.num_rows, tally.reached("startpos")) == (1, 40, 40)
