"""Refuse a release while tag, version, changelog and citation disagree.

    python3 packaging/check_release.py v1.2.3

The version of `pyproject.toml` and of `core/Cargo.toml` must be that of the tag. `CHANGELOG.md` must have a
section of that version with a date, before all others. `CITATION.cff` must name both.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def faults(root: Path, tag: str) -> list[str]:
    """Return what disagrees, one sentence each."""
    if not re.fullmatch(r"v\d+\.\d+\.\d+", tag):
        return [f"the tag is {tag}: expected v and a version, such as v1.2.3"]
    version = tag[1:]
    found = []
    for name, table in (("pyproject.toml", "project"), ("core/Cargo.toml", "package")):
        has = tomllib.loads((root / name).read_text(encoding="utf-8"))[table]["version"]
        if has != version:
            found.append(f"{name}: the version is {has}, the tag is {tag}")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    dates = dict(re.findall(r"^## (\S+), (\d{4}-\d{2}-\d{2}|unreleased)$", changes, re.MULTILINE))
    newest = next(iter(dates), "missing")
    if newest != version:
        found.append(f"CHANGELOG.md: the newest version is {newest}, the tag is {tag}")
    elif dates[version] == "unreleased":
        found.append(f"CHANGELOG.md: the section {version} has no date")
    cited = (root / "CITATION.cff").read_text(encoding="utf-8")
    if f"version: {version}\n" not in cited:
        found.append(f"CITATION.cff: does not name the version {version}")
    if dates.get(version, "unreleased") != "unreleased" and f"date-released: {dates[version]}\n" not in cited:
        found.append(f"CITATION.cff: does not name the date {dates[version]}")
    return found


def main() -> int:
    """Print what disagrees; the exit code says whether anything does."""
    if len(sys.argv) != 2:
        print("expected one tag, such as v1.2.3", file=sys.stderr)
        return 2
    found = faults(ROOT, sys.argv[1])
    print("\n".join(found) or f"{sys.argv[1]} can be released")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
