"""Self-play: legal, varied games that depend on seed and number alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

import pytest

from bookbuilder import Position
from bookbuilder.archives.played_game import PlayedGame
from bookbuilder.engine.opening_lines import OpeningLines
from bookbuilder.engine.selfplay import SelfplayOptions, play_games
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game

QUICK = SelfplayOptions(
    seed=3, opening_plies=3, opening_nodes=50, least_nodes=20, most_nodes=40, most_plies=60
)


@pytest.fixture(scope="module", params=["chess", "xiangqi"])
def game(request: pytest.FixtureRequest) -> Game:
    """Either game."""
    name: Game = request.param
    return name


@pytest.fixture(scope="module")
def games(game: Game) -> list[PlayedGame]:
    """Four quick games."""
    return list(play_games(game, 4, QUICK))


def test_selfplay_moves_are_legal_coordinates(game: Game, games: list[PlayedGame]) -> None:
    for played in games:
        position = Position(game)
        for move in played.moves:
            code = position.parse_move(move)
            assert position.coordinates(code) == move
            position = position.play(code)
        assert len(played.moves) <= QUICK.most_plies
        if position.verdict == "mate":
            assert played.result == ("0-1" if position.side == 0 else "1-0")


def test_selfplay_game_depends_on_seed_and_number_only(game: Game, games: list[PlayedGame]) -> None:
    assert list(play_games(game, 2, QUICK, start=3)) == games[2:]


def test_selfplay_games_differ(games: list[PlayedGame]) -> None:
    assert len({played.moves for played in games}) == len(games)


def test_selfplay_begins_with_a_line_or_its_first_moves(game: Game) -> None:
    lines = OpeningLines.of_program(game)
    quick = replace(QUICK, most_plies=12, opening_plies=0)
    whole = 0
    for played in play_games(game, 24, quick):
        shared = max(
            sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(played.moves, line, strict=False)))
            for line in lines.lines
        )
        assert shared >= 2
        whole += any(played.moves[: len(line)] == line[:12] for line in lines.lines)
    assert whole >= 12


def test_selfplay_levels_are_doublings(game: Game) -> None:
    levels = replace(QUICK, least_nodes=10, most_nodes=79, most_plies=2)
    names = {name for played in play_games(game, 40, levels) for name in (played.first, played.second)}
    assert names == {"10 nodes", "20 nodes", "40 nodes"}


def test_selfplay_draws_at_maximum_length(game: Game) -> None:
    short = SelfplayOptions(opening_plies=2, opening_nodes=20, least_nodes=20, most_nodes=20, most_plies=4)
    (played,) = play_games(game, 1, short)
    assert (len(played.moves), played.result) == (4, "1/2-1/2")


@pytest.mark.parametrize(
    "options",
    [{"least_nodes": 0}, {"least_nodes": 9, "most_nodes": 8}, {"temperature": 0.0}, {"most_plies": 0}],
)
def test_invalid_selfplay_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(OptionError):
        SelfplayOptions(**options)  # type: ignore[arg-type]
