"""The options of a command that shows some of the games of a store."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from bookbuilder.archives.filters import GameFilter
from bookbuilder.cli.options import arguments as opt
from bookbuilder.errors import OptionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Which games of a store are shown; the default is all. The store must keep them apart by facets."""

    since: opt.Since = None
    until: opt.Until = None
    min_rating: opt.MinRating = None
    max_rating: opt.MaxRating = None
    time_control: opt.TimeControls = None
    side: opt.SideOption = "both"

    def filters(self) -> GameFilter | None:
        """Return the filters; None if there are none."""
        values = asdict(self)
        side = values.pop("side")
        if side != "both":
            values["player_side"] = side
        if not any(values.values()):
            return None
        is_rated = self.min_rating is not None or self.max_rating is not None
        return GameFilter(**values, rating_of="mean" if is_rated else "both")

    def refuse(self, why: str) -> None:
        """Refuse any filter."""
        if any(getattr(self, each.name) != each.default for each in fields(self)):
            raise OptionError(why)
