"""Real archives are read completely, with the content that other readers found in them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

import bookbuilder as bb

pytestmark = pytest.mark.corpus

# Results of GAMES: 0 unknown, 1 first side won, 2 draw, 3 second side won.
CHESS_RESULTS = {
    "pgnmentor_sample20k_dev": {0: 9, 1: 7_078, 2: 8_523, 3: 4_873},
    "pgnmentor_players_dev": {0: 37, 1: 63_695, 2: 76_073, 3: 44_539},
    "pgnmentor_tournaments_dev": {0: 18, 1: 23_976, 2: 31_488, 3: 16_992},
}
# Games without moves, found by searching their text for a square or a castling.
WITHOUT_MOVES = {"pgnmentor_tournaments_dev": {1: 3, 3: 2}}
# Result codes of XQF → results of GAMES; code 4 is also a draw.
XQF_RESULTS = {0: 0, 1: 1, 2: 3, 3: 2, 4: 2}

XQF_FILES = 35_967
START_POSITION_GAMES = 18_387
ILLEGAL_MAIN_LINES = 30
# The only file with a legal main line by the manifest that we refuse: black is in check in its start position
# and red is to move. 17 more start positions are like it, but have no moves.
IMPOSSIBLE_START = "d0cd11c3a9395df0183200f791d71e7612aded05"


@pytest.mark.parametrize("name", CHESS_RESULTS)
def test_chess_games_are_legal_with_their_results(corpus: Path, name: str) -> None:
    archive = corpus / "data" / "chess" / f"{name}.pgn.zst"
    tally = bb.Tally.from_archives(archive, max_ply=0, check="full")
    results, without_moves = Counter(CHESS_RESULTS[name]), Counter(WITHOUT_MOVES.get(name, {}))
    assert tally.report is not None
    assert tally.rejects.num_rows == 0
    assert tally.report.games_read == results.total()
    assert sum(tally.report.filtered.values()) == tally.report.filtered.get("no-moves", 0)
    assert sum(tally.report.filtered.values()) == without_moves.total()
    assert Counter(tally.games.column("result").to_pylist()) == results - without_moves


def test_variants_and_custom_starts_are_skipped_and_counted(corpus: Path) -> None:
    archive = corpus / "data" / "chess" / "lichess_magnus_online.pgn.zst"
    report = bb.Tally.from_archives(archive, max_ply=20).report
    assert report is not None
    assert report.games_read == 10_024
    # 96 games of Chess960, 25 of Atomic, 1 of Crazyhouse; 3 from custom starts; 2 without moves.
    assert report.filtered == {"variant": 122, "custom-start": 3, "no-moves": 2}
    assert report.variants == {"Chess960": 96, "Atomic": 25, "Crazyhouse": 1}
    assert report.rejects == {}
    assert report.games_used == 9_897


@pytest.fixture(scope="module", params=[True, False], ids=["folded", "unfolded"])
def whole(request: pytest.FixtureRequest, xqf_archive: Path) -> bb.Tally:
    """The tally of all XQF games, from whatever position they start."""
    return bb.Tally.from_archives(xqf_archive, custom_starts=True, fold=request.param)


def by_file(names: list[str]) -> list[str]:
    """Return the SHA-1 in each member's name."""
    return [name.rpartition("/")[2].removesuffix(".xqf") for name in names]


def legal_plies(manifest: pd.DataFrame) -> pd.Series[int]:
    """Plies of each main line before its first illegal move; the manifest counts from there to the end."""
    return manifest["mainline_plies"] - manifest["illegal_mainline"]


def test_xqf_games_from_start_position(xiangqi_tally: bb.Tally, manifest: pd.DataFrame) -> None:
    report = xiangqi_tally.report
    assert report is not None
    assert report.members_skipped == ()
    assert (report.games_read, report.games_used) == (XQF_FILES, 18_367)
    assert report.rejects == {"illegal-move": 20}
    assert report.games_used + sum(report.rejects.values()) == START_POSITION_GAMES
    assert report.filtered == {"custom-start": 17_564, "no-moves": XQF_FILES - 17_564 - START_POSITION_GAMES}
    legal = legal_plies(manifest)
    for line in xiangqi_tally.rejects.to_pylist():
        assert line["ply"] == legal[by_file([line["member"]])[0]]
        assert line["token"] in line["message"]
    assert xiangqi_tally.reached("startpos") == 18_367


def test_xqf_results_and_plies_equal_the_manifest(whole: bb.Tally, manifest: pd.DataFrame) -> None:
    games = whole.games.to_pandas()
    games.index = pd.Index(by_file(games["member"].tolist()))
    assert games.index.is_unique
    expected = manifest.loc[games.index]
    assert (expected["illegal_mainline"] == 0).all()
    assert games["plies"].tolist() == expected["mainline_plies"].tolist()
    assert games["result"].tolist() == expected["result"].map(XQF_RESULTS).tolist()
    assert int((expected["result"] == 4).sum()) == 4


def test_every_xqf_file_is_accounted_for(whole: bb.Tally, manifest: pd.DataFrame) -> None:
    report = whole.report
    assert report is not None
    assert report.games_read == XQF_FILES
    assert report.filtered == {"no-moves": int((manifest["mainline_plies"] == 0).sum())}
    rejects = {by_file([line["member"]])[0]: line for line in whole.rejects.to_pylist()}
    illegal = set(manifest.index[manifest["illegal_mainline"] > 0])
    assert set(rejects) - illegal == {IMPOSSIBLE_START}
    assert illegal <= set(rejects)
    assert rejects[IMPOSSIBLE_START]["reason"] == "bad-fen"
    assert "black is in check and not to move" in rejects[IMPOSSIBLE_START]["message"]
    legal = legal_plies(manifest)
    for sha1 in illegal:
        assert (rejects[sha1]["reason"], rejects[sha1]["ply"]) == ("illegal-move", legal[sha1])
    used = report.games_used + len(rejects) + report.filtered["no-moves"]
    assert used == XQF_FILES
    # 35,937 legal main lines: used, without moves, and the one that we refuse.
    assert report.games_used + report.filtered["no-moves"] + 1 == XQF_FILES - ILLEGAL_MAIN_LINES


def test_refused_starts_have_wrong_side_in_check(manifest: pd.DataFrame) -> None:
    refused = {}
    fens = manifest["start_fen"] + " " + manifest["first_side"]
    for fen in fens.unique():
        try:
            bb.Position("xiangqi", f"{fen} - - 0 1")
        except bb.errors.FenError as error:
            refused[fen] = str(error)
    assert all("is in check and not to move" in reason for reason in refused.values())
    files = manifest[fens.isin(refused)]
    assert len(files) == 18
    assert files.index[files["mainline_plies"] > 0].tolist() == [IMPOSSIBLE_START]
