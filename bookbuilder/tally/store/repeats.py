"""Games of a store that are counted more than once: equal fingerprints in GAMES."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from bookbuilder.errors import StoreError

__all__ = ["count_repeats"]

_REPEATS_BYTES: Final = 24
"""Bytes of memory for a game: its fingerprint, and that sorted."""

Prints: TypeAlias = npt.NDArray[np.uint64]


def count_repeats(files: Sequence[Path], games: int, memory: int | None) -> int:
    """Return the number of games that have the fingerprint of an earlier game.

    If the fingerprints do not fit into memory together, they are split into temporary files next to the
    parts.

    Args:
        files: parts of GAMES.
        games: the number of games in them.
        memory: bytes that the process may have in memory; None = 2 GiB.

    Raises:
        StoreError: the disk is full.
    """
    room = max((memory or 1 << 31) // 4, 1 << 24) // _REPEATS_BYTES
    shares = -(-games // room)
    if shares <= 1:
        return sum(_repeats_in(prints) for prints in _fingerprints(files, room))
    directory = files[0].parent
    try:
        with tempfile.TemporaryDirectory(prefix=".tmp-", dir=directory) as shared:
            return sum(map(_repeats_in, _dealt(_fingerprints(files, room), Path(shared), shares)))
    except OSError as error:
        raise StoreError(f"{directory}: cannot be written: {error.strerror or error}") from error


def _repeats_in(prints: Prints) -> int:
    return int(prints.size - np.unique(prints).size)


def _dealt(pieces: Iterable[Prints], directory: Path, shares: int) -> Iterator[Prints]:
    """Yield fingerprints share by share, each by way of a file; equal fingerprints are in one share."""
    files = [directory / str(share) for share in range(shares)]
    for prints in pieces:
        of = prints % np.uint64(shares)
        order = np.argsort(of)
        ends = np.searchsorted(of[order], np.arange(shares, dtype=np.uint64), side="right")
        for path, share in zip(files, np.split(prints[order], ends[:-1]), strict=True):
            with path.open("ab") as stream:
                share.tofile(stream)
    return (np.fromfile(path, np.uint64) for path in files)


def _fingerprints(files: Sequence[Path], room: int) -> Iterator[Prints]:
    """Yield the fingerprints of parts of GAMES, about `room` of them at a time."""
    batches: list[Prints] = []
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=["fingerprint"]):
                batches.append(batch.column(0).to_numpy())
                if sum(each.size for each in batches) >= room:
                    yield np.concatenate(batches)
                    batches = []
    if batches:
        yield np.concatenate(batches)
