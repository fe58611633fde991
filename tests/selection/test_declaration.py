"""The command line, the explorer and the docs agree with the declaration of every option."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from starlette.requests import Request

from bookbuilder import Evals
from bookbuilder.cli.app import app
from bookbuilder.explorer.endpoints import openapi
from bookbuilder.explorer.query import rules_json
from bookbuilder.selection.by_hand import MoveEdit, MoveEdits
from bookbuilder.selection.options import OPTIONS, Option, SelectionOptions

DOCS = Path(__file__).resolve().parents[2] / "docs"
# The command line sets these from the depth of counting, the format of the book and two flags.
WITHOUT_FLAG = {"max_ply", "shape", "repetition", "quality"}


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
        for_side="first",
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
    for name, option in OPTIONS.items():
        if option.flag is not None and name != "for_side":  # --side is an option of counting too
            offered = found[option.flag.partition("/")[0]]
            assert offered.help == option.meaning
            assert default_text(option) == (str(offered.default) if offered.default else "")
            assert tuple(getattr(offered.type, "choices", ())) == option.words


@pytest.mark.parametrize(
    "option", [each for each in OPTIONS.values() if each.flag], ids=lambda each: each.flag
)
def test_guide_names_every_flag(option: Option) -> None:
    flag = option.flag.partition("/")[0]
    assert f"`{flag}" in (DOCS / "selection.md").read_text(encoding="utf-8")


def test_explorer_describes_every_parameter() -> None:
    asked = [each for each in OPTIONS.values() if each.query]
    assert [(each["name"], each["meaning"]) for each in rules_json()] == [
        (each.query, each.meaning) for each in asked
    ]
    described = json.loads(bytes(openapi(Request({"type": "http"})).body))["components"]["parameters"]
    for option in asked:
        assert described[option.query]["description"] == option.meaning
