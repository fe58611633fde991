"""Runs of the command line that must be refused."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import TypeAlias

Program: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
"""A function that runs the command line with these arguments."""


def assert_refused(ran: subprocess.CompletedProcess[str], code: int, *messages: object) -> None:
    """Check for an exit code and one line on stderr that contains all messages."""
    assert ran.returncode == code, ran.stderr
    assert ran.stdout == ""
    assert ran.stderr.startswith("bookbuilder: "), ran.stderr
    assert ran.stderr.endswith("\n")
    assert ran.stderr.count("\n") == 1, ran.stderr
    for each in messages:
        assert str(each) in ran.stderr
