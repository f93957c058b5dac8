"""Two-player games as parallel environments of PettingZoo."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import parallel_api_test, parallel_seed_test

import vgdl
from vgdl import VGDLError, games
from vgdl.envs.observers import MODES
from vgdl.envs.parallel import AGENTS, parallel_env


@pytest.mark.parametrize("game", games.names("two_player"))
def test_the_api(game: str) -> None:
    parallel_api_test(parallel_env(game), num_cycles=300)


@pytest.mark.parametrize("mode", MODES)
def test_the_api_in_every_mode(mode: str) -> None:
    parallel_api_test(parallel_env("tandem", observation=mode, view=2), num_cycles=60)


@pytest.mark.parametrize("game", games.names("two_player"))
def test_seeds(game: str) -> None:
    parallel_seed_test(lambda: parallel_env(game), num_cycles=100)


@pytest.mark.parametrize("game", games.names("two_player"))
def test_a_play_equals_the_play_of_the_game(game: str) -> None:
    env, state = parallel_env(game), vgdl.load(game).start(level=0, seed=5)
    env.reset(seed=5)
    choices, totals = np.random.default_rng(5), dict.fromkeys(AGENTS, 0.0)
    while env.agents:
        actions = {agent: int(choices.integers(len(env.actions))) for agent in AGENTS}
        _, rewards, over, cut, infos = env.step(actions)
        state.advance([env.actions[actions[agent]] for agent in AGENTS])
        totals = {agent: totals[agent] + rewards[agent] for agent in AGENTS}
        assert env.state_observation == state
        assert over == dict.fromkeys(AGENTS, state.is_over)
        assert not any(cut.values())
    assert tuple(totals.values()) == state.scores
    assert [infos[agent]["winner"] for agent in AGENTS] == list(state.winners)


def test_each_player_has_planes_of_its_own_avatar() -> None:
    env = parallel_env("tandem")
    seen, _ = env.reset(seed=1)
    for player, agent in enumerate(AGENTS):
        avatar = env.state_observation.avatars[player]
        assert avatar is not None
        column, row = (place // env.state_observation.block_size for place in avatar.position)
        assert list(zip(*np.nonzero(seen[agent][-5]), strict=True)) == [(row, column)]


def test_cycles_truncate() -> None:
    env = parallel_env("snowballs", max_cycles=2)
    env.reset(seed=1)
    ends: list[Any] = [env.step(dict.fromkeys(AGENTS, 0))[2:4] for _ in range(2)]
    assert ends[0] == (dict.fromkeys(AGENTS, False), dict.fromkeys(AGENTS, False))
    assert ends[1] == (dict.fromkeys(AGENTS, False), dict.fromkeys(AGENTS, True))
    assert env.agents == []
    with pytest.raises(ValueError, match="the play is over"):
        env.step(dict.fromkeys(AGENTS, 0))


def test_invalid_calls_are_refused() -> None:
    with pytest.raises(VGDLError, match=r"gymnasium\.make"):
        parallel_env("aliens")
    env = parallel_env("tandem")
    with pytest.raises(RuntimeError, match="reset"):
        env.step({})
    env.reset(seed=1)
    with pytest.raises(ValueError, match="player_1"):
        env.step({"player_1": 99})
    with pytest.raises(ValueError, match="there are player_0, player_1"):
        env.step({"player_2": 0})
    with pytest.raises(ValueError, match="max_cycles"):
        parallel_env("tandem", max_cycles=0)
