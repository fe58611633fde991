"""Print how large the project is: lines and files by room, commands, options, tests and words of pages.

    python benches/size.py

Code is Python, Rust and JavaScript without tests and translations. The budget stands in CONTRIBUTING.md; a
feature that comes pays with one that goes. Long files and functions are listed as warnings, for a reader to
judge.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONG_FILE = 600
LONG_FUNCTION = 80


def tracked(*folders: str) -> list[Path]:
    """Return the files of folders that git knows and that exist."""
    listed = subprocess.run(
        ["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [path for line in listed.stdout.splitlines() if (path := ROOT / line).is_file()]


def is_test(path: Path) -> bool:
    """Return whether a file holds tests only."""
    return bool(re.search(r"(^|/)(tests?)(/|\.rs$)", path.relative_to(ROOT).as_posix()))


def lines(path: Path) -> int:
    """Return the number of lines of a text file."""
    return path.read_bytes().count(b"\n")


def room_of(path: Path) -> str:
    """Return the room of a source file: `bookbuilder/book`, `core/src/archive`."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[: 3 if parts[0] == "core" else 2])


def python_functions(path: Path) -> Iterator[tuple[str, int]]:
    """Return name and lines of each function of a Python file, without its docstring."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            start = node.body[min(1, len(node.body) - 1)] if ast.get_docstring(node) else node
            yield node.name, (node.end_lineno or 0) - start.lineno + 1


def rust_functions(path: Path) -> Iterator[tuple[str, int]]:
    """Return name and lines of each function of a Rust file, judged by its indentation (rustfmt sets it)."""
    opened: list[tuple[str, str, int]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        if found := re.match(r"( *)(?:pub(?:\([a-z]+\))? |const |unsafe |async )*fn (\w+)", line):
            opened.append((found[1], found[2], number))
        while opened and line == opened[-1][0] + "}":
            _, name, start = opened.pop()
            yield name, number - start + 1


def called_once(files: list[Path]) -> tuple[int, int]:
    """Return the number of private functions that are named in one other place only, and of all functions."""
    names: list[str] = []
    words: Counter[str] = Counter()
    for path in files:
        text = path.read_text(encoding="utf-8")
        words.update(re.findall(r"\w+", text))
        names += [name for name, _ in python_functions(path)]
    private = [name for name in names if name.startswith("_") and not name.startswith("__")]
    return sum(words[name] == 2 for name in private), len(names)


def surface() -> tuple[int, int, int]:
    """Return the number of commands, of their options, and of the options of `build`."""
    import typer

    from bookbuilder.cli.app import app
    from bookbuilder.cli.help import commands_below

    options = {
        name: sum(isinstance(each, typer.core.TyperOption) for each in command.params)
        for name, command in commands_below(typer.main.get_command(app))
        if not isinstance(command, typer.core.TyperGroup)
    }
    return len(options), sum(options.values()), options.get("build", 0)


def main() -> None:
    """Print the figures."""
    folders = ("bookbuilder", "core/src", "core/bin", "data", "docs", "packaging")
    source = [path for path in tracked(*folders) if path.suffix in {".py", ".rs", ".js"}]
    code = [path for path in source if not is_test(path) and path.name != "translations.js"]
    by_room: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path in code:
        by_room[room_of(path)] += lines(path)
        files[room_of(path)] += 1
    for room, count in by_room.most_common():
        print(f"{room:32} {count:7,} lines {files[room]:4} files")
    tests = [path for path in source if is_test(path)]
    tests += [
        path
        for path in tracked("tests", "core/tests", "benches", "core/benches", "core/fuzz")
        if path.suffix in {".py", ".rs", ".js"}
    ]
    pages = [path for path in tracked("README.md", "README.zh.md", "docs") if path.suffix == ".md"]
    print(f"{'code':32} {by_room.total():7,} lines {files.total():4} files")
    print(f"{'tests and benches':32} {sum(map(lines, tests)):7,} lines {len(tests):4} files")
    print(f"{'documentation':32} {sum(map(lines, pages)):7,} lines {len(pages):4} files", end=" ")
    print(f"{sum(len(page.read_text(encoding='utf-8').split()) for page in pages):,} words")
    commands, options, of_build = surface()
    print(f"commands {commands}, options {options}, of build {of_build}")
    once, functions = called_once([path for path in code if path.suffix == ".py"])
    print(f"private functions called once: {once} of {functions} ({once / functions:.0%})")
    for path in code:
        if (count := lines(path)) > LONG_FILE:
            print(f"warning: {path.relative_to(ROOT)}: {count} lines")
        readers = {".py": python_functions, ".rs": rust_functions}
        if path.suffix in readers:
            for name, count in readers[path.suffix](path):
                if count > LONG_FUNCTION:
                    print(f"warning: {path.relative_to(ROOT)}: {name}: {count} lines")


if __name__ == "__main__":
    main()
