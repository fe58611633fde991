"""The command line with system calls that fail on request.

`Program.run` runs one command in a fork of a prepared process (see `fault_child`). It kills the command at
the n-th call that changes a file below a folder or at a given time, or lets that call fail, or records all
these calls, and returns its end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SOURCES: Final = [Path(__file__).parents[1] / "faults" / name for name in ("fault.c", "record.c")]
TEMPORARY: Final = "tmp"
KILL: Final = 0
"""What stands for SIGKILL where an errno is asked for."""


@dataclass(frozen=True)
class Ended:
    """The end of a command: exit code (minus the signal), output, calls that changed files, and seconds."""

    code: int
    out: str
    err: str
    calls: int
    seconds: float


class Program:
    """The command line in a process that has imported everything.

    Attributes:
        temporary: the folder of its temporary files.
    """

    def __init__(self, process: subprocess.Popen[str], scratch: Path) -> None:
        self._process = process
        self._scratch = scratch
        self.temporary = scratch / TEMPORARY

    def run(
        self,
        words: list[str],
        folder: Path,
        *,
        at: int = 0,
        error: int = KILL,
        is_lasting: bool = False,
        kill_after: float = 0,
        limits: Mapping[str, int] | None = None,
        is_clock_odd: bool = False,
        out: Path | None = None,
        record: Path | None = None,
    ) -> Ended:
        """Run a command.

        Args:
            words: its words after `bookbuilder`; after `-c` a program in Python.
            folder: where calls that change files are counted.
            at: the number of the call that fails; 0 = none.
            error: the errno it fails with, or `KILL`.
            is_lasting: whether all later calls that need disk space fail too.
            kill_after: seconds after which it is killed; 0 = never.
            limits: limits of the process by their names in `resource`; address space is additional.
            is_clock_odd: whether the clock goes backwards.
            out: the target of stdout; None = the answer.
            record: where the calls that change files are recorded, see `lost_writes`.
        """
        files = {"out": str(out or self._scratch / "out"), "err": str(self._scratch / "err")}
        task = {
            **files, "words": words, "folder": str(folder), "at": at, "error": error,
            "is_lasting": is_lasting, "limits": dict(limits or {}), "is_clock_odd": is_clock_odd,
            "record": str(record or ""), "kill_after": kill_after,
        }  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(task), file=self._process.stdin, flush=True)
        ended = json.loads(self._process.stdout.readline())
        text = "" if out is not None else Path(files["out"]).read_text(errors="replace")
        errors = Path(files["err"]).read_text(errors="replace")
        return Ended(ended["code"], text, errors, ended["calls"], ended["seconds"])


def build_faults(folder: Path) -> list[Path]:
    """Return the libraries of `fault.c` and `record.c`, built with the compiler that links Rust."""
    libraries = [folder / f"{source.stem}.so" for source in SOURCES]
    for source, library in zip(SOURCES, libraries, strict=True):
        command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
        subprocess.run(command, check=True, capture_output=True)
    return libraries


@contextmanager
def warm_program(
    libraries: Sequence[Path], scratch: Path, *, rows_per_part: int | None = None
) -> Iterator[Program]:
    """Yield the command line in a prepared process, which ends with the block.

    Args:
        libraries: what `build_faults` returned.
        scratch: a folder that does not exist yet.
        rows_per_part: rows of a part of a store; None = as always.
    """
    (scratch / TEMPORARY).mkdir(parents=True)
    script = Path(__file__).with_name("fault_child.py")
    rows = [] if rows_per_part is None else [str(rows_per_part)]
    # What the first one lets happen, the second one records.
    preloaded = ":".join(map(str, libraries))
    with subprocess.Popen(
        [sys.executable, "-P", str(script), *map(str, libraries), *rows],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "LD_PRELOAD": preloaded,
            "OPENBLAS_NUM_THREADS": "1",
            "NO_COLOR": "1",
            "PYTHONUNBUFFERED": "",
            "XDG_CONFIG_HOME": str(scratch),
            "TMPDIR": str(scratch / TEMPORARY),
        },
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield Program(process, scratch)
        process.stdin.close()
    assert process.returncode == 0
