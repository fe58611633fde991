"""SECURITY.md: what the source must not contain, and where `unsafe` may be."""

from __future__ import annotations

import ast
import re
from typing import Final

from support.project_files import PACKAGE, is_rust_test, name_of, rust_files

UNSAFE: Final = {"core/src/book/map.rs": 1, "core/src/python/book.rs": 1, "core/src/search/table/mod.rs": 2}
"""Files that map a file, lend memory to Python or give a hint about memory, and their number of blocks."""
FORBIDDEN: Final = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"} | {
    "read_pickle",
    "allow_pickle",
    "eval",
    "exec",
}
"""Modules, functions and arguments by which data would become a program."""


def test_unsafe_is_only_where_security_says_and_says_why() -> None:
    found: dict[str, int] = {}
    for path in rust_files():
        if is_rust_test(path):
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            if not re.search(r"\bunsafe (?:\{|fn|impl|extern)", line.partition("//")[0]):
                continue
            found[name_of(path)] = found.get(name_of(path), 0) + 1
            above = number - 1
            while lines[above].strip().startswith("#["):
                above -= 1
            reason = ""
            while lines[above].strip().startswith("//"):
                reason, above = lines[above].strip() + reason, above - 1
            assert reason.startswith("// SAFETY: "), f"{name_of(path)}:{number + 1}"
    assert found == UNSAFE, "SECURITY.md says what `unsafe` is used for"


def names_in(node: ast.AST) -> list[str]:
    """Return the modules that a node imports, or what it calls and the arguments that it names."""
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "").partition(".")[0]]
    if isinstance(node, ast.Call):
        # A method `eval` of a frame or an engine runs nothing of ours; `pandas.read_pickle` does.
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return [called, *({method} - {"eval", "exec"}), *(each.arg or "" for each in node.keywords)]
    return []


def test_nothing_is_unpickled_or_run() -> None:
    wrong = [
        f"{name_of(path)}:{node.lineno}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.stmt | ast.expr)
        for name in names_in(node)
        if name in FORBIDDEN
    ]
    assert not wrong, "\n".join(wrong)
