"""Observations of a state: one test per clause (engine, 2.6, 8, 12.6 and 13; the paper, III-B).

Blocks are 10 pixels; types are numbered wall 0, avatar 1, then as they are defined; ids follow the level's cells.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import vgdl
from semantics.harness import game, level
from vgdl import Action, StateObservation, render
from vgdl.core.data.layout import Category
from vgdl.core.observation import VISIBLE, Avatar, Observation, record_tuples
from vgdl.render import frame

NIL, UP, LEFT, DOWN, RIGHT, USE = Action.NIL, Action.UP, Action.LEFT, Action.DOWN, Action.RIGHT, Action.USE
FIRST = 2  #: number of the first type that a game defines
LISTS = {
    Category.RESOURCE: "resources",
    Category.PORTAL: "portals",
    Category.NPC: "npcs",
    Category.STATIC: "immovables",
    Category.FROM_AVATAR: "from_avatar",
    Category.MOVABLE: "movables",
}


def start(rules: str, *rows: str) -> StateObservation:
    """A state before its first tick; a dot in a row is an empty cell."""
    return vgdl.loads(rules).start(level=level(*rows), seed=1)


def play(state: StateObservation, *actions: Action) -> StateObservation:
    """The same state, some ticks later."""
    for action in actions:
        state.advance(action)
    return state


def the_avatar(state: StateObservation) -> Avatar:
    """Player 0's avatar, which must be there."""
    assert state.avatar is not None
    return state.avatar


def ids(lists: tuple[tuple[Observation, ...], ...]) -> list[list[int]]:
    """The sprites of each list by id."""
    return [[seen.id for seen in sprites] for sprites in lists]


def cells(state: StateObservation, sprite: int) -> set[tuple[int, int]]:
    """Where in the grid a sprite stands."""
    grid = state.grid
    return {
        (column, row)
        for column in range(len(grid))
        for row in range(len(grid[column]))
        if any(seen.id == sprite for seen in grid[column][row])
    }


def without_avatar() -> StateObservation:
    """A running game whose avatar has been removed, which only partners of an effect are; its level was ``bbxb``."""
    effects = "rock avatar > transformTo stype=rock killSecond=True"
    rules = game("box > Immovable\nrock > Immovable", effects, mapping="x > avatar rock")
    return play(start(rules, "bbxb"), NIL)


# ---------------------------------------------------------------------------------------------------- available actions


@pytest.mark.parametrize(
    ("avatar", "expected"),
    [
        ("MovingAvatar", [LEFT, RIGHT, DOWN, UP]),
        ("HorizontalAvatar", [LEFT, RIGHT]),
        ("VerticalAvatar", [UP, DOWN]),
        ("NullAvatar", [NIL]),
        ("FlakAvatar stype=shot", [USE, LEFT, RIGHT]),
        ("OrientedAvatar", [LEFT, RIGHT, DOWN, UP]),
        ("MissileAvatar", [LEFT, RIGHT, DOWN, UP]),
        ("OngoingAvatar", [LEFT, RIGHT, DOWN, UP]),
        ("OngoingTurningAvatar spawnBehind=shot", [LEFT, RIGHT, DOWN, UP]),
        ("ShootAvatar stype=shot", [USE, LEFT, RIGHT, DOWN, UP]),
        ("OngoingShootAvatar stype=shot", [USE, LEFT, RIGHT, DOWN, UP]),
        ("ShootOnlyAvatar stype=shot", [LEFT, UP, RIGHT, DOWN, USE]),
        ("AimedAvatar stype=shot", [USE, DOWN, UP]),
        ("SpaceshipAvatar stype=shot", [USE, LEFT, RIGHT, DOWN, UP]),
        ("CarAvatar", [LEFT, RIGHT, DOWN, UP]),
        ("LanderAvatar", [LEFT, RIGHT, DOWN, UP]),
        ("BirdAvatar", [USE]),
        ("PlatformerAvatar", [LEFT, RIGHT, USE]),
        ("WizardAvatar stype=shot", [LEFT, RIGHT, USE, UP]),
    ],
)
def test_available_actions_are_those_of_the_class_in_its_order(avatar: str, expected: list[Action]) -> None:
    """13.1 and sprites 13.1; NIL is appended if asked for, ShootOnlyAvatar then has ShootAvatar's order."""
    state = start(game(f"avatar > {avatar}\nshot > Missile"), "A..")
    assert state.available_actions == state.actions_of(0) == tuple(expected)
    before_nil = [USE, LEFT, RIGHT, DOWN, UP] if avatar.startswith("ShootOnly") else expected
    assert state.actions_of(0, nil=True) == (*before_nil, NIL)


