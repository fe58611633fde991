"""Names of openings: legal lines, unique names, transpositions, and the tags of real archives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cli_runner import run

from bookbuilder import _core
from bookbuilder.errors import MoveError
from bookbuilder.games.openings import Opening, Openings, openings_of
from bookbuilder.games.position import GAMES_KNOWN, Game
from bookbuilder.schema import from_native

# ECO and ECCO: five volumes of a hundred codes. A xiangqi line may only have its group.
CODES = {"chess": r"[A-E]\d\d", "xiangqi": r"[A-E]\d\d?"}
NOTATIONS = {"chess": "san", "xiangqi": "iccs"}
# Fewest lines of each table, and fewest codes (chess: all of them; xiangqi: groups of a letter and a digit).
FEWEST: dict[Game, tuple[int, int]] = {"chess": (400, 500), "xiangqi": (150, 30)}


def after(game: Game, moves: Iterator[str] | tuple[str, ...] | list[str]) -> _core.Position:
    """The position after moves."""
    position = _core.Position(game)
    for move in moves:
        position = position.play(position.parse_move(move))
    return position


def mirrored(moves: tuple[str, ...]) -> list[str]:
    """The ICCS moves of the mirror."""
    swap = str.maketrans("abcdefghi", "ihgfedcba")
    return [move.translate(swap) for move in moves]


@pytest.mark.parametrize("game", GAMES_KNOWN)
def test_opening_lines_are_legal_and_in_standard_notation(game: Game) -> None:
    for opening in openings_of(game):
        position = _core.Position(game)
        for move in opening.moves:
            code = position.parse_move(move, NOTATIONS[game])
            assert position.format_move(code, NOTATIONS[game]) == move, opening
            position = position.play(code)


@pytest.mark.parametrize("game", GAMES_KNOWN)
def test_positions_and_names_of_lines_are_unique(game: Game) -> None:
    openings = list(openings_of(game))
    ends = {after(game, opening.moves).stored(fold=True) for opening in openings}
    assert len(ends) == len(openings)
    assert len({opening.name for opening in openings}) == len(openings)


@pytest.mark.parametrize("game", GAMES_KNOWN)
def test_tables_are_sorted_and_their_codes_well_formed(game: Game) -> None:
    openings = list(openings_of(game))
    lines, codes = FEWEST[game]
    assert len(openings) >= lines
    assert len({opening.code[:2] if game == "xiangqi" else opening.code for opening in openings}) >= codes
    assert all(re.fullmatch(CODES[game], opening.code) for opening in openings)
    keys = [(opening.code, " ".join(opening.moves)) for opening in openings]
    assert all(one < other for one, other in pairwise(keys))
    assert all(opening.name.strip() == opening.name and opening.name for opening in openings)
    assert all(bool(opening.chinese) == (game == "xiangqi") for opening in openings)


@pytest.mark.parametrize(
    ("moves", "code", "name"),
    [
        ("c4 e6 d4 Nf6 Nc3 d5", "D35", "Queen's Gambit Declined"),
        ("Nf3 c5 e4", "B27", "Sicilian Defence"),
        ("Nf3 Nf6 c4 g6 Nc3 Bg7 d4 O-O e4 d6 Be2 e5", "E92", "King's Indian Defence"),
        ("d4 e6 e4 d5 Nc3 Nf6", "C11", "French Defence"),
        ("e4 e5 Bc4 Nf6 Nf3 Nc6 Ng5", "C57", "Two Knights Defence"),
        ("c4 c6 e4 d5 exd5 cxd5 d4", "B13", "Caro-Kann Defence: Panov"),
        ("e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 a2a3", "B90", "Sicilian Defence: Najdorf"),
    ],
)
def test_a_chess_game_has_the_name_of_the_position_it_transposes_to(moves: str, code: str, name: str) -> None:
    opening = openings_of("chess").classify(moves.split())
    assert opening is not None
    assert opening.code == code
    assert opening.name.startswith(name)


@pytest.mark.parametrize(
    ("moves", "code", "chinese"),
    [
        ("h2e2 h9g7 h0g2 b9c7", "C00", "中炮对屏风马"),
        ("h2e2 b9c7 h0g2 h9g7", "C00", "中炮对屏风马"),
        ("b2e2 b9c7 b0c2 h9g7", "C00", "中炮对屏风马"),  # its mirror
        ("炮二平五 炮８平５", "D00", "顺炮局"),
        ("g3g4 c6c5 a3a4", "E40", "对兵局"),
        ("c0e2", "A10", "飞相局"),
    ],
)
def test_xiangqi_game_and_mirror_have_same_name(moves: str, code: str, chinese: str) -> None:
    opening = openings_of("xiangqi").classify(moves.split())
    assert opening is not None
    assert (opening.code, opening.chinese) == (code, chinese)


def test_name_depends_only_on_board() -> None:
    chess = openings_of("chess")
    fen = "rnbqkbnr/pppp1ppp/8/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR b KQkq - 1 2"
    found = chess.name_of(fen)
    assert found == Opening("C23", "Bishop's Opening", "", ("e4", "e5", "Bc4"))
    assert found.ply == 3
    assert chess.classify(["d4"], start="startpos") == chess.name_of(after("chess", ["d4"]))
    assert chess.name_of("startpos") is None
    assert chess.classify([]) is None
    assert chess.classify(["Ng8f6"], start=fen) == chess.name_of(after("chess", ["e4", "e5", "Bc4", "Nf6"]))
    with pytest.raises(MoveError):
        chess.classify(["e4", "e4"])


@pytest.mark.parametrize("game", GAMES_KNOWN)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_names_of_columns_match_names_of_positions(game: Game, data: st.DataObject) -> None:
    openings = openings_of(game)
    places = st.integers(min_value=0, max_value=len(openings) - 1)
    chosen = data.draw(st.lists(places, max_size=8))
    lines = [openings[place].moves for place in chosen]
    if game == "xiangqi":
        lines += [tuple(mirrored(line)) for line in lines]
    positions = [after(game, line) for line in lines]
    for fold in (False, True):
        stored = [position.stored(fold) for position in positions]
        keys = np.array([key for key, _ in stored], np.uint64)
        locks = np.array([lock for _, lock in stored], np.uint32)
        found = openings.places_for(keys, locks)
        assert found.tolist() == (chosen * 2)[: len(lines)]
        assert (openings.places_for(keys, locks ^ np.uint32(1)) == -1).all()


def test_openings_are_found_by_code_and_by_name() -> None:
    chess = openings_of("chess")
    assert {opening.code for opening in chess.find("b9")} == {f"B9{digit}" for digit in range(10)}
    assert all("Najdorf" in opening.name for opening in chess.find("NAJDORF"))
    assert openings_of("xiangqi").find("顺炮局")
    assert [each.chinese for each in openings_of("xiangqi").find("D00")] == ["顺炮局"]
    assert len(chess.find("")) == len(chess)
    assert chess is openings_of("chess")
    assert len(Openings("chess")) == len(chess)


def test_the_command_lists_openings() -> None:
    assert "Frankenstein-Dracula" in run("openings", "--find", "dracula").out
    assert '"chinese": "顺炮局"' in run("openings", "--game", "xiangqi", "--find", "D00", "--json").out
    assert run("openings", "--find", "no such opening").code == 1


def tagged(archives: list[str], game: Game) -> Iterator[tuple[str, str]]:
    """Tag and code by the moves of each game that has a tag."""
    openings = openings_of(game)
    pairs: list[tuple[str, int | None]] = []

    def take(batch: _core.ArrowStream) -> None:
        table = from_native(batch)
        pairs.extend(zip(table["eco"].to_pylist(), table["named"].to_pylist(), strict=True))

    _core.list_games(archives, game, take, names=openings.positions())
    for tag, place in pairs:
        if re.match(CODES["chess"], tag):
            yield tag[:3], "" if place is None else openings[place].code


@pytest.mark.corpus
@pytest.mark.parametrize(
    # Shares of games with the letter, and with the whole code, of the tag, measured on the archives. A tag
    # depends on the order of the moves as well, a name here on positions alone.
    ("archive", "letter", "full"),
    [("pgnmentor_sample20k_dev", 0.96, 0.83), ("pgnmentor_tournaments_dev", 0.96, 0.80)],
)
def test_codes_match_tags_of_real_games(corpus: Path, archive: str, letter: float, full: float) -> None:
    pairs = list(tagged([str(corpus / "data" / "chess" / f"{archive}.pgn.zst")], "chess"))
    assert len(pairs) > 20_000
    assert sum(tag[0] == code[:1] for tag, code in pairs) >= letter * len(pairs)
    assert sum(tag == code for tag, code in pairs) >= full * len(pairs)


@pytest.mark.corpus
def test_xiangqi_groups_match_tags_of_real_games(corpus: Path) -> None:
    archive = corpus / "data" / "xiangqi" / "pgn_gbk" / "walker8088_cchess_pgn.tar.gz"
    pairs = list(tagged([str(archive)], "xiangqi"))
    assert len(pairs) > 1_000
    assert sum(tag[0] == code[:1] for tag, code in pairs) >= 0.92 * len(pairs)
    assert sum(tag[:2] == code[:2] for tag, code in pairs) >= 0.80 * len(pairs)


def test_games_list_shows_tag_or_name_of_moves(tmp_path: Path) -> None:
    games = [
        ("", "1. c4 e6 2. d4 Nf6 3. Nc3 d5 4. a3"),
        ('[ECO "D35"]\n', "1. d4 d5 2. c4 e6 3. Nc3 Nf6"),
        ('[ECO "D30"]\n[Opening "By its tag"]\n', "1. d4 d5 2. c4 e6 3. Nc3 Nf6"),
        ('[ECO "D30"]\n', "1. d4 d5 2. c4 e6 3. Nc3 Nf6"),
        ('[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n', "1. e4"),
    ]
    path = tmp_path / "games.pgn"
    path.write_text("".join(f'[Event "?"]\n[Result "*"]\n{tags}\n{moves} *\n\n' for tags, moves in games))
    rows = [json.loads(line) for line in run("games", "list", path, "--json").out.splitlines()]
    by_moves = ("D35", "Queen's Gambit Declined: 3.Nc3 Nf6")
    assert [(row["classified_eco"], row["classified_opening"]) for row in rows] == [by_moves] * 4 + [("", "")]
    assert [row["eco"] for row in rows] == ["", "D35", "D30", "D30", ""]
    head, _, *lines = run("games", "list", path).out.splitlines()
    start, end = head.index("opening"), head.index("event")
    shown = [line[start:end].strip() for line in lines]
    assert shown == [" ".join(by_moves), " ".join(by_moves), "D30 By its tag", "D30", ""]


def test_show_names_position_and_moves(tmp_path: Path, chess_pgn: Path) -> None:
    assert run("tally", chess_pgn, "-o", tmp_path / "store").code == 0
    answer = json.loads(run("show", tmp_path / "store", "e4 c5 Nf3", "--json").out)
    assert answer["opening"] == {"code": "B27", "name": "Sicilian Defence: 2.Nf3", "chinese": "", "ply": 3}
    assert [row["opening"]["code"] for row in answer["moves"]] == ["B50"]
    table = run("show", tmp_path / "store", "e4 c5 Nf3").out
    assert "opening B27 Sicilian Defence: 2.Nf3" in table
    assert "B50 Sicilian Defence: 2...d6" in table
    start = json.loads(run("show", tmp_path / "store", "--json").out)
    assert start["opening"] is None
    assert {row["move"]: row["opening"]["code"] for row in start["moves"]} == {
        "e2e4": "B00", "g1f3": "A04", "d2d4": "A40",
    }  # fmt: skip


def test_show_names_a_xiangqi_position_in_both_languages(tmp_path: Path, xiangqi_zip: Path) -> None:
    assert run("tally", xiangqi_zip, "-o", tmp_path / "store").code == 0
    shown = run("show", tmp_path / "store", "b2e2").out
    assert "opening B00 Central Cannon 中炮局" in shown
