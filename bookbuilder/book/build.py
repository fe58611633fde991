"""From a selection, or from archives, to a book of any format in one call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, Unpack, cast

from bookbuilder.book.book import Book
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import FORMATS, Format, Written, format_of, write_moves, written
from bookbuilder.errors import OptionError, OutputExistsError, SelectionError
from bookbuilder.games.position import Game
from bookbuilder.keywords import require_kind, require_known, spelled_out
from bookbuilder.schema import NO_VERDICTS
from bookbuilder.selection.by_hand import kept_places
from bookbuilder.selection.options import OPTIONS, SelectArguments, SelectionOptions
from bookbuilder.selection.options import preset as preset_options
from bookbuilder.selection.own_rules import Keep
from bookbuilder.selection.select import Selection, select
from bookbuilder.tally.options import CountArguments, LimitArguments
from bookbuilder.tally.store.layout import is_store
from bookbuilder.tally.tally import Tally

_Path: TypeAlias = "str | os.PathLike[str]"


class BuildArguments(CountArguments, SelectArguments, total=False):
    """The keyword arguments of `build` for counting, selection and writing."""

    game: Game | Literal["auto"]
    keep: Keep
    reason: str
    as_format: str | None


@spelled_out(BuildArguments)
def build(
    inputs: _Path | Sequence[_Path] | Tally,
    output: _Path,
    *,
    preset: str | None = None,
    force: bool = False,
    **options: Unpack[BuildArguments],
) -> Written:
    """Build a book from archives with the defaults of `bookbuilder build`, and return a report.

    Args:
        inputs: archives (files, directories, patterns, `@` lists), one tally store, or a tally.
        output: the book; the suffix is its format.
        preset: named options of selection; None = `engine`, or with `for_side` `repertoire`.
        force: replace an existing file.
        **options: fields of `SelectionOptions` except `shape`, of `TallyOptions`, `GameFilter` and
            `RunLimits`; keep and reason of `select`; as_format of `write_book`.

    Raises:
        OutputExistsError: the file exists and `force` is not given.
        ArchiveError: an archive is missing or cannot be read.
        OptionError, SelectionError: an option is not valid, or nothing is kept; a tally or store was counted
            with other options.
        TypeError: an option is unknown.

    Example:
        >>> build("games.pgn", "book.bin", preset="own-games").moves
        22
    """
    require_known(options, BuildArguments.__annotations__)
    target = Path(output)
    if target.exists() and not force:
        raise OutputExistsError(f"{target}: exists already; give another name or force=True")
    as_format = options.pop("as_format", None)
    keep, reason = options.pop("keep", None), options.pop("reason", "own-rule")
    if "shape" in options:
        raise OptionError("shape: the format of the book determines it")
    own = {name: value for name, value in options.items() if name in OPTIONS}
    own["shape"] = "positions" if _format(target, as_format).name == "book" else "moves"
    name = preset or ("repertoire" if "for_side" in own else "engine")
    chosen = preset_options(name, **cast("SelectArguments", own))
    # Games and plies that the selection does not need are not counted.
    counting = {name: value for name, value in options.items() if name not in OPTIONS}
    counting["max_ply"] = chosen.max_ply
    if chosen.for_side is not None and "player" in options and "player_side" not in options:
        counting["player_side"] = chosen.for_side
    tally = _tally(inputs, counting)
    # A store may be counted further than the book goes.
    if options.get("max_ply") is not None and options["max_ply"] == tally.options.max_ply:
        chosen = replace(chosen, max_ply=None)
    tally = without_rare(tally, chosen)
    selection = select(tally, chosen, keep=keep, reason=reason)
    return write_book(selection, target, as_format=as_format)


def without_rare(tally: Tally, options: SelectionOptions) -> Tally:
    """Return a tally of frequent positions, if neither the selection nor a report on its book needs others.

    Raises:
        StoreError: a part of a store is damaged.
    """
    least = options.resolved(tally.game, tally.game_count).least_games
    if not options.trims or least <= 1:
        return tally
    return tally.frequent(least, also=kept_places(options.edits, fold=tally.options.fold))


def write_book(selection: Selection, path: _Path, *, as_format: str | None = None) -> Written:
    """Write a selection as a book of any format, atomically, and return a report. A file is replaced.

    Args:
        selection: of either shape; if the format needs the other one, it is selected again.
        path: the file.
        as_format: the format; None = by the suffix, without one a clustered book.

    Raises:
        SelectionError: no row is kept, or the selection cannot be made in the shape of the format.
        OptionError: the format is unknown, or is one of the other game; or it is not a selection.
        OSError: the file cannot be written.

    Example:
        >>> write_book(select(Tally.from_archives("games.pgn"), min_games=1), "book.abk").format
        'abk'
    """
    require_kind("write_book", selection, Selection)
    target = Path(path)
    to = _format(target, as_format)
    if selection.game not in to.games:
        raise OptionError(f"{target}: {to.name} is a format for {to.games[0]}, not for {selection.game}")
    chosen = selection.shaped("positions" if to.name == "book" else "moves")
    reasons = chosen.reasons()
    if not reasons.get(""):
        why = ", ".join(f"{count:,} {name}" for name, count in reasons.items() if name not in NO_VERDICTS)
        raise SelectionError(
            f"{target}: not written, no {chosen.shape[:-1]} is kept: {why or 'no move was counted'}"
        )
    if to.name != "book":
        return write_moves(target, MoveBook.from_selection(chosen), to.name)
    return written(target, to.name, chosen.game, len(Book.write(target, chosen)))


def _format(path: Path, name: str | None) -> Format:
    return FORMATS["book"] if name is None and not path.suffix else format_of(path, name)


def _tally(inputs: _Path | Sequence[_Path] | Tally, counting: Mapping[str, Any]) -> Tally:
    if isinstance(inputs, Tally):
        tally = inputs
    else:
        paths = list(inputs) if isinstance(inputs, Iterable) and not isinstance(inputs, str) else [inputs]
        for path in paths:
            require_kind("build", path, str | os.PathLike)
        if len(paths) != 1 or not is_store(paths[0]):
            return Tally.from_archives(*paths, **counting)
        tally = Tally.open(paths[0])
    # A tally may be counted further than the book goes, and limits of a run do not change it.
    unasked = {"max_ply", *LimitArguments.__annotations__}
    asked = {name: value for name, value in counting.items() if name not in unasked and value != "auto"}
    if words := tally.options.differences_in_words(tally.options.changed(asked)):
        raise OptionError(f"{tally}: was counted with other options: {words}; build from the archives")
    return tally
