"""Archives that Python writes: other readers find what was written."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from pathlib import Path

import chess.pgn
import pytest
from support.cli_runner import run

from bookbuilder.archives.played_game import PlayedGame
from bookbuilder.archives.write import check_archive_form, write_archive
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game


def chess_game(moves: str, result: str = "1-0", **changes: object) -> PlayedGame:
    """A chess game."""
    known = {"event": "Test", "date": "2026.01.02", "number": 7, "first": 'Ann "A"', "second": "Bo\\b"}
    return PlayedGame(game="chess", result=result, moves=tuple(moves.split()), **{**known, **changes})  # type: ignore[arg-type]


def xiangqi_game(moves: str, result: str = "1/2-1/2", **changes: object) -> PlayedGame:
    """A xiangqi game."""
    known = {"event": "试", "date": "2026.01.02", "number": 3, "first": "甲", "second": "乙"}
    return PlayedGame(game="xiangqi", result=result, moves=tuple(moves.split()), **{**known, **changes})  # type: ignore[arg-type]


def pgn(*games: PlayedGame) -> str:
    """The games as an archive of PGN."""
    stream = io.BytesIO()
    assert write_archive(stream, ".pgn", games[0].game, games) == len(games)
    return stream.getvalue().decode("utf-8")


def xqf(game: PlayedGame) -> bytes:
    """The XQF file of a game."""
    stream = io.BytesIO()
    write_archive(stream, ".zip", game.game, [game])
    with zipfile.ZipFile(stream) as archive:
        return archive.read("00001.xqf")


def decoded_moves(data: bytes) -> list[str]:
    """The main line of an XQF file of version 10, read by the format's own description."""
    at, moves, has_next = 0x400, [], True
    while has_next:
        source, target, flags, _, length = struct.unpack_from("<BBBBI", data, at)
        at += 8 + length
        if at > 0x408:
            squares = (source - 24, target - 32)
            moves.append("".join(f"{'abcdefghi'[square // 10]}{square % 10}" for square in squares))
        has_next = bool(flags & 0xF0)
    assert at == len(data)
    return moves


def test_python_chess_reads_the_pgn_that_is_written() -> None:
    # Castling of both sides, captures in passing and promotions are coordinates that need care.
    moves = (
        "e2e4 a7a6 e4e5 d7d5 e5d6 g8f6 g1f3 g7g6 f1e2 f8g7 e1g1 e8g8 d6c7 b7b5 c7b8n c8b7 b1c3 d8d6 "
        "d2d4 a8b8 c1d2 b5b4 d1c1 b4c3 c1d1 c3b2 a1c1 b2c1q"
    )
    played = chess_game(moves)
    text = pgn(played)
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    assert tuple(move.uci() for move in game.mainline_moves()) == played.moves
    # python-chess leaves the backslashes of the PGN standard's escapes in place.
    assert (game.headers["White"], game.headers["Black"]) == (r"Ann \"A\"", r"Bo\\b")
    assert (game.headers["Result"], game.headers["Round"]) == ("1-0", "7")
    assert text.endswith("1-0\n\n")


def test_xiangqi_pgn_carries_the_tags_of_chinese_archives() -> None:
    lines = pgn(xiangqi_game("h2e2 h9g7")).splitlines()
    assert lines[0] == '[Game "Chinese Chess"]'
    assert {'[Red "甲"]', '[Black "乙"]', '[Format "ICCS"]'} <= set(lines)
    assert lines[-2:] == ["1. H2-E2 H9-G7 1/2-1/2", ""]


def test_xqf_keeps_moves_and_names() -> None:
    moves = "h2e2 h9g7 h0g2 i9h9 i0h0 g6g5 c3c4 b9c7"
    data = xqf(xiangqi_game(moves))
    assert decoded_moves(data) == moves.split()
    assert data[0x131 : 0x131 + data[0x130]].decode("gb18030") == "甲"


def test_an_illegal_move_is_refused() -> None:
    with pytest.raises(OptionError, match="game 2: .*e1e3"):
        pgn(chess_game("e2e4"), chess_game("e2e4 e7e5 e1e3"), chess_game("e2e4"))


def test_equal_games_give_equal_zips() -> None:
    games = [xiangqi_game("h2e2 h9g7", number=number) for number in (1, 2)]
    first, second = io.BytesIO(), io.BytesIO()
    assert write_archive(first, ".zip", "xiangqi", games) == 2
    write_archive(second, ".zip", "xiangqi", games)
    assert first.getvalue() == second.getvalue()
    with zipfile.ZipFile(first) as archive:
        assert archive.namelist() == ["00001.xqf", "00002.xqf"]
        assert decoded_moves(archive.read("00002.xqf")) == ["h2e2", "h9g7"]


def test_a_name_must_tell_a_form_that_the_game_has() -> None:
    check_archive_form(Path("a.zip"), "xiangqi")
    with pytest.raises(OptionError, match=r"end in \.pgn"):
        check_archive_form(Path("a.zip"), "chess")


@pytest.mark.parametrize("name", ["chess_selfplay.pgn", "xiangqi_selfplay.pgn", "xiangqi_selfplay.zip"])
def test_bundled_archives_match_their_games(data: Path, name: str) -> None:
    source = data / name
    game: Game = "chess" if name.startswith("chess") else "xiangqi"
    texts = (data / f"{game}_selfplay.pgn").read_text(encoding="utf-8")
    values = dict[str, list[str]]()
    for tag, value in re.findall(r'(?m)^\[(\w+) "(.*)"\]$', texts):
        values.setdefault(tag, []).append(value)
    first = "White" if game == "chess" else "Red"
    lines = run("games", "convert", data / f"{game}_selfplay.pgn", "--to", "lines").out.splitlines()
    games = [
        PlayedGame(
            game=game,
            event=values["Event"][at],
            date=values["Date"][at],
            number=int(values["Round"][at]),
            first=values[first][at],
            second=values["Black"][at],
            result=line.split()[-1],  # type: ignore[arg-type]
            moves=tuple(line.split()[:-1]),
        )
        for at, line in enumerate(lines)
    ]
    stream = io.BytesIO()
    assert write_archive(stream, source.suffix, game, games) == 2000
    assert stream.getvalue() == source.read_bytes()
