"""Copies of games: found in files, between files and between runs into one store."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import pytest

import bookbuilder as bb
from bookbuilder.errors import StoreError
from bookbuilder.tally.options import TallyOptions

Policy: TypeAlias = Literal["exact", "players", "prefix"]
POLICIES = get_args(Policy)
LINES = (
    "1. e4 e5 2. Nf3 Nc6 3. Bb5",
    "1. e4 e5 2. Nf3",
    "1. e4 c5",
    "1. d4 d5 2. c4 e6",
    "1. d4 d5",
    "1. c4",
)


def write(path: Path, seed: int, games: int, lines: tuple[str, ...] = LINES) -> Path:
    """An archive of games of few players that repeat a few lines; ratings tell copies apart."""
    rng = random.Random(seed)
    text = []
    for _ in range(games):
        result = rng.choice(("1-0", "0-1", "1/2-1/2"))
        text.append(
            f'[Event "E"]\n[White "{rng.choice(("Adams, M", "Michael Adams", "Bird"))}"]\n[Black "C"]\n'
            f'[WhiteElo "{rng.randint(1500, 2500)}"]\n[Date "20{rng.randint(10, 12)}.01.01"]\n'
            f'[Result "{result}"]\n\n{rng.choice(lines)} {result}\n\n'
        )
    path.write_text("".join(text))
    return path


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three archives with many copies in and between them, named in their order."""
    folder = tmp_path_factory.mktemp("copies")
    return [write(folder / f"{seed}.pgn", seed, 60) for seed in range(3)]


@pytest.mark.parametrize("dedupe", POLICIES)
def test_runs_into_one_store_are_one_run(tmp_path: Path, archives: list[Path], dedupe: Policy) -> None:
    whole = bb.Tally.from_archives(*archives, dedupe=dedupe, jobs=2)
    store = bb.Tally.from_archives(archives[0], dedupe=dedupe)
    for archive in archives[1:]:
        store.save(tmp_path / "s", force=True)
        store = bb.Tally.open(tmp_path / "s").add_archives(archive, jobs=1)
        report = store.report
        assert report is not None
        read = report.games_used + report.duplicates
        assert (report.games_read, report.superseded) == (read, 0)
        assert report.duplicates == sum(source.duplicates for source in report.sources) > 30
    assert store == whole
    assert store.games.num_rows == sum(source.games for source in store.sources) < 60


def test_a_game_that_begins_a_later_one_makes_all_archives_be_read_again(tmp_path: Path) -> None:
    short = write(tmp_path / "b.pgn", 1, 20, ("1. e4 e5", "1. d4"))
    long = write(tmp_path / "a.pgn", 2, 20, ("1. e4 e5 2. Nf3", "1. c4"))
    held = bb.Tally.from_archives(short, dedupe="prefix")
    both = held.add_archives(long)
    assert both == bb.Tally.from_archives(short, long, dedupe="prefix")
    assert both.report is not None
    assert (both.report.superseded, both.games.num_rows) == (1, 3)
    short.write_text(short.read_text() + "\n")
    with pytest.raises(StoreError, match=r"b\.pgn: is needed again.*has changed"):
        held.add_archives(long)
    short.unlink()
    with pytest.raises(StoreError, match=r"b\.pgn: is needed again.*cannot be read"):
        held.add_archives(long)


def test_tallies_with_copies_do_not_add_up(archives: list[Path]) -> None:
    one, two = (bb.Tally.from_archives(archive, dedupe="exact") for archive in archives[:2])
    with pytest.raises(StoreError, match="games of one are copies"):
        _ = one + two
    empty = bb.Tally.empty(one.options)
    assert (one + empty).games == one.games


def test_copies_count_without_dedupe(archives: list[Path]) -> None:
    report = bb.Tally.from_archives(archives[0], archives[0]).report
    assert report is not None
    assert (report.games_used, report.duplicates) == (60, 0)
    assert report.repeats > 0
    assert TallyOptions(game="chess", dedupe="exact").check == "full", "lines are compared whole"


@pytest.mark.corpus
def test_copies_in_real_archives_match_other_tools(corpus: Path) -> None:
    # By normalised movetext, results included, 392 of 72,474 games repeat an earlier one. 3 of them have no
    # moves and are filtered before: 5 games are a result and nothing else, 3 times 1-0 and 2 times 0-1.
    chess = corpus / "data" / "chess"
    tournaments = chess / "pgnmentor_tournaments_dev.pgn.zst"
    report = bb.Tally.from_archives(tournaments, max_ply=0, dedupe="exact").report
    assert report is not None
    assert (report.games_read, report.filtered) == (72_474, {"no-moves": 5})
    assert report.duplicates == 392 - 3
    # 25,354 of them repeat a game of the players' file by movetext without check marks. 35 more are written
    # with other disambiguation (Ngf6 for Nf6), and 46 repeat only a game of the same file.
    players = chess / "pgnmentor_players_dev.pgn.zst"
    both = bb.Tally.from_archives(players, tournaments, max_ply=0, dedupe="exact").report
    assert both is not None
    # Two games of the first file, said to be without copies, are copies by moves.
    assert [source.duplicates for source in both.sources] == [2, 25_354 + 35 + 46]
