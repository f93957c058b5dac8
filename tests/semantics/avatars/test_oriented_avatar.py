"""OrientedAvatar (sprites, 13.5): turns first, then moves."""

from semantics.harness import LEFT, RIGHT, game, level, play, start
from vgdl import Action

FIELD = level("...", ".A.", "...")


def test_turns_in_place_and_then_moves() -> None:
    """It looks RIGHT; the first LEFT only rotates, the second moves (sprites, 13.5 and 9.1)."""
    world = start(game("avatar > OrientedAvatar"), FIELD)
    assert world.avatar.orientation == RIGHT
    assert world.advance(Action.LEFT).avatar.position == (10, 10)
    assert world.avatar.orientation == LEFT
    assert world.advance(Action.LEFT).avatar.position == (0, 10)
    assert world.avatar.orientation == LEFT


def test_the_way_it_looks_it_moves_at_once() -> None:
    """RIGHT is its default orientation (sprites, 13.1); the list is LEFT, RIGHT, DOWN, UP."""
    world = start(game("avatar > OrientedAvatar"), FIELD)
    assert world.state.available_actions == (Action.LEFT, Action.RIGHT, Action.DOWN, Action.UP)
    assert world.advance(Action.RIGHT).avatar.position == (20, 10)


def test_turning_does_not_wait_for_the_cooldown() -> None:
    """A turn is not subject to the cooldown, a move is (sprites, 8.3 and quirk 6)."""
    world = play(game("avatar > OrientedAvatar cooldown=5"), FIELD, actions=[Action.LEFT])
    assert world.avatar.orientation == LEFT
    xs = [world.advance(Action.LEFT).avatar.x for _ in range(4)]
    assert xs == [10, 10, 10, 0]


def test_without_rotation_in_place_it_moves_and_then_looks_that_way() -> None:
    """``rotateInPlace=false`` (sprites, 13.5)."""
    world = play(game("avatar > OrientedAvatar rotateInPlace=false"), FIELD, actions=[Action.LEFT])
    assert world.avatar.position == (0, 10)
    assert world.avatar.orientation == LEFT


def test_then_the_cooldown_blocks_turning_too() -> None:
    """A blocked move neither moves nor turns (sprites, 13.5)."""
    world = play(game("avatar > OrientedAvatar rotateInPlace=false cooldown=2"), FIELD, actions=[Action.LEFT])
    assert world.avatar.position == (10, 10)
    assert world.avatar.orientation == RIGHT
    assert world.advance(Action.LEFT).avatar.position == (0, 10)
    assert world.avatar.orientation == LEFT
