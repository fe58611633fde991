"""Mistakes of users and the answers of the program: what is wrong, where, and what to do.

The table is `mistakes.tsv`: exit code, command line, first line of the answer. After a change on purpose,
renew and read it:

    BOOKBUILDER_RENEW=1 pytest tests/cli/test_mistakes.py
    git diff tests/cli/mistakes.tsv
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from support.cli_runner import run

from bookbuilder import Evals
from bookbuilder.cli.demo import demo_archives

TABLE = Path(__file__).with_name("mistakes.tsv")
ROWS = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()]
# Words of libraries and of Python, which no answer may have.
FOREIGN = re.compile(r"Traceback|Input should|Value error|\bNone\b|Errno|object at 0x|panicked|Some\(")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mistakes")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        shutil.copy(demo_archives("chess")[0], "games.pgn")
        each = re.split(r"(?m)^(?=\[Event )", Path("games.pgn").read_text())[1:]
        Path("few.pgn").write_text("".join(each[::33][:60]))
        shutil.copy(demo_archives("xiangqi")[0], "xiangqi.zip")
        for words in (
            "tally few.pgn -o chess.store --max-ply 20",
            "build few.pgn -o a.book --preset broad --min-games 2",
            "book convert a.book a.bin",
            "tally xiangqi.zip -o xq.store --max-ply 10",
            "build xq.store -o xq.book",
        ):
            assert run(*words.split()).code == 0, words
        headers = '[Event "a"]\n[Result "1-0"]\n\n'
        Path("headers.pgn").write_text(headers)
        Path("illegal.pgn").write_text(f"{headers}1. e4 e5 2. Ke5 1-0\n")
        Path("empty.pgn").touch()
        Path("notes.txt").write_text("It was a dark and stormy night.\n" * 99)
        Path("none").mkdir()
        Path("begun.store/.tmp-work").mkdir(parents=True)
        Path("broken.pgn.gz").write_text("not gzip")
        Path("cut.book").write_bytes(Path("a.book").read_bytes()[:300])
        Path("cut.bin").write_bytes(Path("a.bin").read_bytes()[:-7])
        shutil.copytree("chess.store", "bad.store")
        Path("bad.store/manifest.json").write_text("{")
        Path("book.ctg").write_text("CTG")
        Evals.empty("xiangqi").write("xq.evals")
    return made


@pytest.fixture
def folder(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "mistakes"
    shutil.copytree(prepared, copy)
    monkeypatch.chdir(copy)


@pytest.mark.full
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("code", "words", "answer"), ROWS, ids=[row[1] for row in ROWS])
def test_mistake_is_answered(code: str, words: str, answer: str) -> None:
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    ran = run(*shlex.split(words))
    first = ran.err.splitlines()[0].replace("root ", "bookbuilder ")
    if os.environ.get("BOOKBUILDER_RENEW"):
        _renew(words, ran.code, first)
        return
    assert (str(int(ran.code)), first) == (code, answer)
    assert not FOREIGN.search(ran.err)
    # Nothing is written.
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == before


def _renew(words: str, code: int, first: str) -> None:
    rows = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()]
    renewed = [(str(int(code)), words, first) if row[1] == words else tuple(row) for row in rows]
    TABLE.write_text("".join("\t".join(row) + "\n" for row in renewed), encoding="utf-8")


def test_no_mistake_counts_as_done() -> None:
    assert len(ROWS) >= 50
    assert all(code != "0" for code, _, _ in ROWS)
