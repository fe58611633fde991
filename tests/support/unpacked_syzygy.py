"""python-chess's reader of Syzygy tables with each block unpacked once and kept.

python-chess unpacks a block from its beginning for every cell that it is asked for, one or two milliseconds
for distances. This reader unpacks all cells of a block the first time. The rest is python-chess's: the cell
of a position, captures, and the side to move that a table omits.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from itertools import accumulate
from typing import Any

import chess.syzygy


class Part:
    """The cells of one part of a table: a side to move, a file of the leading pawn."""

    def __init__(self, table: Any, pairs: Any) -> None:
        """Take the lengths of the blocks."""
        self.data, self.pairs = table.data, pairs
        self.has_distances = isinstance(table, chess.syzygy.DtzTable)
        lengths = struct.unpack_from(f"<{pairs.blocks}H", table.data, pairs.sizetable)
        self.starts = [0, *accumulate(length + 1 for length in lengths)]
        self.blocks: dict[int, list[int]] = {}
        self.symbols: dict[int, list[int]] = {}

    def cell(self, number: int) -> int:
        """Return a cell."""
        block = bisect_right(self.starts, number) - 1
        if block not in self.blocks:
            self.blocks[block] = self.unpacked(block)
        return self.blocks[block][number - self.starts[block]]

    def unpacked(self, block: int) -> list[int]:
        """Return the cells of a block: a canonical Huffman code, its shortest codes the largest."""
        pairs, size = self.pairs, 1 << self.pairs.blocksize
        start = pairs.data + block * size
        # Eight more bytes, for a complete word at the end.
        bits = int.from_bytes(self.data[start : start + size], "big") << 64
        codes = [
            (length, least, struct.unpack_from("<H", self.data, pairs.offset + 2 * length)[0])
            for length, least in enumerate(pairs.base, pairs.min_len)
        ]
        cells: list[int] = []
        left = 8 * size
        while len(cells) < self.starts[block + 1] - self.starts[block]:
            word = bits >> left & 0xFFFF_FFFF_FFFF_FFFF
            length, least, first = next(code for code in codes if word >= code[1])
            cells += self.expanded(first + (word - least >> 64 - length))
            left -= length
        return cells

    def expanded(self, symbol: int) -> list[int]:
        """Return the cells of a symbol: one cell, or the cells of two symbols."""
        if symbol not in self.symbols:
            low, middle, high = self.data[self.pairs.sympat + 3 * symbol :][:3]
            left, right = (middle & 15) << 8 | low, high << 4 | middle >> 4
            if self.pairs.symlen[symbol]:
                self.symbols[symbol] = self.expanded(left) + self.expanded(right)
            else:
                self.symbols[symbol] = [left if self.has_distances else low]
        return self.symbols[symbol]


class Kept(chess.syzygy.Table):
    """The common changes of both kinds of tables."""

    def setup_pairs(self, data_ptr: int, tb_size: int, size_idx: int, wdl: int) -> Any:
        """Also store the number of blocks."""
        pairs = super().setup_pairs(data_ptr, tb_size, size_idx, wdl)
        pairs.blocks = self.size[size_idx + 1] // 2
        return pairs

    def decompress_pairs(self, pairs: Any, number: int) -> int:
        """Return a cell."""
        if not pairs.idxbits:
            return int(pairs.min_len)
        if not hasattr(pairs, "part"):
            pairs.part = Part(self, pairs)
        return int(pairs.part.cell(number))


class KeptWdl(Kept, chess.syzygy.WdlTable):
    """Who wins."""


class KeptDtz(Kept, chess.syzygy.DtzTable):
    """Plies to a zeroing move."""


class KeptTables(chess.syzygy.Tablebase):
    """A folder of tables, all of which may be open."""

    def __init__(self) -> None:
        """Begin without a table."""
        super().__init__(max_fds=None)

    def _open_table(self, hashtable: Any, table: Any, path: str) -> int:
        kept = {chess.syzygy.WdlTable: KeptWdl, chess.syzygy.DtzTable: KeptDtz}
        return super()._open_table(hashtable, kept[table], path)
