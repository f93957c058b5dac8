"""What agents see, be the games in the same process or behind a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from vgdl.competition.tracks.arc.frame import Frame
from vgdl.competition.tracks.arc.game import GameInfo


class Environment(Protocol):
    """One play of a game."""

    @property
    def info(self) -> GameInfo: ...
    @property
    def guid(self) -> str:
        """Of the session; empty before the first RESET."""

    def reset(self) -> Frame:
        """RESET."""

    def step(self, action: int, x: int | None = None, y: int | None = None, reasoning: Any = None) -> Frame:
        """ACTION1 to ACTION7; ``x`` and ``y`` are those of a click. CommandError if it cannot be carried out."""


class Arc(Protocol):
    """Games to be played on one card."""

    @property
    def games(self) -> Sequence[GameInfo]: ...
    def make(self, game_id: str) -> Environment:
        """A play of a game, by its id or its base. LookupError for an unknown one."""

    def scorecard(self) -> dict[str, Any]:
        """The card as it is now."""

    def close(self) -> dict[str, Any]:
        """End all plays; the final card."""
