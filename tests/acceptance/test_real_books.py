"""Books of real archives of both games are built, verified, shown, probed and played."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.cli_runner import run
from support.selections import ABSOLUTE, LITERATURE

import bookbuilder as bb

pytestmark = pytest.mark.corpus

MAX_PLY = 30
MIN_GAMES = 3
MIN_WIN_RATE = "0.45"

# A usual way to a position, and a way through positions that no game of the archive reached.
WAYS = {
    "chess": ("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6", "g1f3 a7a6 e2e4 e7e5 f1b5 b8c6"),
    "xiangqi": ("h2e2 h9g7 h0g2 i9h9 i0h0 g6g5", "h2e2 g6g5 h0g2 h9g7 i0h0 i9h9"),
}

_COUNTS = ("games", "first_wins", "draws", "second_wins")

Counted = dict[tuple[int, int], tuple[int, int, int, int]]
"""(key, lock) → usage, and wins, draws, losses of the first side."""


@dataclass(frozen=True)
class Built:
    """A book built by the command line, and the tally of the same games."""

    game: str
    path: Path
    answer: dict[str, Any]
    tally: bb.Tally
    expected: Counted


def expected_records(tally: bb.Tally) -> Counted:
    """Return the positions of a book, judged one by one with exact fractions from the rows of the tally."""
    sums = (
        tally.to_pandas()
        .groupby(["key", "lock"])
        .agg({"mover": "first", "ply": "min", **dict.fromkeys(_COUNTS, "sum")})
    )
    kept: Counted = {}
    for position, mover, ply, games, wins, draws, losses in sums.itertuples():
        # The side that is not to move has just moved.
        won, lost = (losses, wins) if mover == 0 else (wins, losses)
        passes = won + lost == 0 or Fraction(won, won + lost) >= Fraction(MIN_WIN_RATE)
        if ply > 0 and games >= MIN_GAMES and passes:
            kept[position] = (games, wins, draws, losses)
    return kept


@pytest.fixture(scope="module", params=["chess", "xiangqi"])
def built(
    request: pytest.FixtureRequest,
    chess_archive: Path,
    xqf_archive: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Built:
    """A book of the first plies of a whole archive."""
    archive = chess_archive if request.param == "chess" else xqf_archive
    path = tmp_path_factory.mktemp("books") / f"{request.param}.book"
    options = ("--max-ply", MAX_PLY, "--min-games", MIN_GAMES, "--min-win-rate", MIN_WIN_RATE)
    ran = run("build", *ABSOLUTE, archive, "-o", path, *options, "--quiet", "--json")
    assert (ran.code, ran.err) == (0, "")
    tally = bb.Tally.from_archives(archive, max_ply=MAX_PLY)
    return Built(request.param, path, json.loads(ran.out), tally, expected_records(tally))


def test_built_book_is_valid_and_has_its_recipe(built: Built) -> None:
    assert built.answer["bytes"] == built.path.stat().st_size
    assert built.answer["verdicts"]["kept"] == len(built.expected)
    assert built.answer["games"] == built.tally.games.num_rows
    verified = run("book", "verify", built.path, "--json")
    assert verified.code == 0
    report = json.loads(verified.out)
    assert (report["sound"], report["walk"]["records"]) == (True, len(built.expected))
    facts = json.loads(run("info", built.path, "--json").out)
    assert (facts["game"], facts["fold"]) == (built.game, built.game == "xiangqi")
    assert facts["recipe"]["selection"]["min_games"] == MIN_GAMES
    assert [source["blake3"] for source in facts["recipe"]["sources"]] == [
        source.blake3 for source in built.tally.sources
    ]


def test_records_equal_an_independent_count(built: Built) -> None:
    frame = bb.Book.open(built.path).to_pandas()
    columns = [frame[name].tolist() for name in ("key", "lock", "usage", "wins", "draws", "losses")]
    assert {(key, lock): tuple(rest) for key, lock, *rest in zip(*columns, strict=True)} == built.expected
    for flag, count in (("seen_first_win", "wins"), ("seen_draw", "draws"), ("seen_second_win", "losses")):
        assert (frame[flag] == (frame[count] > 0)).all()


def test_python_selection_gives_the_same_book(built: Built, tmp_path: Path) -> None:
    chosen = bb.select(built.tally, LITERATURE, min_win_rate=MIN_WIN_RATE, min_games=MIN_GAMES)
    bb.Book.write(tmp_path / "python.book", chosen)
    assert (tmp_path / "python.book").read_bytes() == built.path.read_bytes()


def best_of(built: Built, moves: str) -> list[str]:
    """Return the heaviest book moves after `moves`, found by playing every legal move."""
    position = bb.Position(built.game)
    for text in moves.split():
        position = position.play(position.parse_move(text))
    frame = bb.Book.open(built.path).to_pandas()
    weights = frame["usage"].astype(int) * (frame["quality"].astype(int) + 1) ** 3
    weight = dict(zip(zip(frame["key"], frame["lock"], strict=True), weights, strict=True))
    found = {code: position.play(code).stored(built.tally.options.fold) for code in position.moves()}
    judged = {position.coordinates(code): weight[after] for code, after in found.items() if after in weight}
    return [move for move, value in judged.items() if value == max(judged.values())]


def searched(built: Built, *arguments: object) -> dict[str, Any]:
    """Return the answer of `engine search` with the book."""
    ran = run("engine", "search", "--book", built.path, "--depth", 3, "--json", *arguments)
    assert ran.code == 0, ran.err
    answer: dict[str, Any] = json.loads(ran.out)
    return answer


def test_engine_plays_book_at_start(built: Built) -> None:
    answer = searched(built)
    assert answer["source"] == "book"
    assert answer["move"] in best_of(built, "")
    assert searched(built, bb.Position(built.game).fen)["move"] == answer["move"]
    off = searched(built, "--pick", "off")
    assert off["source"] == "search"
    assert off["book_hits"] > 0
    drawn = {searched(built, "--pick", "weighted", "--seed", seed)["move"] for seed in range(12)}
    assert len(drawn) > 1


def test_engine_plays_book_after_transposition(built: Built) -> None:
    usual, other = WAYS[built.game]
    position, visits = bb.Position(built.game), []
    for text in other.split():
        position = position.play(position.parse_move(text))
        visits.append(built.tally.reached(position))
    assert 0 in visits, "games of the archive came this way too"
    assert visits[-1] > 0
    by_other, by_usual = searched(built, other), searched(built, usual)
    assert by_other["source"] == by_usual["source"] == "book"
    assert by_other["move"] == by_usual["move"]
    assert by_other["move"] in best_of(built, usual)
    by_fen = searched(built, position.fen)
    assert (by_fen["source"], by_fen["move"]) == ("book", by_other["move"])


def test_folded_book_mirrors_moves(built: Built) -> None:
    if built.game != "xiangqi":
        assert not bb.Book.open(built.path).fold
        return
    mirror = str.maketrans("abcdefghi", "ihgfedcba")
    usual = WAYS["xiangqi"][0]
    answer, mirrored = searched(built, usual), searched(built, usual.translate(mirror))
    assert mirrored["source"] == "book"
    assert mirrored["move"] in {move.translate(mirror) for move in best_of(built, usual)}
    assert answer["move"] in best_of(built, usual)
