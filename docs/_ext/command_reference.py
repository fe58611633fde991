"""Write the command reference: one page for each command, with the text of `--help-all`.

The pages are written to `reference/commands/` at the start of a build. The repository does not contain them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from sphinx.application import Sphinx

PROGRAM = "bookbuilder"


def sections(command: Any, path: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401 (of typer)
    """Yield the path and the full help of a command and of the commands below it."""
    with command.make_context(path, [], resilient_parsing=True) as context:
        context.meta["--help-all"] = True
        yield path, command.get_help(context)
    for name, each in getattr(command, "commands", {}).items():
        if not each.hidden:
            yield from sections(each, f"{path} {name}")


def pages() -> dict[str, str]:
    """Return the page of each command of the front page, and the front page as `index`."""
    from bookbuilder.cli.app import app

    root = typer.main.get_command(app)
    names = list(root.commands)
    tree = "\n".join(["```{toctree}", ":maxdepth: 2", "", *names, "```", ""])
    _, front = next(sections(root, PROGRAM))
    written = {"index": f"# Commands\n\n```text\n{front}\n```\n\n{tree}"}
    for name in names:
        parts = sections(root.commands[name], f"{PROGRAM} {name}")
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
