"""Convert Markdown tables and code fences in docstrings to reStructuredText for Sphinx."""

from __future__ import annotations

import re

from sphinx.application import Sphinx


def table(rows: list[str]) -> list[str]:
    """Turn the lines of a Markdown table, its rule second, into a list table."""
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    out = [".. list-table::", "   :header-rows: 1", ""]
    for row in [cells[0], *cells[2:]]:
        out += [f"   {'* -' if number == 0 else '  -'} {cell}" for number, cell in enumerate(row)]
    return [*out, ""]


def converted(lines: list[str]) -> list[str]:
    """Return docstring lines with tables and fences in the words of reStructuredText."""
    out: list[str] = []
    fenced = False
    rows: list[str] = []
    for line in [*lines, ""]:
        if line.startswith("|") and not fenced:
            rows.append(line)
            continue
        if rows:
            out += table(rows)
            rows = []
        if fence := re.match(r"```(\w*)$", line):
            out += [] if fenced else ["", f".. code-block:: {fence[1] or 'text'}", ""]
            out += [""] if fenced else []
            fenced = not fenced
        else:
            out.append(f"   {line}" if fenced and line else line)
    return out


def convert(_app: Sphinx, _what: str, _name: str, _value: object, _options: object, lines: list[str]) -> None:
    """Change the lines of a docstring in place, as autodoc asks for."""
    lines[:] = converted(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", convert)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
