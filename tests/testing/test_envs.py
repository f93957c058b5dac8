"""`vgdl.testing.check_env`: it passes the bundled games' environments and reports faults of others."""

from __future__ import annotations

from typing import Any

import pytest

gymnasium = pytest.importorskip("gymnasium")

import vgdl.envs  # noqa: E402
from vgdl.envs import VGDLEnv  # noqa: E402
from vgdl.envs.observers import MODES  # noqa: E402
from vgdl.testing import CheckFailed, check_env  # noqa: E402


@pytest.mark.sampled(3)
@pytest.mark.parametrize("env_id", vgdl.envs.env_ids())
def test_the_bundled_games_pass(env_id: str) -> None:
    check_env(env_id, steps=150)


@pytest.mark.one_case
@pytest.mark.parametrize("view", [None, 2])
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_passes(mode: str, view: int | None) -> None:
    check_env("vgdl/Zelda-v0", steps=60, observation=mode, view=view)


@pytest.mark.parametrize("mode", ["rgb_array", "ansi"])
def test_every_render_mode_passes(mode: str) -> None:
    check_env("vgdl/Sokoban-v0", steps=20, render_mode=mode)


class Unseeded(VGDLEnv):
    """Starts a different play every time."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return super().reset(options=options)


class Outside(VGDLEnv):
    """Returns observations outside its space."""

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        seen, *rest = super().step(action)
        return seen + 2, *rest


class Stuck(VGDLEnv):
    """Cannot be pickled."""

    def __reduce__(self) -> Any:
        raise TypeError("no")


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Unseeded, "two plays with the same seed and the same actions differ"),
        (Outside, "the observation of step 1 is not in the observation space"),
        (Stuck, "a pickled environment cannot be made"),
    ],
)
def test_faults_are_reported(broken: type[VGDLEnv], message: str) -> None:
    with pytest.raises(CheckFailed, match=message):
        check_env(broken("butterflies"), steps=40)
