"""Remake the demo's archives: games that the bundled engine plays against itself.

    python data/selfplay.py chess 2000 data/chess_selfplay.pgn

A game begins with a line of `chess_openings.tsv` or `xiangqi_openings.tsv`, or with a part of one. Then for three
plies every legal move is searched a little and one is drawn, good moves more often. So games diverge slowly, and a
tally of them has a trunk and branches. At last each side searches with its own number of nodes, drawn for the game.
A player is named by that number, an event by the opening. Game number n depends only on the seed 1 and on n.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from bookbuilder._core import Position, Referee
from bookbuilder.archives.played_game import PlayedGame, Result
from bookbuilder.archives.write import write_archive
from bookbuilder.engine.engine import Engine
from bookbuilder.games.openings import openings_of
from bookbuilder.games.position import Game, as_game

SEED, MAX_PLIES = 1, 240
PLAYERS = {500: "Novice", 1000: "Amateur", 2000: "Expert", 4000: "Master", 8000: "Champion"}
DRAWN_PLIES, DRAWN_NODES, TEMPERATURE, MATE = 3, 1500, 10.0, 30_000


def opening_lines(game: Game) -> tuple[list[tuple[str, ...]], list[int]]:
    """Return the lines of a game in coordinates, and the running sums of their shares."""
    lines, shares = [], []
    rows = Path(__file__).with_name(f"{game}_openings.tsv").read_text(encoding="utf-8").splitlines()
    for row in rows[1:]:
        share, *moves = row.split()
        position, line = Position(game), []
        for move in moves:
            code = position.parse_move(move)
            line.append(position.coordinates(code))
            position = position.play(code)
        lines.append(tuple(line))
        shares.append(int(share))
    return lines, list(accumulate(shares))


def play_games(game: Game, count: int, *, max_plies: int = MAX_PLIES) -> Iterator[PlayedGame]:
    """Yield games 1 to `count`, each when it is finished; a longer game than `max_plies` is a draw."""
    move: str | None
    engine, (lines, sums) = Engine(game, hash_mib=1), opening_lines(game)
    scores: dict[tuple[str, ...], list[tuple[str, float]]] = {}
    for number in range(1, count + 1):
        chance = random.Random(f"{game} {SEED} {number}")
        nodes = [list(PLAYERS)[chance.randrange(len(PLAYERS))] for _ in range(2)]
        line = chance.choices(lines, cum_weights=sums)[0]
        if chance.random() >= 0.75 and len(line) > 2:
            line = line[: chance.randint(2, len(line))]
        referee, moves = Referee(game), list[str]()
        engine.clear()
        while (result := result_of(referee, max_plies)) is None:
            if len(moves) < len(line):
                move = line[len(moves)]
            elif len(moves) < len(line) + DRAWN_PLIES:
                if tuple(moves) not in scores:
                    # Results of other games in the table must not change these scores.
                    engine.clear()
                    here = referee.position
                    after = [(*moves, here.coordinates(code)) for code in here.moves()]
                    scores[tuple(moves)] = [(each[-1], score_after(engine, game, each)) for each in after]
                    engine.clear()
                scored = scores[tuple(moves)]
                best = max(score for _, score in scored)
                weights = [math.exp((score - best) / TEMPERATURE) for _, score in scored]
                move = chance.choices([each for each, _ in scored], weights)[0]
            else:
                move = engine.search(moves=moves, nodes=nodes[len(moves) % 2]).move
            assert move is not None, "a game that goes on has a legal move"
            moves.append(move)
            referee.play(referee.position.parse_move(move))
        yield PlayedGame(
            game=game,
            event=event_of(game, moves),
            date="????.??.??",
            number=number,
            first=PLAYERS[nodes[0]],
            second=PLAYERS[nodes[1]],
            result=result,
            moves=tuple(moves),
        )


def event_of(game: Game, moves: Sequence[str]) -> str:
    """Return the name of an event: the opening of its games, without the variation."""
    opening = openings_of(game).classify(moves)
    return "Open" if opening is None else opening.name.partition(":")[0]


def score_after(engine: Engine, game: Game, moves: tuple[str, ...]) -> float:
    """Return centipawns for the side that made the last move."""
    verdict = Referee(game, None, moves).judge()["verdict"]
    if verdict != "none":
        return {"win": -MATE, "draw": 0.0, "loss": MATE}[verdict]
    found = engine.search(moves=moves, nodes=DRAWN_NODES)
    return -math.copysign(MATE, found.mate_in) if found.mate_in is not None else -float(found.score_cp or 0)


def result_of(referee: Referee, max_plies: int) -> Result | None:
    """Return how the game ended; None if it goes on."""
    found = referee.judge()
    if found["reason"] is None:
        return "1/2-1/2" if len(referee) >= max_plies else None
    results: dict[object, Result] = {None: "1/2-1/2", 0: "0-1", 1: "1-0"}
    return results[found["loser"]]


if __name__ == "__main__":
    _, name, count, output = sys.argv
    game = as_game(name)
    with open(output, "wb") as stream:
        write_archive(stream, Path(output).suffix, game, play_games(game, int(count)))
