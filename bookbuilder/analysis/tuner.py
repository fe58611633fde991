"""Sliders for a threshold in a notebook.

The sliders work where a kernel runs and ipywidgets is installed (extra `notebook`). A saved notebook, or one
without a kernel, shows a picture and one line of text.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, Literal

from bookbuilder.analysis.calibration import Axis, Calibration, calibrate
from bookbuilder.analysis.threshold import threshold_curve
from bookbuilder.errors import OptionError
from bookbuilder.keywords import require_kind
from bookbuilder.ratios import Share, as_fraction
from bookbuilder.selection.options import SelectionOptions, preset
from bookbuilder.selection.select import Selection, select
from bookbuilder.tally.observations import Observations
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Collection

_COUNTS: Final = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Minimum counts that the slider offers, up to the largest count of the tally."""
_ALSO_DRAWN: Final = (1, 20)
"""Minimum counts whose curves are drawn besides the chosen one."""
_LIVE: Final = "application/vnd.jupyter.widget-view+json"


class Tuner:
    """Sliders for P, minimum count and maximum plies, with the size of the book that they give.

    Put it at the end of a cell to see the sliders; `selection()` returns the selection that they set.

    Attributes:
        min_win_rate: minimum P, 0 … 1.
        min_games: minimum number of games that reached a position.
        max_ply: maximum number of plies after which a position stood; None = no limit.

    Example:
        >>> tuner = bb.Tuner(bb.Tally.from_archives("games.pgn"), min_win_rate="50%", min_games=1)
        >>> tuner.selection()
        <Selection: chess, 15 of 22 positions kept>
    """

    def __init__(
        self, tally: Tally, *, min_win_rate: Share = "0.5", min_games: int = 5, max_ply: int | None = None
    ) -> None:
        """Set the sliders of a tally.

        Args:
            tally: any tally.
            min_win_rate: minimum P, exact.
            min_games: minimum number of games.
            max_ply: maximum number of plies; None = no limit.

        Raises:
            OptionError: the tally is empty or of another class, or the threshold is not a number from 0 to 1.
        """
        require_kind("tuner", tally, Tally)
        if not len(tally):
            raise OptionError("tuner: the tally is empty; expected at least one game")
        as_fraction(min_win_rate)
        self._tally = tally
        self.min_win_rate: Share = min_win_rate
        self.min_games = min_games
        self.max_ply = max_ply

    def selection(self) -> Selection:
        """Return the selection that the sliders set: by absolute thresholds, as the curves.

        Example:
            >>> tuner = bb.Tuner(bb.Tally.from_archives("games.pgn"), min_games=2)
            >>> tuner.selection().reasons()
            {'': 3, 'root': 1, 'below-games': 17, 'below-p': 1}
        """
        return select(
            self._tally,
            preset("literature"),
            min_win_rate=self.min_win_rate,
            min_games=self.min_games,
            max_ply=self.max_ply,
        )

    def calibrate(
        self, seen: Observations, axis: Axis = "min_win_rate", split: int | Literal["games"] | None = None
    ) -> Calibration:
        """Try the values of a rule on later games, and set the slider of the rule to the best one.

        Args:
            seen: the observations of archives.
            axis: min_win_rate or min_games; margin and prior have no slider.
            split: as of `calibrate`.

        Raises:
            SelectionError: as of `calibrate`.

        Example:
            >>> tuner = bb.Tuner(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> found = tuner.calibrate(bb.observations("games.pgn"), "min_games", split=2004)
            >>> tuner.min_games == found.best
            True
        """
        options = SelectionOptions(min_games=self.min_games, max_ply=self.max_ply)
        found = calibrate(seen, axis, options, split=split)
        if hasattr(self, axis):
            setattr(self, axis, found.best)
        return found

    def summary(self) -> str:
        """Return the thresholds and the size of the book in one line.

        Example:
            >>> bb.Tuner(bb.Tally.from_archives("games.pgn"), min_games=1).summary()
            'P ≥ 50 %, at least 1 game: 15 positions, 75.0 % of all visits'
        """
        threshold = as_fraction(self.min_win_rate)
        curve = threshold_curve(
            self._tally, grid=[threshold], min_games=[self.min_games], max_ply=self.max_ply
        )
        kept, share = int(curve["positions"].iloc[0]), float(curve["usage_share"].iloc[0])
        parts = [
            f"P ≥ {100 * float(threshold):g} %",
            f"at least {self.min_games} game{'s' * (self.min_games != 1)}",
        ]
        parts += [] if self.max_ply is None else [f"at most {self.max_ply} plies"]
        return f"{', '.join(parts)}: {kept:,} positions, {100 * share:.1f} % of all visits"

    def picture(self) -> bytes:
        """Return the curves with the chosen threshold marked, as PNG.

        Example:
            >>> bb.Tuner(bb.Tally.from_archives("games.pgn")).picture()[1:4]
            b'PNG'
        """
        from matplotlib.figure import Figure

        from bookbuilder.analysis import plots

        counts = sorted({*_ALSO_DRAWN, self.min_games})
        curve = threshold_curve(self._tally, min_games=counts, max_ply=self.max_ply)
        figure = Figure(figsize=(10, 3.8), layout="constrained")
        left, right = figure.subplots(1, 2)
        plots.threshold(curve, ax=left, log=True, chosen=self.min_win_rate)
        plots.usage(curve, ax=right, log=True, chosen=self.min_win_rate)
        # Half as wide as alone, the plots have room for short titles.
        left.set_title("Positions kept", loc="left")
        right.set_title("Share of all visits that it knows", loc="left")
        for ax in (left, right):
            ax.set_xlabel("threshold P, in %")
        stream = BytesIO()
        figure.savefig(stream, format="png", dpi=96)
        return stream.getvalue()

    def widget(self) -> Any:  # noqa: ANN401 (ipywidgets has no types)
        """Return the sliders with the picture, as an ipywidgets box.

        Raises:
            OptionError: ipywidgets is not installed.

        Example:
            >>> box = bb.Tuner(bb.Tally.from_archives("games.pgn")).widget()
            >>> len(box.children)
            4
        """
        if find_spec("ipywidgets") is None:
            raise OptionError('sliders need ipywidgets: pip install "bookbuilder[notebook]"')
        widgets = import_module("ipywidgets")
        longest = int(self._tally.column("ply").max())
        largest = int(self._tally.column("games").max())
        counts = sorted({self.min_games, *(count for count in _COUNTS if count <= largest)})
        sliders = {
            "min_win_rate": widgets.FloatSlider(
                float(as_fraction(self.min_win_rate)), min=0, max=1, step=0.01, description="P ≥"
            ),
            "min_games": widgets.SelectionSlider(options=counts, value=self.min_games, description="games ≥"),
            "max_ply": widgets.IntSlider(
                longest if self.max_ply is None else self.max_ply, min=1, max=longest, description="plies ≤"
            ),
        }
        picture, summary = widgets.Image(format="png"), widgets.HTML()

        def show(*_: object) -> None:
            # A slider's number is binary, but the threshold is the decimal that it shows.
            self.min_win_rate = f"{sliders['min_win_rate'].value:.2f}"
            self.min_games = sliders["min_games"].value
            plies = sliders["max_ply"]
            self.max_ply = None if plies.value == plies.max else plies.value
            picture.value, summary.value = self.picture(), self.summary()

        for slider in sliders.values():
            slider.continuous_update = False
            slider.observe(show, "value")
        show()
        controls = list(sliders.values())
        rows = [widgets.HBox(controls[:2]), widgets.HBox(controls[2:])]
        return widgets.VBox([*rows, picture, summary])

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, Any]:
        shown: dict[str, Any] = {"text/plain": self.summary(), "image/png": self.picture()}
        if _is_in_kernel() and find_spec("ipywidgets") is not None:
            shown[_LIVE] = self.widget()._repr_mimebundle_()[_LIVE]
        return shown


def _is_in_kernel() -> bool:
    """Return whether this is the kernel of a notebook, which widgets need."""
    return find_spec("IPython") is not None and hasattr(import_module("IPython").get_ipython(), "kernel")
