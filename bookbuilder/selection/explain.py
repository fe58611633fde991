"""Explanations: a selection and a position in; each move there with its verdict, and why, in words, out."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bookbuilder.games.position import PositionLike, as_position
from bookbuilder.games.ruling import RULES_KNOWN
from bookbuilder.selection.options import Rules, SelectionOptions
from bookbuilder.selection.select import Selection
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder._core import Position

__all__ = ["explain", "reason_text", "verdict_on"]

_SHOWN: Final = ("wins", "draws", "losses", "p", "p_low", "p_high", "score", "quality", "kept", "reason")


def explain(tally: Tally, selection: Selection, position: PositionLike) -> pd.DataFrame:
    """Return what was played from a position, and why a selection keeps it or not, most played first.

    Args:
        tally: the tally that the selection was made from.
        selection: of either shape.
        position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.

    Returns:
        One row per move: move (UCI or ICCS), san; played, share (of the games that moved on), reached; then
        of the selection's row wins, draws, losses (of the side to move), p, p_low, p_high, score, quality,
        kept, reason; and why, in words.

    Raises:
        FenError: the position is not one of the tally's game.
    """
    import pandas as pd

    here = as_position(position, tally.game)
    moves = tally.moves(here)[["move", "san", "code", "played", "reached"]]
    moves.insert(4, "share", moves["played"] / moves["played"].sum())
    rows = [
        _row(selection, here, code, text) for code, text in zip(moves["code"], moves["move"], strict=True)
    ]
    found = pd.DataFrame([{name: row.get(name) for name in _SHOWN} for row in rows], columns=list(_SHOWN))
    options = _options(selection)
    whys = [
        reason_text({**row, "share": share}, options, here.side)
        for row, share in zip(rows, moves["share"].tolist(), strict=True)
    ]
    return pd.concat([moves.drop(columns="code"), found.assign(why=whys)], axis=1)


def verdict_on(selection: Selection, position: Position) -> dict[str, Any] | None:
    """Return the row of a selection of positions about this one; None if it has none."""
    return _find(selection, *position.stored(selection.fold))


def _row(selection: Selection, here: Position, code: int, text: str) -> dict[str, Any]:
    if selection.shape == "moves":
        found = _find(selection, *here.stored(selection.fold), code)
    else:
        found = verdict_on(selection, here.play(here.parse_move(text)))
    return found or {"kept": False, "reason": "unreachable"}


def _find(selection: Selection, key: int, lock: int, code: int | None = None) -> dict[str, Any] | None:
    table = selection.table
    keys = table.column("key").to_numpy()
    first, end = (int(np.searchsorted(keys, np.uint64(key), side)) for side in ("left", "right"))
    for row in table.slice(first, end - first).to_pylist():
        if row["lock"] == lock and code in (None, row.get("move")):
            return dict(row)
    return None


def _options(selection: Selection) -> SelectionOptions:
    # A formula or a judge of the user's own cannot be named, and no verdict is told by it.
    known = {**selection.recipe["selection"], "quality": None}
    if known.get("repetition") not in RULES_KNOWN:
        known["repetition"] = None
    return SelectionOptions.from_json(known)


def reason_text(row: Mapping[str, Any], options: SelectionOptions, side: int) -> str:
    """Return in words what a verdict is based on.

    Args:
        row: of a selection's table, with its verdict and, beside it, `share`: that of the move among those of
            its position.
        options: those of the selection.
        side: who made the move, 0 first, 1 second.
    """
    rules = options.rules_of(side)
    games = row.get("reached", row.get("played"))
    reason = row["reason"]
    if reason == "below-games":
        return f"{games:,} < {rules.min_games:,} games"
    if reason == "":
        return _kept(row, rules)
    if reason == "below-p":
        return _about_p(row, rules)
    if reason == "undefined-p":
        return f"nobody won any of {games:,} games"
    if reason == "below-score":
        return f"score {_percent(row['score'])} < {_percent(rules.min_score)}"
    if reason == "below-share":
        return f"{_percent(row['share'])} of the moves here < {_percent(rules.min_share)}"
    if reason == "not-top":
        return f"not among the {rules.top} best of the moves that pass"
    if reason == "beyond-ply":
        return f"stands after {row['ply']} plies, expected at most {options.max_ply}"
    if reason == "repetition":
        return f"its side would lose a perpetual by it ({options.repetition or 'own judge'})"
    if reason == "unreachable" and options.connected:
        return "kept moves do not lead to it"
    return _OTHERS[reason]


_OTHERS: Final = {
    "root": "a game began with it: no move leads to it",
    "side": "the other side's move",
    "unreachable": "no counted move leads to it from the start position",
}


def _kept(row: Mapping[str, Any], rules: Rules) -> str:
    """Say what a kept move has, of what the rules ask for beside a number of games."""
    told = [_about_p(row, rules)] if rules.min_win_rate > 0 or not rules.min_share else []
    if rules.min_score is not None and row["score"] is not None:
        told.append(f"score {_percent(row['score'])} ≥ {_percent(rules.min_score)}")
    if rules.min_share is not None:
        is_enough = row["share"] >= rules.min_share
        share = f"{_percent(row['share'])} of the moves here ≥ {_percent(rules.min_share)}"
        told.append(share if is_enough else "another move that leads there has its share")
    return ", ".join(told)


def _about_p(row: Mapping[str, Any], rules: Rules) -> str:
    wins, decisive = row["wins"], row["wins"] + row["losses"]
    if not decisive:
        return "P is undefined: no game was won or lost"
    sign = "≥" if row["kept"] else "<"
    bound = f", at least {_percent(row['p_low'])} (95 %)" if rules.confident else ""
    return f"P = {wins:,}/{decisive:,} = {_percent(row['p'])}{bound} {sign} {_percent(rules.min_win_rate)}"


def _percent(value: float | Fraction | None) -> str:
    return "–" if value is None else f"{100 * float(value):.4g} %"
