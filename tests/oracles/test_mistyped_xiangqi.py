"""20,000 xiangqi games in five notations, in odd signs or with a mistake, against pyffish.

The law: the moves of a game that is read stand in its text, in this order. pyffish plays the games and writes
them in UCI, SAN and WXF. Coordinates of ICCS and Chinese texts are made of its UCI and WXF.
"""

from __future__ import annotations

import random
import re
from functools import cache
from typing import Final, NamedTuple

import pyffish
import pytest
from support.cli_runner import run

GAME: Final = "xiangqi"
TEXTS: Final = 20_000
GAMES: Final = 40
SIGNS: Final = {
    "chinese": "_ \t\"'[](){}<>;%*,:\\/$!ä0一二三平进退马炮车",
    "": "aE0_-. \t\"'[](){}<>;%*,:=\\/$!ähCHR123456789+=",
}
"""Signs that stand in for others. The notations may be mixed in a game, so each has its own signs."""
FULL_WIDTH: Final = {ord(sign): ord(sign) + 0xFEE0 for sign in "abcdefghiCHREAKP0123456789+-=."}
DASHES: Final = "\u2010\u2012\u2013\u2014\u2212"
_NUMERALS: Final = "零一二三四五六七八九"
_RED: Final = dict(zip("CHREAKP", "炮马车相仕帅兵", strict=True))
_BLACK: Final = dict(zip("CHREAKP", "炮马车象士将卒", strict=True))
_WAYS: Final = {"+": "进", "-": "退", "=": "平"}

OTHER_FORMS: Final = ("C++6", "Ca+6", "一七进一")
"""Moves with a piece named as other writers do, so that they stand in their text in another spelling."""

Words = tuple[str, ...]


class Played(NamedTuple):
    """A game: coordinates of ICCS, and the texts of its moves in each notation."""

    moves: Words
    texts: dict[str, Words]


class Text(NamedTuple):
    """A game as it is typed, its notation, and the moves that it was made from; None: it has a mistake."""

    notation: str
    moves: str
    truth: Words | None


def iccs(uci: str) -> str:
    """Return a move of UCI with ranks from 0."""
    return re.sub(r"\d+", lambda rank: str(int(rank[0]) - 1), uci)


def chinese(wxf: str, *, is_red: bool) -> str | None:
    """Return a move of WXF in Chinese; None where pawns or pieces on one column are numbered."""
    numeral = (lambda digit: _NUMERALS[int(digit)]) if is_red else (lambda digit: digit)
    names = _RED if is_red else _BLACK
    piece, column, way, number = wxf
    if piece not in names:
        return None
    if column in "+-":
        return ("前" if column == "+" else "后") + names[piece] + _WAYS[way] + numeral(number)
    return names[piece] + numeral(column) + _WAYS[way] + numeral(number)


@cache
def written(fen: str, uci: str) -> dict[str, str | None]:
    """Return a move in all notations."""
    wxf = pyffish.get_san(GAME, fen, uci, False, pyffish.NOTATION_XIANGQI_WXF)
    return {
        "iccs": iccs(uci),
        "uci": uci,
        "san": pyffish.get_san(GAME, fen, uci, False, pyffish.NOTATION_SAN),
        "wxf": wxf,
        "chinese": chinese(wxf, is_red=" w " in fen),
    }


@cache
def after(fen: str, uci: str) -> str:
    """Return the position after a move."""
    return str(pyffish.get_fen(GAME, fen, [uci]))


def games(chance: random.Random) -> list[Played]:
    """Return games of random play without moves that Chinese texts number."""
    made = []
    while len(made) < GAMES:
        fen, moves, texts = pyffish.start_fen(GAME), [], []
        for _ in range(chance.randint(6, 24)):
            legal = pyffish.legal_moves(GAME, fen, [])
            if not legal:
                break
            uci = chance.choice(legal)
            each = written(fen, uci)
            if each["chinese"] is None:
                continue
            moves.append(iccs(uci))
            texts.append(each)
            fen = after(fen, uci)
        # Without a rank 10, coordinates from 1 would be read as those from 0.
        if any("10" in each["uci"] for each in texts) and any("10" in each["san"] for each in texts):
            made.append(
                Played(tuple(moves), {name: tuple(each[name] for each in texts) for name in texts[0]})
            )
    return made


def numbered(words: Words, point: str = ". ") -> str:
    """Return movetext with numbers."""
    return " ".join(
        f"{ply // 2 + 1}{point}{word}" if ply % 2 == 0 else word for ply, word in enumerate(words)
    )


def in_odd_signs(word: str, chance: random.Random) -> str:
    """Return a move in other signs that mean the same."""
    return chance.choice(
        (word.translate(FULL_WIDTH), word.replace("-", chance.choice(DASHES)), word + "！", word)
    )


