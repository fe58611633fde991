"""The hand-written stub `_core.pyi` equals the exports of the native module."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from bookbuilder import _core

STUB = Path(__file__).resolve().parent.parent / "bookbuilder" / "_core.pyi"
TREE = ast.parse(STUB.read_text(encoding="utf-8"))
TYPE_ONLY = {"Protocol", "TypedDict"}
"""Bases of classes that exist only for type checkers."""
CLASSES: dict[str, ast.ClassDef] = {}
for each in TREE.body:
    if isinstance(each, ast.ClassDef):
        if TYPE_ONLY & {ast.unparse(base) for base in each.bases}:
            TYPE_ONLY.add(each.name)
        else:
            CLASSES[each.name] = each
FUNCTIONS = {node.name: node for node in TREE.body if isinstance(node, ast.FunctionDef)}
CONSTANTS = {
    node.target.id
    for node in TREE.body
    if isinstance(node, ast.AnnAssign)
    and isinstance(node.target, ast.Name)
    and ast.unparse(node.annotation) != "TypeAlias"
}


def stub_parameters(node: ast.FunctionDef) -> list[tuple[str, str, str]]:
    """Return name, kind and default of each parameter of a stub function, without `self`."""
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults)) + list(
        arguments.defaults
    )
    rows = [(a.arg, "plain", d) for a, d in zip(plain, defaults, strict=True)]
    rows += [(a.arg, "keyword", d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return [
        (name, kind, "" if default is None else repr(ast.literal_eval(default)))
        for name, kind, default in rows
        if name != "self"
    ]


def native_parameters(value: object) -> list[tuple[str, str, str]]:
    """Return name, kind and default of each parameter of a native function or class."""
    kinds = {inspect.Parameter.KEYWORD_ONLY: "keyword"}
    return [
        (p.name, kinds.get(p.kind, "plain"), "" if p.default is inspect.Parameter.empty else repr(p.default))
        for p in inspect.signature(value).parameters.values()  # type: ignore[arg-type]
        if p.name != "self"
    ]


def test_stub_has_the_names_of_the_module() -> None:
    native = {name for name in vars(_core) if not name.startswith("_")}
    assert native == set(CLASSES) | set(FUNCTIONS) | CONSTANTS


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_have_the_signatures_of_the_stub(name: str) -> None:
    assert native_parameters(getattr(_core, name)) == stub_parameters(FUNCTIONS[name])


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_classes_have_the_members_of_the_stub(name: str) -> None:
    node, native = CLASSES[name], getattr(_core, name)
    if node.bases:
        assert [base.__name__ for base in native.__bases__] == [ast.unparse(base) for base in node.bases]
    methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
    if not methods:
        return
    public = {member for member in vars(native) if not member.startswith("_")}
    assert public == {member for member in methods if not member.startswith("_")}
    for member, item in methods.items():
        if any(ast.unparse(decorator) == "property" for decorator in item.decorator_list):
            assert inspect.isdatadescriptor(vars(native)[member]), f"{name}.{member} is not a property"
        elif member == "__init__":
            assert native_parameters(native) == stub_parameters(item)
        elif member.startswith("__"):
            assert hasattr(native, member)
        else:
            assert native_parameters(getattr(native, member)) == stub_parameters(item), f"{name}.{member}"
