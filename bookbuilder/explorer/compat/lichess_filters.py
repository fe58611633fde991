"""Translates the filters of lichess's explorer to filters of a store.

| parameter | facet | filter |
|---|---|---|
| `since`, `until` | year | whole years: `2020-5` is 2020 |
| `ratings` | rating | adjacent groups of the mean rating |
| `speeds` | speed | classes; all or only unknown ones = every game |
| `color` | player-side | the side of the counted player |

Filters that the store cannot answer are ignored; the response names them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from starlette.datastructures import QueryParams

from bookbuilder.archives.filters import Facet, GameFilter

__all__ = ["asked_of_lichess", "ignored_of_lichess"]

_GROUPS: Final = (0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500)
_SPEEDS: Final = ("ultrabullet", "bullet", "blitz", "rapid", "classical")
_SIDES: Final = {"white": "first", "black": "second"}
_MONTH: Final = re.compile(r"(1[89][0-9]{2}|20[0-4][0-9])(-[0-9]{1,2})?", re.ASCII)
_NEVER: Final = ("modes", "modes[]")

_Changes = dict[str, Any] | None
"""Fields of a filter; None if a store cannot answer it."""


def asked_of_lichess(query: QueryParams, facets: Collection[Facet]) -> GameFilter:
    """Return the filter of a query for a store with these facets."""
    changes: dict[str, Any] = {}
    for name, (facet, changes_of) in _PARAMETERS.items():
        if facet in facets and (text := query.get(name)):
            changes |= changes_of(text) or {}
    return GameFilter(**changes)


def ignored_of_lichess(query: QueryParams, facets: Collection[Facet]) -> list[str]:
    """Return the given parameters that are ignored."""
    given = [name for name in (*_PARAMETERS, *_NEVER) if query.get(name)]
    return [name for name in given if name in _NEVER or not _is_used(name, query[name], facets)]


def _is_used(name: str, text: str, facets: Collection[Facet]) -> bool:
    facet, changes_of = _PARAMETERS[name]
    return facet in facets and changes_of(text) is not None


def _year(name: str) -> Callable[[str], _Changes]:
    def changes_of(text: str) -> _Changes:
        found = _MONTH.fullmatch(text)
        return {name: found[1]} if found else None

    return changes_of


def _ratings(text: str) -> _Changes:
    asked = sorted({_GROUPS.index(int(word)) for word in text.split(",") if word in map(str, _GROUPS)})
    if not asked or asked != list(range(asked[0], asked[-1] + 1)):
        return None
    least = _GROUPS[asked[0]] or None
    most = _GROUPS[asked[-1] + 1] - 1 if asked[-1] + 1 < len(_GROUPS) else None
    is_all = least is None and most is None
    return {} if is_all else {"min_rating": least, "max_rating": most, "rating_of": "mean"}


def _speeds(text: str) -> _Changes:
    asked = {word.lower() for word in text.split(",")}
    known = tuple(speed for speed in _SPEEDS if speed in asked)
    if not known:
        return None
    return {} if known == _SPEEDS else {"time_control": known}


def _side(text: str) -> _Changes:
    return {"player_side": _SIDES[text]} if text in _SIDES else None


_PARAMETERS: Final[Mapping[str, tuple[Facet, Callable[[str], _Changes]]]] = {
    "speeds": ("speed", _speeds),
    "speeds[]": ("speed", _speeds),
    "ratings": ("rating", _ratings),
    "ratings[]": ("rating", _ratings),
    "since": ("year", _year("since")),
    "until": ("year", _year("until")),
    "color": ("player-side", _side),
}
"""The facet that each parameter needs, and its conversion to a filter."""
