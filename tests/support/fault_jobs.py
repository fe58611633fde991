"""Commands that write, with their state before, and the allowed states after an interruption."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from support.cli_runner import run

MANIFEST: Final = "manifest.json"

State = dict[str, dict[str, bytes]]
"""What a folder shows: each file or store of it, with the bytes of its files."""


@dataclass(frozen=True)
class Job:
    """A command that writes.

    Attributes:
        words: the command; IN is the folder of its inputs, OUT the folder of its outputs.
        before: commands that create the state before it.
        is_once: whether it changes existing files, so that it is not repeated after success.
        grows: files of its answers so far, from which it resumes; an interruption leaves a part of them.
    """

    words: str
    before: tuple[str, ...] = ()
    is_once: bool = False
    grows: tuple[str, ...] = ()


STORE: Final = "tally IN/other.pgn -o OUT/a.store"
BOOK: Final = "build IN/other.pgn -o OUT/a.book --preset own-games"
CHECK: Final = "book check IN/a.book --against IN/a.store --nodes 200 --positions 5"
MATCH: Final = "engine match bundled bundled --game chess --games 2 --limit nodes=1 --jobs 1"
JOBS: Final[dict[str, Job]] = {
    "tally": Job("tally IN/chess.pgn -o OUT/a.store --jobs 1 --rejects OUT/rejects.jsonl --force"),
    "tally new": Job("tally IN/chess.pgn -o OUT/a.store --jobs 1"),
    "tally more": Job("tally IN/chess.pgn -o OUT/a.store --jobs 1", (STORE,)),
    "tally xiangqi": Job("tally IN/xiangqi.zip -o OUT/a.store --jobs 1 --force", (STORE,)),
    "tally merge": Job(
        "tally merge IN/a.store IN/b.store -o OUT/a.store --force", (STORE,)
    ),
    "tally remove-source": Job(
        "tally remove-source OUT/a.store IN/other.pgn",
        ("tally IN/other.pgn IN/chess.pgn -o OUT/a.store",),
        is_once=True,
    ),
    "build": Job(
        "build IN/chess.pgn -o OUT/a.book --preset literature --min-games 2 --force --jobs 1", (BOOK,)
    ),
    "build new": Job(
        "build IN/a.store -o OUT/a.book --preset literature --min-games 2 --force"
    ),
    "build polyglot": Job("build IN/a.store -o OUT/a.bin --preset literature --min-games 2 --force"),
    "build again": Job("build --recipe IN/a.book -o OUT/a.book --force", (BOOK,)),
    "merge": Job("book merge IN/a.book IN/edited.book -o OUT/a.book --force", (BOOK,)),
    "edit": Job("book edit OUT/a.book startpos e2e4 --weight 7", (BOOK,), is_once=True),
    "undo": Job(
        "book edit OUT/a.book --undo", (BOOK, "book edit OUT/a.book startpos d2d4 --drop"), is_once=True
    ),
    **{
        f"convert {suffix}": Job(f"book convert IN/a.book OUT/a.{suffix} --force", tuple(before))
        for suffix, before in {
            "bin": ("build IN/other.pgn -o OUT/a.bin --preset own-games",),
            "abk": (), "pgn": (), "epd": (), "csv": (), "book": (BOOK,),
        }.items()
    },
    "convert obk": Job("book convert IN/xiangqi.book OUT/a.obk --force"),
    "convert dat": Job("book convert IN/xiangqi.book OUT/a.dat --force"),
    "convert games": Job("games convert IN/chess.pgn -o OUT/a.pgn --force"),
    "endgame": Job("endgame build KQvK KRvK -o OUT/tables --jobs 1"),
    "endgame more": Job("endgame build KRvK -o OUT/tables --jobs 1", ("endgame build KQvK -o OUT/tables",)),
    "evaluate": Job(
        "evaluate IN/a.store -o OUT/a.evals --positions 5 --nodes 100",
        grows=("a.evals.journal",),
    ),
    "filter": Job("games filter IN/chess.pgn -o OUT/a.pgn --min-plies 30 --force"),
    "dedupe": Job("games filter IN/chess.pgn IN/chess.pgn -o OUT/a.pgn --dedupe exact --force"),
    "check": Job("games check IN/other.pgn --rejects OUT/rejects.jsonl --force --jobs 1"),
    "match": Job(f"{MATCH} --journal OUT/a.jsonl -o OUT/a.pgn --force", grows=("a.jsonl",)),
    "walk": Job("engine walk IN/a.book --against IN/a.store --walks 4 --nodes 200 -o OUT/a.jsonl --force"),
    "grow": Job(
        "book grow IN/a.store -o OUT/a.csv --searches 12 --nodes 50 --min-games 2 --force",
        grows=("a.csv.growth",),
    ),
    "clean": Job(f"{CHECK} --max-loss 5 -o OUT/a.book --force", (BOOK,)),
    "demo": Job("demo -o OUT/ --force"),
    "tally export": Job("tally export IN/a.store -o OUT/a.parquet --force"),
    **{
        f"plot {name}": Job(f"{words} --plot OUT/a.svg --force")
        for name, words in {
            "coverage": "coverage IN/a.book IN/chess.pgn",
            "calibrate": "calibrate IN/other.pgn --min-games 1",
            "book check": CHECK,
            "endgame stats": "endgame stats IN/tables KQvK",
        }.items()
    },
}  # fmt: skip
"""Every command that writes."""


def words_of(line: str, inputs: Path, outputs: Path) -> list[str]:
    """Return the words of a command with its folders."""
    return [word.replace("IN/", f"{inputs}/").replace("OUT/", f"{outputs}/", 1) for word in line.split()]


def done(line: str, inputs: Path, outputs: Path) -> None:
    """Run a command to its end, undisturbed."""
    ran = run(*words_of(line, inputs, outputs))
    assert ran.code == 0, f"{line}: {ran.err}"


def begin(job: Job, inputs: Path, outputs: Path) -> State:
    """Create the state before a job."""
    outputs.mkdir()
    for line in job.before:
        done(line, inputs, outputs)
    return state(outputs)


def state(folder: Path) -> State:
    """Return the visible content of a folder, without hidden files and files that no manifest names."""
    found: State = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if (path / MANIFEST).is_file():
            manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
            parts = [part["file"] for part in (*manifest["parts"], *manifest["game_parts"])]
            found[path.name] = {name: (path / name).read_bytes() for name in (MANIFEST, *parts)}
        elif path.is_dir():
            for each in sorted(path.rglob("*")):
                name = each.relative_to(folder)
                is_hidden = any(part.startswith((".", "part-", "games-")) for part in name.parts)
                if each.is_file() and not is_hidden:
                    found[str(name)] = {each.name: each.read_bytes()}
        else:
            found[path.name] = {path.name: path.read_bytes()}
    return found


def require_old_or_new(job: Job, now: State, old: State, new: State) -> None:
    """Require the state before or after the job, file by file and store by store."""
    for name in {*now, *old, *new} - {*job.grows}:
        assert now.get(name) in (old.get(name), new.get(name)), f"{name} is neither the old one nor the new"


def litter(folder: Path) -> list[str]:
    """Return hidden files, and files of stores that no manifest names."""
    seen = {name for files in state(folder).values() for name in files}
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in seen
    ]


def make_inputs(folder: Path, data: Path, archives: Sequence[Path]) -> Path:
    """Create the inputs of the jobs: archives, and stores and books of them."""
    folder.mkdir()
    for name, path in zip(("other.pgn", "xiangqi.zip"), archives, strict=True):
        shutil.copyfile(path, folder / name)
    games = (data / "chess_selfplay.pgn").read_text(encoding="utf-8").split("[Event ")[1:]
    text = "".join("[Event " + game for game in games[:40])
    (folder / "chess.pgn").write_text(f'{text}[Event "bad"]\n\n1. e4 e5 2. Ke3 1-0\n\n', encoding="utf-8")
    for line in (
        "tally OUT/chess.pgn -o OUT/a.store",
        "tally OUT/other.pgn -o OUT/b.store",
        "build OUT/a.store -o OUT/a.book --preset literature --min-games 2",
        "build OUT/xiangqi.zip -o OUT/xiangqi.book --preset own-games",
        "build OUT/a.store -o OUT/edited.book --preset own-games",
        "book edit OUT/edited.book startpos e2e4 --weight 9",
        "book edit OUT/edited.book startpos d2d4 --drop",
        "endgame build KQvK -o OUT/tables",
    ):
        done(line, folder, folder)
    return folder
