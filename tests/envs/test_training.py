"""Observations of vector environments are drawn over those before, into arrays of the caller; they equal those of single ones."""

from __future__ import annotations

import gc
import os
import signal
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode  # noqa: E402

import vgdl.envs  # noqa: E402
from vgdl.core.planes import Planes  # noqa: E402
from vgdl.core.vector import Vector  # noqa: E402
from vgdl.envs import VGDLVectorEnv  # noqa: E402
from vgdl.envs.common import actions_of  # noqa: E402

PLAYS = 3
TICKS = 200
OPTIONS: dict[str, dict[str, Any]] = {
    "planes": {"observation": "planes"},
    "planes in view": {"observation": "planes", "view": 3},
    "sprites": {"observation": "sprites"},
    "nearest sprites in view": {"observation": "sprites", "view": 4, "max_sprites": 9},
    "rgb": {"observation": "rgb"},
    "rgb of 84 by 84": {"observation": "rgb", "frame_size": (84, 84)},
    "text": {"observation": "text"},
    "text in view": {"observation": "text", "view": 3, "front": True},
    "rgb in view": {"observation": "rgb", "pixels": 3, "view": 2},
}
MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
SAMPLE = ("aliens", "boulderdash", "sokoban", "seaquest")
ONE_PLAYER = sorted(vgdl.envs.env_ids().values())


def assert_same(one: Any, other: Any) -> None:
    """Equal numbers, names and shapes, in dictionaries and arrays of objects as well."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key])
        return
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype == object:
        for mine, theirs in zip(one, other, strict=True):
            assert (mine is None) == (theirs is None)
            if mine is not None:
                assert_same(mine, theirs)
        return
    np.testing.assert_array_equal(one, other)


def assert_plays_alike(game: str, options: dict[str, Any], mode: AutoresetMode, ticks: int) -> None:
    """The compiled vector environment plays as Gymnasium's own of single environments, infos and restarts included."""
    name, ends = vgdl.envs.env_id(game), {"max_episode_steps": 60}
    vector = gymnasium.make_vec(name, PLAYS, autoreset_mode=mode, **ends, **options)
    kwargs = {"autoreset_mode": mode}
    sync = gymnasium.make_vec(name, PLAYS, vectorization_mode="sync", vector_kwargs=kwargs, **ends, **options)
    assert vector.metadata["autoreset_mode"] is mode
    assert vector.observation_space == sync.observation_space
    for one, other in zip(vector.reset(seed=3), sync.reset(seed=3), strict=True):
        assert_same(one, other)
    choices = np.random.default_rng(3)
    for _ in range(ticks):
        actions = choices.integers(vector.single_action_space.n, size=PLAYS)
        for one, other in zip(vector.step(actions), sync.step(actions), strict=True):
            assert_same(one, other)


@pytest.mark.one_case
@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=list(OPTIONS))
@pytest.mark.parametrize("game", SAMPLE)
def test_observations_equal_those_of_single_environments(
    game: str, options: dict[str, Any], mode: AutoresetMode
) -> None:
    assert_plays_alike(game, options, mode, 30 if options["observation"] == "rgb" else 130)


@pytest.mark.everything
@pytest.mark.parametrize("options", OPTIONS.values(), ids=list(OPTIONS))
@pytest.mark.parametrize("game", ONE_PLAYER)
def test_observations_of_every_game_equal_those_of_single_environments(game: str, options: dict[str, Any]) -> None:
    mode = MODES[len(game) % 2]
    assert_plays_alike(game, options, mode, TICKS)


GROWING = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable
        blob > Immovable shrinkfactor=1.6 color=RED
        plant > Spreader limit=12 spreadprob=0.4 shrinkfactor=0.5
        giant > Missile orientation=RIGHT speed=0.3 wMult=2.5 hMult=1.5 color=BLUE
        coin > Resource limit=99
        avatar > MovingAvatar
    LevelMapping
        . > floor
        p > floor plant
        b > floor blob
        g > floor giant
        c > floor coin coin
        A > floor avatar
    InteractionSet
        giant EOS > wrapAround
        plant EOS > killSprite
        avatar EOS > stepBack
        coin avatar > collectResource scoreChange=1
        blob avatar > killSprite
    TerminationSet
        Timeout limit=45 win=False
