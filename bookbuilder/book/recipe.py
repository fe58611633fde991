"""The recipe of a book: a JSON object with the archives that it was built from and the options.

A book stores the recipe as text. `bookbuilder build --recipe` builds the same book from it again, byte for
byte.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookbuilder import _core
from bookbuilder.archives.kinds import describe_mistake, recognise
from bookbuilder.errors import ArchiveError, BookError

if TYPE_CHECKING:
    from bookbuilder.selection.select import Selection
    from bookbuilder.tally.report import TallyReport
    from bookbuilder.tally.tally import Tally


def parse_recipe(text: str | bytes, path: Path) -> dict[str, Any]:
    """Return a recipe as JSON data.

    Raises:
        BookError: the text is not a JSON object; the message names the file `path`.
    """
    try:
        recipe = json.loads(text)
    except ValueError as error:
        raise BookError(f"{path}: the recipe is not JSON: {error}") from error
    if not isinstance(recipe, dict):
        raise BookError(f"{path}: the recipe is {type(recipe).__name__}, expected a JSON object")
    return recipe


def dump_recipe(recipe: Mapping[str, Any]) -> str:
    """Return the text that a book stores for a recipe."""
    return json.dumps(recipe, allow_nan=False)


def selection_recipe(selection: Selection, *, columns: bool) -> dict[str, Any]:
    """Return the recipe of a book that is written from a selection."""
    return {**_head(selection.game, columns=columns), **selection.recipe}


def converted_recipe(game: str, moves: int, weights: str, *, has_games: bool) -> dict[str, Any]:
    """Return the recipe of a book that was converted from moves; without games, weights stand for them."""
    converted = {"moves": moves, "weights": weights, "games": has_games}
    return {**_head(game, columns=True), "sources": [], "converted": converted}


def merged_recipe(game: str, recipes: Sequence[Mapping[str, Any]], *, columns: bool) -> dict[str, Any]:
    """Return the recipe of the sum of books with these recipes.

    The order of the books does not matter: the parts of merged books are listed singly, sorted.
    """
    parts: list[Mapping[str, Any]] = []
    for recipe in recipes:
        parts += recipe["parts"] if recipe.get("merge") == "sum" else [recipe]
    parts.sort(key=lambda part: json.dumps(part, sort_keys=True))
    return {**_head(game, columns=columns), "merge": "sum", "parts": parts}


def _head(game: str, *, columns: bool) -> dict[str, Any]:
    return {"program": f"bookbuilder {_core.CORE_VERSION}", "game": game, "columns": columns}


def read_recipe(path: Path) -> dict[str, Any]:
    """Return the recipe of a book, or of a JSON file that contains one, with its `SelectionOptions`.

    Raises:
        BookError: the file is neither, its recipe lacks a part, a function in Python selected, or the book
            was changed by hand.
        SelectionError: its quality came from a user's own formula, which recipes do not store.
    """
    from bookbuilder.selection.options import SelectionOptions

    recipe = parse_recipe(_recipe_text(path), path)
    if "merge" in recipe:
        raise BookError(
            f"{path}: was merged from {len(recipe['parts'])} books: build these again and merge them"
        )
    if recipe.get("edited"):
        raise BookError(
            f"{path}: was changed by hand after it was built; undo the changes with book edit --undo, or "
            "write them to a file for build --edits"
        )
    for rule in recipe.get("own_rules", ()):
        raise BookError(
            f'{path}: was selected by a function in Python ("{rule["reason"]}"), which a recipe cannot '
            "store: run the program that built it again"
        )
    missing = [part for part in ("sources", "tally", "selection", "columns") if part not in recipe]
    if missing:
        raise BookError(f"{path}: its recipe lacks {', '.join(missing)}")
    if not all("blake3" in source for source in recipe["sources"]):
        raise BookError(f"{path}: its recipe names archives without BLAKE3 digests; build it again from them")
    return {**recipe, "selection": SelectionOptions.from_json(recipe["selection"])}


def _recipe_text(path: Path) -> str | bytes:
    if path.suffix.lower() == ".json":
        return path.read_bytes()
    try:
        return _core.Book.open(os.fspath(path)).recipe
    except (BookError, IsADirectoryError) as error:
        mistake = describe_mistake(path, "book", is_clustered=True)
        if mistake is None and recognise(path) is None:
            mistake = f"{path}: has no recipe; expected a .book, or a .json file with a recipe"
        if mistake is None:
            raise
        raise BookError(mistake) from error


def tallied_again(
    recipe: Mapping[str, Any],
    add: Callable[[Tally, Sequence[Path]], tuple[Tally, TallyReport]],
    file_of: Callable[[str], Path] = Path,
) -> Tally:
    """Return the tally of the recipe's archives. They must have the same names and contents as before.

    Raises:
        ArchiveError: an archive is missing or has changed.
    """
    from bookbuilder.archives.sources import Source
    from bookbuilder.tally.options import TallyOptions
    from bookbuilder.tally.tally import Tally

    files = []
    for source in recipe["sources"]:
        files.append(file_of(source["source"]))
        found = Source.of_file(files[-1])
        if found.blake3 != source["blake3"]:
            raise ArchiveError(
                f"{source['source']}: differs from the archive of the recipe: its BLAKE3 digest is "
                f"{found.blake3[:16]}…, expected {source['blake3'][:16]}…"
            )
    return add(Tally.empty(TallyOptions.from_json(recipe["tally"])), files)[0]
