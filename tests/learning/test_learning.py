"""Own results: games of a player become lessons, lessons a journal, and the journal a book."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run

from bookbuilder import Experience, Position, build, learned_book, open_book, write_learned
from bookbuilder.errors import ExperienceError
from bookbuilder.journal import Journal
from bookbuilder.learning.experience import OwnGame, find_lessons

ARCHIVE = [
    ("1. e4 e5 2. Nf3 Nc6 3. Bb5", 6),
    ("1. e4 c5 2. Nf3 d6 3. d4", 4),
    ("1. d4 d5 2. c4 e6 3. Nc3", 6),
]
SUFFIXES = ("bin", "abk", "book", "csv")


def pgn(
    white: str, black: str, result: str, moves: str, *, ratings: tuple[int, int] = (0, 0), day: int = 1
) -> str:
    """A game as PGN."""
    elo = f'[WhiteElo "{ratings[0]}"]\n[BlackElo "{ratings[1]}"]\n' if all(ratings) else ""
    names = f'[White "{white}"]\n[Black "{black}"]\n[Date "2026.01.{day:02}"]\n'
    return f'[Event "own"]\n{names}[Result "{result}"]\n{elo}\n{moves} {result}\n\n'


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder with a small book in several formats."""
    results = ("1-0", "1/2-1/2", "0-1")
    games = [pgn("A", "B", results[number % 3], line) for line, count in ARCHIVE for number in range(count)]
    (tmp_path / "games.pgn").write_text("".join(games))
    for suffix in SUFFIXES:
        build(tmp_path / "games.pgn", tmp_path / f"book.{suffix}", min_games=1, margin=None, sharpen=0)
    return tmp_path


def lost(count: int, moves: str = "1. e4 c5 2. Nf3 d6", first: int = 1) -> str:
    """Games in which Me plays Black and loses."""
    return "".join(pgn("You", "Me", "1-0", moves, day=day) for day in range(first, first + count))


def learn(book: Path, text: str, *arguments: object) -> tuple[int, str]:
    """Learn from games; return the exit code and the answer."""
    games = book.with_name("own.pgn")
    games.write_text(text)
    ran = run("book", "learn", book, games, "--as", "Me", "-q", *arguments)
    return ran.code, ran.out + ran.err


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_losing_move_ends_in_every_format(room: Path, suffix: str) -> None:
    book, new = room / f"book.{suffix}", room / f"new.{suffix}"
    before = book.read_bytes()
    code, _ = learn(book, lost(9), "-o", new)
    assert code == 0
    assert book.read_bytes() == before
    start = Position("chess")
    after_e4 = start.play(start.parse_move("e4"))
    offered = {
        after_e4.san(each.code): each.weight for each in open_book(book, game="chess").choices(after_e4)
    }
    learned = {
        after_e4.san(each.code): each.weight for each in open_book(new, game="chess").choices(after_e4)
    }
    assert set(offered) == {"e5", "c5"}
    assert set(learned) == {"e5"}
    # White's moves had no own games.
    first, second = (open_book(each, game="chess").choices(start) for each in (book, new))
    assert [each.code for each in first] == [each.code for each in second]
    assert first[0].weight * second[1].weight == pytest.approx(first[1].weight * second[0].weight, rel=0.05)


def test_games_without_lessons_leave_the_book_as_it_is(room: Path) -> None:
    own = Experience.open(room / "j", "chess", "Me")
    written = write_learned(room / "same.bin", learned_book(room / "book.bin", own))
    assert written.moves == len(open_book(room / "book.bin"))
    assert (room / "same.bin").read_bytes() == (room / "book.bin").read_bytes()


def test_a_game_counts_once_and_equal_games_each(room: Path) -> None:
    text = lost(3) + lost(3)
    for added in (6, 0):
        code, answer = learn(room / "book.bin", text, "--json")
        assert code == 0
        facts = json.loads(answer)
        assert facts["lessons"]["added"] == added
        assert (facts["games"], facts["points"]) == (6, 0)


def test_undo_takes_the_last_run_back(room: Path) -> None:
    learn(room / "book.bin", lost(3))
    one = run("book", "learn", room / "book.bin", "--json").out
    learn(room / "book.bin", lost(2, first=20))
    assert json.loads(run("book", "learn", room / "book.bin", "--json").out)["games"] == 5
    ran = run("book", "learn", room / "book.bin", "--undo", "--json")
    assert (ran.code, json.loads(ran.out)["undone"]) == (0, 2)
    assert run("book", "learn", room / "book.bin", "--json").out == one
    assert "took 3 games back" in run("book", "learn", room / "book.bin", "--undo").out
    assert run("book", "learn", room / "book.bin", "--undo").code == 1
    # Games that were taken back can be learned again.
    assert json.loads(learn(room / "book.bin", lost(3), "--json")[1])["lessons"]["added"] == 3


