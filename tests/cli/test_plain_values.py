"""Plain values are what typer's validators make of them, for each parameter of each command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from bookbuilder.cli.app import app
from bookbuilder.cli.plain_values import take_plain_values
from bookbuilder.cli.usage import UsageError

WORDS = [
    *("", "0", "1", "-1", "007", "+5", "1e3", "40", "99999999999", "9" * 19, " 3", "0.5", "x", "all", "auto"),
    *("first", "FIRST", "p", "score", "always", "engine", "chess", "a/b.pgn", "-", "uniform", "true"),
    *(None, True, False, 3, -1, 0, 10**6, Path("a"), b"bytes", 0.5),
]


def commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every command below one, with its name."""
    below = getattr(command, "commands", None)
    if below is None:
        yield name.strip(), command
        return
    for each in below:
        yield from commands(below[each], f"{name} {each}")


def outcome(parameter: Any, value: Any, context: Any) -> tuple[str, Any]:
    try:
        found = parameter.get_runtime_param().coerce(value, param=parameter, ctx=context)
    except UsageError as error:
        return "error", str(error)
    return type(found).__name__, found


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_same_values_and_errors_as_validators(name: str) -> None:
    command = COMMANDS[name]
    context = typer.Context(command, info_name=name)
    for each in command.params:
        is_list = each.multiple or each.nargs == -1
        has_parser = each.type_descriptor.parameter_info.parser is not None
        words = [word for word in WORDS if isinstance(word, str)] if has_parser else WORDS
        values = [[word, word] for word in words] if is_list else words
        each._runtime_param = None
        wanted = [outcome(each, value, context) for value in values]
        each._runtime_param = None
        take_plain_values([each])
        found = []
        for value in values:
            found.append(outcome(each, value, context))
            each._runtime_param = None
            take_plain_values([each])
        assert found == wanted, each.name
