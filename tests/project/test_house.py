"""Rules of the house: who may import whom, what a file may hold, and that one fact stands in one place."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bookbuilder"
CRATE = ROOT / "core" / "src"

# The floors of the Python package, the ground first. A room is a module of the package or one of its folders.
# It imports only from rooms on lower floors.
PYTHON_FLOORS = (
    ("errors", "ratios", "disk", "plain_json"),
    ("_core",),
    ("schema",),
    ("games",),
    ("archives",),
    ("tally",),
    ("selection",),
    ("book",),
    ("analysis", "engine"),
    ("explorer",),
    ("__init__",),
    ("cli",),
    ("__main__",),
)

# Rust: room → rooms of the crate that it may use. Tests and comments may name any room.
RUST_FLOW: dict[str, set[str]] = {
    "game": set(),
    "chess": {"game"},
    "xiangqi": {"game"},
    "archive": {"game", "chess", "xiangqi"},
    "filter": {"game", "archive"},
    "replay": {"game", "chess", "xiangqi", "archive", "filter"},
    "tally": {"game", "chess", "xiangqi", "archive", "filter", "replay"},
    "store": {"filter", "tally"},
    "write": {"game", "chess", "xiangqi", "archive", "replay"},
    "graph": {"game"},
    "book": {"game", "graph"},
    "collection": {"game", "archive", "filter", "replay", "tally", "graph", "book", "write"},
    "history": {"game"},
    "endgame": {"game", "chess", "xiangqi", "book"},
    "evaluate": {"game", "chess", "xiangqi"},
    "search": {"game", "history", "evaluate", "book", "endgame"},
    "protocol": {"game", "chess", "xiangqi", "history", "evaluate", "book", "endgame", "search"},
    "python": {
        "game", "chess", "xiangqi", "archive", "filter", "replay", "tally", "graph", "book", "history",
        "evaluate", "search", "protocol", "store", "write", "collection", "endgame",
    },
}  # fmt: skip

MOST_LINES = 500
# Packages that load where they are used, and not before.
HEAVY = ("pandas", "pyarrow", "matplotlib", "dask", "distributed", "starlette", "uvicorn", "ipywidgets")


def python_files() -> list[Path]:
    """Every Python file that is part of the project."""
    return [
        path
        for folder in ("bookbuilder", "tests", "benches")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]


def rust_files() -> list[Path]:
    """Every Rust file that is part of the project."""
    return [path for path in sorted((ROOT / "core").rglob("*.rs")) if "target" not in path.parts]


def room_of(path: Path, top: Path) -> str:
    """The room a file belongs to: its first folder, or its own name."""
    return path.relative_to(top).with_suffix("").parts[0]


def python_modules() -> dict[str, Path]:
    """The file of every module of the package, by its dotted name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(PACKAGE.rglob("*.py*"))
        if path.suffix in {".py", ".pyi"}
    }


def imported_modules(path: Path, modules: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """Line and name of every module of the package that a file imports, at its top or in a function."""
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
    """The room of a module: the part of its name after the package's."""
    return [*module.split("."), "__init__"][1]


def cycles(graph: dict[str, set[str]]) -> list[str]:
    """The import cycles of a graph of files, one line each; empty if there are none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return [" → ".join(error.args[1])]
    return []


def test_python_rooms_import_only_rooms_on_lower_floors() -> None:
    floor = {room: number for number, rooms in enumerate(PYTHON_FLOORS) for room in rooms}
    modules = python_modules()
    assert {python_room(module) for module in modules} == set(floor), "a room is missing from PYTHON_FLOORS"
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {room} imports {other}"
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
    assert not cycles(graph)


def rust_code(path: Path) -> str:
    """The text of a Rust file without comments and without its test module, which stands last."""
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    return re.split(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*mod \w+\s*\{", text)[0]


def is_rust_test(path: Path) -> bool:
    """Whether a file holds tests only."""
    return path.stem == "tests" or "tests" in path.relative_to(ROOT).parts or "benches" in path.parts


def test_rust_rooms_use_only_rooms_before_them() -> None:
    wrong = []
    for path in rust_files():
        if is_rust_test(path) or not path.is_relative_to(CRATE) or path == CRATE / "lib.rs":
            continue
        room = room_of(path, CRATE)
        assert room in RUST_FLOW, f"{path.relative_to(ROOT)}: a room that the table of imports does not know"
        code = rust_code(path)
        used = set(re.findall(r"\bcrate::(\w+)", code))
        for group in re.findall(r"\bcrate::\{([^;]*)\}", code):
            used |= set(re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"\{[^{}]*\}", "", group)))
        rooms = {name for name in used if name in RUST_FLOW}
        wrong += [
            f"{path.relative_to(ROOT)}: {room} uses {other}" for other in rooms - RUST_FLOW[room] - {room}
        ]
    assert not wrong, "\n".join(wrong)


def test_only_the_door_knows_python() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in rust_files()
        if re.search(r"\b(pyo3|pyo3_arrow|arrow_array|arrow_schema)\b", rust_code(path))
        and room_of(path, CRATE) != "python"
    ]
    assert not wrong, wrong


def test_files_are_short() -> None:
    long = [
        f"{path.relative_to(ROOT)}: {count} lines"
        for path in python_files() + rust_files()
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    ]
    assert not long, "\n".join(long)


def test_no_room_is_named_after_nothing() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "shared"}
    assert not [
        path for path in python_files() + rust_files() if path.stem in vague or path.parent.name in vague
    ]


def test_no_broad_catch_and_no_unwrap_on_data() -> None:
    wrong = []
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler):
                caught = "" if node.type is None else ast.unparse(node.type)
                if not caught or re.search(r"\b(Base)?Exception\b", caught):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: catches {caught or 'everything'}")
    for path in rust_files():
        if not is_rust_test(path) and re.search(r"\.unwrap\(\)", rust_code(path)):
            wrong.append(f"{path.relative_to(ROOT)}: .unwrap() outside tests")
    assert not wrong, "\n".join(wrong)


def assigned_names(node: ast.Assign | ast.AnnAssign) -> list[ast.Name]:
    """The plain names that an assignment binds."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target for target in targets if isinstance(target, ast.Name)]


def documented(body: list[ast.stmt], lines: list[str]) -> set[str]:
    """Names of a module body that carry a docstring or, for constants, a comment or a string beside them."""
    names = set()
    for position, node in enumerate(body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if ast.get_docstring(node):
                names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            after = body[position + 1] if position + 1 < len(body) else None
            is_told = (
                lines[node.lineno - 2].lstrip().startswith("#")
                or "help=" in ast.unparse(node)  # an option of the command line tells itself
                or "#" in lines[(node.end_lineno or node.lineno) - 1]
                or (isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant))
            )
            if is_told:
                names |= {target.id for target in assigned_names(node)}
        elif isinstance(node, ast.ImportFrom):  # documented where it is defined
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def test_every_public_name_is_documented() -> None:
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        where = path.relative_to(ROOT)
        if not ast.get_docstring(tree):
            wrong.append(f"{where}: no module head")
        exported = [
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            and node.value is not None
            and "__all__" in {target.id for target in assigned_names(node)}
        ]
        if not exported:
            if room_of(path, PACKAGE) not in {"__main__", "cli"}:
                wrong.append(f"{where}: no __all__")
            continue
        if path.name == "__init__.py":  # a front door: its names are documented in their rooms
            continue
        told = documented(tree.body, text.splitlines())
        wrong += [f"{where}: {name} is not documented" for name in exported[0] if name not in told]
    assert not wrong, "\n".join(wrong)


def test_every_public_name_of_the_package_is_documented_and_tested() -> None:
    import bookbuilder

    texts = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("*.py")))
    assert sorted(bookbuilder.__all__) == sorted(set(bookbuilder.__all__))
    for name in bookbuilder.__all__:
        value = getattr(bookbuilder, name)
        if not isinstance(value, str | int):
            assert value.__doc__, f"bookbuilder.{name} has no docstring"
        assert re.search(rf"\b{name}\b", texts), f"bookbuilder.{name} is in no test"


