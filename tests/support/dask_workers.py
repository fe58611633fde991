"""A Dask cluster of two worker processes on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def two_workers(folder: Path) -> Iterator[Any]:
    """Yield a cluster; its workers keep their files in a folder."""
    import distributed

    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        memory_limit=0,
        local_directory=str(folder),
        silence_logs=50,
    ) as cluster:
        yield cluster
