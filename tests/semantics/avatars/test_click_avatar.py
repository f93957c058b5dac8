"""ClickAvatar (sprites, 13.20): a click puts it on a cell and shoots there; keys move it."""

import pytest

from semantics.harness import game, level, start
from vgdl import Action, StateObservation
from vgdl.core.observation import Avatar

POINTER = "mark > Immovable\navatar > ClickAvatar stype=mark"


def avatar(state: StateObservation) -> Avatar:
    assert state.avatar is not None
    return state.avatar


def place(state: StateObservation) -> tuple[int, int]:
    """Where the avatar is, in pixels."""
    return avatar(state).position


def test_a_click_puts_it_on_the_cell_and_shoots_there() -> None:
    """However far away, and in a single tick (sprites, 13.20)."""
    world = start(game(POINTER), level("A...", "...."))
    world.state.click(3, 1)
    state = world.state
    assert state.tick == 1
    assert place(state) == (30, 10)
    assert avatar(state).last_action is Action.USE
    assert [(x, y) for kind, x, y, *_ in state._drawing() if state.game.types[kind] == "mark"] == [(30, 10)]


def test_walls_on_the_way_do_not_matter_but_those_on_the_cell_do() -> None:
    """No movement, so no collision on the way; lastrect is the place before, so stepBack leads there (sprites, 13.20)."""
    world = start(game(POINTER, "avatar wall > stepBack"), level("Aw.w"))
    world.state.click(2, 0)
    assert place(world.state) == (20, 0)
    world.state.click(3, 0)
    assert place(world.state) == (20, 0)


def test_keys_move_it_in_four_directions_and_use_shoots() -> None:
    """As FlakAvatar, but in all four directions (sprites, 13.20)."""
    world = start(game(POINTER), level("A..", "..."))
    assert set(world.state.available_actions) == {Action.USE, Action.LEFT, Action.RIGHT, Action.DOWN, Action.UP}
    for action, there in (
        (Action.RIGHT, (10, 0)),
        (Action.DOWN, (10, 10)),
        (Action.LEFT, (0, 10)),
        (Action.UP, (0, 0)),
    ):
        assert place(world.advance(action).state) == there
    assert world.advance(Action.USE).count("mark") == 1


def test_a_click_does_nothing_for_other_avatars() -> None:
    """The tick is played with NIL: the avatar neither moves nor shoots."""
    world = start(game("mark > Immovable\navatar > FlakAvatar stype=mark"), level("A.."))
    world.state.click(2, 0)
    state = world.state
    assert (state.tick, place(state), avatar(state).last_action) == (1, (0, 0), Action.NIL)
    assert len(state._drawing()) == 1


def test_a_click_is_for_one_tick() -> None:
    """A key after a click moves from the cell that was clicked."""
    world = start(game(POINTER), level("A...", "...."))
    world.state.click(2, 1)
    assert place(world.advance(Action.LEFT).state) == (10, 10)
    twin = world.state.copy()
    twin.advance(Action.USE)
    assert place(twin) == (10, 10)


@pytest.mark.parametrize("cell", [(-1, 0), (0, -1), (4, 0), (0, 2)])
def test_a_click_beside_the_board_is_refused(cell: tuple[int, int]) -> None:
    world = start(game(POINTER), level("A...", "...."))
    with pytest.raises(ValueError, match="expected a cell of 4 by 2"):
        world.state.click(*cell)
    assert world.state.tick == 0


def test_clicks_count_as_calls_of_the_forward_model() -> None:
    from vgdl import Meter

    world = start(game(POINTER), level("A..."))
    world.state.meter = Meter()
    world.state.click(1, 0)
    assert world.state.meter.used == 1
