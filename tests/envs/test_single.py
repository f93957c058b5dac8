"""Games as Gymnasium environments: what Gymnasium's users expect, on every bundled game."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import vgdl  # noqa: E402
import vgdl.envs  # noqa: E402
from vgdl import Action, VGDLError, games, text  # noqa: E402
from vgdl.core.planes import Planes  # noqa: E402
from vgdl.envs import VGDLEnv  # noqa: E402

ENVS = list(vgdl.envs.env_ids())
SPACE = """
GameSpace
    ParameterSet
        SPEED > values=0.5:1.0:0.5 string=speed
    SpriteSet
        car > Missile orientation=RIGHT speed=SPEED
    LevelMapping
        c > car
    TerminationSet
        Timeout limit=100
"""


@pytest.fixture(autouse=True)
def headless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows open without a display."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(np.array_equal(one, other))


def play(env: Any, seed: int, steps: int = 60) -> list[tuple[Any, ...]]:
    """Everything that an environment returns in a play with random actions, from ``reset`` on."""
    choices = np.random.default_rng(seed)
    said: list[tuple[Any, ...]] = [env.reset(seed=seed)]
    while len(said) <= steps and not (len(said) > 1 and (said[-1][2] or said[-1][3])):
        said.append(env.step(choices.integers(env.action_space.n)))
    return said


# ------------------------------------------------------------------------------------------------------------- the games


def test_every_bundled_game_for_one_is_registered() -> None:
    assert sorted(vgdl.envs.env_ids().values()) == sorted(set(games.names()) - set(games.names("two_player")))
    assert "vgdl/MissileCommand-v0" in ENVS


@pytest.mark.parametrize("env_id", ENVS)
def test_actions_are_those_of_the_game(env_id: str) -> None:
    env = gymnasium.make(env_id).unwrapped
    expected = games.ACTION_SETS[games.facts(vgdl.envs.env_ids()[env_id]).actions]
    assert env.get_action_meanings()[0] == "NIL"
    assert set(env.get_action_meanings()[1:]) == expected


def test_the_full_action_space_is_the_same_for_all_games() -> None:
    env = VGDLEnv("aliens", full_action_space=True)
    assert env.get_action_meanings() == ["NIL", "UP", "LEFT", "DOWN", "RIGHT", "USE"]
    assert env.action_space.n == 6  # type: ignore[attr-defined]


def test_any_game_can_be_made(tmp_path: Any) -> None:
    source = games.path("sokoban")
    (tmp_path / "crates.txt").write_text(source.read_text())
    env = gymnasium.make("vgdl/VGDL-v0", game=tmp_path / "crates.txt", level="xxxxxx\nxA$.ox\nxxxxxx\n")
    right = env.unwrapped.get_action_meanings().index("RIGHT")
    env.reset(seed=1)
    assert env.step(right)[1:4] == (0.0, False, False)
    _, reward, terminated, truncated, info = env.step(right)
    assert (reward, terminated, truncated, info["winner"]) == (1.0, True, False, 1)


# ------------------------------------------------------------------------------------------------------ rewards and ends


@pytest.mark.parametrize("game", ["aliens", "butterflies", "zelda"])
def test_a_play_equals_the_play_of_the_game(game: str) -> None:
    """Same seed, same actions: states, scores and the end are those of ``Game.start`` and ``advance``."""
    env = VGDLEnv(game)
    env.reset(seed=5)
    state, total, over = vgdl.load(game).start(level=0, seed=5), 0.0, False
    choices = np.random.default_rng(5)
    while not over:
        action = int(choices.integers(len(env.actions)))
        _, reward, over, truncated, info = env.step(action)
        state.advance(env.actions[action])
        total += reward
        assert env.state == state
        assert not truncated
    assert state.is_over
    assert (total, info["tick"], info["winner"]) == (state.score, state.tick, state.winner)


def test_same_seed_same_run() -> None:
    one, other = gymnasium.make("vgdl/Zelda-v0"), gymnasium.make("vgdl/Zelda-v0")
    assert all(same(a[0], b[0]) and a[1:] == b[1:] for a, b in zip(play(one, 3), play(other, 3), strict=True))
    assert one.reset()[1] == other.reset()[1]
    assert one.unwrapped.state == other.unwrapped.state


def test_plays_without_seeds_differ() -> None:
    env = VGDLEnv("butterflies")
    env.reset(seed=1)
    seen = {env.state.generator}
    for _ in range(3):
        env.reset()
        seen.add(env.state.generator)
    assert len(seen) == 4


def test_the_games_own_limit_terminates_and_a_wrappers_truncates() -> None:
    env = gymnasium.make("vgdl/Sokoban-v0", max_episode_steps=3)
    env.reset(seed=1)
    assert [env.step(0)[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]
    whole = VGDLEnv("sokoban")
    whole.reset(seed=1)
    ends = [whole.step(0)[2:4] for _ in range(1001)]
    assert ends[-1] == (True, False)


def test_a_game_that_cannot_go_on_terminates_with_its_error() -> None:
    rules = """
