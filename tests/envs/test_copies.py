"""Environments can be copied and pickled at any point of a play; copies continue independently."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import vgdl  # noqa: E402
import vgdl.envs  # noqa: E402
from vgdl import games  # noqa: E402
from vgdl.envs import VGDLEnv, VGDLVectorEnv  # noqa: E402
from vgdl.envs.observers import MODES  # noqa: E402

Copier = Callable[[Any], Any]

COPIERS = {"deepcopy": copy.deepcopy, "pickle": lambda env: pickle.loads(pickle.dumps(env))}
GAMES = ("aliens", "butterflies", "zelda", "sokoban", "pacman", "seaquest")

each_copier = pytest.mark.parametrize("copier", COPIERS.values(), ids=list(COPIERS))


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    return bool(np.array_equal(one, other))


def plays(env: Any, seed: int, steps: int) -> list[Any]:
    """The answers of an environment to random actions, with a reset after each end."""
    choices = np.random.default_rng(seed)
    said = []
    for _ in range(steps):
        answer = env.step(choices.integers(env.action_space.n))
        said.append(answer)
        if answer[2]:
            said.append(env.reset())
    return said


@each_copier
@pytest.mark.parametrize("game", GAMES)
def test_a_copy_continues_as_the_original_does(game: str, copier: Copier) -> None:
    env = gymnasium.make(vgdl.envs.env_id(game), max_episode_steps=400)
    env.reset(seed=3)
    plays(env, 3, 40)
    twin = copier(env)
    assert twin.unwrapped.state == env.unwrapped.state
    assert same(tuple(plays(env, 4, 80)), tuple(plays(twin, 4, 80)))


@each_copier
def test_a_copy_does_not_disturb_the_original(copier: Copier) -> None:
    env = VGDLEnv("zelda")
    env.reset(seed=1)
    twin, before = copier(env), env.state.copy()
    plays(twin, 1, 50)
    assert env.state == before
    assert len(env.state.events) == len(before.events)


@each_copier
@pytest.mark.parametrize("mode", MODES)
def test_copies_observe_in_every_mode(mode: str, copier: Copier) -> None:
    env = VGDLEnv("zelda", observation=mode, view=3)
    env.reset(seed=2)
    twin = copier(env)
    assert same(env.step(1), twin.step(1))


@each_copier
def test_an_environment_can_be_copied_before_its_first_play(copier: Copier) -> None:
    twin = copier(VGDLEnv("aliens"))
    with pytest.raises(gymnasium.error.ResetNeeded):
        twin.step(0)
    assert same(VGDLEnv("aliens").reset(seed=1), twin.reset(seed=1))


@each_copier
def test_a_copy_opens_a_window_of_its_own(copier: Copier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = VGDLEnv("sokoban", render_mode="human")
    env.reset(seed=1)
    twin = copier(env)
    env.close()
    assert twin.observation_space.contains(twin.step(0)[0])
    twin.close()


@each_copier
@pytest.mark.parametrize("game", GAMES)
def test_a_vector_is_copied_with_all_its_plays(game: str, copier: Copier) -> None:
    env = VGDLVectorEnv(game, 5, threads=2, max_episode_steps=70)
    env.reset(seed=7)
    choices = np.random.default_rng(7)
    actions = choices.integers(len(env.actions), size=(200, 5))
    for row in actions[:60]:
        env.step(row)
    twin = copier(env)
    for row in actions[60:]:  # across the ends of all plays
        assert same(env.step(row), twin.step(row))


@each_copier
@pytest.mark.parametrize("autoreset_mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("mode", MODES)
def test_a_vector_is_copied_in_every_mode(mode: str, autoreset_mode: str, copier: Copier) -> None:
    env = VGDLVectorEnv("zelda", 3, observation=mode, max_episode_steps=30, autoreset_mode=autoreset_mode)
    env.reset(seed=7)
    actions = np.random.default_rng(7).integers(len(env.actions), size=(70, 3))
    for row in actions[:20]:
        env.step(row)
    twin = copier(env)
    assert twin.metadata == env.metadata
    for row in actions[20:]:  # across the ends of all plays
        assert same(env.step(row)[:4], twin.step(row)[:4])


@each_copier
def test_a_copied_vector_shares_no_array(copier: Copier) -> None:
    env = VGDLVectorEnv("aliens", 2, copy=False)
    seen, _ = env.reset(seed=1)
    twin = copier(env)
    assert not np.shares_memory(seen, twin.step([0, 0])[0])


def test_a_vector_of_gymnasiums_own_is_copied_too() -> None:
    env = gymnasium.make_vec("vgdl/Sokoban-v0", 3, vectorization_mode="sync")
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    assert same(env.step([1, 2, 3]), twin.step([1, 2, 3]))


@each_copier
@pytest.mark.parametrize("game", games.names("two_player"))
def test_a_parallel_environment_is_copied(game: str, copier: Copier) -> None:
    pytest.importorskip("pettingzoo")
    from vgdl.envs.parallel import AGENTS, parallel_env

    env = parallel_env(game)
    env.reset(seed=5)
    choices = np.random.default_rng(5)
    ticks = 1 if game == "surround2" else 20  # random riders soon crash
    for _ in range(ticks):
        env.step({agent: int(choices.integers(len(env.actions))) for agent in AGENTS})
    twin = copier(env)
    for _ in range(ticks):
        assert env.agents
        actions = {agent: int(choices.integers(len(env.actions))) for agent in AGENTS}
        assert same(env.step(actions), twin.step(actions))
    assert same(env.reset(), twin.reset())


def test_a_copy_of_a_game_or_a_board_is_itself() -> None:
    game = vgdl.load("aliens")
    assert copy.deepcopy(game) is copy.copy(game) is game
    assert copy.deepcopy(game.board(0)) is copy.copy(game.board(0)) is game.board(0)


def test_a_pickled_state_belongs_to_the_board_that_is_pickled_with_it() -> None:
    board = vgdl.load("aliens").board(0)
    other, state = pickle.loads(pickle.dumps((board, board.start(1))))
    assert state.tables is other.tables
    assert other.start(1) == state
