"""Laws for random games: any legal moves, any results, split and written in any way."""

from __future__ import annotations

import random
from collections import defaultdict
from functools import reduce
from operator import add
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cli_runner import run
from support.selections import LITERATURE

import bookbuilder as bb
from bookbuilder.archives.played_game import PlayedGame, Result
from bookbuilder.archives.write import write_archive
from bookbuilder.engine.endgames import Endgames, build_tables

GAMES: Final[tuple[bb.Game, ...]] = ("chess", "xiangqi")
RESULTS: Final[tuple[Result, ...]] = ("1-0", "0-1", "1/2-1/2", "*")
LINES = st.lists(
    st.tuples(st.lists(st.integers(0, 200), min_size=1, max_size=14), st.sampled_from(RESULTS)),
    min_size=1,
    max_size=8,
)
"""Games: numbers that choose among the legal moves, and a result."""
Line = tuple[list[int], Result]
FORMS: Final = {
    "chess": [("a.pgn", "san"), ("a.pgn", "lan"), ("a.pgn", "uci"), ("a.txt", None)],
    "xiangqi": [("a.pgn", "iccs"), ("a.pgn", "wxf"), ("a.pgn", "chinese"), ("a.zip", None), ("a.txt", None)],
}


def positions_of(game: bb.Game, choices: list[int]) -> list[tuple[bb.Position, int]]:
    """Return the positions of a game and the moves played from them, until no move is legal."""
    here, found = bb.Position(game), []
    for choice in choices:
        legal = here.moves()
        if not legal:
            break
        move = legal[choice % len(legal)]
        found.append((here, move))
        here = here.play(move)
    return [*found, (here, 0)]


