"""Values of parameters that need no validator.

typer builds a pydantic validator for each parameter, used or not. For a command of 60 options that takes a
tenth of a second. Most values are plain: nothing, a text, a path, a whole number within its limits, a known
word. They are taken as they are. All others go to typer's validator, which also words the errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

__all__ = ["take_plain_values"]

_WHOLE_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")
_REFUSED: Final = object()
"""A value is not plain."""


class _PlainFirst:
    """Takes plain values of one parameter; stands in for its validator (`RuntimeParam` of typer)."""

    def __init__(self, parameter: Any, validator: Callable[[], Any]) -> None:  # noqa: ANN401 (typer exports no class)
        self._annotation = parameter.type_descriptor.annotation
        self._facts = parameter.type_descriptor.parameter_info
        self._validator = validator

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401 (the signature of typer)
        """Return the value of a parameter in its type."""
        is_list = param.multiple or param.nargs == -1
        if value is None:
            return () if is_list else None
        plain = _as_list(value, self._annotation, self._facts) if is_list else self._as_one(value)
        return self._validator().coerce(value, param=param, ctx=ctx) if plain is _REFUSED else plain

    def _as_one(self, value: Any) -> Any:  # noqa: ANN401 (any parameter's value)
        return _as_one(value, self._annotation, self._facts)


def _as_list(value: Any, annotation: Any, facts: Any) -> Any:  # noqa: ANN401 (any parameter's value)
    if get_origin(annotation) is not list or not isinstance(value, list | tuple):
        return _REFUSED
    each = [_as_one(item, get_args(annotation)[0], facts) for item in value]
    return _REFUSED if any(item is _REFUSED for item in each) else each


def _as_one(value: Any, annotation: Any, facts: Any) -> Any:  # noqa: ANN401 (any parameter's value)
    if facts.parser is not None:
        return _REFUSED
    if get_origin(annotation) is Literal:
        return value if value in get_args(annotation) else _REFUSED
    if annotation is str or annotation is bool:
        return value if type(value) is annotation else _REFUSED
    if annotation is Path and isinstance(value, str | Path):
        is_checked = facts.exists or facts.resolve_path or facts.allow_dash or facts.path_type is not None
        return _REFUSED if is_checked or not (facts.file_okay and facts.dir_okay) else Path(value)
    if annotation is int:
        return _as_number(value, facts)
    return _REFUSED


def _as_number(value: Any, facts: Any) -> Any:  # noqa: ANN401 (any parameter's value)
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
        value = int(value)
    if type(value) is not int or facts.clamp:
        return _REFUSED
    is_within = (facts.min is None or value >= facts.min) and (facts.max is None or value <= facts.max)
    return value if is_within else _REFUSED


def take_plain_values(parameters: list[Any]) -> None:
    """Let the parameters of a command take plain values without a validator."""
    for each in parameters:
        if getattr(each, "_runtime_param", each) is None:
            each._runtime_param = _PlainFirst(each, _validator_of(each))


def _validator_of(parameter: Any) -> Callable[[], Any]:  # noqa: ANN401 (typer exports no class)
    def validator() -> Any:  # noqa: ANN401 (as above)
        parameter._runtime_param = None
        return parameter.get_runtime_param()

    return validator
