"""OngoingAvatar (sprites, 13.8): never stops, the player steers."""

from semantics.harness import DOWN, LEFT, game, level, start
from vgdl import Action


def test_keeps_going_and_turns_at_once() -> None:
    """A key changes the orientation, then it moves on in the same tick (sprites, 13.8)."""
    world = start(game("avatar > OngoingAvatar"), level("A....", *["....."] * 3))
    assert world.state.available_actions == (Action.LEFT, Action.RIGHT, Action.DOWN, Action.UP)
    assert world.advance(Action.NIL).avatar.position == (0, 0)
    assert world.advance(Action.NIL).avatar.position == (10, 0)
    assert world.advance(Action.DOWN).avatar.position == (10, 10)
    assert world.avatar.orientation == DOWN
    assert world.advance(Action.NIL).avatar.position == (10, 20)


def test_turns_in_its_first_update_in_which_it_stands() -> None:
    """The first passive movement is suppressed, the turn is not (sprites, 13.8 and quirk 5)."""
    world = start(game("avatar > OngoingAvatar"), level("..A"))
    assert world.advance(Action.LEFT).avatar.position == (20, 0)
    assert world.avatar.orientation == LEFT
    assert world.advance(Action.NIL).avatar.position == (10, 0)


def test_can_reverse() -> None:
    """Unlike the OngoingTurningAvatar (sprites, 13.8 and 13.9)."""
    world = start(game("avatar > OngoingAvatar"), level("A..."))
    world.wait(3)
    assert world.advance(Action.LEFT).avatar.position == (10, 0)
