"""The bounds of dependencies: what pyproject.toml allows is what `.ci/oldest` tests."""

from __future__ import annotations

import re
import tomllib
from typing import Final

from support.project_files import ROOT

EXTRAS: Final = ("web", "notebook", "cluster")
"""What users install. The tools of the other extras may be the newest."""
NOT_OURS: Final = {"pyparsing"}
"""Packages in the file that pyproject.toml does not name; the file says why they are there."""


def lower_bounds() -> dict[str, str]:
    """Return the lowest version of each package that users install, from pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    found = {}
    for each in [*project["dependencies"], *(each for name in EXTRAS for each in extras[name])]:
        name, _, version = re.fullmatch(r"([\w.-]+)(\[[\w,]+\])?>=([\w.]+)", each).groups()
        found[name] = version
    return found


def oldest_versions() -> dict[str, str]:
    """Return the versions that constraints-oldest.txt pins."""
    text = (ROOT / "constraints-oldest.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE))


def test_oldest_versions_are_the_lower_bounds() -> None:
    oldest = oldest_versions()
    assert set(oldest) >= NOT_OURS
    assert {name: version for name, version in oldest.items() if name not in NOT_OURS} == lower_bounds()


def test_tests_run_with_newer_versions_than_the_lower_bounds() -> None:
    newest = dict(
        re.findall(
            r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE
        )
    )
    assert not set(lower_bounds()) - set(newest)
    number = lambda version: tuple(int(part) for part in version.split(".") if part.isdigit())  # noqa: E731
    assert not [name for name, least in lower_bounds().items() if number(newest[name]) < number(least)]
