"""Read large files of text line by line, also compressed ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa

from bookbuilder.errors import ArchiveError

__all__ = ["read_lines"]

_PIECE_BYTES: Final = 1 << 22


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, decompressed by its suffix: `.zst`, `.gz`, `.bz2`.

    Raises:
        ArchiveError: it is missing, or damaged.
    """
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            rest = b""
            while piece := stream.read(_PIECE_BYTES):
                *lines, rest = (rest + piece).split(b"\n")
                yield from lines
            yield rest
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise ArchiveError(f"{path}: no such file or directory") from error
        raise ArchiveError(f"{path}: damaged: {error}") from error
