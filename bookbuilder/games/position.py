"""Names of the games and sides, and positions in any form: FEN, moves, `Position` or `chess.Board`.

The rules are in the core.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from bookbuilder.errors import FenError, MoveError, OptionError
from bookbuilder.games.line import START_WORD as START_WORD  # importers find it with the other words
from bookbuilder.games.line import play_moves, split_position

if TYPE_CHECKING:
    import chess

    from bookbuilder._core import Position

Game = Literal["chess", "xiangqi"]
"""The name of a game."""

GAMES_KNOWN: Final[tuple[Game, ...]] = get_args(Game)
"""All games."""

SideName = Literal["first", "second"]
"""The name of a side: White and Red are `first`, Black is `second`."""

SIDES: Final[tuple[SideName, ...]] = get_args(SideName)
"""The sides in the order in which tables number them: 0 White or Red, 1 Black."""

SideWord = Literal["first", "second", "white", "black", "red"]
"""The words in which a user may name a side."""

SIDE_WORDS: Final[Mapping[Game, Mapping[SideWord, SideName]]] = {
    "chess": {"white": "first", "black": "second"},
    "xiangqi": {"red": "first", "black": "second"},
}
"""The sides by the words of each game."""

PositionLike: TypeAlias = "str | Position | chess.Board"
"""A FEN, `startpos`, moves such as `1.e4 e5`, a native position, or (for chess) a board of python-chess."""


def as_game(name: str) -> Game:
    """Return the game of that name.

    Raises:
        OptionError: the name is unknown.
    """
    for game in GAMES_KNOWN:
        if name == game:
            return game
    raise OptionError(f'game "{name}" is unknown: expected one of {", ".join(GAMES_KNOWN)}')


def side_of(word: str) -> SideName:
    """Return the side of a word.

    Raises:
        OptionError: it is not the word of a side.
    """
    known: dict[str, SideName] = {side: side for side in SIDES}
    known.update((name, side) for words in SIDE_WORDS.values() for name, side in words.items())
    if word in known:
        return known[word]
    raise OptionError(f'side "{word}" is unknown: expected {", ".join(get_args(SideWord))}')


def require_side_word(word: str, game: Game, option: str) -> None:
    """Refuse a word for a side of the other game.

    The message names the option that has the word.

    Raises:
        OptionError: the other game has a side of that name, this one does not.
    """
    known = SIDE_WORDS[game]
    if word not in SIDES and word not in known:
        raise OptionError(f"{option} is {word}: the sides of {game} are {' and '.join(known)}")


def coordinates_of(game: Game) -> Literal["uci", "iccs"]:
    """Return the notation in which engines name moves by their squares."""
    return "uci" if game == "chess" else "iccs"


def as_position(position: PositionLike, game: Game) -> Position:
    """Return the native position for a position in any form.

    Args:
        position: a FEN or `startpos`; moves from the start such as `e4`, `1.e4 e5` or `e2e4,e7e5`; a FEN or
            `startpos` with moves, as in `startpos moves e2e4`; a native position; or a `chess.Board`.
        game: the game that it must belong to.

    Raises:
        FenError: the FEN breaks a rule, the text is not a position, or the position belongs to another
            game or variant.
        MoveError: a move after the first is not legal.
        OptionError: the object does not describe a position.

    Example:
        >>> as_position("1.e4 c5", "chess").fen
        'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'
        >>> as_position("炮二平五", "xiangqi").fen == as_position("startpos moves h2e2", "xiangqi").fen
        True
    """
    from bookbuilder._core import Position

    if isinstance(position, Position):
        if position.game != game:
            raise FenError(f"position {position.fen} is of {position.game}: expected {game}")
        return position
    if isinstance(position, str):
        place, words = split_position(position)
        if place != START_WORD:
            return play_moves(Position(game, place), words)
        start = Position(game)
        line = "1.e4 e5" if game == "chess" else "h2e2 h9g7"
        wrong = f'"{position}" is not a position: expected a FEN, startpos, or moves such as "{line}"'
        if not words and START_WORD not in position:
            raise FenError(wrong)
        try:
            for word in words[:1]:
                start.parse_move(word)
        except MoveError as error:
            raise FenError(f"{wrong} ({error})") from error
        return play_moves(start, words)
    # If python-chess is not loaded, the object is not one of its boards.
    chess_module = sys.modules.get("chess")
    if chess_module is not None and isinstance(position, chess_module.Board):
        return _of_board(position, game)
    raise OptionError(
        f"{type(position).__name__} is not a position: expected a FEN, a Position or a chess.Board"
    )


def as_board(position: PositionLike) -> chess.Board:
    """Return a chess position as a board of python-chess; a board without its moves.

    Args:
        position: any form of a position of chess.

    Raises:
        FenError: as of `as_position`, or the position is one of xiangqi.

    Example:
        >>> as_board("1.e4 c5").fullmove_number
        2
    """
    import chess

    return chess.Board(as_position(position, "chess").fen)


def ply_of(position: Position) -> int:
    """Return the plies of a game before a position, by the move number of its FEN."""
    return 2 * (int(position.fen.rsplit(" ", 1)[1]) - 1) + position.side


def with_hidden_en_passant(position: Position) -> list[Position]:
    """Return the positions that a FEN without an en passant square may mean besides this one.

    Many programs omit the square if no capture is legal. A Polyglot key has its file if a pawn stands to take
    there, even if it is pinned. So such a FEN does not say which of two keys the position had in a game.

    Example:
        >>> here = as_position("8/8/8/8/k2Pp2R/8/8/3K4 b - - 0 1", "chess")
        >>> [other.fen for other in with_hidden_en_passant(here)]
        ['8/8/8/8/k2Pp2R/8/8/3K4 b - d3 0 1']
    """
    from bookbuilder._core import Position

    fields = position.fen.split()
    if position.game != "chess" or fields[3] != "-":
        return []
    rank = "6" if position.side == 0 else "3"
    others = []
    for file in "abcdefgh":
        fen = " ".join([*fields[:3], file + rank, *fields[4:]])
        try:
            other = Position("chess", fen)
        except FenError:
            continue
        if other.fen == fen and other.moves() == position.moves():
            others.append(other)
    return others


def known_position(position: Position, is_known: Callable[[Position], object]) -> Position:
    """Return the first known one of a position and the others that its FEN may mean, else the position."""
    return next(filter(is_known, (position, *with_hidden_en_passant(position))), position)


def stored_keys(text: str, game: Game) -> list[tuple[int, int]]:
    """Return key and lock of a position and of the others that its FEN may mean; mirrors share one.

    Raises:
        FenError: the text is not a position of the game.
    """
    position = as_position(text, game)
    return [each.stored(True) for each in (position, *with_hidden_en_passant(position))]


def _of_board(board: chess.Board, game: Game) -> Position:
    from bookbuilder._core import Position

    if game != "chess":
        raise FenError(f"a chess.Board was given where {game} is played")
    if board.uci_variant != "chess" or board.chess960:
        raise FenError(f"board {board.fen()} is of a variant: expected standard chess")
    roles = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    colours = (board.occupied_co[False], board.occupied_co[True])
    clocks = (board.halfmove_clock, board.fullmove_number)
    castling = board.clean_castling_rights()
    # The en passant square is set after every double step; the core applies the Polyglot rule itself.
    position = Position.of_bitboards(roles, colours, castling, board.turn, board.ep_square, clocks)
    # What breaks a rule of chess is named by the reader of FENs.
    return position or Position("chess", board.fen(en_passant="fen"))
