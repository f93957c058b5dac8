"""States as text: the text matches the observation, with names if the board is known, else numbers."""

from __future__ import annotations

import json
from typing import Any

import pytest

import vgdl
from plays import play, start
from vgdl import StateObservation, games, text


def without_names(state: StateObservation) -> StateObservation:
    """The state as a controller gets it."""
    return StateObservation.from_bytes(state.tables.anonymous(), state.to_bytes())


def test_a_level_reads_like_its_file() -> None:
    state = start("sokoban", ["xxxxxx", "xA$.ox", "xxxxxx"])
    assert text.read(state) == (
        "tick 0, score 0, running\n"
        "avatar: keeper at (1, 1)\n"
        "actions: LEFT RIGHT DOWN UP NIL\n"
        "\n"
        "xxxxxx\n"
        "xA$.ox\n"
        "xxxxxx\n"
        "\n"
        "x brick\n"
        "o hole\n"
        "$ box\n"
        "A keeper\n"
    )


def test_covered_sprites_are_listed() -> None:
    state = play("sokoban", ["xxxxxx", "xAo.$x", "xxxxxx"], "RIGHT")
    assert "at (2, 1): keeper on hole\n" in text.read(state)


CHAMBER = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable
        wall > Immovable
        gem > Resource
        avatar > ShootAvatar stype=gem
    LevelMapping
        . > floor
        w > wall floor
        g > gem floor
        A > avatar floor
    InteractionSet
        avatar wall > stepBack
    TerminationSet
        Timeout limit=100
"""


@pytest.mark.parametrize(
    ("actions", "front"),
    [
        (["LEFT"], "facing left (in front: wall on floor)"),
        (["UP"], "facing up (in front: the edge)"),
        (["DOWN"], "facing down (in front: nothing)"),
        (["RIGHT"], "facing right (in front: gem on floor)"),
    ],
)
def test_the_text_says_what_is_in_front_of_the_avatar(actions: list[str], front: str) -> None:
    state = vgdl.loads(CHAMBER).start(level="wA.g\n.  .\n.  .\n", seed=1)
    state.rollout([vgdl.Action[action] for action in actions])
    assert front in text.read(state, front=True).splitlines()[1]
    assert "in front" not in text.read(state, view=0, front=True)
    assert "in front" not in text.read(state)
    avatars: Any = text.describe(state)["avatars"]
    told = avatars[0]["in_front"]
    words = "the edge" if told is None else " on ".join(kind["name"] for kind in told) or "nothing"
    assert f"(in front: {words})" in front


def test_the_end_is_shown() -> None:
    state = play("sokoban", ["xxxxxx", "xA$o.x", "xxxxxx"], "RIGHT")
    assert text.read(state).splitlines()[0] == "tick 0, score 1, won"


def test_a_view_shows_the_neighbourhood() -> None:
    state = start("sokoban", ["xxxxxx", "xA$.ox", "xxxxxx"])
    lines = text.read(state, view=2).splitlines()
    assert lines[4:9] == ["     ", " xxxx", " xA$.", " xxxx", "     "]
    assert "o hole" not in lines
    near = text.describe(state, view=1)["sprites"]
    assert isinstance(near, list)
    assert {(sprite["column"], sprite["row"]) for sprite in near} == {
        (0, 0),
        (1, 0),
        (2, 0),
        (0, 1),
        (2, 1),
        (0, 2),
        (1, 2),
        (2, 2),
    }


def test_resources_of_the_avatar_are_listed() -> None:
    rules = """
BasicGame
    SpriteSet
        gem > Resource limit=5
    LevelMapping
        g > gem
    InteractionSet
        gem avatar > collectResource
    TerminationSet
        Timeout limit=100
"""
    state = vgdl.loads(rules).start(level="Ag.\n", seed=1)
    state.rollout([vgdl.Action.RIGHT])
    assert "1 gem" in text.read(state).splitlines()[1]
    avatars: Any = text.describe(state)["avatars"]
    assert avatars[0]["resources"] == [{"type": 2, "name": "gem", "amount": 1}]


@pytest.mark.parametrize("game", games.names())
def test_every_game_can_be_read(game: str) -> None:
    """All along a play: every visible sprite is in the JSON, and its symbol, or that of what covers it, in the grid."""
    state = vgdl.load(game).start(level=0, seed=1)
    symbols = text.legend(state)
    assert len(symbols) == len(set(symbols))
    while not state.is_over and state.tick < 200:
        told: Any = json.loads(json.dumps(text.describe(state)))
        avatars = {avatar["id"] for avatar in told["avatars"] if avatar is not None}
        assert {sprite["id"] for sprite in told["sprites"]} | avatars == set(state.arrays["id"].tolist())
        rows = text.read(state).splitlines()[4 : 4 + told["rows"]]
        assert [len(row) for row in rows] == [told["columns"]] * told["rows"]
        for column, cells in enumerate(state.grid):
            for row, sprites in enumerate(cells):
                names = {state.game.types[sprite.type] for sprite in sprites}
                shown = rows[row][column]
                assert symbols[shown] in names if names else shown == text.EMPTY
        state.random_rollout(10, seed=state.tick)


def test_controllers_get_numbers_only() -> None:
    state = vgdl.load("zelda").start(level=0, seed=1)
    bare = without_names(state)
    words = text.read(bare) + json.dumps(text.describe(bare))
    assert [name for name in state.game.types if name in words] == ["avatar"]  # which is what the text calls it
    assert "type" in text.read(bare)
    assert set(text.legend(bare).values()) == {
        f"type {state.game.types.index(name)}" for name in text.legend(state).values()
    }


def test_each_player_gets_its_own_avatar() -> None:
    state = vgdl.load("tandem").start(level=0, seed=1)
    assert "avatar: red" in text.read(state, player=0)
    assert "avatar: blue" in text.read(state, player=1)
    with pytest.raises(ValueError, match="below 2"):
        text.read(state, player=2)
    for view in (-1, 5000):
        with pytest.raises(ValueError, match="0 to 200 cells"):
            text.read(state, view=view)
