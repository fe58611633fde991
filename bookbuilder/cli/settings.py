"""Settings of commands from `bookbuilder.toml` and from variables `BOOKBUILDER_*` of the environment.

A file has a table for each command, such as `[tally]` or `[engine.match]`, and `[defaults]` for the options
in `SHARED`. Keys are long names of options without dashes. The parser of commands does the rest: settings are
the `default_map` of a command's context and the variables of its options.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bookbuilder.cli.terminal import note
from bookbuilder.errors import OptionError

__all__ = [
    "CHOSEN",
    "CONFIG_NAME",
    "SHARED",
    "Origin",
    "apply_settings",
    "config_files",
    "has_settings",
    "long_name",
    "origin_of",
]

CONFIG_NAME: Final = "bookbuilder.toml"
"""The name of configuration files."""
SHARED: Final = (
    "cluster",
    "color",
    "game",
    "jobs",
    "json",
    "max-inflate",
    "memory",
    "preset",
    "quiet",
    "verbose",
    "wide",
)
"""Options that `[defaults]` and variables without a command set for all commands that have them."""
CHOSEN: Final = "bookbuilder.config"
"""Key in the `meta` of a context: the file of --config, None for --no-config, missing without them."""
_ORIGINS: Final = "bookbuilder.origins"
_WARNED: Final = "bookbuilder.warned"
_DEFAULTS: Final = "defaults"
_PREFIX: Final = "BOOKBUILDER_"
# Variables of the tests, and of the explorer.
_OTHER_VARIABLES: Final = ("CORPUS", "FIGURES", "POSITIONS", "RENEW", "TABLES", "TOKEN")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a setting is: a key of a file, or a variable (then the file is None).

    Attributes:
        file: the file.
        key: the key with its table, such as `tally.jobs`, or the name of the variable.
    """

    file: Path | None
    key: str

    @property
    def line(self) -> int | None:
        """The line of the key; None if the file writes it in a form that is not searched for."""
        return None if self.file is None else _line_of(self.file, self.key)

    def __str__(self) -> str:
        """Return the origin for people."""
        if self.file is None:
            return f"variable {self.key}"
        line = self.line
        return f"{self.file}: {'' if line is None else f'line {line}, '}{self.key}"


def long_name(parameter: Any) -> str | None:  # noqa: ANN401 (typer does not export the class)
    """Return the long name of an option without dashes; None for arguments and for --help."""
    names = [name[2:] for name in parameter.opts if name.startswith("--")]
    is_option = parameter.param_type_name == "option" and parameter.name not in {"help", "version"}
    return names[0] if names and is_option else None


def config_files(chosen: Any = ...) -> list[Path]:  # noqa: ANN401 (a path, None, or neither)
    """Return the configuration files, the strongest first: the project's, then the user's.

    Args:
        chosen: the file of --config, which is then the only one; None for --no-config.
    """
    if chosen is not ...:
        return [] if chosen is None else [Path(chosen)]
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111 (no error)
    user = Path(home, "bookbuilder", CONFIG_NAME)
    return [*_project_file(), *([user] if user.is_file() else [])]


def has_settings(path: tuple[str, ...]) -> bool:
    """Return whether a file or a variable may have settings for a command.

    Args:
        path: the names of the command.
    """
    names = (_variable(*path), *map(_variable, SHARED))
    return bool(config_files()) or any(name.startswith(names) for name in os.environ)


def _project_file() -> Iterator[Path]:
    """Yield the file in the current folder or the nearest folder above, up to the repository or home."""
    home = os.path.expanduser("~")  # noqa: PTH111 (as above)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (file := folder / CONFIG_NAME).is_file():
            yield file
            return
        if str(folder) == home or (folder / ".git").exists():
            return


def apply_settings(context: Any, command: Any) -> None:  # noqa: ANN401 (as above)
    """Give a command its settings, before its options are parsed.

    Args:
        context: the context of the command.
        command: the command.

    Raises:
        OptionError: a file is not valid TOML, or has an unknown key or a value of the wrong type.
    """
    path = _path_of(context)
    options = {name: each for each in command.params if (name := long_name(each)) is not None}
    for name, option in options.items():
        option.envvar = list(_variables(path, name, option))
        option.show_envvar = False  # errors name the variable that is set
    _warn_of_variables(path, options, context)
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    # The strongest last.
    for file in reversed(config_files(context.meta.get(CHOSEN, ...))):
        tables = _read(file)
        _check_names(file, tables, context)
        for table in ((_DEFAULTS,), path):
            for key, value in _table(file, tables, table).items():
                where = Origin(file, ".".join((*table, key)))
                if isinstance(value, Mapping) and table != (_DEFAULTS,):
                    continue  # the table of a command below
                _require_known(where, key, table, options)
                if key not in options:
                    continue  # a shared option that this command does not have
                values[options[key].name] = _as_given(where, value, options[key])
                origins[options[key].name] = where
    context.default_map = values
    context.meta[_ORIGINS] = origins


def origin_of(context: Any, parameter: Any) -> Origin | None:  # noqa: ANN401 (as above)
    """Return where the value of an option comes from; None for the command line and the default."""
    source = context.get_parameter_source(parameter.name)
    if source is None or source.name not in ("ENVIRONMENT", "DEFAULT_MAP"):
        return None
    if source.name == "DEFAULT_MAP":
        found: Origin | None = context.meta.get(_ORIGINS, {}).get(parameter.name)
        return found
    names = [parameter.envvar] if isinstance(parameter.envvar, str) else parameter.envvar or []
    return next((Origin(None, name) for name in names if os.environ.get(name)), None)


