"""Presets: named sets of options for a selection.

| preset | keeps |
|---|---|
| engine | the default: moves that do as well as their position, weighted by cubed popularity |
| broad | every move of enough games, weighted by popularity |
| repertoire | one side's best moves and the opponent's common replies, connected |
| own-games | every move of a small collection, such as the games of one player |
| literature | positions with P ≥ 0.55 in the absolute, as in the paper on opening libraries |

docs/selection.md has their options on the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias, get_args

from bookbuilder.errors import SelectionError
from bookbuilder.selection.options import SelectionOptions

__all__ = ["PRESETS", "PresetName", "preset", "preset_of"]

PresetName: TypeAlias = Literal["engine", "broad", "repertoire", "own-games", "literature"]
"""The name of a preset."""

PRESETS: Final[Mapping[PresetName, Mapping[str, Any]]] = {
    "engine": {},
    "broad": {"margin": None, "min_share": None, "own_lines": False, "sharpen": 1},
    "repertoire": {
        "for_side": "first",
        "opponent_min_games": None,
        "opponent_min_share": "0.01",
        "connected": True,
    },
    "own-games": {
        "margin": None,
        "min_share": None,
        "own_lines": False,
        "min_games": 1,
        "sharpen": 1,
        "max_ply": 60,
    },
    "literature": {
        "min_win_rate": "0.55",
        "min_games": 1,
        "margin": None,
        "min_share": None,
        "max_ply": None,
        "own_lines": False,
        "sharpen": None,
    },
}
"""The options of each preset that differ from the defaults of `SelectionOptions`."""

# A preset keeps its name when these differ: they say for whom and how a book is written.
_FREE: Final = ("for_side", "shape", "max_ply", "basis", "min_games", "opponent_min_games")


def preset(name: str, **changes: Any) -> SelectionOptions:  # noqa: ANN401 (any option's value)
    """Return the options of a preset.

    Args:
        name: of the preset.
        **changes: options that differ from it.

    Raises:
        SelectionError: the preset is unknown, or an option is not valid.

    Example:
        >>> str(preset("literature").min_win_rate), preset("engine", margin="0.05").sharpen
        ('11/20', 3)
    """
    for known in get_args(PresetName):
        if known == name:
            return SelectionOptions(**{**PRESETS[known], **changes})
    raise SelectionError(f"preset {name}: expected {', '.join(PRESETS)}")


def preset_of(options: SelectionOptions) -> PresetName | None:
    """Return the preset with these options; None if there is none.

    The sides, the shape and the limits of games and plies may differ.
    """
    for name in PRESETS:
        if preset(name, shape=options.shape) == options:
            return name
    free = {name: getattr(options, name) for name in _FREE}
    for name in PRESETS:
        if options.for_side is None and "for_side" in PRESETS[name]:
            continue
        if replace(preset(name), **free) == options:
            return name
    return None
