"""Compare the options of a command line with the options of a store, and say what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.errors import ArchiveError, OptionError

if TYPE_CHECKING:
    from bookbuilder.games.position import Game
    from bookbuilder.tally.options import TallyOptions

__all__ = ["require_counted", "require_game"]

# Filters that a store can answer later: what it must keep, and the facet for it.
_FACETS: Final = {
    "since": ("dates", "year"),
    "until": ("dates", "year"),
    "min_rating": ("ratings", "rating"),
    "max_rating": ("ratings", "rating"),
    "rating_of": ("ratings", "rating"),
    "time_control": ("time controls", "speed"),
    "player_side": ("the side of a player", "player-side"),
}
_OTHERS: Final = {
    "player": "the names of players",
    "event": "the names of events",
    "eco": "the codes of openings",
    "result": "games apart by result",
    "min_plies": "the lengths of games",
    "tag": "tags",
}


def require_counted(store: Path, counted: TallyOptions, given: Mapping[str, Any]) -> None:
    """Refuse options with which a store was not counted.

    Args:
        store: the store.
        counted: the options of the store.
        given: the options of the command line.

    Raises:
        OptionError: they differ; the message names the first difference and says what to do.
    """
    asked = counted.changed(given)
    if asked == counted:
        return
    mine, theirs = ({**asdict(each), **asdict(each.filters)} for each in (counted, asked))
    # An option that was given may change others.
    name = next(name for name in (*given, *mine) if name != "filters" and mine[name] != theirs[name])
    option = f"--{name.replace('_', '-')}"
    build = "or build from the archives"
    if name == "game":
        raise OptionError(f"{store}: is a tally store of {counted.game}; --game {asked.game} was asked for")
    if name in _FACETS and not mine[name]:
        what, facet = _FACETS[name]
        raise OptionError(f"{store}: was counted without {what}. Recount with --facet {facet}, {build}")
    if name in _OTHERS and not mine[name]:
        raise OptionError(f"{store}: does not keep {_OTHERS[name]}. Recount with {option}, {build}")
    if name == "facets":
        words = " ".join(counted.facets) or "none"
        raise OptionError(f"{store}: was counted with other facets ({words}). Count into another store")
    raise OptionError(
        f"{store}: was counted with {_spelled(option, mine[name])}, "
        f"{_spelled(option, theirs[name])} was asked for. Recount with it, {build}"
    )


def require_game(store: Path, game: Game, files: Sequence[Path]) -> None:
    """Refuse archives of another game than that of a store.

    Raises:
        ArchiveError: all archives are of the other game.
    """
    from bookbuilder.archives.find import detect_game

    try:
        found = detect_game(files)
    except ArchiveError:
        return  # of both games, or unreadable: the run reports each file
    if found != game:
        what = f"holds {found} games; {store} is a tally store of {game}"
        raise ArchiveError(f"{files[0]}: {what}. Count them into another store")


def _spelled(option: str, value: Any) -> str:  # noqa: ANN401 (the value of any option)
    """Return an option as a command line spells it."""
    if value is None or value == ():
        return f"no {option}"
    if isinstance(value, bool):
        return option if value else f"--no-{option.removeprefix('--')}"
    return " ".join(f"{option} {each}" for each in (value if isinstance(value, tuple) else (value,)))
