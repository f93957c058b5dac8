"""Vector environments with the interface of Stable-Baselines3."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="it is not installed")

from stable_baselines3.common.vec_env import VecMonitor

from vgdl.envs import VGDLVectorEnv
from vgdl.envs.sb3 import VGDLSB3VecEnv

OPTIONS: dict[str, Any] = {"levels": "train", "max_episode_steps": 20, "win_bonus": 2.0}


def test_plays_are_those_of_the_vector_environment() -> None:
    plays: Any = VGDLSB3VecEnv("zelda", 4, **OPTIONS)
    vector: Any = VGDLVectorEnv("zelda", 4, autoreset_mode="SameStep", **OPTIONS)
    plays.seed(5)
    assert np.array_equal(plays.reset(), vector.reset(seed=[5, 6, 7, 8])[0])
    choices, ends = np.random.default_rng(1), 0
    for _ in range(60):
        actions = choices.integers(plays.action_space.n, size=4)
        seen, rewards, dones, infos = plays.step(actions)
        expected = vector.step(actions)
        assert np.array_equal(seen, expected[0])
        assert np.array_equal(rewards, expected[1].astype(np.float32))
        assert np.array_equal(dones, expected[2] | expected[3])
        for k in np.flatnonzero(dones):
            ends += 1
            assert np.array_equal(infos[k]["terminal_observation"], expected[4]["final_obs"][k])
            assert infos[k]["TimeLimit.truncated"] == (expected[3][k] and not expected[2][k])
            assert infos[k]["level"] == expected[4]["final_info"]["level"][k]
    assert ends >= 8


def test_levels_masks_and_monitors() -> None:
    plays: Any = VecMonitor(VGDLSB3VecEnv("aliens", 3, full_action_space=True, levels="all", max_episode_steps=5))
    plays.set_options([{"level": 4}, {}, {"level": 2}])
    plays.reset()
    levels = [info["level"] for info in plays.venv.reset_infos]
    assert (levels[0], levels[2]) == (4, 2)
    assert [mask.tolist() for mask in plays.env_method("action_masks", indices=[0])] == [
        [True, False, True, False, True, True]
    ]
    infos = [plays.step(np.zeros(3, np.int64))[3] for _ in range(5)][-1]
    assert all(info["episode"]["l"] == 5 for info in infos)
    plays.set_options({"levle": 1})
    with pytest.raises(ValueError, match="did you mean 'level'"):
        plays.reset()


def test_what_single_plays_lack_is_said() -> None:
    plays = VGDLSB3VecEnv("aliens", 2, levels="all")
    with pytest.raises(NotImplementedError, match="have no attributes of their own"):
        plays.set_attr("speed", 2)
    with pytest.raises(NotImplementedError, match="no method sleep per play; there is action_masks"):
        plays.env_method("sleep")
