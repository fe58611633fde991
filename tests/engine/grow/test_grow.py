"""A book that grows: values, costs and weights by hand, kills, and the command."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.cli_runner import run
from support.scripted_judge import best_of, command, score_of

from bookbuilder import Position, Tally
from bookbuilder.book.open import open_book
from bookbuilder.book.play import TallyMoves
from bookbuilder.engine.drivers.spec import ThinkLimit, parse_engine
from bookbuilder.engine.grow.book import grown_book
from bookbuilder.engine.grow.growth import GrowOptions, Growth, grow
from bookbuilder.engine.grow.tree import GrowingTree, Order
from bookbuilder.errors import EvalsError
from bookbuilder.tally.store.reading import OpenStore

GAMES = ["1. e4 e5 2. Nf3 Nc6", "1. e4 e5 2. Nf3 Nf6", "1. e4 c5 2. Nf3 d6", "1. d4 d5 2. c4 e6"]


def after(line: str) -> Position:
    """The position after moves."""
    here = Position("chess")
    for move in line.split():
        here = here.play(here.parse_move(move))
    return here


def tree_of(
    scores: dict[str, float], shares: dict[str, float] | None = None, order: Order = "drop-out"
) -> GrowingTree:
    """A tree of lines, each searched; the engine's moves are unknown."""
    tree = GrowingTree(Position("chess"), scores[""], None, fold=False, order=order)
    for line in sorted(scores, key=lambda line: len(line.split())):
        *before, move = line.split() or [""]
        if move:
            parent = tree.number_of(after(" ".join(before)))
            assert parent is not None
            number = tree.add(after(line), len(before) + 1, scores[line], None)
            code = after(" ".join(before)).parse_move(move)
            tree.link(parent, code, number, (shares or {}).get(line, 0.0))
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


def test_values_are_backed_up_with_the_engines_move_as_a_floor() -> None:
    tree = tree_of({"": 20, "e2e4": -30, "d2d4": 10, "e2e4 e7e5": 45})
    all_again(tree)
    # The engine's move after 1. e4 is unknown, so its −30 stand for Black, who has 1… e5 at −45 too.
    assert [node.value for node in tree.nodes] == [30, -30, 10, 45]
    tree.nodes[1].best = after("e2e4").parse_move("e7e5")
    tree.nodes[0].best = Position("chess").parse_move("e2e4")
    all_again(tree)
    assert [node.value for node in tree.nodes] == [45, -45, 10, 45]


def test_opponent_leaves_where_it_costs_least() -> None:
    lines = {"": 20, "e2e4": -20, "e2e4 e7e5": 20, "e2e4 a7a6": 60, "e2e4 c7c5": 25}
    tree = tree_of(lines, {"e2e4 e7e5": 0.5, "e2e4 a7a6": 0.01, "e2e4 c7c5": 0.4})
    expand(tree, "", 0, 1)
    expand(tree, "e2e4", 0)
    all_again(tree)
    # White's book ends first after 1. e4 e5: two plies and no loss. 1… c5 costs 5, 1… a6 40.
    assert tree.nodes[0].cost[0] == 2 * 2
    chosen = tree.cheapest(0)
    assert tree.nodes[chosen or 0].position.key == after("e2e4 e7e5").key
    tree.nodes[chosen or 0].is_pending = True
    tree.refresh([chosen or 0])
    assert tree.nodes[0].cost[0] == 2 * 2 + 5
    expand(tree, "e2e4 e7e5", 0)
    expand(tree, "e2e4 c7c5", 0)
    all_again(tree)
    assert tree.nodes[0].cost[0] == 2 * 2 + 40
    # For Black's book, 1. e4 is open.
    assert tree.nodes[0].cost[1] == 2
    assert tree.nodes[tree.cheapest(1) or 0].position.key == after("e2e4").key


def test_by_reach_common_replies_come_first_one_by_one() -> None:
    lines = {"": 20, "e2e4": -20, "d2d4": -10, "e2e4 e7e5": 20}
    tree = tree_of(lines, {"e2e4": 0.5, "d2d4": 0.5, "e2e4 e7e5": 0.4}, "reach")
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


def test_book_keeps_what_its_owner_may_lose_and_counts_lines() -> None:
    lines = {"": 30, "e2e4": -30, "d2d4": -25, "a2a3": 10, "e2e4 e7e5": 30, "e2e4 c7c5": 40, "d2d4 d7d5": 25}
    tree = tree_of(lines)
    for line in ("", "e2e4", "d2d4"):
        expand(tree, line, 0, 1)
    all_again(tree)
    book = grown_book(tree, own_loss=10, scale=10)
    start = Position("chess")
    rows = {
        start.coordinates(row["move"]): row["weight"]
        for row in book.table.to_pylist()
        if row["key"] == start.key
    }
    # 1. a3 loses 40. 1. e4 has two ends of lines, of which one costs Black 10; 1. d4 has one and loses 5.
    assert set(rows) == {"e2e4", "d2d4"}
    assert rows["e2e4"] == 65535
    assert rows["d2d4"] / 65535 == pytest.approx(math.exp(-0.5) / (1 + math.exp(-1)), abs=0.001)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A small store."""
    (tmp_path / "a.pgn").write_text("\n\n".join(f'[Result "*"]\n\n{game} *' for game in GAMES))
    return Tally.from_archives(tmp_path / "a.pgn").save(tmp_path / "a.store")


class _KilledError(Exception):
    """The run ends here."""


def grown(
    store: Path,
    log: Path,
    searches: int,
    *,
    kill_at: int = 0,
    fault: str = "",
    jobs: int = 1,
    order: Order = "drop-out",
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
        GrowOptions(searches=searches, nodes=10, min_games=1, order=order, jobs=jobs),
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
    before = [(node.value, *node.cost) for node in tree.nodes]
    all_again(tree)
    assert [(node.value, *node.cost) for node in tree.nodes] == before


def test_growth_by_reach_looks_at_all_replies_of_the_archive(store: Path, tmp_path: Path) -> None:
    tree = grown(store, tmp_path / "g", 150, order="reach").tree
    for line in ("e2e4 e7e5", "e2e4 c7c5"):
        assert tree.number_of(after(line)) is not None
    before = [(node.value, *node.cost) for node in tree.nodes]
    all_again(tree)
    assert [(node.value, *node.cost) for node in tree.nodes] == before
    replies = tree.nodes[tree.number_of(after("e2e4")) or 0]
    # Both replies and the engine's; Black's own look at it is one.
    assert replies.unseen == [0.0, 0.0]
    assert replies.looked[0] == 2 + (best_of(replies.position) not in ("e7e5", "c7c5"))
    assert replies.looked[1] == 1


@pytest.mark.parametrize("order", ["drop-out", "reach"])
def test_killed_growth_resumes_to_the_same_bytes(store: Path, tmp_path: Path, order: Order) -> None:
    grown(store, tmp_path / "whole", 60, order=order)
    whole = (tmp_path / "whole").read_bytes()
    for step in (10, 17, 40, 60):
        path = tmp_path / f"killed{step}"
        with pytest.raises(_KilledError):
            grown(store, path, 60, kill_at=step, order=order)
        again = grown(store, path, 60, order=order)
        assert path.read_bytes() == whole
        # A batch is searched again at most, and a run that has all its searches makes none.
        assert again.searched <= 60 - step + 22
        assert grown(store, path, 60, order=order).searched == 0


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
