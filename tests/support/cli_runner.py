"""Run the command line in the process of the test, with its exit code, stdout and stderr."""

from __future__ import annotations

from dataclasses import dataclass

from typer.testing import CliRunner

from bookbuilder.cli.app import app


@dataclass(frozen=True)
class Ran:
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str


def run(*arguments: object, stdin: bytes = b"") -> Ran:
    """Run one command. Unexpected errors are raised."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)