def test_available_actions_of_two_players_always_end_with_nil() -> None:
    """13.1: the two-player form includes NIL. Slot 0 is the type that comes first in the order of types."""
    rules = game("left > HorizontalAvatar\nup > VerticalAvatar", options="no_players=2")
    state = start(rules, "lu.")
    assert state.actions_of(0) == state.available_actions == (LEFT, RIGHT, NIL)
    assert state.actions_of(1) == (UP, DOWN, NIL)


def test_available_actions_know_their_players() -> None:
    """There is no player 1 in a one-player game."""
    state = start(game("box > Immovable"), "A")
    for player in (-1, 1):
        with pytest.raises(ValueError, match="expected a player below 1"):
            state.actions_of(player)


def test_available_actions_are_empty_once_the_game_has_ended() -> None:
    """13.1: empty if ended; ESCAPE ends a game."""
    state = play(start(game("box > Immovable"), "A.."), Action.ESCAPE)
    assert state.is_over
    assert state.available_actions == state.actions_of(0, nil=True) == ()


def test_available_actions_are_empty_without_an_avatar() -> None:
    """13.1: empty if the slot is empty."""
    state = without_avatar()
    assert not state.is_over
    assert state.available_actions == ()


# --------------------------------------------------------------------------------------------------------------- avatar


def test_avatar_shows_its_fields() -> None:
    """13.1: position, orientation, speed, health (the maximum is as high), type; NIL is its last action at first."""
    rules = game("avatar > OrientedAvatar healthPoints=3 limitHealthPoints=9 speed=0.5\nbox > Immovable")
    state = start(rules, "b..", ".A.")
    assert state.avatars == (state.avatar,)
    assert state.avatar == Avatar(
        type=1,
        id=1,
        position=(10, 10),
        orientation=(1.0, 0.0),
        speed=0.5,
        resources={},
        health=3,
        max_health=3,
        limit_health=9,
        last_action=NIL,
        is_alive=True,
    )


def test_avatar_moves() -> None:
    """Position in pixels after each tick."""
    state = start(game("avatar > MovingAvatar speed=0.5"), "A..", "...")
    assert the_avatar(play(state, RIGHT)).position == (5, 0)
    assert the_avatar(play(state, DOWN)).position == (5, 5)


def test_avatar_last_action_is_what_was_executed() -> None:
    """13.1: after the replacement by NIL of what the avatar cannot do."""
    state = start(game("avatar > HorizontalAvatar"), ".A.")
    assert the_avatar(play(state, LEFT)).last_action is LEFT
    assert the_avatar(play(state, UP)).last_action is NIL


def test_avatar_resources_are_those_ever_touched() -> None:
    """13.1 and 2.4: a collected one, and one that was reduced without having been there, at 0; not the third."""
    rules = game(
        "gold > Resource limit=5\nsilver > Resource limit=5\niron > Resource limit=5\nbox > Immovable",
        """
        gold avatar > collectResource
        iron avatar > collectResource
        avatar box > changeResource resource=silver value=-1
        """,
        mapping="x > avatar box gold",
    )
    state = start(rules, "x..i")
    assert the_avatar(state).resources == {}
    assert the_avatar(play(state, NIL)).resources == {FIRST: 1, FIRST + 1: 0}


