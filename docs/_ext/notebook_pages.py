"""Copy the notebooks of `notebooks/` into the source folder, and let links lead to the copies.

Links on the pages name the notebooks at their place in the repository, so they also work there.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx


def copy_notebooks(app: Sphinx) -> None:
    """Copy the notebooks that have changed."""
    source, target = Path(app.srcdir).parent / "notebooks", Path(app.srcdir) / "notebooks"
    target.mkdir(exist_ok=True)
    wanted = {path.name: path for path in source.glob("*.ipynb")}
    for stale in {path.name for path in target.glob("*.ipynb")} - set(wanted):
        (target / stale).unlink()
    for name, path in wanted.items():
        copy = target / name
        if not copy.exists() or copy.read_bytes() != path.read_bytes():
            shutil.copyfile(path, copy)


def lead_to_copies(_app: Sphinx, _page: str, text: list[str]) -> None:
    """Let links out of the source folder lead to the copies."""
    text[0] = re.sub(r"\]\((?:\.\./)+notebooks/", "](/notebooks/", text[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", copy_notebooks)
    app.connect("source-read", lead_to_copies)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
