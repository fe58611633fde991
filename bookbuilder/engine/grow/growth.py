"""Grow a tree: expand the cheapest open positions of both owners, with the archive as seed.

To expand a position is to search what may come next: where its owner is to move, the engine's move and the
moves that many games played; where the opponent is, also what fewer games played. By reach, an opponent's
moves are searched one by one, the most played first. Positions that are being searched are skipped, so
several engines work at the same time. Every answer is in the log before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from bookbuilder._core import Position
from bookbuilder.book.play import MoveSource
from bookbuilder.columns import values
from bookbuilder.engine.drivers.player import PlayerFault
from bookbuilder.engine.drivers.spec import EngineSpec
from bookbuilder.engine.drivers.workers import Engines, Progress, Question, open_workers
from bookbuilder.engine.grow.log import EXPANDED, MOVE, POSITION, Fact, GrowthLog, stored_share
from bookbuilder.engine.grow.tree import OWNERS, GrowingTree, Grown, Order
from bookbuilder.errors import EvalsError
from bookbuilder.evals.loss import MOST_CENTIPAWNS
from bookbuilder.evals.table import Evals
from bookbuilder.games.position import Game

__all__ = ["GrowOptions", "Growth", "grow"]

_OWN_SHARE: Final = 0.05
_REPLY_SHARE: Final = 0.02
_MOST_OWN: Final = 4
_MOST_REPLIES: Final = 12
# By reach, every second search is of a reply, and alternatives of the owner must be common to be worth one.
_REACH_OWN_SHARE: Final = 0.15
# Searches that are asked for at a time, for each engine: none waits long for the slowest one.
_BATCH: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowOptions:
    """How a book grows.

    Attributes:
        searches: number of searches that this run may make.
        nodes: nodes of each.
        min_games: games of a move of the archive, at least.
        max_ply: longest line, in plies.
        order: which position is expanded next.
        jobs: number of engines.
        cluster: address of a Dask scheduler, or `local`, where the engines are; None = they are here.
    """

    searches: int = 1000
    nodes: int = 50_000
    min_games: int = 3
    max_ply: int = 60
    order: Order = "reach"
    jobs: int = 1
    cluster: str | None = None


@dataclass(slots=True)
class Growth:
    """A tree, and what was done.

    Attributes:
        tree: the tree.
        engine: name and version of the engine.
        network: its network; None = unknown.
        searched: searches of this run.
        known: positions that the evaluations knew.
        resumed: positions that the log had.
        expanded: expansions of this run, by owner.
        failed: FEN and reason of each search that failed.
    """

    tree: GrowingTree
    engine: str
    network: str | None = None
    searched: int = 0
    known: int = 0
    resumed: int = 0
    expanded: list[int] = field(default_factory=lambda: [0, 0])
    failed: list[tuple[str, str]] = field(default_factory=list)


class _Wanted(NamedTuple):
    """A move to follow: its position, code and share, and where it leads."""

    before: int
    code: int
    share: float
    after: Position


def grow(
    archive: MoveSource,
    game: Game,
    spec: EngineSpec,
    options: GrowOptions,
    *,
    fold: bool,
    seed: str,
    known: Evals | None,
    log: Path,
    progress: Progress,
) -> Growth:
    """Grow a tree, or go on with one.

    Args:
        archive: the moves of the archive, by games.
        game: the game.
        spec: the engine; its limit is not used.
        options: how.
        fold: whether left-right mirrors are one position.
        seed: what tells the archive from others.
        known: evaluations that need not be made again.
        log: the file from which an interrupted run resumes.
        progress: shows progress.

    Raises:
        OptionError: the engine cannot be used.
        PlayerFault: the engine fails at the start position, or at one position after the other.
        EvalsError: the log is damaged, or that of another engine, game or archive.
        OSError: the log cannot be written.
    """
    with open_workers(spec, game, jobs=options.jobs, cluster=options.cluster) as workers:
        title, network = workers.introduction()
        identity: dict[str, Any] = {"game": game, "fold": fold, "engine": title, "network": network}
        identity |= {
            "options": [list(pair) for pair in spec.options],
            "nodes": options.nodes,
            "order": options.order,
            "archive": seed,
        }
        with GrowthLog(log, identity) as written:
            grower = _Grower(archive, game, workers, options, fold, known, written)
            grower.resume(title)
            with progress("positions searched", options.searches) as report:
                grower.run(report)
    grower.growth.network = network
    return grower.growth


class _Grower:
    """A run in progress."""

    growth: Growth

    def __init__(
        self,
        archive: MoveSource,
        game: Game,
        workers: Engines,
        options: GrowOptions,
        fold: bool,
        known: Evals | None,
        log: GrowthLog,
    ) -> None:
        self._archive, self._game, self._workers, self._options = archive, game, workers, options
        self._fold, self._log = fold, log
        self._known = _by_place(known, options.nodes)
        # Answers of an expansion that was not finished, and the owner whose turn it is.
        self._answered: dict[tuple[int, int], tuple[int, int | None]] = {}
        self._next = 0

    def resume(self, engine: str) -> None:
        """Read the log, or begin one with the start position."""
        facts = list(self._log.facts())
        # Expansions are part of the tree when all that were chosen together are finished.
        ends = (place + 1 for place, fact in enumerate(facts) if fact.kind == EXPANDED and not fact.code)
        done = max(ends, default=1)
        finished, rest = facts[:done], facts[done:]
        if not finished:
            self.growth = Growth(self._begin(), engine)
            return
        root = finished[0]
        tree = self._root(root.score, root.best or None)
        for fact in finished[1:]:
            self._replay(tree, fact)
        self.growth = Growth(tree, engine, resumed=len(tree.nodes))
        self._next = 1 - finished[-1].owner if finished[-1].kind == EXPANDED else 0
        for fact in rest:
            if fact.kind == POSITION and fact.before < len(tree.nodes):
                place = tree.nodes[fact.before].position.play(fact.code).stored(self._fold)
                self._answered[place] = (fact.score, fact.best or None)
        self._log.take_back(len(rest))
        tree.refresh(list(range(len(tree.nodes))))

    def _replay(self, tree: GrowingTree, fact: Fact) -> None:
        try:
            if fact.kind == EXPANDED:
                tree.look(fact.before, fact.owner, fact.share)
                return
            before = tree.nodes[fact.before]
            after = fact.after
            if fact.kind == POSITION:
                position = before.position.play(fact.code)
                after = tree.add(position, before.ply + 1, fact.score, fact.best or None)
                self._open(tree, after)
            tree.link(fact.before, fact.code, after, fact.share)
        except (IndexError, ValueError) as error:
            raise EvalsError(f"{self._log.path}: damaged: {error}") from error

    def _begin(self) -> GrowingTree:
        start = Position(self._game)
        (answer,) = self._workers.ask([Question(0, start, self._options.nodes)])
        if answer.reply is None:
            raise PlayerFault(answer.reason)
        score, best = _limited(answer.reply.score_cp), answer.reply.code
        self._log.append(Fact(POSITION, score=score, best=best or 0))
        return self._root(score, best)

    def _root(self, score: int, best: int | None) -> GrowingTree:
        tree = GrowingTree(Position(self._game), score, best, fold=self._fold, order=self._options.order)
        self._open(tree, 0)
        return tree

    def _open(self, tree: GrowingTree, number: int) -> None:
        """By reach, a position where the opponent is to move is as far away as its most played move."""
        node = tree.nodes[number]
        owner = 1 - node.position.side
        if self._is_stepwise(node, owner) and node.position.verdict is None:
            tree.begin_at(number, owner, _share_at(self._choices(node, owner), 0))

    def _is_stepwise(self, node: Grown, owner: int) -> bool:
        """Return whether an expansion looks at one move only."""
        return self._options.order == "reach" and node.position.side != owner

    def run(self, report: Callable[[int], None]) -> None:
        """Expand positions until the searches are used up, or no position is open."""
        while self.growth.searched < self._options.searches and (chosen := self._choose()):
            self._expand(chosen, report)
            self._next = 1 - chosen[-1][1]

    def _choose(self) -> list[tuple[int, int]]:
        """Return the next positions with their owners: enough for all engines; they become pending."""
        tree, chosen, wanted = self.growth.tree, list[tuple[int, int]](), 0
        for turn in range(_BATCH * self._options.jobs):
            of = (self._next + turn) % len(OWNERS)
            number = tree.cheapest(of)
            if number is None:
                continue
            tree.nodes[number].is_pending = True
            tree.refresh([number])
            chosen.append((number, of))
            wanted += len(self._candidates(number, of))
            if wanted >= _BATCH * self._options.jobs:
                break
        return chosen

    def _candidates(self, number: int, owner: int) -> list[_Wanted]:
        """Return the moves that an expansion looks at."""
        node = self.growth.tree.nodes[number]
        choices = self._choices(node, owner)
        if self._is_stepwise(node, owner):
            choices = choices[node.looked[owner] :][:1]
        return [_Wanted(number, code, share, node.position.play(code)) for code, share in choices]

    def _choices(self, node: Grown, owner: int) -> list[tuple[int, float]]:
        """Return the moves that are worth a look and their shares, the most played first."""
        if node.ply >= self._options.max_ply:
            return []
        is_own, is_by_reach = node.position.side == owner, self._options.order == "reach"
        choices = self._archive.choices(node.position)
        total = sum(choice.weight for choice in choices)
        least, most = (_OWN_SHARE, _MOST_OWN) if is_own else (_REPLY_SHARE, _MOST_REPLIES)
        if is_by_reach:
            least = _REACH_OWN_SHARE if is_own else 0.0
        found = [
            (choice.code, stored_share(choice.weight / total))
            for choice in choices[:most]
            if choice.weight >= max(self._options.min_games, least * total)
        ]
        if node.best is not None and node.best not in (code for code, _ in found):
            games = next((choice.weight for choice in choices if choice.code == node.best), 0)
            # By reach, a move that no game played is as likely as half of one game more.
            share = 0.5 / (total + 1) if is_by_reach and not games else games / max(total, 1)
            found.append((node.best, stored_share(share)))
        return found

    def _expand(self, chosen: Sequence[tuple[int, int]], report: Callable[[int], None]) -> None:
        tree = self.growth.tree
        wanted = [move for number, owner in chosen for move in self._candidates(number, owner)]
        new: dict[tuple[int, int], _Wanted] = {}
        for move in wanted:
            if tree.number_of(move.after) is None:
                new.setdefault(move.after.stored(self._fold), move)
        self._search(list(new.values()), report)
        for move in wanted:
            self._link(move)
        for left, (number, owner) in zip(range(len(chosen) - 1, -1, -1), chosen, strict=True):
            self._look(number, owner, left)
        tree.refresh([number for number, _ in chosen])

    def _look(self, number: int, owner: int, left: int) -> None:
        """Say that a position is expanded, what is left to look at, and how many more are expanded now."""
        tree = self.growth.tree
        node, unseen = tree.nodes[number], 0.0
        if self._is_stepwise(node, owner):
            unseen = _share_at(self._choices(node, owner), node.looked[owner] + 1)
        tree.look(number, owner, unseen)
        self.growth.expanded[owner] += 1
        self._log.append(Fact(EXPANDED, owner, number, code=left, share=unseen))

    def _link(self, move: _Wanted) -> None:
        """Add a move to a position that is known by now."""
        tree = self.growth.tree
        after = tree.number_of(move.after)
        if after is not None and move.code not in tree.nodes[move.before].branches:
            self._log.append(Fact(MOVE, before=move.before, code=move.code, after=after, share=move.share))
            tree.link(move.before, move.code, after, move.share)

    def _search(self, moves: Sequence[_Wanted], report: Callable[[int], None]) -> None:
        """Search the positions after moves, and add them to the tree."""
        questions = []
        for number, move in enumerate(moves):
            if move.after.verdict is not None:
                self._add(move, _final_score(move.after), None)
            elif (found := self._evaluated(move.after)) is not None:
                self.growth.known += 1
                self._add(move, *found)
            else:
                questions.append(Question(number, move.after, self._options.nodes))
        if not questions:
            return
        for answer in self._workers.ask(questions):
            self.growth.searched += 1
            report(min(self.growth.searched, self._options.searches))
            if answer.reply is None:
                self.growth.failed.append((answer.question.position.fen, answer.reason))
                continue
            score = _limited(answer.reply.score_cp)
            self._add(moves[answer.question.number], score, answer.reply.code)

    def _add(self, move: _Wanted, score: int, best: int | None) -> None:
        tree = self.growth.tree
        ply = tree.nodes[move.before].ply + 1
        fact = Fact(POSITION, 0, move.before, move.code, 0, score, best or 0, move.share)
        self._log.append(fact)
        number = tree.add(move.after, ply, score, best)
        self._open(tree, number)
        tree.link(move.before, move.code, number, move.share)

    def _evaluated(self, position: Position) -> tuple[int, int | None] | None:
        """Return value and best move if they are known: from a killed run, or by enough nodes."""
        place = position.stored(self._fold)
        if place in self._answered:
            return self._answered[place]
        found = self._known.get(place)
        if found is None:
            return None
        codes = {position.stored_move(code, self._fold): code for code in position.moves()}
        return found[0], codes.get(found[1])


def _by_place(known: Evals | None, least_nodes: int) -> dict[tuple[int, int], tuple[int, int]]:
    """Return value and best move, as a table holds it, of the evaluations with enough nodes."""
    if known is None:
        return {}
    key, lock = (values(known.table.column(name).combine_chunks()) for name in ("key", "lock"))
    found = known.values(key, lock)
    enough = found.nodes >= least_nodes
    columns = (each[enough].tolist() for each in (key, lock, found.score, found.best))
    return {
        (place, lock_): (_limited(round(score)), best)
        for place, lock_, score, best in zip(*columns, strict=True)
    }


def _share_at(choices: Sequence[tuple[int, float]], place: int) -> float:
    """Return the share of a move of a list; 0 = the list has ended."""
    return choices[place][1] if place < len(choices) else 0.0


def _limited(score: int | None) -> int:
    return max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, score or 0))


def _final_score(position: Position) -> int:
    """Return the value of a position where the game is over, for the side to move."""
    is_lost = position.verdict == "mate" or (position.verdict == "stalemate" and position.game == "xiangqi")
    return -MOST_CENTIPAWNS if is_lost else 0
