"""From a level's characters to sprites: ids, templates, singletons, limits, avatars (sprites, 6; engine, 3 and 6;
language, 11)."""

import os

import pytest

import vgdl
from semantics.harness import LOST, NO_WINNER, NONE, RIGHT, after, game, level, play, start
from semantics.sprites_harness import assert_fatal, messages
from vgdl import Action, StateObservation
from vgdl.core.data.tables import BoardTables
from vgdl.language import VGDLError

# --- levels ---


def test_ids_follow_the_cells_row_by_row_and_the_names_of_a_cell() -> None:
    """Consecutive from 0, in the order of the mapping's list within a cell (language, 11.3)."""
    rules = game("one > Immovable\ntwo > Immovable", mapping="x > two one\ny > one")
    world = start(rules, level("yx", "Ax"))
    assert [(sprite.id, sprite.type, sprite.position) for sprite in world.sprites] == [
        (0, "one", (0, 0)),
        (1, "two", (10, 0)),
        (2, "one", (10, 0)),
        (3, "avatar", (0, 10)),
        (4, "two", (10, 10)),
        (5, "one", (10, 10)),
    ]


def test_the_record_of_a_fresh_play() -> None:
    """Tick 0, a generator without draws, no winner (engine, 1.2, 2.1)."""
    world = start(game("stone > Immovable"), level("sA"))
    assert world.record["t"] == 0
    assert world.rng == after()
    assert (world.scores, world.wins) == ([0], [NO_WINNER])
    assert world.wait(1).record["t"] == 1


def test_block_size_is_computed_from_the_level() -> None:
    """800 div the larger side, at least 2; -1 asks for that (language, 11.2)."""
    rules = game("stone > Immovable", options="square_size=-1")
    assert start(rules, level("A.s")).only("stone").rect == (532, 0, 266, 266)
    assert start(rules, level("A.", "..", "..", "s.")).only("stone").rect == (0, 600, 200, 200)
    assert start(rules, level("s" + "." * 998 + "A")).only("stone").rect == (0, 0, 2, 2)


def test_the_first_line_gives_the_width() -> None:
    """Longer lines are cut, shorter ones padded, empty ones are rows (language, 11.2)."""
    rules = game("stone > Immovable", options="square_size=-1")
    world = start(rules, level("A...", "....s", "", "s"))
    assert world.positions("stone") == [(0, 600)]
    assert world.only("stone").rect[2] == 200


def test_characters_without_mapping_are_reported_one_by_one() -> None:
    """One message per occurrence, none for a space (language, 11.3)."""
    lines = level("A.??", "!...")
    assert messages(start(game("stone > Immovable"), lines), lines) == 3


def test_a_mapping_line_replaces_the_whole_entry() -> None:
    """Also that of ``w`` and ``A`` (language, 11.1)."""
    rules = game("stone > Immovable\nhero > MovingAvatar", mapping="w > stone\nA > hero\nw > stone stone")
    world = start(rules, level("wA"))
    assert (world.count("stone"), world.count("wall"), world.count("hero")) == (2, 0, 1)


def test_only_the_first_character_of_a_mapping_counts() -> None:
    """The rest of the token is ignored (language, 2.1)."""
    assert start(game("stone > Immovable", mapping="sand > stone"), level("sA")).count("stone") == 1


def test_unknown_names_matter_when_a_level_uses_them() -> None:
    """Fatal then, harmless before (language, 11.1 and 11.3)."""
    rules = game("stone > Immovable", mapping="s > stone\nn > nothing")
    assert start(rules, level("sA")).count("stone") == 1
    assert_fatal(rules, level("sAn"))


def test_an_unknown_class_matters_when_a_sprite_is_needed() -> None:
    """Fatal at the moment the first sprite is created (language, 7.8; sprites, 6.1)."""
    rules = game("odd > Immoveable\nplant > SpawnPoint stype=odd cooldown=1")
    assert start(rules, level("..A")).count("odd") == 0
    assert_fatal(rules, level("o.A"))
    assert play(rules, level("p.A"), ticks=1).crashed


def test_an_empty_level_cannot_be_played() -> None:
    """An empty level is fatal (language, 11.2)."""
    loaded = vgdl.loads(game("stone > Immovable"))
    with pytest.raises(vgdl.VGDLError):
        loaded.start(level="", seed=7)