def test_avatar_health_changes() -> None:
    """13.1: health and the most it ever was."""
    rules = game(
        "avatar > MovingAvatar healthPoints=2\nbox > Immovable\ncup > Immovable",
        """
        avatar cup > addHealthPoints value=3 killSecond=True
        avatar box > subtractHealthPoints value=1
        """,
        mapping="x > avatar cup",
    )
    state = play(start(rules, "xb"), NIL)
    assert (the_avatar(state).health, the_avatar(state).max_health) == (5, 5)
    play(state, RIGHT)
    assert (the_avatar(state).health, the_avatar(state).max_health) == (4, 5)


def test_avatar_that_is_dead_is_still_seen() -> None:
    """13.1 and 2.5: not alive means disabled; it stays in the observation, with its actions."""
    rules = game("box > Immovable", "avatar box > killSprite", mapping="x > box avatar")
    state = play(start(rules, ".x"), NIL)
    assert not the_avatar(state).is_alive
    assert the_avatar(state).position == (10, 0)
    assert state.available_actions == (LEFT, RIGHT, DOWN, UP)
    assert [seen.category for seen in state.grid[1][0]] == [Category.AVATAR, Category.STATIC]


def test_avatar_of_an_ended_game() -> None:
    """13.1: position and orientation (-1, -1), speed 0; the other methods go on."""
    rules = game("avatar > OrientedAvatar healthPoints=3")
    seen = the_avatar(play(start(rules, ".A"), Action.ESCAPE))
    assert (seen.position, seen.orientation, seen.speed) == ((-1, -1), (-1.0, -1.0), 0.0)
    assert (seen.type, seen.health, seen.is_alive) == (1, 3, True)


def test_avatar_that_is_gone() -> None:
    """An empty slot has no avatar to ask."""
    state = without_avatar()
    assert state.avatar is None
    assert state.avatars == (None,)


def test_avatars_of_two_players() -> None:
    """13.1 "m" and 6: avatars of one type fill the slots in reverse order of their creation."""
    state = start(game("box > Immovable", options="no_players=2"), "A.A")
    first, second = state.avatars
    assert first is not None
    assert second is not None
    assert (first.id, first.position) == (1, (20, 0))
    assert (second.id, second.position) == (0, (0, 0))
    state.advance((LEFT, DOWN))
    assert [avatar.last_action for avatar in state.avatars if avatar is not None] == [LEFT, DOWN]
    assert state.avatar == state.avatars[0]


# ------------------------------------------------------------------------------------------------------- position lists


@pytest.mark.parametrize(
    ("sprite", "category"),
    [
        ("Immovable is_resource=True portal=True is_npc=True is_from_avatar=True", Category.RESOURCE),
        ("Immovable portal=True is_npc=True is_from_avatar=True", Category.PORTAL),
        ("Immovable is_npc=True is_from_avatar=True", Category.NPC),
        ("Immovable is_from_avatar=True", Category.STATIC),
        ("Passive is_from_avatar=True", Category.FROM_AVATAR),
        ("Passive", Category.MOVABLE),
    ],
)
def test_category_is_the_first_that_matches(sprite: str, category: Category) -> None:
    """2.6: resource, portal, NPC, static, from an avatar, else movable; the sprite is in that list and in no other."""
    state = start(game(f"box > {sprite}"), "A.b")
    expected = ((Observation(category, FIRST, 1, 20, 0, 400.0),),)
    for other, name in LISTS.items():
        assert getattr(state, name) == (expected if other == category else ())


def test_lists_are_by_type_in_ascending_order() -> None:
    """13.2: one list per type that is present; types without sprites are absent."""
    rules = game("box > Immovable\nnone > Immovable\ncup > Immovable")
    state = start(rules, "cAbc", "w...")
    assert [[seen.type for seen in sprites] for sprites in state.immovables] == [[0], [2], [4, 4]]


