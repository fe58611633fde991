"""The options that select games of a store with facets."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from bookbuilder.cli.options import arguments as opt
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.archives.filters import GameFilter

__all__ = ["Asking"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Which games of a store are shown; the default is all."""

    since: opt.SinceYear = None
    until: opt.UntilYear = None
    min_rating: opt.MinMeanRating = None
    max_rating: opt.MaxMeanRating = None
    time_control: opt.Speeds = None
    player_side: opt.AskedSide = "any"

    def filters(self) -> GameFilter | None:
        """Return the filters; None if there are none.

        Raises:
            OptionError: an option is invalid.
        """
        if self._is_default():
            return None
        from bookbuilder.archives.filters import GameFilter

        is_rated = self.min_rating is not None or self.max_rating is not None
        return GameFilter(**asdict(self), rating_of="mean" if is_rated else "both")

    def refuse(self, why: str) -> None:
        """Refuse any filter.

        Raises:
            OptionError: there is a filter; `why` is the message.
        """
        if not self._is_default():
            raise OptionError(why)

    def _is_default(self) -> bool:
        return all(getattr(self, each.name) == each.default for each in fields(self))
