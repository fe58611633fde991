"""The games of a match, and how the match stands after them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bookbuilder import _core
from bookbuilder.archives.played_game import PlayedGame
from bookbuilder.engine.drivers.spec import EngineSpec
from bookbuilder.engine.match.elo import EloEstimate, Sprt, SprtState, estimate_elo, sprt_state
from bookbuilder.engine.match.referee import Adjudication, MatchGame
from bookbuilder.games.position import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOptions:
    """The conditions of a match.

    Attributes:
        game: chess or xiangqi.
        engines: the first player and the second.
        games: maximum number of games.
        openings: archive or file of positions; None: random moves.
        opening_plies: number of moves in an opening.
        shuffle: draw openings from a file at random instead of taking them in order.
        seed: seed of all random choices.
        rules: when games are ended early.
        sprt: a test that ends the match.
        concurrency: number of games at a time.
        books: the book of the first player and of the second, in any format; None: no book.

    Example:
        >>> limit = bb.ThinkLimit(depth=1)
        >>> engine = bb.parse_engine("bundled", "chess", name=None, options=[], limit=limit)
        >>> options = bb.MatchOptions(game="chess", engines=(engine, engine), games=2)
        >>> options.games, options.opening_plies, options.engines[0].name
        (2, 8, 'bundled')
    """

    game: Game
    engines: tuple[EngineSpec, EngineSpec]
    games: int
    openings: Path | None = None
    opening_plies: int = 8
    shuffle: bool = True
    seed: int = 1
    rules: Adjudication = field(default_factory=Adjudication)
    sprt: Sprt | None = None
    concurrency: int = 1
    books: tuple[Path | None, Path | None] = (None, None)

    def identity(self) -> dict[str, Any]:
        """Return the options that must match before a journal can be resumed.

        These are all except the number of games, the test and the concurrency. Books are compared by digest.

        Raises:
            OSError: a book cannot be read.

        Example:
            >>> limit = bb.ThinkLimit(depth=1)
            >>> engine = bb.parse_engine("bundled", "chess", name=None, options=[], limit=limit)
            >>> options = bb.MatchOptions(game="chess", engines=(engine, engine), games=2)
            >>> from dataclasses import replace
            >>> replace(options, games=20).identity() == options.identity()
            True
        """
        facts = asdict(self)
        for name in ("games", "concurrency", "sprt", "books"):
            del facts[name]
        if any(self.books):
            digests = [None if path is None else _core.file_digest(str(path))[1] for path in self.books]
            facts["books"] = digests
        plain: dict[str, Any] = json.loads(json.dumps(facts, default=str))
        return plain


@dataclass(frozen=True, slots=True)
class Standing:
    """The score of a match, from the view of the first player.

    Attributes:
        wins: games won.
        draws: games drawn.
        losses: games lost.
        pairs: complete pairs by their points, 0, ½, 1, 1½, 2.
        elo: the estimated difference, by pairs; by games if no pair is complete; None without games.
        sprt: state of the test, if there is one.
        faults: games that each player lost by a fault.
        time_losses: games lost on time.
        late: answers of each player that came after its limit.
        late_ms: the maximum time by which each player exceeded its limit.
        reasons: number of games by the reason why they ended.
        different: number of different games, by colours and moves. Players that always answer alike repeat
            the same game from the same opening; `elo` counts every game, so its error is then too small.

    Example:
        >>> standing = bb.Standing.of([], None)
        >>> standing.wins, standing.draws, standing.losses
        (0, 0, 0)
    """

    wins: int
    draws: int
    losses: int
    pairs: tuple[int, ...]
    elo: EloEstimate | None
    sprt: SprtState | None
    faults: tuple[int, int]
    time_losses: int
    late: tuple[int, int]
    late_ms: tuple[int, int]
    reasons: dict[str, int]
    different: int

    @classmethod
    def of(cls, games: Iterable[MatchGame], sprt: Sprt | None) -> Standing:
        """Return the standing after these games.

        Example:
            >>> bb.Standing.of([], None).elo is None
            True
        """
        games = list(games)
        points = Counter(game.points for game in games)
        by_number = {game.number: game.points for game in games}
        both = [by_number[n] + by_number[n + 1] for n in by_number if n % 2 == 1 and n + 1 in by_number]
        pairs = tuple(both.count(total) for total in range(5))
        faulty = Counter(game.faulty_player for game in games)
        reasons = Counter(game.reason for game in games)
        late = [game.of_players(game.late) for game in games]
        late_ms = [game.of_players(game.late_ms) for game in games] or [(0, 0)]
        return cls(
            wins=points[2],
            draws=points[1],
            losses=points[0],
            pairs=pairs,
            elo=estimate_elo(pairs if both else (points[0], points[1], points[2])),
            sprt=None if sprt is None else sprt_state(sprt, pairs),
            faults=(faulty[0], faulty[1]),
            time_losses=reasons["time"],
            late=(sum(first for first, _ in late), sum(second for _, second in late)),
            late_ms=(max(first for first, _ in late_ms), max(second for _, second in late_ms)),
            reasons=dict(reasons.most_common()),
            different=len({(game.first_player, game.fen, game.moves) for game in games}),
        )

    @property
    def is_decided(self) -> bool:
        """Whether the test has ended the match.

        Example:
            >>> bb.Standing.of([], None).is_decided
            False
        """
        return self.sprt is not None and self.sprt.decision is not None


def played_games(options: MatchOptions, games: Iterable[MatchGame]) -> Iterator[PlayedGame]:
    """Yield the games of a match in the form that archives are written from."""
    names = [spec.name for spec in options.engines]
    for game in games:
        yield PlayedGame(
            game=options.game,
            event=f"{names[0]} - {names[1]}, {options.engines[0].limit} - {options.engines[1].limit}",
            date="????.??.??",
            number=game.number,
            first=names[game.first_player],
            second=names[1 - game.first_player],
            result=game.result,
            moves=game.moves,
            fen=game.fen,
            termination=game.reason,
            book=game.book,
        )
