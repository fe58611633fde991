"""Every public name of the package has documentation and a test."""

from __future__ import annotations

import ast
import re

from support.project_files import PACKAGE, ROOT, name_of, room_of

import bookbuilder


def assigned_names(node: ast.Assign | ast.AnnAssign) -> list[str]:
    """Return the plain names that an assignment binds."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def exported_names(tree: ast.Module) -> list[str] | None:
    """Return the content of `__all__`, or None if a module has none."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and "__all__" in assigned_names(node):
            names: list[str] = ast.literal_eval(node.value)
            return names
    return None


def documented_names(body: list[ast.stmt], lines: list[str]) -> set[str]:
    """Return the names of a module with a docstring or, for constants, a comment or a string next to them."""
    names: set[str] = set()
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names |= {node.name} if ast.get_docstring(node) else set()
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            is_documented = (
                lines[node.lineno - 2].lstrip().startswith("#")
                or "help=" in ast.unparse(node)  # the help of an option documents it
                or "#" in lines[(node.end_lineno or node.lineno) - 1]
                or (isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant))
            )
            names |= set(assigned_names(node)) if is_documented else set()
        elif isinstance(node, ast.ImportFrom):  # documented where it is defined
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def test_public_names_of_modules_are_documented() -> None:
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        if not ast.get_docstring(tree):
            wrong.append(f"{name_of(path)}: no module docstring")
        exported = exported_names(tree)
        if exported is None and room_of(path, PACKAGE) not in {"__main__", "cli"}:
            wrong.append(f"{name_of(path)}: no __all__")
        if exported is None or path.name == "__init__.py":  # its names are documented in their own modules
            continue
        documented = documented_names(tree.body, text.splitlines())
        wrong += [f"{name_of(path)}: {name} is not documented" for name in exported if name not in documented]
    assert not wrong, "\n".join(wrong)


def test_public_names_of_the_package_are_documented_and_tested() -> None:
    texts = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("*.py")))
    assert sorted(bookbuilder.__all__) == sorted(set(bookbuilder.__all__))
    for name in bookbuilder.__all__:
        value = getattr(bookbuilder, name)
        if not isinstance(value, str | int):
            assert value.__doc__, f"bookbuilder.{name} has no docstring"
        assert re.search(rf"\b{name}\b", texts), f"no test uses bookbuilder.{name}"
