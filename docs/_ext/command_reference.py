"""Write the command reference: one page for each command, with the text of `--help-all`.

The pages are written to `reference/commands/` at the start of a build. The repository does not contain them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from sphinx.application import Sphinx

PROGRAM = "bookbuilder"


def section(command: Any, path: str) -> tuple[str, str]:  # noqa: ANN401 (any command)
    """Return the path and the full help of a command."""
    with command.make_context(path, [], resilient_parsing=True) as context:
        context.meta["--help-all"] = True
        return path, command.get_help(context)


def pages() -> dict[str, str]:
    """Return the page of each command of the front page, and the front page as `index`."""
    from bookbuilder.cli.app import app
    from bookbuilder.cli.help import commands_below

    program: Any = typer.main.get_command(app)
    root = dict(commands_below(program))
    names = [path for path in root if " " not in path]
    tree = "\n".join(["```{toctree}", ":maxdepth: 2", "", *names, "```", ""])
    _, front = section(program, PROGRAM)
    written = {"index": f"# Commands\n\n```text\n{front}\n```\n\n{tree}"}
    for name in names:
        parts = [section(each, f"{PROGRAM} {path}") for path, each in root.items() if path.split()[0] == name]
        written[name] = "".join(
            f"{'##' if number else '#'} {path}\n\n```text\n{text}\n```\n\n"
            for number, (path, text) in enumerate(parts)
        )
    return written


def write_reference(app: Sphinx) -> None:
    """Write the pages that have changed."""
    folder = Path(app.srcdir) / "reference" / "commands"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {f"{name}.md": page for name, page in pages().items()}
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
