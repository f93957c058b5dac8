"""States made from observations: `vgdl.placing`."""

from __future__ import annotations

import random

import numpy as np
import pytest

import vgdl
from vgdl.core.placing import place as place_array
from vgdl.placing import open_board, place


def _shown(state: vgdl.StateObservation) -> list[tuple[int, int, int]]:
    return sorted((int(row["type"]), int(row["x"]), int(row["y"])) for row in state.arrays)


@pytest.mark.parametrize("name", ["sokoban", "aliens", "roguelike", "frogs"])
def test_placed_state_has_the_same_future_as_the_observed_one(name: str) -> None:
    game = vgdl.load(name)
    board = open_board(game, game.levels[0].read_text())
    draws = random.Random(1)
    state = game.start(0, seed=3)
    shadow = place(board, state, seed=3)
    same = ticks = 0
    while not state.is_over and ticks < 60:
        action = draws.choice(state.actions_of(0, nil=True))
        state.advance(action)
        shadow.advance(action)
        same += _shown(shadow) == _shown(state)
        ticks += 1
        shadow = place(board, state, before=shadow)
    assert same >= ticks - 1


def test_place_shows_what_was_observed() -> None:
    game = vgdl.load("zelda")
    state = game.start(0, seed=5)
    state.rollout([vgdl.Action.LEFT, vgdl.Action.USE, vgdl.Action.DOWN] * 5)
    placed = place(open_board(game, game.levels[0].read_text()), state)
    avatar, seen = placed.avatar, state.avatar
    assert _shown(placed) == _shown(state)
    assert avatar is not None
    assert seen is not None
    assert (avatar.orientation, avatar.resources, avatar.health) == (seen.orientation, seen.resources, seen.health)
    assert (placed.tick, placed.score, placed.winner) == (state.tick, state.score, state.winner)


TRAIL = """BasicGame
    SpriteSet
        you > OngoingTurningAvatar spawnBehind=trail
        trail > Immovable
        wall > Immovable
    LevelMapping
        A > you
    InteractionSet
        you wall > killSprite
    TerminationSet
        SpriteCounter stype=you win=False
"""


def test_the_avatar_of_the_level_leaves_its_own_trail() -> None:
    game = vgdl.loads(TRAIL)
    level = "A....\n"
    placed = place(open_board(game, level), game.board(level).start(0))
    placed.rollout([vgdl.Action.RIGHT] * 3)
    assert {game.types[row["type"]] for row in placed.arrays} == {"you", "trail"}


def test_placed_state_shares_nothing_with_what_was_expected() -> None:
    game = vgdl.load("sokoban")
    board = open_board(game, game.levels[0].read_text())
    state = game.start(0, seed=1)
    expected = place(board, state)
    placed = place(board, state, before=expected)
    kept = expected.to_bytes()
    placed.advance(vgdl.Action.LEFT)
    assert expected.to_bytes() == kept


def test_board_of_another_size_is_refused() -> None:
    game = vgdl.load("sokoban")
    board = open_board(game, game.levels[0].read_text())
    other = vgdl.load("aliens").start(0, seed=1)
    with pytest.raises(ValueError, match="expected a screen"):
        place(board, other)


def test_board_that_is_not_open_is_refused() -> None:
    game = vgdl.load("sokoban")
    with pytest.raises(ValueError, match="open to all types"):
        place(game.board(0), game.start(0, seed=1))


def test_ids_that_occur_twice_are_refused() -> None:
    game = vgdl.load("sokoban")
    board = open_board(game, game.levels[0].read_text())
    arrays = np.concatenate([game.start(0, seed=1).arrays] * 2)
    with pytest.raises(ValueError, match="distinct ids"):
        place_array(board.tables, arrays)


def _following(text: str, level: str, ticks: int = 60) -> tuple[int, int]:
    """Follow a play with states placed on the true rules, whose random events are others.

    Returns:
        The sprites that were there before and whose place after a tick was expected in none of 64 futures; all sprites.
    """
    game = vgdl.loads(text)
    board = open_board(game, level)
    state = game.start(level, seed=7)
    expected = place(board, state, seed=1)
    draws = random.Random(5)
    wrong = total = 0
    for _ in range(ticks):
        before = state.copy()
        state.advance(vgdl.Action.NIL)
        if state.is_over:
            break
        known = set(before.arrays["id"].tolist())
        facts = {(row[1], row[3], row[4]) for row in state.arrays.tolist() if row[0] in known}
        missed = facts
        futures = [place(board, before, before=expected, seed=draws.getrandbits(31)) for _ in range(64)]
        for future in futures:
            future.advance(vgdl.Action.NIL)
            missed = missed - set(_shown(future))
        wrong, total = wrong + len(missed), total + len(facts)
        expected = place(board, state, before=futures[0], last=before, seed=draws.getrandbits(31))
    return wrong, total


