"""The moves of a source at a position: one shape of facts, whatever the source.

Names and numbers are as in `bookbuilder show --json`. Results count the games that played the move here.
The verdict is on the next position, by all games that reached it; `judged` has the counts that it used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from bookbuilder._core import Position, Referee, notations
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.merge import counted_differences
from bookbuilder.explorer.query import Place
from bookbuilder.explorer.sources import Source, StoreSource
from bookbuilder.games.line import coordinate_moves, move_words
from bookbuilder.games.openings import Opening, openings_of
from bookbuilder.games.position import as_game, known_position
from bookbuilder.selection.by_hand import MoveEdit
from bookbuilder.selection.explain import reason_text
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.verdicts import judge_moves_at
from bookbuilder.tally.moves_at import codes_by_stored, played_rows

if TYPE_CHECKING:
    from bookbuilder.book.reach import Reach

RESULTS: Final = ("first_wins", "draws", "second_wins")
"""Names of the counts of results."""
_RATIOS: Final = ("p", "p_low", "p_high", "score")
_OF_PLAYERS: Final = ("rating", "year_min", "year_max", "paired", "performance")
_JUDGED: Final = ("reached", "wins", "draws", "losses", *_RATIOS)


@dataclass(frozen=True, kw_only=True)
class MoveFacts:
    """What a source knows of a move, under the names of the answers. None = it does not store that."""

    move: str  # in coordinates
    names: Mapping[str, str]  # in every notation of its game
    san: str
    fen_after: str
    opening: Mapping[str, str | int] | None  # that it leads to
    played: int | None = None  # games that played it here
    share: float | None = None  # of these games; in a book of moves, of the weights
    reached: int | None = None  # games that reached the position after it
    weight: int | None = None  # in a book of moves
    first_wins: int | None = None
    draws: int | None = None
    second_wins: int | None = None
    unknown: int | None = None  # games without a known result
    p: float | None = None  # W / (W + L) of the side to move, with its 95 % interval
    p_low: float | None = None
    p_high: float | None = None
    score: float | None = None  # (W + D/2) / N
    rating: float | None = None  # mean known rating of the players
    year_min: int | None = None
    year_max: int | None = None
    paired: int | None = None  # games between rated players, and the score corrected for ratings
    performance: float | None = None
    kept: bool = True  # by a book with the rules; books keep all their moves
    reason: str = ""  # why not, as a word and in words
    reason_text: str = "a move of the book"
    quality: int | None = None  # 0 to 31
    judged: Mapping[str, int | float | None] | None = None
    sample: str | None = None  # id of a game
    edit: Mapping[str, Any] | None = None  # the change by hand


def known_place(source: Source, place: Place) -> Place:
    """Return the place or, at a FEN that the source does not have, another position that the FEN may mean."""

    def is_known(here: Position) -> bool:
        if isinstance(source, StoreSource):
            return bool(source.rows_at(*here.stored(source.fold)))
        return bool(source.book.move_rows(here))

    here = place.here if place.codes else known_position(place.here, is_known)
    return place if here is place.here else Place(positions=(here,), codes=())


def known_moves(source: Source, here: Position, chosen: SelectionOptions) -> list[MoveFacts]:
    """Return the moves of a source at a position, most played (in a book: most reached) first.

    The selection judges moves of a store; a book keeps all its moves.
    """
    if isinstance(source, StoreSource):
        return _store_moves(source, here, chosen)
    return [_book_move(here, row) for row in source.book.move_rows(here)]


def _move(here: Position, code: int, **facts: Any) -> MoveFacts:  # noqa: ANN401 (fields of MoveFacts)
    after = here.play(code)
    opening = openings_of(as_game(here.game)).name_of(after)
    return MoveFacts(
        move=here.coordinates(code),
        names=names_of(here, code),
        san=here.san(code),
        fen_after=after.fen,
        opening=opening and opening.to_json(),
        **facts,
    )


def _store_moves(source: StoreSource, here: Position, chosen: SelectionOptions) -> list[MoveFacts]:
    known = source.rows_at(*here.stored(source.fold))
    rows = {row.move: row for row in known if row.move}

    def counts_at(positions: Sequence[Position]) -> list[list[int]]:
        found = (source.rows_at(*position.stored(source.fold)) for position in positions)
        return [[sum(getattr(row, name) for row in each) for name in ("games", *RESULTS)] for each in found]

    played = played_rows(here, list(rows.values()), counts_at, fold=source.fold)
    codes = {each["code"]: here.parse_move(each["move"]) for each in played}
    after = {stored: source.rows_at(*here.play(code).stored(source.fold)) for stored, code in codes.items()}
    chosen = chosen.resolved(source.game, source.store.game_count)
    verdicts = judge_moves_at(
        known,
        after,
        chosen,
        newest_year=source.store.newest_year,
        has_results=source.store.manifest.has_results,
    )
    total = sum(each["played"] for each in played)
    by_hand = {} if chosen.edits is None else source.by_hand.at(*here.stored(source.fold))
    too_deep = f"the store counts positions after at most {source.max_ply} plies"
    moves = []
    for each in played:
        row = rows[stored := each["code"]]
        verdict: dict[str, Any] = {"kept": False, "reason": "beyond-ply", "reason_text": too_deep}
        if (judged := verdicts[stored]) is not None:
            verdict = {name: judged[name] for name in ("kept", "reason", "quality")}
            verdict["reason_text"] = reason_text(judged, chosen, here.side)
            verdict["judged"] = {name: judged[name] for name in _JUDGED}
        move = _move(
            here,
            codes[stored],
            played=row.games,
            share=row.games / total,
            reached=each["reached"],
            unknown=row.games - row.first_wins - row.draws - row.second_wins,
            sample=f"{row.sample:016x}" if row.sample else None,
            **{name: each[name] for name in (*RESULTS, *_RATIOS, *_OF_PLAYERS)},
            **verdict,
        )
        moves.append(_edited(move, by_hand[stored]) if stored in by_hand else move)
    novel = {code: edit for code, edit in by_hand.items() if edit.keep is True and code not in rows}
    legal = codes_by_stored(here, fold=source.fold) if novel else {}
    nothing: dict[str, Any] = dict.fromkeys(("played", "reached", "unknown", *RESULTS), 0)
    moves += [_edited(_move(here, legal[code], **nothing, share=0.0), edit) for code, edit in novel.items()]
    return moves


def _edited(move: MoveFacts, edit: MoveEdit) -> MoveFacts:
    """Return a move after a change by hand."""
    change = {name: getattr(edit, name) for name in ("keep", "quality", "mark", "comment")}
    move = replace(move, edit=change, quality=move.quality if edit.quality is None else edit.quality)
    if edit.keep is True:
        return replace(move, kept=True, reason="", reason_text="kept by hand")
    if edit.keep is False:
        return replace(move, kept=False, reason="by-hand", reason_text="dropped by hand")
    return move


def _book_move(here: Position, row: Mapping[str, Any]) -> MoveFacts:
    """Return a move of a book, which stores games, results and weights or not."""
    names = ("played", "reached", "weight", "quality", *RESULTS, *_RATIOS)
    facts: dict[str, Any] = {name: row.get(name) for name in names}
    games = row.get("played", row.get("reached"))
    if games is not None and facts["draws"] is not None:
        facts["unknown"] = max(games - sum(facts[name] for name in RESULTS), 0)
        facts["judged"] = {**{name: row.get(name) for name in _JUDGED}, "reached": games}
    return _move(here, row["code"], share=row["share"] if facts["weight"] else None, **facts)


def names_of(position: Position, code: int) -> dict[str, str]:
    """Return a legal move in every notation of its game."""
    return {name: position.format_move(code, name) for name in notations(position.game)}


def names_along(here: Position, line: Iterable[str]) -> list[dict[str, str]]:
    """Return the names of each move of a line."""
    names, played = notations(here.game), Referee(here.game, here.fen, coordinate_moves(here, line))
    return [dict(zip(names, texts, strict=True)) for texts in zip(*map(played.moves, names), strict=True)]


def named_reach(reach: Reach) -> dict[str, Any]:
    """Return the reach of a book as JSON data; its lines and replies have names in every notation."""
    data = reach.to_json()
    for part in (*data["branches"], *data["gaps"], *data["lacking"]):
        part["line_names"] = names_along(Position(reach.game), move_words(part["line"]))
    for branch in data["branches"]:
        line = move_words(branch["line"])
        for reply in branch["replies"]:
            reply["names"] = names_along(Position(reach.game), [*line, reply["move"]])[-1]
    return data


def named_difference(before: MoveBook, after: MoveBook, rows: int) -> dict[str, Any]:
    """Return how two books differ: the number of moves, and the heaviest ones with names of their lines."""
    found = counted_differences(before, after, rows)
    for row in found["differences"]:
        row["line_names"] = names_along(Position(after.game), move_words(row["line"]))
    return found


def opening_on(place: Place) -> Opening | None:
    """Return the last opening on the line to a position, None without one."""
    openings = openings_of(as_game(place.here.game))
    named = (openings.name_of(position) for position in reversed(place.positions))
    return next((found for found in named if found is not None), None)
