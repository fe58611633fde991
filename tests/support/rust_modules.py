"""The files of a Rust crate that each file uses.

A file uses another file if it names an item that the other file defines. `crate::room::Name` is in the file
of the room that defines `Name`, not in the front file that re-exports it. A module file that only re-exports
its children uses none of them. A module is one thing with its submodules: that these use what it defines does
not count. Comments, strings and tests are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

Module: TypeAlias = tuple[str, ...]
"""The path of a module from the root of the crate; the crate itself is `()`."""

STRING_OR_COMMENT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\bb?r(?P<fence>#*)".*?"(?P=fence)|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])'""",
    re.DOTALL,
)
TEST_ITEM = re.compile(
    r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))? )?(?:mod|use|fn|impl)\b[^;{]*"
)
USE = re.compile(r"(?P<public>\bpub(?:\([^)]*\))?\s+)?\buse\s+(?P<tree>[^;]+);")
NO_CODE = re.compile(r"\bpub\(in [^)]*\)|\bmod \w+;")
PATH = re.compile(r"(?<![\w:])\w+(?:::\w+)+")


def uses(crate: Path) -> dict[Path, set[Path]]:
    """Return the files that each file of a crate uses."""
    files: dict[Module, Path] = {}
    for file in sorted(crate.rglob("*.rs")):
        parts = file.relative_to(crate).with_suffix("").parts
        if "tests" not in parts:
            files[parts[:-1] if parts[-1] in {"mod", "lib"} else parts] = file
    codes = {
        module: without_tests(STRING_OR_COMMENT.sub('""', file.read_text(encoding="utf-8")))
        for module, file in files.items()
    }
    graph = {}
    for module, code in codes.items():
        used = {defining(path, codes) for path in named(module, code, codes)}
        graph[files[module]] = {files[each] for each in used if each != module[: len(each)]}
    return graph


def without_tests(code: str) -> str:
    """Return the code without items that are compiled only for tests."""
    while found := TEST_ITEM.search(code):
        end = found.end()
        if code[end : end + 1] == "{":
            end = closing_brace(code, end)
        code = code[: found.start()] + code[end + 1 :]
    return code


def closing_brace(code: str, start: int) -> int:
    """Return the place of the brace that closes the brace at `start`."""
    depth = 0
    for place in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        if depth == 0:
            return place
    return len(code)


def leaves(tree: str) -> Iterator[tuple[list[str], str]]:
    """Return the paths of a `use` tree, each with the name that it binds."""
    head, brace, rest = tree.strip().partition("{")
    if not brace:
        path, _, alias = (part.strip() for part in head.partition(" as "))
        segments = path.split("::")
        if segments[-1] == "self" and len(segments) > 1:
            segments.pop()
        yield segments[: -1 if path.endswith("*") else None], alias or segments[-1]
        return
    for branch in branches(rest.rpartition("}")[0]):
        yield from leaves(head.strip() + branch.strip())


def branches(text: str) -> Iterator[str]:
    """Split a text at its commas, except commas inside braces."""
    depth, start = 0, 0
    for place, letter in enumerate(text + ","):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            if text[start:place].strip():
                yield text[start:place]
            start = place + 1


def absolute(segments: list[str], module: Module, modules: Container[Module]) -> Module | None:
    """Return the path from the root of the crate, or None for a path of another crate."""
    first, *rest = segments
    if first == "crate":
        return tuple(rest)
    base = module
    if first not in {"self", "super"}:
        return (*module, *segments) if (*module, first) in modules else None
    while segments and segments[0] in {"self", "super"}:
        base = base[:-1] if segments[0] == "super" else base
        segments = segments[1:]
    return (*base, *segments)


def named(module: Module, code: str, modules: Container[Module]) -> Iterator[Module]:
    """Yield the paths that a file uses: private imports, own re-exports, and paths in its code."""
    public: dict[str, Module] = {}
    rest = NO_CODE.sub("", USE.sub("", code))
    for declaration in USE.finditer(code):
        for segments, name in leaves(declaration["tree"]):
            path = absolute(segments, module, modules)
            if path is not None and not declaration["public"]:
                yield path
            elif path is not None and name != "*":
                public[name] = path
    for name, path in public.items():
        if re.search(rf"\b{name}\b", rest):
            yield path
    for found in PATH.finditer(rest):
        segments = found.group().split("::")
        if path := public.get(segments[0]):
            yield (*path, *segments[1:])
        elif path := absolute(segments, module, modules):
            yield path


def defining(path: Module, codes: Mapping[Module, str]) -> Module:
    """Return the module that defines the item at a path: the innermost one of the path, or one below it."""
    size = next(size for size in range(len(path), -1, -1) if path[:size] in codes)
    module, item = path[:size], path[size : size + 1]
    if not item:
        return module
    alias = re.search(rf"\b(\w+) as {item[0]}\b", codes[module])
    name = alias[1] if alias else item[0]
    # Items begin their lines, but in a macro; what else is indented belongs to an implementation.
    public, types = r"pub(?:\([^)]*\))? ", "struct|enum|trait|type|union"
    plain = rf"(?:{public})?(?:const |unsafe |async )*(?:{types}|fn|const|static|mod|macro_rules!)"
    defines = re.compile(rf"^(?:{plain}|\s+{public}(?:{types})) {name}\b", re.MULTILINE)
    inside = sorted((each for each in codes if each[:size] == module), key=len)
    return next((each for each in inside if defines.search(codes[each])), module)
