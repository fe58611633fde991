"""Reports of runs over collections of games.

A collection is the games of archives, not counted: listed, converted or filtered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bookbuilder.archives.sources import skipped_members, unreadable

if TYPE_CHECKING:
    from bookbuilder._core import GamesRun


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionReport:
    """The figures of a run over a collection."""

    sources: list[dict[str, Any]]  # the files, in order: source (the path), games_read, games_written
    games_read: int
    games_written: int  # or listed
    filtered: dict[str, int]  # games skipped on purpose, by reason
    rejects: dict[str, int]  # games that could not be written, by reason
    variations_cut: int  # variations written only up to an illegal move
    # Skipped members of containers and archives: source, member, code and reason of each.
    members_skipped: tuple[dict[str, str], ...]
    rejects_json: bytes  # lines of JSON with the columns of REJECTS

    @classmethod
    def of_run(cls, run: GamesRun) -> CollectionReport:
        """Return the report of a native run."""
        sources = run.sources()
        return cls(
            sources=[
                {
                    "source": str(each["path"]),
                    "games_read": each["games_read"],
                    "games_written": each["games_used"],
                }
                for each in sources
            ],
            games_read=sum(each["games_read"] for each in sources),
            games_written=sum(each["games_used"] for each in sources),
            filtered=_added(each["filtered"] for each in sources),
            rejects=_added(each["rejects"] for each in sources),
            variations_cut=sum(each["variations_cut"] for each in sources),
            members_skipped=skipped_members(sources),
            rejects_json=b"".join(run.rejects()),
        )

    def unreadable(self) -> tuple[dict[str, str], ...]:
        """Return the archives and members that could not be read, or not to their end."""
        return unreadable(self.members_skipped)

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON data."""
        return {name: value for name, value in asdict(self).items() if name != "rejects_json"}


def _added(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total = Counter[str]()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items()))
