"""Outputs of commands: refuse existing ones before any work is done, write files atomically, draw pictures.

`--force` replaces a file. A directory that is not empty is always refused: nothing is deleted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Final, TypeAlias

import typer

from bookbuilder.cli.console import note
from bookbuilder.cli.help import OUTPUT
from bookbuilder.disk import draft_file, followed, require_regular
from bookbuilder.errors import ArchiveError, OptionError, OutputExistsError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def require_free(
    path: Path | None, *, force: bool, read: Iterable[str] = (), other: Path | None = None
) -> None:
    """Refuse a path that exists, is read, is another output, is not a regular file, or has no directory."""
    if path is None:
        return
    if str(path) == "-":
        raise OptionError("-: expected the name of a file; this output is not a stream")
    if other is not None and os.path.realpath(path) == os.path.realpath(other):
        raise OptionError(f"{path}: is named for two outputs; give one of them another name")
    if path.is_dir():
        raise OutputExistsError(f"{path}: is a directory, expected the name of a file to write")
    require_regular(path)
    if path.exists() and not force:
        raise OutputExistsError(f"{path}: exists already; give another name or --force")
    if path.is_file() and any(path.samefile(file) for name in read for file in _files(name)):
        raise OptionError(f"{path}: is read, too; give another name for the output")
    require_parent(followed(path))


def _files(name: str) -> list[Path]:
    """Return the files that an input names; none if it is not valid, which is reported when it is read."""
    from bookbuilder.archives.find import find_archives

    if Path(name).is_file():
        return [Path(name)]
    with suppress(ArchiveError):
        return find_archives([name])
    return []


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a binary stream. Its content becomes the file when the block ends, unless the block fails."""
    with draft_file(path) as draft, draft.open("wb") as stream:
        yield stream


def require_empty(directory: Path) -> None:
    """Refuse to write a directory that exists and is not empty."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise OutputExistsError(f"{directory}: exists already and is not empty; give another name")
    require_parent(directory)


def require_parent(path: Path) -> None:
    """Refuse to write where no directory is, or one that refuses a new name."""
    if not path.absolute().parent.is_dir():
        raise ArchiveError(f"{path}: directory {path.parent} does not exist")
    if not path.is_dir() and not os.access(path.absolute().parent, os.W_OK):
        raise ArchiveError(
            f"{path}: directory {path.parent} is read-only, or permission denied; choose another"
        )


_TIMES: Final = {"svg": ("Date",), "pdf": ("CreationDate",)}
"""What these formats say of the time of drawing."""

PlotFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw a picture: .svg, .png or .pdf.",
        rich_help_panel=OUTPUT,
        hidden=True,
    ),
]


def require_plotting(path: Path | None, *, force: bool) -> None:
    """Refuse a picture that cannot be drawn."""
    if path is None:
        return
    if path.suffix.lower() not in {".svg", ".png", ".pdf"}:
        raise OptionError(f"{path}: a picture ends in .svg, .png or .pdf")
    if find_spec("matplotlib") is None:
        raise OptionError('--plot needs matplotlib: pip install "bookbuilder[notebook]"')
    require_free(path, force=force)


def draw(path: Path | None, *paints: Callable[[Axes], object], size: tuple[float, float] = (8, 5)) -> None:
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
    note(f"{path}: drawn")
