"""LCU_14: nearby sprites and held resources choose the rule that answers."""

from __future__ import annotations

import pytest

from small_games import small_game, unlimited
from vgdl import Action, StateObservation
from vgdl.controllers.entries.lcu14 import LCU14

SEEDS = range(20)


def answers(state: StateObservation) -> set[Action]:
    return {LCU14(state, unlimited(), seed=seed).act(state, unlimited()) for seed in SEEDS}


def test_resources_held_lead_to_the_portal_and_without_any_to_resources() -> None:
    empty_handed = small_game("d..A..g")
    assert answers(empty_handed) == {Action.RIGHT}
    carrying = small_game("d.gA..g")
    carrying.rollout([Action.LEFT, Action.RIGHT])
    assert answers(carrying) == {Action.LEFT}


def test_it_walks_around_walls() -> None:
    assert answers(small_game("A.w.g", "..w..", ".ww..", ".....")) == {Action.DOWN}


def test_fleeing_from_nearby_sprites_comes_first() -> None:
    assert answers(small_game("....A.f..g")) == {Action.LEFT}
    assert answers(small_game("....A....g", "..........", "f.........")) == {Action.RIGHT}


def test_nearby_sprites_straight_ahead_are_shot() -> None:
    state = small_game("...A..f", avatar="ShootAvatar")
    state.advance(Action.RIGHT)
    assert answers(state) == {Action.USE}


def test_no_rule_steps_onto_danger() -> None:
    assert Action.RIGHT not in answers(small_game("wwwww", "w.Af.", "wwwww"))


@pytest.mark.parametrize(("rows", "may_shoot"), [(("A.....r", "......."), True), (("A......", "......r"), False)])
def test_characters_in_line_are_shot_at_from_afar(rows: tuple[str, ...], may_shoot: bool) -> None:
    taken = answers(small_game(*rows, avatar="ShootAvatar"))
    assert (taken == {Action.USE}) == may_shoot


def test_without_a_target_it_wanders() -> None:
    assert len(answers(small_game("...A...", "......."))) == 4


def test_it_simulates_nothing() -> None:
    state = small_game("d..A..g")
    answers(state)
    assert state.meter is not None
    assert state.meter.used == 0
