"""Pictures of boards: every piece is on its square, with the outlines of the explorer's page."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from xml.etree import ElementTree

import chess
import pytest

from bookbuilder import Position
from bookbuilder.games.board_svg import board_svg

SVG = "{http://www.w3.org/2000/svg}"
STARTS = {"chess": Position("chess"), "xiangqi": Position("xiangqi")}


def placed(svg: str) -> dict[tuple[int, int], str]:
    """The pieces of a picture by the corner of their field."""
    uses = ElementTree.fromstring(svg).iter(f"{SVG}use")
    return {(int(use.get("x", "")), int(use.get("y", ""))): use.get("href", "") for use in uses}


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("game", STARTS)
def test_pieces_stand_where_the_fen_says(game: str, flip: bool) -> None:
    here = STARTS[game]
    move = here.parse_move("g1f3" if game == "chess" else "h0g2")
    here = here.play(move)
    ranks, files, margin = (8, 8, 0) if game == "chess" else (10, 9, 30)
    expected = {}
    for below, row in enumerate(here.fen.split()[0].split("/")):
        cells = re.sub(r"\d", lambda digits: "." * int(digits.group()), row)
        for file, letter in enumerate(cells):
            column, line = (files - 1 - file, ranks - 1 - below) if flip else (file, below)
            if letter != ".":
                side = "first" if letter.isupper() else "second"
                kind = "chess" if game == "chess" else "chinese"
                corner = (margin + column * 100, margin + line * 100)
                expected[corner] = f"#piece-{kind}-{side}-{letter.upper()}"
    svg = board_svg(here, flip=flip)
    assert placed(svg) == expected
    names = {group.get("id") for group in ElementTree.fromstring(svg).iter(f"{SVG}g")}
    assert {use[1:] for use in expected.values()} == names


@pytest.mark.parametrize("game", STARTS)
def test_a_picture_stands_alone_and_notebooks_show_it(game: str) -> None:
    here = STARTS[game]
    assert here._repr_svg_() == board_svg(here)
    picture = ElementTree.fromstring(here._repr_svg_())
    assert picture.get("aria-label") == f"{game} board, {here.fen}"
    # Letters of files and ranks alone are text; no style or script comes from elsewhere.
    assert all(re.fullmatch("[a-i0-9]{1,2}", text.text or "") for text in picture.iter(f"{SVG}text"))
    assert not re.search(r"href=\"[^#]|<style|<script|url\(", here._repr_svg_())


def test_arrows_marks_and_sets() -> None:
    svg = board_svg("startpos", arrows={"e2e4": 1.0, "d2d4": 0.1}, last="g8f6", coordinates=False)
    assert svg.count('fill="#1b6ca8"') == 2
    assert svg.count('fill="#d9a514"') == 2
    assert "<text" not in svg
    assert board_svg(chess.Board()) == board_svg("startpos")
    latin = board_svg("startpos", "xiangqi", pieces="latin")
    assert set(placed(latin).values()) == {
        f"#piece-latin-{side}-{letter}" for side in ("first", "second") for letter in "RNBAKCP"
    }
    with pytest.raises(ValueError, match="not a move in coordinates"):
        board_svg("startpos", arrows=["Nf3"])


def test_outlines_of_all_pieces_exist() -> None:
    held = json.loads((files("bookbuilder") / "explorer" / "web" / "pieces.json").read_text(encoding="utf-8"))
    assert set(held["chess"]) == set("KQRBNP")
    assert set(held["chinese"]) == set("KABRNCPkabrncp")
    assert set(held["latin"]) == set("KABRNCP")