def mistyped(text: str, notation: str, chance: random.Random) -> str:
    """Return a text with one sign left out, doubled, swapped, replaced or added."""
    place = chance.randrange(len(text))
    before, sign, after, other = (
        text[:place],
        text[place],
        text[place + 1 :],
        chance.choice(SIGNS.get(notation, SIGNS[""])),
    )
    return chance.choice(
        (
            before + after,
            before + sign * 2 + after,
            before + after[:1] + sign + after[1:],
            before + other + after,
            before + other + sign + after,
        )
    )


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    """The texts, half of them in odd signs, half with a mistake."""
    chance = random.Random(20_000)
    played, made = games(chance), []
    for number in range(TEXTS):
        game = played[number % GAMES]
        notation = chance.choice(tuple(game.texts))
        words = game.texts[notation]
        if number % 2:
            odd = tuple(in_odd_signs(word, chance) if chance.random() < 0.3 else word for word in words)
            made.append(Text(notation, numbered(odd, chance.choice((". ", ".", "．", "、"))), game.moves))
        else:
            made.append(Text(notation, mistyped(numbered(words), notation, chance), None))
    return made


@pytest.fixture(scope="module")
def ours(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> dict[int, Words]:
    """The moves of each game that we read, by its number: from a file for each notation."""
    folder, read = tmp_path_factory.mktemp("mistyped"), {}
    for notation in ("iccs", "uci", "san", "wxf", "chinese"):
        path = folder / f"{notation}.pgn"
        path.write_text(
            "".join(
                f'[Game "Chinese Chess"]\n[Event "e"]\n[Round "{number}"]\n\n{text.moves} 1-0\n\n'
                for number, text in enumerate(texts)
                if text.notation == notation
            ),
            encoding="utf-8",
        )
        out = run("games", "convert", path, "--game", GAME, "--quiet", "-o", "-", "--to", "pgn").out
        for game in re.split(r"(?m)^(?=\[Event )", out):
            number = re.search(r'\[Round "(\d+)"\]', game)
            if number is not None:
                body = re.sub(r"(?m)^\[.*\]$|\{[^}]*\}", "", game)
                moves = re.findall(r"\b([A-I]\d)-([A-I]\d)\b", body)
                read.setdefault(int(number[1]), tuple("".join(each).lower() for each in moves))
    return read


def plain(text: str, notation: str) -> str:
    """Return the signs of moves in a text, without numbers of moves, in small letters."""
    folded = text.translate({wide: narrow for narrow, wide in FULL_WIDTH.items()})
    signs = "+=-" if notation == "wxf" else ""
    small = re.sub(rf"[^a-z0-9\u4e00-\u9fff{signs}]", "", folded.lower())
    digits = str.maketrans(_NUMERALS, "0123456789")
    return small.replace("x", "") if notation == "san" else small.translate(digits)


def spellings(fen: str, uci: str, notation: str) -> list[str]:
    """Return the ways to write a move in a notation: SAN may name more of the origin and no pawn."""
    word = written(fen, uci)[notation] or ""
    if notation in {"wxf", "chinese"}:
        # `6C=8` and `C68` can only mean `C6=8`.
        return [word, word[1] + word[0] + word[2:], *([word[:2] + word[3]] if word[2] in "=平" else [])]
    if notation != "san":
        return [word]
    letter, (start, end) = word[0], re.findall(r"[a-i]\d+", uci)
    origins = ("", start[0], start[1:], start)
    return [letter + origin + end for origin in origins] + ([end, start[0] + end] if letter == "P" else [])


def stands_in(moves: Words, text: Text) -> bool:
    """Return whether moves, written in the notation of a text, stand in it in this order."""
    typed, start, fen = plain(text.moves, text.notation), 0, pyffish.start_fen(GAME)
    for move in moves:
        uci = re.sub(r"\d", lambda rank: str(int(rank[0]) + 1), move)
        words = [plain(word, text.notation) for word in spellings(fen, uci, text.notation)]
        places = [place + len(word) for word in words if (place := typed.find(word, start)) >= 0]
        if not places:
            return False
        start = min(places)
        fen = after(fen, uci)
    return True


def test_text_in_odd_signs_is_read_as_the_same_game(texts: list[Text], ours: dict[int, Words]) -> None:
    wrong = [
        (text.notation, text.moves, ours.get(number))
        for number, text in enumerate(texts)
        if text.truth is not None and ours.get(number) != text.truth
    ]
    assert not wrong, f"{len(wrong)}: {wrong[:10]}"


def test_moves_that_are_read_stand_in_the_text(texts: list[Text], ours: dict[int, Words]) -> None:
    wrong = [
        (texts[number].notation, texts[number].moves, moves)
        for number, moves in ours.items()
        if texts[number].truth is None and not stands_in(moves, texts[number])
    ]
    others = [text for _, text, _ in wrong if not any(form in text for form in OTHER_FORMS)]
    assert not others, f"{len(others)}: {others[:10]}"
