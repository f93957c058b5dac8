"""Tichau: always USE (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer


class Tichau(Controller):
    """Answers USE every tick, whether or not it is an available action."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.USE
