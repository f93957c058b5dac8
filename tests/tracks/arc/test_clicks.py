"""What clicks mean (arc, 6.5): a step, a walk, or the cell itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import vgdl
from tracks.arc import vgdl_games
from vgdl import Action
from vgdl.competition.tracks.arc.clicks import Walks, avatar_cell, key_towards
from vgdl.competition.tracks.arc.frame import State
from vgdl.competition.tracks.arc.game import UnfitGameError, VgdlGame
from vgdl.competition.tracks.arc.options import Way
from vgdl.competition.tracks.arc.playable import MOST_LAYERS
from vgdl.competition.tracks.arc.session import Session

FOUR = frozenset({Action.UP, Action.DOWN, Action.LEFT, Action.RIGHT})
MAZE = """
BasicGame
    SpriteSet
        floor > Immovable hidden=True
        brick > Immovable
        hole > Immovable
        gem > Immovable
        box > Passive
        exit > Door
        avatar > {avatar}
    LevelMapping
        . > floor
        x > floor brick
        o > floor hole
        g > floor gem
        $ > floor box
        e > floor exit
        A > floor avatar
    InteractionSet
        avatar EOS > stepBack
        avatar brick > stepBack
        box avatar > bounceForward
        box brick > undoAll
        box box > undoAll
        box EOS > undoAll
        avatar hole > killSprite
        gem avatar > killSprite
        exit avatar > killSprite
    TerminationSet
        SpriteCounter stype=avatar win=False
        SpriteCounter stype=exit win=True
"""


def maze(folder: Path, *levels: str, avatar: str = "MovingAvatar", clicks: str = "walk") -> VgdlGame:
    return vgdl_games.make(folder, MAZE.format(avatar=avatar), levels, facts=f'clicks = "{clicks}"', way=Way.CLICK)


def keys_to(level: str, cell: tuple[int, int], avatar: str = "MovingAvatar") -> str:
    """The first letters of the keys that a walk presses."""
    state = vgdl.loads(MAZE.format(avatar=avatar)).start(level.replace("/", "\n") + "\n", seed=1)
    return "".join(key.name[0] for key in Walks(FOUR).path(state, cell))


# Steps


@pytest.mark.parametrize(
    ("cell", "keys", "expected"),
    [
        ((6, 3), FOUR, "RIGHT"),
        ((0, 2), FOUR, "LEFT"),
        ((3, 0), FOUR, "UP"),
        ((4, 4), FOUR, "DOWN"),
        ((5, 4), FOUR, "RIGHT"),  # as far either way: horizontal
        ((3, 2), FOUR, "NIL"),
        ((3, 2), FOUR | {Action.USE}, "USE"),
        ((4, 0), frozenset({Action.LEFT, Action.RIGHT}), "RIGHT"),  # it cannot go up
        ((3, 0), frozenset({Action.LEFT, Action.RIGHT, Action.USE}), "USE"),
        ((6, 3), frozenset({Action.UP, Action.DOWN}), "DOWN"),
    ],
)
def test_a_step_goes_along_the_longer_axis(cell: tuple[int, int], keys: frozenset[Action], expected: str) -> None:
    state = vgdl.loads(MAZE.format(avatar="MovingAvatar")).start(
        "......e\n.......\n...A...\n.......\n.......\n", seed=1
    )
    assert key_towards(state, cell, keys) is Action[expected]


def test_a_step_is_one_tick_and_one_action(tmp_path: Path) -> None:
    game = maze(tmp_path, "A....e", clicks="step")
    session = Session(game)
    frame = session.reset()
    assert frame.available_actions == (6,)
    for _ in range(5):
        frame = session.act(6, *game.pixel(0, 5, 0))
        assert len(frame.layers) == 1
    assert frame.state == State.WIN
    assert session.run.level_actions == [5]


# Walks


def test_a_walk_takes_the_shortest_way_around_walls() -> None:
    assert keys_to("A.x.e/..x../.....", (3, 0)) in {"DDRRRUU", "RDDRRUU", "DRDRRUU", "RDRDRUU", "DRRRDUU"} | {
        "DDRRRUU",
        "DRDRRUU",
    }
    assert len(keys_to("A.x.e/..x../.....", (3, 0))) == 7


def test_a_walk_avoids_what_kills_and_does_not_go_there() -> None:
    assert keys_to("Ao.e/....", (2, 0)) in {"DRRU"}
    assert keys_to("Ao.e/xxxx", (2, 0)) == ""


def test_a_walk_pushes_nothing_but_a_neighbour() -> None:
    assert keys_to("A.$..e", (4, 0)) == ""
    assert keys_to("A.$..e", (2, 0)) == ""
    assert keys_to(".A$..e", (2, 0)) == "R"


def test_a_walk_may_take_what_it_came_for_but_nothing_on_the_way() -> None:
    assert keys_to("A.g..e", (2, 0)) == "RR"
    assert keys_to("A.g..e", (4, 0)) == ""


def test_a_walk_goes_through_the_door_that_wins() -> None:
    assert keys_to("A....e", (5, 0)) == "RRRRR"


def test_an_avatar_that_turns_first_is_turned_on_the_way() -> None:
    assert keys_to("A../.../..e", (2, 0), avatar="OrientedAvatar") == "RR"
    assert keys_to("A../.../..e", (0, 2), avatar="OrientedAvatar") == "DDD"


def test_a_walk_is_one_action_with_a_layer_per_step(tmp_path: Path) -> None:
    game = maze(tmp_path, "A....e", "A.e...")
    session = Session(game)
    session.reset()
    frame = session.act(6, *game.pixel(0, 3, 0))
    assert len(frame.layers) == 3
    frame = session.act(6, *game.pixel(0, 5, 0))
    assert (frame.levels_completed, len(frame.layers)) == (1, 3)
    assert np.array_equal(frame.last, game.paint(1, game.start(1)))
    assert session.run.level_actions == [2]


def test_long_walks_show_twenty_layers_the_last_one_included(tmp_path: Path) -> None:
    game = maze(tmp_path, "A" + "." * 49 + "e")
    session = Session(game)
    session.reset()
    frame = session.act(6, *game.pixel(0, 45, 0))
    assert len(frame.layers) == MOST_LAYERS
    expected = game.start(0)
    expected.rollout([Action.RIGHT] * 45)
    assert np.array_equal(frame.last, game.paint(0, expected))


def test_where_there_is_no_way_a_click_is_counted_and_does_nothing(tmp_path: Path) -> None:
    game = maze(tmp_path, "Ax...e")
    session = Session(game)
    first = session.reset()
    for x, y in ((game.pixel(0, 3, 0)), (0, 0), (63, 63)):
        frame = session.act(6, x, y)
        assert np.array_equal(frame.last, first.last)
        assert len(frame.layers) == 1
    assert session.run.actions == 3


def test_a_second_walk_starts_where_the_first_one_ended(tmp_path: Path) -> None:
    game = maze(tmp_path, "A.x/..x/e..")
    session = Session(game)
    session.reset()
    session.act(6, *game.pixel(0, 1, 1))
    frame = session.act(6, *game.pixel(0, 2, 2))
    assert len(frame.layers) == 2


# Points


LAMPS = """
BasicGame
    SpriteSet
        floor > Immovable hidden=True
        dark > Immovable
        bright > Immovable
        press > Immovable invisible=True
        pointer > ClickAvatar stype=press
    LevelMapping
        . > floor
        d > floor dark
        A > floor pointer
    InteractionSet
        dark press > transformTo stype=bright
        press floor > killSprite
    TerminationSet
        SpriteCounter stype=dark win=True