def _path_of(context: Any) -> tuple[str, ...]:  # noqa: ANN401 (as above)
    """Return the names of a command: `engine`, `match`. `tally` is the usual name of `tally add`."""
    names: list[str] = []
    while context.parent is not None:
        names.insert(0, context.info_name)
        context = context.parent
    return ("tally",) if names == ["tally", "add"] else tuple(names)


def _variables(path: tuple[str, ...], name: str, option: Any) -> Iterator[str]:  # noqa: ANN401 (as above)
    """Yield the variables of an option, the strongest first."""
    yield _variable(*path, name)
    if name in SHARED:
        yield _variable(name)
    own = option.envvar
    yield from [] if own is None else [own] if isinstance(own, str) else own[1:]


def _variable(*words: str) -> str:
    return _PREFIX + "_".join(words).upper().replace("-", "_")


def _warn_of_variables(path: tuple[str, ...], options: Iterable[str], context: Any) -> None:  # noqa: ANN401
    """Warn of variables that no option of this command has, and of those that belong to no command."""
    root = context.find_root().command
    commands = tuple(_variable(name) + "_" for name in root.commands)
    others = {_variable(each) for each in (*_OTHER_VARIABLES, *SHARED)}
    mine = {_variable(*path, name) for name in options}
    below = tuple(_variable(*path, name) + "_" for name in getattr(context.parent.command, "commands", ()))
    warned = context.meta.setdefault(_WARNED, set())
    for name in sorted(os.environ):
        if not name.startswith(_PREFIX) or name in others or name in mine or name in warned:
            continue
        is_mine = name.startswith(_variable(*path) + "_") and not name.startswith(below)
        if is_mine or not name.startswith(commands):
            warned.add(name)
            rest = name.split("_", 2)[-1]
            known = [*mine, *others] if is_mine else [*others, *(each + rest for each in commands)]
            note(f"bookbuilder: warning: variable {name} is unknown{_nearest(name, known)}")


def _check_names(file: Path, tables: Mapping[str, Any], context: Any) -> None:  # noqa: ANN401 (as above)
    """Refuse tables of commands that do not exist."""
    known = [_DEFAULTS, *context.find_root().command.commands]
    for name, value in tables.items():
        where = Origin(file, name)
        if not isinstance(value, Mapping):
            raise OptionError(f"{where}: is outside of a table; write it below [{_DEFAULTS}] or a command")
        if name not in known:
            raise OptionError(f"{where}: no command has this name{_nearest(name, known)}")
        group = context.find_root().command.commands[name] if name == _path_of(context)[0] else None
        for inner, deeper in value.items():
            if isinstance(deeper, Mapping) and group is not None and inner not in _names_in(group):
                names = _names_in(group)
                raise OptionError(
                    f"{Origin(file, f'{name}.{inner}')}: no command has this name{_nearest(inner, names)}"
                )


def _names_in(group: Any) -> list[str]:  # noqa: ANN401 (as above)
    # The options of `tally add` are those of [tally].
    return [name for name in getattr(group, "commands", ()) if name != "add"]


def _table(file: Path, tables: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
    for depth, name in enumerate(path):
        inner = tables.get(name, {})
        if not isinstance(inner, Mapping):
            where = Origin(file, ".".join(path[: depth + 1]))
            raise OptionError(f"{where}: is a command with options: expected a table [{'.'.join(path)}]")
        tables = inner
    return tables


def _require_known(where: Origin, key: str, table: tuple[str, ...], options: Iterable[str]) -> None:
    """Refuse a key that is not an option."""
    if table == (_DEFAULTS,) and key not in SHARED:
        raise OptionError(
            f"{where}: is not an option that commands share: expected one of {', '.join(SHARED)}"
        )
    if table != (_DEFAULTS,) and key not in options:
        raise OptionError(f"{where}: {' '.join(table)} has no option --{key}{_nearest(key, list(options))}")


def _nearest(name: str, known: list[str]) -> str:
    import difflib

    found = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {found[0]}?" if found else ""


def _as_given(where: Origin, value: Any, option: Any) -> Any:  # noqa: ANN401 (TOML data)
    """Return a value as the command line would give it."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise OptionError(f"{where}: expected true or false")
        return value
    items = value if isinstance(value, list) else [value]
    if isinstance(value, bool) or any(isinstance(each, bool | list | Mapping) for each in items):
        raise OptionError(f"{where}: expected a number or a text{' or a list' if option.multiple else ''}")
    if isinstance(value, list) and not option.multiple:
        raise OptionError(f"{where}: expected one value, not a list")
    texts = [str(each) for each in items]
    return texts if option.multiple else texts[0]


def _read(file: Path) -> dict[str, Any]:
    """Return the tables of a file."""
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise OptionError(f"{file}: is not valid TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise OptionError(f"{file}: is not valid TOML: byte {error.start} is not UTF-8") from error


def _line_of(file: Path, path: str) -> int | None:
    """Return the line of a key or of a table in a file."""
    table = ""
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if head := re.match(r"\s*\[\s*([\w.-]+)\s*\]", line):
            table = head[1]
            if table == path or table.startswith(f"{path}."):
                return number
        elif (key := re.match(r"\s*([\w.-]+)\s*=", line)) and f"{table}.{key[1]}".lstrip(".") == path:
            return number
    return None
