"""XQF version 10, the plain form of XQStudio's xiangqi format: a played game in, the bytes of one file out.

| offset | bytes | content |
|---|---|---|
| 0x000 | 2, 1 | magic `XQ`, version 10 |
| 0x003 | 13 | keys, all 0: nothing is enciphered in version 10 |
| 0x010 | 32 | squares (file × 10 + rank): red R N B A K A B N R C C P×5, then black |
| 0x033 | 1 | result: 0 unknown, 1 red won, 2 black won, 3 draw |
| 0x040 | 1 | type: 0 = a whole game |
| 0x0D0, 0x110 | 64, 16 | event, date: length byte and GB18030 text |
| 0x130, 0x140 | 16, 16 | red's and black's player, likewise |
| 0x400 | 8 each | records: source + 24, destination + 32, flags, 0, length of the comment (u32) |

The first record is a root without a move; flags F0 say that a move follows. Only main lines are written.

Source: XQF 1.0 as its author documents it.
"""

from __future__ import annotations

import re
import struct
from typing import Final

from bookbuilder.errors import OptionError
from bookbuilder.formats.played import PlayedGame, Result

__all__ = ["format_xqf"]

_HEADER_BYTES: Final = 0x400
# Squares of the 32 pieces at the start, red's back rank = 0, in the slot order of the table above.
_RED_START: Final = (80, 70, 60, 50, 40, 30, 20, 10, 0, 72, 12, 83, 63, 43, 23, 3)
_BLACK_START: Final = (9, 19, 29, 39, 49, 59, 69, 79, 89, 77, 17, 86, 66, 46, 26, 6)
_RESULT_CODES: Final[dict[Result, int]] = {"*": 0, "1-0": 1, "0-1": 2, "1/2-1/2": 3}
_ICCS: Final = re.compile(r"[a-i][0-9][a-i][0-9]")
_MOVE_FOLLOWS: Final = 0xF0
_LINE_ENDS: Final = 0x00
# The root's squares mean nothing; these two bytes and the 0xFF are what XQStudio writes there.
_ROOT: Final = (0x18, 0x20, 0xFF)


def format_xqf(played: PlayedGame) -> bytes:
    """Return the game as an XQF file of version 10.

    Raises:
        OptionError: the game is not xiangqi, or a move is not four characters of ICCS.
    """
    if played.game != "xiangqi":
        raise OptionError(f"game {played.number} is {played.game}: XQF holds xiangqi")
    return _header(played) + _records(played)


def _header(played: PlayedGame) -> bytes:
    header = bytearray(_HEADER_BYTES)
    header[0x000:0x003] = b"XQ\x0a"
    header[0x010:0x030] = bytes(_RED_START + _BLACK_START)
    header[0x033] = _RESULT_CODES[played.result]
    for offset, size, text in (
        (0x0D0, 64, played.event),
        (0x110, 16, played.date),
        (0x130, 16, played.first),
        (0x140, 16, played.second),
    ):
        field = _whole_characters(text, size - 1)
        header[offset : offset + 1 + len(field)] = bytes([len(field)]) + field
    return bytes(header)


def _whole_characters(text: str, most_bytes: int) -> bytes:
    """The longest beginning of the text that fits, never half a character."""
    encoded = text.encode("gb18030")
    while len(encoded) > most_bytes:
        text = text[:-1]
        encoded = text.encode("gb18030")
    return encoded


def _records(played: PlayedGame) -> bytes:
    def flags(ply: int) -> int:
        return _MOVE_FOLLOWS if ply < len(played.moves) else _LINE_ENDS

    records = [struct.pack("<BBBBI", _ROOT[0], _ROOT[1], flags(0), _ROOT[2], 0)]
    for ply, move in enumerate(played.moves, start=1):
        source, target = _squares(move)
        records.append(struct.pack("<BBBBI", source + 24, target + 32, flags(ply), 0, 0))
    return b"".join(records)


def _squares(move: str) -> tuple[int, int]:
    if not _ICCS.fullmatch(move):
        raise OptionError(f'"{move}" is not a move in ICCS: expected four characters such as h2e2')
    files = [ord(letter) - ord("a") for letter in move[0::2]]
    ranks = [int(digit) for digit in move[1::2]]
    return files[0] * 10 + ranks[0], files[1] * 10 + ranks[1]