"""


@pytest.mark.parametrize("options", OPTIONS.values(), ids=list(OPTIONS))
def test_pictures_and_sprites_of_any_size_are_drawn_right(options: dict[str, Any]) -> None:
    """Sprites larger than a cell, pictures that reach beyond their sprites, two of a type in a cell, crowds that grow."""
    level = "..b.....b\n.c..p..c.\n..A.g.b..\n.c.....c.\nb...p...g\n"
    options = options | {"game": vgdl.loads(GROWING), "level": level, "max_episode_steps": 50}
    vector = gymnasium.make_vec("vgdl/VGDL-v0", PLAYS, **options)
    sync = gymnasium.make_vec("vgdl/VGDL-v0", PLAYS, vectorization_mode="sync", **options)
    assert_same(vector.reset(seed=5)[0], sync.reset(seed=5)[0])
    choices = np.random.default_rng(5)
    for _ in range(100):
        actions = choices.integers(vector.single_action_space.n, size=PLAYS)
        for one, other in zip(vector.step(actions), sync.step(actions), strict=True):
            assert_same(one, other)


# -------------------------------------------------------------------------------------------- arrays of the caller


def arrays_for(env: VGDLVectorEnv, **dtypes: Any) -> dict[str, Any]:
    """Arrays of every name in `vgdl.envs.vector.OUT`."""
    seen = env.observation_space
    assert isinstance(seen, gymnasium.spaces.Box)
    assert seen.dtype is not None
    told = {"rewards": np.float64, "terminations": np.bool_, "truncations": np.bool_} | dtypes
    out: dict[str, Any] = {name: np.zeros(env.num_envs, dtype) for name, dtype in told.items()}
    return out | {name: np.full(seen.shape, 7, seen.dtype) for name in ("observations", "final_observations")}


MARKET = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        stall > Immovable
        crate > Passive
        guest > RandomNPC speed=0.5 cooldown=COOLDOWN
        seed > SpawnPoint stype=stall cooldown=9 total=5
        avatar > MovingAvatar
    LevelMapping
        . > floor
        s > stall floor
        c > crate floor
        g > guest floor
        + > seed floor
        A > avatar floor
    InteractionSet
        guest EOS > stepBack
        avatar EOS > stepBack
        guest crate > stepBack
        crate avatar > killSprite scoreChange=1
        stall guest > killSprite
        avatar guest > stepBack
"""


@pytest.mark.parametrize("cooldown", [1, 40], ids=["most move", "few move"])
@pytest.mark.parametrize("rows", [2, 14], ids=["few sprites", "many sprites"])
def test_planes_are_drawn_over_those_before(rows: int, cooldown: int) -> None:
    """Few sprites are all drawn again, of many those that have changed; some are drawn over stalls of the level."""
    level = "A.........\n" + "\n".join(["g.cgs+gc.g", "c.sg.cg.cs"][k % 2] for k in range(rows)) + "\n"
    board = vgdl.loads(MARKET.replace("COOLDOWN", str(cooldown))).board(level=level)
    planes = Planes(board.tables)
    vector = Vector(planes, PLAYS, actions_of(board, False), limit=60)
    vector.restart_all(np.arange(PLAYS))
    choices = np.random.default_rng(3)
    for _ in range(TICKS):
        vector.step(choices.integers(len(actions_of(board, False)), size=PLAYS), np.arange(PLAYS))
        for k in range(PLAYS):
            np.testing.assert_array_equal(vector.arrays["observations"][k], planes.observe(vector.state(k)))


@pytest.mark.parametrize("observation", ["grid", "rgb"])
def test_a_step_writes_into_given_arrays(observation: str) -> None:
    options: dict[str, Any] = {"observation": observation, "max_episode_steps": 30, "autoreset_mode": "SameStep"}
    plain = VGDLVectorEnv("aliens", 4, **options)
    out = arrays_for(plain, rewards=np.float32, terminations=np.uint8)
    env = VGDLVectorEnv("aliens", 4, out=out, **options)
    assert env.reset(seed=1)[0] is out["observations"]
    assert_same(out["observations"], plain.reset(seed=1)[0])
    choices = np.random.default_rng(1)
    for _ in range(70):
        actions = choices.integers(len(plain.actions), size=4).astype(np.int32)
        said, expected = env.step(actions), plain.step(actions)
        for name, array, wanted in zip(list(out)[:3], said[1:4], expected[1:4], strict=True):
            assert array is out[name]
            assert_same(array, wanted)
        assert said[0] is out["observations"]
        assert_same(said[0], expected[0])
        assert_same(said[4], expected[4])
        for k, row in enumerate(said[4].get("final_obs", ())):
            assert row is None or np.shares_memory(row, out["final_observations"][k])


