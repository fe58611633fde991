"""The moves of a source at a position, each with counts and verdict.

Names and numbers are as in `bookbuilder show --json`. Results count the games that played the move here.
The verdict is on the next position, by all games that reached it; `judged` has the counts that it used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.explorer.listed_source import ListedSource
from bookbuilder.explorer.query import Place
from bookbuilder.explorer.sources import BookSource, Source, StoreSource
from bookbuilder.games.openings import Opening, openings_of
from bookbuilder.games.position import as_game
from bookbuilder.ratios import result_figures
from bookbuilder.selection.by_hand import MoveEdit
from bookbuilder.selection.explain import reason_text
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.verdicts import judge_moves_at
from bookbuilder.tally.moves_at import codes_by_stored, played_rows
from bookbuilder.tally.rows import TallyRow

if TYPE_CHECKING:
    from bookbuilder._core import Position, Record

__all__ = ["ended_here", "known_moves", "names_of", "opening_json", "opening_on"]

_JUDGED: Final = ("reached", "wins", "draws", "losses", "p", "p_low", "p_high", "score")
_COUNTS: Final = ("first_wins", "draws", "second_wins")
_RATED: Final = ("rating", "year_min", "year_max", "marks", "paired", "performance")
_RATIOS: Final = ("p", "p_low", "p_high", "score")


def known_moves(source: Source, here: Position, chosen: SelectionOptions) -> list[dict[str, Any]]:
    """Return the moves of a source at a position, most played (in a book: most used) first.

    Args:
        source: a store or a book.
        here: the position.
        chosen: the selection that judges moves of a store; a book keeps all its moves.

    Raises:
        StoreError: the store is damaged.
    """
    if isinstance(source, BookSource):
        return _book_moves(source, here)
    if isinstance(source, ListedSource):
        return [_move(here, row["code"], _listed_facts(row)) for row in source.book.move_rows(here)]
    return _store_moves(source, here, chosen)


def names_of(position: Position, code: int) -> dict[str, str]:
    """Return a legal move in every notation of its game."""
    return {name: position.format_move(code, name) for name in _NOTATIONS[position.game]}


_NOTATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "chess": ("san", "uci"),
    "xiangqi": ("wxf", "chinese", "chinese-traditional", "iccs", "uci"),
}


def opening_json(opening: Opening | None) -> dict[str, str | int] | None:
    """Return an opening as JSON data."""
    return None if opening is None else opening.to_json()


def opening_on(place: Place) -> Opening | None:
    """Return the last opening on the line to a position, None without one."""
    openings = openings_of(as_game(place.here.game))
    named = (openings.name_of(position) for position in reversed(place.positions))
    return next((found for found in named if found is not None), None)


def _move(here: Position, code: int, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a move with the facts that every source has."""
    after = here.play(code)
    return {
        "move": here.coordinates(code),
        "names": names_of(here, code),
        "san": here.san(code),
        "edit": None,
        **facts,
        "opening": opening_json(openings_of(as_game(here.game)).name_of(after)),
        "fen_after": after.fen,
    }


def _store_moves(source: StoreSource, here: Position, chosen: SelectionOptions) -> list[dict[str, Any]]:
    known = source.rows_at(*here.stored(source.fold))
    rows = {row.move: row for row in known if row.move}

    def counts_at(positions: Sequence[Position]) -> list[list[int]]:
        found = (source.rows_at(*position.stored(source.fold)) for position in positions)
        names = ("games", *_COUNTS)
        return [[sum(getattr(row, name) for row in each) for name in names] for each in found]

    played = played_rows(here, list(rows.values()), counts_at, fold=source.fold)
    codes = [here.parse_move(each["move"]) for each in played]
    after = {
        each["code"]: source.rows_at(*here.play(code).stored(source.fold))
        for each, code in zip(played, codes, strict=True)
    }
    chosen = chosen.resolved(here.game, source.store.game_count)
    verdicts = judge_moves_at(known, after, chosen, newest_year=source.store.newest_year)
    total = sum(each["played"] for each in played)
    by_hand = {} if chosen.edits is None else source.by_hand.at(*here.stored(source.fold))
    moves = []
    for each, code in zip(played, codes, strict=True):
        verdict = _verdict_json(source, verdicts[each["code"]], chosen, here.side)
        facts = _played_facts(rows[each["code"]], each, total) | verdict
        edit = by_hand.get(each["code"])
        moves.append(_move(here, code, facts if edit is None else {**facts, **_edited(edit)}))
    novel = {code: edit for code, edit in by_hand.items() if edit.keep is True and code not in rows}
    return [*moves, *_novelties(here, novel, fold=source.fold)]


def _played_facts(row: TallyRow, figures: Mapping[str, Any], total: int) -> dict[str, Any]:
    """Return the facts of a move that games played, without the verdict; `total` games moved on from here."""
    return {
        "played": row.games,
        "share": float(Fraction(row.games, total) if total else Fraction(0)),
        "reached": figures["reached"],
        **{name: figures[name] for name in _COUNTS},
        "unknown": row.games - row.first_wins - row.draws - row.second_wins,
        **{name: figures[name] for name in (*_RATIOS, *_RATED)},
        "sample": f"{row.sample:016x}" if row.sample else None,
        "usage": None,
        "flags": None,
    }