BasicGame
    SpriteSet
        mover > PathChaser stype=avatar
    LevelMapping
        m > mover
    TerminationSet
        Timeout limit=100
"""
    env = VGDLEnv(vgdl.loads(rules), "m.A\n")
    env.reset(seed=1)
    terminated = False
    info: dict[str, Any] = {}
    while not terminated:
        *_, terminated, _, info = env.step(0)
    assert "path" in info["error"]


# --------------------------------------------------------------------------------------------------------- observations


@pytest.mark.parametrize("game", ["aliens", "zelda", "frogs", "lemmings"])
def test_planes_show_what_the_grid_of_the_state_shows(game: str) -> None:
    env = VGDLEnv(game)
    planes, _ = env.reset(seed=2)
    types = Planes(env.board.tables, -1).types
    for action in np.random.default_rng(2).integers(len(env.actions), size=80):
        for column, cells in enumerate(env.state.grid):
            for row, standing in enumerate(cells):
                seen = {types[k] for k in np.flatnonzero(planes[: len(types), row, column])}
                assert seen == {sprite.type for sprite in standing}
        planes = env.step(action)[0]


def test_planes_of_the_avatar_show_its_place_and_its_direction() -> None:
    env = VGDLEnv("zelda", "wwwww\nw.A.w\nw...w\nwwwww\n")
    env.reset(seed=1)
    planes = env.step(env.get_action_meanings().index("LEFT"))[0]
    here, up, left, down, right = planes[-5:]
    assert list(zip(*np.nonzero(here), strict=True)) == [(1, 2)]  # the first press turns
    assert np.array_equal(left, here)
    assert np.stack([up, down, right]).sum() == 0


@pytest.mark.parametrize("mode", ["grid", "rgb"])
def test_a_view_is_a_part_of_the_whole(mode: str) -> None:
    """In the middle of the board: the cells around the avatar; at its border: nothing beyond."""
    whole, part = VGDLEnv("zelda", observation=mode), VGDLEnv("zelda", observation=mode, view=3)
    whole.reset(seed=4)
    part.reset(seed=4)
    unit = 1 if mode == "grid" else 10
    axes = (1, 2) if mode == "grid" else (0, 1)
    for action in np.random.default_rng(4).integers(len(whole.actions), size=50):
        all_of_it, around = whole.step(action)[0], part.step(action)[0]
        if whole.state.avatar is None or whole.state.is_over:
            break
        column, row = (place // whole.state.block_size for place in whole.state.avatar.position)
        margins = [(0, 0)] * 3
        margins[axes[0]] = margins[axes[1]] = (3 * unit, 3 * unit)
        padded = np.pad(all_of_it, margins)
        cut = [slice(None)] * 3
        cut[axes[0]], cut[axes[1]] = slice(row * unit, (row + 7) * unit), slice(column * unit, (column + 7) * unit)
        assert np.array_equal(padded[tuple(cut)], around)


def test_sprites_are_those_of_the_state_and_padding() -> None:
    env = VGDLEnv("aliens", observation="sprites")
    env.reset(seed=1)
    for _ in range(40):
        seen = env.step(env.get_action_meanings().index("USE"))[0]
        rows = seen["sprites"][seen["mask"] == 1]
        assert [tuple(row) for row in rows] == [tuple(sprite) for sprite in env.state.arrays.tolist()]
        assert not seen["sprites"][seen["mask"] == 0].any()
        assert env.state.avatar is not None
        assert tuple(seen["avatar"][:2]) == env.state.avatar.position


def test_the_farthest_sprites_are_left_out_when_there_are_too_many() -> None:
    env = VGDLEnv("zelda", observation="sprites", max_sprites=5)
    seen, _ = env.reset(seed=1)
    assert env.state.avatar is not None
    far = sorted(
        ((env.state.arrays["x"] - env.state.avatar.position[0]) ** 2)
        + (env.state.arrays["y"] - env.state.avatar.position[1]) ** 2
    )
    rows = seen["sprites"]
    near = sorted(((rows[:, 3] - env.state.avatar.position[0]) ** 2) + (rows[:, 4] - env.state.avatar.position[1]) ** 2)
    assert near == far[:5]
    assert seen["mask"].all()


def test_text_is_that_of_the_text_module() -> None:
    env = VGDLEnv("sokoban", observation="text")
    seen, _ = env.reset(seed=1)
    assert seen == text.read(env.state)


# -------------------------------------------------------------------------------------------------------- clone, restore


@pytest.mark.parametrize("env_id", ENVS)
def test_restoring_with_the_generator_repeats_the_play(env_id: str) -> None:
    env = gymnasium.make(env_id).unwrapped
    play(env, 1, 10)
    snapshot = pickle.loads(pickle.dumps(env.clone_state(include_rng=True)))
    actions = np.random.default_rng(1).integers(env.action_space.n, size=30)
    first = [env.step(action) for action in actions]
    env.restore_state(snapshot)
    again = [env.step(action) for action in actions]
    assert all(same(a[0], b[0]) and a[1:] == b[1:] for a, b in zip(first, again, strict=True))


def test_restoring_without_the_generator_leads_to_another_future() -> None:
    env = VGDLEnv("butterflies")
    env.reset(seed=1)
    snapshot = env.clone_state()
    for _ in range(10):
        env.step(0)
    first, generator = env.state.copy(), env.state.generator
    env.restore_state(snapshot)
    assert (env.state.tick, env.state.generator) == (0, generator)
    for _ in range(10):
        env.step(0)
    assert env.state != first


def test_a_snapshot_of_another_level_is_refused() -> None:
    env, other = VGDLEnv("sokoban", 0), VGDLEnv("sokoban", 1)
    env.reset(seed=1)
    other.reset(seed=1)
    with pytest.raises(ValueError, match="sokoban_lvl0, not of sokoban_lvl1"):
        other.restore_state(env.clone_state())


# ------------------------------------------------------------------------------------------------------------- rendering


def test_pictures_and_windows() -> None:
    env = gymnasium.make("vgdl/Sokoban-v0", render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (8 * 24, 13 * 24, 3)
    window = VGDLEnv("sokoban", render_mode="human")
    window.reset(seed=1)
    window.step(0)
    assert window.render() is None
    window.close()


@pytest.mark.skipif(sys.platform != "linux", reason="has a display")
def test_a_window_that_nobody_would_see_is_an_error() -> None:
    code = "import vgdl.envs; vgdl.envs.VGDLEnv('sokoban', render_mode='human').reset(seed=1)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, env={"PATH": ""})
    assert "NoDisplay: no window can be opened here" in done.stderr


def test_a_text_instead_of_a_picture() -> None:
    env = gymnasium.make("vgdl/Sokoban-v0", render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == text.read(env.unwrapped.state)


@pytest.mark.parametrize("game", ["aliens", "zelda", "sokoban"])
def test_people_can_play_with_gymnasiums_tool(game: str) -> None:
    """``gymnasium.utils.play``, with keys held down until the window is closed."""
    import pygame
    from gymnasium.utils.play import play as play_by_hand

    env = gymnasium.make(vgdl.envs.env_id(game), render_mode="rgb_array")
    meanings = env.unwrapped.get_action_meanings()
    answers: list[str] = []

    def note(*step: Any) -> None:
        answers.append(meanings[step[2]])
        press = {1: pygame.K_RIGHT, 2: pygame.K_SPACE}.get(len(answers))
        if press:
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=press))
        if len(answers) == 4:
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    play_by_hand(env, callback=note, seed=1, fps=1000)
    both = "USE" if "USE" in meanings else "RIGHT"
    assert answers == ["NIL", "RIGHT", both, both]


def test_keys_map_to_existing_actions() -> None:
    import pygame

    env = VGDLEnv("aliens")
    keys = env.get_keys_to_action()
    assert set(keys.values()) <= set(range(len(env.actions)))
    assert env.actions[keys[pygame.K_a,]] is Action.LEFT
    assert (pygame.K_UP,) not in keys


# ------------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("options", "error", "why"),
    [
        ({"game": "alienz"}, VGDLError, "aliens"),
        ({"game": "aliens", "level": 9}, VGDLError, "levels 0 to 4"),
        ({"game": "tandem"}, VGDLError, "parallel_env"),
        ({"game": vgdl.loads(SPACE), "level": "c.A\n"}, VGDLError, "game space"),
        ({"game": vgdl.loads(SPACE), "level": "c.A\n", "parameters": {"SPEED": 0.5}}, ValueError, "vgdl.load"),
        ({"game": SPACE}, VGDLError, r"vgdl\.loads"),
        ({"game": "aliens", "observation": "girds"}, ValueError, "grid"),
        ({"game": "aliens", "view": -1}, ValueError, "from 0 to 200"),
        ({"game": "aliens", "view": 5000}, ValueError, "from 0 to 200"),
        ({"game": "aliens", "observation": None}, ValueError, "no observation mode None"),
        (
            {"game": "aliens", "view": "4"},
            ValueError,
            "whole number from 0 to 200, or None for the whole board, got '4'",
        ),
        ({"game": "aliens", "view": 2.5}, ValueError, "got 2.5"),
        ({"game": "aliens", "observation": "sprites", "max_sprites": 0}, ValueError, "at least 1"),
        ({"game": "aliens", "render_mode": "svg"}, ValueError, "rgb_array, ansi, and None"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        VGDLEnv(**options)


def test_a_game_space_with_values_is_a_game() -> None:
    env = VGDLEnv(vgdl.loads(SPACE, parameters={"SPEED": 0.5}), "c.A\n")
    env.reset(seed=1)
    assert env.step(0)[4]["tick"] == 1


def test_invalid_calls_are_refused() -> None:
    env = VGDLEnv("aliens")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=1)
    for invalid in (4, -1, 1.0, "1", None, np.array([1])):
        with pytest.raises(ValueError, match="from 0 to 3"):
            env.step(invalid)  # type: ignore[arg-type]
    assert env.actions[0] == Action.NIL


def test_an_unknown_option_of_reset_is_refused() -> None:
    env = VGDLEnv("aliens")
    with pytest.raises(ValueError, match="reset has no option 'levle'"):
        env.reset(options={"levle": 1})
    env.reset(options={})


def test_an_action_can_be_given_by_its_name() -> None:
    env, other = VGDLEnv("aliens"), VGDLEnv("aliens")
    env.reset(seed=1)
    other.reset(seed=1)
    for action in (Action.USE, Action.LEFT, Action.RIGHT):
        env.step(action)
        other.step(other.get_action_meanings().index(action.name))
    assert env.state == other.state
    assert env.state.avatar is not None
    assert env.state.avatar.last_action is Action.RIGHT
    with pytest.raises(ValueError, match="there is no action UP; there are NIL, LEFT, RIGHT, USE"):
        env.step(Action.UP)