def archive(path: Path, game: bb.Game, lines: list[Line], first: int = 1) -> Path:
    """Return games as PGN, numbered from `first`."""
    games = [
        PlayedGame(
            game=game, event="Law", date="2020.01.01", number=number, first=f"A {number}", second="B",
            result=result,
            moves=tuple(here.coordinates(move) for here, move in positions_of(game, choices)[:-1]),
        )
        for number, (choices, result) in enumerate(lines, start=first)
    ]  # fmt: skip
    with path.open("wb") as stream:
        write_archive(stream, ".pgn", game, games)
    return path


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=20, deadline=None)
@given(lines=LINES, data=st.data())
def test_tallies_of_any_split_add_up(
    game: bb.Game, lines: list[Line], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("split")
    whole = bb.Tally.from_archives(archive(folder / "whole.pgn", game, lines))
    groups: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        groups[data.draw(st.integers(0, 2))].append(line)
    parts = [
        # Archives with equal content would be refused.
        bb.Tally.from_archives(archive(folder / f"{number}.pgn", game, group, first=100 * number))
        for number, group in data.draw(st.permutations(sorted(groups.items())))
    ]
    added = reduce(add, parts).to_arrow().drop_columns(["sample", "sample_rating"])
    # Players are numbered within an archive, so that fingerprints differ.
    assert added.equals(whole.to_arrow().drop_columns(["sample", "sample_rating"]))


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=8, deadline=None)
@given(lines=LINES)
def test_all_writers_and_readers_agree(
    game: bb.Game, lines: list[Line], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("forms")
    lines = [plain_game(game), *lines]
    written = archive(folder / "whole.pgn", game, lines)
    expected = counted(game, lines)
    assert rows_of(bb.Tally.from_archives(written, fold=False)) == expected
    for number, (name, notation) in enumerate(FORMS[game]):
        path = folder / f"{number}{name}"
        lines_too = ("--to", "lines") if name.endswith(".txt") else ()
        words = ("--notation", notation) if notation else ()
        ran = run("games", "convert", written, "-o", path, *words, *lines_too, "--quiet")
        assert ran.code == 0, (name, notation, ran.err)
        assert rows_of(bb.Tally.from_archives(path, game=game, fold=False)) == expected, (name, notation)


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=20, deadline=None)
@given(lines=LINES, limit=st.integers(0, 15))
def test_ply_limit_cuts_games_and_changes_nothing(
    game: bb.Game, lines: list[Line], limit: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = archive(tmp_path_factory.mktemp("cut") / "a.pgn", game, [plain_game(game), *lines])
    cut = [(choices[:limit], result) for choices, result in [plain_game(game), *lines]]
    assert rows_of(bb.Tally.from_archives(path, max_ply=limit, fold=False)) == counted(game, cut)


def plain_game(game: bb.Game) -> Line:
    """Return a game whose first moves identify the game of a file without tags."""
    here, choices = bb.Position(game), []
    for text in {"chess": ("e2e4", "g8f6"), "xiangqi": ("h2e2", "h9g7")}[game]:
        move = here.parse_move(text)
        choices.append(here.moves().index(move))
        here = here.play(move)
    return choices, "1-0"


def counted(game: bb.Game, lines: list[Line]) -> dict[tuple[int, int, int], int]:
    """Count games by key, lock and move in a dictionary: the first move from each position of a game."""
    found: dict[tuple[int, int, int], int] = defaultdict(int)
    for choices, _ in lines:
        first: dict[tuple[int, int], int] = {}
        for here, move in positions_of(game, choices):
            first.setdefault(here.stored(False), move)
        for identity, move in first.items():
            found[(*identity, move)] += 1
    return dict(found)


def rows_of(tally: bb.Tally) -> dict[tuple[int, int, int], int]:
    """Return the games of a tally by key, lock and move."""
    columns = (tally.column(name).tolist() for name in ("key", "lock", "move", "games"))
    return {(key, lock, move): games for key, lock, move, games in zip(*columns, strict=True)}


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=60, deadline=None)
@given(choices=st.lists(st.integers(0, 200), max_size=60))
def test_incremental_key_equals_key_from_scratch(game: bb.Game, choices: list[int]) -> None:
    for here, _ in positions_of(game, choices):
        again = bb.Position(game, here.fen)
        assert (here.key, here.lock) == (again.key, again.lock)
        assert here.moves() == again.moves()


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=15, deadline=None)
@given(lines=LINES)
def test_book_behaves_like_a_dictionary(
    game: bb.Game, lines: list[Line], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, fold = tmp_path_factory.mktemp("book"), game == "xiangqi"
    tally = bb.Tally.from_archives(archive(folder / "a.pgn", game, lines))
    book = bb.Book.write(folder / "a.book", bb.select(tally, LITERATURE, min_win_rate=0))
    reached: dict[tuple[int, int], int] = defaultdict(int)
    for choices, _ in lines:
        for identity in {here.stored(fold) for here, _ in positions_of(game, choices)}:
            reached[identity] += 1
    del reached[bb.Position(game).stored(fold)]
    assert len(book) == len(reached)
    for choices, _ in lines:
        for here, _ in positions_of(game, choices):
            for move in here.moves():
                after = here.play(move)
                record = book.native.probe_position(after)
                assert (record.usage if record else None) == reached.get(after.stored(fold))


@pytest.mark.parametrize("shape", ["positions", "moves"])
@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 50),
    thresholds=st.lists(st.integers(0, 1000), min_size=2, max_size=6),
    least=st.integers(1, 4),
)
def test_higher_threshold_keeps_a_subset(
    make_tally, shape: str, seed: int, thresholds: list[int], least: int
) -> None:
    tally = make_tally(seed, 120)
    before: set[tuple[int, ...]] | None = None
    for permille in sorted(thresholds):
        chosen = bb.select(tally, LITERATURE, min_win_rate=f"{permille}/1000", min_games=least, shape=shape)
        names = ("key", "lock") if shape == "positions" else ("key", "lock", "move")
        rows = chosen.kept().select(names).to_pylist()
        kept = {tuple(row.values()) for row in rows}
        assert before is None or kept <= before
        before = kept


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=25, deadline=None)
@given(choices=st.lists(st.integers(0, 200), max_size=80), depth=st.integers(1, 3))
def test_search_gives_legal_moves(game: bb.Game, choices: list[int], depth: int) -> None:
    here = positions_of(game, choices)[-1][0]
    found = bb.Engine(game, hash_mib=1).search(here.fen, depth=depth)
    if not here.moves():
        assert found.move is None
        return
    assert found.pv[0] == found.move
    for move in found.pv:
        here = here.play(here.parse_move(move))  # raises if it is not legal


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables with many positions that are won in few moves."""
    folder = tmp_path_factory.mktemp("tables")
    build_tables(["KQvK", "KRvK"], folder)
    build_tables(["KRvK"], folder, game="xiangqi")
    return folder


# Additional plies until a search finds the shortest mate, because it reduces some lines.
_BEYOND: Final = 12


def few_men(game: bb.Game, chance: random.Random) -> str:
    """Return a FEN of a king and a queen or rook against a king, which may be illegal."""
    if game == "chess":
        squares = chance.sample(range(64), 3)
        board = [["1"] * 8 for _ in range(8)]
        for square, piece in zip(squares, ("K", chance.choice("QR"), "k"), strict=True):
            board[square // 8][square % 8] = piece
        return "/".join("".join(row) for row in board) + f" {chance.choice('wb')} - - 0 1"
    board = [["1"] * 9 for _ in range(10)]
    board[chance.randrange(7, 10)][chance.randrange(3, 6)] = "K"
    board[chance.randrange(3)][chance.randrange(3, 6)] = "k"
    free = [(row, file) for row in range(10) for file in range(9) if board[row][file] == "1"]
    row, file = chance.choice(free)
    board[row][file] = "R"
    return "/".join("".join(each) for each in board) + f" {chance.choice('wb')} - - 0 1"


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("most", [5, pytest.param(7, marks=pytest.mark.slow)])
def test_search_finds_the_mates_of_endgame_tables(game: bb.Game, most: int, tables: Path) -> None:
    chance, endgames, mates = random.Random(7), Endgames(tables), 0
    engine = bb.Engine(game, hash_mib=8)
    while mates < 25:
        fen = few_men(game, chance)
        try:
            here = bb.Position(game, fen)
        except bb.errors.FenError:
            continue
        value = endgames.probe(here)
        if value is None or value.wdl <= 0 or value.dtm is None or value.dtm > most:
            continue
        found = engine.search(here.fen, depth=value.dtm + _BEYOND)
        assert found.mate_in == value.dtm, here.fen
        reported = [each["mate_in"] for each in found.iterations if each["mate_in"] is not None]
        assert min(reported) == value.dtm, "a reported mate exists, and none is shorter"
        mates += 1
