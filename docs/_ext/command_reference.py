"""Write the command reference: one page for each command of the Typer app.

Typer's `utils docs` writes the pages to `reference/commands/` at the start of a build. The repository does not
contain them.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

from sphinx.application import Sphinx

APP = "bookbuilder.cli.app"
PROGRAM = "bookbuilder"


def pages(text: str) -> dict[str, str]:
    """Split Typer's text about the whole app into a page for each command. The app's page is `index`."""
    first, *rest = re.split(r"^(?=## `)", text, flags=re.MULTILINE)
    cut = {re.match(r"## `\S+ (\S+)`", page)[1]: page for page in rest}
    # A page begins with a heading of the first level.
    cut = {name: re.sub(r"^#(#+ `)", r"\1", page, flags=re.MULTILINE) for name, page in cut.items()}
    first = first.replace(f"# `{PROGRAM}`", "# Commands", 1)
    tree = "\n".join(["```{toctree}", ":maxdepth: 2", "", *cut, "```", ""])
    return {"index": first + tree, **cut}


def readable(page: str) -> str:
    """Unescape the code that Typer escapes as HTML."""
    return re.sub(r"(?m)^(\* `[^`]*`)", lambda option: html.unescape(option[1]), page)


def write_reference(app: Sphinx) -> None:
    """Write the pages that have changed."""
    command = [sys.executable, "-P", "-m", "typer", APP, "utils", "docs", "--name", PROGRAM]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    # Typer truncates its lists of commands. The headings suffice.
    text = re.sub(r"\*\*Commands\*\*:\n\n(?:\* .*\n)+\n?", "", text)
    folder = Path(app.srcdir) / "reference" / "commands"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {f"{name}.md": readable(page) for name, page in pages(text).items()}
    for stale in {path.name for path in folder.glob("*.md")} - set(wanted):
        (folder / stale).unlink()
    for name, page in wanted.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != page:
            path.write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", write_reference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
