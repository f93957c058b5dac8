"""The order of updates in a tick: avatars by player, then types from the end of the sprite order (engine, 7.2, 7.3)."""

from semantics.harness import JavaRandom, after, game, level, play, start
from semantics.sprites_harness import draw_direction, moved
from vgdl import Action


def order(sprites: str) -> list[str]:
    """Names in the sprite order of a game with these sprites."""
    world = start(game(sprites), level("A"))
    return [world.game.types[number] for number in world.game.order]


# --- the sprite order ---


def test_wall_comes_first_and_avatar_last() -> None:
    """Leaves in order of definition, between the two that every game has (language, 7.4)."""
    assert order("one > Immovable\ntwo > Immovable") == ["wall", "one", "two", "avatar"]
    assert order("avatar > MovingAvatar\none > Immovable") == ["wall", "one", "avatar"]


def test_a_wall_defined_as_a_leaf_stands_where_it_is_defined() -> None:
    """Then the first leaf of the set has index 0 (language, 7.4)."""
    assert order("one > Immovable\nwall > Immovable\ntwo > Immovable") == ["one", "wall", "two", "avatar"]


def test_types_with_children_are_not_in_the_order() -> None:
    """Except ``wall`` and ``avatar`` (language, 7.4)."""
    sprites = """
    group > Immovable
        one >
        two >
    avatar > MovingAvatar
        hero >
    wall > Immovable
        brick >
    """
    assert order(sprites) == ["wall", "one", "two", "hero", "brick", "avatar"]


def test_a_type_defined_twice_has_its_later_place() -> None:
    """It is removed and appended again (language, 7.2)."""
    assert order("one > Immovable\ntwo > Immovable\none > Immovable") == ["wall", "two", "one", "avatar"]


# --- the sprite phase ---


def test_later_types_draw_first_and_older_sprites_before_younger_ones() -> None:
    """From the last index down; within a type in order of creation (engine, 7.3)."""
    rules = game("early > RandomNPC\nlate > RandomNPC")
    world = play(rules, level("e...l", ".....", "l...A"))
    random = JavaRandom()
    for name, places in [("late", [(40, 0), (0, 20)]), ("early", [(0, 0)])]:
        assert world.positions(name) == [moved(place, draw_direction(random)) for place in places]
    assert world.rng == random.state


def test_a_new_sprite_of_an_earlier_type_is_updated_in_the_same_tick() -> None:
    """The turn of its type is still to come: its first tick is used up at once (sprites, 7 and quirk 14)."""
    rules = game("shot > Missile orientation=RIGHT\nplant > SpawnPoint stype=shot total=1")
    world = play(rules, level("p...A"), ticks=2)
    assert world.only("shot").position == (10, 0)


def test_a_new_sprite_of_a_later_type_waits_for_the_next_tick() -> None:
    """The turn of its type is over (sprites, 7 and quirk 14)."""
    rules = game("plant > SpawnPoint stype=shot total=1\nshot > Missile orientation=RIGHT")
    world = play(rules, level("p...A"), ticks=2)
    assert world.only("shot").position == (0, 0)
    assert world.wait(1).only("shot").position == (10, 0)


def test_what_an_avatar_makes_is_updated_in_the_same_tick() -> None:
    """Avatars act before all others, though their type comes last (engine, 7.2)."""
    rules = game("shot > Missile\navatar > ShootAvatar stype=shot")
    world = play(rules, level("A...."), actions=[Action.USE])
    assert world.wait(1).only("shot").position == (20, 0)


def test_a_chaser_sees_where_its_target_is_by_then() -> None:
    """A mouse of a later type has moved already, one of an earlier type has not (sprites, 12.17).

    In tick 1 the mouse, three cells to the right at first, takes its first step down.
    """
    mouse, cat = "mouse > Missile orientation=DOWN", "cat > Chaser stype=mouse speed=0.1"
    lines = level("c..m", "....", "A...")
    assert play(game(f"{cat}\n{mouse}"), lines, ticks=2).rng == after(("int 1", 1), ("int 2", 1))
    assert play(game(f"{mouse}\n{cat}"), lines, ticks=2).rng == after(("int 1", 2))


