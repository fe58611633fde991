"""Usage errors in our own words: one line, which names the option and what it expects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import typer

from bookbuilder.cli.settings import origin_of

__all__ = ["UsageError", "usage_line"]

# typer exports this class under no public name.
UsageError: Final[type[Exception]] = typer.BadParameter.__mro__[1]
"""The class of all usage errors of the command line."""

_REWORDED: Final = (
    (r"Invalid value for '(?P<name>[^']+)'(?: / '[^']+')*: (?P<why>.+)", r"\g<name>: \g<why>"),
    (r"^Invalid value: ", ""),
    (r"Input should be a valid integer.*", "expected a whole number"),
    (r"Input should be a valid number.*", "expected a number"),
    (r"Input should be greater than or equal to (\S+)", r"expected at least \1"),
    (r"Input should be less than or equal to (\S+)", r"expected at most \1"),
    (r"(?:Value error, )?'([^']*)' is not one of (.+?)\.$", r'"\1" is unknown: expected one of \2'),
    (r"No such option: (\S+) \(Possible options: (.+)\)", r"unknown option \1; did you mean \2?"),
    (r"No such option: (\S+)", r"unknown option \1"),
    (r"No such command '([^']+)'\. Did you mean (.+)\?", r"unknown command \1; did you mean \2?"),
    (r"No such command '([^']+)'\.", r"unknown command \1"),
    (r"Missing argument '([^']+)'\.", r"\1 is missing"),
    (r"Missing option '(\S+)'(?: / '[^']+')*\.", r"\1 is missing"),
    (r"Option '([^']+)' requires an argument\.", r"\1 needs a value"),
    (r"Got unexpected extra arguments?(?:\(s\))? \((.+)\)", r"unexpected words: \1"),
    (r"'([a-z-]+)'", r"\1"),
)
"""Wordings of the library, and ours."""


def usage_line(error: Any) -> str:  # noqa: ANN401 (typer does not export the class)
    """Return the line that explains a usage error.

    Args:
        error: the usage error.

    Example:
        >>> usage_line(UsageError("No such command 'buildx'. Did you mean 'build'?"))
        'unknown command buildx; did you mean build?'
    """
    text = " ".join(str(error.format_message()).split())
    for pattern, words in _REWORDED:
        text = re.sub(pattern, words, text)
    context = getattr(error, "ctx", None)
    if context is not None:
        text = _with_hint(text, context)
    parameter = getattr(error, "param", None)
    if context is not None and parameter is not None and (origin := origin_of(context, parameter)):
        return f"{origin}: {text.removeprefix(parameter.opts[0]).removeprefix(': ')}"
    # A question is an answer already.
    if context is None or text.endswith("?"):
        return text
    # `tally` is the usual name of `tally add`.
    return f"{text}; see {context.command_path.removesuffix(' add')} --help"


def _with_hint(text: str, context: Any) -> str:  # noqa: ANN401 (typer does not export the class)
    """Return the line with what was meant: a command of another group, or moves without their option."""
    if unknown := re.match(r"unknown command ([^;]+)", text):
        program = context.find_root()
        found = [path for path in _paths(program.command) if path.split()[-1] == unknown[1]]
        if found:
            paths = " or ".join(f"{program.info_name} {path}" for path in found)
            return f"{unknown[0]}; did you mean {paths}?"
    takes_moves = any("--moves" in each.opts for each in context.command.params)
    if takes_moves and (words := text.removeprefix("unexpected words: ")) != text:
        return f"{text}; did you mean --moves '{words}'?"
    return text


def _paths(group: Any) -> Iterator[str]:  # noqa: ANN401 (as above)
    """Yield the words that lead from a group to each of its commands, without hidden ones."""
    for name, command in group.commands.items():
        if not command.hidden:
            yield name
            if hasattr(command, "commands"):
                yield from (f"{name} {path}" for path in _paths(command))
