"""Checks of a Gymnasium environment: the API, reproducible plays, copies, and the vector environment."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env as check_api

import vgdl.envs  # noqa: F401 (registers the games)
from vgdl.testing.problems import report

Answers = list[tuple[Any, ...]]

VECTOR_SIZE = 3


def check_env(env: str | gymnasium.Env[Any, Any], *, steps: int = 200, **options: Any) -> None:
    """Check an environment: see `vgdl.testing.check_env`."""
    made = gymnasium.make(env, **options) if isinstance(env, str) else env
    problems = [*_api_problems(made), *_play_problems(made, steps)]
    if isinstance(env, str) and made.spec is not None and made.spec.vector_entry_point is not None:
        problems += _vector_problems(env, steps, options)
    report(env if isinstance(env, str) else str(made), problems)


def _api_problems(env: gymnasium.Env[Any, Any]) -> Iterator[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            check_api(env.unwrapped, skip_render_check=env.render_mode is None)
        except Exception as error:
            yield f"gymnasium's check_env: {error}"
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            yield f"gymnasium's check_env: {warning.message}"


def _play_problems(env: gymnasium.Env[Any, Any], steps: int) -> Iterator[str]:
    first = _play(env, steps, seed=5)
    for number, (observation, *_) in enumerate(first):
        if not env.observation_space.contains(observation):
            yield f"the observation of step {number} is not in the observation space"
            break
    if not same(_play(env, steps, seed=5), first):
        yield "two plays with the same seed and the same actions differ"
    env.reset(seed=6)
    env.step(env.action_space.sample())
    copiers: dict[str, Callable[[Any], Any]] = {
        "deep copy": copy.deepcopy, "pickled environment": lambda original: pickle.loads(pickle.dumps(original)),
    }  # fmt: skip
    twins = {}
    for name, copier in copiers.items():
        try:
            twins[name] = copier(env)
        except Exception as error:
            yield f"a {name} cannot be made: {error!r}"
    further = _steps(env, steps, seed=6)
    for name, twin in twins.items():
        if not same(_steps(twin, steps, seed=6), further):
            yield f"a {name} does not continue as the original does"


def _vector_problems(env_id: str, steps: int, options: dict[str, Any]) -> Iterator[str]:
    """Differences between the compiled vector environment and Gymnasium's own around single environments."""
    try:
        vector = gymnasium.make_vec(env_id, VECTOR_SIZE, **options)
    except ValueError:  # it does not support this observation mode
        return
    single = gymnasium.make_vec(env_id, VECTOR_SIZE, vectorization_mode="sync", **options)
    if not same(vector.reset(seed=7), single.reset(seed=7)):
        yield "the vector environment begins otherwise than single ones"
    draws = np.random.default_rng(7)
    for number in range(steps):
        actions = draws.integers(vector.single_action_space.n, size=VECTOR_SIZE)  # type: ignore[attr-defined]
        if not same(vector.step(actions), single.step(actions)):
            yield f"the vector environment and single ones differ in step {number}"
            return


def _play(env: gymnasium.Env[Any, Any], steps: int, seed: int) -> Answers:
    return [env.reset(seed=seed), *_steps(env, steps, seed)]


def _steps(env: gymnasium.Env[Any, Any], steps: int, seed: int) -> Answers:
    """The results of random steps and of the resets between them."""
    draws = np.random.default_rng(seed)
    answers: Answers = []
    for _ in range(steps):
        answers.append(env.step(draws.integers(env.action_space.n)))  # type: ignore[attr-defined]
        if answers[-1][2] or answers[-1][3]:
            answers.append(env.reset())
    return answers


def same(one: Any, other: Any) -> bool:
    """Whether two results are equal: arrays, or dictionaries, lists and tuples of them."""
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    return bool(np.array_equal(one, other))
