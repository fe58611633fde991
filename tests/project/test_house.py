"""Rules for all source files: order of the rooms, cycles, and handling of errors."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from support import project_files, rust_modules
from support.project_files import CRATE, PACKAGE, ROOT, is_rust_test, name_of, python_files, rust_files

PYTHON_FLOORS: Final = (
    ("columns", "sealed", "errors", "system", "processor", "plain_json"),
    ("disk", "temporary", "ratios", "keywords"),
    ("journal",),
    ("_core",),
    ("schema",),
    ("games",),
    ("archives", "evals"),
    ("tally", "reference"),
    ("selection",),
    ("book",),
    ("analysis", "engine"),
    ("explorer",),
    ("__init__",),
    ("cli",),
    ("__main__",),
)
"""The rooms of the package, from the ground up. A room imports only rooms on lower floors.

A room is a file in `bookbuilder/` or one of its folders.
"""

RUST_FLOORS: Final = (
    ("named",),
    ("game", "disk", "sums", "columns"),
    ("chess", "xiangqi", "history", "graph"),
    ("archive", "evaluate", "book", "walks"),
    ("filter", "endgame"),
    ("replay", "search"),
    ("tally", "write", "protocol"),
    ("store", "collection"),
    ("python",),
)
"""The rooms of the crate, from the ground up. A room uses only rooms on lower floors; tests use any room."""

TESTS_OF_NO_ROOM: Final = {"acceptance", "browser", "faults", "oracles", "project", "support"}
"""Folders of `tests/` about the whole program. All others mirror a folder of `bookbuilder/`."""


def python_modules() -> dict[str, Path]:
    """Return the file of every module of the package, by its dotted name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(PACKAGE.rglob("*.py*"))
        if path.suffix in {".py", ".pyi"}
    }


def imported_modules(path: Path, modules: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """Return line and name of every module of the package that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            members = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [member if member in modules else node.module or "" for member in members]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name in modules)


def python_room(module: str) -> str:
    """Return the room of a module: the second part of its dotted name."""
    return [*module.split("."), "__init__"][1]


def floor_of_rooms(floors: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    """Return the number of the floor of each room."""
    return {room: number for number, rooms in enumerate(floors) for room in rooms}


def test_python_rooms_import_only_lower_floors() -> None:
    floor, modules = floor_of_rooms(PYTHON_FLOORS), python_modules()
    assert {python_room(module) for module in modules} == set(floor), "update PYTHON_FLOORS"
    wrong = [
        f"{name_of(path)}:{line}: {room} imports {other}"
        for module, path in modules.items()
        for line, name in imported_modules(path, modules)
        if (room := python_room(module)) != (other := python_room(name)) and floor[other] >= floor[room]
    ]
    assert not wrong, "\n".join(wrong)


def test_python_files_have_no_import_cycle() -> None:
    modules = python_modules()
    graph = {
        module: {name for _, name in imported_modules(path, modules)} - {module}
        for module, path in modules.items()
    }
    require_no_cycle(graph)


def require_no_cycle(graph: Mapping[Any, Iterable[Any]]) -> None:
    """Require that no files use each other in a cycle."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        raise AssertionError(" → ".join(map(str, error.args[1]))) from None


def test_rust_rooms_use_only_lower_floors() -> None:
    floor, graph = floor_of_rooms(RUST_FLOORS), rust_modules.uses(CRATE)
    assert {rust_room(file) for file in graph} == {"lib", *floor}, "update RUST_FLOORS"
    wrong = [
        f"{name_of(file)}: {rust_room(file)} uses {rust_room(used)} ({name_of(used)})"
        for file, targets in graph.items()
        for used in sorted(targets)
        if rust_room(file) != rust_room(used) and floor[rust_room(used)] >= floor[rust_room(file)]
    ]
    assert not wrong, "\n".join(wrong)


def rust_room(file: Path) -> str:
    """Return the room of a file of the crate."""
    return project_files.room_of(file, CRATE)


def test_rust_files_have_no_import_cycle() -> None:
    require_no_cycle(rust_modules.uses(CRATE))


def test_python_enters_the_core_by_one_room() -> None:
    wrong = [
        name_of(path)
        for path in rust_files()
        if re.search(r"\b(pyo3|arrow_pyarrow)\b", project_files.rust_code(path))
        and not path.is_relative_to(CRATE / "python")
    ]
    assert not wrong, wrong


def folders_with_code(top: Path) -> set[Path]:
    """Return the folders below `top` that contain Python files, relative to it."""
    return {path.parent.relative_to(top) for path in top.rglob("*.py")} - {Path()}


def test_tests_mirror_the_package() -> None:
    """Tests of `room/part/` are in `tests/room/part/` or, for one file, `tests/room/test_part.py`."""
    tests, rooms = ROOT / "tests", folders_with_code(PACKAGE)
    missing = [
        f"tests/{folder}/"
        for folder in sorted(rooms)
        if not (tests / folder).is_dir()
        and not (tests / folder).with_name(f"test_{folder.name}.py").is_file()
    ]
    assert not missing, f"no tests: {missing}"
    strange = {
        folder for folder in folders_with_code(tests) if folder.parts[0] not in TESTS_OF_NO_ROOM
    } - rooms
    assert not strange, f"tests of no room: {strange}"


def test_no_broad_catch() -> None:
    wrong = []
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler):
                caught = "" if node.type is None else ast.unparse(node.type)
                if not caught or re.search(r"\b(Base)?Exception\b", caught):
                    wrong.append(f"{name_of(path)}:{node.lineno}: catches {caught or 'everything'}")
    assert not wrong, "\n".join(wrong)