def test_lists_with_a_reference_are_sorted_by_distance() -> None:
    """13.2: a stable sort by squared distance; the properties use player 0's avatar as the reference."""
    state = start(game("box > Immovable"), "b.bAb")
    (boxes,) = state.immovables
    assert [(seen.id, seen.square_distance) for seen in boxes] == [(1, 100.0), (3, 100.0), (0, 900.0)]
    (boxes,) = state.observations(Category.STATIC, (40, 0.5))
    assert [(seen.id, seen.square_distance) for seen in boxes] == [(3, 0.25), (1, 400.25), (0, 1600.25)]


def test_lists_without_a_reference_are_in_group_order() -> None:
    """13.2: in the order of creation, distances to (-1, -1)."""
    (boxes,) = start(game("box > Immovable"), "b.bAb").observations(Category.STATIC)
    assert [(seen.id, seen.square_distance) for seen in boxes] == [(0, 2.0), (1, 442.0), (3, 1682.0)]
    assert [seen.position for seen in boxes] == [(0, 0), (20, 0), (40, 0)]


def test_lists_without_an_avatar_are_in_group_order() -> None:
    """There is no position to sort by; distances are those to (-1, -1)."""
    state = without_avatar()
    assert ids(state.immovables) == [[0, 1, 4], [5]]
    assert state.immovables == state.observations(Category.STATIC)


def test_lists_of_an_ended_game_are_sorted_by_the_avatar_position_that_is_shown() -> None:
    """13.1: that is (-1, -1)."""
    state = play(start(game("box > Immovable"), "b.Ab"), Action.ESCAPE)
    assert [(seen.id, seen.square_distance) for seen in state.immovables[0]] == [(0, 2.0), (2, 962.0)]


def test_a_type_with_sprites_in_two_categories_is_in_both_lists() -> None:
    """13.2: flagged as soon as one of its sprites has the category, and then all of them are listed."""
    rules = game("avatar > FlakAvatar stype=bomb\nbomb > Passive")
    state = start(rules, ".A.b")
    assert ids(state.movables) == [[1]]
    assert ids(state.from_avatar) == []
    play(state, USE)
    both = (
        (
            Observation(Category.FROM_AVATAR, FIRST, 2, 10, 0, 0.0),
            Observation(Category.MOVABLE, FIRST, 1, 30, 0, 400.0),
        ),
    )
    assert state.movables == state.from_avatar == both


def test_a_type_whose_sprites_are_gone_is_absent() -> None:
    """13.2, in a fresh copy; the wall stays."""
    rules = game("box > Immovable", "box avatar > killSprite")
    state = start(rules, "Abw")
    assert ids(state.immovables) == [[2], [1]]
    assert ids(play(state, RIGHT).immovables) == [[2]]


def test_lists_lose_the_sprites_that_died() -> None:
    """The others of the type stay, in order."""
    rules = game("box > Immovable", "box avatar > killSprite")
    assert ids(play(start(rules, "bAbb"), RIGHT).immovables) == [[3, 0]]


def test_hidden_types_are_not_shown() -> None:
    """12.6 and 13: only the first flag counts, "true" in any case; hidden sprites are in no list, cell or array."""
    rules = game(
        """
        open > Immovable hidden=false,true
        gone > Immovable hidden=TRUE
        half > Immovable hidden=true,false
        """
    )
    state = start(rules, "Aogh")
    assert ids(state.immovables) == [[1]]
    assert [len(state.grid[column][0]) for column in range(4)] == [1, 1, 0, 0]
    assert state.arrays["id"].tolist() == [0, 1]
    assert sorted(sprite[0] for sprite in record_tuples(state)) == [0, 1, 2, 3]


def test_hidden_types_are_those_of_player_0_for_both_players() -> None:
    """12.6: every observation is made for player 0."""
    rules = game("open > Immovable hidden=false,true\ngone > Immovable hidden=true,false", options="no_players=2")
    assert ids(start(rules, "AogA").immovables) == [[1]]


