"""Plots: what is drawn is what the frame says, with labelled axes."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import matplotlib as mpl
import numpy as np
import pytest

from bookbuilder import plots
from bookbuilder.errors import OptionError
from bookbuilder.quality import MAX_QUALITY
from bookbuilder.selection import select
from bookbuilder.threshold import threshold_curve

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


def test_threshold_may_have_a_logarithmic_axis_and_given_axes(tally) -> None:
    import matplotlib.pyplot as plt

    _, given = plt.subplots()
    ax = plots.threshold(threshold_curve(tally), ax=given, log=True)
    assert ax is given
    assert ax.get_yscale() == "symlog"
    assert drawn(ax)


@pytest.mark.parametrize("plot", [plots.threshold, plots.usage])
def test_empty_curve_is_refused(tally, plot) -> None:
    with pytest.raises(OptionError, match="empty"):
        plot(threshold_curve(tally).iloc[:0])


def test_reasons_have_one_bar_each(tally) -> None:
    chosen = select(tally, min_games=3)
    ax = plots.reasons(chosen)
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == list(chosen.reasons().values())
    assert ax.get_yticklabels()[0].get_text() == "kept"
    assert drawn(ax)


def test_quality_bars_add_up_to_the_kept_rows(tally) -> None:
    chosen = select(tally, min_games=3)
    ax = plots.quality(chosen)
    heights = [bar.get_height() for bar in ax.patches]
    assert len(heights) == MAX_QUALITY + 1
    assert sum(heights) == chosen.kept().num_rows
    assert drawn(ax)
