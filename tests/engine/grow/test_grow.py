"""A book that grows: values, costs and weights by hand, kills, and the command."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.cli_runner import run
from support.lines import after
from support.scripted_judge import best_of, command, score_of

from bookbuilder import Position, Tally
from bookbuilder.book.open import open_book
from bookbuilder.book.play import TallyMoves
from bookbuilder.engine.drivers.spec import ThinkLimit, parse_engine
from bookbuilder.engine.grow.growth import GrowOptions, Growth, grow
from bookbuilder.engine.grow.tree import GrowingTree
from bookbuilder.errors import EvalsError
from bookbuilder.tally.store.reading import OpenStore

GAMES = ["1. e4 e5 2. Nf3 Nc6", "1. e4 e5 2. Nf3 Nf6", "1. e4 c5 2. Nf3 d6", "1. d4 d5 2. c4 e6"]


def tree_of(scores: dict[str, float], shares: dict[str, float]) -> GrowingTree:
    """A tree of lines, each searched; the engine's moves are unknown."""
    tree = GrowingTree(Position("chess"), scores[""], None, fold=False)
    for line in sorted(scores, key=lambda line: len(line.split())):
        *before, move = line.split() or [""]
        if move:
            parent = tree.number_of(after(" ".join(before)))
            assert parent is not None
            number = tree.add(after(line), len(before) + 1, scores[line], None)
            code = after(" ".join(before)).parse_move(move)
            tree.link(parent, code, number, shares.get(line, 0.0))
    return tree


def expand(tree: GrowingTree, line: str, *owners: int) -> None:
    """Mark a position as expanded."""
    number = tree.number_of(after(line))
    assert number is not None
    for owner in owners:
        tree.look(number, owner, 0.0)


def all_again(tree: GrowingTree) -> None:
    """Compute all values and costs."""
    tree.refresh(list(range(len(tree.nodes))))


