"""Games of a store that are counted more than once: equal fingerprints in GAMES."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow.parquet as pq

from bookbuilder.columns import values

__all__ = ["count_repeats"]

_REPEATS_BYTES: Final = 24
"""Bytes of memory for a game: its fingerprint, and that sorted."""


def count_repeats(files: Sequence[Path], games: int, memory: int | None) -> int:
    """Return the number of games that have the fingerprint of an earlier game.

    If the fingerprints do not fit into memory together, they are read several times, a share each time.

    Args:
        files: parts of GAMES.
        games: the number of games in them.
        memory: bytes that the process may have in memory; None = 2 GiB.
    """
    room = max((memory or 1 << 31) // 4, 1 << 24) // _REPEATS_BYTES
    shares = max(1, -(-games // room))
    return sum(_repeats_in(files, share, shares) for share in range(shares))


def _repeats_in(files: Sequence[Path], share: int, shares: int) -> int:
    """Return the number of repeats among the fingerprints of a share; equal ones are in one share."""
    prints = [np.empty(0, np.uint64)]
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=["fingerprint"]):
                some = values(batch.column(0))
                prints.append(some if shares == 1 else some[some % np.uint64(shares) == share])
    # numpy finds different values by a hash table, which takes ten times as long as sorting.
    known = np.sort(np.concatenate(prints))
    return int(np.count_nonzero(known[1:] == known[:-1]))