def test_avatars_are_in_no_list() -> None:
    """13.2: they are only in the grid."""
    state = start(game("box > Immovable"), "Ab")
    assert state.observations(Category.AVATAR) == ()
    assert ids(tuple(sprites for name in LISTS.values() for sprites in getattr(state, name))) == [[1]]
    assert state.grid[0][0] == (Observation(Category.AVATAR, 1, 0, 0, 0, 2.0),)


@pytest.mark.parametrize("category", [-1, 7])
def test_lists_of_no_category(category: int) -> None:
    """A wrong number is an error of the caller."""
    with pytest.raises(ValueError, match="expected a Category"):
        start(game("box > Immovable"), "Ab").observations(category)


# ------------------------------------------------------------------------------------------------------- grid and world


def test_grid_is_by_column_and_row() -> None:
    """13.3: screen width div block columns of screen height div block rows."""
    grid = start(game("box > Immovable"), "A..", "..b").grid
    assert [len(column) for column in grid] == [2, 2, 2]
    assert grid[2][1] == (Observation(Category.STATIC, FIRST, 1, 20, 10, 21.0**2 + 11.0**2),)
    assert grid[1] == ((), ())


def test_grid_order_within_a_cell_is_by_type_then_group() -> None:
    """13.3: whatever the order in which they were created."""
    state = start(game("box > Immovable\ncup > Immovable", mapping="x > cup avatar box cup box"), ".x")
    assert [(seen.type, seen.id) for seen in state.grid[1][0]] == [(1, 1), (2, 2), (2, 4), (3, 0), (3, 3)]


def test_grid_has_a_sprite_between_cells_in_all_of_them() -> None:
    """13.3: the next column, the next row, and the diagonal cell if both."""
    state = start(game("avatar > MovingAvatar speed=0.5"), "A..", "...")
    assert cells(state, 0) == {(0, 0)}
    assert cells(play(state, RIGHT), 0) == {(0, 0), (1, 0)}
    assert cells(play(state, DOWN), 0) == {(0, 0), (1, 0), (0, 1), (1, 1)}
    assert cells(play(state, RIGHT), 0) == {(1, 0), (1, 1)}


def test_grid_ends_at_the_right_and_the_bottom() -> None:
    """13.3: cells that do not exist are left out."""
    state = start(game("avatar > MovingAvatar speed=0.5"), "..", ".A")
    assert cells(play(state, RIGHT, DOWN), 0) == {(1, 1)}
    assert the_avatar(state).position == (15, 15)
    assert cells(play(state, RIGHT), 0) == set()


def test_grid_truncates_toward_zero() -> None:
    """13.3: -block < x < 0 falls in column 0 and reaches no further; there is no column at -block."""
    state = start(game("avatar > MovingAvatar speed=0.5"), "A.", "..")
    assert cells(play(state, LEFT), 0) == {(0, 0)}
    assert the_avatar(state).position == (-5, 0)
    assert cells(play(state, UP), 0) == {(0, 0)}
    assert cells(play(state, LEFT), 0) == set()


def test_grid_sees_only_the_corner_of_a_large_sprite() -> None:
    """13.3: larger than a block, it is in one cell all the same."""
    state = start(game("giant > Immovable wMult=3 hMult=3"), "A...", ".g..", "....")
    assert cells(state, 1) == {(1, 1)}


def test_world_is_measured_in_pixels() -> None:
    """13.1: block size from the game, or 800 div the longer side; screen size is blocks by cells."""
    state = start(game("box > Immovable"), "A..", "...")
    assert (state.world_dimension, state.block_size) == ((30, 20), 10)
    state = start(game("box > Immovable", options="square_size=-1"), "A......", ".......")
    assert (state.world_dimension, state.block_size) == ((798, 228), 114)


# -------------------------------------------------------------------------------------------------------------- history


def events(state: StateObservation) -> list[tuple[Any, ...]]:
    """Origin, active and passive type, active and passive id of every event."""
    return [(e.from_avatar, e.active_type, e.passive_type, e.active_id, e.passive_id) for e in state.events]


