"""Repeat the figure of the opening-book literature on an archive: nodes kept against the threshold P.

The literature takes 1,000 games, finds 39,000 nodes, and raises P = W/(W+L) in steps of 10 %. It states no
other number of nodes. The output has the same figure for several minimum counts of games, and the number of
nodes whose P is undefined (no decided game), 0, 1, or between.

    python benches/literature.py ARCHIVE [--games 1000] [--max-ply 52] [--min-games 1,2,5,10]
                                         [--json] [--plot FILE]

The answer is checked: every point is counted a second time from the tally's rows with pandas, and P = 0 must
keep every position of the tally except the start position, to which no move leads.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import bookbuilder as bb

if TYPE_CHECKING:
    import pandas as pd

PERCENTS = range(0, 81, 10)
# The nodes that the literature states for P = 0.
STATED = 39_000
COLUMNS = ("undefined", "zero", "between", "one")


def main() -> int:
    """Tally the archive, draw the figure from it, check it, print it."""
    arguments = parsed()
    tally = bb.Tally.from_archives(
        arguments.archive, game=arguments.game, max_ply=arguments.max_ply, limit=arguments.games
    )
    if tally.games.num_rows < arguments.games:
        print(f"only {tally.games.num_rows:,} games could be used, not {arguments.games:,}", file=sys.stderr)
    curve = bb.threshold_curve(
        tally, grid=[f"{percent}/100" for percent in PERCENTS], min_games=arguments.min_games
    )
    nodes = nodes_of(tally)
    check(curve, nodes, tally)
    kinds = kinds_of(nodes, arguments.min_games)
    if arguments.plot is not None:
        draw(curve, arguments.plot)
    if arguments.json:
        answer = {"games": tally.games.num_rows, "max_ply": arguments.max_ply, "nodes": len(nodes)}
        points, rows = (frame.to_dict("records") for frame in (curve, kinds))
        print(json.dumps({"schema": 1, **answer, "points": points, "kinds": rows}, indent=1))
    else:
        print_answer(tally, curve, kinds)
    return 0


def parsed() -> argparse.Namespace:
    """The arguments."""
    parser = argparse.ArgumentParser(description="Nodes kept against the threshold P, as in the literature.")
    parser.add_argument("archive", help="a file or directory of games")
    parser.add_argument("--game", default="auto", choices=("auto", "chess", "xiangqi"))
    parser.add_argument("--games", type=int, default=1000, help="use the first N games")
    parser.add_argument("--max-ply", type=int, default=52, help="count positions up to this ply")
    parser.add_argument("--min-games", type=counts, default=[1, 2, 5, 10], metavar="N,N…")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the figure: .png, .svg or .pdf")
    return parser.parse_args()


def counts(text: str) -> list[int]:
    """Minimum counts; 1, the literature's, is always among them and comes first."""
    return [1, *sorted({int(part) for part in text.split(",")} - {1})]


def nodes_of(tally: bb.Tally) -> pd.DataFrame:
    """Games, wins and losses of the side that moved into each position, by pandas alone."""
    rows = tally.to_pandas()
    by_position = rows.groupby(["key", "lock"])
    nodes = by_position[["games", "first_wins", "second_wins"]].sum().astype("int64")
    # The side to move there is the mover of its rows; the other side moved into it.
    first_moved = by_position["mover"].first() == 1
    nodes["wins"] = nodes["first_wins"].where(first_moved, nodes["second_wins"])
    nodes["losses"] = nodes["second_wins"].where(first_moved, nodes["first_wins"])
    return nodes[by_position["ply"].min() > 0]


def check(curve: pd.DataFrame, nodes: pd.DataFrame, tally: bb.Tally) -> None:
    """End the program if the curve and the second count differ anywhere."""
    positions = len(tally.to_pandas()[["key", "lock"]].drop_duplicates())
    kept_by_all = int(curve.loc[(curve["p"] == 0) & (curve["min_games"] == 1), "positions"].iloc[0])
    if kept_by_all != positions - 1:
        sys.exit(f"P = 0 keeps {kept_by_all:,} nodes, expected all {positions:,} positions but the start")
    for p, least, kept in zip(curve["p"], curve["min_games"], curve["positions"], strict=True):
        decided = nodes["wins"] + nodes["losses"]
        passes = 100 * nodes["wins"] >= round(100 * p) * decided
        expected = int((passes & (nodes["games"] >= least)).sum())
        if kept != expected:
            sys.exit(f"P = {p:.0%}, {least} games: the curve keeps {kept:,} nodes, pandas {expected:,}")


def kinds_of(nodes: pd.DataFrame, leasts: list[int]) -> pd.DataFrame:
    """How many nodes have P undefined, 0, between, 1, for each minimum count."""
    import pandas as pd

    rows: list[dict[str, int]] = []
    for least in leasts:
        asked = nodes[nodes["games"] >= least]
        won, lost = asked["wins"] > 0, asked["losses"] > 0
        kinds = (~won & ~lost, ~won & lost, won & lost, won & ~lost)
        sums = {name: int(kind.sum()) for name, kind in zip(COLUMNS, kinds, strict=True)}
        rows.append({"min_games": least, "nodes": len(asked), **sums})
    return pd.DataFrame(rows)


def print_answer(tally: bb.Tally, curve: pd.DataFrame, kinds: pd.DataFrame) -> None:
    """The figure as a table, and what makes its shape."""
    print(f"{tally.games.num_rows:,} games of {tally.game}, {tally.options.max_ply} plies of each\n")
    table = curve.pivot_table(index="p", columns="min_games", values="positions", sort=False)
    leasts = [int(least) for least in table.columns]
    print("P ≥   " + "".join(f"{f'≥ {least} games':>14}" for least in leasts) + f"{'literature':>14}")
    for percent, row in zip(PERCENTS, table.itertuples(index=False), strict=True):
        cells = "".join(f"{int(kept):>14,}" for kept in row)
        said = "" if percent else f"{STATED:>14,}"
        print(f"{percent:>3} % {cells}{said}".rstrip())
    print("\nnodes by P  undefined       P = 0   0 < P < 1       P = 1")
    for row in kinds.to_dict("records"):
        print(f"≥ {row['min_games']:<3} games" + "".join(f"{row[name]:>12,}" for name in COLUMNS))


def draw(curve: pd.DataFrame, path: Path) -> None:
    """The figure: left beside the stated number, right each minimum count as a share of its P = 0."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.4, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    bb.plots.threshold(curve[curve["min_games"] == 1], ax=left)
    left.scatter(
        0,
        STATED,
        s=70,
        marker="D",
        facecolors="none",
        edgecolors="#b5484b",
        linewidths=1.6,
        clip_on=False,
        zorder=4,
        label="stated in the literature",
    )
    left.set_ylim(0, 1.08 * max(curve["positions"].max(), STATED))
    left.set_title("Nodes kept, one game is enough", loc="left")
    left.set_ylabel("nodes kept")
    left.legend(frameon=False, loc="lower left")
    most = curve.groupby("min_games")["positions"].transform("max").clip(lower=1)
    bb.plots.threshold(curve.assign(positions=100 * curve["positions"] / most), ax=right)
    right.set_title("The same as a share of P = 0", loc="left")
    right.set_ylabel("nodes kept, in % of those at P = 0")
    for ax in (left, right):
        ax.set_xlim(0, max(PERCENTS))
        ax.set_xlabel("threshold P, in %")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    sys.exit(main())
