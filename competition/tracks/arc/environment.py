"""The interface for agents, for games in the same process or on a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from vgdl.competition.tracks.arc.frame import Frame
from vgdl.competition.tracks.arc.playable import GameInfo


class Environment(Protocol):
    """One play of a game."""

    @property
    def info(self) -> GameInfo: ...
    @property
    def guid(self) -> str:
        """The guid of the session; empty before the first RESET."""

    def reset(self) -> Frame:
        """RESET."""

    def step(self, action: int, x: int | None = None, y: int | None = None, reasoning: Any = None) -> Frame:
        """ACTION1 to ACTION7; ``x`` and ``y`` are those of a click. Raises CommandError if it cannot be executed."""


class Arc(Protocol):
    """Games to be played on one card."""

    @property
    def games(self) -> Sequence[GameInfo]: ...
    def make(self, game_id: str) -> Environment:
        """Make a play of a game, given its id or base. Raises LookupError for an unknown one."""

    def scorecard(self) -> dict[str, Any]:
        """The current state of the card."""

    def close(self) -> dict[str, Any]:
        """End all plays; returns the final card."""
