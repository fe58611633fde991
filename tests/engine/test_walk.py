"""Walks through books: pairs, values, what judges are asked, and the command."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.cli_runner import run
from support.foreign_books import tally_of, usual_book
from support.lines import after
from support.scripted_judge import command, score_of

from bookbuilder import Position, Tally, build
from bookbuilder.book.formats.registry import write_moves
from bookbuilder.book.open import open_book
from bookbuilder.book.play import MoveSource, TallyMoves
from bookbuilder.engine.drivers.player import PlayerFault
from bookbuilder.engine.drivers.spec import EngineSpec, ThinkLimit, parse_engine
from bookbuilder.engine.walk import Walk, WalkOptions, book_differences, book_values, walk_books
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game, SideName
from bookbuilder.tally.store.reading import OpenStore

LIMIT = ThinkLimit(nodes=100)


@contextmanager
def unseen(_what: str, _total: int) -> Iterator[object]:
    """Progress that nobody sees."""
    yield lambda _done: None


def judge(log: Path, game: Game = "chess", fault: str = "") -> EngineSpec:
    """The scripted judge."""
    return parse_engine(command(log, game, fault), game, name="judge", options=(), limit=LIMIT)


def walked(
    books: dict[str, MoveSource | None], store: Path, spec: EngineSpec, **options
) -> dict[str, list[Walk]]:
    """Walk some books."""
    opened = OpenStore(store)
    replies = TallyMoves(opened, opened.options.game, fold=opened.options.fold)
    return walk_books(books, replies, spec, WalkOptions(**{"walks": 20, **options}), unseen)  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=["chess", "xiangqi"])
def game(request: pytest.FixtureRequest) -> Game:
    """Each game."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def store(game: Game, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of games."""
    return tally_of(game).save(tmp_path_factory.mktemp(game) / "games.store")


@pytest.fixture(scope="module")
def book(game: Game, tmp_path_factory: pytest.TempPathFactory) -> MoveSource:
    """A book of the same games."""
    path = tmp_path_factory.mktemp(game) / "usual.csv"
    write_moves(path, usual_book(game))
    return open_book(path, game=game)


def owners_score(position: Position, walk: Walk) -> int:
    """The score of the scripted judge for the owner."""
    side = 0 if walk.owner == "first" else 1
    return score_of(position) if position.side == side else -score_of(position)


def test_lines_follow_book_and_store_and_are_judged(
    game: Game, store: Path, book: MoveSource, tmp_path: Path
) -> None:
    lines = walked({"a": book}, store, judge(tmp_path / "log", game), ply=6)["a"]
    assert [(line.owner, line.number) for line in lines] == [
        (owner, number) for owner in ("first", "second") for number in range(1, 21)
    ]
    opened = OpenStore(store)
    replies = TallyMoves(opened, game, fold=opened.options.fold)
    for line in lines:
        here, side = Position(game), 0 if line.owner == "first" else 1
        for ply, move in enumerate(line.moves):
            is_own = here.side == side and ply < line.exit_ply
            source = book if is_own else replies
            assert here.parse_move(move) in [choice.code for choice in source.choices(here)]
            here = here.play(here.parse_move(move))
        assert line.late_ply == min(6, len(line.moves))
        assert len(line.moves) == max(line.exit_ply, line.late_ply)
        exit_at, late_at = (after(" ".join(line.moves[:ply]), game) for ply in (line.exit_ply, line.late_ply))
        assert line.exit_cp == owners_score(exit_at, line)
        assert line.late_cp == owners_score(late_at, line)
        if line.cause == "book":
            assert exit_at.side == side
        else:
            assert (line.cause, replies.choices(exit_at)) == ("store", [])
    assert len({line.moves for line in lines}) > 10


