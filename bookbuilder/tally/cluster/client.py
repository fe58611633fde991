"""Workers of a Dask cluster: run functions there and return the results in order.

Dask repeats a task elsewhere if its worker is lost. If a task raises an error, the run ends and waiting tasks
are cancelled.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bookbuilder.errors import OptionError, StoreError
from bookbuilder.tally.cluster.tasks import core_version

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["LOCAL", "Crew", "crew_at"]

LOCAL: Final = "local"
"""The address that starts a cluster on this machine."""
_CONNECT_SECONDS: Final = 20
"""Time that a scheduler has to answer; chosen."""

T = TypeVar("T")


class Crew:
    """Workers of a cluster that is connected."""

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
        from distributed import CancelledError, KilledWorker, as_completed

        futures = [self._client.submit(task, *each, pure=False) for each in arguments]
        numbers = {future.key: number for number, future in enumerate(futures)}
        answers: dict[int, T] = {}
        try:
            for future in as_completed(futures, loop=self._client.loop):
                answer = future.result()
                answers[numbers[future.key]] = answer
                if on_result is not None:
                    on_result(answer)
        except KilledWorker as error:
            raise StoreError(f"a task killed its worker repeatedly: {error}") from error
        except CancelledError as error:
            raise StoreError("the scheduler of the cluster is lost; run the command again") from error
        finally:
            self._client.cancel([future for future in futures if not future.done()])
        return [answers[number] for number in range(len(futures))]

    def require_same_core(self) -> None:
        """Refuse workers with another version of the package.

        Raises:
            OptionError: a worker has another version, or none.
        """
        try:
            found = self._client.run(core_version)
        except ImportError as error:
            raise OptionError(f"a worker cannot import bookbuilder: {error}; install it there") from error
        strange = {worker: version for worker, version in found.items() if version != core_version()}
        if strange:
            worker, version = next(iter(strange.items()))
            raise OptionError(f"worker {worker} has bookbuilder {version}, here is {core_version()}")


@contextmanager
def crew_at(address: str, *, jobs: int | None = None) -> Iterator[Crew]:
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
        where = address
        if address == LOCAL:
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="bookbuilder-cluster-"))
            local = distributed.LocalCluster(
                n_workers=jobs or os.cpu_count() or 1,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                memory_limit=0,  # tasks limit themselves
                local_directory=directory,
                silence_logs=logging.CRITICAL,
                preload="bookbuilder.tally.cluster.preload",
            )
            where = stack.enter_context(local).scheduler_address
        try:
            client = distributed.Client(where, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise OptionError(f"{address}: no Dask scheduler answers there: {error}") from error
        crew = Crew(stack.enter_context(client))
        crew.require_same_core()
        yield crew