def test_event_of_an_avatar_that_is_the_first_sprite() -> None:
    """8: all contents; the position is the avatar's after the effect."""
    state = start(game("box > Immovable", "avatar box > stepBack"), "A..b")
    assert play(state, RIGHT, RIGHT).events == ()
    (event,) = play(state, RIGHT).events
    assert event._asdict() == {
        "tick": 2,
        "from_avatar": False,
        "active_type": 1,
        "passive_type": FIRST,
        "active_category": Category.AVATAR,
        "passive_category": Category.STATIC,
        "active_id": 0,
        "passive_id": 1,
        "position": (20, 0),
    }


def test_event_of_an_avatar_that_is_the_second_sprite() -> None:
    """8: the avatar is the active one, whichever way round the rule is written."""
    rules = game("box > Passive", "box avatar > killSprite", mapping="x > box avatar")
    state = play(start(rules, "x"), NIL)
    assert events(state) == [(False, 1, FIRST, 1, 0)]
    assert state.events[0].passive_category is Category.MOVABLE


@pytest.mark.parametrize("pair", ["shot box", "box shot"])
def test_event_of_what_came_from_an_avatar(pair: str) -> None:
    """8: as first and as second sprite; its category is that of things from an avatar."""
    sprites = "avatar > FlakAvatar stype=shot\nshot > Passive\nbox > Immovable"
    rules = game(sprites, f"{pair} > killBoth", mapping="x > avatar box")
    (event,) = play(start(rules, ".x"), USE).events
    assert (event.from_avatar, event.active_type, event.passive_type) == (True, FIRST, FIRST + 1)
    assert (event.active_id, event.passive_id, event.position) == (2, 1, (10, 0))
    assert (event.active_category, event.passive_category) == (Category.FROM_AVATAR, Category.STATIC)


def test_event_of_an_avatar_and_its_shot_belongs_to_the_first_sprite() -> None:
    """8: the cases are tried in order."""
    sprites = "avatar > FlakAvatar stype=shot\nshot > Passive"
    state = play(start(game(sprites, "avatar shot > killIfFast limspeed=99"), "A"), USE)
    assert events(state) == [(False, 1, FIRST, 0, 1)]
    state = play(start(game(sprites, "shot avatar > killIfFast limspeed=99"), "A"), USE)
    assert events(state) == [(True, FIRST, 1, 1, 0)]


def test_no_event_without_an_avatar() -> None:
    """8: neither sprite is an avatar, or from one."""
    rules = game("box > Immovable\ncup > Immovable", "box cup > killSprite", mapping="x > box cup")
    state = play(start(rules, "A.x"), NIL)
    assert ids(state.immovables) == [[2]]
    assert state.events == ()


def test_no_event_without_a_second_sprite() -> None:
    """8 and 7.5: effects of the screen's edge are not recorded."""
    state = play(start(game("box > Immovable", "avatar EOS > stepBack"), "A."), LEFT)
    assert the_avatar(state).position == (0, 0)
    assert state.events == ()


def test_one_event_per_key_and_tick() -> None:
    """8: the first one stays, further ones with the same tick, origin and types are not added."""
    rules = game("box > Immovable", "avatar box > killIfFast limspeed=99", mapping="x > avatar box box")
    state = play(start(rules, "x"), NIL, NIL)
    assert [(event.tick, event.passive_id) for event in state.events] == [(0, 1), (1, 1)]


def test_events_are_ordered_by_tick_origin_passive_and_active_type() -> None:
    """8: those from the avatar's creations first; then by the passive type, then by the active one."""
    rules = game(
        "avatar > FlakAvatar stype=shot\nshot > Passive\nbox > Immovable\ncup > Immovable",
        """
        avatar cup > killIfFast limspeed=99
        avatar box > killIfFast limspeed=99
        avatar shot > killIfFast limspeed=99
        shot cup > killIfFast limspeed=99
        shot box > killIfFast limspeed=99
        """,
        mapping="x > avatar box cup",
    )
    state = play(start(rules, "x"), NIL, USE)
    shot, box, cup = FIRST, FIRST + 1, FIRST + 2
    assert [(e.tick, e.from_avatar, e.passive_type, e.active_type) for e in state.events] == [
        (0, False, box, 1),
        (0, False, cup, 1),
        (1, True, box, shot),
        (1, True, cup, shot),
        (1, False, shot, 1),
        (1, False, box, 1),
        (1, False, cup, 1),
    ]


