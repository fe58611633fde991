"""Moves and openings as people read them: in the notation of --notation, or that of their language."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Final

from bookbuilder._core import Position, notations
from bookbuilder.cli.console import display
from bookbuilder.cli.options.position import line_at
from bookbuilder.errors import MoveError, OptionError
from bookbuilder.games.line import format_line
from bookbuilder.games.position import SIDE_WORDS, SIDES, Game, SideName

_USUAL: Final[dict[Game, str]] = {"chess": "san", "xiangqi": "iccs"}
_TRADITIONAL: Final = ("hant", "tw", "hk", "mo")
# The simplified signs in names of openings, and the traditional ones, as on the page of the explorer.
_SIGNS: Final = str.maketrans(
    "两兑冲单双后头宫对开横盘红缓补车转边过进钩顺风飞马鸯鸳龟",
    "兩兌衝單雙後頭宮對開橫盤紅緩補車轉邊過進鉤順風飛馬鴦鴛龜",
)


def language() -> str:
    """Return the language of messages that the environment asks for, such as `zh_cn`; "" if none."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return next(filter(None, names), "").partition(".")[0].lower()


def side_label(game: Game, side: SideName) -> str:
    """Return the name of a side for people."""
    return [*SIDE_WORDS[game]][SIDES.index(side)].capitalize()


def is_chinese() -> bool:
    """Return whether names of openings are Chinese: by the notation, else by the language."""
    chosen = display.notation
    return language().startswith("zh") if chosen is None else chosen.startswith("chinese")


def notation_of(game: Game, *, plain: bool = False) -> str:
    """Return the notation in which moves of a game are shown.

    With `plain`, chess moves are coordinates if no option says otherwise.
    """
    chosen, known = display.notation, notations(game)
    if chosen is not None:
        if chosen not in known:
            words = ", ".join(known)
            raise OptionError(f"--notation {chosen}: is not a notation of {game}; expected one of {words}")
        return chosen
    spoken = language()
    if spoken.startswith("zh") and "chinese" in known:
        is_traditional = any(part in _TRADITIONAL for part in spoken.replace("-", "_").split("_"))
        return "chinese-traditional" if is_traditional else "chinese"
    return "uci" if plain and game == "chess" else _USUAL[game]


def shown_move(here: Position, move: str, *, plain: bool = False) -> str:
    """Return a move as it is shown."""
    return shown_moves(here, [move], plain=plain)[0]


def shown_moves(here: Position, moves: Iterable[str], *, plain: bool = False) -> list[str]:
    """Return moves that follow each other as they are shown."""
    notation, texts = notation_of(here.game, plain=plain), []
    for move in moves:
        code = here.parse_move(move)
        texts.append(here.format_move(code, notation))
        here = here.play(code)
    return texts


def shown_line(game: Game, line: str) -> str:
    """Return a line from the start position, with move numbers, as it is shown."""
    if not line or notation_of(game) == _USUAL[game]:
        return line
    try:
        found = line_at(game, line)
    except MoveError:
        return line  # it does not begin at the start position
    return format_line(shown_moves(Position(game), found.moves))


def shown_reach(game: Game, reach: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the JSON data of a book's reach with its lines and replies as they are shown."""
    if notation_of(game) == _USUAL[game]:
        return reach
    branches = []
    for branch in reach["branches"]:
        here = line_at(game, branch["line"]).position
        replies = [{**each, "san": shown_move(here, each["san"])} for each in branch["replies"]]
        branches.append({**branch, "line": shown_line(game, branch["line"]), "replies": replies})
    lines = {
        name: [{**each, "line": shown_line(game, each["line"])} for each in reach[name]]
        for name in ("lacking", "gaps")
    }
    return {**reach, **lines, "branches": branches}


def opening_name(opening: Mapping[str, Any] | None) -> str:
    """Return code and name of an opening in the language of the reader; "" for none."""
    if opening is None:
        return ""
    return f"{opening['code']} {name_in_language(opening['name'], opening['chinese'])}"


def name_in_language(name: str, chinese: str) -> str:
    """Return the name of an opening in the language of the reader, which may lack a Chinese one."""
    return chinese_name(chinese) if chinese and is_chinese() else name


def chinese_name(name: str) -> str:
    """Return a Chinese name in the signs of the reader: traditional ones, or as it is."""
    is_known = display.notation in (None, *notations("xiangqi"))
    return name.translate(_SIGNS) if is_known and notation_of("xiangqi") == "chinese-traditional" else name
