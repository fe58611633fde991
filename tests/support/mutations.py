"""Random changes of the bytes of a file."""

from __future__ import annotations

import random
from collections.abc import Iterator

_LENGTHS = (1, 1, 2, 4, 8, 12, 64, 512)
_NUMBERS = (0, 1, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)
_LETTERS = (0, 0x0A, 0x22, 0x7F, 0x80, 0xFF)


def mutated(content: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Yield versions of a content with one change each; a change that changes nothing is made again."""
    rng = random.Random(seed)
    while count:
        changed = _changed(rng, content)
        if changed != content:
            count -= 1
            yield changed


def _changed(rng: random.Random, content: bytes) -> bytes:
    data = bytearray(content)
    at, other, size = rng.randrange(len(data)), rng.randrange(len(data)), rng.choice(_LENGTHS)
    match rng.choice(("bit", "bit", "byte", "byte", "cut", "add", "end", "copy", "zero", "number")):
        case "bit":
            data[at] ^= 1 << rng.randrange(8)
        case "byte":
            data[at] = rng.choice((*_LETTERS, rng.randrange(256)))
        case "cut":
            del data[at : at + size]
        case "add":
            data[at:at] = rng.randbytes(size)
        case "end":
            del data[at:]
        case "copy":
            data[at : at + size] = data[other : other + size]
        case "zero":
            data[at : at + size] = bytes(len(data[at : at + size]))
        case "number":
            width = rng.choice((2, 4, 8))
            number = rng.choice(_NUMBERS) % 2 ** (8 * width)
            data[at : at + width] = number.to_bytes(width, rng.choice(("little", "big")))
    return bytes(data)
