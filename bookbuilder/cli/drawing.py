"""Pictures that commands draw into a file."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from bookbuilder.cli.console import note
from bookbuilder.cli.options.arguments import OUTPUT
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PlotFile", "draw", "require_plotting"]

_TIMES: Final = {"svg": ("Date",), "pdf": ("CreationDate",)}
"""What these formats say of the time of drawing."""

PlotFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw a picture: .svg, .png or .pdf.",
        show_default=False,
        rich_help_panel=OUTPUT,
        hidden=True,
    ),
]


def require_plotting(path: Path | None, *, force: bool) -> None:
    """Refuse a picture that cannot be drawn.

    Raises:
        OptionError: its suffix is not that of a picture, or matplotlib is not installed.
        OutputExistsError: it exists and `force` is not given.
    """
    if path is None:
        return
    if path.suffix.lower() not in {".svg", ".png", ".pdf"}:
        raise OptionError(f"{path}: a picture ends in .svg, .png or .pdf")
    if find_spec("matplotlib") is None:
        raise OptionError('--plot needs matplotlib: pip install "bookbuilder[notebook]"')
    require_free(path, force=force)


def draw(
    path: Path | None, *paints: Callable[[Axes], object], quiet: bool, size: tuple[float, float] = (8, 5)
) -> None:
    """Draw a figure with one row of axes for each of `paints`, and write it to the file."""
    if path is None:
        return
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    for paint, axes in zip(paints, figure.subplots(len(paints), squeeze=False)[:, 0], strict=True):
        paint(axes)
    form = path.suffix[1:].lower()
    timeless = dict.fromkeys(_TIMES.get(form, ()))
    # The same picture has the same bytes: names of shapes are random otherwise.
    with rc_context({"svg.hashsalt": "bookbuilder"}), whole_file(path) as stream:
        figure.savefig(stream, format=form, metadata=timeless)
    note(f"{path}: drawn", quiet=quiet)
