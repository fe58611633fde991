"""Cluster of a Dask cluster: run functions there and return the results in order.

Dask repeats a task elsewhere if its worker is lost. If a task raises an error, the run ends and waiting tasks
are cancelled.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bookbuilder.errors import OptionError, StoreError
from bookbuilder.tally.cluster.tasks import checked, core_version
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    from distributed import Client

LOCAL: Final = "local"
"""The address that starts a cluster on this machine."""
_CONNECT_SECONDS: Final = 20
"""Time that a scheduler has to answer; chosen."""
_MOST_WAITING: Final = 1000
"""Calls of a stream that wait or run at a time; chosen."""

T = TypeVar("T")


class Cluster:
    """Cluster of a cluster that is connected."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def run(
        self,
        task: Callable[..., T],
        arguments: Sequence[tuple[Any, ...]],
        on_result: Callable[[T], None] | None = None,
    ) -> list[T]:
        """Call a task with each of the arguments and return the results in their order.

        Args:
            task: a function of a module that workers can import.
            arguments: small values.
            on_result: called with each result when it arrives.

        Raises:
            BookBuilderError: a task raised it.
            StoreError: the scheduler is lost, or a task killed its worker repeatedly.
        """
        answers: dict[int, T] = {}
        for number, answer in self.stream(task, arguments, most=len(arguments)):
            answers[number] = answer
            if on_result is not None:
                on_result(answer)
        return [answers[number] for number in range(len(arguments))]

    def stream(
        self, task: Callable[..., T], arguments: Sequence[tuple[Any, ...]], *, most: int = _MOST_WAITING
    ) -> Generator[tuple[int, T]]:
        """Call a task with each of the arguments; yield the number and the result of each as it ends.

        Args:
            task: a function of a module that workers can import.
            arguments: small values.
            most: number of calls that wait or run at a time.

        Raises:
            BookBuilderError: a task raised it.
            OptionError: a worker that came meanwhile has another version.
            StoreError: the scheduler is lost, or a task killed its worker repeatedly.
        """
        from distributed import CancelledError, KilledWorker, as_completed

        waiting, live = enumerate(arguments), dict[str, tuple[int, Any]]()

        def submitted(count: int) -> list[Any]:
            new = [
                (number, self._client.submit(checked, core_version(), task, *each, pure=False))
                for number, each in islice(waiting, count)
            ]
            live.update({future.key: (number, future) for number, future in new})
            return [future for _, future in new]

        try:
            running = as_completed(submitted(most), loop=self._client.loop)
            for future in running:
                answer = future.result()
                yield live.pop(future.key)[0], answer
                running.update(submitted(1))
        except KilledWorker as error:
            raise StoreError(f"a task killed its worker repeatedly: {error}") from error
        except CancelledError as error:
            raise StoreError("the scheduler of the cluster is lost; run the command again") from error
        finally:
            self._client.cancel([future for _, future in live.values()])

    def everywhere(self, task: Callable[[], object]) -> None:
        """Call a function on every worker, beside its tasks."""
        self._client.run(task)

    def require_same_core(self) -> None:
        """Refuse workers with another version of the package. Those that cannot be reached are skipped.

        Raises:
            OptionError: a worker has another version, or none.
        """
        for worker, version in self._client.run(core_version, on_error="return").items():
            if isinstance(version, ImportError):
                raise OptionError(f"a worker cannot import bookbuilder: {version}; install it there")
            if isinstance(version, Exception) and not isinstance(version, OSError):
                raise version
            if isinstance(version, str) and version != core_version():
                raise OptionError(f"worker {worker} has bookbuilder {version}, here is {core_version()}")


@contextmanager
def cluster_at(address: str, *, jobs: int | None = None) -> Iterator[Cluster]:
    """Yield the workers of a cluster.

    Args:
        address: address of its scheduler, or `local` for worker processes on this machine.
        jobs: number of those processes; None = one for each processor.

    Raises:
        OptionError: the extra `cluster` is missing, no scheduler answers, or workers have other versions.
    """
    try:
        import distributed
    except ImportError as error:
        raise OptionError("--cluster needs Dask: pip install 'bookbuilder[cluster]'") from error
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        where = address
        if address == LOCAL:
            folder = stack.enter_context(TemporaryFolder())
            local = distributed.LocalCluster(
                n_workers=jobs or os.cpu_count() or 1,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                memory_limit=0,  # tasks limit themselves
                local_directory=str(folder),
                silence_logs=logging.CRITICAL,
                preload="bookbuilder.tally.cluster.client",
            )
            where = stack.enter_context(local).scheduler_address
        try:
            client = distributed.Client(where, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise OptionError(f"{address}: no Dask scheduler answers there: {error}") from error
        cluster = Cluster(stack.enter_context(client))
        cluster.require_same_core()
        yield cluster


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Dask logs from stderr: it repeats lost tasks, and errors that remain are raised."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    levels = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in levels:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


def dask_setup(worker: object) -> None:
    """Ignore Ctrl-C in a worker process on this machine; the main process handles it.

    A terminal sends it to all processes. Dask calls this function before the first task.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
