"""Explanations in words: why a selection keeps or drops each move at a position."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import isnan, sqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bookbuilder.columns import values
from bookbuilder.errors import OptionError
from bookbuilder.games.position import PositionLike, as_position
from bookbuilder.games.ruling import RULES_KNOWN
from bookbuilder.keywords import require_kind
from bookbuilder.ratios import Share, as_fraction
from bookbuilder.selection.by_hand import edits_in
from bookbuilder.selection.candidates import candidates_of_rows
from bookbuilder.selection.criteria import Criteria
from bookbuilder.selection.engine import OF_ENGINE, engine_words
from bookbuilder.selection.options import OF_EVALS, PRIOR_GAMES, SelectionOptions
from bookbuilder.selection.quality import criterion_factors, power_of, worth_of
from bookbuilder.selection.select import Selection
from bookbuilder.selection.verdicts import MAIN_SHARE, move_standing, moves_before, needed_games
from bookbuilder.tally.moves_at import codes_by_stored
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder._core import Position

_BOUND_Z: Final = 1.6448536269514722
"""One-sided 95 % quantile of the normal distribution."""
_EVEN: Final = 0.005
"""A factor this close to 1 changes nothing that can be seen."""
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


def explain(
    tally: Tally, selection: Selection, position: PositionLike, *, notation: str | None = None
) -> pd.DataFrame:
    """Return the moves that were played at a position, and why a selection keeps each or not.

    Args:
        tally: the tally of the selection.
        selection: of either shape.
        position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.
        notation: of the moves in why; None: SAN in chess, ICCS in xiangqi.

    Returns:
        One row per move, most played first, novelties of changes by hand last: move (UCI or ICCS), san,
        played, share (of the games that moved on), reached; wins, draws, losses (of the side to move), p,
        p_low, p_high, score, engine, value, expected, quality, kept, reason of the selection; why, in words.

    Raises:
        FenError: the position is not valid in the tally's game.
        OptionError: the tally or the selection is of another class, or one is not of the other.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> moves = bb.explain(tally, bb.select(tally, min_games=2, top=1), "startpos")
        >>> moves[["san", "kept", "reason"]].values.tolist()
        [['e4', True, ''], ['Nf3', False, 'below-games'], ['d4', False, 'below-games']]
    """
    import pandas as pd

    require_kind("explain", tally, Tally)
    require_kind("explain", selection, Selection)
    if (selection.game, selection.fold) != (tally.game, tally.options.fold):
        raise OptionError(f"explain: {selection} is not of {tally}: select from that tally")
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
    standing = _standing(tally, here, moves["code"].tolist(), selection)
    whys = [
        "kept by hand" if code in by_hand else reason_text({**row, **standing[code]}, options, here.side)
        for code, row in zip(moves["code"].tolist(), rows, strict=True)
    ]
    kept = [
        code for code, row in zip(moves["code"], rows, strict=True) if row["kept"] and code not in by_hand
    ]
    weights = _weights(tally, here, kept, selection)
    told = zip(whys, map(weights.get, moves["code"]), strict=True)
    whys = ["; ".join(filter(None, pair)) for pair in told]
    if (evidence := selection.evidence) is not None:
        played = [here.parse_move(text) for text in moves["move"]]
        notation = notation or ("san" if here.game == "chess" else "iccs")
        said = engine_words(tally, evidence, options.least_games, here, played, notation)
        whys = ["; ".join(filter(None, pair)) for pair in zip(whys, said, strict=True)]
    return pd.concat([moves.drop(columns="code"), found.assign(why=whys)], axis=1)


def _standing(
    tally: Tally, here: Position, codes: Collection[int], selection: Selection
) -> dict[int, dict[str, float | None]]:
    """Return share and expected P of each move; None = undefined."""
    rows = {row.move: [row] for row in tally.rows_at(here)}
    if selection.shape == "positions":
        legal = codes_by_stored(here, fold=selection.fold)
        rows = {code: tally.rows_at(here.play(legal[code])) for code in rows if code}
    known = [code for code in codes if rows.get(code)]
    found: dict[int, dict[str, float | None]] = {code: {"share": 0.0, "expected_p": None} for code in codes}
    if known:
        c = candidates_of_rows([row for code in known for row in rows[code]], selection.shape)
        columns = move_standing(c, moves_before(tally.rows_at(here), known))
        for place, code in enumerate(known):
            figures = {name: float(column[place]) for name, column in columns.items()}
            found[code] = {name: None if isnan(figure) else figure for name, figure in figures.items()}
    return found


def _weights(tally: Tally, here: Position, kept: Collection[int], selection: Selection) -> dict[int, str]:
    """Return how often a book of moves plays each kept move, and what each criterion does to its weight.

    Each factor compares the move with the heaviest one.
    """
    rows = [row for row in tally.rows_at(here) if row.move]
    at = {row.move: place for place, row in enumerate(rows)}
    places = [at[code] for code in kept if code in at]
    options = _options(selection)
    power, criteria = options.sharpen, Criteria.of(options.criteria)
    if not power or not places or selection.recipe["selection"]["evals"]:
        return {}
    c = candidates_of_rows(rows, "moves")
    newest = int(tally.column("year_max").max()) if criteria.date else None
    worth = worth_of(c, criteria, newest)[places]
    if not worth.any():
        return {}
    weight = power_of(worth / worth.max(), power)
    top = places[int(worth.argmax())]
    found = {}
    for place, share in zip(places, weight / weight.sum(), strict=True):
        factors = criterion_factors(c, criteria, newest).items()
        by = {name: (factor[place] / factor[top]) ** power for name, factor in factors}
        said = ", ".join(f"{name} {_factor(times)}" for name, times in by.items() if abs(times - 1) > _EVEN)
        found[rows[place].move] = f"weight {_percent(share)}" + (f" ({said})" if said else "")
    return found


def _factor(times: float) -> str:
    """Return a factor as people read it: ×1.4, ×230, or ÷22,000."""
    if 0 < times < 0.1:
        return f"÷{1 / times:,.0f}"
    return f"×{times:.2g}" if times < 10 else f"×{times:,.0f}"


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
    """Return the basis of a verdict in words, with its numbers.

    The row is one of a selection's table, with share and expected_p of `MoveVerdict`. The side, 0 first, 1
    second, made the move.
    """
    reason, own = row["reason"], options.of_side(side)
    games = row.get("reached", row.get("played"))
    words: dict[str, Callable[[], str]] = {
        "below-games": lambda: (
            f"{games:,} < {needed_games(own.min_games, np.array([row['ply']])).item():,} games"
        ),
        "below-p": lambda: _about_p(row, own),
        "below-score": lambda: _compared("score", row["score"], "<", own.min_score),
        "below-share": lambda: _compared("share", row["share"], "<", own.min_share),
        "proved-worse": lambda: _about_margin(row, own),
        "engine-veto": lambda: "loses too much by two searches",
        "below-value": lambda: f"its backed-up value, {row['value']:+.0f} cp, is too low here",
        "not-top": lambda: f"not among the {own.top} best of the moves that pass",
        "by-hand": lambda: "dropped by hand",
        "root": lambda: "a game began with it: no move leads to it",
        "beyond-ply": lambda: f"stands after {row['ply']} plies, expected at most {options.max_ply}",
        "repetition": lambda: f"its side would lose a perpetual by it ({options.repetition or 'own judge'})",
        "unreachable": lambda: (
            "kept moves do not lead to it"
            if options.connected
            else "kept moves of its side do not lead to it"
            if options.margin is not None
            else "no counted move leads to it from the start position"
        ),
    }
    if not reason:
        return _kept(row, own)
    return words[reason]() if reason in words else f"dropped by your own rule: {reason}"


def _kept(row: Mapping[str, Any], own: SelectionOptions) -> str:
    """Return how a kept move meets the rules, besides its number of games."""
    by_p = as_fraction(own.min_win_rate) > 0 or (own.min_share is None and own.margin is None)
    parts = [_about_p(row, own)] if by_p else []
    if own.min_score is not None and row["score"] is not None:
        parts.append(_compared("score", row["score"], "≥", own.min_score))
    if own.min_share is not None and row["share"] is not None:
        is_enough = row["share"] >= own.min_share
        share = _compared("share", row["share"], "≥", own.min_share)
        parts.append(share if is_enough else "another move that leads there has its share")
    if own.margin is not None:
        parts.append(_about_margin(row, own))
    return ", ".join(parts)


def _about_margin(row: Mapping[str, Any], own: SelectionOptions) -> str:
    """Return how the upper bound of a move's P stands against the P of its position."""
    expected, games = row["expected_p"], row["wins"] + row["losses"]
    if expected is None:
        return "P of the position is undefined"
    prior = PRIOR_GAMES if own.prior is None else own.prior
    total = games + prior
    p, z2 = (row["wins"] + prior * expected) / total, _BOUND_Z**2
    spread = _BOUND_Z * sqrt(p * (1 - p) / total + z2 / (4 * total**2))
    high, limit = (
        (p + z2 / (2 * total) + spread) / (1 + z2 / total),
        max(0.0, expected - float(own.margin or 0)),
    )
    if row["reason"] == "proved-worse":
        return f"did worse: {_compared('P at most', high, '<', limit)}"
    if high >= limit:
        return _compared("not proved worse: P up to", high, "≥", limit)
    if (row["share"] or 0) >= MAIN_SHARE:
        return f"did worse, but {_percent(row['share'])} of the games here play it"
    return "another move that leads there is not proved worse, or it loses nothing"


def _about_p(row: Mapping[str, Any], own: SelectionOptions) -> str:
    wins, decisive = row["wins"], row["wins"] + row["losses"]
    if not decisive:
        return "P is undefined: no game was won or lost"
    return _compared(f"P = {wins:,}/{decisive:,} =", row["p"], "≥" if row["kept"] else "<", own.min_win_rate)


def _compared(name: str, figure: float, sign: str, limit: Share | None) -> str:
    """Return two shares in per cent, with enough digits to tell them apart."""
    bound = float(as_fraction(limit or 0))
    for digits in range(1, 9):
        texts = [f"{100 * value:.{digits}f}" for value in (figure, bound)]
        if texts[0] != texts[1]:
            break
    return f"{name} {texts[0]} % {sign} {texts[1]} %"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * float(value):.1f} %"
