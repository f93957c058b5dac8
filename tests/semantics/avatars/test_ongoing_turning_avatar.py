"""OngoingTurningAvatar (sprites, 13.9): never stops, never reverses, leaves a trail."""

from semantics.harness import DOWN, RIGHT, game, level, play, start
from vgdl import Action

TRAIL = "ash > Immovable\navatar > OngoingTurningAvatar spawnBehind=ash"


def test_leaves_its_trail_where_it_was() -> None:
    """Nothing while its rectangles of two ticks overlap, as in the first one (sprites, 13.9)."""
    world = play(game(TRAIL), level("A....", "....."), ticks=1)
    assert world.count("ash") == 0
    assert world.wait(2).positions("ash") == [(0, 0), (10, 0)]
    assert world.avatar.position == (20, 0)


def test_turns_but_does_not_reverse() -> None:
    """Only directions orthogonal to its own are taken (sprites, 13.9)."""
    world = start(game(TRAIL), level("A....", ".....")).wait(2)
    assert world.advance(Action.LEFT).avatar.position == (20, 0)
    assert world.avatar.orientation == RIGHT
    assert world.advance(Action.DOWN).avatar.position == (20, 10)
    assert world.avatar.orientation == DOWN


def test_slower_than_its_size_it_leaves_nothing() -> None:
    """It must have left its cell completely (sprites, 13.9)."""
    world = play(game(f"{TRAIL} speed=0.5"), level("A....", "....."), ticks=6)
    assert world.avatar.position == (25, 0)
    assert world.count("ash") == 0


def test_leaves_walls_by_default() -> None:
    """Without ``spawnBehind`` the type is 0, ``wall`` (sprites, quirk 38)."""
    world = play(game("avatar > OngoingTurningAvatar"), level("A...."), ticks=3)
    assert world.positions("wall") == [(0, 0), (10, 0)]


def test_the_second_one_of_a_level_leaves_walls_too() -> None:
    """It is a copy of the template, and copies lose ``spawnBehind`` (sprites, 6.3 and quirk 38)."""
    rules = game(TRAIL, options="no_players=2", mapping="A > avatar\na > ash")
    world = play(rules, level("A....", "....", "A...."), ticks=3)
    assert world.positions("ash") == [(0, 0), (10, 0)]
    assert world.positions("wall") == [(0, 20), (10, 20)]


def test_an_unknown_trail_is_fatal_when_it_is_left() -> None:
    """An unknown name is type -1; adding it is fatal (sprites, 1)."""
    world = play(game("avatar > OngoingTurningAvatar spawnBehind=nothing"), level("A..."), ticks=1)
    assert not world.crashed
    assert world.wait(1).crashed
