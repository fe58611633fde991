"""The dependencies that `pyproject.toml` states, and the installed packages that they bring."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_PROJECT: Final = Path(__file__).resolve().parents[2] / "pyproject.toml"


def requirements(extras: Iterable[str] | None = None) -> list[Requirement]:
    """Return what some extras need, with the extras they include, or all of them; "" means without extras."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    waiting = list(groups if extras is None else extras)
    found: list[Requirement] = []
    while waiting:
        for each in map(Requirement, groups[waiting.pop()]):
            if each.name == project["name"]:
                waiting += each.extras
            else:
                found.append(each)
    return found


def installed(extras: Iterable[str] | None = None) -> Iterator[metadata.Distribution]:
    """Return the installed packages among these, with all their dependencies."""
    seen: set[tuple[str, frozenset[str]]] = set()
    names: set[str] = set()
    waiting = requirements(extras)
    while waiting:
        needed = waiting.pop()
        name, chosen = canonicalize_name(needed.name), frozenset(needed.extras)
        if (name, chosen) in seen:
            continue
        seen.add((name, chosen))
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # for another system, or for a tool that is not installed
            continue
        if name not in names:
            names.add(name)
            yield found
        for each in map(Requirement, found.requires or ()):
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in chosen | {""}):
                waiting.append(each)
