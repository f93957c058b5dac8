"""Shmokin: A* walks to goals, and SampleMCTS takes over when there is none."""

from __future__ import annotations

import pytest

from small_games import calls, small_game, unlimited
from vgdl import Action, StateObservation
from vgdl.controllers import Controller, Timer
from vgdl.controllers.entries import shmokin
from vgdl.controllers.entries.shmokin import Shmokin


class Stub(Controller):
    """Stands in for SampleMCTS, with an answer that A* never gives here."""

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0, *, seed: int | None = None) -> None:
        super().__init__(state, timer, player)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.USE


def test_it_walks_a_shortest_path_that_rollouts_do_not_find() -> None:
    state = small_game("A.w....", "..w.w..", "..w.w..", "....w.o")
    controller = Shmokin(state, unlimited(), seed=1)
    while state.score < 1:
        state.advance(controller.act(state.copy(seed=state.tick), calls(state, 1000)))
        assert state.tick <= 15
    assert state.tick == 3 + 3 + 3 + 3 + 3


def test_sample_mcts_takes_over_after_its_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shmokin, "SampleMCTS", Stub)
    state = small_game("...A...")
    controller = Shmokin(state, unlimited(), patience=4, seed=1)
    taken = [controller.act(state, calls(state, 100)) for _ in range(8)]
    assert Action.USE not in taken[:4]
    assert taken[4:] == [Action.USE] * 4


def test_a_point_gives_the_search_another_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shmokin, "SampleMCTS", Stub)
    state = small_game("o..A......o")
    controller = Shmokin(state, unlimited(), patience=2, seed=1)
    assert [controller.act(state, calls(state, 10)) for _ in range(3)][-1] is Action.USE
    state.rollout([Action.LEFT] * 3)
    assert state.score == 1
    assert controller.act(state, calls(state, 2000)) is Action.RIGHT


def test_finding_goals_does_not_use_up_its_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shmokin, "SampleMCTS", Stub)
    state = small_game("...A..o")
    controller = Shmokin(state, unlimited(), patience=2, seed=1)
    assert {controller.act(state, calls(state, 500)) for _ in range(6)} == {Action.RIGHT}


def test_portals_lead_it_before_there_is_a_goal_in_sight() -> None:
    state = small_game("A" + "." * 30 + "wd", ".")
    controller = Shmokin(state, unlimited(), seed=1)
    assert controller.act(state, calls(state, 60)) is Action.RIGHT
