"""Explanations in words: why a selection keeps or drops each move at a position."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bookbuilder.columns import values
from bookbuilder.games.position import PositionLike, as_position
from bookbuilder.games.ruling import RULES_KNOWN
from bookbuilder.selection.engine_view import OF_ENGINE
from bookbuilder.selection.engine_words import engine_words
from bookbuilder.selection.options import OF_EVALS, SelectionOptions
from bookbuilder.selection.position_verdict import position_before
from bookbuilder.selection.select import Selection
from bookbuilder.selection.settled import edits_in
from bookbuilder.selection.thresholds import Share, as_fraction
from bookbuilder.tally.moves_at import codes_by_stored
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder._core import Position

__all__ = ["explain", "reason_text", "verdict_on"]

# Kept rows were compared exactly; this figure is for people.
_ROUNDING: Final = 1e-9
_SHOWN: Final = (
    "wins",
    "draws",
    "losses",
    "p",
    "p_low",
    "p_high",
    "score",
    *OF_ENGINE,
    "quality",
    "kept",
    "reason",
)


def explain(tally: Tally, selection: Selection, position: PositionLike) -> pd.DataFrame:
    """Return the moves that were played at a position, and why a selection keeps each or not.

    Args:
        tally: the tally of the selection.
        selection: of either shape.
        position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.

    Returns:
        One row per move, most played first, novelties of changes by hand last: move (UCI or ICCS), san,
        played, share (of the games that moved on), reached; wins, draws, losses (of the side to move), p,
        p_low, p_high, score, engine, value, expected, quality, kept, reason of the selection; why, in words.

    Raises:
        FenError: the position is not valid in the tally's game.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> moves = bb.explain(tally, bb.select(tally, min_games=2, top=1), "startpos")
        >>> moves[["san", "kept", "reason"]].values.tolist()
        [['e4', True, ''], ['Nf3', False, 'below-games'], ['d4', False, 'below-games']]
    """
    import pandas as pd

    here = as_position(position, tally.game)
    moves: pd.DataFrame = tally.moves(here)[["move", "san", "code", "played", "reached"]]
    moves.insert(4, "share", moves["played"] / moves["played"].sum())
    by_hand = _by_hand(selection, here)
    novel = _novelties(here, set(by_hand) - set(moves["code"]), fold=selection.fold)
    moves = pd.concat(
        [moves, pd.DataFrame(novel, columns=moves.columns).astype(moves.dtypes)], ignore_index=True
    )
    rows = [
        _row(selection, here, code, text) for code, text in zip(moves["code"], moves["move"], strict=True)
    ]
    found = pd.DataFrame([{name: row.get(name) for name in _SHOWN} for row in rows], columns=list(_SHOWN))
    options = _options(selection)
    known = tally.rows_at(here)
    befores = [position_before(known, code) for code in moves["code"].tolist()]
    whys = [
        "kept by hand" if code in by_hand else reason_text({**row, **before.figures()}, options, here.side)
        for code, row, before in zip(moves["code"].tolist(), rows, befores, strict=True)
    ]
    if selection.origin is not None:
        played = [here.parse_move(text) for text in moves["move"]]
        said = engine_words(tally, selection.origin.options, here, played)
        whys = ["; ".join(filter(None, pair)) for pair in zip(whys, said, strict=True)]
    return pd.concat([moves.drop(columns="code"), found.assign(why=whys)], axis=1)


def _by_hand(selection: Selection, here: Position) -> frozenset[int]:
    """Return the codes of the moves that changes by hand keep at a position."""
    edits = edits_in(selection.recipe["selection"], selection.game)
    placed = {} if edits is None else edits.placed(fold=selection.fold)
    stored = here.stored(selection.fold)
    return frozenset(
        place.move for place, edit in placed.items() if edit.keep is True and place[:2] == stored
    )


def _novelties(here: Position, codes: Collection[int], *, fold: bool) -> list[dict[str, Any]]:
    """Return the rows of moves that no game played."""
    legal = codes_by_stored(here, fold=fold) if codes else {}
    return [
        {
            "move": here.coordinates(legal[code]),
            "san": here.san(legal[code]),
            "code": code,
            **dict.fromkeys(("played", "share", "reached"), 0),
        }
        for code in sorted(codes)
    ]


def verdict_on(selection: Selection, position: Position) -> dict[str, Any] | None:
    """Return the row of a position in a selection of positions; None if there is none."""
    return _find(selection, *position.stored(selection.fold))


def _row(selection: Selection, here: Position, code: int, text: str) -> dict[str, Any]:
    if selection.shape == "moves":
        found = _find(selection, *here.stored(selection.fold), code)
    else:
        found = verdict_on(selection, here.play(here.parse_move(text)))
    return found or {"kept": False, "reason": "unreachable"}


def _find(selection: Selection, key: int, lock: int, code: int | None = None) -> dict[str, Any] | None:
    table = selection.table
    keys = values(table.column("key"))
    first, end = (int(np.searchsorted(keys, np.uint64(key), side)) for side in ("left", "right"))
    for row in table.slice(first, end - first).to_pylist():
        if row["lock"] == lock and code in (None, row.get("move")):
            return dict(row)
    return None


def _options(selection: Selection) -> SelectionOptions:
    # A recipe cannot name a user's own formula or judge, and no explanation needs it.
    off = ("quality", "evals", "edits", *OF_EVALS)
    known = {**selection.recipe["selection"], **dict.fromkeys(off)}
    if known.get("repetition") not in RULES_KNOWN:
        known["repetition"] = None
    return SelectionOptions.from_json(known)


def reason_text(row: Mapping[str, Any], options: SelectionOptions, side: int) -> str:
    """Return the basis of a verdict in words.

    Args:
        row: of a selection's table, with its verdict, and the figures of `rules.Before`.
        options: of the selection.
        side: side that made the move, 0 first, 1 second.
    """
    reason, own = row["reason"], options.of_side(side)
    if reason == "beyond-ply":
        return f"stands after {row['ply']} plies, expected at most {options.max_ply}"
    if reason == "repetition":
        return f"its side would lose a perpetual by it ({options.repetition or 'own judge'})"
    if reason == "unreachable" and options.connected:
        return "kept moves do not lead to it"
    if reason not in _TEXTS:
        return f"dropped by your own rule: {reason}"
    return _TEXTS[reason](row, own)


def _games(row: Mapping[str, Any]) -> int:
    games: int = row.get("reached", row.get("played"))
    return games


def _kept(row: Mapping[str, Any], own: SelectionOptions) -> str:
    """Return how a kept move meets the rules, besides its number of games."""
    by_p = as_fraction(own.min_win_rate) > 0 or (own.min_share is None and own.margin is None)
    parts = [_about_p(row, own)] if by_p else []
    if own.min_score is not None and row["score"] is not None:
        parts.append(f"score {_percent(row['score'])} ≥ {_percent(own.min_score)}")
    if own.min_share is not None and own.margin is None:
        is_enough = row["share"] >= own.min_share
        share = f"{_percent(row['share'])} of the moves here ≥ {_percent(own.min_share)}"
        parts.append(share if is_enough else "another move that leads there has its share")
    if own.margin is not None:
        parts.append(_about_margin(row, own))
    return ", ".join(parts)


def _about_margin(row: Mapping[str, Any], own: SelectionOptions) -> str:
    """Return how a move stands against the P, the score or the performance of its position."""
    name, of = "P" if own.by == "p" else own.by, row[f"of_{own.by}"]
    decisive = row["wins"] + row["losses"]
    games = {"p": decisive, "score": decisive + row["draws"], "performance": row["paired"] or 0}[own.by]
    if of is None:
        return f"{name} of the position is undefined"
    drawn = ((row[own.by] or 0.0) * games + own.prior * of) / max(games + own.prior, 1)
    limit = of - float(as_fraction(own.margin or 0))
    if row["kept"] and drawn < limit - _ROUNDING:
        return "another move that leads there holds the margin"
    sign = "<" if row["reason"] == "below-margin" else "≥"
    return f"{name} with prior {100 * drawn:.1f} % {sign} {100 * of:.1f} % - {_percent(own.margin)}"


def _about_p(row: Mapping[str, Any], own: SelectionOptions) -> str:
    wins, decisive = row["wins"], row["wins"] + row["losses"]
    if not decisive:
        return "P is undefined: no game was won or lost"
    sign = "≥" if row["kept"] else "<"
    bound = f", at least {_percent(row['p_low'])} (95 %)" if own.confident else ""
    return f"P = {wins:,}/{decisive:,} = {_percent(row['p'])}{bound} {sign} {_percent(own.min_win_rate)}"


def _percent(value: Share | None) -> str:
    return "–" if value is None else f"{100 * float(value):.4g} %"


_TEXTS: Final[Mapping[str, Callable[[Mapping[str, Any], SelectionOptions], str]]] = {
    "": _kept,
    "below-p": _about_p,
    "below-games": lambda row, own: f"{_games(row):,} < {own.min_games:,} games",
    "undefined-p": lambda row, _: f"no winner, games drawn: {_games(row):,}",
    "below-score": lambda row, own: f"score {_percent(row['score'])} < {_percent(own.min_score)}",
    "below-share": lambda row, own: f"{_percent(row['share'])} of the moves here < {_percent(own.min_share)}",
    "below-margin": _about_margin,
    "engine-veto": lambda *_: "loses too much by two searches",
    "below-value": lambda row, _: f"its backed-up value, {row['value']:+.0f} cp, is too low here",
    "by-hand": lambda _, __: "dropped by hand",
    "not-top": lambda _, own: f"not among the {own.top} best of the moves that pass",
    "root": lambda *_: "a game began with it: no move leads to it",
    "side": lambda *_: "the other side's move",
    "unreachable": lambda *_: "no counted move leads to it from the start position",
}
