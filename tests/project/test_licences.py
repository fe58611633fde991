"""Every dependency has a licence that is compatible with ours, and a pinned version.

`docs/licences.md` lists them. After a change of `Cargo.lock` or of the dependencies in `pyproject.toml`, run
`PYTHONPATH=tests python tests/project/test_licences.py`. It rewrites the page from cargo and the installed
packages.
"""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Final

import pytest
from packaging.utils import canonicalize_name
from support.packages import direct, installed

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "licences.md"
CONSTRAINTS: Final = ROOT / "constraints.txt"
OURS: Final = "bookbuilder-core"

# Licences compatible with GPL-3.0-or-later (the FSF's list; MPL by its section 3.3).
COMPATIBLE: Final = frozenset(
    {
        "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "GPL-3.0-only",
        "GPL-3.0-or-later", "HPND", "ISC", "LGPL-2.1-or-later", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0",
        "PSF-2.0", "Unicode-3.0", "Unlicense", "Zlib", "bzip2-1.0.6",
    }
)  # fmt: skip
# Licences of packages and crates that do not yet state an SPDX expression of today.
SPOKEN: Final = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "GNU General Public License (GPL)": "GPL-3.0-or-later",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "PSFL": "PSF-2.0",
    "GPL-3.0+": "GPL-3.0-or-later",
}
EXTRAS: Final = ("", "web", "notebook", "cluster")
"""What users install; the rest are tools of those who work on it."""


def is_compatible(expression: str) -> bool:
    """Return whether an SPDX expression offers a compatible licence."""
    text = re.sub(r"\s+WITH\s+[\w.-]+", "", expression).replace("/", " OR ")
    words = re.findall(r"[()]|[\w.+-]+", text)

    def alternatives(place: int) -> tuple[bool, int]:
        found, place = together(place)
        while place < len(words) and words[place] == "OR":
            other, place = together(place + 1)
            found = found or other
        return found, place

    def together(place: int) -> tuple[bool, int]:
        found, place = one(place)
        while place < len(words) and words[place] == "AND":
            other, place = one(place + 1)
            found = found and other
        return found, place

    def one(place: int) -> tuple[bool, int]:
        if words[place] == "(":
            found, place = alternatives(place + 1)
            return found, place + 1
        return words[place] in COMPATIBLE, place + 1

    return bool(words) and alternatives(0)[0]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", True),
        ("MIT/Apache-2.0", True),
        ("Proprietary OR MIT", True),
        ("Proprietary AND MIT", False),
        ("(Apache-2.0 OR Proprietary) AND BSD-3-Clause", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("SSPL-1.0", False),
        ("", False),
    ],
)
def test_spdx_expressions(expression: str, expected: bool) -> None:
    assert is_compatible(expression) is expected


def licence_of(package: metadata.Distribution) -> str:
    """Return the licence of a package as an SPDX expression."""
    expression = package.metadata.get("License-Expression")
    if expression:
        return {"GPL-3.0+": "GPL-3.0-or-later"}.get(expression, expression)
    lines = [each.rpartition(" :: ")[2] for each in package.metadata.get_all("Classifier") or ()]
    known = sorted({SPOKEN[line] for line in lines if line in SPOKEN})
    if known:
        return " OR ".join(known)
    text = package.metadata.get("License") or package.read_text("licenses/LICENSE") or ""
    first = text.partition("\n")[0]
    return SPOKEN.get(first, first.replace("BSD 3-Clause License", "BSD-3-Clause").replace(" License", ""))


def test_installed_licences_are_compatible() -> None:
    wrong = {
        package.metadata["Name"]: licence_of(package)
        for package in installed()
        if not is_compatible(licence_of(package))
    }
    assert not wrong


def rows_of(page: str, heading: str) -> list[tuple[str, ...]]:
    """Return the rows of the table below a heading."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in section.splitlines()
        if line.startswith("|")
    ]
    return rows[2:]


def test_page_lists_every_crate() -> None:
    lock = tomllib.loads((ROOT / "core" / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    crates = {(each["name"], each["version"]) for each in lock if each["name"] != OURS}
    listed = rows_of(PAGE.read_text(encoding="utf-8"), "Rust")
    assert {(name, version) for name, version, _ in listed} == crates
    assert not [row for row in listed if not is_compatible(row[2])]
    sources = {each.get("source", "") for each in lock if each["name"] != OURS}
    assert sources == {"registry+https://github.com/rust-lang/crates.io-index"}
    assert all(each.get("checksum") for each in lock if each["name"] != OURS)


def test_page_lists_every_package() -> None:
    listed = rows_of(PAGE.read_text(encoding="utf-8"), "Python")
    assert [name for name, _ in listed] == direct(EXTRAS)
    assert not [row for row in listed if not is_compatible(row[1])]


def test_pinned_versions_satisfy_requirements() -> None:
    lines = [
        line for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    pinned = dict(line.split("==") for line in lines)
    assert sorted(pinned) == list(pinned), "in order, each once"
    assert not [name for name in direct() if name not in pinned]
    brought = {canonicalize_name(each.metadata["Name"]) for each in installed()}
    assert not sorted(brought - pinned.keys()), "also those that extras of dependencies bring"
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name, least in re.findall(r'"([\w.\[\]-]+)>=([\d.]+)', project):
        version = pinned.get(canonicalize_name(name.partition("[")[0]))
        if version is not None:
            assert [int(each) for each in re.findall(r"\d+", version)] >= [
                int(each) for each in least.split(".")
            ], name


def write() -> None:
    """Rewrite the page and the pinned versions."""
    command = [
        "cargo",
        "metadata",
        "--locked",
        "--all-features",
        "--format-version",
        "1",
        "--manifest-path",
        "core/Cargo.toml",
    ]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    crates = sorted(
        (each["name"], each["version"], SPOKEN.get(each["license"], each["license"]).replace("/", " OR "))
        for each in json.loads(output)["packages"]
        if each["name"] != OURS
    )
    packages = [(name, licence_of(metadata.distribution(name))) for name in direct(EXTRAS)]
    page = PAGE.read_text(encoding="utf-8").partition("\n## Rust\n")[0]
    page += "\n## Rust\n\n| crate | version | licence |\n|---|---|---|\n"
    page += "".join(f"| {name} | {version} | {licence} |\n" for name, version, licence in crates)
    page += "\n## Python\n\n| package | licence |\n|---|---|\n"
    page += "".join(f"| {name} | {licence} |\n" for name, licence in packages)
    PAGE.write_text(page, encoding="utf-8")
    pins = sorted((canonicalize_name(each.metadata["Name"]), each.version) for each in installed())
    head = '# The versions that the tests were last run with: pip install -c constraints.txt ".[test]"\n'
    CONSTRAINTS.write_text(head + "".join(f"{name}=={version}\n" for name, version in pins), encoding="utf-8")


if __name__ == "__main__":
    write()