def test_a_missing_level_file_is_no_level_text() -> None:
    loaded = vgdl.loads(game("stone > Immovable"))
    with pytest.raises(vgdl.VGDLError, match=r"no/such_lvl0\.txt: cannot be read"):
        loaded.start(level="no/such_lvl0.txt", seed=7)


# --- templates ---


def test_parameters_are_read_once_per_type_and_level() -> None:
    """An unknown field is one message, however many sprites of the type there are (sprites, 5.2 and 6.2)."""
    lines = level("sss", "..A")
    assert messages(start(game("stone > Immovable colour=RED weight=3"), lines), lines) == 2


def test_an_unused_type_reports_nothing() -> None:
    """Parameters are applied when a sprite is constructed (language, 7.9)."""
    lines = level("..A")
    assert messages(start(game("stone > Immovable weight=3"), lines), lines) == 0


def test_a_resource_type_reports_once_more() -> None:
    """A throw-away sprite of every Resource type is built at the end of the section (language, 7.6 and 7.9)."""
    rules = game("gem > Resource weight=3")
    assert messages(start(rules, level("..A")), level("..A")) == 1
    assert messages(start(rules, level("g.A")), level("g.A")) == 2


def test_a_type_first_spawned_in_play_reports_then() -> None:
    """26 unknown fields: harmless until the first sprite; then the message limit ends the game (language, 7.9)."""
    fields = " ".join(f"extra{number}=1" for number in range(26))
    rules = game(f"seed > Immovable {fields}\nhive > FlakAvatar stype=seed", mapping="h > hive")
    world = play(rules, level("h."), ticks=3)
    assert not world.is_over
    world.advance(Action.USE)
    assert world.count("seed") == 1
    assert world.is_over
    assert world.wins == [NO_WINNER]


def test_the_first_sprite_of_a_type_has_a_last_rectangle_of_one_block() -> None:
    """wMult and hMult scale its rectangle only; later sprites have both scaled (sprites, 5.3, 6.2, quirk 9).

    Sprites of a type with children are never updated, so that stepBack shows the difference.
    """
    rules = game(
        """
        big > Immovable wMult=2 hMult=0.5
            small > Immovable
        mark > Immovable
        """,
        "big mark > stepBack",
        mapping="b > big mark",
    )
    world = start(rules, level("b..b..A"))
    assert [big.rect for big in world.all("big")] == [(0, 0, 20, 5), (30, 0, 20, 5)]
    world.wait(1)
    assert [big.rect for big in world.all("big")] == [(0, 0, 10, 10), (30, 0, 20, 5)]


def test_the_first_update_ends_the_difference() -> None:
    """Pre-movement copies the rectangle (sprites, 7 and quirk 9)."""
    rules = game("big > Immovable wMult=2\nmark > Immovable", "big mark > stepBack", mapping="b > big mark")
    assert play(rules, level("b..b..A")).all("big")[0].rect == (0, 0, 20, 10)


def test_sizes_are_cut() -> None:
    """trunc(10 * 1.55) = 15, trunc(10 * 0.59) = 5 (sprites, 5.3)."""
    world = start(game("big > Immovable wMult=1.55 hMult=0.59"), level("b.b.A"))
    assert [big.rect for big in world.all("big")] == [(0, 0, 15, 5), (20, 0, 15, 5)]


def test_the_second_sprite_without_height_is_fatal() -> None:
    """The first one is not (engine, 3.2)."""
    rules = game("line > Immovable hMult=0.05")
    assert start(rules, level("l.A")).only("line").rect == (0, 0, 10, 0)
    assert_fatal(rules, level("llA"))


def test_spawning_the_second_sprite_without_height_is_fatal() -> None:
    """The same in play (engine, 3.2)."""
    world = play(game("line > Immovable hMult=0.05\nplant > SpawnPoint stype=line"), level("p.A"), ticks=1)
    assert not world.crashed
    assert world.wait(1).crashed


def test_an_orientation_makes_a_sprite_oriented_whatever_the_text_says() -> None:
    """Post-processing sets ``is_oriented`` (sprites, 5.3)."""
    rules = game("ball > Passive speed=1 orientation=RIGHT is_oriented=False")
    assert play(rules, level("b.A"), ticks=2).only("ball").position == (10, 0)