def test_sprites_are_written_into_a_mapping_of_arrays() -> None:
    plain = VGDLVectorEnv("zelda", 2, observation="sprites")
    spaces = plain.observation_space
    assert isinstance(spaces, gymnasium.spaces.Dict)
    out = {name: np.ones(space.shape, space.dtype) for name, space in spaces.items()}
    env = VGDLVectorEnv("zelda", 2, observation="sprites", out={"observations": out})
    seen, _ = env.reset(seed=1)
    assert all(seen[name] is array for name, array in out.items())
    assert_same(seen, plain.reset(seed=1)[0])


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ({"observation": np.zeros(3)}, "no array 'observation'"),
        ({"rewards": np.zeros(3)}, "shape"),
        ({"rewards": np.zeros(2, np.int32)}, "float64 or float32"),
        ({"rewards": np.zeros(4)[::2]}, "contiguous"),
        ({"rewards": [0.0, 0.0]}, "numpy array"),
        ({"final_observations": np.zeros(2)}, "no array 'final_observations'"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(out: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VGDLVectorEnv("sokoban", 2, out=out)


def test_arrays_must_not_share_memory_or_be_read_only() -> None:
    ends = np.zeros(2, np.bool_)
    with pytest.raises(ValueError, match="share no memory"):
        VGDLVectorEnv("sokoban", 2, out={"terminations": ends, "truncations": ends})
    ends.flags.writeable = False
    with pytest.raises(ValueError, match="writeable"):
        VGDLVectorEnv("sokoban", 2, out={"terminations": ends})


@pytest.mark.parametrize("observation", ["grid", "sprites", "rgb"])
def test_a_step_allocates_nothing_per_play(observation: str) -> None:
    """Small Python objects apart: what a step allocates does not depend on the number of plays."""
    plays = 1500
    env = VGDLVectorEnv("sokoban", plays, observation=observation, copy=False, pixels=2)  # random plays do not end soon
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(len(env.actions), size=(20, plays))
    for row in actions[:5]:
        env.step(row)
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        for row in actions[5:]:
            env.step(row)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before < 8 * plays  # less than one array of numbers
    assert after - before < plays


def test_what_the_caller_has_written_is_drawn_again_on_demand() -> None:
    board = vgdl.load("aliens").board(0)
    one, other = (Vector(Planes(board.tables), 2, actions_of(board, False)) for _ in range(2))
    seeds = np.arange(2)
    for vector in (one, other):
        vector.restart_all(seeds)
    one.arrays["observations"][...] = 9
    one.forget()
    for vector in (one, other):
        vector.step(np.ones(2, np.int64), seeds)
    assert_same(one.arrays["observations"], other.arrays["observations"])


# -------------------------------------------------------------------------------------------- interruptions and forks


def crowd() -> VGDLVectorEnv:
    """A step of it takes a second or more."""
    text = """
BasicGame
    SpriteSet
        bug > RandomNPC
        avatar > MovingAvatar
    LevelMapping
        b > bug bug bug bug
        A > avatar
    InteractionSet
        bug bug > stepBack
        avatar EOS > stepBack
        bug EOS > stepBack
    TerminationSet
        Timeout limit=0 win=False
"""
    level = "A" + "b" * 30 + "\n" + ("b" * 31 + "\n") * 8
    return VGDLVectorEnv(vgdl.loads(text), 3000, level)


def test_ctrl_c_ends_a_long_step() -> None:
    """The environment then asks for a reset, since some plays are a tick ahead of others."""
    env = crowd()
    env.reset(seed=1)
    actions = np.zeros(env.num_envs, np.int64)
    interrupt = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()

    def step_for_ever() -> None:
        while True:
            env.step(actions)

    with pytest.raises(KeyboardInterrupt):
        step_for_ever()
    with pytest.raises(gymnasium.error.ResetNeeded, match="interrupted"):
        env.step(actions)
    ticks = env.reset(seed=1)[1]["tick"]
    assert (ticks == 0).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_forked_process_continues_as_its_parent_does(threads: int) -> None:
    env = VGDLVectorEnv("aliens", 8, threads=threads)
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(len(env.actions), size=(60, 8))
    env.step(actions[0])
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:  # no test may go on in the copy
        status = 1
        try:
            sums = [int(env.step(row)[0].sum()) for row in actions[1:]]
            os.write(writer, ",".join(map(str, sums)).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    sums = [int(env.step(row)[0].sum()) for row in actions[1:]]
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read().decode()
    assert os.waitpid(child, 0)[1] == 0
    assert told == ",".join(map(str, sums))