_GAME = """BasicGame square_size=20
    SpriteSet
        wall > Immovable
        {types}
        avatar > MovingAvatar
    LevelMapping
        x > wall
        m > maker
        A > avatar
    InteractionSet
        stone wall > {effect}
    TerminationSet
        Timeout limit=500 win=False
"""
_LEVEL = "xxxxxxxxx\nx       x\nx  m    x\nx    m  x\nx       x\nxA  m   x\nxxxxxxxxx\n"


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("types", "effect"),
    [
        ("stone > Missile orientation=DOWN speed=0.25\n        maker > SpawnPoint stype=stone prob=0.2", "killSprite"),
        ("maker > SpawnPoint stype=stone prob=0.2\n        stone > Missile orientation=DOWN speed=0.25", "killSprite"),
        ("maker > SpawnPoint stype=stone prob=0.2 spawnorientation=LEFT\n        stone > Missile", "killSprite"),
        ("maker > SpawnPoint stype=stone prob=0.2\n        stone > RandomMissile speed=0.5", "killSprite"),
        ("stone > RandomMissile speed=0.5\n        maker > SpawnPoint stype=stone prob=0.2", "killSprite"),
        ("maker > SpawnPoint stype=stone prob=0.1\n        stone > RandomNPC cons=6 speed=0.5", "stepBack"),
        ("maker > Bomber stype=stone prob=0.2 speed=0.0\n        stone > Missile orientation=UP", "killSprite"),
    ],
)
def test_new_sprites_get_the_age_and_the_direction_that_they_have(types: str, effect: str) -> None:
    text = _GAME.format(types=types, effect=effect)
    wrong, total = _following(text, _LEVEL)
    assert total > 1000
    assert wrong == 0


def test_sprite_that_was_expected_to_die_goes_on_in_the_direction_of_its_last_move() -> None:
    text = _GAME.format(
        types="maker > SpawnPoint stype=stone prob=0.1\n        stone > RandomMissile", effect="killSprite"
    )
    game = vgdl.loads(text)
    board = open_board(game, _LEVEL)
    stone = game.types.index("stone")
    true = before = game.start(_LEVEL, seed=3)

    def places(state: vgdl.StateObservation) -> list[tuple[int, int, int]]:
        return [(row[0], row[3], row[4]) for row in state.arrays.tolist() if row[1] == stone]

    while len(places(before)) != 1 or len(places(true)) != 1 or places(before) == places(true):
        before = true.copy()
        true.advance(vgdl.Action.NIL)
    ((_, x, y),), ((_, now_x, now_y),) = places(before), places(true)
    without = vgdl.loads(text).start(_LEVEL, seed=9)  # no stone in it yet
    placed = place(board, true, before=place(board, without), last=before)
    placed.advance(vgdl.Action.NIL)
    assert (stone, 2 * now_x - x, 2 * now_y - y) in _shown(placed)


def test_what_a_failed_tick_would_have_removed_is_removed_later() -> None:
    text = """
        BasicGame
            SpriteSet
                spring > {spring}
                flash > Flicker limit={limit}
                avatar > MovingAvatar
            LevelMapping
                A > avatar
                f > flash
                s > spring
            InteractionSet
            TerminationSet
    """
    level, flash = "A.f.s..", 3
    observed = vgdl.loads(text.format(spring="Immovable", limit=9)).start(level, seed=1)
    board = open_board(vgdl.loads(text.format(spring="Spreader spreadprob=1.0", limit=0)), level)
    expected = place(board, observed)
    while expected.error is None:  # the flash is to go in the very tick in which the spring fails
        observed.advance(vgdl.Action.NIL)
        expected.advance(vgdl.Action.NIL)
    placed = place(board, observed, before=expected)
    assert flash in placed.arrays["type"]
    placed.advance(vgdl.Action.NIL)
    assert flash not in placed.arrays["type"]


def test_places_far_outside_are_compared(capfd: pytest.CaptureFixture[str]) -> None:
    game = vgdl.load("aliens")
    board = open_board(game, game.levels[0].read_text())
    state = game.start(0, seed=1)
    state.rollout([vgdl.Action.USE] * 20)
    expected = place(board, state)
    far = state.arrays.copy()
    far["x"] = np.where(far["x"] > 0, 2**31 - 1, -(2**31))
    far["y"] = -(2**31)
    placed = place_array(board.tables, far, before=place_array(board.tables, far, before=expected))
    assert len(placed.arrays) == len(far)
    assert capfd.readouterr().err == ""