def test_common_replies_come_first_one_by_one() -> None:
    lines = {"": 20, "e2e4": -20, "d2d4": -10, "e2e4 e7e5": 20}
    tree = tree_of(lines, {"e2e4": 0.5, "d2d4": 0.5, "e2e4 e7e5": 0.4})
    for number, share in ((1, 0.4), (2, 0.6)):
        tree.begin_at(number, 0, share)
    expand(tree, "", 0)
    all_again(tree)
    # White loses 10 by 1. d4, which costs 40; the most played reply to 1. e4 costs less.
    assert tree.nodes[0].cost[0] == pytest.approx(25 * math.log(1 / 0.4))
    assert tree.cheapest(0) == 1
    tree.look(1, 0, 0.3)
    all_again(tree)
    # Then the position after it, which is White's, and then the next reply.
    assert tree.nodes[0].cost[0] == pytest.approx(25 * math.log(1 / 0.4))
    assert tree.cheapest(0) == 3
    tree.look(3, 0, 0.0)
    all_again(tree)
    assert tree.nodes[0].cost[0] == pytest.approx(25 * math.log(1 / 0.3))
    assert tree.cheapest(0) == 1
    tree.look(1, 0, 0.0)
    all_again(tree)
    assert tree.nodes[0].cost[0] == pytest.approx(4 * 10 + 25 * math.log(1 / 0.6))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A small store."""
    (tmp_path / "a.pgn").write_text("\n\n".join(f'[Result "*"]\n\n{game} *' for game in GAMES))
    return Tally.from_archives(tmp_path / "a.pgn").save(tmp_path / "a.store")


class _KilledError(Exception):
    """The run ends here."""


def grown(
    store: Path, log: Path, searches: int, *, kill_at: int = 0, fault: str = "", jobs: int = 1
) -> Growth:
    """Grow a tree with the scripted engine; optionally end in the middle."""

    @contextmanager
    def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
        def report(done: int) -> None:
            if done == kill_at:
                raise _KilledError

        yield report

    opened = OpenStore(store)
    engine = command(log.with_suffix(".asked"), fault=fault)
    spec = parse_engine(engine, "chess", name=None, options=(), limit=ThinkLimit(nodes=1))
    return grow(
        TallyMoves(opened, "chess", fold=False),
        "chess",
        spec,
        GrowOptions(searches=searches, nodes=10, min_games=1, jobs=jobs),
        fold=False,
        seed="s",
        known=None,
        log=log,
        progress=progress,
    )


def test_growth_has_sound_values_and_follows_the_archive(store: Path, tmp_path: Path) -> None:
    growth = grown(store, tmp_path / "g", 120)
    tree = growth.tree
    assert growth.searched == growth.total == 120
    assert sum(growth.expanded) > 20
    for node in tree.nodes:
        assert node.score == (score_of(node.position) if node.position.verdict is None else node.score)
        assert node.best == node.position.parse_move(best_of(node.position))
    for line in ("e2e4", "d2d4", "e2e4 e7e5", "e2e4 c7c5"):
        assert tree.number_of(after(line)) is not None
    before = [(*node.expected, *node.cost) for node in tree.nodes]
    all_again(tree)
    assert [(*node.expected, *node.cost) for node in tree.nodes] == before
    replies = tree.nodes[tree.number_of(after("e2e4")) or 0]
    # Both replies and the engine's; Black's own look at it is one.
    assert replies.unseen == [0.0, 0.0]
    assert replies.looked[0] == 2 + (best_of(replies.position) not in ("e7e5", "c7c5"))
    assert replies.looked[1] == 1


def test_killed_growth_resumes_to_the_same_bytes(store: Path, tmp_path: Path) -> None:
    grown(store, tmp_path / "whole", 60)
    whole = (tmp_path / "whole").read_bytes()
    for step in (10, 17, 40, 60):
        path = tmp_path / f"killed{step}"
        with pytest.raises(_KilledError):
            grown(store, path, 60, kill_at=step)
        again = grown(store, path, 60)
        assert path.read_bytes() == whole
        # A batch is searched again at most, and a run that has all its searches makes none.
        assert again.searched <= 60 - step + 22
        assert grown(store, path, 60).searched == 0


def test_log_with_a_torn_end_says_so_and_a_changed_one_is_refused(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "g"
    growth = grown(store, path, 60)
    whole = path.read_bytes()
    assert growth.note == ""
    for cut in (1, 2, 30):
        path.write_bytes(whole[:-cut])
        assert "its end was lost" in grown(store, path, 60).note
        assert path.read_bytes() == whole
    lines = whole.splitlines(keepends=True)
    for number in range(1, len(lines)):
        changed = bytearray(lines[number])
        changed[len(changed) // 2] ^= 1
        path.write_bytes(b"".join([*lines[:number], bytes(changed), *lines[number + 1 :]]))
        with pytest.raises(EvalsError, match=rf"line {number + 1} is damaged"):
            grown(store, path, 60)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    with pytest.raises(EvalsError, match="line 2 is damaged"):
        grown(store, path, 60)


def test_crashing_engine_costs_nothing(store: Path, tmp_path: Path) -> None:
    grown(store, tmp_path / "sound", 60)
    grown(store, tmp_path / "crashing", 60, fault="die-often")
    assert (tmp_path / "sound").read_bytes() == (tmp_path / "crashing").read_bytes()
    # An engine that cheats at some positions costs these.
    growth = grown(store, tmp_path / "cheating", 60, fault="illegal-some")
    assert growth.failed
    assert len(growth.tree.nodes) > 5


def test_several_engines_never_search_a_position_twice(store: Path, tmp_path: Path) -> None:
    growth = grown(store, tmp_path / "g", 80, jobs=3)
    asked = [line.split(" ", 1)[1] for line in (tmp_path / "g.asked").read_text().splitlines()]
    assert len(asked) == len(set(asked)) == len(growth.tree.nodes)


@pytest.mark.parametrize("suffix", ["bin", "book", "abk"])
def test_command_grows_and_goes_on(store: Path, tmp_path: Path, suffix: str) -> None:
    book = tmp_path / f"g.{suffix}"
    words = ("book", "grow", store, "-o", book, "--engine", command(tmp_path / "log"), "--nodes", 5, "-q")
    first = run(*words, "--searches", 40, "--min-games", 1, "--own-loss", 300, "--json")
    assert first.code == 0, first.err
    facts = json.loads(first.out)
    assert facts["positions"] >= 40
    assert len(open_book(book, game="chess").choices(Position("chess"))) >= 1
    again = run(*words, "--searches", 0, "--min-games", 1, "--own-loss", 300, "--json", "--force")
    resumed = json.loads(again.out)
    assert (resumed["resumed"], resumed["searched"]) == (facts["positions"], 0)
    assert resumed["written"] == facts["written"]
    more = json.loads(run(*words, "--searches", 50, "--min-games", 1, "--json", "--force").out)
    assert more["searches"] == 50
    assert more["positions"] > facts["positions"]


def test_evaluations_are_not_searched_again(store: Path, tmp_path: Path) -> None:
    engine = command(tmp_path / "log")
    evals = tmp_path / "a.evals"
    ran = run("evaluate", store, "-o", evals, "--engine", engine, "--min-games", 1, "--nodes", 50, "-q")
    assert ran.code == 0, ran.err
    before = len((tmp_path / "log").read_text().splitlines())
    words = (
        "book",
        "grow",
        store,
        "-o",
        tmp_path / "g.bin",
        "--engine",
        engine,
        "--nodes",
        5,
        "-q",
        "--json",
    )
    facts = json.loads(run(*words, "--searches", 30, "--min-games", 1, "--evals", evals).out)
    assert facts["known"] > 3
    assert len((tmp_path / "log").read_text().splitlines()) - before == facts["searched"]


def test_xiangqi_grows_with_mirrors_folded(tmp_path: Path) -> None:
    tags = '[Game "Chinese Chess"]\n[Format "ICCS"]\n[Result "1-0"]\n'
    lines = ("H2-E2 H9-G7", "B2-E2 B9-C7", "H2-E2 B9-C7")
    (tmp_path / "x.pgn").write_text("".join(f"{tags}\n1. {line} 1-0\n\n" for line in lines))
    store = Tally.from_archives(tmp_path / "x.pgn", game="xiangqi").save(tmp_path / "x.store")
    words = ("book", "grow", store, "-o", tmp_path / "x.dat", "--nodes", 5, "--min-games", 1, "-q", "--json")
    ran = run(*words, "--engine", command(tmp_path / "log", "xiangqi"), "--searches", 60, "--own-loss", 300)
    assert ran.code == 0, ran.err
    asked = [line.split(" ", 1)[1] for line in (tmp_path / "log").read_text().splitlines()]
    places = [Position("xiangqi", fen).stored(True) for fen in asked]
    assert len(places) == len(set(places))
    start = Position("xiangqi")
    assert open_book(tmp_path / "x.dat", game="xiangqi").choices(start)
