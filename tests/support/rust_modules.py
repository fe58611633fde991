"""Import cycles between the files of a Rust crate.

A file uses another file if its code names an item that the other file defines. Re-exports are followed to
the definition: `crate::room::Name` is in the file of `Name`, not in the front file of the room. A module file
that only re-exports its children uses none of them. Comments, strings and tests are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

Module: TypeAlias = tuple[str, ...]
"""The path of a module from the root of the crate; the crate itself is `()`."""

Graph: TypeAlias = dict[Path, set[Path]]
"""The files that each file uses."""

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


@dataclass
class Source:
    """The imports and the code of one file."""

    file: Path
    code: str
    """The code without its `use` declarations."""
    private: list[Module] = field(default_factory=list)
    """Paths of private imports."""
    bindings: dict[str, Module] = field(default_factory=dict)
    """Names of all imports, with their paths."""
    public: dict[str, Module] = field(default_factory=dict)
    """Names of re-exports, with their paths."""
    globs: list[Module] = field(default_factory=list)
    """Modules whose names are all imported."""


def import_cycles(crate: Path) -> list[list[Path]]:
    """Return the groups of files that use each other in a cycle.

    A module is one thing with its submodules: that these use what it defines makes no cycle.
    """
    graph = {
        file: {used for used in targets if not is_inside(file, used)} for file, targets in uses(crate).items()
    }
    reached = {file: reachable(graph, file) for file in graph}
    groups = {
        frozenset(other for other in reached[file] if file in reached[other])
        for file in graph
        if file in reached[file]
    }
    return sorted(sorted(group) for group in groups if len(group) > 1)


def is_inside(file: Path, module: Path) -> bool:
    """Return whether a file is a submodule of a module, at any depth."""
    folder = module.parent if module.name == "mod.rs" else module.with_suffix("")
    return file != module and folder in file.parents


def uses(crate: Path) -> Graph:
    """Return the files that each file of a crate uses."""
    sources = read_crate(crate)
    graph: Graph = {}
    for module, source in sources.items():
        targets = {resolve(path, sources) for path in named(module, source, sources)}
        graph[source.file] = {target for target in targets if target and target != source.file}
    return graph


def reachable(graph: Graph, start: Path) -> set[Path]:
    """Return the files that `start` uses, directly or through other files."""
    found: set[Path] = set()
    waiting = [start]
    while waiting:
        for target in graph[waiting.pop()] - found:
            found.add(target)
            waiting.append(target)
    return found


def read_crate(crate: Path) -> dict[Module, Source]:
    """Return the sources of a crate by module, without test files."""
    files = [
        file
        for file in sorted(crate.rglob("*.rs"))
        if "tests" not in file.relative_to(crate).with_suffix("").parts
    ]
    modules = {module_of(file, crate): file for file in files}
    return {module: read_source(module, file, modules) for module, file in modules.items()}


def module_of(file: Path, crate: Path) -> Module:
    """Return the module that a file defines."""
    parts = file.relative_to(crate).with_suffix("").parts
    return parts[:-1] if parts[-1] in {"mod", "lib"} else parts


def read_source(module: Module, file: Path, modules: Container[Module]) -> Source:
    """Return the imports and the code of one file."""
    code = without_tests(STRING_OR_COMMENT.sub('""', file.read_text(encoding="utf-8")))
    source = Source(file, NO_CODE.sub("", USE.sub("", code)))
    for declaration in USE.finditer(code):
        for segments, name in leaves(declaration["tree"]):
            path = absolute(segments, module, modules)
            if path is None:
                continue
            if name == "*":
                source.globs.append(path)
            else:
                source.bindings[name] = path
            if not declaration["public"]:
                source.private.append(path)
            elif name != "*":
                source.public[name] = path
    return source


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


def named(module: Module, source: Source, sources: dict[Module, Source]) -> Iterator[Module]:
    """Return the paths that a file uses: private imports, own re-exports, and paths in its code."""
    yield from source.private
    for name, path in source.public.items():
        if re.search(rf"\b{name}\b", source.code):
            yield path
    for found in PATH.finditer(source.code):
        segments = found.group().split("::")
        if path := source.public.get(segments[0]):
            yield (*path, *segments[1:])
        elif path := absolute(segments, module, sources):
            yield path


def resolve(path: Module, sources: dict[Module, Source]) -> Path | None:
    """Return the file that defines the item at a path."""
    seen: set[Module] = set()
    while path not in seen:
        seen.add(path)
        size = next(size for size in range(len(path), -1, -1) if path[:size] in sources)
        source, rest = sources[path[:size]], path[size:]
        if not rest:
            return source.file
        if rest[0] not in source.bindings:
            return through_globs(rest, source, sources) or source.file
        path = (*source.bindings[rest[0]], *rest[1:])
    return None


def through_globs(rest: Module, source: Source, sources: dict[Module, Source]) -> Path | None:
    """Return the file that defines a name which `source` imports with `*`."""
    name = re.compile(rf"\b(?:struct|enum|trait|fn|const|static|type|union|mod|macro_rules!)\s+{rest[0]}\b")
    if not source.globs or name.search(source.code):
        return None
    return next((resolve((*glob, *rest), sources) for glob in source.globs), None)
