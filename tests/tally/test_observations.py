"""Observations: the moves of games as batches of Arrow, and frames that come back as tallies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import bookbuilder as bb
from bookbuilder import _core
from bookbuilder.errors import OptionError, SchemaError
from bookbuilder.schema import OBSERVATIONS
from bookbuilder.tally import observations as module

START = bb.Position("chess").fen


def counted(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a tally of observations, as a user counts them."""
    results = {
        name: rows["result"] == code for code, name in enumerate(("first_wins", "draws", "second_wins"), 1)
    }
    by = rows.assign(games=1, **results).groupby(["key", "lock", "move", "mover"], as_index=False)
    return by.agg({"games": "sum", "ply": "min", **dict.fromkeys(results, "sum")})


@pytest.mark.parametrize("dedupe", ["off", "exact", "prefix"])
@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_counted_observations_are_the_tally(game: Any, dedupe: Any) -> None:
    """Also across batches, and with jobs: the order is that of the archives."""
    options: Any = {"max_ply": 12, "dedupe": dedupe, "limit": 700}
    seen = bb.observations(*bb.demo(game), **options)
    rows = seen.to_pandas()
    tally = bb.Tally.from_archives(*bb.demo(game), **options)
    frame = counted(rows)
    native = tally.to_pandas()[list(frame)]
    pd.testing.assert_frame_equal(frame, native, check_dtype=False)
    assert rows["game"].nunique() == rows["game"].iat[-1] + 1 == tally.game_count
    assert rows["game"].is_monotonic_increasing
    report = seen.report
    assert report is not None
    assert tally.report is not None
    assert (report.observations, report.games_used) == (len(rows), tally.report.games_used)
    assert report.sources == tally.sources


def test_batches_do_not_depend_on_memory_and_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bb.observations(*bb.demo("chess"), max_ply=20, jobs=1)
    tables = [whole.to_arrow()]
    monkeypatch.setattr(module, "_RUN_BYTES", 1 << 18)
    monkeypatch.setattr(module, "_ROWS", 1000)
    for jobs in (1, 2):
        batches = list(bb.observations(*bb.demo("chess"), max_ply=20, jobs=jobs))
        assert max(batch.num_rows for batch in batches) <= 1000 < len(batches) * 1000
        tables.append(pa.Table.from_batches(batches))
    assert all(table.combine_chunks().equals(tables[0].combine_chunks()) for table in tables)
    assert tables[0].schema.equals(OBSERVATIONS)


def test_reading_stops_with_the_iterator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_RUN_BYTES", 1 << 18)
    seen = bb.observations(*bb.demo("chess"))
    assert next(iter(seen)).num_rows
    assert seen.report is None


def test_rejects_and_other_games_are_reported(tmp_path: Path, chess_pgn: Path) -> None:
    bad = tmp_path / "bad.pgn"
    bad.write_text('[Event "E"]\n\n1. e4 Kxe8 *\n\n' + chess_pgn.read_text())
    seen = bb.observations(bad)
    seen.to_arrow()
    assert seen.report is not None
    assert (seen.report.games_used, seen.report.rejects) == (6, {"illegal-move": 1})
    assert seen.report.first_rejects[0]["token"] == "Kxe8"
    with pytest.raises(OptionError, match="observations are of main lines only"):
        bb.observations(bad, variations=True)


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_tally_comes_back_from_its_frame(game: Any) -> None:
    tally = bb.Tally.from_archives(*bb.demo(game), max_ply=14)
    frame = tally.to_pandas()
    again = bb.Tally.from_frame(frame.sample(frac=1, random_state=1), game=game)
    with pytest.raises(SchemaError, match=f"its keys are of {game}"):
        bb.Tally.from_frame(frame, game="chess" if game == "xiangqi" else "xiangqi")
    for fold, word in ((False, "apart"), (True, "folded")):
        rows = bb.Tally.from_archives(*bb.demo("xiangqi"), max_ply=2, fold=fold).to_pandas()
        with pytest.raises(SchemaError, match=f"mirrors {word}"):
            bb.Tally.from_frame(rows, game="xiangqi", fold=not fold)
    assert again.to_arrow().equals(tally.to_arrow())
    # Each row in two halves.
    counts = [*frame.columns[4:8], "rating_sum", "rated", "marks", "paired", "surplus"]  # games and results
    nothing = frame.assign(**dict.fromkeys(counts, 0))
    assert bb.Tally.from_frame(pd.concat([frame, nothing]), game=game).to_arrow().equals(tally.to_arrow())


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_frame_of_positions_and_texts_gives_the_same_moves(game: Any) -> None:
    """A tree with positions before the moves, in each notation."""
    tally = bb.Tally.from_archives(*bb.demo(game), max_ply=4)
    tree = tally.tree(max_ply=4, min_games=1)
    before = tree["parent"].map(lambda row: bb.Position(game).fen if row < 0 else tree.at[row, "fen"])
    for notation in _core.notations(game):
        if (game, notation) != ("xiangqi", "uci"):
            texts = tally.tree(max_ply=4, min_games=1, notation=notation)["san"]
            frame = tree.assign(fen=before, move=texts, games=tree["played"])
            again = bb.Tally.from_frame(frame, game=game)
            names = ["key", "lock", "move", "mover", "games", "first_wins"]
            native = tally.to_pandas().query("move > 0")[names]
            found = again.to_pandas()[list(native)]
            pd.testing.assert_frame_equal(found, native.reset_index(drop=True))


