"""Matches in which the players have books."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import pytest
from support.cli_runner import run
from support.foreign_books import usual_book, whole_book
from support.scripted_judge import command

from bookbuilder import Position
from bookbuilder.book.formats.registry import write_moves
from bookbuilder.book.open import open_book
from bookbuilder.book.play import MoveSource
from bookbuilder.engine.drivers.spec import EngineSpec, ThinkLimit, parse_engine
from bookbuilder.engine.match.match import run_match
from bookbuilder.engine.match.referee import Adjudication, MatchGame
from bookbuilder.engine.match.standing import MatchOptions, Standing
from bookbuilder.errors import EvalsError
from bookbuilder.games.position import Game

SHORT = Adjudication(most_plies=24, resign_moves=0, draw_moves=0)


def engine(text: str, game: Game, limit: str = "nodes=100") -> EngineSpec:
    """An engine of a match."""
    return parse_engine(text, game, name="engine", options=(), limit=ThinkLimit.parse(limit))


def match(
    spec: EngineSpec,
    game: Game,
    books: tuple[Path | None, Path | None],
    *,
    games: int = 4,
    journal: Path | None = None,
    **options,
) -> list[MatchGame]:
    """Let an engine play itself from the start position."""
    chosen = {"opening_plies": 0, "rules": SHORT, **options}
    every = MatchOptions(game=game, engines=(spec, spec), games=games, books=books, **chosen)  # type: ignore[arg-type]
    return run_match(every, journal=journal, tell=lambda _game, _standing: None)


def check_book_moves(
    done: MatchGame, game: Game, sources: tuple[MoveSource | None, MoveSource | None]
) -> None:
    """Check which moves of a game came from the books of its players."""
    here = Position(game)
    passed = {here.key}
    for ply, move in enumerate(done.moves, start=1):
        source = sources[(ply - 1 + done.first_player) % 2]
        offered = [] if source is None else [choice.code for choice in source.choices(here)]
        fresh = [code for code in offered if here.play(code).key not in passed]
        code = here.parse_move(move)
        assert (ply in done.book) == bool(fresh)
        assert not fresh or code in fresh
        here = here.play(code)
        passed.add(here.key)


@pytest.mark.parametrize("suffix", ["book", "bin", "abk", "dat", "obk"])
def test_engines_play_from_books_of_every_format(suffix: str, tmp_path: Path) -> None:
    game: Game = "xiangqi" if suffix in {"dat", "obk"} else "chess"
    path, other = tmp_path / f"a.{suffix}", tmp_path / "b.csv"
    write_moves(path, usual_book(game))
    write_moves(other, whole_book(game))
    spec = engine(command(tmp_path / "log", game), game)
    sources = open_book(path, game=game), open_book(other, game=game)
    for done in match(spec, game, (path, other)):
        assert done.detail == ""
        check_book_moves(done, game, sources)
        assert min(done.book_moves) > 0
        assert sum(done.book_moves) == len(done.book)


XBOARD = """
import sys
from bookbuilder import Position
here = Position("chess")
for line in sys.stdin:
    word, *rest = line.split()
    if word == "protover": print("feature ping=1 setboard=1 usermove=1 done=1", flush=True)
    elif word == "ping": print("pong", *rest, flush=True)
    elif word == "new": here = Position("chess")
    elif word == "usermove": here = here.play(here.parse_move(rest[0]))
    elif word == "go":
        move = min(here.coordinates(code) for code in here.moves())
        here = here.play(here.parse_move(move))
        print("move", move, flush=True)
    elif word == "quit": break
"""


@pytest.mark.parametrize("protocol", ["uci", "ucci", "xboard"])
def test_engines_of_every_protocol_take_up_the_game_after_the_book(protocol: str, tmp_path: Path) -> None:
    game: Game = "xiangqi" if protocol == "ucci" else "chess"
    (tmp_path / "xboard.py").write_text(XBOARD)
    bundled = [sys.executable, "-P", "-m", "bookbuilder", "engine", protocol]
    words = [sys.executable, "-P", str(tmp_path / "xboard.py")] if protocol == "xboard" else bundled
    spec = engine(f"{protocol}:{shlex.join(words)}", game, "depth=1")
    write_moves(tmp_path / "a.csv", usual_book(game))
    sources = open_book(tmp_path / "a.csv", game=game), None
    games = match(spec, game, (tmp_path / "a.csv", None), games=2)
    assert sum(done.book_moves[0] for done in games) > 0
    for done in games:
        assert done.detail == ""
        assert done.reason in {"length", "repetition"}
        check_book_moves(done, game, sources)


def test_books_alone_make_games_different(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    write_moves(path, whole_book("chess"))
    spec = engine(command(tmp_path / "log"), "chess")
    books = (path, path)
    games = match(spec, "chess", books, games=12)
    assert games == match(spec, "chess", books, games=12, concurrency=3)
    assert games != match(spec, "chess", books, games=12, seed=2)
    # Equal books lead both games of a pair into the same line.
    lines = [done.moves for done in games]
    assert lines[::2] == lines[1::2]
    assert len(set(lines)) > 3
    assert Standing.of(games, None).pairs == (0, 0, 6, 0, 0)
    # Without a book every game is the same.
    assert len({done.moves for done in match(spec, "chess", (None, None), games=4)}) == 1
    epd = tmp_path / "start.epd"
    epd.write_text(Position("chess").fen)
    assert [done.moves for done in match(spec, "chess", books, games=12, openings=epd)] == lines


def test_journal_is_resumed_with_the_same_books_only(tmp_path: Path) -> None:
    path, copy, journal = tmp_path / "a.bin", tmp_path / "copy.bin", tmp_path / "match.jsonl"
    write_moves(path, whole_book("chess"))
    shutil.copy(path, copy)
    spec = engine(command(tmp_path / "log"), "chess")
    first = match(spec, "chess", (path, None), games=2, journal=journal)
    # A copy of the book is the same book.
    four = match(spec, "chess", (copy, None), games=4, journal=journal)
    assert four[:2] == first
    assert any(done.book for done in four)
    write_moves(path, usual_book("chess"))
    for books in ((path, None), (None, copy), (None, None)):
        with pytest.raises(EvalsError, match="was begun with other options .books."):
            match(spec, "chess", books, games=4, journal=journal)


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("missing.bin", 3, "missing.bin: no such file"),
        ("x.csv", 3, "x.csv: is a book of xiangqi; expected a book of chess"),
        ("x.book", 3, "xiangqi"),
        ("damaged.bin", 3, "damaged.bin"),
        ("a.ctg", 3, "a.ctg: no such file"),
    ],
)
def test_bad_books_are_refused_before_a_game(
    name: str, code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_moves(tmp_path / "x.csv", usual_book("xiangqi"))
    write_moves(tmp_path / "x.book", usual_book("xiangqi"))
    (tmp_path / "damaged.bin").write_bytes(bytes(7))
    ran = run("engine", "match", "no-engine", "no-engine", "--game", "chess", "--book-b", name)
    assert (ran.code, ran.out) == (code, ""), ran.err
    assert message in ran.err
    assert ran.err.count("\n") == 1
