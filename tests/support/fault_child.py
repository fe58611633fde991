"""A program that imports everything once, then runs commands in forks of itself.

Run as a script, with the libraries of `faults/fault.c` and `faults/record.c` preloaded, which are its first
arguments; a third one sets the rows of a part of a store. Each line of stdin is
a task as JSON, each line of stdout its end: the exit code (minus the signal), the number of calls that
changed files below the folder, and the seconds it took.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import io
import json
import os
import pkgutil
import resource
import signal
import sys
import time
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any


def load_everything() -> None:
    """Import every module of the package, and all that its commands import later."""
    import bookbuilder

    for module in pkgutil.walk_packages(bookbuilder.__path__[:1], "bookbuilder."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    drawing = ("font_manager", "figure", "backends.backend_agg", "backends.backend_svg", "ticker")
    for name in (
        *("pandas", "pyarrow.parquet", "pyarrow.compute", "pyarrow.csv", "chess.pgn", "sqlite3"),
        *(f"matplotlib.{each}" for each in drawing),
    ):
        importlib.import_module(name)
    from bookbuilder.cli.app import app

    with suppress(SystemExit), redirect_stdout(io.StringIO()):
        app(["book", "convert", "--help"])


def address_space() -> int:
    """Return the size of the address space of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def begin(task: dict[str, Any], faults: ctypes.CDLL, records: ctypes.CDLL) -> None:
    """Set the working folder, the limits, the faults and the record of a task."""
    for handle, name in ((1, "out"), (2, "err")):
        target = os.open(task[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(target, handle)
        os.close(target)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    for name, limit in task["limits"].items():
        extra = address_space() if name == "RLIMIT_AS" else 0
        resource.setrlimit(getattr(resource, name), (limit + extra, limit + extra))
    if task["is_clock_odd"]:
        faults.fault_clock()
    if task["record"]:
        records.record_begin(os.fsencode(task["folder"]), os.fsencode(task["record"]))
    faults.fault_arm(
        os.fsencode(task["folder"]),
        ctypes.c_long(task["at"]),
        ctypes.c_int(task["error"]),
        ctypes.c_int(task["is_lasting"]),
    )


def run(task: dict[str, Any], faults: ctypes.CDLL, records: ctypes.CDLL) -> int:
    """Run one command in this process, which is a fork, and return its exit code."""
    from bookbuilder.__main__ import main

    begin(task, faults, records)
    if task["words"][0] == "-c":
        exec(task["words"][1], {})
        return 0
    sys.argv = ["bookbuilder", *task["words"]]
    try:
        main()
    except SystemExit as exit_:
        return int(exit_.code or 0)
    return 0


def adopt_orphans() -> None:
    """Make this process the parent of processes whose own parent has ended."""
    prctl, set_child_subreaper = ctypes.CDLL(None).prctl, 36  # prctl(2)
    assert prctl(set_child_subreaper, 1, 0, 0, 0) == 0


def wait(process: int, kill_after: float) -> tuple[int, float]:
    """Wait for the end of a process and of all that it started; return its exit code and its seconds.

    Args:
        process: its number.
        kill_after: seconds after which it is killed; 0 = never.
    """
    begun = time.monotonic()
    if kill_after:
        time.sleep(kill_after)
        os.kill(
            process, signal.SIGKILL
        )  # no effect if it has ended: its number is taken until it is waited for
    _, status = os.waitpid(process, 0)
    seconds = time.monotonic() - begun
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)  # an engine that has lost its parent
    return os.waitstatus_to_exitcode(status), seconds


def serve(faults: ctypes.CDLL, records: ctypes.CDLL) -> None:
    """Run tasks until there are no more."""
    faults.fault_calls.restype = ctypes.c_long
    load_everything()
    for rows in sys.argv[3:]:
        vars(importlib.import_module("bookbuilder.tally.store.reduce"))["ROWS_PER_PART"] = int(rows)
    adopt_orphans()
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        process = os.fork()
        if not process:
            code = run(task, faults, records)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)  # a regular exit takes longer than most commands
        code, seconds = wait(process, task["kill_after"])
        print(json.dumps({"code": code, "calls": faults.fault_calls(), "seconds": seconds}), flush=True)


if __name__ == "__main__":
    serve(ctypes.CDLL(sys.argv[1]), ctypes.CDLL(sys.argv[2]))
