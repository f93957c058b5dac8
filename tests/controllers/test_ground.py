"""Walkable ground: what is learnt about entering cells, and the field of distances that follows from it."""

from __future__ import annotations

import pytest

import vgdl
from vgdl import Action, StateObservation
from vgdl.controllers.search.ground import Ground

RULES = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        wall > Immovable
        lock > Immovable
        key > Resource limit=1
        pit > Immovable
        coin > Immovable
        exit > Immovable
        avatar > MovingAvatar
    LevelMapping
        . > floor
        w > wall
        l > lock
        k > key
        p > pit
        c > coin
        e > exit
        A > avatar
    InteractionSet
        avatar wall > stepBack
        lock avatar > killIfOtherHasMore resource=key limit=1
        avatar lock > stepBack
        key avatar > collectResource
        avatar pit > killSprite
        coin avatar > killSprite scoreChange=2
        exit avatar > killSprite
    TerminationSet
        SpriteCounter stype=avatar limit=0 win=False
        SpriteCounter stype=exit limit=0 win=True
"""


def start(level: str) -> StateObservation:
    """A board with an exit that cannot be reached below it, since the game is won without one."""
    width = level.index("\n")
    return vgdl.loads(RULES).start(level=f"{level}\n{'e'.center(width, 'w')}\n{'w' * width}", seed=1)


def cell(state: StateObservation, column: int, row: int) -> int:
    return column * (state.world_dimension[1] // state.block_size) + row


def tried(ground: Ground, state: StateObservation, *actions: Action) -> StateObservation:
    """Learn from some actions in a row; the state after them."""
    for action in actions:
        after = state.copy()
        after.advance(action)
        ground.try_out(state, action, after)
        state = after
    return state


def knowing_walls(state: StateObservation) -> Ground:
    """Has learnt from a wall above the avatar."""
    ground = Ground(state, 0)
    for _ in range(100):
        tried(ground, state, Action.UP)
    return ground


def pull(ground: Ground, state: StateObservation, column: int, row: int) -> float:
    return ground.pull(cell(state, column, row))


def test_what_has_not_been_met_is_worth_reaching_and_the_nearer_the_better() -> None:
    state = start("wwwwwww\nwA...cw\nwwwwwww")
    ground = knowing_walls(state)
    ground.survey(state, 1.0)
    assert 0 < pull(ground, state, 1, 1) < pull(ground, state, 2, 1) < pull(ground, state, 4, 1)


def test_a_wall_that_was_tried_blocks_the_way() -> None:
    state = start("wwwwww\nwAwc.w\nw.wwww\nwwwwww")
    ground = knowing_walls(state)
    ground.survey(state, 1.0)
    assert pull(ground, state, 1, 1) < 0.05 * pull(ground, state, 4, 1)


def test_points_make_a_type_worth_more_than_not_to_know_it() -> None:
    state = start("wwwwwww\nwAc..cw\nwwwwwww")
    ground = knowing_walls(state)
    ground.survey(state, 1.0)
    unknown = pull(ground, state, 4, 1)
    for _ in range(20):
        tried(ground, state, Action.RIGHT)
    ground.survey(state, 1.0)
    assert pull(ground, state, 4, 1) > unknown


def test_what_loses_is_not_worth_reaching() -> None:
    state = start("wwwwwww\nwAp...w\nwwwwwww")
    ground = knowing_walls(state)
    ground.survey(state, 1.0)
    unknown = pull(ground, state, 4, 1)
    for _ in range(20):
        tried(ground, state, Action.RIGHT)
        tried(ground, state, Action.LEFT)
    ground.survey(state, 1.0)
    assert pull(ground, state, 4, 1) < 0.2 * unknown


def test_with_a_key_in_hand_a_lock_is_an_open_question_again() -> None:
    state = start("wwwwww\nwlAk.w\nwwwwww")
    ground = knowing_walls(state)
    for _ in range(20):
        tried(ground, state, Action.LEFT)
    ground.survey(state, 1.0)
    locks = [sprites[0].type for sprites in state.immovables if sprites[0].y == state.block_size]
    assert len(locks) == 1
    assert ground.experience(locks[0])[:2] == (20, 0.0)
    after = tried(ground, state, Action.RIGHT)
    ground.survey(after, 1.0)
    assert ground.experience(locks[0])[0] == 0
    assert ground.passed(locks[0]) == 0.0


@pytest.mark.parametrize("outside", [-1, 10_000])
def test_there_is_no_pull_outside_of_the_board(outside: int) -> None:
    state = start("wwww\nwAcw\nwwww")
    ground = knowing_walls(state)
    ground.survey(state, 1.0)
    assert ground.pull(outside) == 0.0
