"""Options and arguments of commands, declared as annotations of a function's parameters.

`Annotated[int, option("--depth", min=1)]` declares an option. A parameter whose type is a dataclass stands
for its fields. Click parses the command line; the types here say in our own words what a value must be.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import click


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What an annotation says of a parameter.

    Attributes:
        names: the names of an option; its Python name with dashes if there are none.
        help: its text.
        metavar: the placeholder of its value.
        min: least number.
        max: greatest number.
        words: the words that it accepts, if its type is not a `Literal`.
        parser: returns the value of a text, or raises a `ValueError`.
        callback: is called with the value and returns the final one.
        show_default: whether the help shows the default, or the words that describe it.
        envvar: the variable of the environment that sets it, too.
        panel: the group of options in the help.
        hidden: whether only `--help-all` shows it.
        is_argument: whether it is an argument, not an option.
    """

    names: Sequence[str] = ()
    help: str = ""
    metavar: str | None = None
    min: float | None = None
    max: float | None = None
    words: Sequence[str] = ()
    parser: Callable[[str], Any] | None = None
    callback: Callable[[Any], Any] | None = None
    show_default: bool | str = True
    envvar: str | None = None
    panel: str = ""
    hidden: bool = False
    is_argument: bool = False


def option(*names: str, **settings: Any) -> Declared:  # noqa: ANN401 (the fields of `Declared`)
    """Return the declaration of an option."""
    return Declared(names=names, **settings)


def argument(**settings: Any) -> Declared:  # noqa: ANN401 (the fields of `Declared`)
    """Return the declaration of an argument."""
    return Declared(is_argument=True, **settings)


class Words(click.Choice[str]):
    """One of several words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Return the word, or fail."""
        if value not in self.choices:
            self.fail(f'"{value}" is unknown: expected one of {", ".join(self.choices)}', param, ctx)
        return str(value)


class Value(click.ParamType[Any]):
    """A number within limits, or what a parser makes of a text."""

    def __init__(self, name: str, parser: Callable[[Any], Any], declared: Declared) -> None:
        self.name = name
        self._parser = parser
        self._declared = declared

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return the value, or fail."""
        low, high = self._declared.min, self._declared.max
        try:
            parsed = self._parser(value)
        except ValueError as error:
            words = {"N": "expected a whole number", "X": "expected a number"}
            self.fail(words.get(self.name, str(error)), param, ctx)
        if low is not None and not parsed >= low:
            self.fail(f"expected at least {low}", param, ctx)
        if high is not None and not parsed <= high:
            self.fail(f"expected at most {high}", param, ctx)
        return parsed


class Option(click.Option):
    """An option with its place in the help."""

    panel: str = "Output"


class Argument(click.Argument):
    """An argument with a text in the help."""

    text: str = ""
    show_default: bool | str = True


class _Parameter(NamedTuple):
    """A parameter of a command: its name, the type of a value, and whether it takes several."""

    name: str
    kind: Any
    default: Any
    declared: Declared
    is_list: bool

    def to_click(self) -> click.Parameter:
        """Return the parameter that click parses."""
        declared = self.declared
        settings: dict[str, Any] = {"type": _type_of(self.kind, declared), "metavar": declared.metavar}
        # A list has no default that says something, unless words describe it.
        shown = declared.show_default if isinstance(declared.show_default, str) or not self.is_list else False
        if self.default is inspect.Parameter.empty:
            settings["required"] = True
        elif not self.is_list:
            settings["default"] = self.default
        if (callback := declared.callback) is not None:
            settings["callback"] = lambda _context, _parameter, value: callback(value)
        if declared.is_argument:
            settings["nargs"] = -1 if self.is_list else 1
            made = Argument([self.name], **settings)
            made.text, made.show_default = declared.help, shown
            return made
        names = declared.names or [f"--{self.name.replace('_', '-')}"]
        if self.kind is bool:
            names = names if declared.names else [f"{names[0]}/--no-{names[0][2:]}"]
            settings |= {"is_flag": True, "type": None}
        option = Option(
            [*names, self.name],
            help=declared.help,
            multiple=self.is_list,
            hidden=declared.hidden,
            envvar=declared.envvar,
            show_default=shown,
            **settings,
        )
        option.panel = declared.panel or "Options"
        return option

    def value(self, given: Any) -> Any:  # noqa: ANN401 (any option's value)
        """Return the value that the function takes; an option that is not given leaves its default."""
        return (list(given) or self.default) if self.is_list else given


_NUMBERS: Final = {int: "N", float: "X"}


def _type_of(kind: Any, declared: Declared) -> click.ParamType[Any]:  # noqa: ANN401 (a type)
    """Return the type by which click converts a value."""
    if declared.parser is not None:
        return Value("VALUE", declared.parser, declared)
    if declared.words or get_origin(kind) is Literal:
        return Words(declared.words or get_args(kind))
    if kind in _NUMBERS:
        return Value(_NUMBERS[kind], kind, declared)
    return click.Path(path_type=Path) if kind is Path else click.STRING


def _parameter(name: str, annotation: Any, default: Any) -> _Parameter:  # noqa: ANN401 (a type; a value)
    kind, declared = get_args(annotation)
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not NoneType)
    is_list = get_origin(kind) is list
    return _Parameter(name, get_args(kind)[0] if is_list else kind, default, declared, is_list)


def _flat(function: Callable[..., Any]) -> Iterator[tuple[str, type | None, list[_Parameter]]]:
    """Yield the parameters of a function by its own: a dataclass stands for its fields."""
    hints = get_type_hints(function, include_extras=True)
    for name, each in inspect.signature(function).parameters.items():
        kind = hints[name]
        if kind is click.Context:
            yield name, click.Context, []
        elif is_dataclass(kind) and isinstance(kind, type):
            types = get_type_hints(kind, include_extras=True)
            of_fields = ((f.name, f.default) for f in fields(kind))
            yield (
                name,
                kind,
                [
                    _parameter(own, types[own], inspect.Parameter.empty if value is MISSING else value)
                    for own, value in of_fields
                ],
            )
        else:
            yield name, None, [_parameter(name, kind, each.default)]


def declared_parameters(function: Callable[..., Any]) -> list[click.Parameter]:
    """Return the options and arguments that the annotations of a function declare."""
    return [each.to_click() for _, _, own in _flat(function) for each in own]


def taking_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of a command, which takes the values of the options by name."""
    packed = list(_flat(function))

    def take(**given: Any) -> Any:  # noqa: ANN401 (whatever the options are)
        values: dict[str, Any] = {}
        for name, kind, own in packed:
            taken = {each.name: each.value(given[each.name]) for each in own}
            if kind is click.Context:
                values[name] = click.get_current_context()
            else:
                values[name] = taken[name] if kind is None else kind(**taken)
        return function(**values)

    return take


def given_options(context: click.Context, names: Iterable[str]) -> list[str]:
    """Return the names of those parameters that the command line sets."""
    sources = ((name, context.get_parameter_source(name)) for name in names)
    return [name for name, source in sources if source is click.core.ParameterSource.COMMANDLINE]
