"""Evaluate the positions of a plan, and search doubtful moves longer.

First every position is searched. The loss of a move is then the value of the position before it plus the
value of the position after it, each for the side to move there; the engine's own move loses nothing. If the
engine overrates the side to move, that is subtracted (`bookbuilder.evals.loss`). The positions around a move
that seems to lose more than half of a limit are searched again, with four times the nodes of the longer one
of their first searches. So a veto rests on two searches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bookbuilder.engine.drivers.spec import EngineSpec
from bookbuilder.engine.drivers.workers import Answer, Engines, Progress, Question, open_workers
from bookbuilder.engine.evaluate.plan import Plan, PlannedMove
from bookbuilder.errors import EvalsError
from bookbuilder.evals.loss import CONFIRMING, is_refuted, losses
from bookbuilder.evals.table import Evals, Valued, merge_evals
from bookbuilder.games.position import Game
from bookbuilder.journal import Journal
from bookbuilder.schema import EVALS

__all__ = ["EvaluateOptions", "Evaluated", "LosingMove", "evaluate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
    """How positions are evaluated.

    Attributes:
        nodes: nodes for the least reached position.
        verify_cp: a move that loses more than half of this is searched again; None: none.
        jobs: number of engines.
        cluster: address of a Dask scheduler, or `local`, where the engines are; None = they are here.
    """

    nodes: int = 50_000
    verify_cp: int | None = 60
    jobs: int = 1
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class LosingMove:
    """A move that loses centipawns.

    Attributes:
        move: the move.
        loss_cp: its loss.
        best: code of the engine's move; None: unknown.
    """

    move: PlannedMove
    loss_cp: int
    best: int | None


@dataclass(slots=True)
class Evaluated:
    """What was done.

    Attributes:
        evals: all evaluations, with those from before.
        engine: name and version of the engine.
        network: its network; None: it names none.
        searched: number of searches made.
        known: number of searches that were known before.
        failed: FEN and reason of each position that could not be evaluated.
        compared: number of moves with both positions evaluated.
        losing: moves that lose more than the limit by both searches, the worst first.
    """

    evals: Evals
    engine: str
    network: str | None
    searched: int = 0
    known: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    compared: int = 0
    losing: list[LosingMove] = field(default_factory=list)


def evaluate(
    plan: Plan,
    game: Game,
    spec: EngineSpec,
    options: EvaluateOptions,
    *,
    known: Evals | None,
    journal: Path,
    progress: Progress,
) -> Evaluated:
    """Return the evaluations of a plan, together with the known ones.

    Args:
        plan: the positions and moves.
        game: the game.
        spec: the engine; its limit is not used.
        options: how.
        known: evaluations that need not be made again.
        journal: the file from which an interrupted run resumes; the caller removes it when all is written.
        progress: shows progress.

    Raises:
        OptionError: the engine cannot be used.
        PlayerFault: the engine fails at one position after the other.
        EvalsError: the journal is that of another engine or game.
        OSError: the journal cannot be written.
    """
    with open_workers(spec, game, jobs=options.jobs, cluster=options.cluster) as workers:
        title, network = workers.introduction()
        named = {"game": game, "fold": plan.fold, "engine": title, "network": network}
        head = {"evaluation": {**named, "options": spec.options}}
        before = known or Evals.empty(game, fold=plan.fold)
        with Journal(journal, head) as written:
            try:
                rows = pa.Table.from_pylist(written.rows, schema=EVALS)
            except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
                raise EvalsError(f"{journal}: damaged, a line is not that of a search: {error}") from error
            resumed = Evals.of(rows, game, fold=plan.fold)
            run = _Run(plan, workers, Evaluated(merge_evals([before, resumed]), title, network))
            first = [plan.nodes(number, options.nodes) for number in range(len(plan.targets))]
            run.search(enumerate(first), written, progress, "positions evaluated")
            if options.verify_cp is not None:
                again = run.doubtful(options.verify_cp)
                run.search(again.items(), written, progress, "positions searched longer")
    compare_moves(plan, run.done, options.verify_cp)
    return run.done


@dataclass(slots=True)
class _Run:
    """A run in progress."""

    plan: Plan
    workers: Engines
    done: Evaluated

    def search(
        self, wanted: Iterable[tuple[int, int]], journal: Journal, progress: Progress, what: str
    ) -> None:
        """Make searches that are not known yet, given by position and nodes."""
        targets, questions = self.plan.targets, list[Question]()
        has = self._known_searches()
        for number, nodes in wanted:
            target = targets[number]
            if target.position.verdict is not None:
                continue
            if (target.key, target.lock, f"nodes={nodes}") in has:
                self.done.known += 1
            else:
                questions.append(Question(number, target.position, nodes))
        if not questions:
            return
        rows: list[dict[str, Any]] = []
        with progress(what, len(questions)) as report:
            for count, answer in enumerate(self.workers.ask(questions), start=1):
                report(count)
                if answer.reply is None:
                    self.done.failed.append((answer.question.position.fen, answer.reason))
                    continue
                row = self._row(answer)
                journal.append(row)
                rows.append(row)
        self.done.searched += len(rows)
        new = Evals.of(pa.Table.from_pylist(rows, schema=EVALS), self.done.evals.game, fold=self.plan.fold)
        self.done.evals = merge_evals([self.done.evals, new])

    def _known_searches(self) -> set[tuple[int, int, str]]:
        """Return position and limit of every search that this engine made."""
        rows = self.done.evals.table.select(["key", "lock", "engine", "network", "limit"]).to_pylist()
        mine = (self.done.engine, self.done.network)
        return {
            (row["key"], row["lock"], row["limit"]) for row in rows if (row["engine"], row["network"]) == mine
        }

    def _row(self, answer: Answer) -> dict[str, Any]:
        question, reply = answer.question, answer.reply
        assert reply is not None
        target, best = self.plan.targets[question.number], None
        if reply.code is not None:
            best = target.position.stored_move(reply.code, self.plan.fold)
        return {
            "key": target.key,
            "lock": target.lock,
            "engine": self.done.engine,
            "network": self.done.network,
            "limit": f"nodes={question.nodes}",
            "depth": reply.depth,
            # What engines report is a little more, or that of the last finished iteration.
            "nodes": question.nodes,
            "score": reply.score_cp,
            "best": best,
        }

    def doubtful(self, limit_cp: int) -> dict[int, int]:
        """Return positions to search again, with nodes: those around moves that seem to lose much."""
        valued, moves = _valued(self.plan, self.done.evals), self.plan.moves
        loss = _losses(self.plan, valued, is_first=True)
        again: dict[int, int] = {}
        for move, lost in zip(moves, loss.tolist(), strict=True):
            if lost > limit_cp / 2:
                ends = (move.before, move.after)
                nodes = CONFIRMING * max(int(valued.first_nodes[end]) for end in ends)
                again |= {end: max(nodes, again.get(end, 0)) for end in ends}
        return again


def imported(plan: Plan, new: Evals, engine: str, *, known: Evals | None, limit_cp: int | None) -> Evaluated:
    """Return evaluations that were made elsewhere, together with the known ones.

    Args:
        plan: the positions and moves.
        new: the evaluations.
        engine: the name of their engine.
        known: evaluations to add to.
        limit_cp: moves that lose more are listed; None: none.
    """
    done = Evaluated(new if known is None else merge_evals([known, new]), engine, None, searched=len(new))
    compare_moves(plan, done, limit_cp)
    return done


def compare_moves(plan: Plan, done: Evaluated, limit_cp: int | None) -> None:
    """Compare the moves of a plan, and list those that lose more than the limit by both searches."""
    valued = _valued(plan, done.evals)
    loss, first = (_losses(plan, valued, is_first=each) for each in (False, True))
    done.compared = int(np.count_nonzero(~np.isnan(loss)))
    if limit_cp is None:
        return
    for number in np.flatnonzero(is_refuted(loss, first, limit_cp)).tolist():
        move = plan.moves[number]
        here, stored = plan.targets[move.before].position, int(valued.best[move.before])
        codes = {here.stored_move(code, plan.fold): code for code in here.moves()}
        done.losing.append(LosingMove(move, round(loss[number]), codes.get(stored)))
    done.losing.sort(key=lambda each: (-each.loss_cp, each.move))


def _valued(plan: Plan, evals: Evals) -> Valued:
    """Return the evaluations of a plan's positions."""
    key = np.array([target.key for target in plan.targets], np.uint64)
    return evals.values(key, np.array([target.lock for target in plan.targets], np.uint32))


def _losses(plan: Plan, valued: Valued, *, is_first: bool) -> Any:  # noqa: ANN401 (an array)
    """Return the loss of each move of a plan."""
    before, after = (np.array([move[end] for move in plan.moves], np.int64) for end in (0, 2))
    codes = [plan.targets[move.before].position.stored_move(move.code, plan.fold) for move in plan.moves]
    return losses(valued, before, after, np.array(codes, np.uint16), is_first=is_first)
