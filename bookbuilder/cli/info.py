"""`bookbuilder info`: recognise a file or folder by its content, and show its facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from bookbuilder.archives.find import detect_game, find_archives
from bookbuilder.archives.kinds import Recognised, recognise
from bookbuilder.cli.book.summary import reach_lines
from bookbuilder.cli.console import counted, format_bytes, print_json, say
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.tables import Cell, number, print_facts, print_table, text
from bookbuilder.errors import ArchiveError, OptionError
from bookbuilder.tally.options import TallyOptions

_COUNTED_BYTES: Final = 64 << 20
"""Bytes of archives whose games are counted for the answer; `games count` counts the games of larger ones."""
_ARCHIVES: Final = 5
"""Archives of a book that are named; --json names all."""
_KINDS: Final = "an archive, a tally store, a book, a recipe, evaluations, endgame tables, or a journal"


def info(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Any file or folder of bookbuilder.")],
    against: Annotated[
        Path | None,
        typer.Option(metavar="STORE", help="Let the opponent of a book play any move of this tally store."),
    ] = None,
    json: opt.Json = False,
) -> None:
    """Show what a file or folder is, and its facts: of a book also how far its lines reach.

    Archives, stores, books of any format, recipes, evaluations, endgame tables, rejects and journals are
    recognised by their content, whatever they are called.
    """
    if not path.exists():
        raise ArchiveError(f"{path}: no such file or directory")
    found = recognise(path)
    if found is None and path.is_dir():
        with suppress(ArchiveError):
            files = find_archives([path])
            found = Recognised(kind="archive", what="a folder of archives, not all of one game")
            game = detect_game(files)
            found = Recognised(kind="archive", what=f"a folder of archives of {game} games", game=game)
    if found is None:
        raise ArchiveError(f"{path}: is not recognised; expected {_KINDS}")
    if against is not None and found.kind != "book":
        raise OptionError("--against is about a book")
    named = {"path": str(path), "kind": found.kind, "what": found.what}
    if found.kind == "book":
        _show_book(path, against, named, json=json)
    elif found.kind == "store":
        _show_store(path, named, json=json)
    else:
        facts = _facts(path, found)
        if json:
            print_json({**named, **facts})
            return
        # Unknown and empty facts are omitted.
        known = ((name, value) for name, value in facts.items() if value not in (None, [], {}))
        rows = [("is", found.what), *((name.replace("_", " "), _text(name, value)) for name, value in known)]
        print_facts(path.name or str(path), rows, "", is_left=True)


def _show_book(path: Path, against: Path | None, named: dict[str, Any], *, json: bool) -> None:
    """Show the facts of a book, its recipe and its reach."""
    from bookbuilder.book.graph import graph_of_file
    from bookbuilder.book.open import open_book
    from bookbuilder.book.reach import book_reach
    from bookbuilder.selection.options import preset
    from bookbuilder.tally.tally import Tally

    facts = open_book(path).info
    reach = book_reach(graph_of_file(path, None if against is None else Tally.open(against)))
    if json:
        print_json({**named, **facts, "reach": reach.to_json()})
        return
    recipe: dict[str, Any] = facts.get("recipe", {})
    rows: list[tuple[str, Cell]] = [
        ("game", facts["game"]),
        ("format", facts["format"]),
        *((unit, facts[unit]) for unit in ("records", "moves") if unit in facts),
        ("bytes", _text("bytes", facts["bytes"])),
        ("mirrors folded", _text("", facts["fold"])),
        *([("values of an engine", "yes")] if facts.get("values") else []),
        ("does not store", ", ".join(facts["does_not_store"]) or "–"),
        *(("not read", f"{count:,} {what}") for what, count in facts.get("not_read", {}).items()),
    ]
    sources = recipe.get("sources", ())
    for source in sources[:_ARCHIVES]:
        games = counted(source.get("games", 0), "game")
        rows.append(("archive", f"{source.get('source')} ({games})"))
    if len(sources) > _ARCHIVES:
        rows.append(("  and more", len(sources) - _ARCHIVES))
    if "tally" in recipe:
        rows += _options(TallyOptions.from_json(recipe["tally"]))
    if "preset" in recipe:
        usual = preset(recipe["preset"]).to_json()
        rows.append(("preset", recipe["preset"]))
        # Only the options that differ from those of the preset.
        own = recipe.get("selection", {}).items()
        rows += [(name.replace("_", " "), str(value)) for name, value in own if value != usual.get(name)]
    if "merge" in recipe:
        rows.append(("merged from", f"{len(recipe['parts'])} books"))
    if recipe.get("edited"):
        rows.append(("changed by hand", counted(recipe["edited"], "time")))
    print_facts(str(path), rows, "fact", is_left=True)
    for line in reach_lines(reach.game, reach.to_json()):
        say(line)


def _options(options: TallyOptions) -> list[tuple[str, Cell]]:
    """Return the options of counting that are not the usual ones."""
    changed = options.differences(TallyOptions(game=options.game))
    names = {"limit": "max games"}
    words = ((names.get(name, name.replace("_", " ")), _text("", of)) for name, (of, _) in changed.items())
    return [("counted with", " ".join(each)) for each in words]


def _show_store(path: Path, named: dict[str, Any], *, json: bool) -> None:
    """Show the facts of a store and its archives."""
    from bookbuilder.tally.store.layout import read_manifest

    manifest = read_manifest(path)
    game = manifest.options.game
    size = sum(part["bytes"] for part in (*manifest.parts, *manifest.game_parts))
    if json:
        facts = {name: value for name, value in manifest.to_json().items() if name not in ("kind", "schema")}
        print_json({**named, "game": game, **facts, "bytes": size})
        return
    rows: list[tuple[str, Cell]] = [
        ("is", "a tally store"),
        ("game", game),
        *_options(manifest.options),
        ("rows", manifest.rows),
        ("games", manifest.games),
        ("observations", sum(part["games"] for part in manifest.parts)),
        ("parts", f"{len(manifest.parts):,} of rows, {len(manifest.game_parts):,} of games"),
        ("bytes", _text("bytes", size)),
    ]
    print_facts(str(path), rows, "fact", is_left=True)
    counts = number("games"), number("rejects", drop=1), number("bytes", drop=2)
    print_table(
        (text("archive", least=24), *counts, text("digest", drop=3)),
        [(each.source, each.games, each.rejects, each.size, each.blake3[:16]) for each in manifest.sources],
    )


def _text(name: str, value: Any) -> str:  # noqa: ANN401 (JSON data)
    """Return a fact for people."""
    if name == "bytes":
        return f"{value:,} ({format_bytes(value)})"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text('', each)}" for key, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _facts(path: Path, found: Recognised) -> dict[str, Any]:
    """Return the facts of anything but a book or a store."""
    if found.kind == "run":
        return {}
    if found.kind == "archive":
        from bookbuilder.tally.tally import Tally

        files = find_archives([path])
        size, games = sum(file.stat().st_size for file in files), None
        if found.game is not None and size <= _COUNTED_BYTES:
            counts = Tally.empty(TallyOptions(game=found.game, max_ply=1)).add_archives(*files)
            games = None if counts.report is None else counts.report.games_read
        return {"game": found.game, "files": len(files), "bytes": size, "games": games}
    if found.kind == "recipe":
        from bookbuilder.book.recipe import parse_recipe

        recipe = parse_recipe(path.read_bytes(), path)
        parts = recipe.get("parts", [recipe])
        sources = [source for part in parts for source in part.get("sources", ())]
        return {
            "game": recipe.get("game"),
            "program": recipe.get("program"),
            "preset": recipe.get("preset"),
            "merged_books": len(parts) if "parts" in recipe else None,
            "archives": len(sources),
            "games": sum(source.get("games", 0) for source in sources),
            "edits": len(recipe.get("edits", ())),
        }
    if found.kind == "endgames":
        from bookbuilder.engine.endgames import Endgames

        tables = [
            table
            for table in Endgames(path if path.is_dir() else path.parent).files
            if path.is_dir() or path.name.startswith(f"{table.material}.{table.game}.{table.metric}.")
        ]
        return {
            "games": dict(Counter(table.game for table in tables)),
            "metrics": dict(Counter(table.metric for table in tables)),
            "tables": len(tables),
            "materials": sorted({table.material for table in tables})[:20],
            "bytes": sum(table.bytes for table in tables),
        }
    if found.kind == "evals":
        from bookbuilder.evals.table import Evals

        evals = Evals.read(path)
        return {
            "game": evals.game,
            "positions": evals.positions,
            "evaluations": len(evals),
            "engines": dict(Counter(evals.table.column("engine").to_pylist()).most_common()),
            "mirrors_folded": evals.fold,
            "bytes": path.stat().st_size,
        }
    # A journal, rejects, lines or changes: one JSON value a line.
    with path.open("rb") as file:
        return {"game": found.game, "lines": sum(1 for _ in file), "bytes": path.stat().st_size}
