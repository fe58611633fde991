"""The recipe that a book carries in, the tally and the selection it was made from out, made anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookbuilder.errors import ArchiveError, BookError

if TYPE_CHECKING:
    from bookbuilder.book.edits import Edit
    from bookbuilder.selection.options import SelectionOptions
    from bookbuilder.tally.report import TallyReport
    from bookbuilder.tally.tally import Tally

__all__ = ["Recipe", "read_recipe", "tallied_again"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a book was made from and how.

    Attributes:
        sources: the archives, as JSON data.
        tally: the options of counting, as JSON data.
        selection: the options of selection.
        columns: whether locks and counts are stored.
        edits: what was changed by hand afterwards.
    """

    sources: Sequence[Mapping[str, Any]]
    tally: Mapping[str, Any]
    selection: SelectionOptions
    columns: bool
    edits: Sequence[Edit]


def read_recipe(path: Path) -> Recipe:
    """Return the recipe of a book, or of a JSON file that holds one.

    Raises:
        BookError: the file is neither, or its recipe lacks a part.
        SelectionError: its quality came from a user's own formula, which a recipe does not hold.
    """
    from bookbuilder.book.edits import edits_of
    from bookbuilder.selection.options import SelectionOptions

    recipe = _read(path)
    if "merge" in recipe:
        raise BookError(
            f"{path}: was merged from {len(recipe['parts'])} books: build these again and merge them"
        )
    missing = [part for part in ("sources", "tally", "selection", "columns") if part not in recipe]
    if missing:
        raise BookError(f"{path}: its recipe lacks {', '.join(missing)}")
    if not all("blake3" in source for source in recipe["sources"]):
        raise BookError(f"{path}: its recipe names archives without BLAKE3 digests; build it again from them")
    return Recipe(
        sources=recipe["sources"],
        tally=recipe["tally"],
        selection=SelectionOptions.from_json(recipe["selection"]),
        columns=recipe["columns"],
        edits=edits_of(recipe),
    )


def _read(path: Path) -> dict[str, Any]:
    from bookbuilder.book.book import Book

    if path.suffix.lower() != ".json":
        return Book.open(path).recipe
    try:
        recipe = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BookError(f"{path}: is no JSON: {error}") from error
    if not isinstance(recipe, dict):
        raise BookError(f"{path}: expected a JSON object, found {type(recipe).__name__}")
    return recipe


def tallied_again(recipe: Recipe, add: Callable[[Tally, Sequence[Path]], tuple[Tally, TallyReport]]) -> Tally:
    """Return the tally of the recipe's archives, which must be where and what they were.

    Args:
        recipe: the recipe.
        add: counts archives into a tally.

    Raises:
        ArchiveError: an archive is missing or has another content.
    """
    from bookbuilder.tally.options import TallyOptions
    from bookbuilder.tally.tally import Tally

    files = [_unchanged(source) for source in recipe.sources]
    return add(Tally.empty(TallyOptions.from_json(recipe.tally)), files)[0]


def _unchanged(source: Mapping[str, Any]) -> Path:
    from bookbuilder.archives.sources import Source

    found = Source.of_file(Path(source["source"]))
    if found.blake3 != source["blake3"]:
        raise ArchiveError(
            f"{source['source']}: is not the archive of the recipe: its blake3 is {found.blake3[:16]}…, "
            f"expected {source['blake3'][:16]}…"
        )
    return Path(source["source"])