def loaded_after(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after running `code`."""
    script = (
        f"{code}\nimport sys; print('\\n'.join(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    )
    answer = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    return set(answer.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import bookbuilder",
        "import bookbuilder.cli.app",
        "from typer.testing import CliRunner as Runner\nfrom bookbuilder.cli.app import app\n"
        "assert Runner().invoke(app, ['--help']).exit_code == 0",
    ],
)
def test_the_package_and_its_help_load_nothing_heavy(code: str) -> None:
    heavy = loaded_after(code).intersection(HEAVY)
    assert not heavy, f"{code!r} loads {sorted(heavy)}"


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_a_look_at_a_position_loads_no_library_of_tables(game: str, tmp_path: Path) -> None:
    """Who asks for one position waits for the interpreter, the core and the command line, and no more."""
    from bookbuilder import Book, Tally, select

    archive = PACKAGE / "data" / {"chess": "chess_selfplay.pgn", "xiangqi": "xiangqi_selfplay.pgn"}[game]
    store, book = tmp_path / "a.store", tmp_path / "a.book"
    tally = Tally.from_archives(archive, max_ply=6)
    tally.save(store)
    Book.write(book, select(tally, min_games=5))
    run = "from typer.testing import CliRunner as Runner\nfrom bookbuilder.cli.app import app\n"
    for source in (str(store), str(book)):
        for options, printed_with in (([], "rich"), (["--json"], None)):
            loaded = loaded_after(
                f"{run}assert not Runner().invoke(app, {['show', source, *options]}).exit_code"
            )
            assert not loaded & ({*HEAVY, "numpy", "rich"} - {printed_with}), (source, options)


def test_a_command_loads_no_other() -> None:
    script = (
        "import sys\nfrom typer.testing import CliRunner as Runner\nfrom bookbuilder.cli.app import app\n"
        "assert Runner().invoke(app, ['openings', '--find', 'Caro-Kann']).exit_code == 0\n"
        "print([name for name in sys.modules if name.startswith('bookbuilder.cli.')])"
    )
    ran = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.rpartition(".")[2] for name in ast.literal_eval(ran.stdout)}
    assert loaded == {"app", "console", "exits", "openings", "options", "arguments"}


def test_one_version_everywhere() -> None:
    from bookbuilder import _core

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    crate = tomllib.loads((ROOT / "core" / "Cargo.toml").read_text(encoding="utf-8"))["package"]["version"]
    assert project == crate == _core.CORE_VERSION == metadata.version("bookbuilder")
    assert f"## [{project}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_readme_holds_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = dict(re.findall(r"<!-- command: ([\w-]+) -->\n```sh\n(.*?)\n```", readme, re.DOTALL))
    assert commands == {
        "main-job": "pip install . && bookbuilder demo",
        "test": 'pip install ".[test]" && pytest',
    }


def test_tests_run_the_installed_package() -> None:
    """Without -P, a child of a test sees the source folder beside the tests, which has no native module."""
    wrong = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"\[sys\.executable, (?!\"-P\")", line)
    ]
    assert not wrong, "\n".join(wrong)
