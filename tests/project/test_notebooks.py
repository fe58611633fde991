"""Every notebook runs without an error in a new kernel, and is stored with its output.

Run `python tests/project/test_notebooks.py` after a change: it runs all notebooks and rewrites them with
their pictures, without times and versions.
"""

from __future__ import annotations

import base64
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LONGEST_CELL_SECONDS = 300  # a kernel that hangs must not hang the tests
# The kernel's files go to the folder of the test, not to the home of the user.
KERNEL_FOLDERS = (
    "IPYTHONDIR",
    "JUPYTER_CONFIG_DIR",
    "JUPYTER_DATA_DIR",
    "JUPYTER_RUNTIME_DIR",
    "MPLCONFIGDIR",
)
# The kernel of a notebook: any Python.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
WIDGET = "application/vnd.jupyter.widget-view+json"
PNG = b"\x89PNG\r\n\x1a\n"
# A path from the root, a drive or a home folder; not a "/" inside a word or a fraction.
ABSOLUTE_PATH = re.compile(r"(?<![\w./<])(?:/(?:\w[\w.-]*/)+\w|[A-Za-z]:\\\w|~/\w)")


def outputs(notebook: nbformat.NotebookNode) -> Iterator[Any]:
    """Return every output of every cell."""
    for cell in notebook.cells:
        yield from cell.get("outputs", [])


def texts(output: Any) -> Iterator[str]:
    """Return the texts of an output."""
    yield output.get("text", "")
    yield from output.get("traceback", [])
    for kind, content in output.get("data", {}).items():
        if not kind.startswith("image/") or kind == "image/svg+xml":
            yield content if isinstance(content, str) else str(content)


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Return the notebook after a run in `folder` with a new kernel.

    A cell that fails raises CellExecutionError, which shows the cell and its traceback.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=LONGEST_CELL_SECONDS,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    # Sliders need a kernel; a notebook keeps only the picture next to them.
    for output in outputs(notebook):
        output.get("data", {}).pop(WIDGET, None)
    notebook.metadata = nbformat.from_dict(METADATA)
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_in_new_kernel(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KERNEL_FOLDERS:
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    notebook = executed(path, tmp_path)
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_stored_with_pictures_and_without_errors_and_machine_details(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    stored = [*outputs(notebook)]
    assert not [each for each in stored if each.output_type == "error" or each.get("name") == "stderr"]
    pictures = [each.data["image/png"] for each in stored if "image/png" in each.get("data", {})]
    assert pictures
    assert all(base64.b64decode(picture).startswith(PNG) for picture in pictures)
    assert not [found[0] for each in stored for text in texts(each) for found in ABSOLUTE_PATH.finditer(text)]
    assert not [cell.metadata for cell in notebook.cells if "execution" in cell.metadata]
    assert notebook.metadata == METADATA


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for each in NOTEBOOKS:
            nbformat.write(executed(each, Path(folder)), each)
