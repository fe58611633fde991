"""Engines on the workers of a Dask cluster.

A task is one search, and each thread of a worker keeps an engine for the next one. Dask repeats a task
elsewhere if its worker is lost.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from bookbuilder.engine.evaluate.work import Answer, Question, Workers, useful
from bookbuilder.engine.match.player import EngineSpec, Reply
from bookbuilder.games.position import Game, as_position

if TYPE_CHECKING:
    from bookbuilder.tally.cluster.client import Crew

__all__ = ["ClusterWorkers", "Engines", "open_workers"]

Engines: TypeAlias = "Workers | ClusterWorkers"
"""Engines here, or on a cluster."""


class ClusterWorkers:
    """Engines of a cluster that answer questions at the same time. As a context they end with it."""

    def __init__(self, crew: Crew, spec: EngineSpec, game: Game, *, timeout: float) -> None:
        """Describe the engines. They start with the first question; see `Workers`."""
        self._crew, self._spec, self._game, self._timeout = crew, spec, game, timeout

    def close(self) -> None:
        """End the engines."""
        self._crew.everywhere(_end_engines)

    def introduction(self) -> tuple[str, str | None]:
        """Return the name and version of an engine, and its network.

        Raises:
            OptionError: the engine cannot be started, does not play the game, or does not have the options.
            PlayerFault: it does not speak its protocol.
        """
        [found] = self._crew.run(_introduction, [(self._spec, self._game, self._timeout)])
        return found

    def ask(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """Yield the answers as they come.

        Raises:
            OptionError: an engine cannot be started.
            PlayerFault: engines fail at one position after the other.
            StoreError: the scheduler is lost, or a search killed its worker repeatedly.
        """
        same = (self._spec, self._game, self._timeout)
        tasks = [(*same, question.position.fen, question.nodes) for question in questions]
        with closing(self._crew.stream(_search, tasks)) as found:
            yield from useful(Answer(questions[number], *answer) for number, answer in found)


@contextmanager
def open_workers(
    spec: EngineSpec, game: Game, *, jobs: int, timeout: float, cluster: str | None
) -> Iterator[Engines]:
    """Yield engines, which end with the context.

    Args:
        spec: the engine; its limit is replaced by that of each question.
        game: the game.
        jobs: number of processes on this machine.
        timeout: seconds after which an engine counts as hung.
        cluster: address of a Dask scheduler, or `local`; None = no cluster.

    Raises:
        OptionError: there is no such cluster, or its workers have another version.
    """
    if cluster is None:
        with Workers(spec, game, jobs=jobs, timeout=timeout) as workers:
            yield workers
        return
    from bookbuilder.tally.cluster.client import crew_at

    with (
        crew_at(cluster, jobs=jobs) as crew,
        closing(ClusterWorkers(crew, spec, game, timeout=timeout)) as found,
    ):
        yield found


# What follows runs on the workers.

_Key: TypeAlias = tuple[int, EngineSpec, Game]

_ENGINES: Final[dict[_Key, Workers]] = {}
"""The engine of each thread."""


def _engine(spec: EngineSpec, game: Game, timeout: float) -> Workers:
    key = (threading.get_ident(), spec, game)
    if key not in _ENGINES:
        _ENGINES[key] = Workers(spec, game, jobs=1, timeout=timeout)
    return _ENGINES[key]


def _introduction(spec: EngineSpec, game: Game, timeout: float) -> tuple[str, str | None]:
    return _engine(spec, game, timeout).introduction()


def _search(spec: EngineSpec, game: Game, timeout: float, fen: str, nodes: int) -> tuple[Reply | None, str]:
    [answer] = _engine(spec, game, timeout).ask([Question(0, as_position(fen, game), nodes)])
    return answer.reply, answer.reason


def _end_engines() -> None:
    while _ENGINES:
        _ENGINES.popitem()[1].close()
