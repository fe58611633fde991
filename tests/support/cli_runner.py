"""Runs the command line within the test's process, as a user would see it: exit code, stdout, stderr."""

from __future__ import annotations

from dataclasses import dataclass

from typer.testing import CliRunner

from bookbuilder.cli.app import app


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it printed where."""

    code: int
    out: str
    err: str


def run(*arguments: object, stdin: bytes = b"") -> Ran:
    """Run one command; an error that is no exit is raised."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)
