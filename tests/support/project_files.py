"""The source files of the project, for tests that read them."""

from __future__ import annotations

import re
from pathlib import Path

from support.rust_modules import STRING_OR_COMMENT, without_tests

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bookbuilder"
CRATE = ROOT / "core" / "src"


def python_files() -> list[Path]:
    """Return every Python file of the package, the tests and the benchmarks."""
    folders = ("bookbuilder", "tests", "benches")
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def rust_files() -> list[Path]:
    """Return every Rust file of the core, its tests, its benchmarks and its fuzz targets."""
    return [path for path in sorted((ROOT / "core").rglob("*.rs")) if "target" not in path.parts]


def name_of(path: Path) -> str:
    """Return the path of a file from the root of the project."""
    return path.relative_to(ROOT).as_posix()


def room_of(path: Path, top: Path) -> str:
    """Return the room of a file: the first folder below `top`, or the name of a file in `top` itself."""
    return path.relative_to(top).with_suffix("").parts[0]


def is_rust_test(path: Path) -> bool:
    """Return whether a Rust file contains only tests or benchmarks."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "tests" in parts or "benches" in parts


def rust_code(path: Path) -> str:
    """Return the code of a Rust file without comments, strings and tests."""
    return without_tests(blanked(path))


def blanked(path: Path) -> str:
    """Return the code of a Rust file with empty comments and strings, on the same lines."""

    def blank(found: re.Match[str]) -> str:
        return ("" if found[0].startswith("/") else '""') + "\n" * found[0].count("\n")

    return STRING_OR_COMMENT.sub(blank, path.read_text(encoding="utf-8"))
