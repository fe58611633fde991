"""Tables and lists on pages are those of the code: rooms, presets, options, exit codes, formats."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from support.cli_runner import run
from support.project_files import ROOT

from bookbuilder.book.formats.registry import FORMATS
from bookbuilder.cli.exits import Exit
from bookbuilder.cli.settings import SHARED
from bookbuilder.explorer.builds import _OFFERED as OFFERED
from bookbuilder.selection.presets import PRESETS
from bookbuilder.selection.quality import WEIGHTS

DOCS = ROOT / "docs"
# Where the descriptions of the trees in docs/design.md begin.
COLUMN = 29


def text_of(name: str) -> str:
    """Return the text of a page."""
    return (ROOT / name).read_text(encoding="utf-8")


def cells(page: str, head: str) -> list[list[str]]:
    """Return the rows of the table whose head begins with some text."""
    section = text_of(page).partition(f"\n| {head}")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in section.splitlines()[2:]]


def house() -> ModuleType:
    """Return the rules of the house, which know the floors."""
    spec = importlib.util.spec_from_file_location("house", ROOT / "tests" / "project" / "test_house.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("tree", "floors"), [("bookbuilder/", "PYTHON_FLOORS"), ("core/src/", "RUST_FLOORS")]
)
def test_design_lists_every_room_from_the_ground_up(tree: str, floors: str) -> None:
    lines = text_of("docs/design.md").partition(f"\n{tree} ")[2].partition("\n\n")[0].splitlines()[1:]
    listed = [name.removesuffix("/").removesuffix(".pyi") for line in lines for name in line[:COLUMN].split()]
    floor = {room: number for number, rooms in enumerate(getattr(house(), floors)) for room in rooms}
    assert sorted(listed) == sorted(floor)
    assert [floor[room] for room in listed] == sorted(floor.values())


def options_of(*words: str) -> dict[str, object]:
    """Return the options of selection that `build` shows."""
    ran = run("build", "--show-options", "--json", *words)
    assert ran.code == 0, ran.err
    chosen: dict[str, object] = json.loads(ran.out)["selection"]
    return chosen


@pytest.mark.parametrize("name", PRESETS)
def test_page_has_the_options_of_each_preset(name: str) -> None:
    """With the options of a row, every other preset becomes this one."""
    told = {row[0].strip("`"): row[1] for row in cells("docs/guides/presets.md", "preset | options |")}
    assert set(told) == set(PRESETS)
    words = " ".join(re.findall(r"`(--[^`]*)`", told[name]))
    if "as `engine`" in told[name]:
        words = " ".join(re.findall(r"`(--[^`]*)`", told["engine"])) + " " + words
    expected = options_of("--preset", name)
    for other in {"engine", "broad", "own-games"}:
        found = options_of("--preset", other, *shlex.split(words))
        if "all plies" in told[name]:  # no option says so
            assert expected["max_ply"] is None
            found["max_ply"] = None
        assert found == expected, other


def options_said(protocol: str) -> dict[str, str]:
    """Return the options that the engine lists, each with its kind and values."""
    command = [sys.executable, "-P", "-m", "bookbuilder", "engine", protocol]
    ran = subprocess.run(command, input=f"{protocol}\nquit\n", capture_output=True, text=True, check=True)
    return dict(re.findall(r"^option (?:name )?(.+?) type (.+)$", ran.stdout, re.MULTILINE))


def values_shown(kind: str) -> str | None:
    """Return the values of an option as the page shows them; None for texts, switches and buttons."""
    if spin := re.fullmatch(r"spin default (\d+) min (\d+) max (\d+)", kind):
        return f"{spin[2]}–{spin[3]}, {spin[1]}"
    if combo := re.fullmatch(r"combo default (\S+)((?: var \S+)+)", kind):
        return f"{', '.join(combo[2].split()[1::2])}: {combo[1]}"
    return None


def test_page_has_the_options_of_the_engine() -> None:
    rows = cells("docs/engine.md", "option (UCI) | UCCI |")
    uci = options_said("uci")
    assert [row[0].strip("`") for row in rows if row[0]] == list(uci)
    assert sorted(re.findall(r"`(\w+)`", " ".join(row[1] for row in rows))) == sorted(options_said("ucci"))
    shown = {row[0].strip("`"): re.sub(r" MiB| ms|`", "", row[2]) for row in rows if row[0]}
    described = {"Book depth": "plies, 1000", "Book seed": "number, 0", "UCI_Variant": "chess, xiangqi"}
    wrong = {
        name: values
        for name, kind in uci.items()
        if (values := values_shown(kind)) not in (None, shown[name]) and shown[name] != described.get(name)
    }
    assert not wrong


def test_troubleshooting_has_every_exit_code() -> None:
    assert [int(code) for code, _ in cells("docs/troubleshooting.md", "code | meaning |")] == list(Exit)


def test_configuration_lists_the_options_of_defaults() -> None:
    sentence = text_of("docs/guides/configuration.md").partition("options that many commands share: ")[2]
    assert re.findall(r"`([\w-]+)`", sentence.partition(". ")[0]) == list(SHARED)


def test_file_of_the_configuration_page_is_valid(tmp_path: Path) -> None:
    example = text_of("docs/guides/configuration.md").partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "a.toml").write_text(example, encoding="utf-8")
    ran = run("--config", tmp_path / "a.toml", "config", "show", "--json")
    assert (ran.code, ran.err) == (0, "")
    keys = {each["key"] for each in json.loads(ran.out)["settings"]}
    stated = {
        f"{table}.{key}"
        for table, values in re.findall(r"^\[([\w.]+)\].*\n((?:[^\[\n].*\n)+)", example, re.MULTILINE)
        for key in re.findall(r"^([\w-]+) =", values, re.MULTILINE)
    }
    assert stated
    assert keys == stated


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_readme_lists_the_formats_of_books(game: str) -> None:
    names = {
        ".book": "book", "Polyglot": "polyglot", "Arena": "abk", "BOOK.DAT": "book-dat", "OBK": "obk",
        "CSV": "csv", "JSON": "json", "Parquet": "parquet", "PGN tree": "pgn", "EPD": "epd",
    }  # fmt: skip
    rows = {row[0]: row[1:] for row in cells("README.md", "| chess | xiangqi |")}
    for row, is_read in (("books, read and written", True), ("books, written", False)):
        told = rows[row][["chess", "xiangqi"].index(game)].replace("`", "").split(", ")
        found = {
            each.name
            for each in FORMATS.values()
            if game in each.games and (each.read is not None) == is_read
        }
        assert {names[name] for name in told} == found


def test_page_of_the_explorer_lists_what_it_offers() -> None:
    sentence = " ".join(text_of("docs/explorer.md").split()).partition("and offers it as ")[2]
    told = re.findall(r"`(\.\w+)`", sentence.partition(". The files")[0])
    assert told == [FORMATS[name].suffix for name in OFFERED]


def test_pages_have_the_weights_of_quality() -> None:
    rows = cells("docs/selection.md", "term | default weight |")
    told = {name.strip("`").replace("p", "result", name == "`p`"): int(weight) for name, weight, _ in rows}
    assert told == WEIGHTS
    stated = ", ".join(f"{name} {weight}" for name, weight in WEIGHTS.items())
    assert f"{stated} per cent" in text_of("docs/literature.md")


def test_table_of_fuzz_targets_has_each_once() -> None:
    fuzz = ROOT / "core" / "fuzz"
    told = [
        name for row in cells("core/fuzz/README.md", "target |") for name in re.findall(r"`(\w+)`", row[0])
    ]
    assert sorted(told) == sorted(path.stem for path in (fuzz / "fuzz_targets").glob("*.rs"))
    assert sorted(told) == sorted(path.name for path in (fuzz / "seeds").iterdir())