def test_changed_frame_goes_on_to_a_book(tmp_path: Path) -> None:
    tally = bb.Tally.from_archives(*bb.demo("chess"), max_ply=10)
    frame = tally.to_pandas()
    frame.loc[frame["ply"] > 8, ["games", "draws"]] *= 2
    start = tally.rows_at("startpos")
    d4 = bb.Position("chess").parse_move("d4")
    is_d4 = (frame["key"] == start[0].key) & (frame["move"] == d4)
    changed = bb.Tally.from_frame(frame[~is_d4], game="chess")
    assert changed.game_count == sum(row.games for row in start if row.move != d4)
    bb.build(changed, tmp_path / "book.bin")
    moves = bb.open_book(tmp_path / "book.bin").moves()["san"].tolist()
    assert "e4" in moves
    assert "d4" not in moves


FRAME: Any = {"fen": [START, START], "move": ["e4", "d2d4"], "first_wins": [3, 1], "second_wins": [2, 0]}
XIANGQI = bb.Position("xiangqi").fen


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"move": None}, 'column "move" is missing'),
        ({"fen": None}, 'column "key" is missing; give a column fen'),
        ({"fen": None, "key": [1, 2], "lock": [1, 2]}, 'column "mover" is missing'),
        ({"draws": [0, 2.5]}, 'row b, column "draws": 2.5 is not a whole number'),
        ({"draws": [0, None]}, 'row b, column "draws": nan is not a whole number'),
        ({"draws": ["x", 1]}, "row a, column \"draws\": 'x' is not a whole number"),
        ({"draws": [0, -1]}, 'row b, column "draws": -1 is not within 0'),
        ({"games": [5, 0]}, 'row b, column "games": 1 results of fewer games'),
        ({"move": ["e4", "e5"]}, 'row b, column "move": "e5" is not legal here'),
        ({"move": [796, 5]}, 'row b, column "move": 5 is not the code of a legal move'),
        ({"fen": [START, XIANGQI]}, 'row b, column "fen": .* give positions of chess'),
        ({"fen": None, "key": [0.5, 1], "lock": 1, "mover": 0, "ply": 0}, 'column "key" is float64'),
        ({"fen": None, "key": 1, "lock": 1, "move": 0, "mover": [1, 2], "ply": 0}, 'row b, column "mover"'),
    ],
)
def test_bad_frame_is_refused_with_its_row(change: dict[str, Any], message: str) -> None:
    frame = pd.DataFrame(FRAME, index=["a", "b"])
    for name, column in change.items():
        frame = frame.drop(columns=name) if column is None else frame.assign(**{name: column})
    with pytest.raises(SchemaError, match=message):
        bb.Tally.from_frame(frame, game="chess")