def test_result_depends_on_the_seed_only(game: Game, store: Path, book: MoveSource, tmp_path: Path) -> None:
    spec = judge(tmp_path / "log", game)
    once = walked({"a": book}, store, spec, seed=5)
    assert walked({"a": book}, store, spec, seed=5, jobs=3) == once
    both = walked({"none": None, "a": book}, store, spec, seed=5)
    assert both["a"] == once["a"] != both["none"]
    # Both draw the same replies from the start position.
    firsts = [[line.moves[0] for line in lines if line.owner == "second"] for lines in both.values()]
    assert firsts[0] == firsts[1]
    assert len(set(firsts[0])) > 1
    assert walked({"a": book}, store, spec, seed=6) != once
    # More lines do not change the first ones.
    more = walked({"a": book}, store, spec, seed=5, walks=30)["a"]
    assert [line for line in more if line.number <= 20] == once["a"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_position_is_judged_once(
    game: Game, store: Path, book: MoveSource, tmp_path: Path, jobs: int
) -> None:
    walked({"a": book, "none": None}, store, judge(tmp_path / "log", game), jobs=jobs)
    asked = [line.split(maxsplit=1) for line in (tmp_path / "log").read_text().splitlines()]
    assert len({fen for _, fen in asked}) == len(asked) > 10
    assert 1 <= len({pid for pid, _ in asked}) <= jobs
    assert all(fen.endswith(" 0 1") for _, fen in asked)


def test_book_moves_that_repeat_a_position_are_not_played(tmp_path: Path) -> None:
    archive, book = tmp_path / "games.pgn", tmp_path / "a.bin"
    archive.write_text('[Result "1-0"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 1-0\n')
    store = Tally.from_archives(archive).save(tmp_path / "games.store")
    build(archive, book, min_games=1)
    source = open_book(book, game="chess")
    assert source.choices(after("g1f3 g8f6 f3g1 f6g8"))
    line = walked({"a": source}, store, judge(tmp_path / "log"), walks=2)["a"][0]
    # After 2. Ng1 Ng8 the start position is back, and 3. Nf3 would repeat the position after 1. Nf3.
    assert (line.cause, line.exit_ply) == ("book", 4)


def test_faults_of_a_judge_are_reported(game: Game, store: Path, tmp_path: Path) -> None:
    with pytest.raises(PlayerFault, match="judge"):
        walked({"none": None}, store, judge(tmp_path / "log", game, "die"))
    with pytest.raises(PlayerFault, match="judge gave no score"):
        walked({"none": None}, store, judge(tmp_path / "log", game, "silent"))
    spec = parse_engine("no-such-program", game, name=None, options=(), limit=LIMIT)
    with pytest.raises(OptionError, match="no-such-program"):
        walked({"none": None}, store, spec)


def command_files(game: Game, tmp_path: Path) -> tuple[object, ...]:
    """Books of several formats, a store and a judge, as arguments of the command."""
    names = ["a.book", "a.bin", "a.abk"] if game == "chess" else ["a.book", "a.dat", "a.obk"]
    for name in names:
        write_moves(tmp_path / name, usual_book(game))
    tally_of(game).save(tmp_path / "games.store")
    books = ("none", *(tmp_path / name for name in names))
    engine = ("--engine", command(tmp_path / "log", game))
    return (*books, "--against", tmp_path / "games.store", *engine, "--walks", 10)


def test_command_answers_with_json(game: Game, tmp_path: Path) -> None:
    arguments = command_files(game, tmp_path)
    ran = run("engine", "walk", *arguments, "--json", "--seed", 9, "-o", tmp_path / "lines.jsonl")
    answer = json.loads(ran.out)
    assert (answer["game"], answer["seed"], answer["nodes"], answer["walks"]) == (game, 9, 50_000, 10)
    assert (answer["ply"], answer["pick"], answer["games"]) == (24, "weighted", 300)
    assert len(answer["values"]) == 12
    assert len(answer["differences"]) == 9
    assert {each["other"] for each in answer["differences"]} == {"none"}
    rows = [json.loads(line) for line in (tmp_path / "lines.jsonl").read_text().splitlines()]
    assert len(rows) == 4 * 2 * 10
    first = answer["values"][0]
    of_first = [row for row in rows if row["book"] == first["book"] and row["owner"] == "first"]
    assert first["late"]["mean"] == pytest.approx(sum(row["late_cp"] for row in of_first) / 10)
    again = run("engine", "walk", *arguments, "--seed", 9, "-o", tmp_path / "lines.csv")
    assert again.code == 0
    with (tmp_path / "lines.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream))
    assert [row["moves"].split() for row in table] == [row["moves"] for row in rows]
    assert [int(row["exit_cp"]) for row in table] == [row["exit_cp"] for row in rows]


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (["none", "none"], 2, "none: named twice; name each book once"),
        (["missing.bin"], 3, "missing.bin: no such file"),
        (["x.csv"], 3, "x.csv: is a book of xiangqi; expected a book of chess"),
        (["x.book"], 3, "xiangqi"),
        (["none", "-o", "lines.txt"], 2, "expected a name that ends in .jsonl or .csv"),
        (["none", "-o", "x.csv.csv"], 4, "exists already"),
        (["none", "--against", "x.csv"], 3, "x.csv"),
        (["none", "--against", "empty.store"], 2, "the store has no game from the start position"),
        (["none", "--engine", "ucci:cat"], 2, "UCCI does not support chess"),
        (["none", "--engine", "{die}"], 1, "nothing was measured: the judge"),
        (["none", "--option", "No=1"], 2, 'no option "No"'),
    ],
)
def test_bad_input_gets_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: list[str], code: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_moves(tmp_path / "x.csv", usual_book("xiangqi"))
    write_moves(tmp_path / "x.book", usual_book("xiangqi"))
    (tmp_path / "x.csv.csv").touch()
    tally_of("chess").save(tmp_path / "games.store")
    (tmp_path / "empty.pgn").write_text("")
    Tally.empty(tally_of("chess").options).save(tmp_path / "empty.store")
    fixed = ["--against", "games.store", "--engine", command(tmp_path / "log")]
    dying = command(tmp_path / "log", "chess", "die")
    ran = run("engine", "walk", *fixed, "--quiet", *(dying if each == "{die}" else each for each in change))
    assert (ran.code, ran.out) == (code, ""), ran.err
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_interrupted_command_leaves_no_engine(tmp_path: Path) -> None:
    tally_of("chess").save(tmp_path / "games.store")
    log = tmp_path / "log"
    engine = ("--engine", command(log, "chess", "slow"), "--jobs", "2")
    arguments = ("engine", "walk", "none", "--against", str(tmp_path / "games.store"), *engine)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "bookbuilder", *arguments, "--walks", "5"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not log.exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.startswith("bookbuilder: interrupted")
    for line in log.read_text().splitlines():
        with pytest.raises(ProcessLookupError):
            os.kill(int(line.split()[0]), 0)


