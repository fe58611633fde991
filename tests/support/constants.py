"""Constants and defaults of the source, read without importing it, for tests that compare pages with them."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any, Final

import typer
from support.project_files import ROOT

from bookbuilder.cli.app import app

_OPERATORS: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
}


def constant(path: str, name: str) -> Any:
    """Return the number that a file of Python, Rust or JavaScript gives a name, such as `1 << 20`."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith((".rs", ".js")):
        found = re.findall(
            rf"^\s*(?:pub(?:\(.*?\))? )?const {name}(?:: [^=]+)? = ([^;]+);", text, re.MULTILINE
        )
        assert len(found) == 1, f"{path} has {len(found)} constants {name}"
        return _number(ast.parse(found[0], mode="eval").body)
    return _number(_assigned(path, name))


def size_of(path: str, name: str) -> int:
    """Return the number of entries of a list, tuple or dictionary of a Python file."""
    value = _assigned(path, name)
    assert isinstance(value, ast.List | ast.Tuple | ast.Dict), f"{path}: {name}"
    return len(value.keys if isinstance(value, ast.Dict) else value.elts)


def default(command: str, option: str) -> Any:
    """Return the default of an option, by the long name of the option."""
    found: Any = typer.main.get_command(app)
    for name in command.split():
        found = found.commands[name]
    return next(each.default for each in found.params if option in each.opts)


def _assigned(path: str, name: str) -> ast.expr:
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        is_named = any(isinstance(each, ast.Name) and each.id == name for each in targets)
        if is_named and isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            return node.value
    raise AssertionError(f"{path} has no {name}")


def _number(node: ast.expr) -> Any:
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_number(node.left), _number(node.right))
    assert isinstance(node, ast.Constant), ast.unparse(node)
    return node.value
