"""OngoingShootAvatar (sprites, 13.10): never stops, and shoots while it moves."""

from semantics.harness import DOWN, RIGHT, game, level, start
from vgdl import Action

RIDER = "shot > Missile speed=0\navatar > OngoingShootAvatar stype=shot"


def test_moves_and_then_shoots_ahead() -> None:
    """The shot starts one rectangle ahead of where it came to (sprites, 13.10)."""
    world = start(game(RIDER), level("A......"))
    assert world.state.available_actions == (Action.USE, Action.LEFT, Action.RIGHT, Action.DOWN, Action.UP)
    assert world.advance(Action.USE).positions("shot") == [(10, 0)]  # it stands in its first update
    assert world.advance(Action.USE).avatar.position == (10, 0)
    assert world.positions("shot") == [(10, 0), (20, 0)]
    assert world.all("shot")[1].orientation == RIGHT


def test_a_direction_turns_it_and_it_does_not_shoot() -> None:
    """Shooting is only possible without a direction, and needs the use key (sprites, 13.10)."""
    world = start(game(RIDER), level("A....", *["....."] * 3)).wait(1)
    assert world.advance(Action.DOWN).avatar.position == (0, 10)
    assert world.avatar.orientation == DOWN
    assert world.wait(1).avatar.position == (0, 20)
    assert world.count("shot") == 0
