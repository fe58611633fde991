"""Plots show the values of their frame, with labelled axes."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from support.selections import LITERATURE

from bookbuilder.analysis import plots
from bookbuilder.analysis.coverage import coverage
from bookbuilder.analysis.threshold import threshold_curve
from bookbuilder.book.book import Book
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

mpl.use("agg")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture
def tally(make_tally):
    return make_tally(51, 900)


def drawn(ax) -> bytes:
    stream = BytesIO()
    ax.figure.savefig(stream, format="png")
    return stream.getvalue()


@pytest.mark.parametrize(("plot", "column"), [(plots.threshold, "positions"), (plots.usage, "usage_share")])
def test_curves_have_one_line_per_minimum_count(tally, plot, column) -> None:
    curve = threshold_curve(tally, min_games=[1, 5])
    ax = plot(curve, chosen="0.55")
    lines = ax.get_lines()[:2]
    for line, least in zip(lines, (1, 5), strict=True):
        points = curve[curve.min_games == least]
        assert np.allclose(line.get_xdata(), 100 * points.p)
        assert np.allclose(line.get_ydata(), points[column])
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["at least 1 game", "at least 5 games", "P = 55 %"]
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert ax.get_title(loc="left")
    assert drawn(ax).startswith(b"\x89PNG")


def test_results_are_shares_of_lasting_games(make_tally) -> None:
    tally = make_tally(3, 50, games=500)
    ax = plots.results(tally)
    games = tally.games.to_pandas().query("result > 0")
    (lasting,) = ax.get_lines()
    ply, share = lasting.get_xdata(), lasting.get_ydata()
    assert len(ply) > 20
    for at in (0, len(ply) // 2, len(ply) - 1):
        assert share[at] == pytest.approx(100 * (games.plies >= ply[at]).mean())
    names = ("first side wins", "draw", "second side wins")
    areas = {area.get_label(): area.get_paths()[0].vertices for area in ax.collections}
    assert tuple(areas) == names
    # The three areas lie one on the other and fill the figure; at the left edge, all games.
    top = 0.0
    for code, name in enumerate(names, start=1):
        at_edge = areas[name][np.isclose(areas[name][:, 0], 0), 1]
        assert at_edge.min() == pytest.approx(top)
        top = at_edge.max()
        assert top - at_edge.min() == pytest.approx(100 * (games.result == code).mean())
    assert top == pytest.approx(100)
    assert f"{len(games):,} games" in ax.get_title(loc="left")
    assert drawn(ax)


def test_clusters_count_every_cluster_and_record(tally, tmp_path) -> None:
    book = Book.write(tmp_path / "a.book", select(tally, LITERATURE))
    ax = plots.clusters(book)
    heights = [bar.get_height() for bar in ax.patches]
    assert sum(heights) == book.cluster_sizes().size
    assert sum(size * count for size, count in enumerate(heights)) == len(book)
    (even,) = ax.get_lines()
    # Poisson: what chance gives adds up to all clusters, but for those fuller than the fullest.
    assert sum(even.get_ydata()) == pytest.approx(sum(heights), rel=1e-3)
    assert f"{len(book):,} records" in ax.get_title(loc="left")
    assert drawn(ax)


def test_coverage_draws_leaving_and_remaining_games(chess_pgn, tmp_path) -> None:
    book = Book.write(tmp_path / "a.book", select(Tally.from_archives(chess_pgn), LITERATURE, min_games=2))
    followed = coverage(book, chess_pgn)
    ax = plots.coverage(followed)
    frame = followed.by_ply()
    heights = np.array([bar.get_height() for bar in ax.patches])
    assert np.allclose(heights, 100 * frame["left"][: len(heights)] / len(followed.games))
    (inside,) = ax.get_lines()
    assert np.allclose(inside.get_ydata(), 100 * frame["inside_share"][: len(heights)])
    assert f"{len(followed.games):,} games" in ax.get_title(loc="left")
    assert drawn(ax)


def moves_of(*rows: tuple[str, int, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["owner", "loss_cp", "visits"])


def exits_of(*rows: tuple[str, float, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["owner", "value_cp", "reach"])


def height_at(line: Any, loss: float) -> float:
    """The height of a step at a loss, in per cent."""
    return [y for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True) if x <= loss][-1]


def legend_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_losses_step_by_share_of_visits() -> None:
    ax = plots.losses(
        moves_of(("white", 0, 3.0), ("white", 40, 0.6), ("white", 150, 0.4), ("black", 10, 1.0))
    )
    white, _, black, *_ = ax.get_lines()
    assert [height_at(white, loss) for loss in (0, 39, 40, 149, 150)] == pytest.approx([25, 25, 10, 10, 0])
    assert [height_at(black, loss) for loss in (0, 10)] == pytest.approx([100, 0])
    # Mean losses: (0.6 · 40 + 0.4 · 150) / 4, and 10.
    assert legend_of(ax) == [
        "White, 21.0 cp a move",
        "Black, 10.0 cp a move",
        "blunders lose more than 100 cp",
    ]
    assert ax.get_title(loc="left") == "What 4 book moves lose, by their visits"
    assert drawn(ax).startswith(b"\x89PNG")


def test_exits_add_up_and_far_ones_share_the_last_bar() -> None:
    rows = [("white", 30, 0.2), ("white", 900, 0.1), ("white", float("nan"), 0.3), ("black", -250, 0.4)]
    ax = plots.exits(exits_of(*rows))
    heights = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in ax.patches}
    assert sum(heights.values()) == pytest.approx(70)
    assert [heights[at] for at in sorted(heights) if heights[at]] == pytest.approx([40, 20, 10])
    assert min(at for at in heights if heights[at]) < -190
    assert legend_of(ax) == ["White, mean +320", "Black, mean −250"]
    assert ax.get_title(loc="left") == "What 3 exits of the book are worth"
    assert [label.get_text() for label in ax.get_xticklabels()][::8] == ["≤ −200", "≥ +200"]
    assert drawn(ax)
