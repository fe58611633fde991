"""The options that select games of a store with facets."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict, dataclass, fields

from bookbuilder.archives.filters import GameFilter
from bookbuilder.cli.options import arguments as opt
from bookbuilder.errors import OptionError

__all__ = ["Asking"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Which games of a store are shown; the default is all."""

    since: opt.SinceYear = None
    until: opt.UntilYear = None
    min_rating: opt.MinMeanRating = None
    max_rating: opt.MaxMeanRating = None
    time_control: opt.Speeds = None
    side: opt.SideOption = "both"

    def filters(self, facets: Container[str] = ("player-side",)) -> GameFilter | None:
        """Return the filters; None if there are none. A side is one of the player if it is among the facets.

        Raises:
            OptionError: an option is invalid.
        """
        values = asdict(self)
        side = values.pop("side")
        if side != "both" and "player-side" in facets:
            values["player_side"] = side
        if not any(values.values()):
            return None
        is_rated = self.min_rating is not None or self.max_rating is not None
        return GameFilter(**values, rating_of="mean" if is_rated else "both")

    def refuse(self, why: str) -> None:
        """Refuse any filter.

        Raises:
            OptionError: there is a filter; `why` is the message.
        """
        if any(getattr(self, each.name) != each.default for each in fields(self)):
            raise OptionError(why)
