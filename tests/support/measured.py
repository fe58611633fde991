"""The command line in a new process, with its CPU time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

# A process between the test and the command: a fork inherits the peak memory of its parent.
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
    """Exit code, output, peak resident memory and CPU time of a command."""

    code: int
    out: str
    err: str
    peak_mib: float
    cpu_seconds: float


def measured(*words: object, report: Path, stdin: IO[bytes] | int = subprocess.DEVNULL) -> Measured:
    """Run a command.

    Args:
        words: its words after `bookbuilder`.
        report: a file to use.
        stdin: its standard input.
    """
    command = [sys.executable, "-P", "-S", "-c", _LAUNCHER, str(report), *map(str, words)]
    ran = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=True)
    code, peak_kib, seconds = json.loads(report.read_text())
    return Measured(code, ran.stdout, ran.stderr, peak_kib / 1024, seconds)
