"""`bookbuilder doctor`: show what is installed, and test the native core."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from contextlib import suppress
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from bookbuilder.cli.console import format_bytes, print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.tables import print_facts
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
    version, fault = _native_core()
    temporary = Path(tempfile.gettempdir())
    packages: dict[str, str | None] = dict.fromkeys(_PACKAGES)
    for name in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            packages[name] = metadata.version(name)
    facts: dict[str, Any] = {
        "version": metadata.version("bookbuilder"),
        "core": {"version": version, "fault": fault},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "memory_bytes": memory_bytes(),
        "temporary_directory": str(temporary),
        "temporary_free_bytes": (free := shutil.disk_usage(temporary).free),
        "packages": packages,
        "extras": {name: all(map(find_spec, parts)) for name, parts in _EXTRAS.items()},
    }
    if json:
        print_json(facts)
    else:
        rows = [
            ("bookbuilder", facts["version"]),
            ("native core", fault or f"{version}, works"),
            ("python", facts["python"]),
            ("platform", facts["platform"]),
            ("processors", str(facts["processors"])),
            ("memory", format_bytes(memory_bytes())),
            ("free for temporary files", f"{format_bytes(free)} in {temporary}"),
            *((name, found or "missing") for name, found in packages.items()),
        ]
        for name, has_all in facts["extras"].items():
            rows.append((f"extra {name}", "installed" if has_all else "not installed"))
        print_facts("", rows, "found", is_left=True)
    if fault is not None:
        raise finish(Exit.FAILED, f"the native core does not work: {fault}")


def _native_core() -> tuple[str | None, str | None]:
    """Return the version of the native core and what is wrong with it."""
    try:
        from bookbuilder import _core
    except ImportError as error:
        return None, f"{error}; install the package again"
    version, expected, fault = _core.CORE_VERSION, metadata.version("bookbuilder"), None
    if version != expected:
        fault = f"its version is {version}, expected {expected}; install the package again"
    for game, nodes in _PERFT_3.items():
        if (found := _core.perft(game, None, 3)) != nodes:
            fault = f"{game}: {found} move sequences of 3 plies, expected {nodes}"
    return version, fault
