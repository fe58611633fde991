"""`bookbuilder config show`: the settings of files and of the environment, with their origins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from bookbuilder.cli.console import note, print_json, print_table, text
from bookbuilder.cli.help import Application
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.settings import CHOSEN, Origin, apply_settings, config_files, long_name, origin_of

app = Application(help="Show settings of files and of the environment.")

# Values that are not printed.
_SECRET: Final = ("token",)


@app.callback()
def config() -> None:
    """Show settings of files and of the environment."""


@dataclass(frozen=True, slots=True)
class _Setting:
    """An option of a command with its value and its origin; None: the default."""

    command: str
    option: str
    value: Any
    origin: Origin | None

    def to_json(self) -> dict[str, Any]:
        origin = self.origin
        where: dict[str, Any] = {"from": "default"}
        if origin is not None and origin.file is not None:
            where = {"from": "file", "file": str(origin.file), "key": origin.key, "line": origin.line}
        elif origin is not None:
            where = {"from": "environment", "variable": origin.key}
        return {"command": self.command, "option": self.option, "value": self.value, **where}

    def row(self) -> tuple[str, str, str]:
        return self.option, _spelled(self.value), str(self.origin or "default")


@app.command()
def show(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COMMAND",
            help="A command, such as engine match: show all its options.",
            show_default=False,
        ),
    ] = None,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Show settings that are not defaults, and where they come from; with COMMAND all options of the command.

    The order is: command line, variables BOOKBUILDER_*, bookbuilder.toml of the project, bookbuilder.toml of
    the user, defaults. All files are checked.
    """
    root = context.find_root()
    if words:
        name = " ".join(words)
        settings = list(_settings(_found(root, words), name))
    else:
        settings = [each for name, one in _all(root, root.command, ()) for each in _settings(one, name)]
        settings = [each for each in settings if each.origin is not None]
    if json:
        files = [str(each) for each in config_files(root.meta.get(CHOSEN, ...))]
        print_json({"files": files, "settings": [each.to_json() for each in settings]})
        return
    if not settings:
        note("no file and no variable changes a default; see docs/guides/configuration.md", quiet=quiet)
        return
    columns = (text("option", least=8), text("value", least=8), text("from", least=20, wraps=True))
    print_table(columns, [each.row() for each in (settings if words else _merged(settings))])


def _merged(settings: list[_Setting]) -> Iterator[_Setting]:
    """Yield a setting of several commands once."""
    seen: dict[str, None] = {}
    for each in settings:
        origin = str(each.origin)
        if origin not in seen:
            seen[origin] = None
            shared = sum(str(other.origin) == origin for other in settings) > 1
            name = each.option if shared else f"{each.command} {each.option}"
            yield _Setting(each.command, name, each.value, each.origin)


def _found(context: Any, words: list[str]) -> Any:  # noqa: ANN401 (typer does not export the class)
    """Return the context of a command that is not run."""
    path = [*words, "add"] if words == ["tally"] else words
    for word in path:
        command = getattr(context.command, "commands", {}).get(word)
        if command is None:
            raise typer.BadParameter(f'unknown command "{" ".join(words)}"; `bookbuilder --help` lists them')
        context = _child(context, word, command)
    if getattr(context.command, "commands", None):
        names = ", ".join(context.command.commands)
        raise typer.BadParameter(f'"{" ".join(words)}" is a group of commands: name one of {names}')
    return context


def _child(parent: Any, name: str, command: Any) -> Any:  # noqa: ANN401 (as above)
    return command.context_class(command, parent=parent, info_name=name)


def _all(context: Any, command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """Yield the name and the context of each command, without old names of commands."""
    commands = getattr(command, "commands", None)
    if commands is None:
        yield " ".join(path).removesuffix(" add"), context
        return
    for name in commands:
        below = commands[name]
        if not below.hidden:
            yield from _all(_child(context, name, below), below, (*path, name))


def _settings(context: Any, name: str) -> Iterator[_Setting]:  # noqa: ANN401 (as above)
    """Yield the options of a command. Settings are checked as the command would check them."""
    apply_settings(context, context.command)
    for parameter in context.command.params:
        option = long_name(parameter)
        if option is None:
            continue
        value, source = parameter.consume_value(context, {})
        context.set_parameter_source(parameter.name, source)
        origin = origin_of(context, parameter)
        if origin is not None:
            # A bad value is refused, with its origin.
            _check(context, parameter, value)
        elif isinstance(parameter.show_default, str):
            value = parameter.show_default
        yield _Setting(name, option, "***" if option in _SECRET and value else value, origin)


def _check(context: Any, parameter: Any, value: Any) -> None:  # noqa: ANN401 (as above)
    if parameter.expose_value:
        parameter.process_value(context, value)
    else:  # its callback sets how this answer is printed
        parameter.get_runtime_param().coerce(value, param=parameter, ctx=context)


def _spelled(value: Any) -> str:  # noqa: ANN401 (any option's value)
    if value is None or value == ():
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
