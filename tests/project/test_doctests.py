"""The examples in docstrings run as tests, and every public name has one.

Examples know `bb`, the package. They may read `games.pgn` and `games.zip`, a few games of chess and of
xiangqi, the books `games.book` and `games.bin` that were built from the games of chess, and `tables`, endgame
tables of a king and a rook.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import bookbuilder

# `__main__` runs the program when it is imported.
MODULES = [
    found.name
    for found in pkgutil.walk_packages(bookbuilder.__path__, "bookbuilder.")
    if found.name.rpartition(".")[2] != "__main__"
]
SOURCES = Path(bookbuilder.__file__).parent
STUB = SOURCES / "_core.pyi"
"""Documents the classes of the native core, whose own docstrings are short."""
PROMPT = ">>> "


@pytest.fixture(scope="session")
def examples_files(chess_pgn: Path, xiangqi_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what examples may read."""
    folder = tmp_path_factory.mktemp("examples")
    shutil.copy(chess_pgn, folder / "games.pgn")
    shutil.copy(xiangqi_zip, folder / "games.zip")
    bookbuilder.build(folder / "games.pgn", folder / "games.book", min_games=1)
    bookbuilder.convert(folder / "games.book", folder / "games.bin")
    bookbuilder.build_tables(["KRvK"], folder / "tables")
    return folder


@pytest.fixture
def examples_folder(examples_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory with a copy of these."""
    shutil.copytree(examples_files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    yield tmp_path
    if "pyplot" in vars(importlib.import_module("matplotlib")):
        importlib.import_module("matplotlib.pyplot").close("all")


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str, examples_folder: Path) -> None:
    module = importlib.import_module(name)
    options = doctest.ELLIPSIS
    found = doctest.testmod(module, extraglobs={"bb": bookbuilder}, optionflags=options, raise_on_error=False)
    assert found.failed == 0
    # doctest has found every example of the file.
    if module.__file__ and module.__file__.endswith(".py"):
        assert found.attempted == Path(module.__file__).read_text(encoding="utf-8").count(PROMPT)


def stub_docstrings() -> dict[str, str]:
    """Return the docstrings of the classes of the stub and of their methods, by qualified name."""
    found = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = ast.get_docstring(node) or ""
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    found[f"{node.name}.{member.name}"] = ast.get_docstring(member) or ""
    return found


def test_examples_of_the_stub() -> None:
    runner, parser = doctest.DocTestRunner(), doctest.DocTestParser()
    for name, text in stub_docstrings().items():
        runner.run(parser.get_doctest(text, {"bb": bookbuilder}, name, str(STUB), 0))
    assert runner.failures == 0
    assert runner.tries == STUB.read_text(encoding="utf-8").count(PROMPT)


def public_members(value: type) -> Iterator[tuple[str, object]]:
    """Yield the public methods and properties of a class and its bases in this package."""
    for base in value.__mro__:
        if base.__module__.startswith("bookbuilder"):
            for name, member in vars(base).items():
                function = getattr(member, "__func__", getattr(member, "fget", member))
                is_asked = inspect.isroutine(function) or inspect.isgetsetdescriptor(function)
                if is_asked and not name.startswith("_"):
                    yield f"{value.__name__}.{name}", function


def documented_things() -> Iterator[tuple[str, str]]:
    """Yield name and docstring of what users call.

    These are the names of the package, their members, and the names of public modules.
    """
    native = stub_docstrings()
    for name in bookbuilder.__all__:
        value = getattr(bookbuilder, name)
        if isinstance(value, ModuleType):
            things = ((each, getattr(value, each)) for each in value.__all__)
            members = [(each, it) for each, it in things if inspect.isroutine(it) or isinstance(it, type)]
        else:
            members = [(name, value), *(public_members(value) if isinstance(value, type) else ())]
        is_native = getattr(value, "__module__", "") == "bookbuilder._core"
        for each, member in members:
            yield each, native[each] if is_native else getattr(member, "__doc__", None) or ""


def test_every_public_name_has_an_example() -> None:
    texts: dict[str, str] = {}
    for name, text in documented_things():
        # A method that overrides another one may be documented where it is defined first.
        texts[name] = texts.get(name, "") + text
    missing = [name for name, text in texts.items() if PROMPT not in text]
    assert not missing, "\n".join(missing)
    assert len(texts) > 150
