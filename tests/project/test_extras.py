"""Each extra brings what its part of the program imports."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Final

import pytest
from packaging.utils import canonicalize_name
from support.packages import installed

ROOT: Final = Path(__file__).resolve().parents[2]
# Imports our modules while other packages cannot be imported.
IMPORT: Final = """
import importlib, json, sys
wanted, absent = json.load(sys.stdin)

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
for name in wanted:
    importlib.import_module(name)
"""


def documented() -> list[str]:
    """Return the modules that the site imports to document them."""
    pages = (ROOT / "docs").rglob("*.md")
    found = re.findall(
        r"^\.\. automodule:: (\S+)", "\n".join(page.read_text("utf-8") for page in pages), re.M
    )
    return sorted(set(found))


@pytest.mark.parametrize(
    ("extra", "modules"),
    [
        ("docs", documented()),
        ("web", ["bookbuilder.explorer.app", "bookbuilder.explorer.serving"]),
        ("notebook", ["bookbuilder.analysis.plots", "bookbuilder.analysis.tuner"]),
    ],
    ids=["pages of modules", "explorer", "plots"],
)
def test_extra_brings_what_its_modules_import(extra: str, modules: list[str]) -> None:
    assert modules
    brought = {canonicalize_name(each.metadata["Name"]) for each in installed(["", extra])}
    absent = [
        module
        for module, packages in metadata.packages_distributions().items()
        if not {"bookbuilder", *brought} & {canonicalize_name(each) for each in packages}
    ]
    ran = subprocess.run(
        [sys.executable, "-P", "-c", IMPORT],
        input=json.dumps([modules, absent]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