def test_events_are_ordered_by_the_passive_type_before_the_active_one() -> None:
    """8: two players with avatars of two types meet the same sprites."""
    rules = game(
        "left > MovingAvatar\nup > MovingAvatar\nbox > Immovable\ncup > Immovable",
        """
        left cup > killIfFast limspeed=99
        up box > killIfFast limspeed=99
        left box > killIfFast limspeed=99
        """,
        options="no_players=2",
        mapping="x > left up box cup",
    )
    state = start(rules, "x")
    state.advance((NIL, NIL))
    assert [(event.active_type, event.passive_type) for event in state.events] == [(2, 4), (3, 4), (2, 5)]


def test_events_of_copies() -> None:
    """8: copied with states; each copy goes on by itself, and without history there is none."""
    state = play(start(game("box > Immovable", "avatar box > stepBack"), "Ab"), RIGHT)
    copies = [state.copy(), state.copy(seed=5), pickle.loads(pickle.dumps(state))]
    for copy in copies:
        assert copy.events == state.events
        assert len(play(copy, RIGHT).events) == 2
    assert len(state.events) == 1
    forgetful = play(state.copy(history=False), RIGHT)
    assert forgetful.events == ()
    state.copy_into(copies[0])
    assert copies[0].events == ()


def test_events_of_rollouts() -> None:
    """Those of ticks played in one call are the same as those of ticks played one by one."""
    state = start(game("box > Immovable", "avatar box > stepBack"), "Ab")
    together = state.copy()
    together.rollout([RIGHT, NIL, RIGHT])
    assert together.events == play(state, RIGHT, NIL, RIGHT).events
    assert [event.tick for event in together.events] == [0, 2]


# --------------------------------------------------------------------------------------------------- arrays and records


def test_arrays_hold_the_visible_sprites() -> None:
    """By type and in order of creation: what the grid shows, with rectangle, orientation, speed and health."""
    rules = game(
        """
        box > Immovable healthPoints=2 wMult=2
        mole > Missile orientation=UP speed=0.5
        ghost > Passive hidden=True
        """
    )
    state = start(rules, "mAgb", "w..b")
    array = state.arrays
    assert array.dtype == VISIBLE
    assert array.dtype.names == ("id", "type", "category", "x", "y")
    assert array.tolist() == [
        (4, 0, Category.STATIC, 0, 10),
        (1, 1, Category.AVATAR, 10, 0),
        (3, 2, Category.STATIC, 30, 0),
        (5, 2, Category.STATIC, 30, 10),
        (0, 3, Category.MOVABLE, 0, 0),
    ]


def test_arrays_show_dead_avatars() -> None:
    """2.5: disabled, and still there."""
    rules = game("box > Immovable", "avatar box > killSprite", mapping="x > box avatar")
    array = play(start(rules, ".x"), NIL).arrays
    assert array["category"].tolist() == [Category.AVATAR, Category.STATIC]


def test_sprites_into_writes_into_the_callers_array() -> None:
    """The same rows at the front of it; the rest of it is left alone."""
    state = start(game("box > Immovable"), "bAb")
    array = np.full(5, -1, np.int32).astype(VISIBLE)
    assert state.sprites_into(array) == 3
    assert (array[:3] == state.arrays).all()
    assert array["id"][3:].tolist() == [-1, -1]


def test_sprites_into_needs_room_and_the_right_type() -> None:
    """The message says what was expected."""
    state = start(game("box > Immovable"), "bAb")
    with pytest.raises(ValueError, match="room for 3 sprites, got 2"):
        state.sprites_into(np.zeros(2, VISIBLE))
    with pytest.raises(ValueError, match="Buffer dtype mismatch"):
        state.sprites_into(np.zeros(3, [("id", np.int32)]))


