"""Evaluate the positions of a tally from Python: a plan, the engines, and no files that stay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bookbuilder.engine.drivers.spec import BUNDLED, EngineSpec, ThinkLimit, parse_engine
from bookbuilder.engine.evaluate.evaluate import Evaluated, EvaluateOptions, evaluate
from bookbuilder.engine.evaluate.plan import Plan, plan_tally
from bookbuilder.evals.table import Evals
from bookbuilder.games.position import Game
from bookbuilder.tally.tally import Tally
from bookbuilder.temporary import TemporaryFolder

__all__ = ["evaluate_plan", "evaluate_tally"]


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

    Returns:
        The new evaluations and the known ones.

    Raises:
        OptionError: the engine cannot be used, or no move has enough games.
        PlayerFault: the engine fails at one position after the other.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> bb.evaluate_tally(tally, positions=3, nodes=100, min_games=1).positions
        3
    """
    plan = plan_tally(tally, most=positions, min_games=min_games, max_ply=max_ply)
    return evaluate_plan(plan, tally.game, nodes=nodes, engine=engine, jobs=jobs, known=known).evals


def evaluate_plan(
    plan: Plan, game: Game, *, nodes: int, engine: str | EngineSpec, jobs: int, known: Evals | None
) -> Evaluated:
    """Return the evaluations of a plan, together with the known ones; see `evaluate_tally`."""
    if isinstance(engine, str):
        engine = parse_engine(engine, game, name=None, options=(), limit=ThinkLimit(nodes=nodes))
    with TemporaryFolder() as folder:
        return evaluate(
            plan,
            game,
            engine,
            EvaluateOptions(nodes=nodes, jobs=jobs),
            known=known,
            journal=folder / "journal",
            progress=_silent,
        )


@contextmanager
def _silent(_what: str, _total: int) -> Iterator[Callable[[int], None]]:
    """Show no progress."""
    yield lambda _done: None
