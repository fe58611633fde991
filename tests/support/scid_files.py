"""Write a Scid database (si4) from games of python-chess, with its own idea of how pieces are numbered."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import chess
import chess.pgn

HEAD: Final = 182
RECORD: Final = 47

_GLYPH, _COMMENT, _START, _END, _END_OF_GAME = 11, 12, 13, 14, 15
_RESULTS: Final = {"*": 0, "1-0": 1, "0-1": 2, "1/2-1/2": 3}
_COMMON: Final = ("WhiteCountry", "BlackCountry", "Annotator", "PlyCount")
_ROSTER: Final = {"Event", "Site", "Date", "Round", "White", "Black", "Result", "SetUp", "FEN"}
_KING: Final = {-9: 1, -8: 2, -7: 3, -1: 4, 1: 5, 7: 6, 8: 7, 9: 8, -2: 9, 2: 10}
_KNIGHT: Final = {-17: 1, -15: 2, -10: 3, -6: 4, 6: 5, 10: 6, 15: 7, 17: 8}


def write_database(path: Path, games: Sequence[chess.pgn.Game]) -> Path:
    """Write games into the `.si4` file at `path` and the two files next to it.

    Args:
        path: the `.si4` file.
        games: the games, with variations, glyphs and comments.
    """
    players = sorted({game.headers[side] for game in games for side in ("White", "Black")})
    others = [sorted({game.headers[tag] for game in games}) for tag in ("Event", "Site", "Round")]
    contents, records = bytearray(), list[bytes]()
    for game in games:
        content = _content(game)
        records.append(_record(game, len(contents), len(content), players, others))
        contents += content
    head = b"Scid.si\0" + struct.pack(">HI", 400, 0) + len(games).to_bytes(3, "big")
    path.write_bytes(head.ljust(HEAD, b"\0") + b"".join(records))
    path.with_suffix(".sg4").write_bytes(contents)
    path.with_suffix(".sn4").write_bytes(_names([players, *others]))
    return path


def _names(lists: Sequence[Sequence[str]]) -> bytes:
    head = b"Scid.sn\0\0\0\0\0" + b"".join(len(names).to_bytes(3, "big") for names in lists)
    return head + (1).to_bytes(3, "big") * 4 + b"".join(itertools.chain.from_iterable(map(_list, lists)))


def _list(names: Sequence[str]) -> Iterator[bytes]:
    before: bytes | None = None
    for number, name in enumerate(names):
        text = name.encode()
        yield struct.pack(">HBB", number, 1, len(text))
        shared = 0
        if before is not None:
            pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, text, strict=False))
            shared = sum(1 for _ in pairs)
            yield bytes([shared])
        yield text[shared:]
        before = text


def _record(
    game: chess.pgn.Game, place: int, length: int, players: Sequence[str], others: Sequence[Sequence[str]]
) -> bytes:
    headers = game.headers
    numbers = [players.index(headers["White"]), players.index(headers["Black"])]
    numbers += [
        names.index(headers[tag]) for names, tag in zip(others, ("Event", "Site", "Round"), strict=True)
    ]
    year, month, day = (0 if "?" in part else int(part) for part in headers["Date"].split("."))
    record = struct.pack(">IHBH", place, length & 0xFFFF, length >> 16 << 7, 0)
    record += struct.pack(">BHHBHHH", 0, numbers[0], numbers[1], 0, *numbers[2:])
    record += struct.pack(">HHI", _RESULTS[headers["Result"]] << 12, 0, year << 9 | month << 5 | day)
    return (record + struct.pack(">HH", 2500, 0)).ljust(RECORD, b"\0")


def _content(game: chess.pgn.Game) -> bytes:
    content = bytearray()
    for tag, value in game.headers.items():
        if tag not in _ROSTER:
            name = bytes([241 + _COMMON.index(tag)]) if tag in _COMMON else bytes([len(tag)]) + tag.encode()
            content += name + bytes([len(value.encode())]) + value.encode()
    content.append(0)
    fen = game.headers.get("FEN")
    content += b"\1" + fen.encode() + b"\0" if fen else b"\0"
    writer = _Writer()
    writer.line(game, _numbered(game.board(), is_usual=fen is None), game.comment)
    return bytes(content + writer.moves + bytes([_END_OF_GAME]) + writer.texts)


_Numbers: TypeAlias = dict[chess.Color, list[int]]
"""For each side the squares of its pieces, by their numbers."""


def _numbered(board: chess.Board, *, is_usual: bool) -> _Numbers:
    lists: _Numbers = {chess.WHITE: [], chess.BLACK: []}
    for rank, file in itertools.product(reversed(range(8)), range(8)):
        square = chess.square(file, rank)
        if (piece := board.piece_at(square)) is None:
            continue
        squares = lists[piece.color]
        squares.append(square)
        if piece.piece_type == chess.KING:
            squares[0], squares[-1] = squares[-1], squares[0]
    if is_usual:
        for color, ranks in ((chess.WHITE, (0, 1)), (chess.BLACK, (7, 6))):
            king = chess.square(4, ranks[0])
            squares = [chess.square(file, rank) for rank in ranks for file in range(8)]
            squares.remove(king)
            lists[color] = [king, *squares]
    return lists


class _Writer:
    """The moves and the texts of a game."""

    def __init__(self) -> None:
        self.moves, self.texts = bytearray(), bytearray()

    def line(self, node: chess.pgn.GameNode, numbers: _Numbers, comment: str) -> None:
        """Write what follows a node: each move, then the variations that stand in its place."""
        self._comment(comment)
        while node.variations:
            before = {color: squares.copy() for color, squares in numbers.items()}
            main = node.variations[0]
            self._move(main, numbers)
            for other in node.variations[1:]:
                self.moves.append(_START)
                branch = {color: squares.copy() for color, squares in before.items()}
                self._comment(other.starting_comment)
                self._move(other, branch)
                self.line(other, branch, "")
                self.moves.append(_END)
            node = main

    def _comment(self, text: str) -> None:
        if text:
            self.moves.append(_COMMENT)
            self.texts += text.encode() + b"\0"

    def _move(self, node: chess.pgn.ChildNode, numbers: _Numbers) -> None:
        self.moves += _encoded(node.parent.board(), node.move, numbers)
        for glyph in sorted(node.nags):
            self.moves += bytes([_GLYPH, glyph])
        self._comment(node.comment)


def _encoded(board: chess.Board, move: chess.Move, numbers: _Numbers) -> bytes:
    """Encode a move and play it on the numbers."""
    own, others = numbers[board.turn], numbers[not board.turn]
    number = own.index(move.from_square)
    kind = board.piece_type_at(move.from_square)
    captured = move.to_square
    if board.is_en_passant(move):
        captured = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    if board.is_capture(move):
        others[others.index(captured)] = others[-1]
        others.pop()
    own[number] = move.to_square
    if board.is_castling(move):
        rank, is_short = chess.square_rank(move.to_square), chess.square_file(move.to_square) == 6
        own[own.index(chess.square(7 if is_short else 0, rank))] = chess.square(5 if is_short else 3, rank)
    code, *more = _codes(kind or 0, move, board.turn)
    return bytes([number << 4 | code, *more])


def _codes(kind: chess.PieceType, move: chess.Move, turn: chess.Color) -> list[int]:
    step, to_file = move.to_square - move.from_square, chess.square_file(move.to_square)
    is_along_rank = chess.square_rank(move.from_square) == chess.square_rank(move.to_square)
    is_along_file = chess.square_file(move.from_square) == to_file
    straight = to_file if is_along_rank else 8 + chess.square_rank(move.to_square)
    if kind == chess.KING:
        return [_KING[step]]
    if kind == chess.KNIGHT:
        return [_KNIGHT[step]]
    if kind == chess.ROOK:
        return [straight]
    if kind == chess.QUEEN:
        is_straight = is_along_rank or is_along_file
        return [straight] if is_straight else [chess.square_file(move.from_square), 64 + move.to_square]
    if kind == chess.BISHOP:
        files = to_file - chess.square_file(move.from_square)
        return [to_file + 8 * ((step > 0) != (files > 0))]
    if abs(step) == 16:
        return [15]
    promotion = chess.QUEEN + 1 - move.promotion if move.promotion else 0
    return [(step if turn else -step) - 7 + 3 * promotion]
