"""The explorer as a folder of files that any host of files can serve (`serve --export`).

| file | holds |
|---|---|
| index.html, static/ | the page |
| data/sources.json | the answer of `/sources`, and the name of each start position's file |
| data/SOURCE/NAME.json | the answer of `/position` with the default options, and its sample games |

A file is named by key and lock of its position. `after` of a move is the name of the file after it, null
where the export ends. Positions are taken by the number of games that reached them, the most first, up to a
number of plies and of positions.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.disk import draft_directory
from bookbuilder.errors import OutputExistsError
from bookbuilder.explorer.answer import SCHEMA
from bookbuilder.explorer.api.games import games_at, listed_game
from bookbuilder.explorer.api.positions import position_answer
from bookbuilder.explorer.assets import assets
from bookbuilder.explorer.query import Place, rules_json
from bookbuilder.explorer.sources import Source, Sources, StoreSource
from bookbuilder.games.position import as_position
from bookbuilder.plain_json import to_plain
from bookbuilder.selection.options import SelectionOptions

if TYPE_CHECKING:
    from bookbuilder._core import Position

_GAMES: Final = 8
# What the page of an export does not show.
_LEFT_OUT: Final = ("path", "key", "lock", "cluster", "judged", "sample", "fen_after")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportLimits:
    """How much of each source is exported.

    Attributes:
        plies: maximum plies after the start.
        positions: maximum number of positions.
    """

    plies: int = 16
    positions: int = 2000


def export(sources: Sources, directory: Path, limits: ExportLimits) -> int:
    """Write the explorer of some sources as files, whole or not at all; return the number of positions.

    Raises:
        OutputExistsError: the folder exists.
        BookBuilderError: a source cannot be read.
        OSError: a file cannot be written.
    """
    if directory.exists():
        raise OutputExistsError(f"{directory}: exists already; give another name, or remove it")
    with draft_directory(directory) as draft:
        _write_page(draft)
        entries, total = [], 0
        for source, entry in zip(sources, sources.listing(), strict=True):
            start = as_position("startpos", source.game)
            count = _write_source(draft / "data" / source.id, source, start, limits)
            # The place of a file says something about the machine.
            hidden = {"path": entry["name"], "archives": []}
            entries.append({**entry, **hidden, "start": _name(start)})
            total += count
        facts = {"engine": False, "endgames": [], "writable": False, "rules": rules_json(), "presets": {}}
        _write_json(draft / "data" / "sources.json", {"sources": entries, **facts})
    return total


def _write_page(folder: Path) -> None:
    found = assets()
    for name, file in found.files.items():
        path = folder / "static" / found.digest / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.plain)
    # The folder may lie anywhere on its host, so links are relative.
    html = found.html.decode().replace('"/static/', '"static/')
    mark = '<head>\n  <meta name="bookbuilder-export" content="data">'
    note = "An export needs a web host: a browser does not run it from a file."
    html = html.replace("<noscript>", f"<p>{note}</p><noscript>")
    html = html.replace('href="/"', 'href="."').replace("<head>", mark)
    (folder / "index.html").write_text(html, encoding="utf-8")


def _write_source(folder: Path, source: Source, start: Position, limits: ExportLimits) -> int:
    """Write the positions of a source, and return their number."""
    chosen = list(_positions(source, start, limits))
    known = {_name(position) for position, _ in chosen}
    folder.mkdir(parents=True)
    for position, answer in chosen:
        for move in answer["moves"]:
            after = _name(position.play(position.parse_move(move["move"])))
            move["after"] = after if after in known else None
        games = []
        if isinstance(source, StoreSource):
            games = [listed_game(source, row) for row in games_at(source, position, "rating")[:_GAMES]]
        _write_json(folder / f"{_name(position)}.json", {**answer, "games": games})
    return len(chosen)


def _positions(
    source: Source, start: Position, limits: ExportLimits
) -> Iterator[tuple[Position, dict[str, Any]]]:
    """Yield positions with their answers, those that more games reached first."""
    options = SelectionOptions()
    waiting: list[tuple[int, int, int, Position]] = [(0, 0, 0, start)]
    seen, number = {_name(start)}, 0
    while waiting and number < limits.positions:
        _, ply, _, position = heapq.heappop(waiting)
        number += 1
        answer = position_answer(source, Place(start=position, codes=(), positions=(position,)), options)
        yield position, answer
        if ply == limits.plies:
            continue
        for place, move in enumerate(answer["moves"]):
            after = position.play(position.parse_move(move["move"]))
            if _name(after) not in seen:
                seen.add(_name(after))
                reached = move["reached"] or move.get("weight") or 0
                heapq.heappush(waiting, (-reached, ply + 1, len(seen) * 1000 + place, after))


def _name(position: Position) -> str:
    key, lock = position.stored(False)
    return f"{key:016x}{lock:08x}"


def _write_json(path: Path, answer: dict[str, Any]) -> None:
    lean = _lean(to_plain({"schema": SCHEMA, **answer}))
    text = json.dumps(lean, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    path.parent.mkdir(exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8", newline="")


def _lean(value: Any) -> Any:  # noqa: ANN401 (JSON data)
    if isinstance(value, list):
        return [_lean(each) for each in value]
    if isinstance(value, dict):
        return {name: _lean(each) for name, each in value.items() if name not in _LEFT_OUT}
    return value
