"""Snowballs, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

import vgdl
from plays import levels, place, start, where
from vgdl import Action, StateObservation


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


def test_snow_falls_anew_from_the_clouds() -> None:
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
def test_after_600_ticks_who_has_more_points_wins(hits: tuple[int, int], winners: tuple[int, int]) -> None:
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


def test_the_children_turn_first_and_walk_then_and_not_through_each_other_trees_or_ice() -> None:
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
