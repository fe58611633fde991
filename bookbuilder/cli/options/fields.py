"""Dataclasses that stand for their options: a command takes their fields."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

import typer


def taking_fields(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that takes the fields of a dataclass in place of a parameter of that type.

    Typer derives the options of a command from its signature. Here the signature has the fields, with their
    annotations and defaults.
    """
    signature = inspect.signature(command, eval_str=True)
    packed = {name: each.annotation for name, each in signature.parameters.items() if _is_packed(each)}

    @functools.wraps(command)
    def take(**given: Any) -> Any:  # noqa: ANN401 (whatever the options are)
        for name, kind in packed.items():
            given[name] = kind(**{each.name: given.pop(each.name) for each in fields(kind)})
        return command(**given)

    parameters = [one for each in signature.parameters.values() for one in _unpacked(each)]
    take.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return take


def _is_packed(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)


def _unpacked(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    by_name = inspect.Parameter.KEYWORD_ONLY
    if not _is_packed(parameter):
        yield parameter.replace(kind=by_name)
        return
    hints = get_type_hints(parameter.annotation, include_extras=True)
    for each in fields(parameter.annotation):
        default = inspect.Parameter.empty if each.default is MISSING else each.default
        yield inspect.Parameter(each.name, by_name, default=default, annotation=hints[each.name])


def given_options(context: typer.Context, names: Iterable[str]) -> list[str]:
    """Return the names of those parameters that the command line sets."""
    sources = ((name, context.get_parameter_source(name)) for name in names)
    return [name for name, source in sources if source is not None and source.name == "COMMANDLINE"]
