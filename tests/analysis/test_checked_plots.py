"""Plots of a checked book: the share of visits above a loss, and the values at the exits."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import matplotlib as mpl
import pandas as pd
import pytest

from bookbuilder.analysis import plots

mpl.use("agg")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def drawn(ax: Any) -> bytes:
    stream = BytesIO()
    ax.figure.savefig(stream, format="png")
    return stream.getvalue()


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