@pytest.mark.parametrize(
    ("parameters", "health"),
    [
        ("healthPoints=5", 5),
        ("healthPoints=5 maxHealthPoints=3", 3),
        ("healthPoints=5 maxHealthPoints=9", 5),
        ("healthPoints=5 limitHealthPoints=2", 5),
        ("", 0),
    ],
)
def test_health_is_capped_by_its_maximum_only(parameters: str, health: int) -> None:
    """``maxHealthPoints`` below ``healthPoints`` caps it, ``limitHealthPoints`` does not (sprites, quirk 45)."""
    assert start(game(f"troll > Immovable {parameters}"), level("tA")).only("troll").health == health


def test_positions_are_cut_toward_zero() -> None:
    """A cannon at the edge of the screen, aiming 0.45 upwards: (9.004, -4.349) becomes (9, -4) (sprites, 6.1)."""
    rules = game("ball > Immovable\navatar > AimedAvatar stype=ball")
    world = play(rules, level("A.."), actions=[Action.UP, Action.UP, Action.UP, Action.USE])
    # The first ball is built from its definition, the second copied from the template.
    assert world.positions("ball") == [(9, -4), (9, -4)]


def test_the_shrink_factor_is_for_drawing_only() -> None:
    """It does not change rectangles or collisions (sprites, quirk 47)."""
    rules = game(
        "mouse > Immovable shrinkfactor=0.1\ncat > Missile orientation=RIGHT speed=0.5", "mouse cat > killSprite"
    )
    world = play(rules, level("c.m.A"), ticks=3)
    assert world.only("mouse").rect == (20, 0, 10, 10)
    assert world.wait(1).count("mouse") == 0


# --- singletons and the limit ---


def test_a_refused_singleton_takes_no_id() -> None:
    """The second one is not made, without a message (language, 7.5 and 11.3)."""
    rules = game("sun > Immovable singleton=True")
    world = start(rules, level("ssA"))
    assert [(sprite.id, sprite.type) for sprite in world.sprites] == [(0, "sun"), (1, "avatar")]
    assert messages(world, level("ssA")) == 0


def test_a_singleton_parent_restricts_its_children_together() -> None:
    """``singleton`` counts for the type on whose line it stands (language, 7.2 and 7.5)."""
    rules = game(
        """
        light > singleton=True
            sun > Immovable
            moon > Immovable
        """
    )
    world = start(rules, level("smA"))
    assert (world.count("sun"), world.count("moon")) == (1, 0)


def test_a_grouping_type_is_refused_as_a_singleton_before_its_class_is_missed() -> None:
    """The singleton rule comes first; without one of its subtypes there, a type without a class is fatal (engine, 3.1)."""
    rules = game(
        """
        light > singleton=True
            sun > Immovable
        """,
        mapping="s > sun\nl > light",
    )
    assert [sprite.type for sprite in start(rules, level("slA")).sprites] == ["sun", "avatar"]
    with pytest.raises(VGDLError, match="'light' has no class"):
        start(rules, level("lsA"))


def test_a_singleton_child_leaves_its_siblings_alone() -> None:
    """Only the chain of the sprite's own types is looked at (language, 7.5)."""
    rules = game(
        """
        light > Immovable
            sun > singleton=True
            moon > Immovable
        """
    )
    world = start(rules, level("smmsA"))
    assert (world.count("sun"), world.count("moon")) == (1, 2)


def test_a_sprite_of_a_parent_type_counts_for_a_singleton_child() -> None:
    """number(t) sums over ``subtypes``, which begin with the ancestors (engine, 2.2)."""
    rules = game(
        """
        group > Immovable
            sun > singleton=True
        """
    )
    assert start(rules, level("gsA")).count("sun") == 0
    assert start(rules, level("sgA")).count("group") == 1


def test_once_a_singleton_always_a_singleton() -> None:
    """A later definition of the type does not take it back (language, 7.2)."""
    rules = game("sun > Immovable singleton=True\nsun > Immovable singleton=False")
    assert start(rules, level("ssA")).count("sun") == 1


def test_a_singleton_cannot_be_replaced_in_the_tick_in_which_it_dies() -> None:
    """Killed sprites count until the end of the tick (engine, 3.1).

    The sun, made in tick 0 after the turn of its type, dies in its second update, in tick 2. That comes before the
    plant's, which is refused for the sake of a dead sun; the next one rises in tick 3.
    """
    rules = game("plant > SpawnPoint stype=sun\nsun > Flicker limit=0 singleton=True")
    world = play(rules, level("p.A"), ticks=0)
    assert [world.wait(1).count("sun") for _ in range(5)] == [1, 1, 0, 1, 1]


