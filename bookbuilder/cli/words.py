"""Numbers with their nouns, as messages have them."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number and what it counts.

    Args:
        count: the number.
        one: what follows the number 1: a noun, or a noun and its verb.
        many: what follows other numbers; `one` and an s by default.

    Example:
        >>> counted(1, "file"), counted(2000, "file"), counted(0, "move loses", "moves lose")
        ('1 file', '2,000 files', '0 moves lose')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
