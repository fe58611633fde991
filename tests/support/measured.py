"""The command line in a process of its own, and what that took: processor time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

# Between us and the command: a process is told to have had the memory of the one that it is forked from.
_LAUNCHER: Final = """
import json, os, subprocess, sys
process = subprocess.Popen([sys.executable, "-P", "-m", "bookbuilder", *sys.argv[2:]])
_, status, used = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
with open(sys.argv[1], "w") as report:
    json.dump([process.returncode, used.ru_maxrss, used.ru_utime + used.ru_stime], report)
"""


@dataclass(frozen=True)
class Measured:
    """How a command ended, what it printed, its largest resident memory and its time on processors."""

    code: int
    out: str
    err: str
    peak_mib: float
    cpu_seconds: float


def measured(*words: object, report: Path, stdin: IO[bytes] | int = subprocess.DEVNULL) -> Measured:
    """Run a command.

    Args:
        words: its words behind `bookbuilder`.
        report: a file to use.
        stdin: what it reads.
    """
    command = [sys.executable, "-P", "-S", "-c", _LAUNCHER, str(report), *map(str, words)]
    ran = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=True)
    code, peak_kib, seconds = json.loads(report.read_text())
    return Measured(code, ran.stdout, ran.stderr, peak_kib / 1024, seconds)
