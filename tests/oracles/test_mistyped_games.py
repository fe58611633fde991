"""20,000 chess games in odd signs or with a mistake, against python-chess and pgn-extract.

The law: the moves of a game that is read stand in its text, in this order. A text that only has other signs
is read as the game that it was made from.
"""

from __future__ import annotations

import io
import itertools
import logging
import random
import re
import subprocess
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import chess.pgn
import pytest
from support.cli_runner import run
from support.mistakes import SIGNS
from support.pgn_readers import PGN_EXTRACT

TEXTS: Final = 20_000
GAMES: Final = 400
RESULTS: Final = ("1-0", "0-1", "1/2-1/2")

LOOK_ALIKE: Final = str.maketrans("аcсеоОΟοх×", "accеoOOox" + "x")
DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2212"
BLANKS: Final = "\u00a0\u2009\u202f\u3000\u2003"
FULL_WIDTH: Final = {ord(sign): ord(sign) + 0xFEE0 for sign in "abcdefghKQRBNOx12345678-="}


class Text(NamedTuple):
    """A game as it is typed, and the game that it was made from."""

    moves: str
    result: str
    truth: tuple[str, ...]
    is_sound: bool
    """Whether it differs in signs alone."""


def truths(chance: random.Random) -> list[tuple[list[str], list[str]]]:
    """Return games of random play: moves in UCI and in SAN."""
    made = []
    while len(made) < GAMES:
        board, uci, san = chess.Board(), [], []
        for _ in range(chance.randint(6, 24)):
            moves = list(board.legal_moves)
            if not moves:
                break
            kinds = [
                move for move in moves if board.is_castling(move) or move.promotion or board.is_capture(move)
            ]
            move = chance.choice(kinds if kinds and chance.random() < 0.4 else moves)
            uci.append(move.uci())
            san.append(board.san_and_push(move))
        made.append((uci, san))
    return made


def in_odd_signs(word: str, chance: random.Random) -> str:
    """Return a move in other signs that mean the same."""
    dash = chance.choice(DASHES)
    if word.startswith("O-O"):
        castling = word.rstrip("+#")
        wings = castling.count("O")
        forms = [
            dash.join("O" * wings),
            "-".join("0" * wings),
            dash.join("0" * wings),
            "O" * wings,
            " - ".join("0" * wings),
            "-".join("О" * wings),
            "-".join("o" * wings),
        ]
        return chance.choice(forms) + word[len(castling) :]
    forms = [
        word.translate(FULL_WIDTH),
        word.replace("a", "а").replace("c", "с").replace("e", "е"),
        word.replace("x", "×"),
        word.replace("=", ""),
        re.sub(r"=?([QRBN])([+#]?)$", r"(\1)\2", word) if "=" in word else word + "!?",
        word.replace("=", " ="),
        word + chance.choice("!?") * chance.randint(1, 2),
        f"{word[0]} {word[1:]}" if word[0] in "KQRBN" else word,
    ]
    return chance.choice(forms)


def numbered(words: list[str], chance: random.Random, *, is_odd: bool) -> str:
    """Return movetext with numbers."""
    point = chance.choice(["\u2024", "\uff0e", ". ", "."]) if is_odd else ". "
    parts = [f"{ply // 2 + 1}{point}{word}" if ply % 2 == 0 else word for ply, word in enumerate(words)]
    return (chance.choice(BLANKS) if is_odd else " ").join(parts)


def mistyped(text: str, chance: random.Random) -> str:
    """Return a text with one sign left out, doubled, swapped, replaced or added."""
    for _ in range(chance.choice((1, 1, 2))):
        place = chance.randrange(len(text))
        before, sign, after, other = text[:place], text[place], text[place + 1 :], chance.choice(SIGNS)
        text = chance.choice(
            (
                before + after,
                before + sign * 2 + after,
                before + after[:1] + sign + after[1:],
                before + other + after,
                before + other + sign + after,
                before + chance.choice(DASHES + BLANKS + "abcdefgh12345678KQRBNOxо") + after,
            )
        )
    return text


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    """The texts, half of them in odd signs, half with mistakes."""
    chance = random.Random(20_000)
    games, made = truths(chance), []
    for number in range(TEXTS):
        uci, san = games[number % GAMES]
        result = chance.choice(RESULTS)
        if number % 2:
            words = [in_odd_signs(word, chance) if chance.random() < 0.3 else word for word in san]
            typed = result.replace("-", chance.choice(DASHES)) if chance.random() < 0.5 else f"({result})"
            made.append(Text(numbered(words, chance, is_odd=chance.random() < 0.5), typed, tuple(uci), True))
        else:
            moves = mistyped(f"{numbered(san, chance, is_odd=False)} {result}", chance)
            made.append(Text(moves, "", tuple(uci), False))
    return made


