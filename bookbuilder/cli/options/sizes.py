"""Sizes on the command line, such as 512MiB."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

import typer

from bookbuilder.cli.console import note

__all__ = ["parse_bytes", "parse_memory", "parse_table_memory"]

_UNITS: Final = {
    "": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
}  # fmt: skip


def parse_bytes(text: str) -> int:
    """Return the number of bytes of a size such as 500MB, 1.5GiB or 4096."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", text.strip(), re.ASCII)
    unit = _UNITS.get(match[2].upper()) if match else None
    if match is None or unit is None:
        raise typer.BadParameter(f'"{text}" is not a size such as 500MB, 4GiB or 1048576')
    return int(Decimal(match[1]) * unit)


# The program itself takes more than that.
_LEAST_MEMORY: Final = 64 << 20


def parse_memory(text: str) -> int:
    """Return the number of bytes of a size that a run can keep to."""
    size = parse_bytes(text)
    if size < _LEAST_MEMORY:
        raise typer.BadParameter(f'"{text}" is too little: expected at least {_LEAST_MEMORY >> 20}MiB')
    return size


def parse_table_memory(text: str) -> int:
    """Return a number of bytes. Once, a number without a unit counted MiB here."""
    if text.strip().isdecimal() and (size := int(text)) < _LEAST_MEMORY:
        note(f"note: --memory {text} is now --memory {text}MiB; the next version takes {text} as bytes")
        return size << 20
    return parse_memory(text)
