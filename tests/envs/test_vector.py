"""The vector environment plays as that many single ones do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import vgdl  # noqa: E402
import vgdl.envs  # noqa: E402
from vgdl.core.planes import Planes  # noqa: E402
from vgdl.core.vector import Vector  # noqa: E402
from vgdl.envs import VGDLVectorEnv  # noqa: E402


def both(game: str, n: int, **options: Any) -> tuple[Any, Any]:
    """The compiled vector environment, and Gymnasium's own of single ones."""
    name = vgdl.envs.env_id(game)
    return gymnasium.make_vec(name, n, **options), gymnasium.make_vec(name, n, vectorization_mode="sync", **options)


def assert_same(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            np.testing.assert_array_equal(one[key], other[key])
    else:
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("zelda", {}),
        ("aliens", {"max_episode_steps": 40}),
        ("frogs", {"view": 2}),
        ("butterflies", {"full_action_space": True, "level": 2}),
    ],
)
def test_it_plays_as_single_environments_do(game: str, options: dict[str, Any]) -> None:
    """Across ends and restarts, seeds included."""
    vector, sync = both(game, 5, **options)
    for one, other in zip(vector.reset(seed=3), sync.reset(seed=3), strict=True):
        assert_same(one, other)
    choices, ends = np.random.default_rng(3), 0
    for _ in range(250):
        actions = choices.integers(vector.single_action_space.n, size=5)
        said = vector.step(actions)
        for one, other in zip(said, sync.step(actions), strict=True):
            assert_same(one, other)
        ends += int((said[2] | said[3]).sum())
    assert ends > 0


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads: int) -> None:
    one, many = VGDLVectorEnv("zelda", 7), VGDLVectorEnv("zelda", 7, threads=threads)
    one.reset(seed=1)
    many.reset(seed=1)
    for _ in range(60):
        actions = one.action_space.sample()
        for a, b in zip(one.step(actions), many.step(actions), strict=True):
            assert_same(a, b)


def test_seeds_can_be_given_for_each_play() -> None:
    env = VGDLVectorEnv("butterflies", 3)
    env.reset(seed=[4, 4, None])
    env.step([0, 0, 0])
    seen = env.step([0, 0, 0])[0]
    assert np.array_equal(seen[0], seen[1])
    with pytest.raises(ValueError, match="3 seeds"):
        env.reset(seed=[1, 2])


def test_arrays_are_the_same_ones_without_copies() -> None:
    env, copies = VGDLVectorEnv("sokoban", 2, copy=False), VGDLVectorEnv("sokoban", 2)
    seen, _ = env.reset(seed=1)
    assert env.step([0, 0])[0] is seen
    seen, _ = copies.reset(seed=1)
    assert not np.shares_memory(copies.step([0, 0])[0], seen)


def test_it_is_what_gymnasium_makes() -> None:
    env = gymnasium.make_vec("vgdl/Sokoban-v0", 4, render_mode="rgb_array")
    assert isinstance(env.unwrapped, VGDLVectorEnv)
    env.reset(seed=1)
    pictures = env.render()
    assert isinstance(pictures, tuple)
    assert [picture.shape for picture in pictures] == [(192, 312, 3)] * 4
    assert env.observation_space.contains(env.reset(seed=1)[0])


def test_invalid_options_are_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'text'"):
        VGDLVectorEnv("aliens", observation="texts")
    with pytest.raises(ValueError, match="at least 1"):
        VGDLVectorEnv("aliens", 0)
    with pytest.raises(ValueError, match="rgb_array"):
        VGDLVectorEnv("aliens", render_mode="human")
    with pytest.raises(ValueError, match="max_episode_steps"):
        VGDLVectorEnv("aliens", max_episode_steps=0)
    with pytest.raises(ValueError, match="threads"):
        VGDLVectorEnv("aliens", threads=True)
    env = VGDLVectorEnv("aliens", 2, render_mode="rgb_array")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step([0, 0])
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.render()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="from 0 to 3"):
        env.step([0, 4])
    with pytest.raises(ValueError, match="whole numbers"):
        env.step(np.array([0.5, 1.0]))
    with pytest.raises(ValueError, match="2 actions"):
        env.step([0])


# ------------------------------------------------------------------------------------------------ the core underneath


def test_states_can_be_taken_from_a_vector() -> None:
    board = vgdl.load("zelda").board(0)
    vector = Vector(Planes(board.tables), 2, [0, 1, 2, 3, 4, 5])
    vector.restart_all(np.array([7, 8]))
    state = board.start(8)
    for _ in range(20):
        vector.step(np.array([0, 2]), np.zeros(2, np.int64))
        state.advance(2)
    assert vector.state(1) == state
    with pytest.raises(IndexError, match="no play 2"):
        vector.state(2)


def test_planes_refuse_arrays_that_do_not_fit() -> None:
    board = vgdl.load("sokoban").board(0)
    planes = Planes(board.tables)
    with pytest.raises(ValueError, match="shape"):
        planes.write(board.start(1), np.zeros((1, 2, 3), np.uint8))
    with pytest.raises(ValueError, match="another board"):
        planes.write(vgdl.load("sokoban").start(1), np.zeros(planes.shape, np.uint8))
    with pytest.raises(ValueError, match="player"):
        planes.write(board.start(1), np.zeros(planes.shape, np.uint8), 1)
    with pytest.raises(ValueError, match="another board"):
        planes.observe(vgdl.load("sokoban").start(1))
    with pytest.raises(ValueError, match="player"):
        planes.observe(board.start(1), 1)
    with pytest.raises(ValueError, match="view"):
        Planes(board.tables, -2)
    with pytest.raises(ValueError, match="one player"):
        Vector(Planes(vgdl.load("tandem").board(0).tables), 1, [0])


@pytest.mark.parametrize("view", [-1, 2])
def test_planes_are_the_same_in_a_new_array_and_in_a_given_one(view: int) -> None:
    board = vgdl.load("aliens").board(0)
    planes, state = Planes(board.tables, view), board.start(3)
    given = np.full(planes.shape, 7, np.uint8)
    for _ in range(60):
        state.advance(vgdl.Action.USE)
        planes.write(state, given)
        seen = planes.observe(state)
        assert seen.dtype == np.uint8
        np.testing.assert_array_equal(seen, given)


WAREHOUSE = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        box > Passive
        coin > Resource limit=99
        avatar > MovingAvatar
    LevelMapping
        . > floor
        b > box floor
        c > coin floor
        A > avatar floor
    InteractionSet
        box avatar > bounceForward
        box box > undoAll
        box EOS > undoAll
        avatar EOS > undoAll
        coin avatar > collectResource scoreChange=1
    TerminationSet
        Timeout limit=60 win=False
"""


def test_plays_in_which_most_sprites_rest_do_not_disturb_each_other() -> None:
    """The collision index outlives a tick there; each play needs its own."""
    level = "b.b.b.b.b\n.c.b.c.b.\nb.b.A.b.b\n.c.b.c.b.\nb.b.b.b.b\n"
    options = {"game": vgdl.loads(WAREHOUSE), "level": level}
    vector = gymnasium.make_vec("vgdl/VGDL-v0", 6, **options)
    sync = gymnasium.make_vec("vgdl/VGDL-v0", 6, vectorization_mode="sync", **options)
    for one, other in zip(vector.reset(seed=1), sync.reset(seed=1), strict=True):
        assert_same(one, other)
    choices = np.random.default_rng(1)
    for _ in range(150):
        actions = choices.integers(vector.single_action_space.n, size=6)
        for one, other in zip(vector.step(actions), sync.step(actions), strict=True):
            assert_same(one, other)
