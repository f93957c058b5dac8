"""PufferLib's native environment plays as the vector environment does. Runs where PufferLib is installed."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pufferlib", reason="PufferLib pins old versions: it has an environment of its own")

from gymnasium.vector import AutoresetMode

from vgdl.envs import VGDLVectorEnv
from vgdl.envs.puffer import REPORT, VGDLPufferEnv


def test_it_plays_as_the_vector_environment_does() -> None:
    env = VGDLPufferEnv("aliens", num_envs=4, max_episode_steps=50)
    vector = VGDLVectorEnv("aliens", 4, max_episode_steps=50, autoreset_mode=AutoresetMode.SAME_STEP)
    seen, infos = env.reset(seed=3)
    assert seen is env.observations
    assert infos == []
    np.testing.assert_array_equal(seen, vector.reset(seed=3)[0])
    choices, returns, reports = np.random.default_rng(3), np.zeros(4), []
    ended: list[float] = []
    for _ in range(REPORT):
        actions = choices.integers(len(vector.actions), size=4).astype(np.int32)
        *said, infos = env.step(actions)
        *expected, _ = vector.step(actions)
        for one, other in zip(said, expected, strict=True):
            np.testing.assert_array_equal(one, other)
        returns += expected[1]
        over = expected[2] | expected[3]
        ended += returns[over].tolist()
        returns[over] = 0.0
        reports += infos
    assert len(reports) == 1
    assert reports[0]["episode_return"] == pytest.approx(np.mean(ended))


def test_modes_of_several_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="one array"):
        VGDLPufferEnv("aliens", num_envs=2, observation="sprites")


def test_pufferlib_steps_it() -> None:
    vector = pytest.importorskip("pufferlib.vector")
    envs = vector.make(
        VGDLPufferEnv, env_kwargs={"game": "sokoban", "num_envs": 8}, backend=vector.PufferEnv, num_envs=1
    )
    seen, _ = envs.reset(seed=1)
    assert seen.shape[0] == 8
    assert envs.step(np.zeros(8, np.int32))[0].shape == seen.shape
