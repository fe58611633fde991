"""The engine that a server asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bookbuilder.engine.match.player import EngineSpec
    from bookbuilder.games.position import Game

__all__ = ["EngineChoice"]


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """An engine as `engine match` takes it.

    Attributes:
        command: `bundled`, or a command line of an engine that speaks UCI.
        options: Name=Value each.
    """

    command: str = "bundled"
    options: tuple[str, ...] = ()

    def spec(self, game: Game) -> EngineSpec:
        """Return the engine for a game.

        Raises:
            OptionError: the command or an option is invalid.
        """
        from bookbuilder.engine.match.match import parse_engine
        from bookbuilder.engine.match.player import ThinkLimit

        # Each search has its own limit.
        limit = ThinkLimit(nodes=1)
        return parse_engine(self.command, game, name=None, options=self.options, limit=limit)
