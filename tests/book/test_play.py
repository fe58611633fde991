"""Playing from books of all formats, and from tallies."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support.foreign_books import tally_of, usual_book

from bookbuilder import Book, Engine, Position, select
from bookbuilder.book.formats.registry import write_moves
from bookbuilder.book.open import open_book
from bookbuilder.book.play import Choice, TallyMoves, draw
from bookbuilder.games.position import Game
from bookbuilder.tally.store.reading import OpenStore

FORMATS = [
    *(("chess", suffix) for suffix in ("book", "bin", "abk", "csv")),
    *(("xiangqi", suffix) for suffix in ("book", "dat", "obk", "csv")),
]


def weights_at(source: list[Choice], position: Position) -> dict[str, int]:
    """The moves and weights that a source offers, in its order."""
    return {position.coordinates(choice.code): choice.weight for choice in source}


@pytest.mark.parametrize(("game", "suffix"), FORMATS)
def test_every_format_offers_the_moves_that_it_stores(game: Game, suffix: str, tmp_path: Path) -> None:
    path, listed = tmp_path / f"a.{suffix}", usual_book(game)
    write_moves(path, listed)
    start = Position(game)
    key, lock = start.stored(listed.fold)
    rows = listed.table.to_pylist()
    here = [row for row in rows if (row["key"], row["lock"]) == (key, lock)]
    # A record of a `.book` is a position that games reached: it has no weight 0.
    codes = {row["move"] for row in here if row["weight"] or suffix == "book"}
    source = open_book(path, game=game)
    choices = source.choices(start)
    assert source.game == game
    assert {start.stored_move(choice.code, listed.fold) for choice in choices} == codes
    assert all(choice.weight > 0 for choice in choices)
    if suffix != "book":
        assert [choice.weight for choice in choices] == sorted((c.weight for c in choices), reverse=True)
        moves = source.moves("startpos")
        assert moves["share"].sum() == pytest.approx(1)
        assert source.pick("startpos", "best") == moves["move"][0]
        assert ("results" in source.lacks) == ("p" not in moves.columns)
    for choice in choices:
        assert all(
            reply.code in start.play(choice.code).moves() for reply in source.choices(start.play(choice.code))
        )


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_clustered_book_is_played_as_the_bundled_engine_plays_it(game: Game, tmp_path: Path) -> None:
    book = Book.write(tmp_path / "a.book", select(tally_of(game), min_win_rate=0, min_games=3))
    source, engine = open_book(book.path, game=game), Engine(game, book=book, hash_mib=1)
    line: list[str] = []
    here = Position(game)
    while choices := source.choices(here):
        weights = weights_at(list(choices), here)
        assert engine.search(moves=line, depth=1).move == next(iter(weights))
        drawn = Counter(
            engine.search(moves=line, depth=1, book_policy="weighted", seed=seed).move for seed in range(200)
        )
        assert set(drawn) <= set(weights)
        total = sum(weights.values())
        for move, weight in weights.items():
            share = weight / total
            # Five standard deviations.
            assert abs(drawn[move] / 200 - share) <= 5 * (share * (1 - share) / 200) ** 0.5 + 1e-9
        line.append(here.coordinates(choices[0].code))
        here = here.play(choices[0].code)
    assert len(line) > 2


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_tally_offers_its_moves_by_games(game: Game, tmp_path: Path) -> None:
    tally = tally_of(game)
    store = OpenStore(tally.save(tmp_path / "a.store"))
    source = TallyMoves(store, game, fold=store.options.fold)
    here = Position(game)
    for _ in range(6):
        frame = tally.moves(here)
        choices = source.choices(here)
        assert [(choice.code, choice.weight) for choice in choices] == [
            (here.parse_move(move), games) for move, games in zip(frame["move"], frame["played"], strict=True)
        ]
        here = here.play(choices[0].code)


def test_draw_follows_weights() -> None:
    choices = [Choice(1, 6), Choice(2, 3), Choice(3, 1)]
    chances = [(number + 0.5) / 100 for number in range(100)]
    weighted = Counter(draw(choices, "weighted", chance) for chance in chances)
    assert weighted == {1: 60, 2: 30, 3: 10}
    assert set(Counter(draw(choices, "uniform", chance) for chance in chances).values()) == {33, 34}
    assert {draw(choices, "best", chance) for chance in chances} == {1}
    assert draw([], "weighted", 0.5) is None
