"""A store and its book that change while they are served: their versions, and how they change."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from starlette.testclient import TestClient

from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.sources import Sources

STORE, BOOK = "chess.store", "chess.book"
COUNTING = ("--max-ply", "30", "--facet", "year", "--facet", "rating", "-q")


def command(*words: object) -> None:
    """Run a command of the program."""
    line = [sys.executable, "-P", "-m", "bookbuilder", *map(str, words)]
    ran = subprocess.run(line, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert ran.returncode == 0, (words, ran.stderr)


def split_archive(archive: Path, directory: Path, parts: int = 3) -> list[Path]:
    """Write the games of an archive into files."""
    with pa.input_stream(archive) as stream:
        games = re.split(rb"(?m)^(?=\[Event )", stream.read())[1:]
    paths = [directory / f"games-{number}.pgn" for number in range(parts)]
    for number, path in enumerate(paths):
        path.write_bytes(b"".join(games[number::parts]))
    return paths


@dataclass
class Versions:
    """Version n counts the first n + 1 archives. `served` is the folder that the server sees.

    Attributes:
        number: the version that is served.
        changes: number of changes up to now, by kind.
    """

    folder: Path
    archives: list[Path]
    number: int = 0
    changes: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Count every version, and serve the first."""
        for number in range(len(self.archives)):
            self.at(number).mkdir()
            command("tally", *self.archives[: number + 1], "-o", self.at(number) / STORE, *COUNTING)
            self._build(number, self.at(number) / BOOK)
        shutil.copytree(self.at(0), self.served)

    @property
    def served(self) -> Path:
        """The folder that the server sees."""
        return self.folder / "served"

    def at(self, number: int) -> Path:
        """Return the folder of a version."""
        return self.folder / f"version-{number}"

    def change(self) -> None:
        """Change the store and its book: an archive is added in place, or all are counted again, or moved."""
        store, last = self.served / STORE, len(self.archives) - 1
        if self.number < last:
            self.number += 1
            command("tally", self.archives[self.number], "-o", store, *COUNTING)
            self.changes["grown"] += 1
        elif self.changes["recounted"] <= self.changes["renamed"]:
            self.number = 0
            command("tally", self.archives[0], "-o", store, "--force", *COUNTING)
            self.changes["recounted"] += 1
        else:
            self.number = 0
            new, old = self.folder / "new.store", self.folder / "old.store"
            shutil.copytree(self.at(0) / STORE, new)
            store.rename(old)  # for a moment there is none
            new.rename(store)
            shutil.rmtree(old)
            self.changes["renamed"] += 1
        self._build(self.number, self.served / BOOK)

    def _build(self, number: int, output: Path) -> None:
        options = ("--preset", "literature", "--min-games", "3", "--force", "-q")
        command("build", self.at(number) / STORE, "-o", output, *options)

    def answers(self, requests: Sequence[str]) -> dict[str, list[Any]]:
        """Return what each version answers to requests."""
        with ExitStack() as stack:
            clients = []
            for number in range(len(self.archives)):
                sources = Sources([self.at(number) / STORE, self.at(number) / BOOK])
                app = make_app(sources, engine=None)
                clients.append(stack.enter_context(TestClient(app, base_url="http://127.0.0.1:8000")))
            return {each: [client.get(each).json() for client in clients] for each in requests}


def as_text(answer: Any) -> str:
    """Return an answer as text that equal answers share."""
    return json.dumps(answer, sort_keys=True)
