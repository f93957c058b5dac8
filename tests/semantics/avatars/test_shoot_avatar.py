"""ShootAvatar (sprites, 13.6): an OrientedAvatar that shoots ahead."""

import pytest

from semantics.harness import NONE, RIGHT, UP, game, level, play, start
from semantics.sprites_harness import assert_fatal
from vgdl import Action

GUN = "shot > Missile\navatar > ShootAvatar stype=shot"


def test_shoots_into_the_cell_ahead() -> None:
    """The shot starts one rectangle ahead, flies the avatar's way, and has used up its first update (7)."""
    world = play(game(GUN), level("A...."), actions=[Action.USE])
    assert world.only("shot").position == (10, 0)
    assert world.only("shot").orientation == RIGHT
    assert world.wait(1).only("shot").position == (20, 0)


def test_turning_and_moving_do_not_shoot() -> None:
    """Only an update that ends STILL uses; the list is USE, LEFT, RIGHT, DOWN, UP (sprites, 13.1 and 13.6)."""
    world = start(game(GUN), level("...", ".A.", "..."))
    assert world.state.available_actions == (Action.USE, Action.LEFT, Action.RIGHT, Action.DOWN, Action.UP)
    assert world.advance(Action.UP).avatar.orientation == UP
    assert world.advance(Action.UP).avatar.position == (10, 0)
    assert world.count("shot") == 0


def test_a_sprite_that_is_not_oriented_gets_no_orientation() -> None:
    """``if the new sprite is oriented, its orientation = dir`` (sprites, 13.6)."""
    world = play(game("brick > Immovable\navatar > ShootAvatar stype=brick"), level("A.."), actions=[Action.USE])
    assert world.only("brick").orientation == NONE
    assert world.only("brick").position == (10, 0)


def test_the_first_kind_with_ammunition_is_shot() -> None:
    """``arrow`` needs wood; ``stone`` has no ammunition name of its own and is free (sprites, quirk 37)."""
    rules = game(
        """
        wood > Resource
        arrow > Immovable
        stone > Immovable
        avatar > ShootAvatar stype=arrow,stone ammo=wood
        """,
        "wood avatar > collectResource",
        mapping="o > wood",
    )
    world = play(rules, level("Ao..."), actions=[Action.USE])
    assert (world.count("arrow"), world.count("stone")) == (0, 1)
    world.advance(Action.RIGHT).advance(Action.USE)
    assert (world.count("arrow"), world.count("stone")) == (1, 1)
    assert world.avatar.resources == {"wood": 0}
    world.advance(Action.USE)
    assert (world.count("arrow"), world.count("stone")) == (1, 2)


def test_a_shot_that_is_refused_costs_nothing_and_ends_the_attempt() -> None:
    """A singleton exists: nothing is paid and no other kind is tried (sprites, 13.6 and quirk 37)."""
    rules = game(
        """
        wood > Resource limit=9 value=3
        arrow > Immovable singleton=True
        stone > Immovable
        avatar > ShootAvatar stype=arrow,stone ammo=wood
        """,
        "wood avatar > collectResource",
        mapping="o > wood",
    )
    world = play(rules, level("Ao..."), actions=[Action.RIGHT, Action.USE, Action.USE])
    assert (world.count("arrow"), world.count("stone")) == (1, 0)
    assert world.avatar.resources == {"wood": 2}


def test_its_shots_are_from_the_avatar() -> None:
    """The created sprite is marked (sprites, 13.6); category FROMAVATAR (11)."""
    world = play(game(GUN), level("A...."), actions=[Action.USE])
    assert [seen.position for group in world.state.from_avatar for seen in group] == [(10, 0)]


def test_needs_something_to_shoot() -> None:
    """``stype`` is required (sprites, 13.6)."""
    assert_fatal(game("avatar > ShootAvatar"), level("A"))


def test_unknown_names() -> None:
    """Shooting type -1 is fatal; a resource -1 is never held, so that nothing is shot (sprites, 1)."""
    assert play(game("avatar > ShootAvatar stype=nothing"), level("A"), actions=[Action.USE]).crashed
    rules = game("shot > Missile\navatar > ShootAvatar stype=shot ammo=nothing")
    assert play(rules, level("A."), actions=[Action.USE]).count("shot") == 0


def test_without_an_orientation_it_shoots_where_it_stands() -> None:
    """The normalised NONE is (0, 0) (sprites, 4 and 13.6)."""
    world = play(game(f"{GUN} orientation=NONE"), level("..A"), actions=[Action.USE])
    assert world.only("shot").position == (20, 0)
    assert world.only("shot").orientation == NONE


def test_a_slanted_direction_is_normalised() -> None:
    """NIL is (-1, -1), normalised -0.7071: 20 - 7.07 is cut to 12, then steps of 7 pixels (sprites, 8.4, 13.6)."""
    world = play(game(f"{GUN} orientation=NIL"), level("...", "...", "..A"), actions=[Action.USE])
    assert world.only("shot").position == (12, 12)
    assert world.only("shot").orientation == pytest.approx((-(0.5**0.5), -(0.5**0.5)))
    assert world.wait(1).only("shot").position == (5, 5)


def test_the_distance_is_its_own_size() -> None:
    """``lastrect`` is scaled from the first pre-movement on (sprites, 13.6 and quirk 9)."""
    world = play(game(f"{GUN} wMult=2.5"), level("A....."), actions=[Action.USE])
    assert world.only("shot").position == (25, 0)
