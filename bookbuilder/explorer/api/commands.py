"""`/commands`: the command, and for a book the Python, that give what a page shows."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import Any, Final

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from bookbuilder._core import Position
from bookbuilder.archives.filters import GameFilter
from bookbuilder.explorer.answer import answer
from bookbuilder.explorer.query import (
    asked_filters,
    asked_source,
    asked_store,
    place_at,
    read_word,
    selection_of,
)
from bookbuilder.explorer.sources import Source, StoreSource
from bookbuilder.games.position import START_WORD
from bookbuilder.selection.options import OPTIONS, SelectionOptions
from bookbuilder.tally.options import MAX_PLY

# `show` takes these; what else differs needs `build --explain`.
_OF_SHOW: Final = frozenset(("min_win_rate", "min_games", "margin"))


def commands(request: Request) -> Response:
    """Answer `/commands`. `what` is show (a position) or build (a book of a store)."""
    query = request.query_params
    if read_word(query, "what", ("show", "build")) == "show":
        return answer({"command": shlex.join(_show(request)), "python": None})
    source, filters = asked_store(request), _filters(query)
    options, book = _options(source, query), f"{source.game}.book"
    words = ["bookbuilder", "build", str(source.path), "-o", book, *_flags(filters), *_rules(source, options)]
    given = ", ".join(f"{name}={value!r}" for name, value in filters.items())
    lines = [
        "import bookbuilder as bb",
        "",
        f"tally = bb.Tally.open({str(source.path)!r}{f', filters=bb.GameFilter({given})' if given else ''})",
        f"chosen = bb.select(tally{''.join(f', {name}={value!r}' for name, value in options.items())})",
        f"print(bb.write_book(chosen, {book!r}))",
        "",
    ]
    return answer({"command": shlex.join(words), "python": "\n".join(lines)})


def _show(request: Request) -> list[str]:
    query, source = request.query_params, asked_source(request)
    place = place_at(query, source.game)
    is_usual = place.start.fen == Position(source.game).fen
    start = START_WORD if is_usual else place.start.fen
    moves = " ".join(place.moves)
    line = f"{start} moves {moves}" if moves else start
    options = _options(source, query) if isinstance(source, StoreSource) else {}
    filters = _flags(_filters(query))
    if options.keys() - _OF_SHOW:
        rules = _rules(source, options)
        return ["bookbuilder", "build", str(source.path), *filters, *rules, "--explain", line]
    position = [] if line == START_WORD else [moves if is_usual else line]
    return ["bookbuilder", "show", str(source.path), *position, *filters, *_flags(options)]


def _options(source: StoreSource, query: QueryParams) -> dict[str, Any]:
    """Return the options of selection that differ from the defaults, with values as a user writes them."""
    chosen, usual = selection_of(source, query), SelectionOptions()
    found: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        value = getattr(chosen, name)
        if option.query and value != getattr(usual, name):
            found[name] = value if isinstance(value, bool | int) else query.get(option.query)
    if chosen.max_ply is None:
        found["max_ply"] = OPTIONS["max_ply"].unset
    return found if chosen.edits is None else {**found, "edits": str(source.by_hand.path)}


def _filters(query: QueryParams) -> dict[str, Any]:
    given, usual = asdict(asked_filters(query)), asdict(GameFilter())
    return {name: value for name, value in given.items() if value != usual[name]}


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


def _rules(source: Source, options: dict[str, Any]) -> list[str]:
    """Return the options of selection as `build` takes them. With `--side` its preset is `repertoire`."""
    if options.get("max_ply") == OPTIONS["max_ply"].unset:
        options = {**options, "max_ply": source.max_ply or MAX_PLY}  # all plies of the store, as a number
    return [*(["--preset", "engine"] if "for_side" in options else []), *_flags(options)]
