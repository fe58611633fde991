"""Figures as people read them: shares in per cent, sizes in binary units, bars."""

from __future__ import annotations

import math

__all__ = ["format_bar", "format_bytes", "format_share"]


def format_share(value: float | None) -> str:
    """Return a ratio in per cent, or a dash if it is undefined.

    Example:
        >>> format_share(0.5512), format_share(None)
        ('55.1 %', '–')
    """
    return "–" if value is None or math.isnan(value) else f"{100 * value:.1f} %"


def format_bar(share: float, width: int) -> str:
    """Return a bar of `width` characters, filled up to `share` in steps of an eighth of a character.

    Example:
        >>> format_bar(0.5, 8) + "|"
        '████    |'
    """
    eighths = round(8 * width * min(max(share, 0.0), 1.0))
    return ("█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8] * (eighths % 8 > 0)).ljust(width)


def format_bytes(count: float) -> str:
    """Return a size in binary units.

    Example:
        >>> format_bytes(1536), format_bytes(12)
        ('1.5 KiB', '12 B')
    """
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.1f} {unit}"
    return f"{count:.0f} B"
