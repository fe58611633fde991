"""The options that select games of a store with facets."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from bookbuilder.cli.options import arguments as opt
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.archives.filters import GameFilter

__all__ = ["Asking"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Which of a store's games are shown; the default is all."""

    since: opt.SinceYear = None
    until: opt.UntilYear = None
    min_rating: opt.MinMeanRating = None
    max_rating: opt.MaxMeanRating = None
    time_control: opt.Speeds = None
    player_side: opt.AskedSide = "any"

    def filters(self) -> GameFilter | None:
        """Return the filters; None if nothing is asked for.

        Raises:
            OptionError: an option has no meaning.
        """
        if self._is_default():
            return None
        from bookbuilder.archives.filters import GameFilter

        return GameFilter(
            since=self.since,
            until=self.until,
            min_rating=self.min_rating,
            max_rating=self.max_rating,
            rating_of="both" if self.min_rating is None and self.max_rating is None else "mean",
            time_control=tuple(self.time_control or ()),
            player_side=self.player_side,
        )

    def refuse(self, why: str) -> None:
        """Refuse to be asked for anything.

        Raises:
            OptionError: something is asked for; `why` says why that cannot be.
        """
        if not self._is_default():
            raise OptionError(why)

    def _is_default(self) -> bool:
        return all(getattr(self, each.name) == each.default for each in fields(self))
