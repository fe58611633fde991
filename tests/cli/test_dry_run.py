"""`--dry-run` of `tally` and `build`: exact figures of small archives, estimates of others, no output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.cli_runner import run

from bookbuilder.archives.filters import GameFilter
from bookbuilder.cli import dry_run, sampling
from bookbuilder.cli.demo import demo_archives
from bookbuilder.tally.options import RunLimits, TallyOptions


def estimate(*words: object) -> dict[str, Any]:
    """Return the JSON answer of a dry run, which writes nothing."""
    output = Path(str(words[words.index("-o") + 1]))
    before = output.stat().st_mtime_ns if output.exists() else None
    ran = run(*words, "--dry-run", "--json", "-q")
    assert ran.code == 0, ran.err
    assert (output.stat().st_mtime_ns if output.exists() else None) == before
    answer: dict[str, Any] = json.loads(ran.out)
    return answer


def answer_of(*words: object) -> dict[str, Any]:
    """Return the JSON answer of a real run."""
    ran = run(*words, "--json", "-q")
    assert ran.code == 0, ran.err
    answer: dict[str, Any] = json.loads(ran.out)
    return answer


def test_small_archive_is_counted_exactly(tmp_path: Path) -> None:
    words = ("tally", demo_archives("chess")[0], "-o", tmp_path / "a.store")
    found, real = estimate(*words), answer_of(*words)
    assert (found["games"], found["rows"], found["is_exact"]) == (real["games_read"], real["rows"], True)
    size = sum(file.stat().st_size for file in (tmp_path / "a.store").rglob("*"))
    assert 0.5 < found["output_bytes"] / size < 2


@pytest.mark.parametrize("suffix", ["book", "bin", "abk", "pgn", "epd", "csv", "json", "parquet"])
def test_size_of_a_book_is_within_a_factor_of_two(suffix: str, tmp_path: Path) -> None:
    words = ("build", demo_archives("chess")[0], "-o", tmp_path / f"a.{suffix}")
    found, real = estimate(*words), answer_of(*words)
    assert found["kept"] == real["verdicts"]["kept"]
    assert 0.5 < found["output_bytes"] / real["bytes"] < 2


def test_part_of_an_archive_estimates_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = demo_archives("chess")[0]
    words = ("build", archive, "-o", tmp_path / "a.book", "--force")
    real = answer_of(*words)
    monkeypatch.setattr(sampling, "READ_GAMES", 1000)
    found = estimate(*words)
    assert not found["is_exact"]
    assert not found["kept_is_exact"]
    assert 0.5 < found["games"] / real["games"] < 2
    assert 0.5 < found["kept"] / real["verdicts"]["kept"] < 2
    assert "about" in run(*words, "--dry-run").out


def test_filters_that_few_games_pass_do_not_read_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    count = sampling._count

    def noted(*given: Any) -> Any:
        found = count(*given)
        read.append(found[1])
        return found

    monkeypatch.setattr(sampling, "_count", noted)
    monkeypatch.setattr(sampling, "READ_BYTES", 1)
    archive = demo_archives("chess")[0]
    options = TallyOptions(game="chess", filters=GameFilter(player=("nobody",)))
    sample = sampling.read_sample([archive], options, RunLimits(jobs=1))
    assert sample.tally is None
    assert sample.all_used() == 0
    assert len(read) == len(sampling._FEWER)


def test_maximum_of_games_bounds_the_estimate(tmp_path: Path) -> None:
    words = ("tally", demo_archives("chess")[0], "-o", tmp_path / "a.store", "--max-games", 100)
    found, real = estimate(*words), answer_of(*words)
    assert found["games_used"] == real["games_used"] == 100
    assert found["rows"] == real["rows"]


def test_store_is_selected_from_exactly(chess_pgn: Path, tmp_path: Path) -> None:
    store, book = tmp_path / "a.store", tmp_path / "a.bin"
    answer_of("tally", chess_pgn, "-o", store)
    words = ("build", store, "-o", book, "--preset", "broad", "--min-games", 1)
    found, real = estimate(*words), answer_of(*words)
    assert (found["stores"], found["files"], found["format"]) == (1, 0, "polyglot")
    assert (found["kept"], found["kept_is_exact"]) == (real["verdicts"]["kept"], True)


def test_large_store_is_not_selected_from(
    chess_pgn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "a.store"
    answer_of("tally", chess_pgn, "-o", store)
    monkeypatch.setattr(dry_run, "_CHEAP_ROWS", 1)
    words = ("build", store, "-o", tmp_path / "a.bin")
    found = estimate(*words)
    assert found["kept"] is found["output_bytes"] is None
    assert "not estimated" in run(*words, "--dry-run").out


@pytest.mark.parametrize(
    "words",
    [
        ("tally", "missing.pgn", "-o", "a.store"),
        ("tally", "games.pgn", "-o", "games.pgn"),
        ("tally", "games.pgn", "-o", "a.store", "--since", "2010-13"),
        ("tally", "xiangqi.zip", "-o", "chess.store"),
        ("tally", "illegal.pgn", "-o", "a.store"),
        ("build", "missing.pgn", "-o", "a.bin"),
        ("build", "games.pgn", "-o", "taken.bin"),
        ("build", "games.pgn", "-o", "a.obk"),
        ("build", "illegal.pgn", "-o", "a.bin"),
        ("build", "games.pgn", "-o", "a.xyz"),
        ("build", "games.pgn", "-o", "a.bin", "--for", "red"),
        ("build", "chess.store", "-o", "a.bin", "--player", "Somebody"),
    ],
    ids=" ".join,
)
def test_bad_request_has_the_exit_code_of_the_real_command(
    words: tuple[str, ...], chess_pgn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.pgn").write_bytes(chess_pgn.read_bytes())
    Path("xiangqi.zip").write_bytes(demo_archives("xiangqi")[0].read_bytes())
    Path("illegal.pgn").write_text('[Event "a"]\n[Result "1-0"]\n\n1. e4 e5 2. Ke5 1-0\n')
    Path("taken.bin").touch()
    assert run("tally", "games.pgn", "-o", "chess.store", "-q").code == 0
    dry, real = run(*words, "--dry-run"), run(*words)
    assert dry.code == real.code != 0
    assert dry.err.splitlines()[0].replace("would not be written", "not written") == real.err.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("tally", "-", "-o", "a.store"), "stdin is read only once"),
        (("tally", "a.pgn", "-o", "a.store", "--cluster", "local"), "leave --cluster out"),
        (("build", "a.pgn", "--explain", "startpos"), "--dry-run needs INPUT and -o BOOK"),
    ],
)
def test_what_a_sample_cannot_answer_is_refused(words: tuple[str, ...], answer: str) -> None:
    ran = run(*words, "--dry-run")
    assert (ran.code, answer in ran.err) == (2, True)


def test_time_is_written_in_its_unit() -> None:
    assert [dry_run._duration(seconds) for seconds in (1.23, 45.6, 600, 9000)] == [
        "1.2 s",
        "46 s",
        "10 min",
        "2 h",
    ]
