"""Tests of commands begin with the usual display, whatever the command before has set."""

from __future__ import annotations

import pytest

from bookbuilder.cli.console import display


@pytest.fixture(autouse=True)
def usual_display() -> None:
    """Undo the options of the command line before."""
    display.set(is_wide=False, color="auto", is_quiet=False, notation=None)
