"""`bookbuilder doctor`: show what is installed, and test the native core."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from bookbuilder.cli.console import format_bytes, print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.tables import facts_columns, print_table
from bookbuilder.system import memory_bytes

_PACKAGES: Final = ("chess", "numpy", "pandas", "pyarrow", "rich", "typer")
_EXTRAS: Final = {
    "web": ("starlette", "uvicorn"),
    "notebook": ("matplotlib", "ipywidgets", "jupyterlab"),
    "test": ("pytest", "hypothesis"),
}
# Published numbers of move sequences of 3 plies from the start position.
_PERFT_3: Final = {"chess": 8902, "xiangqi": 79666}


def doctor(json: opt.Json = False) -> None:
    """Show what is installed and test the native core; exit code 1 if it does not work."""
    core = _native_core()
    temporary = Path(tempfile.gettempdir())
    facts: dict[str, Any] = {
        "version": metadata.version("bookbuilder"),
        "core": core,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "memory_bytes": memory_bytes(),
        "temporary_directory": str(temporary),
        "temporary_free_bytes": shutil.disk_usage(temporary).free,
        "packages": {name: _version(name) for name in _PACKAGES},
        "extras": {name: all(find_spec(part) for part in parts) for name, parts in _EXTRAS.items()},
    }
    if json:
        print_json(facts)
    else:
        _print(facts)
    if core["fault"] is not None:
        raise finish(Exit.FAILED, f"the native core does not work: {core['fault']}")


def _native_core() -> dict[str, str | None]:
    try:
        from bookbuilder import _core
    except ImportError as error:
        return {"version": None, "fault": f"{error}; install the package again"}
    version, expected, fault = _core.CORE_VERSION, metadata.version("bookbuilder"), None
    if version != expected:
        fault = f"its version is {version}, expected {expected}; install the package again"
    for game, nodes in _PERFT_3.items():
        if (found := _core.perft(game, None, 3)) != nodes:
            fault = f"{game}: {found} move sequences of 3 plies, expected {nodes}"
    return {"version": version, "fault": fault}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _print(facts: dict[str, Any]) -> None:
    core = facts["core"]
    memory = format_bytes(facts["memory_bytes"])
    free = f"{format_bytes(facts['temporary_free_bytes'])} in {facts['temporary_directory']}"
    rows = [
        ("bookbuilder", facts["version"]),
        ("native core", f"{core['version']}, works" if core["fault"] is None else core["fault"]),
        ("python", facts["python"]),
        ("platform", facts["platform"]),
        ("processors", str(facts["processors"])),
        ("memory", memory),
        ("free for temporary files", free),
    ]
    rows += [(name, version or "missing") for name, version in facts["packages"].items()]
    rows += [
        (f"extra {name}", "installed" if has_all else "not installed")
        for name, has_all in facts["extras"].items()
    ]
    print_table(facts_columns("", "found", is_left=True), rows)
