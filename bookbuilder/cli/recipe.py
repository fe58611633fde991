"""The recipe that a book carries in, the tally and the selection it was made from out, made anew."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookbuilder.cli.inputs import add_to
from bookbuilder.errors import ArchiveError, BookError, OptionError

if TYPE_CHECKING:
    from bookbuilder.selection import Selection
    from bookbuilder.tally import Tally

__all__ = ["read_recipe", "selected_again", "tallied_again"]


def read_recipe(path: Path) -> Mapping[str, Any]:
    """Return the recipe of a book, or of a JSON file that holds one.

    Raises:
        BookError: the file is neither, or its recipe lacks a part.
    """
    if path.suffix.lower() == ".json":
        try:
            recipe = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BookError(f"{path}: is no JSON: {error}") from error
    else:
        from bookbuilder.book import Book

        recipe = Book.open(path).recipe
    missing = [part for part in ("sources", "tally", "selection", "columns") if part not in recipe]
    if missing:
        raise BookError(f"{path}: its recipe lacks {', '.join(missing)}")
    if not all("blake3" in source for source in recipe["sources"]):
        raise BookError(f"{path}: its recipe names archives without BLAKE3 digests; build it again from them")
    return dict(recipe)


def tallied_again(
    recipe: Mapping[str, Any],
    *,
    rejects: Path | None,
    max_inflate: int | None,
    jobs: int | None,
    quiet: bool,
) -> Tally:
    """Return the tally of the recipe's archives, which must be where and what they were.

    Raises:
        ArchiveError: an archive is missing or has another content.
    """
    from bookbuilder.runner import TallyOptions
    from bookbuilder.tally import Tally

    files = [_unchanged(source) for source in recipe["sources"]]
    before = Tally.empty(TallyOptions.from_json(recipe["tally"]))
    return add_to(before, files, rejects=rejects, max_inflate=max_inflate, jobs=jobs, quiet=quiet)[0]


def selected_again(tally: Tally, recipe: Mapping[str, Any]) -> Selection:
    """Return the selection that the recipe describes.

    Raises:
        OptionError: its quality came from a user's own formula, which a recipe does not hold.
    """
    from bookbuilder.quality import FORMULA
    from bookbuilder.selection import select

    options = dict(recipe["selection"])
    if (formula := options.pop("quality")) != FORMULA:
        raise OptionError(f"the recipe's quality is {formula}: only the default formula can be repeated")
    return select(tally, **options)


def _unchanged(source: Mapping[str, Any]) -> Path:
    from bookbuilder.runner import Source

    found = Source.of_file(Path(source["source"]))
    if found.blake3 != source["blake3"]:
        raise ArchiveError(
            f"{source['source']}: blake3 is {found.blake3[:16]}…, the recipe expects {source['blake3'][:16]}…"
        )
    return Path(source["source"])
