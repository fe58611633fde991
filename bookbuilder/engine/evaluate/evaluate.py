"""Evaluate the positions of a plan, and search doubtful moves longer.

First every position is searched. The loss of a move is then the value of the position before it plus the
value of the position after it, each for the side to move there; the engine's own move loses nothing. If the
engine overrates the side to move, that is subtracted (`bookbuilder.evals.loss`). The positions around a move
that seems to lose more than half of a limit are searched again, with four times the nodes of the longer one
of their first searches. So a veto rests on two searches.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from bookbuilder.engine.drivers.player import PlayerFault
from bookbuilder.engine.drivers.spec import BUNDLED, EngineSpec, ThinkLimit, parse_engine
from bookbuilder.engine.drivers.workers import Progress, Question, Workers
from bookbuilder.engine.evaluate.plan import MOST_STEPS, Plan, PlannedMove, plan_tally
from bookbuilder.errors import EvalsError, OptionError
from bookbuilder.evals.loss import CONFIRMING, is_refuted, losses
from bookbuilder.evals.table import Evals, Valued, merge_evals
from bookbuilder.games.position import Game
from bookbuilder.journal import Journal
from bookbuilder.keywords import as_integer, require_kind
from bookbuilder.schema import EVALS
from bookbuilder.tally.tally import Tally
from bookbuilder.temporary import TemporaryFolder

# Of a limited time, this share is for the first searches; the rest is for doubtful moves.
_FIRST_SHARE: Final = 0.75


VERIFY_CP: Final = 60
"""Moves that lose more than half of these centipawns are searched again; moves that lose more are listed."""


@dataclass(frozen=True, slots=True)
class LosingMove:
    """A move that loses centipawns."""

    move: PlannedMove
    loss_cp: int  # its loss
    best: int | None  # code of the engine's move; None: unknown


@dataclass(slots=True)
class Evaluated:
    """What was done."""

    evals: Evals  # all evaluations, with those from before
    engine: str  # name and version of the engine
    network: str | None  # its network; None: it names none
    searched: int = 0  # number of searches made
    known: int = 0  # number of searches that were known before
    note: str = ""  # what was lost at the end of the journal of an interrupted run; empty: nothing
    # FEN and reason of each position that could not be evaluated.
    failed: list[tuple[str, str]] = field(default_factory=list)
    compared: int = 0  # number of moves with both positions evaluated
    # Moves that lose more than the limit by both searches, the worst first.
    losing: list[LosingMove] = field(default_factory=list)


def evaluate(
    plan: Plan,
    game: Game,
    engine: str | EngineSpec,
    *,
    nodes: int = 50_000,
    steps: int = MOST_STEPS,
    verify_cp: int | None = VERIFY_CP,
    jobs: int = 1,
    seconds: float | None = None,
    known: Evals | None = None,
    journal: Path | None = None,
    progress: Progress | None = None,
) -> Evaluated:
    """Return the evaluations of a plan, together with the known ones; see `evaluate_tally`.

    The most reached positions get 2 to the power of `steps` times the nodes. A move that loses more than half
    of `verify_cp` is searched again, unless it is None. An interrupted run resumes from the journal; the
    caller removes it when all is written.

    Raises:
        OptionError: the engine cannot be used.
        PlayerFault: the engine fails at one position after the other.
        EvalsError: the journal is that of another engine or game.
        OSError: the journal cannot be written.
    """
    if isinstance(engine, str):
        engine = parse_engine(engine, game, name=None, options=(), limit=ThinkLimit(nodes=nodes))
    with TemporaryFolder() as folder, Workers(engine, game, jobs=jobs) as workers:
        title, network = workers.introduction()
        named = {"game": game, "fold": plan.fold, "engine": title, "network": network}
        head = {"evaluation": named | {"options": engine.options}}
        if seconds is not None:
            # As many positions as there is time for, by the speed of the engine at the first.
            trial = Question(0, plan.targets[0].position, nodes << steps)
            for _ in range(2):  # the first one waits until the engine has started
                begun = time.monotonic()
                list(workers.ask([trial]))
            speed = jobs * trial.nodes / max(time.monotonic() - begun, 1e-3)
            plan = plan.within(int(speed * _FIRST_SHARE * seconds), nodes, steps)
        with Journal(journal or folder / "journal", head) as written:
            try:
                rows = pa.Table.from_pylist(written.rows, schema=EVALS)
            except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
                why = "damaged, a line is not that of a search"
                raise EvalsError(f"{written.path}: {why}: {error}") from error
            resumed = Evals.of(rows, game, fold=plan.fold)
            before = known or Evals.empty(game, fold=plan.fold)
            done = Evaluated(merge_evals([before, resumed]), title, network, note=written.note)
            run = _Run(plan, workers, done, written, progress or (lambda *_: nullcontext(lambda _done: None)))
            begun, most = time.monotonic(), math.inf if seconds is None else seconds
            first = enumerate(plan.nodes(nodes, steps))
            run.search(first, "positions evaluated", begun + _FIRST_SHARE * most)
            if verify_cp is not None:
                valued, again = plan_values(plan, run.done.evals), dict[int, int]()
                lost = plan_losses(plan, valued, is_first=True)
                # The positions around moves that seem to lose much.
                for move in (plan.moves[number] for number in np.flatnonzero(lost > verify_cp / 2)):
                    ends = (move.before, move.after)
                    longer = CONFIRMING * max(int(valued.first_nodes[end]) for end in ends)
                    again |= {end: max(longer, again.get(end, 0)) for end in ends}
                run.search(again.items(), "positions searched longer", begun + most)
    compare_moves(plan, run.done, verify_cp)
    return run.done


@dataclass(slots=True)
class _Run:
    plan: Plan
    workers: Workers
    done: Evaluated
    journal: Journal
    progress: Progress

    def search(self, wanted: Iterable[tuple[int, int]], what: str, end: float) -> None:
        """Make searches that are not known yet, given by position and nodes, up to a moment."""
        targets, questions, done = self.plan.targets, list[Question](), self.done
        table = done.evals.table.select(["key", "lock", "engine", "network", "limit"])
        has = {tuple(row.values()) for row in table.to_pylist()}
        for number, nodes in wanted:
            target = targets[number]
            if target.position.verdict is not None:
                continue
            if (target.key, target.lock, done.engine, done.network, f"nodes={nodes}") in has:
                done.known += 1
            else:
                questions.append(Question(number, target.position, nodes))
        if not questions:
            return
        rows: list[dict[str, Any]] = []
        with self.progress(what, len(questions)) as report, closing(self.workers.ask(questions)) as answers:
            for count, answer in enumerate(answers, start=1):
                report(count)
                asked, reply, target = answer.question, answer.reply, targets[answer.question.number]
                if reply is None:
                    done.failed.append((asked.position.fen, answer.reason))
                else:
                    code, fold = reply.code, self.plan.fold
                    row = {
                        "key": target.key,
                        "lock": target.lock,
                        "engine": done.engine,
                        "network": done.network,
                        "limit": f"nodes={asked.nodes}",
                        "depth": reply.depth,
                        # What engines report is a little more, or that of the last finished iteration.
                        "nodes": asked.nodes,
                        "score": reply.score_cp,
                        "best": None if code is None else asked.position.stored_move(code, fold),
                    }
                    rows.append(row)
                    self.journal.append(row)
                if time.monotonic() >= end:
                    break
        done.searched += len(rows)
        if done.failed and not done.searched + done.known:
            raise PlayerFault(
                f"{done.failed[-1][1]}, and failed at every position; does it play {done.evals.game}?"
            )
        new = Evals.of(pa.Table.from_pylist(rows, schema=EVALS), done.evals.game, fold=self.plan.fold)
        done.evals = merge_evals([done.evals, new])


def evaluate_tally(
    tally: Tally,
    *,
    positions: int = 1000,
    nodes: int = 50_000,
    min_games: int = 3,
    max_ply: int | None = 40,
    engine: str | EngineSpec = BUNDLED,
    jobs: int = 1,
    known: Evals | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Evals:
    """Let an engine evaluate the positions that most games of a tally reach.

    Positions that more games reach get up to 16 times the nodes. The positions around a move that seems to
    lose more than 30 centipawns are searched again, with four times the nodes.

    Args:
        tally: the tally.
        positions: maximum number of positions.
        nodes: nodes of the search of the least reached position.
        min_games: minimum number of games of a move that leads to a position.
        max_ply: maximum plies from the start position; None = all.
        engine: a command line, such as `stockfish` or `ucci:eleeye`, or what `parse_engine` returns.
        jobs: number of engines.
        known: evaluations of before. They are kept, and searches that they have are not made again.
        seconds: time for all searches: as many of the most reached positions as there is time for. None: all.
        progress: shows progress; None: nothing.

    Returns:
        The new evaluations and the known ones.

    Raises:
        OptionError: a number or the tally is not valid, the engine cannot be used, or no move has enough
            games.
        PlayerFault: the engine fails at one position after the other.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> bb.evaluate_tally(tally, positions=3, nodes=100, min_games=1).positions
        3
    """
    require_kind("evaluate_tally", tally, Tally)
    positions, nodes, jobs = (
        as_integer(name, value, 1) or 1
        for name, value in (("positions", positions), ("nodes", nodes), ("jobs", jobs))
    )
    if seconds is not None and not seconds > 0:
        raise OptionError(f"seconds is {seconds}: expected more than 0")
    plan = plan_tally(tally, most=positions, min_games=min_games, max_ply=max_ply)
    return evaluate(
        plan, tally.game, engine, nodes=nodes, jobs=jobs, seconds=seconds, known=known, progress=progress
    ).evals


def imported(plan: Plan, new: Evals, engine: str, *, known: Evals | None, limit_cp: int | None) -> Evaluated:
    """Return evaluations that were made elsewhere, added to the known ones; see `compare_moves`."""
    done = Evaluated(new if known is None else merge_evals([known, new]), engine, None, searched=len(new))
    compare_moves(plan, done, limit_cp)
    return done


def compare_moves(plan: Plan, done: Evaluated, limit_cp: int | None) -> None:
    """Compare the moves of a plan, and list the moves that lose more than the limit by both searches."""
    valued = plan_values(plan, done.evals)
    loss, first = (plan_losses(plan, valued, is_first=each) for each in (False, True))
    done.compared = int(np.count_nonzero(~np.isnan(loss)))
    if limit_cp is None:
        return
    for number in np.flatnonzero(is_refuted(loss, first, limit_cp)).tolist():
        move = plan.moves[number]
        best = best_code(plan, move.before, valued)
        done.losing.append(LosingMove(move, round(loss[number]), best))
    done.losing.sort(key=lambda each: (-each.loss_cp, each.move))


def plan_values(plan: Plan, evals: Evals) -> Valued:
    """Return the evaluations of a plan's positions."""
    key = np.array([target.key for target in plan.targets], np.uint64)
    return evals.values(key, np.array([target.lock for target in plan.targets], np.uint32))


def plan_losses(plan: Plan, valued: Valued, *, is_first: bool = False) -> Any:  # noqa: ANN401 (an array)
    """Return the loss of each move of a plan."""
    before, after = (np.array([move[end] for move in plan.moves], np.int64) for end in (0, 2))
    codes = [plan.targets[move.before].position.stored_move(move.code, plan.fold) for move in plan.moves]
    return losses(valued, before, after, np.array(codes, np.uint16), is_first=is_first)


def best_code(plan: Plan, number: int, valued: Valued) -> int | None:
    """Return the code of the engine's move at a position of a plan; None: unknown."""
    here, stored = plan.targets[number].position, int(valued.best[number])
    return next((code for code in here.moves() if here.stored_move(code, plan.fold) == stored), None)
