"""Stores, byte for byte."""

from pathlib import Path


def files(directory: Path) -> dict[str, bytes]:
    """Return the content of each file of a store."""
    return {entry.name: entry.read_bytes() for entry in directory.iterdir()}