def test_a_sprite_that_died_earlier_in_the_tick_is_still_chased() -> None:
    """It stays in its group until the end of the tick (sprites, 7 and quirk 17)."""
    rules = game("cat > Chaser stype=spark\nspark > Flicker limit=0")
    world = play(rules, level("c...s", "A...."), ticks=2)
    assert world.count("spark") == 0
    assert world.only("cat").position == (20, 0)
    assert world.rng == after(("int 1", 2))
    assert world.wait(1).rng == after(("int 1", 2), ("int 4", 1))


def test_sprites_of_a_type_with_children_are_never_updated() -> None:
    """Inner types are not in the order (engine, quirk 10)."""
    rules = game(
        """
        shot > Missile orientation=RIGHT
            arrow >
        """
    )
    world = play(rules, level("s...", "a..A"), ticks=3)
    assert world.only("shot").position == (0, 0)
    assert world.only("arrow").position == (20, 10)


def test_sprites_of_a_type_with_children_are_not_even_timed() -> None:
    """No update, no time to live (engine, 7.3)."""
    rules = game(
        """
        group > Immovable timeToLive=1
            one >
        """
    )
    world = play(rules, level("go.A"), ticks=4)
    assert (world.count("group"), world.count("one")) == (1, 0)


def test_an_avatar_object_without_a_player_is_never_updated() -> None:
    """Not in the sprite phase either (sprites, 7): a MissileAvatar that a spawner makes hangs there."""
    rules = game("ghost > MissileAvatar\nplant > SpawnPoint stype=ghost total=1")
    world = play(rules, level("p...A"), ticks=4)
    assert world.only("ghost").position == (0, 0)


def test_sprites_made_by_effects_are_first_updated_in_the_next_tick() -> None:
    """The event phase comes after both update phases (engine, 7.1): still in tick 1, one cell on after tick 2."""
    rules = game(
        "shot > Missile orientation=RIGHT\nplant > Flicker limit=0",
        "plant avatar > spawn stype=shot",
        mapping="p > plant avatar",
    )
    world = play(rules, level("p..."), ticks=2)
    assert world.only("shot").position == (0, 0)
    assert world.wait(1).only("shot").position == (10, 0)


# --- avatars ---


def test_player_zero_completes_its_turn_before_player_one() -> None:
    """Both shoot the same singleton: only the first one's is made (engine, 7.2)."""
    rules = game(
        """
        flag > Immovable singleton=True
        avatar > FlakAvatar stype=flag
            one >
            two >
        """,
        options="no_players=2",
        mapping="o > one\nt > two",
    )
    world = start(rules, level("t..o"))
    world.advance((Action.USE, Action.USE))
    assert world.positions("flag") == [(30, 0)]
    world = start(rules, level("t..o"))
    world.advance((Action.NIL, Action.USE))
    assert world.positions("flag") == [(0, 0)]


def test_a_dead_avatar_is_neither_asked_nor_moved() -> None:
    """It is disabled and stays where it died, orientation included (engine, 2.5 and 7.2)."""
    rules = game(
        "spike > Immovable\navatar > OngoingAvatar",
        "avatar spike > killSprite",
        mapping="""
        s > spike
        A > avatar
    """,
    )
    world = play(rules, level("As..", "...."), ticks=2)
    assert world.avatar.disabled
    world.advance(Action.DOWN).advance(Action.DOWN)
    assert world.avatar.position == (10, 0)
    assert world.avatar.orientation == (1, 0)
    assert not world.is_over


def test_the_other_player_plays_on() -> None:
    """One dead avatar does not keep the other from acting (engine, 7.2)."""
    rules = game(
        """
        spike > Immovable
        avatar > MovingAvatar
            one >
            two >
        """,
        "one spike > killSprite",
        options="no_players=2",
        mapping="s > spike\no > one\nt > two",
    )
    world = start(rules, level("os..", "t..."))
    world.advance((Action.RIGHT, Action.RIGHT)).advance((Action.RIGHT, Action.RIGHT))
    assert world.only("one").position == (10, 0)
    assert world.only("one").disabled
    assert world.only("two").position == (20, 10)


def test_avatars_do_not_draw() -> None:
    """Whatever they do (sprites, 16.1)."""
    rules = game("shot > Missile\navatar > ShootAvatar stype=shot")
    actions = [Action.USE, Action.LEFT, Action.LEFT, Action.USE, Action.UP, Action.NIL]
    assert play(rules, level("...", ".A.", "..."), actions=actions).rng == after()
