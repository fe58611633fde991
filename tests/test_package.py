"""The public names of the package, which are imported on first use."""

from __future__ import annotations

import subprocess
import sys

import bookbuilder


def test_import_loads_no_heavy_library() -> None:
    heavy = ["pandas", "pyarrow", "numpy", "matplotlib", "chess", "bookbuilder._core"]
    code = f"import sys, bookbuilder, bookbuilder.errors; print([n for n in {heavy} if n in sys.modules])"
    answer = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_public_names_exist() -> None:
    assert sorted(bookbuilder.__all__) == dir(bookbuilder)
    for name in bookbuilder.__all__:
        assert getattr(bookbuilder, name) is not None
    assert not hasattr(bookbuilder, "no_such_name")