@pytest.fixture(scope="module")
def path(texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All texts in one file; the round of a game is its number."""
    path = tmp_path_factory.mktemp("mistyped") / "games.pgn"
    games = (
        f'[Event "e"]\n[Round "{number}"]\n\n{text.moves} {text.result}\n\n'
        for number, text in enumerate(texts)
    )
    path.write_text("".join(games), encoding="utf-8")
    return path


Read = dict[int, tuple[tuple[str, ...], str]]
"""Moves and result of each game that was read, by its number."""


def games_in(texts: Iterable[str]) -> Read:
    """Return the sound games of texts of one game each, as python-chess reads them."""
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    read: Read = {}
    for text in texts:
        try:
            game = chess.pgn.read_game(io.StringIO(text))
        except IndexError:  # a defect of python-chess at some words
            continue
        if game is not None and not game.errors and game.headers.get("Round", "").isdecimal():
            moves = tuple(move.uci() for move in game.mainline_moves())
            read[int(game.headers["Round"])] = (moves, game.headers["Result"])
    return read


def games_of(pgn: str) -> list[str]:
    """Return the texts of the games."""
    return re.split(r"(?m)^(?=\[Event )", pgn)[1:]


@pytest.fixture(scope="module")
def ours(path: Path) -> Read:
    """The games as we read them."""
    return games_in(games_of(run("games", "convert", path, "--game", "chess", "--quiet").out))


@pytest.fixture(scope="module")
def theirs(path: Path) -> dict[str, Read]:
    """The games as the others read them."""
    read = {"python-chess": games_in(games_of(path.read_text(encoding="utf-8")))}
    if Path(PGN_EXTRACT).exists():
        ran = subprocess.run(
            [PGN_EXTRACT, "-s", str(path)], capture_output=True, encoding="latin-1", check=True
        )
        read["pgn-extract"] = games_in(games_of(ran.stdout))
    return read


def plain(text: str) -> str:
    """Return the letters and digits of a text, look-alikes folded, without signs of captures."""
    text = re.sub(r"(?:(?<=[KQRBN][a-h][18])|(?<=[a-h][2-7]))N(?=\s)", "", text)  # a novelty
    folded = unicodedata.normalize("NFKC", text).translate(str.maketrans("асеоОΟο", "aceoOOo"))
    return re.sub(r"[^A-Za-z0-9]|x", "", folded)


def spellings(board: chess.Board, move: chess.Move) -> list[str]:
    """Return the ways to write a move, without signs."""
    start, end = chess.square_name(move.from_square), chess.square_name(move.to_square)
    piece = board.piece_type_at(move.from_square) or chess.PAWN
    letter = "" if piece == chess.PAWN else chess.piece_symbol(piece)
    promoted = chess.piece_symbol(move.promotion) if move.promotion else ""
    tails = [end + promoted]
    ways = [part + tail for part in ("", start[0], start[1], start) for tail in tails]
    words = [letter + way for way in ways] + [start + end + promoted]
    files = "abcdefgh"
    iccf = "".join(str(files.index(square[0]) + 1) + square[1] for square in (start, end))
    if board.is_castling(move):
        words += ["".join(each) for each in itertools.product("o0", repeat=2 if end[0] == "g" else 3)]
    return [*words, iccf]


def stands_in(moves: tuple[str, ...], text: str) -> bool:
    """Return whether moves stand in a text, in this order."""
    typed = plain(text)
    small, place, board = typed.lower(), 0, chess.Board()
    for uci in moves:
        move = board.parse_uci(uci)
        ends = []
        for word in spellings(board, move):
            found = small.find(word, place)
            # `Nf3` does not hold the move f3.
            while found > place and word[0] in "abcdefgh" and typed[found - 1] in "KQRBNkqrn":
                found = small.find(word, found + 1)
            if found >= 0:
                ends.append(found + len(word))
        if not ends:
            return False
        place = min(ends)
        board.push(move)
    return True


def test_text_in_odd_signs_is_read_as_the_same_game(texts: list[Text], ours: Read) -> None:
    sound = {number: text for number, text in enumerate(texts) if text.is_sound}
    results = {number: text.result for number, text in sound.items()}
    wrong = [
        (text.moves, text.result, ours.get(number))
        for number, text in sound.items()
        if ours.get(number) != (text.truth, re.sub(f"[{DASHES}]", "-", results[number]).strip("()"))
    ]
    assert not wrong, f"{len(wrong)}: {wrong[:20]}"


def test_moves_that_are_read_stand_in_the_text(texts: list[Text], ours: Read) -> None:
    wrong = [
        (texts[number].moves, moves)
        for number, (moves, _) in ours.items()
        if not stands_in(moves, texts[number].moves)
    ]
    assert not wrong, f"{len(wrong)}: {wrong[:20]}"


def kind_of(text: str, ours: tuple[str, ...], theirs: tuple[str, ...]) -> str:
    """Return how another reader's moves differ from ours."""
    if not stands_in(theirs, text):
        return "they read a move that the text does not have"
    if ours[: len(theirs)] == theirs:
        return "they read fewer moves"
    return "they read more moves" if theirs[: len(ours)] == ours else "other"


# Of the games that both read; we are right in each kind. python-chess ignores words in odd signs and reads on
# from a wrong position, pgn-extract ends a game at them. Where they read more, a `*` ends the game for us as
# the standard says, or pgn-extract reads `Qg-4`.
DIFFERENCES: Final = {
    "python-chess": {
        "they read a move that the text does not have": 83,
        "they read fewer moves": 107,
        "they read more moves": 48,
        "other": 25,
    },
    "pgn-extract": {
        "they read a move that the text does not have": 6,
        "they read fewer moves": 5304,
        "they read more moves": 1,
    },
}


@pytest.mark.parametrize("reader", DIFFERENCES)
def test_difference_from_another_reader_is_known(
    texts: list[Text], ours: Read, theirs: dict[str, Read], reader: str
) -> None:
    if reader not in theirs:
        pytest.skip(f"{reader} is not installed")
    both = ours.keys() & theirs[reader].keys()
    kinds = Counter(
        kind_of(texts[number].moves, ours[number][0], theirs[reader][number][0])
        for number in both
        if ours[number][0] != theirs[reader][number][0]
    )
    assert kinds == DIFFERENCES[reader]
