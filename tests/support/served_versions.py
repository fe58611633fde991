"""A store and its book that change while they are served: their versions, and how they change."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from starlette.testclient import TestClient

from bookbuilder import Position, Tally
from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.sources import Sources

STORE, BOOK = "chess.store", "chess.book"
COUNTING = ("--max-ply", "30", "--facet", "year", "--facet", "rating", "-q")


def command(*words: object) -> None:
    """Run a command of the program."""
    line = [sys.executable, "-P", "-m", "bookbuilder", *map(str, words)]
    ran = subprocess.run(line, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert ran.returncode == 0, (words, ran.stderr)


def split_archive(archive: Path, directory: Path, shares: Sequence[float] = (0.6, 0.2, 0.2)) -> list[Path]:
    """Write the games of an archive into files, by shares of their number."""
    with pa.input_stream(archive) as stream:
        games = re.split(rb"(?m)^(?=\[Event )", stream.read())[1:]
    paths, first = [], 0
    for number, share in enumerate(shares):
        last = len(games) if number == len(shares) - 1 else first + round(share * len(games))
        paths.append(directory / f"games-{number}.pgn")
        paths[-1].write_bytes(b"".join(games[first:last]))
        first = last
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
    changes: dict[str, int] = field(default_factory=dict)

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

    @property
    def paths(self) -> list[Path]:
        """What the server is given."""
        return [self.served / STORE, self.served / BOOK]

    def at(self, number: int) -> Path:
        """Return the folder of a version."""
        return self.folder / f"version-{number}"

    def change(self) -> None:
        """Change the store and its book, each time in another way."""
        last = len(self.archives) - 1
        ways = (self._grown,) * last + (self._recounted, self._renamed, self._reduced, self._renamed)
        ways[sum(self.changes.values()) % len(ways)]()
        self._build(self.number, self.served / BOOK)

    def _grown(self) -> None:
        """An archive is added in place."""
        self._note("grown", self.number + 1)
        command("tally", self.archives[self.number], "-o", self.served / STORE, *COUNTING)

    def _recounted(self) -> None:
        """Another store is counted at the same place."""
        self._note("recounted", 0)
        command("tally", self.archives[0], "-o", self.served / STORE, "--force", *COUNTING)

    def _reduced(self) -> None:
        """An archive is removed in place."""
        self._note("reduced", self.number - 1)
        command("tally", "remove-source", self.served / STORE, self.archives[self.number + 1], "-q")

    def _renamed(self) -> None:
        """Another store gets its name. For a moment there is none."""
        self._note("renamed", 0 if self.number else len(self.archives) - 1)
        new, old = self.folder / "new.store", self.folder / "old.store"
        shutil.copytree(self.at(self.number) / STORE, new)
        (self.served / STORE).rename(old)
        new.rename(self.served / STORE)
        shutil.rmtree(old)

    def _note(self, way: str, number: int) -> None:
        self.number = number
        self.changes[way] = self.changes.get(way, 0) + 1

    def _build(self, number: int, output: Path) -> None:
        options = ("--preset", "literature", "--min-games", "3", "--force", "-q")
        command("build", self.at(number) / STORE, "-o", output, *options)

    def answers(self, requests: Sequence[str]) -> dict[str, list[Any]]:
        """Return what each version answers to requests."""
        with ExitStack() as stack:
            clients = [stack.enter_context(each) for each in self._clients()]
            return {each: [client.get(each).json() for client in clients] for each in requests}

    def _clients(self) -> Iterator[TestClient]:
        for number in range(len(self.archives)):
            sources = Sources([self.at(number) / STORE, self.at(number) / BOOK])
            yield TestClient(make_app(sources, engine=None), base_url="http://127.0.0.1:8000")

    def check_counts(self, lines: Sequence[str]) -> int:
        """Compare the answers for lines with the tallies themselves; return the number of moves."""
        found = self.answers([f"/api/v1/position?src={STORE}&play={line}" for line in lines])
        moves = 0
        for number in range(len(self.archives)):
            tally = Tally.open(self.at(number) / STORE)
            for line, answers in zip(lines, found.values(), strict=True):
                here = Position("chess")
                for move in filter(None, line.split(",")):
                    here = here.play(here.parse_move(move))
                frame, rows = tally.moves(here), answers[number]["moves"]
                assert answers[number]["reached"] == tally.reached(here)
                assert [row["move"] for row in rows] == list(frame["move"])
                assert [row["played"] for row in rows] == list(frame["played"])
                moves += len(rows)
        return moves


def as_text(answer: Any) -> str:
    """Return an answer as text that equal answers share."""
    return json.dumps(answer, sort_keys=True)
