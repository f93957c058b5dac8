"""Snowballs, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import random

import pytest

import vgdl
from plays import levels, place, start, where
from vgdl import Action, Meter, StateObservation
from vgdl.controllers import Timer
from vgdl.controllers.entries.olets import OLETS


def together(state: StateObservation, moves: str) -> StateObservation:
    """The same state after some pairs of actions, written like ``USE/NIL``."""
    for pair in moves.split():
        state.advance([Action[name] for name in pair.split("/")])
    return state


def yard(row: str) -> list[str]:
    return ["T" * len(row), row, "T" * len(row)]


def pockets(state: StateObservation) -> list[int]:
    return [sum(avatar.resources.values()) for avatar in state.avatars if avatar]


def test_snow_is_picked_up_and_every_throw_takes_one_ball() -> None:
    state = together(start("snowballs", yard("TAss.......BT")), "RIGHT/NIL RIGHT/NIL")
    assert (pockets(state), where(state, "snow")) == ([2, 0], [])
    together(state, "USE/NIL USE/NIL USE/NIL")
    assert pockets(state) == [0, 0]
    assert len(where(state, "redball")) == 2


def test_five_balls_fit_into_the_pockets() -> None:
    state = together(start("snowballs", yard("TAsssssss..BT")), "RIGHT/NIL " * 6)
    assert pockets(state) == [5, 0]
    assert len(where(state, "snow")) == 2


def test_new_snow_falls_from_the_clouds() -> None:
    state = together(start("snowballs", yard("T..Ac......BT")), "RIGHT/NIL " + "LEFT/NIL " * 3 + "NIL/NIL " * 25)
    assert pockets(state) == [1, 0]
    assert where(state, "snow") == [(4, 1)]


def test_a_hit_is_worth_a_point_to_the_thrower_and_the_third_one_wins() -> None:
    state = together(start("snowballs", yard("TAsss...BT")), "RIGHT/NIL " * 3 + "USE/NIL " + "NIL/NIL " * 6)
    assert (state.scores, state.is_over, where(state, "redball")) == ((1, 0), False, [])
    together(state, "USE/NIL NIL/NIL USE/NIL " + "NIL/NIL " * 8)
    assert (state.scores, state.winners) == ((3, 0), (1, 0))


def test_the_other_child_wins_the_same_way() -> None:
    state = together(start("snowballs", yard("TA...sssBT")), "NIL/LEFT " * 4 + "NIL/USE " * 3 + "NIL/NIL " * 8)
    assert (state.scores, state.winners) == ((0, 3), (0, 1))


@pytest.mark.parametrize(("row", "ice"), [("TAs...T.BT", 0), ("TAs...i.BT", 1)])
def test_a_ball_ends_at_a_tree_and_at_a_block_of_ice_which_it_breaks(row: str, ice: int) -> None:
    state = start("snowballs", yard(row))
    assert len(where(state, "ice")) == ice
    together(state, "RIGHT/NIL USE/NIL " + "NIL/NIL " * 12)
    assert where(state, "redball", "ice") == []
    assert state.scores == (0, 0)


def test_balls_that_meet_are_both_gone() -> None:
    state = together(start("snowballs", yard("TAs.......sBT")), "RIGHT/LEFT RIGHT/LEFT USE/USE " + "NIL/NIL " * 10)
    assert (state.scores, where(state, "redball", "blueball")) == ((0, 0), [])
    assert pockets(state) == [0, 0]


@pytest.mark.parametrize(("hits", "winners"), [((1, 0), (1, 0)), ((0, 1), (0, 1)), ((1, 1), (1, 1)), ((0, 0), (0, 0))])
def test_after_600_ticks_the_higher_score_wins(hits: tuple[int, int], winners: tuple[int, int]) -> None:
    state = together(start("snowballs", yard("TAs.......sBT")), "RIGHT/LEFT RIGHT/LEFT RIGHT/NIL")
    if hits[0]:
        together(state, "USE/NIL " + "NIL/NIL " * 12)
    if hits[1]:
        together(state, "NIL/USE " + "NIL/NIL " * 12)
    assert (state.scores, state.is_over) == (hits, False)
    state.rollout([[Action.NIL, Action.NIL]] * (600 - state.tick))
    assert not state.is_over
    together(state, "NIL/NIL")
    assert state.winners == winners


def test_the_children_turn_first_then_walk_and_not_through_each_other_trees_or_ice() -> None:
    state = start("snowballs", ["TTTTTT", "TABi.T", "T....T", "TTTTTT"])
    together(state, "RIGHT/RIGHT RIGHT/RIGHT UP/DOWN")
    assert (where(state, "red"), where(state, "blue")) == ([(1, 1)], [(2, 1)])
    together(state, "NIL/DOWN")
    assert where(state, "blue") == [(2, 2)]


def test_there_are_two_players() -> None:
    assert vgdl.load("snowballs").start(level=0, seed=1).n_players == 2


def test_the_children_are_farther_apart_in_every_level() -> None:
    apart = []
    for rows in levels("snowballs"):
        red, blue = place(rows, "A"), place(rows, "B")
        apart.append(abs(red[0] - blue[0]) + abs(red[1] - blue[1]))
    assert apart == sorted(set(apart))


# The game is symmetric

ACROSS = {Action.LEFT: Action.RIGHT, Action.RIGHT: Action.LEFT}
AROUND = {**ACROSS, Action.UP: Action.DOWN, Action.DOWN: Action.UP}


def other_side(number: int) -> dict[Action, Action]:
    """How actions map from one child to the other: a level is symmetric by reflection or by half a turn."""
    rows = levels("snowballs")[number]
    mirrored = [row[::-1].translate(str.maketrans("AB", "BA")) for row in rows]
    assert rows in (mirrored, mirrored[::-1])
    return ACROSS if rows == mirrored else AROUND


@pytest.mark.costly
@pytest.mark.parametrize("number", range(5))
def test_swapping_sides_swaps_results(number: int) -> None:
    swap = other_side(number)
    keys = [*Action][:5] + [Action.USE] * 2
    ends = set()
    for seed in range(40):
        draw = random.Random(seed)
        moves = [(draw.choice(keys), draw.choice(keys)) for _ in range(400)]
        moves = [pair for pair in moves for _ in range(draw.randint(1, 4))]
        state, changed = (vgdl.load("snowballs").start(level=number, seed=seed) for _ in range(2))
        state.rollout(moves)
        changed.rollout([(swap.get(blue, blue), swap.get(red, red)) for red, blue in moves])
        assert changed.scores == state.scores[::-1]
        assert changed.winners == state.winners[::-1]
        assert changed.tick == state.tick
        ends.add(state.scores)
    assert len(ends) > 1


@pytest.mark.costly
def test_against_itself_a_controller_wins_as_often_from_either_side() -> None:
    """200 matches; a fair coin stays within the bound in 99 of 100 cases."""
    victories = [0, 0]
    for match in range(200):
        state = vgdl.load("snowballs").start(level=match % 5, seed=match)
        players = [_Player(state, player, match) for player in range(2)]
        while not state.is_over:
            state.advance([player.act(state) for player in players])
        for player, won in enumerate(state.winners):
            victories[player] += won == 1 and state.winners[1 - player] != 1
    decided = sum(victories)
    assert decided > 100
    assert abs(victories[0] - decided / 2) < 2.58 * decided**0.5 / 2, victories


class _Player:
    """OLETS with a few calls of the forward model per action."""

    CALLS = 10

    def __init__(self, state: StateObservation, player: int, match: int) -> None:
        self.seed = 2 * match + player
        self.controller = OLETS(*self.shown(state), player=player, seed=self.seed)

    def shown(self, state: StateObservation) -> tuple[StateObservation, Timer]:
        seen = state.copy(seed=self.seed * 1000 + state.tick, history=False)
        seen.meter = Meter()
        return seen, Timer(budget_calls=self.CALLS, meter=seen.meter)

    def act(self, state: StateObservation) -> Action:
        return self.controller.act(*self.shown(state))
