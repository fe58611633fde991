"""Archives that Python writes: other readers find in them what was put in."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import chess.pgn
import pytest

from bookbuilder.errors import OptionError
from bookbuilder.formats.archive import check_archive_form, write_archive
from bookbuilder.formats.pgn import LINE_WIDTH, format_pgn
from bookbuilder.formats.played import RESULTS, PlayedGame
from bookbuilder.formats.xqf import format_xqf


def chess_game(moves: str, result: str = "1-0", **changes: object) -> PlayedGame:
    """A chess game whose SAN comes from python-chess."""
    board, texts = chess.Board(), []
    for uci in moves.split():
        move = chess.Move.from_uci(uci)
        texts.append(board.san(move))
        board.push(move)
    known = {"event": "Test", "date": "2026.01.02", "number": 7, "first": 'Ann "A"', "second": "Bo\\b"}
    return PlayedGame(
        game="chess", result=result, moves=tuple(moves.split()), texts=tuple(texts), **{**known, **changes}
    )  # type: ignore[arg-type]


def xiangqi_game(moves: str, result: str = "1/2-1/2", **changes: object) -> PlayedGame:
    """A xiangqi game."""
    texts = tuple(f"{move[:2]}-{move[2:]}".upper() for move in moves.split())
    known = {"event": "试", "date": "2026.01.02", "number": 3, "first": "甲", "second": "乙"}
    return PlayedGame(
        game="xiangqi", result=result, moves=tuple(moves.split()), texts=texts, **{**known, **changes}
    )  # type: ignore[arg-type]


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
    played = chess_game("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 f3g5 d7d5 e4d5 c6a5 c4b5 c7c6 d5c6 b7c6 d1f3 a8b8")
    text = format_pgn(played)
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    assert tuple(move.uci() for move in game.mainline_moves()) == played.moves
    # python-chess leaves the backslashes of the PGN standard's escapes in place.
    assert (game.headers["White"], game.headers["Black"]) == (r"Ann \"A\"", r"Bo\\b")
    assert (game.headers["Result"], game.headers["Round"]) == ("1-0", "7")
    assert max(map(len, text.splitlines())) <= LINE_WIDTH
    assert text.endswith("1-0\n\n")


def test_xiangqi_pgn_carries_the_tags_of_chinese_archives() -> None:
    lines = format_pgn(xiangqi_game("h2e2 h9g7")).splitlines()
    assert lines[0] == '[Game "Chinese Chess"]'
    assert {'[Red "甲"]', '[Black "乙"]', '[Format "ICCS"]'} <= set(lines)
    assert lines[-2:] == ["1. H2-E2 H9-G7 1/2-1/2", ""]


def test_the_records_of_xqf_are_those_of_the_format_description() -> None:
    data = format_xqf(xiangqi_game("c3c4 h9g7", "1-0"))
    assert data[:3] == b"XQ\x0a"
    assert data[0x33] == 1
    assert data[0x400:] == bytes.fromhex("18 20 F0 FF 00000000  2F 38 F0 00 00000000  67 63 00 00 00000000")


@pytest.mark.parametrize(("result", "code"), [("*", 0), ("1-0", 1), ("0-1", 2), ("1/2-1/2", 3)])
def test_xqf_knows_the_result(result: str, code: int) -> None:
    assert result in RESULTS
    assert format_xqf(xiangqi_game("h2e2", result))[0x33] == code


def test_xqf_gives_back_its_moves_and_its_names() -> None:
    moves = "h2e2 h9g7 h0g2 i9h9 i0h0 g6g5 c3c4 b9c7"
    data = format_xqf(xiangqi_game(moves))
    assert decoded_moves(data) == moves.split()
    assert data[0x131 : 0x131 + data[0x130]].decode("gb18030") == "甲"


def test_a_game_without_moves_is_a_root_without_a_child() -> None:
    assert format_xqf(xiangqi_game(""))[0x400:] == bytes.fromhex("18 20 00 FF 00000000")


def test_a_long_name_is_never_cut_within_a_character() -> None:
    data = format_xqf(xiangqi_game("h2e2", first="很长很长很长很长的名字"))
    assert data[0x130] == 14
    assert data[0x131:0x13F].decode("gb18030") == "很长很长很长很"


def test_xqf_refuses_what_it_cannot_hold() -> None:
    with pytest.raises(OptionError, match="XQF holds xiangqi"):
        format_xqf(chess_game("e2e4"))
    with pytest.raises(OptionError, match="not a move in ICCS"):
        format_xqf(xiangqi_game("h2e2x"))


def test_moves_and_texts_belong_together() -> None:
    with pytest.raises(OptionError, match="1 moves but 0 texts"):
        PlayedGame(
            game="chess",
            event="",
            date="",
            number=1,
            first="",
            second="",
            result="*",
            moves=("e2e4",),
            texts=(),
        )


def test_equal_games_make_equal_zips_of_one_file_a_game() -> None:
    games = [xiangqi_game("h2e2 h9g7", number=number) for number in (1, 2)]
    first, second = io.BytesIO(), io.BytesIO()
    assert write_archive(first, ".zip", games) == 2
    write_archive(second, ".zip", games)
    assert first.getvalue() == second.getvalue()
    with zipfile.ZipFile(first) as archive:
        assert archive.namelist() == ["00001.xqf", "00002.xqf"]
        assert decoded_moves(archive.read("00002.xqf")) == ["h2e2", "h9g7"]


def test_a_name_must_tell_a_form_that_the_game_has() -> None:
    check_archive_form(Path("a.zip"), "xiangqi")
    with pytest.raises(OptionError, match=r"end in \.pgn"):
        check_archive_form(Path("a.zip"), "chess")