def test_records_are_of_all_sprites() -> None:
    """Those that live in the board, those that died there and hidden ones included; resources as they were touched."""
    rules = game(
        "gold > Resource limit=3 hidden=True\nbox > Immovable healthPoints=1",
        "gold avatar > collectResource",
    )
    state = play(start(rules, "Agb", "w.g"), RIGHT)
    assert sorted(record_tuples(state)) == [
        (0, 1, 10, 0, 10, 10, 0.0, 0.0, 1.0, 0, False, {FIRST: 1}),
        (2, 3, 20, 0, 10, 10, 0.0, 0.0, 0.0, 1, False, {}),
        (3, 0, 0, 10, 10, 10, 0.0, 0.0, 0.0, 0, False, {}),
        (4, 2, 20, 10, 10, 10, 0.0, 0.0, 0.0, 0, False, {}),
    ]


# ------------------------------------------------------------------------------------------------ pictures, names, laws


def test_drawing_is_in_sprite_order() -> None:
    """15.4: from index 0 of the order up, the avatar last, within a type in group order."""
    state = start(game("cup > Immovable\nbox > Immovable"), "Abc", "cw.")
    assert render.sprites(state) == [
        (0, 10, 10, 10, 10, 0.0, 0.0),
        (2, 20, 0, 10, 10, 0.0, 0.0),
        (2, 0, 10, 10, 10, 0.0, 0.0),
        (3, 10, 0, 10, 10, 0.0, 0.0),
        (1, 0, 0, 10, 10, 0.0, 0.0),
    ]


def test_drawing_leaves_out_the_dead() -> None:
    """15.4: disabled sprites are skipped."""
    rules = game("box > Immovable", "avatar box > killSprite", mapping="x > box avatar")
    assert [kind for kind, *_ in render.sprites(play(start(rules, ".x"), NIL))] == [FIRST]


def test_render_is_the_frame() -> None:
    """A picture with the size asked for: ``vgdl.render.frame``."""
    state = start(game("box > Immovable"), "Ab", "..", "..")
    picture = state.render(block=6)
    assert picture.shape == (18, 12, 3)
    assert (picture == frame(state, 6)).all()


def test_names_are_withheld_where_there_is_no_board() -> None:
    """Secrecy: numbers only, and the observations are the same."""
    state = start(game("box > Immovable"), "Ab")
    assert state.board.game is state.game
    secret = state.transfer(state.tables.anonymous(), seed=1)
    assert secret.board is None
    assert secret.game is None
    assert secret.grid == state.grid
    with pytest.raises(ValueError, match="without a board"):
        secret.render()


def test_observations_change_nothing() -> None:
    """Queries leave the state as it is, and a copy shows the same."""
    rules = game("avatar > FlakAvatar stype=bomb\nbomb > Passive", "bomb wall > killSprite")
    state = play(start(rules, "wA.b"), USE, LEFT)
    names = ("available_actions", "avatars", *LISTS.values(), "grid", "world_dimension", "block_size", "events")
    before = state.to_bytes()
    shown = {name: getattr(state, name) for name in names}
    assert state.to_bytes() == before
    copy = state.copy()
    assert {name: getattr(copy, name) for name in names} == shown
    assert (copy.arrays == state.arrays).all()


def test_observations_are_values() -> None:
    """They can be compared, hashed, unpacked and pickled, and do not follow the game."""
    state = start(game("avatar > MovingAvatar\nbox > Immovable", "avatar box > stepBack"), "A.b")
    seen = state.grid[0][0][0]
    play(state, RIGHT, RIGHT)
    category, kind, number, x, y, _ = seen
    assert (category, kind, number, x, y) == (Category.AVATAR, 1, 0, 0, 0)
    for value in (seen, state.events[0]):
        assert pickle.loads(pickle.dumps(value)) == value
        assert hash(value) == hash(pickle.loads(pickle.dumps(value)))