"""


def test_a_point_uses_the_cell_that_was_clicked(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path, LAMPS, ("A...d/d....",), facts='clicks = "point"', way=Way.CLICK)
    session = Session(game)
    frame = session.reset()
    pointer = game.game.types.index("pointer")
    assert game.colors.types[pointer] == 255, "the pointer is not drawn"
    session.act(6, *game.pixel(0, 2, 0))
    frame = session.act(6, *game.pixel(0, 4, 0))
    assert frame.state == State.NOT_FINISHED
    assert session.act(6, *game.pixel(0, 0, 1)).state == State.WIN
    assert session.run.level_actions == [3]


def test_every_pixel_of_a_cell_is_that_cell(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path, LAMPS, ("A...d/d....",), facts='clicks = "point"', way=Way.CLICK)
    cells = {game.cell(0, x, y) for x in range(64) for y in range(64)}
    assert cells == {None} | {(column, row) for column in range(5) for row in range(2)}
    assert all(game.cell(0, *game.pixel(0, column, row)) == (column, row) for column in range(5) for row in range(2))


def test_without_a_word_on_clicks_there_is_no_click_version(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="can be offered"):
        vgdl_games.make(tmp_path, way=Way.CLICK)
    with pytest.raises(UnfitGameError, match="the meaning of clicks is not defined"):
        VgdlGame(vgdl_games.make(tmp_path).game, Way.CLICK, base="aa00")


def test_the_avatar_of_a_game_that_is_over_is_nowhere() -> None:
    state = vgdl.loads(MAZE.format(avatar="MovingAvatar")).start("A....e\n", seed=1)
    assert avatar_cell(state) == (0, 0)
    state.abort()
    assert avatar_cell(state) is None
    assert Walks(FOUR).ways(state) == {}
