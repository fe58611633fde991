"""Tests of commands begin with the usual display, whatever the command before has set."""

from __future__ import annotations

import pytest

from bookbuilder.cli import console


@pytest.fixture(autouse=True)
def usual_display() -> None:
    """Undo the options of the command line before."""
    console.set_display(is_wide=False, color="auto", is_quiet=False)
    console.set_notation(None)
