"""HorizontalAvatar (sprites, 13.3): a MovingAvatar that only goes left and right."""

from semantics.harness import game, level, start
from vgdl import Action


def test_goes_left_and_right_only() -> None:
    """UP and DOWN are not in its list and become NIL (sprites, 13.1, 13.3 and 14.2)."""
    world = start(game("avatar > HorizontalAvatar"), level("...", ".A.", "..."))
    assert world.state.available_actions == (Action.LEFT, Action.RIGHT)
    assert world.advance(Action.RIGHT).avatar.position == (20, 10)
    assert world.advance(Action.LEFT).avatar.position == (10, 10)
    assert world.advance(Action.UP).avatar.position == (10, 10)
    assert world.advance(Action.DOWN).avatar.position == (10, 10)
