"""Prepare docstrings for Sphinx.

Markdown tables and code fences become reStructuredText. Docstrings of the native core come from its stub.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from docutils import nodes
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


STUB = Path(__file__).parents[2] / "bookbuilder" / "_core.pyi"


@cache
def stub_docstrings() -> dict[str, str]:
    """Return the docstrings of the stub of the core, of classes and methods, by qualified name."""
    found = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        for each in (node, *(node.body if isinstance(node, ast.ClassDef) else ())):
            if isinstance(each, ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(each)):
                found[each.name if each is node else f"{node.name}.{each.name}"] = text
    return found


def document(_app: Sphinx, _what: str, _name: str, value: object, _options: object, lines: list[str]) -> None:
    """Replace the lines of a docstring of the core in place, as autodoc asks for."""
    owner = getattr(value, "__objclass__", value)
    if getattr(owner, "__module__", None) == "bookbuilder._core":
        text = stub_docstrings().get(getattr(value, "__qualname__", ""))
        lines[:] = lines if text is None else [*text.splitlines(), ""]


def convert(_app: Sphinx, _what: str, _name: str, _value: object, _options: object, lines: list[str]) -> None:
    """Change the lines of a docstring in place, as autodoc asks for."""
    lines[:] = converted(lines)


def optional(*given: str | None) -> tuple[str | None, str | None]:
    """Return a signature, and what it returns, with the ellipsis of an optional keyword as it is written."""
    return given[5] and given[5].replace("= Ellipsis", "= ..."), given[6]


def dash(_app: Sphinx, page: nodes.document) -> None:
    """Write the dash behind the name of a parameter."""
    for text in [text for text in page.findall(nodes.Text) if text == " -- "]:
        text.parent.replace(text, nodes.Text(" – "))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.setup_extension("sphinx.ext.autodoc")
    # Before napoleon, which reads the sections of a docstring.
    app.connect("autodoc-process-docstring", document, priority=100)
    app.connect("autodoc-process-docstring", convert)
    app.connect("autodoc-process-signature", optional)
    app.connect("doctree-read", dash)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
