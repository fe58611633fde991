"""Write a ChessBase database: every move as two bytes, in files that old and new versions have written."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from pathlib import Path

import chess
import chess.pgn

_RECORD = 46
# The codes that are needed, as they are written before any move.
_SQUARES, _FORK, _END = 0x29, 0xDC, 0x0C
_PROMOTIONS = {chess.QUEEN: 0, chess.ROOK: 1, chess.BISHOP: 2, chess.KNIGHT: 3}
_RESULTS = {"0-1": 0, "1/2-1/2": 1, "1-0": 2}


def write_database(
    path: Path, games: Sequence[chess.pgn.Game], *, plain: Sequence[int], spare: int = 4
) -> Path:
    """Write games into the `.cbh` file at `path` and the files beside it.

    Args:
        path: the `.cbh` file.
        games: the games, with variations, glyphs and comments.
        plain: how origin and target are written: the byte that stands for each value 0 … 255.
        spare: bytes behind the head of a file of names: 4 in new databases, 0 in old ones.
    """
    players = sorted({game.headers[side] for game in games for side in ("White", "Black")})
    events = sorted({game.headers["Event"] for game in games})
    moves, notes, records = bytearray(26), bytearray(26), [_head(len(games))]
    for number, game in enumerate(games, 1):
        place = len(moves)
        written, nodes = _game_moves(game, plain)
        annotations = _game_annotations(game, nodes, number)
        moves += written
        records.append(_record(game, place, len(notes) if annotations else 0, players, events))
        notes += annotations
    path.write_bytes(b"".join(records))
    path.with_suffix(".cbg").write_bytes(moves)
    path.with_suffix(".cba").write_bytes(notes)
    names = [[*(part.encode("cp1252") for part in f"{name}, ".split(", ")[:2])] for name in players]
    path.with_suffix(".cbp").write_bytes(_names([struct.pack("30s20s8x", *name) for name in names], spare))
    titles = [struct.pack("40s30s20x", event.encode("cp1252"), b"Testville") for event in events]
    path.with_suffix(".cbt").write_bytes(_names(titles, spare))
    path.with_suffix(".cbc").write_bytes(_names([struct.pack("45s8x", b"Annotator")], spare))
    return path


def _head(games: int) -> bytes:
    return struct.pack(">BHHBI", 0, 44, _RECORD, 1, games + 1).ljust(_RECORD, b"\0")


def _names(records: Sequence[bytes], spare: int) -> bytes:
    head = struct.pack("<iiiiiii", len(records), 0, 1234567890, len(records[0]), -1, len(records), spare)
    return head + bytes(spare) + b"".join(struct.pack("<iib", -1, -1, 0) + record for record in records)


def _record(
    game: chess.pgn.Game, moves: int, annotations: int, players: Sequence[str], events: Sequence[str]
) -> bytes:
    headers = game.headers
    year, month, day = (0 if "?" in part else int(part) for part in headers["Date"].split("."))
    numbers = (
        players.index(headers["White"]),
        players.index(headers["Black"]),
        events.index(headers["Event"]),
        0,
        0,
        year << 9 | month << 5 | day,
    )
    record = struct.pack(">BII", 1, moves, annotations)
    record += b"".join(number.to_bytes(3, "big") for number in numbers)
    plies = min(game.end().ply() - game.ply(), 510)
    record += struct.pack(">BBBBHH", _RESULTS.get(headers["Result"], 3), 0, 2, 0, 2500, 0)
    return record.ljust(_RECORD - 1, b"\0") + bytes([(plies + 1) // 2 & 255])


class _Moves:
    """The moves of a game, in the order of the file."""

    def __init__(self, plain: Sequence[int]) -> None:
        self.plain, self.bytes, self.nodes = plain, bytearray(), list[chess.pgn.ChildNode]()

    def _put(self, *codes: int) -> None:
        self.bytes += bytes((code + len(self.nodes)) & 255 for code in codes)

    def write(self, node: chess.pgn.GameNode) -> None:
        """Write what follows a node: the main line first, a mark before what has alternatives."""
        for place, child in enumerate(node.variations):
            if place + 1 < len(node.variations):
                self._put(_FORK)
            self._put(_SQUARES, *(self.plain[byte] for byte in _value(child.move).to_bytes(2, "big")))
            self.nodes.append(child)
            self.write(child)
        if not node.variations:
            self._put(_END)


def _game_moves(game: chess.pgn.Game, plain: Sequence[int]) -> tuple[bytes, list[chess.pgn.ChildNode]]:
    written = _Moves(plain)
    written.write(game)
    board = game.board()
    setup = b"" if board.fen() == chess.STARTING_FEN else _setup(board)
    size = 4 + len(setup) + len(written.bytes)
    head = bytes([0x40 if setup else 0]) + size.to_bytes(3, "big")
    return head + setup + written.bytes, written.nodes


def _value(move: chess.Move) -> int:
    promotion = _PROMOTIONS.get(move.promotion or chess.QUEEN, 0)
    return _place(move.from_square) | _place(move.to_square) << 6 | promotion << 12


def _place(square: int) -> int:
    return chess.square_file(square) * 8 + chess.square_rank(square)


def _setup(board: chess.Board) -> bytes:
    kinds = " KQNBRP"
    bits = ""
    for file, rank in itertools.product(range(8), range(8)):
        piece = board.piece_at(chess.square(file, rank))
        if piece is None:
            bits += "0"
        else:
            bits += f"1{int(not piece.color)}{kinds.index(piece.symbol().upper()):03b}"
    squares = int(bits.ljust(192, "0"), 2).to_bytes(24, "big")
    en_passant = 0 if board.ep_square is None else chess.square_file(board.ep_square) + 1
    letters = ("Q", "K", "q", "k")
    rights = sum(1 << bit for bit, letter in enumerate(letters) if letter in board.castling_xfen())
    return bytes([1, en_passant | (not board.turn) << 4, rights, board.fullmove_number]) + squares


def _game_annotations(game: chess.pgn.Game, nodes: Sequence[chess.pgn.ChildNode], number: int) -> bytes:
    parts = list[bytes]()
    for place, node in [(0xFFFFFF, game), *enumerate(nodes)]:
        glyphs = bytes(sorted(getattr(node, "nags", ())))
        if glyphs:
            parts.append(_annotation(place, 3, glyphs))
        if node.comment:
            parts.append(_annotation(place, 2, b"\0\0" + node.comment.encode("cp1252")))
    if not parts:
        return b""
    body = b"".join(parts)
    head = number.to_bytes(3, "big") + bytes.fromhex("01000E0E") + (len(parts) + 1).to_bytes(3, "big")
    return head + (len(body) + 14).to_bytes(4, "big") + body


def _annotation(place: int, kind: int, content: bytes) -> bytes:
    return place.to_bytes(3, "big") + bytes([kind]) + (len(content) + 6).to_bytes(2, "big") + content
