"""The command line, the API, the page and the docs agree with the declaration of every option."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

from bookbuilder import Evals
from bookbuilder.cli.app import app
from bookbuilder.selection.by_hand import MoveEdit, MoveEdits
from bookbuilder.selection.declaration import Option
from bookbuilder.selection.options import OPTIONS, SelectionOptions

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXPLORER = resources.files("bookbuilder.explorer")
# The command line sets these from the depth of counting, the format of the book and two flags.
WITHOUT_FLAG = {"max_ply", "shape", "repetition"}


def page(name: str) -> str:
    return EXPLORER.joinpath("web", name).read_text(encoding="utf-8")


def default_text(option: Option) -> str:
    value = option.unset if option.default is None else option.default
    return "" if value is None or value is False else str(value)


def test_docstring_explains_every_option() -> None:
    explained = re.findall(r"^        (\w+): ", SelectionOptions.__doc__ or "", re.MULTILINE)
    assert explained == list(OPTIONS)


def test_recipe_holds_every_option_and_restores_them(tmp_path: Path) -> None:
    evals = tmp_path / "a.evals"
    Evals.empty("chess").write(evals)
    given = SelectionOptions(
        min_share="2%",
        half_life="18m",
        quality="p=1",
        for_side="first",
        opponent_top=3,
        evals=evals,
        edits=MoveEdits("chess", (MoveEdit(position="startpos", move="e4", keep=False),)),
        veto=50,
        max_loss=40,
        loss_scale=30,
    )
    data = given.to_json()
    assert list(data) == list(OPTIONS)
    assert SelectionOptions.from_json(json.loads(json.dumps(data))) == given


def test_command_line_has_every_option() -> None:
    commands: Any = typer.main.get_command(app)
    found = {each.opts[0]: each for each in commands.get_command(None, "build").params}
    assert {name for name, option in OPTIONS.items() if option.flag is None} == WITHOUT_FLAG
    for option in OPTIONS.values():
        if option.flag is not None:
            offered = found[option.flag.partition("/")[0]]
            assert offered.help == option.meaning
            assert default_text(option) == (str(offered.default) if offered.default else "")
            assert get_args(offered.type_descriptor.annotation) == option.words


@pytest.mark.parametrize(
    "option", [each for each in OPTIONS.values() if each.flag], ids=lambda each: each.flag
)
def test_guide_names_every_flag(option: Option) -> None:
    flag = option.flag.partition("/")[0]
    assert f"`{flag}" in (DOCS / "selection.md").read_text(encoding="utf-8")


def schema_of(option: Option) -> dict[str, Any]:
    """The JSON schema of a query parameter."""
    if option.words:
        return {"enum": list(option.words)}
    if option.kind is bool:
        return {"$ref": "#/components/schemas/Flag"}
    if option.kind is str:
        return {"type": "string"}
    limits = {"minimum": option.minimum, "maximum": option.maximum}
    number = {"type": "integer", **{name: limit for name, limit in limits.items() if limit is not None}}
    return {"anyOf": [number, {"const": option.unset}]} if option.unset else number


def test_api_describes_every_parameter() -> None:
    described = json.loads(EXPLORER.joinpath("openapi.json").read_text(encoding="utf-8"))
    for option in (each for each in OPTIONS.values() if each.query):
        parameter = described["components"]["parameters"][option.query]
        assert parameter["description"].startswith(option.meaning)
        assert parameter["schema"] == schema_of(option)
        if option.kind is not bool and not option.words:
            added = parameter["description"].removeprefix(option.meaning)
            assert option.unset is None or re.search(rf"\b{option.unset}\b", added)
            assert default_text(option) in added
        used = [each["$ref"] for each in described["paths"]["/api/v1/position"]["get"]["parameters"]]
        assert f"#/components/parameters/{option.query}" in used


def test_page_has_every_parameter_with_its_default() -> None:
    state, filters, building = page("state.js"), page("filters.js"), page("build.js")
    listed = re.search(r"SELECTION = \{(.*?)\}", state, re.DOTALL)[1]
    kinds = {str: "share", int: "number", bool: "flag"}
    expected = {
        each.query: "word" if get_args(each.kind) else kinds[each.kind]
        for each in OPTIONS.values()
        if each.query
    }
    assert dict(re.findall(r'(\w+): "(\w+)"', listed)) == expected
    defaults = dict(re.findall(r'^  (\w+): "(.*)",$', state.split("SELECTION")[0], re.MULTILINE))
    for option in (each for each in OPTIONS.values() if each.query):
        assert defaults[option.query] == default_text(option).replace("True", "1")
        assert f'value("{option.query}")' in filters or f"state.{option.query}" in building
