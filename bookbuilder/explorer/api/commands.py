"""`/commands`: the command and the Python that give what a page shows, with all its options and filters."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Any, Final, NamedTuple

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from bookbuilder._core import Position
from bookbuilder.archives.filters import GameFilter
from bookbuilder.explorer.answer import answer
from bookbuilder.explorer.query import (
    Place,
    asked_filters,
    asked_source,
    place_at,
    read_word,
    selection_of,
)
from bookbuilder.explorer.sources import Source, StoreSource
from bookbuilder.games.position import START_WORD
from bookbuilder.selection.options import OPTIONS, PRESETS, SelectionOptions, preset

__all__ = ["commands"]

_WHAT: Final = ("show", "build", "info")
# `show` takes these; what else differs needs `build --explain`.
_OF_SHOW: Final = frozenset(("min_win_rate", "min_games", "margin"))
# Plies of the longest possible store: `--max-ply` takes a number.
_MOST_PLIES: Final = 65_535


class _Asked(NamedTuple):
    """What a page shows: a source, and the options and filters that differ from the defaults, by name."""

    source: Source
    options: dict[str, Any]
    filters: dict[str, Any]


def commands(request: Request) -> Response:
    """Answer `/commands`. `what` is show (a position), build (a book of a store) or info (a source)."""
    query = request.query_params
    what = read_word(query, "what", _WHAT)
    source = asked_source(request)
    if isinstance(source, StoreSource):
        asked = _Asked(source, _options(source, query), _filters(query))
    else:
        asked = _Asked(source, {}, {})
        # A book cannot be built from a book: then it is described.
        what = "info" if what == "build" else what
    if what == "show":
        place = place_at(query, source.game)
        command, python = _show_command(asked, place), _show_python(asked, place)
    elif what == "build":
        command, python = _build_command(asked), _build_python(asked)
    else:
        command, python = _info_command(asked), _info_python(asked)
    return answer({"source": source.id, "command": shlex.join(command), "python": "\n".join(python)})


def _options(source: StoreSource, query: QueryParams) -> dict[str, Any]:
    """Return the options of selection that differ from the defaults, with values as a user writes them."""
    chosen, usual = selection_of(source, query), SelectionOptions()
    found: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        value = getattr(chosen, name)
        if option.query and value != getattr(usual, name):
            found[name] = value if isinstance(value, bool | int) else query.get(option.query)
    if "max_ply" in found:
        # A number that the store has.
        most = source.options.max_ply or _MOST_PLIES
        found["max_ply"] = most if chosen.max_ply is None else min(chosen.max_ply, most)
    return found if chosen.edits is None else {**found, "edits": str(source.by_hand.path)}


def _filters(query: QueryParams) -> dict[str, Any]:
    given, all_games = asked_filters(query), GameFilter()
    names = [each.name for each in fields(given)]
    return {name: getattr(given, name) for name in names if getattr(given, name) != getattr(all_games, name)}


def _flags(given: dict[str, Any]) -> list[str]:
    words: list[str] = []
    for name, value in given.items():
        if name == "rating_of":
            continue  # commands take the mean of the ratings of a store
        name = "for_side" if name == "player_side" else name
        flag = (OPTIONS[name].flag if name in OPTIONS else None) or f"--{name.replace('_', '-')}"
        on, _, off = flag.partition("/")
        for each in value if isinstance(value, tuple) else (value,):
            words += [on if each else off] if isinstance(each, bool) else [on, str(each)]
    return words


def _build_command(asked: _Asked) -> list[str]:
    words = ["bookbuilder", "build", str(asked.source.path), "-o", f"{asked.source.game}.book"]
    return [*words, *_flags(asked.filters), *_rules(asked.options)]


def _rules(options: dict[str, Any]) -> list[str]:
    """Return the options of selection as `build` takes them. With `--side` its preset is `repertoire`."""
    if "for_side" not in options:
        return _flags(options)
    usual = {name: value for name, value in PRESETS["repertoire"].items() if name != "for_side"}
    chosen = SelectionOptions(**options)
    if any(getattr(chosen, name) != getattr(preset("repertoire"), name) for name in usual):
        return ["--preset", "engine", *_flags(options)]
    return _flags({name: value for name, value in options.items() if name not in usual})


def _show_command(asked: _Asked, place: Place) -> list[str]:
    path, moves = str(asked.source.path), " ".join(_moves(place))
    start = START_WORD if _is_usual(place) else place.start.fen
    line = f"{start} moves {moves}" if moves else start
    if asked.options.keys() - _OF_SHOW:
        options = [*_flags(asked.filters), *_rules(asked.options)]
        return ["bookbuilder", "build", path, *options, "--explain", line]
    position = [] if line == START_WORD else [moves if _is_usual(place) else line]
    return ["bookbuilder", "show", path, *position, *_flags(asked.filters), *_flags(asked.options)]


def _info_command(asked: _Asked) -> list[str]:
    path = str(asked.source.path)
    if isinstance(asked.source, StoreSource):
        return ["bookbuilder", "threshold", path, *_flags(asked.filters)]
    return ["bookbuilder", "info", path]


def _is_usual(place: Place) -> bool:
    return place.start.fen == Position(place.start.game).fen


def _moves(place: Place) -> list[str]:
    before = place.positions[:-1]
    return [each.coordinates(code) for each, code in zip(before, place.codes, strict=True)]


def _opened(asked: _Asked) -> list[str]:
    lines, path = ["import bookbuilder as bb", ""], str(asked.source.path)
    if not isinstance(asked.source, StoreSource):
        return [*lines, f"book = bb.open_book({path!r})"]
    given = ", ".join(f"{name}={value!r}" for name, value in asked.filters.items())
    filters = f", filters=bb.GameFilter({given})" if given else ""
    return [*lines, f"tally = bb.Tally.open({path!r}{filters})"]


def _select_line(asked: _Asked) -> str:
    options = "".join(f", {name}={value!r}" for name, value in asked.options.items())
    return f"chosen = bb.select(tally{options})"


def _build_python(asked: _Asked) -> list[str]:
    written = f"print(bb.write_book(chosen, {f'{asked.source.game}.book'!r}))"
    return [*_opened(asked), _select_line(asked), written, ""]


def _show_python(asked: _Asked, place: Place) -> list[str]:
    start = "" if _is_usual(place) else f", {place.start.fen!r}"
    lines = [*_opened(asked), f"position = bb.Position({asked.source.game!r}{start})"]
    if place.codes:
        moves = " ".join(_moves(place))
        lines += [
            f"for move in {moves!r}.split():",
            "    position = position.play(position.parse_move(move))",
        ]
    if isinstance(asked.source, StoreSource):
        shown = "print(bb.explain(tally, chosen, position).to_string())"
        return [*lines, _select_line(asked), shown, ""]
    return [*lines, "print(book.moves(position))", ""]


def _info_python(asked: _Asked) -> list[str]:
    what = "tally" if isinstance(asked.source, StoreSource) else "book"
    return [*_opened(asked), f"print({what})", ""]