def test_read_only_writes_nothing(room: Path) -> None:
    code, answer = learn(room / "book.bin", lost(4), "--read-only", "--json")
    assert (code, json.loads(answer)["games"]) == (0, 4)
    assert not (room / "book.bin.learned").exists()


def test_torn_line_is_ignored_and_its_game_learned_again(room: Path) -> None:
    learn(room / "book.bin", lost(4))
    journal = room / "book.bin.learned"
    whole = journal.read_bytes()
    for cut, added in ((1, 1), (2, 1), (30, 1), (200, 1)):
        journal.write_bytes(whole[:-cut])
        facts = json.loads(learn(room / "book.bin", lost(4), "--json")[1])
        assert (facts["lessons"]["added"], facts["games"]) == (added, 4)


def test_only_choices_get_credit(room: Path) -> None:
    own = Experience.open(room / "j", "chess", "me")
    (room / "own.pgn").write_text(
        pgn("Me", "You", "1-0", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6")
        + pgn("You", "Me", "0-1", "1. d4 d5 2. c4 e6")
        + pgn("Me", "You", "*", "1. e4 e5")
        + pgn("Third", "Else", "1-0", "1. e4 e5")
        + pgn("Me", "Also Me", "1-0", "1. e4 c5")
    )
    found = find_lessons(own, open_book(room / "book.bin", game="chess"), [room / "own.pgn"])
    assert [(game.side, game.moves, game.choices, game.points) for game in found.games] == [
        (0, ("e2e4",), (0,), 1.0),
        (0, ("e2e4",), (0,), 1.0),
        (1, ("e2e4", "c7c5"), (1,), 0.0),
    ]
    assert (found.found, found.without_choice, found.without_result, found.known) == (5, 1, 1, 0)


def test_ratings_and_age_discount(room: Path) -> None:
    strong = "".join(
        pgn("You", "Me", "1-0", "1. e4 c5", ratings=(2900, 2200), day=day) for day in range(1, 10)
    )
    shares: list[float] = []
    for text in (lost(9, "1. e4 c5"), strong):
        facts = json.loads(
            learn(room / "book.bin", text, "--json", "--journal", room / f"{len(shares)}.j")[1]
        )
        shares.append(facts["moves"][0]["share_after"])
    assert shares[0] == 0 < shares[1]


def test_xiangqi_learns_with_mirrors_folded(room: Path) -> None:
    lines = ("C2.5 H8+7", "C8.5 H2+3", "C2.5 C8.5")
    tags = '[Game "Chinese Chess"]\n[Format "WXF"]\n'
    text = "".join(
        f'{tags}[Red "A"]\n[Black "B"]\n[Result "{result}"]\n\n1. {line} {result}\n\n'
        for line in lines
        for result in ("1-0", "0-1")
    )
    (room / "x.pgn").write_text(text)
    build(room / "x.pgn", room / "x.book", min_games=1, margin=None, game="xiangqi")
    own = "".join(
        f'{tags}[Red "You"]\n[Black "Me"]\n[Result "1-0"]\n[Date "2026.01.{day:02}"]\n\n1. {line} 1-0\n\n'
        for day in range(1, 6)
        for line in lines[:2]
    )
    code, answer = learn(room / "x.book", own, "--json")
    assert code == 0, answer
    moves = json.loads(answer)["moves"]
    assert [(each["games"], each["share_after"]) for each in moves] == [(10, 0.0)]


def test_journals_of_something_else_are_refused(room: Path) -> None:
    path = room / "j"
    path.write_bytes(b"PAR1")
    with pytest.raises(ExperienceError, match="is not a journal"):
        Experience.open(path, "chess", "Me")
    for head, rows, words in (
        ({"evaluation": {}}, (), "is not a journal"),
        ({"experience": {"game": "xiangqi", "name": "Me"}}, (), "is of xiangqi, expected of chess"),
        ({"experience": {"game": "chess", "name": "You"}}, (), "of the player You"),
        ({"experience": {"game": "chess", "name": "Me"}}, ({"run": 1},), "is not that of a game"),
    ):
        path.unlink()
        with Journal(path, head) as journal:
            journal.append(*rows)
        with pytest.raises(ExperienceError, match=words):
            Experience.open(path, "chess", "Me")


def test_journal_reads_what_it_wrote(room: Path) -> None:
    own = Experience.open(room / "j", "chess", "Mé")
    game = OwnGame(
        run=1, identity="a-1-0", place="a.pgn 17", date="2026.01.01", opponent="Ünal", side=1, points=0.5,
        rating=2000, opponent_rating=2100, moves=("e2e4", "c7c5"), choices=(1,),
    )  # fmt: skip
    own.add([game])
    again = Experience.open(room / "j")
    assert (again.games, again.runs, again.name) == ([game], 1, "Mé")