def valued(number: int, owner: SideName, exit_cp: int, late_cp: int = 0, plies: int = 4) -> Walk:
    """A line with these values."""
    return Walk(
        number=number,
        owner=owner,
        moves=("e2e4",) * 10,
        cause="book" if number % 2 else "store",
        exit_ply=plies,
        exit_cp=exit_cp,
        late_ply=10,
        late_cp=late_cp,
    )


def lines(first: tuple[int, ...], second: tuple[int, ...]) -> list[Walk]:
    """Lines of both sides with these values at the exit."""
    return [
        valued(number, owner, value)  # type: ignore[arg-type]
        for owner, values in (("first", first), ("second", second))
        for number, value in enumerate(values, start=1)
    ]


def test_values_of_each_side_and_their_mean() -> None:
    first, second, both = book_values({"a": lines((10, 20, 40), (-10, -10, -40))})
    assert (first["owner"], second["owner"], both["owner"]) == ("first", "second", "both")
    assert second["exit"]["mean"] == -20
    # s² = (10² + 10² + 20²) / 2 = 300, half-width 1.96 · √(300 / 3).
    assert second["exit"]["margin"] == pytest.approx(19.59964, abs=1e-4)
    assert both["exit"]["mean"] == pytest.approx((70 / 3 - 20) / 2)
    assert both["exit"]["margin"] == pytest.approx((17.28526**2 + 19.59964**2) ** 0.5 / 2, abs=1e-4)
    assert (first["walks"], both["walks"]) == (3, 6)
    assert first["plies"] == {"mean": 4, "margin": 0}
    assert first["causes"] == {"book": 2, "store": 1}
    assert both["causes"] == {"book": 4, "store": 2}


def test_differences_are_taken_line_by_line() -> None:
    base, other = lines((10, 200, -40), (0, 0, 0)), lines((11, 203, -38), (6, 0, 0))
    first, second, both = book_differences({"base": base, "other": other})
    assert (first["book"], first["other"]) == ("other", "base")
    # Differences 1, 3, 2: s = 1.
    assert first["exit"]["mean"] == 2
    assert first["exit"]["margin"] == pytest.approx(1.959964 / 3**0.5, abs=1e-5)
    # Differences 6, 0, 0: s² = (16 + 4 + 4) / 2 = 12, half-width 1.96 · √(12 / 3).
    assert second["exit"]["mean"] == 2
    assert second["exit"]["margin"] == pytest.approx(3.919928, abs=1e-5)
    assert both["exit"]["mean"] == 2
    assert both["exit"]["margin"] == pytest.approx((1.131586**2 + 3.919928**2) ** 0.5 / 2, abs=1e-5)
    assert first["late"] == {"mean": 0, "margin": 0}