def _novelties(here: Position, edits: Mapping[int, MoveEdit], *, fold: bool) -> Iterator[dict[str, Any]]:
    """Yield the moves that no game played, and changes by hand add."""
    legal = codes_by_stored(here, fold=fold) if edits else {}
    for code, edit in edits.items():
        facts = {
            **dict.fromkeys(("played", "reached", "unknown", *_COUNTS), 0),
            "share": 0.0,
            **dict.fromkeys((*_RATIOS, "quality", "judged", *_RATED, "sample", "usage", "flags")),
            **_edited(edit),
        }
        yield _move(here, legal[code], facts)


def _edited(edit: MoveEdit) -> dict[str, Any]:
    """Return what a change by hand says of a move."""
    told = {name: getattr(edit, name) for name in ("keep", "quality", "mark", "comment")}
    verdicts = {
        True: {"kept": True, "reason": "", "reason_text": "kept by hand"},
        False: {"kept": False, "reason": "by-hand", "reason_text": "dropped by hand"},
    }
    quality = {} if edit.quality is None else {"quality": edit.quality}
    return {"edit": told, **quality, **(verdicts[edit.keep] if isinstance(edit.keep, bool) else {})}


def _verdict_json(
    source: StoreSource, row: Mapping[str, Any] | None, options: SelectionOptions, side: int
) -> dict[str, Any]:
    """Return the verdict on a move as JSON data."""
    if row is None:
        limit = source.options.max_ply
        return {
            "kept": False,
            "reason": "beyond-ply",
            "reason_text": f"the store counts positions after at most {limit} plies",
            "quality": None,
            "judged": None,
        }
    return {
        "kept": row["kept"],
        "reason": row["reason"],
        "reason_text": reason_text(row, options, side),
        "quality": row["quality"],
        "judged": {name: row[name] for name in _JUDGED},
    }


def _book_moves(source: BookSource, here: Position) -> list[dict[str, Any]]:
    codes = codes_by_stored(here, fold=source.fold).values()
    found = [(code, source.book.native.probe_position(here.play(code))) for code in codes]
    records = [(code, record) for code, record in found if record is not None]
    records.sort(key=lambda each: (-each[1].usage, each[0]))
    return [_move(here, code, _book_facts(record, first_moves=here.side == 0)) for code, record in records]


def _book_facts(record: Record, *, first_moves: bool) -> dict[str, Any]:
    results: dict[str, Any] = dict.fromkeys((*_COUNTS, *_RATIOS))
    unknown = judged = None
    if record.wins is not None and record.draws is not None and record.losses is not None:
        figures = result_figures(record.wins, record.draws, record.losses, first_moves=first_moves)
        told = {**figures, "reached": record.usage}
        results = {name: told[name] for name in results}
        unknown = max(record.usage - record.wins - record.draws - record.losses, 0)
        judged = {name: told[name] for name in _JUDGED}
    return {
        "played": None,
        "share": None,
        "reached": record.usage,
        **{name: results[name] for name in _COUNTS},
        "unknown": unknown,
        **{name: results[name] for name in _RATIOS},
        "kept": True,
        "reason": "",
        "reason_text": "a record of the book",
        "quality": record.quality,
        "judged": judged,
        **dict.fromkeys((*_RATED, "sample")),
        "usage": record.usage,
        "flags": {
            "first_win": record.seen_first_win,
            "draw": record.seen_draw,
            "second_win": record.seen_second_win,
        },
    }


def _listed_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a move that a book of another format stores; the others are None."""
    counts: dict[str, Any] = {name: row.get(name) for name in _COUNTS}
    games = row.get("played", row.get("reached"))
    is_known = games is not None and counts["draws"] is not None
    return {
        "played": row.get("played"),
        "share": row["share"] if row["weight"] else None,
        "reached": row.get("reached"),
        "weight": row["weight"],
        **counts,
        "unknown": max(games - sum(counts.values()), 0) if is_known else None,
        **{name: row.get(name) for name in _RATIOS},
        "kept": True,
        "reason": "",
        "reason_text": "a move of the book",
        "quality": row.get("quality"),
        "judged": {**{name: row.get(name) for name in _JUDGED}, "reached": games} if is_known else None,
        **dict.fromkeys((*_RATED, "sample")),
        "usage": None,
        "flags": None,
    }


def ended_here(rows: Sequence[TallyRow], max_ply: int | None) -> dict[str, Any]:
    """Return the games without a move here: they ended, or reached the ply limit of the store."""
    last = [row for row in rows if row.move == 0]
    ply = min((row.ply for row in rows), default=0)
    return {
        "games": sum(row.games for row in last),
        **{name: sum(getattr(row, name) for row in last) for name in _COUNTS},
        "may_go_on": max_ply is not None and ply <= max_ply and (max_ply - ply) % 2 == 0,
    }
