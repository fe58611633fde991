"""The table of moves at a position, which notebooks show as HTML.

It is a pandas frame that only looks different. This module loads pandas, so it is imported where it is used.
"""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any, Final, Self

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_NEEDED: Final = {"san", "reached"}
_MOST_ROWS: Final = 40
_DASH: Final = "–"
_TITLES: Final = {
    "san": "Move", "played": "Played", "results": "Results", "score": "Score", "p": "P", "reached": "Reached",
    "quality": "Quality", "rating": "Rating", "performance": "Performance", "years": "Years",
}  # fmt: skip
_OFTEN_UNKNOWN: Final = {"rating", "performance"}
_SIDES: Final = {"chess": ("White", "Black"), "xiangqi": ("Red", "Black")}
_COLOURS: Final = {
    "chess": (("#fdfcf8", "#1e2329"), ("#b9bfc6", "#1e2329"), ("#3b424b", "#fff")),
    "xiangqi": (("#b3372c", "#fff"), ("#b9bfc6", "#1e2329"), ("#3b424b", "#fff")),
}


class MoveTable(pd.DataFrame):
    """A frame of moves that notebooks show with bars of results and intervals of P.

    `attrs` has the game as `game`, the position as `fen`, and as `played` the games that moved on from it,
    for the shares. Without the needed columns it looks like any frame.
    """

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, str]) -> Self:
        """Return rows as a frame with a column of the given type for each of `kinds`."""
        return cls({name: pd.Series([row[name] for row in rows], dtype=kind) for name, kind in kinds.items()})

    @property
    def _constructor(self) -> Callable[..., MoveTable]:
        return MoveTable

    def _repr_html_(self) -> str | None:
        if not set(self.columns) >= _NEEDED:
            found: str | None = pd.DataFrame(self)._repr_html_()  # type: ignore[operator]
            return found
        rows = self.head(_MOST_ROWS).to_dict("records")
        shown = [name for name in _TITLES if self._holds(name)]
        # The rows shown may be a part of the moves, so their sum is not the number of games.
        total = int(self.attrs.get("played", 0))
        head = "".join(_cell("th", name, _TITLES[name]) for name in shown)
        lines = ("".join(_cell("td", name, self._text(name, row, total)) for name in shown) for row in rows)
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        more = len(self) - len(rows)
        foot = f'<tr><td colspan="{len(shown)}" style="padding:3px 6px">{more} more</td></tr>' if more else ""
        fen = html.escape(str(self.attrs.get("fen", "")))
        caption = (
            f'<caption style="caption-side:bottom;text-align:left;opacity:.75">{fen}</caption>' if fen else ""
        )
        return (
            f'<table style="font-variant-numeric:tabular-nums">{caption}<thead><tr>{head}</tr></thead>'
            f"<tbody>{body}{foot}</tbody></table>"
        )

    def _holds(self, name: str) -> bool:
        """Return whether the table has a figure for at least one move."""
        needs = {"results": "first_wins", "years": "year_max"}.get(name, name)
        if needs not in self.columns:
            return False
        if name == "years":
            return bool((self[needs] > 0).any())
        return name not in _OFTEN_UNKNOWN or bool(self[name].notna().any())

    def _text(self, name: str, row: dict[Any, Any], total: int) -> str:
        value: Any = row.get(name)
        if name == "san":
            return f"<b>{html.escape(str(value))}</b>"
        if name == "played":
            share = f" <span style='opacity:.7'>{value / total:.1%}</span>" if total else ""
            return f"{value:,}{share}"
        if name == "results":
            return self._bar(row)
        if name == "p":
            return f"{_percent(value)} {_whisker(row)}"
        if name == "years":
            return _years(int(row["year_min"]), int(row["year_max"]))
        if name in ("score", "performance"):
            return _percent(value)
        return _DASH if value is None or math.isnan(value) else f"{value:,.0f}"

    def _bar(self, row: dict[Any, Any]) -> str:
        counts = [int(row[name]) for name in ("first_wins", "draws", "second_wins")]
        known = sum(counts)
        if not known:
            return _DASH
        game = str(self.attrs.get("game", "chess"))
        first, second = _SIDES[game]
        label = f"{first} wins {counts[0]:,}, draws {counts[1]:,}, {second} wins {counts[2]:,}"
        shares = [count / known for count in counts]
        parts = "".join(
            f'<span style="width:{share:.2%};background:{paper};color:{ink};overflow:hidden">'
            f"{format(share, '.0%') if share >= 0.2 else ''}</span>"
            for share, (paper, ink) in zip(shares, _COLOURS[game], strict=True)
        )
        return (
            f'<span role="img" aria-label="{label}" title="{label}" style="display:inline-flex;width:150px;'
            "height:17px;line-height:17px;font-size:11px;text-align:center;border:1px solid #8b939c;"
            f'border-radius:3px">{parts}</span>'
        )


def _cell(tag: str, name: str, text: str) -> str:
    side = "left" if name in ("san", "results") else "right"
    return f'<{tag} style="padding:3px 6px;text-align:{side};white-space:nowrap">{text}</{tag}>'


def _percent(value: float) -> str:
    return _DASH if math.isnan(value) else f"{value:.1%}"


def _years(first: int, last: int) -> str:
    if not last:
        return _DASH
    return str(last) if first in (0, last) else f"{first}–{last}"


def _whisker(row: dict[Any, Any]) -> str:
    """Return an image of P with its 95 % interval on a scale from 0 to 1."""
    if math.isnan(row["p"]):
        return '<svg width="80" height="12"></svg>'
    low, p, high = (2 + 76 * row[name] for name in ("p_low", "p", "p_high"))
    return (
        '<svg width="80" height="12" style="vertical-align:middle">'
        '<path d="M2 6h76" stroke="currentColor" opacity=".25"/>'
        f'<path d="M{low:.1f} 6H{high:.1f}" stroke="currentColor" stroke-width="1.6" opacity=".65"/>'
        f'<circle cx="{p:.1f}" cy="6" r="3" fill="currentColor"/></svg>'
    )
