"""Old names of options and commands: they work for one version, with a hint."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final

from bookbuilder.cli.console import note

__all__ = ["MOVED", "RENAMED", "note_moved", "renamed"]

RENAMED: Final[dict[str, tuple[str, ...]]] = {
    "--book-pick": ("--pick",),
    "--concurrency": ("--jobs",),
    "--how": ("--pick",),
    "--limit": ("--max-games", "--rows", "--positions"),
    "--max-ply": ("--max-length",),
    "--most": ("--rows", "--positions"),
    "--most-nodes": ("--nodes",),
    "--policy": ("--pick",),
    "--rule": ("--repetition-rule",),
}
"""Old names of options, with their new names; a command has at most one of these."""

MOVED: Final = {"book coverage": "coverage", "book calibrate": "calibrate"}
"""Old names of commands, with their new names."""


def note_moved(path: str) -> None:
    """Print a hint if a command, which has this path from the program on, has an old name."""
    program, _, name = path.partition(" ")
    if name in MOVED:
        note(f"note: {path} is now {program} {MOVED[name]}; the old name will be removed in the next version")


def renamed(args: Sequence[str], known: Container[str]) -> list[str]:
    """Return a command line with old names of options replaced, and print a hint for each.

    Args:
        args: the words of the command line.
        known: names of the command's options. A name that a command still has is not old there.
    """
    words = list(args)
    for place, word in enumerate(words):
        if word == "--":
            break
        name, equals, value = word.partition("=")
        if name in known or name not in RENAMED:
            continue
        for new in RENAMED[name]:
            if new in known:
                note(f"note: {name} is now {new}; the old name will be removed in the next version")
                words[place] = f"{new}{equals}{value}"
                break
    return words
