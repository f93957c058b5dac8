"""VerticalAvatar (sprites, 13.3): a MovingAvatar that only goes up and down."""

from semantics.harness import game, level, start
from vgdl import Action


def test_goes_up_and_down_only() -> None:
    """LEFT and RIGHT are not in its list and become NIL (sprites, 13.1, 13.3 and 14.2)."""
    world = start(game("avatar > VerticalAvatar"), level("...", ".A.", "..."))
    assert world.state.available_actions == (Action.UP, Action.DOWN)
    assert world.advance(Action.UP).avatar.position == (10, 0)
    assert world.advance(Action.DOWN).avatar.position == (10, 10)
    assert world.advance(Action.LEFT).avatar.position == (10, 10)
    assert world.advance(Action.RIGHT).avatar.position == (10, 10)
