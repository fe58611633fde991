"""Grow a tree: expand the cheapest open positions of both owners, with the archive as seed.

To expand a position is to search what may come next: where its owner is to move, the engine's move and the
moves that many games played; where the opponent is, one more reply, the most played first. Several
positions are expanded together, so several engines work at the same time.

The log is a journal (`bookbuilder.journal`) with a line for each batch of expansions: the number of searches,
the new positions (`[before, move, score, best move, share]`), further moves to known positions
(`[before, move, after, share]`), and what was expanded (`[position, owner, share of the next move]`).
Positions are numbered in the order of the log; 0 is the start position, which the first line is about. A run
that is resumed repeats at most one batch. It ends where an undisturbed run ends: with the number of searches
that was asked.
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
from bookbuilder.engine.drivers.workers import Progress, Question, Workers
from bookbuilder.engine.grow.tree import OWNERS, GrowingTree, Grown
from bookbuilder.errors import EvalsError, MoveError
from bookbuilder.evals.loss import MOST_CENTIPAWNS
from bookbuilder.evals.table import Evals
from bookbuilder.evals.words import final_score
from bookbuilder.games.position import Game
from bookbuilder.journal import Journal

_MOST_OWN: Final = 4
_MOST_REPLIES: Final = 12
# Every second search is of a reply, and alternatives of the owner must be common to be worth one.
_OWN_SHARE: Final = 0.15
# Searches that are asked for at a time, for each engine: none waits long for the slowest one.
_BATCH: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowOptions:
    """How a book grows."""

    searches: int = 1000  # number of searches of the log, with those of earlier runs
    nodes: int = 50_000  # nodes of each
    min_games: int = 3  # games of a move of the archive, at least
    max_ply: int = 60  # longest line, in plies
    jobs: int = 1  # number of engines


class _Wanted(NamedTuple):
    """A move to follow: its position, text, code and share, and where it leads."""

    before: int
    move: str
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
    """Grow a tree from the moves of an archive, or go on with the one of a log.

    The limit of the engine is not used. With `fold`, left-right mirrors are one position. `seed` tells the
    archive from others, and known evaluations are not made again.

    Raises:
        OptionError: the engine cannot be used.
        PlayerFault: the engine fails at the start position, or at one position after the other.
        EvalsError: the log is damaged, or that of another engine, game or archive.
        OSError: the log cannot be written.
    """
    with Workers(spec, game, jobs=options.jobs) as workers:
        title, network = workers.introduction()
        identity = {
            "game": game,
            "fold": fold,
            "engine": title,
            "network": network,
            "options": spec.options,
            "nodes": options.nodes,
            "archive": seed,
        }
        with Journal(log, {"growth": identity}) as journal:
            start, rows, is_new = Position(game), list(journal.rows), not journal.rows
            if is_new:
                (answer,) = workers.ask([Question(0, start, options.nodes)])
                if answer.reply is None:
                    raise PlayerFault(answer.reason)
                best = None if answer.reply.code is None else start.coordinates(answer.reply.code)
                rows.append({"searched": 1, "score": _limited(answer.reply.score_cp), "best": best})
                journal.append(rows[0])
            try:
                tree = GrowingTree(start, rows[0]["score"], _code(start, rows[0]["best"]), fold=fold)
                values = _by_place(known, options.nodes)
                growth = Growth(archive, options, values, tree, title, network, journal.note)
                growth.begin(0)
                for row in rows[1:]:
                    growth.apply(row)
                growth.total, growth.searched = sum(row["searched"] for row in rows), int(is_new)
            except (IndexError, KeyError, TypeError, ValueError, MoveError) as error:
                raise EvalsError(f"{log}: not the log of a book that grows: {error}") from error
            growth.resumed = 0 if is_new else len(tree.nodes)
            tree.refresh(list(range(len(tree.nodes))))
            with progress("positions searched", options.searches) as report:
                growth.run(workers, journal, report)
    return growth


@dataclass(slots=True)
class Growth:
    """A tree that grows, and what was done."""

    archive: MoveSource
    options: GrowOptions
    values: dict[tuple[int, int], tuple[int, int]]  # known values and best moves, by position
    tree: GrowingTree
    engine: str  # name and version of the engine
    network: str | None  # its network; None = unknown
    note: str  # what was lost at the end of the log; empty: nothing
    total: int = 0  # searches of the log
    searched: int = 0  # searches of this run
    known: int = 0  # positions of this run whose values were known
    resumed: int = 0  # positions that the log had
    expanded: list[int] = field(default_factory=lambda: [0, 0])  # expansions of this run, by owner
    # FEN and reason of each search of this run that failed.
    failed: list[tuple[str, str]] = field(default_factory=list)
    next_owner: int = 0  # whose position is expanded next

    def apply(self, row: dict[str, Any]) -> None:
        """Add the content of a line of the log to the tree."""
        tree = self.tree
        for before, move, score, best, share in row["positions"]:
            node = tree.nodes[before]
            code = node.position.parse_move(move)
            after = node.position.play(code)
            number = tree.add(after, node.ply + 1, score, _code(after, best))
            self.begin(number)
            tree.link(before, code, number, share)
        for before, move, number, share in row["links"]:
            tree.link(before, tree.nodes[before].position.parse_move(move), number, share)
        for number, owner, unseen in row["expanded"]:
            tree.look(number, owner, unseen)
            self.next_owner = 1 - owner

    def begin(self, number: int) -> None:
        """Say that a position where the opponent is to move is as far away as its most played move."""
        node = self.tree.nodes[number]
        owner = 1 - node.position.side
        if node.position.verdict is None:
            self.tree.begin_at(number, owner, self._share(node, owner, 0))

    def _share(self, node: Grown, owner: int, place: int) -> float:
        """Return the share of a move that is worth a look, by its place; 0: there are fewer."""
        return sum(share for _, share in self._choices(node, owner)[place : place + 1])

    def run(self, workers: Workers, journal: Journal, report: Callable[[int], None]) -> None:
        """Expand positions until the searches are used up, or no position is open."""
        while self.total < self.options.searches and (chosen := self._choose()):
            row = self._searched(chosen, workers, report)
            journal.append(row)
            self.apply(row)
            self.total += row["searched"]
            self.searched += row["searched"]
            for _, owner, _ in row["expanded"]:
                self.expanded[owner] += 1
            numbers = [number for number, *_ in chosen]
            for number in numbers:
                self.tree.nodes[number].is_pending = False
            self.tree.refresh(numbers)

    def _choose(self) -> list[tuple[int, int, list[_Wanted]]]:
        """Return the next positions with owners and moves: enough for all engines; they become pending."""
        tree, chosen, wanted = self.tree, list[tuple[int, int, list[_Wanted]]](), 0
        for turn in range(_BATCH * self.options.jobs):
            of = (self.next_owner + turn) % len(OWNERS)
            number = tree.cheapest(of)
            if number is None:
                continue
            node, here = tree.nodes[number], tree.nodes[number].position
            node.is_pending = True
            tree.refresh([number])
            choices = self._choices(node, of)
            if here.side != of:
                choices = choices[node.looked[of] :][:1]
            moves = [
                _Wanted(number, here.coordinates(code), code, share, here.play(code))
                for code, share in choices
            ]
            chosen.append((number, of, moves))
            wanted += len(moves)
            if wanted >= _BATCH * self.options.jobs:
                break
        return chosen

    def _choices(self, node: Grown, owner: int) -> list[tuple[int, float]]:
        """Return the moves that are worth a look and their shares, the most played first."""
        if node.ply >= self.options.max_ply:
            return []
        is_own = node.position.side == owner
        choices = self.archive.choices(node.position)
        total = sum(choice.weight for choice in choices)
        least, most = (_OWN_SHARE, _MOST_OWN) if is_own else (0.0, _MOST_REPLIES)
        found = [
            (choice.code, choice.weight / total)
            for choice in choices[:most]
            if choice.weight >= max(self.options.min_games, least * total)
        ]
        if node.best is not None and node.best not in (code for code, _ in found):
            games = next((choice.weight for choice in choices if choice.code == node.best), 0)
            # A move that no game played is as likely as half of one game more.
            share = games / total if games else 0.5 / (total + 1)
            found.append((node.best, share))
        return found

    def _searched(
        self,
        chosen: Sequence[tuple[int, int, list[_Wanted]]],
        workers: Workers,
        report: Callable[[int], None],
    ) -> dict[str, Any]:
        """Search what expansions look at, and return the line of the log.

        An expansion for which no search is left stays open; what was searched of it is kept.
        """
        tree = self.tree
        first: dict[tuple[int, int], _Wanted] = {}
        for move in (move for *_, moves in chosen for move in moves):
            if tree.number_of(move.after) is None:
                first.setdefault(move.after.stored(tree.fold), move)
        answers, questions = dict[tuple[int, int], tuple[int, int | None]](), list[Question]()
        for place, move in first.items():
            if move.after.verdict is not None:
                answers[place] = final_score(move.after, MOST_CENTIPAWNS), None
            elif place in self.values:
                self.known += 1
                score, stored = self.values[place]
                codes = {move.after.stored_move(code, tree.fold): code for code in move.after.moves()}
                answers[place] = score, codes.get(stored)
            else:
                questions.append(Question(len(questions), move.after, self.options.nodes))
        left = self.options.searches - self.total
        unasked = {each.position.stored(tree.fold) for each in questions[left:]}
        for done, answer in enumerate(workers.ask(questions[:left]) if questions else (), start=1):
            report(self.total + done)
            position, reply = answer.question.position, answer.reply
            if reply is None:
                self.failed.append((position.fen, answer.reason))
            else:
                answers[position.stored(tree.fold)] = _limited(reply.score_cp), reply.code
        numbers: dict[tuple[int, int], int] = {}
        positions: list[list[Any]] = []
        for place, move in first.items():
            if place in answers:
                numbers[place] = len(tree.nodes) + len(positions)
                score, best = answers[place]
                text = None if best is None else move.after.coordinates(best)
                positions.append([move.before, move.move, score, text, move.share])
        links, expanded = list[list[Any]](), list[list[Any]]()
        for number, owner, moves in chosen:
            node, places = tree.nodes[number], [move.after.stored(tree.fold) for move in moves]
            for place, move in zip(places, moves, strict=True):
                after = numbers.get(place, tree.number_of(move.after))
                if after is not None and move.code not in node.branches and first.get(place) is not move:
                    links.append([number, move.move, after, move.share])
            if unasked.isdisjoint(places):
                unseen = 0.0
                if node.position.side != owner:
                    unseen = self._share(node, owner, node.looked[owner] + 1)
                expanded.append([number, owner, unseen])
        return {
            "searched": min(left, len(questions)),
            "positions": positions,
            "links": links,
            "expanded": expanded,
        }


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


def _code(position: Position, move: str | None) -> int | None:
    return None if move is None else position.parse_move(move)


def _limited(score: int | None) -> int:
    return max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, score or 0))
