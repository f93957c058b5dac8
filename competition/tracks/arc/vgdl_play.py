"""One play of a level of a VGDL game: keys and clicks become ticks of the engine (spec, 6.1 and 6.5)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from vgdl import Action, StateObservation
from vgdl.competition.tracks.arc.clicks import Walks, key_towards
from vgdl.competition.tracks.arc.frame import CLICK, Layer
from vgdl.competition.tracks.arc.options import Clicks
from vgdl.competition.tracks.arc.playable import Ending, Outcome, thinned

if TYPE_CHECKING:
    from vgdl.competition.tracks.arc.game import VgdlGame

_log = logging.getLogger(__name__)


class VgdlPlay:
    """A level of a VGDL game in play; see `playable.LevelPlay`.

    Args:
        game: the game.
        level: the level, counted from 0.
        state: the present state.
        walks: a cache of steps, which plays of the level may share.
    """

    def __init__(self, game: VgdlGame, level: int, state: StateObservation, walks: Walks | None = None) -> None:
        self._game = game
        self._level = level
        self._state = state
        self._walks = walks or Walks(game.avatar_keys)

    def layer(self) -> Layer:
        return self._game.paint(self._level, self._state)

    def copy(self) -> VgdlPlay:
        return VgdlPlay(self._game, self._level, self._state.copy(history=False), self._walks)

    def act(self, action: int, x: int | None, y: int | None) -> Outcome:
        if action != CLICK:
            return self._press([self._game.keys[action]])
        assert x is not None
        assert y is not None
        return self._click(x, y)

    def _click(self, x: int, y: int) -> Outcome:
        game = self._game
        cell = game.cell(self._level, x, y)
        if cell is None:
            return Outcome((self.layer(),))
        if game.clicks is Clicks.STEP:
            return self._press([key_towards(self._state, cell, game.avatar_keys)])
        if game.clicks is Clicks.WALK:
            path = self._walks.path(self._state, cell)
            return self._press(path) if path else Outcome((self.layer(),))
        self._state.click(*cell)
        return self._outcome((self.layer(),))

    def _press(self, keys: list[Action]) -> Outcome:
        """Play one tick per key, until the level ends."""
        layers = []
        for key in keys:
            self._state.advance(key)
            layers.append(self.layer())
            if self._state.is_over:
                break
        return self._outcome(thinned(layers))

    def _outcome(self, layers: tuple[Layer, ...]) -> Outcome:
        state = self._state
        if not state.is_over:
            return Outcome(layers)
        if state.winner == 1:
            return Outcome(layers, Ending.WON)
        if state.error is not None:
            _log.warning("%s, level %d: %s", self._game.id, self._level + 1, state.error)
        return Outcome(layers, Ending.LOST)
