"""Tichau: always USE."""

from __future__ import annotations

from small_games import small_game, unlimited
from vgdl import Action
from vgdl.controllers.entries.tichau import Tichau


def test_it_answers_use_even_if_that_is_not_available() -> None:
    for avatar, can in (("ShootAvatar", True), ("MovingAvatar", False)):
        state = small_game("A..o", avatar=avatar)
        assert (Action.USE in state.available_actions) == can
        assert Tichau(state, unlimited()).act(state, unlimited()) is Action.USE
