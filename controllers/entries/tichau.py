"""Tichau: always USE (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer


class Tichau(Controller):
    """Uses whatever it has, every tick, whether USE is among the available actions or not."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.USE
