"""Commands write the outputs that they are given, and nothing anywhere else."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

COMMANDS = """
tally historic.pgn -o a.store --facet year
build a.store -o a.book --preset own-games
book convert a.book a.bin
book gaps a.bin --against a.store
evaluate a.store -o a.evals --positions 2 --nodes 50
"""


def test_nothing_is_written_but_the_outputs(data: Path, tmp_path: Path) -> None:
    places = {name: tmp_path / name for name in ("HOME", "TMPDIR", "work")}
    for place in places.values():
        place.mkdir()
    shutil.copy(data / "historic.pgn", places["work"])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environment |= {"HOME": str(places["HOME"]), "TMPDIR": str(places["TMPDIR"])}
    for line in COMMANDS.strip().splitlines():
        ran = subprocess.run(
            [sys.executable, "-P", "-m", "bookbuilder", *shlex.split(line)],
            cwd=places["work"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, (line, ran.stderr)
    written = sorted(path.name for place in places.values() for path in place.iterdir())
    assert written == ["a.bin", "a.book", "a.evals", "a.store", "historic.pgn"]
