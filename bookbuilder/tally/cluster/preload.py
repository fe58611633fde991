"""What Dask calls in each worker process of a cluster on this machine, before its first task."""

from __future__ import annotations

import signal

__all__ = ["dask_setup"]


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the one that gives out the tasks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
