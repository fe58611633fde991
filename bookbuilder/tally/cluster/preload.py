"""Set-up of a worker process on this machine: Dask calls it before the first task."""

from __future__ import annotations

import signal

__all__ = ["dask_setup"]


def dask_setup(worker: object) -> None:
    """Ignore Ctrl-C, which a terminal sends to all processes; the main process handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