def test_ten_thousand_and_one_sprites_fit() -> None:
    """A creation is refused when the count is *greater than* 10000, with a message each (engine, 3.1)."""
    rules = game("ant > Immovable")
    full = level("A" + "a" * 99, *["a" * 100] * 99, "a" + "." * 99)
    world = start(rules, full)
    assert world.count("ant") == 10_000
    assert messages(world, full) == 0
    more = level("A" + "a" * 99, *["a" * 100] * 99, "a" * 4 + "." * 96)
    world = start(rules, more)
    assert world.count("ant") == 10_000
    assert messages(world, more) == 3
    assert world.wait(1).is_over is False


def test_a_sprite_killed_twice_makes_room_for_two() -> None:
    """The count falls by the entries of the kill list (engine, 3.3 and quirk 3).

    The spark dies of its age and of its time to live in the same update, in tick 1. Until then 10001 sprites leave
    no room; after it the count is 9999, and two seeds fit.
    """
    rules = game(
        "ant > Immovable\nseed > Immovable\nflash > Flicker limit=0 timeToLive=1\nplant > SpawnPoint stype=seed"
    )
    world = start(rules, level("Afp" + "a" * 97, *["a" * 100] * 99, "a" + "." * 99)).wait(2)
    assert (world.count("flash"), world.count("seed")) == (0, 0)
    assert [world.wait(1).count("seed") for _ in range(3)] == [1, 2, 2]


def test_too_many_refused_creations_end_the_game() -> None:
    """More than 25 messages: over after the first tick, without a winner (engine, 7.8 and quirk 12)."""
    rules = game("ant > Immovable", ends="SpriteCounter stype=avatar limit=0 win=True")
    world = start(rules, level("A" + "a" * 99, *["a" * 100] * 99, "a" * 27 + "." * 73))
    assert not world.is_over
    world.wait(1)
    assert world.is_over
    assert world.wins == [NO_WINNER]


# --- avatars ---


def test_with_two_avatars_of_one_type_player_zero_gets_the_later_one() -> None:
    """The list of avatars is reversed (engine, 6 and language, quirk 17)."""
    rules = game("avatar > MovingAvatar", options="no_players=2", mapping="A > avatar")
    world = start(rules, level("A..A", "...."))
    world.advance((Action.DOWN, Action.RIGHT))
    assert world.positions("avatar") == [(10, 0), (30, 10)]


def test_with_two_types_player_zero_gets_the_first_in_the_sprite_order() -> None:
    """Whatever the order of creation (engine, 6)."""
    rules = game(
        """
        avatar > MovingAvatar
            one > MovingAvatar
            two > MovingAvatar
        """,
        options="no_players=2",
        mapping="o > one\nt > two",
    )
    world = start(rules, level("t..o", "...."))
    world.advance((Action.DOWN, Action.RIGHT))
    assert world.only("one").position == (30, 10)
    assert world.only("two").position == (10, 0)


def test_surplus_avatars_are_removed() -> None:
    """All but the first in creation order; one message; the ids stay used (language, 11.4)."""
    rules = game("seed > Immovable\navatar > FlakAvatar stype=seed", mapping="A > avatar")
    lines = level("A.A.A")
    world = start(rules, lines)
    assert [(sprite.id, sprite.position) for sprite in world.sprites] == [(0, (0, 0))]
    assert messages(world, lines) == 1
    assert world.advance(Action.USE).only("seed").id == 3


def test_an_avatar_whose_type_is_first_in_the_order_is_not_found() -> None:
    """Index 0 is never looked at: here ``hero``, since ``wall`` is defined as a leaf after it (language, 7.4).

    The sprite exists, but no player controls it.
    """
    rules = game("hero > MovingAvatar\nwall > Immovable")
    world = start(rules, level("h..w"))
    assert world.scores == [None]
    assert world.advance(Action.RIGHT).only("hero").position == (0, 0)


def test_an_avatar_object_that_is_not_flagged_as_one_is_passed_over() -> None:
    """The walk collects sprites whose ``is_avatar`` is set (engine, 6); the flag is cleared on a puppet here."""
    rules = game("puppet > MovingAvatar is_avatar=False\nhero > MovingAvatar")
    world = start(rules, level("p..", "h.."))
    world.advance(Action.RIGHT)
    assert world.only("puppet").position == (0, 0)
    assert world.only("hero").position == (10, 10)