def test_no_unwrap_outside_tests() -> None:
    wrong = [
        name_of(path)
        for path in rust_files()
        if not is_rust_test(path) and re.search(r"\.unwrap\(\)", project_files.rust_code(path))
    ]
    assert not wrong, wrong


def test_one_version_everywhere() -> None:
    from bookbuilder import _core

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    crate = tomllib.loads((ROOT / "core" / "Cargo.toml").read_text(encoding="utf-8"))["package"]["version"]
    assert project == crate == _core.CORE_VERSION == metadata.version("bookbuilder")
    assert f'__version__: Final = "{project}"' in (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    assert f"## {project}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_package_imports_in_the_root_of_a_checkout() -> None:
    """The source folder there has no native core: it is taken from the installed package."""
    code = "import bookbuilder as bb; print(bb.Position('chess').moves()[0], *bb.__path__, sep=chr(10))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[1] == str(PACKAGE)


def test_core_of_another_version_is_refused(tmp_path: Path) -> None:
    source = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    copy = tmp_path / "bookbuilder"
    copy.mkdir()
    changed = re.sub(r'__version__: Final = ".*"', '__version__: Final = "9.9.9"', source)
    (copy / "__init__.py").write_text(changed, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", "import bookbuilder"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "is version 9.9.9, but the installed core is version" in ran.stderr
    assert "Run: pip install ." in ran.stderr


UNIX_ONLY: Final = (
    r"^\s*(?:import|from) (?:fcntl|resource|pwd|grp|termios|tty|pty|posix)\b|\bos\.(?:fork|kill|getuid)\b"
)
"""Modules and calls that Windows lacks, or that do something else there."""


def test_only_one_file_knows_the_operating_system() -> None:
    knowing = [
        name_of(path)
        for path in sorted(PACKAGE.rglob("*.py"))
        if re.search(UNIX_ONLY, path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert knowing == ["bookbuilder/system.py"]
    unix = [
        name_of(path)
        for path in rust_files()
        if not is_rust_test(path) and "std::os::unix" in path.read_text(encoding="utf-8")
    ]
    assert unix == ["core/src/disk.rs"]