def test_a_play_starts_with_fresh_players() -> None:
    """Score 0 and no winner; the time limit makes losers (engine, 6 and 7.9)."""
    world = start(game("stone > Immovable", ends="Timeout limit=0"), level("A"))
    assert world.wait(1).wins == [LOST]
    assert (world.avatar.orientation, world.avatar.speed) == (NONE, 1)


def test_a_spawner_makes_the_template_for_later_ones() -> None:
    """What happens to the first sprite of a type does not change the next (sprites, 6.2 and 6.3)."""
    rules = game(
        "shot > Missile\nplant > SpawnPoint stype=shot cooldown=3 orientation=RIGHT",
        "shot wall > reverseDirection",
    )
    world = play(rules, level("p.w...A"), ticks=4)
    first, second = world.all("shot")
    assert first.orientation != RIGHT
    assert second.orientation == RIGHT


def test_a_game_with_too_few_avatars_runs_until_a_score_changes() -> None:
    """Slot 1 stays empty; any score, even 0, then crashes (engine, 6 and 7.5)."""
    rules = game("stone > Immovable", "stone avatar > killSprite", options="no_players=2")
    world = start(rules, level("A.s"))
    assert world.scores == [0, None]
    world.advance((Action.RIGHT, None))
    assert world.avatar.position == (10, 0)
    assert not world.crashed
    assert world.advance((Action.RIGHT, None)).crashed


def test_a_game_without_avatars_logs_it_twice() -> None:
    """At load and again at game start (language, 12): with 24 more messages that is one too many."""
    rules = game("stone > Immovable")
    assert not play(rules, level("s" + "?" * 23)).is_over
    assert play(rules, level("s" + "?" * 24)).is_over


@pytest.mark.skipif(os.environ.get("VGDL_DEBUG") == "1", reason="the debug build aborts where the analysis is wrong")
def test_a_wrong_storage_analysis_ends_the_game_instead_of_writing_elsewhere() -> None:
    """The tables say of a type that none is ever made: a bug of the compiler, here made by hand."""
    rules = game("gun > SpawnPoint stype=shot prob=1 total=3\nshot > Immovable", mapping="g > gun")
    state = vgdl.loads(rules).start(level("A..", ".g."), seed=1)
    tables, placed = state.tables, set(state.arrays["type"])
    state.advance(Action.NIL)
    groups = tables.table["group_of"].copy()
    (shot,) = set(state.arrays["type"]) - placed
    groups[shot] = -1
    state = StateObservation.initial(BoardTables(tables.rules, tables.table | {"group_of": groups}, tables.number), 1)
    state.advance(Action.NIL)
    assert state.is_over
    assert state.error is not None
    assert "please report this game" in state.error


def test_a_surplus_avatar_may_be_of_any_class() -> None:
    """A sprite with ``is_avatar`` beyond the number of players is removed, whatever its class (language, 11.4)."""
    rules = game("avatar > MovingAvatar\nbox > Immovable is_avatar=True")
    world = start(rules, level("A.b")).wait(5)
    assert world.count("box") == 0
    assert not world.crashed
    with pytest.raises(vgdl.VGDLError, match="'box' has is_avatar"):
        start(rules, level("b.A"))


def test_a_false_avatar_that_is_created_ends_the_game_in_the_next_tick() -> None:
    """The views of the players fail when the next tick refreshes them (engine, 7.1): no winner, scores unchanged."""
    rules = game(
        "avatar > MovingAvatar\nbox > Immovable is_avatar=True\nmark > Immovable",
        "mark avatar > transformTo stype=box scoreChange=2",
    )
    world = start(rules, level("Am.")).advance(Action.RIGHT)
    assert world.count("box") == 1
    assert (world.score, world.crashed) == (2, False)
    world.advance(Action.LEFT)
    assert world.crashed
    assert world.is_over
    assert (world.score, world.wins, world.avatar.position) == (2, [-1], (10, 0))
    assert "not an avatar class" in str(world.state.error)


def test_a_false_avatar_that_dies_in_its_first_tick_does_no_harm() -> None:
    rules = game(
        "avatar > MovingAvatar\nbox > Immovable is_avatar=True\nmark > Immovable",
        "mark avatar > transformTo stype=box\nbox avatar > killSprite",
    )
    world = start(rules, level("Am.")).advance(Action.RIGHT).wait(3)
    assert world.count("box") == 0
    assert not world.crashed
