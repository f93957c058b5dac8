"""Environments on several levels, in one play after the other: single, vector and two-player environments."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.error import ResetNeeded  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

import vgdl  # noqa: E402
from envs.test_training import assert_same  # noqa: E402
from vgdl import Action, VGDLError, games  # noqa: E402
from vgdl.envs import Episode, VGDLEnv, VGDLVectorEnv  # noqa: E402

RACE = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        goal > Immovable
        pit > Immovable
        avatar > MovingAvatar
    LevelMapping
        . > floor
        g > goal floor
        p > pit floor
        A > avatar floor
    InteractionSet
        avatar EOS > stepBack
        goal avatar > killSprite scoreChange=1
        avatar pit > killSprite
    TerminationSet
        SpriteCounter stype=goal limit=0 win=True
        SpriteCounter stype=avatar limit=0 win=False
"""
SHORT, WIDE, TALL = "A.g\n", "A..p.g\n", "A\n.\n.\ng\n"


def race(level: Any, **options: Any) -> VGDLEnv:
    return VGDLEnv(vgdl.loads(RACE), level, **options)


# ------------------------------------------------------------------------------------------------------------ which level


def test_a_seed_determines_the_level_and_the_play() -> None:
    one, other = VGDLEnv("zelda", levels="train"), VGDLEnv("zelda", levels="train")
    levels = []
    for seed in range(30):
        one.reset(seed=seed)
        levels.append(one.reset(seed=seed)[1]["level"])
        other.reset(seed=seed)
        assert one.state == other.state == vgdl.load("zelda").start(levels[-1], seed)
    assert set(levels) == {0, 1, 2}


@pytest.mark.parametrize(
    ("options", "levels"),
    [
        ({"level": 3}, {3}),
        ({"level": [1, 4]}, {1, 4}),
        ({"level": range(2)}, {0, 1}),
        ({"levels": "train"}, {0, 1, 2}),
        ({"levels": "test"}, {3, 4}),
        ({"level": "test"}, {3, 4}),
        ({"levels": "all"}, {0, 1, 2, 3, 4}),
        ({"level": lambda episode: episode.number % 2, "levels": [0, 1, 2]}, {0, 1}),
    ],
    ids=lambda value: "function" if callable(value.get("level") if isinstance(value, dict) else None) else str(value),
)
def test_levels_are_given_in_many_ways(options: dict[str, Any], levels: set[int]) -> None:
    env = VGDLEnv("sokoban", **options)
    assert {env.reset(seed=seed)[1]["level"] for seed in range(40)} == levels


def test_a_folder_of_levels_counts_in_the_order_of_its_names(tmp_path: Path) -> None:
    for name, text in (("level10", TALL), ("level2", WIDE), ("level1", SHORT)):
        (tmp_path / f"{name}.txt").write_text(text)
    env = race(0, levels=tmp_path)
    assert [board.name for board in env.boards] == ["level1", "level2", "level10"]
    assert env.reset(seed=1, options={"level": 2})[1]["level"] == 2
    assert env.board.name == "level10"


def test_the_options_of_reset_choose_a_level_for_one_play() -> None:
    env = VGDLEnv("sokoban", levels="train")
    drawn = env.reset(seed=5)[1]["level"]
    assert env.reset(seed=5, options={"level": (drawn + 1) % 3})[1]["level"] == (drawn + 1) % 3
    assert env.reset(seed=5)[1]["level"] == drawn


def test_a_curriculum_learns_how_the_last_play_ended() -> None:
    """It goes on to the next level after every win."""
    seen: list[Episode] = []

    def harder(episode: Episode) -> int:
        seen.append(episode)
        if episode.last is None:
            return 0
        return min(2, episode.last.level + episode.last.won)

    env = race(harder, levels=[SHORT, "A..g\n", "A...g\n"])
    levels = []
    for _ in range(4):
        levels.append(env.reset(seed=1)[1]["level"])
        for _ in range(levels[-1] + 2):
            info = env.step(Action.RIGHT)[4]
        assert info["won"]
    assert levels == [0, 1, 2, 2]
    assert [(episode.number, episode.last and episode.last.ticks) for episode in seen] == [
        (0, None), (1, 1), (2, 2), (3, 3),
    ]  # fmt: skip


def test_levels_can_be_generated() -> None:
    def corridor(episode: Episode) -> str:
        return "A" + "." * int(episode.rng.integers(1, 5)) + "g\n"

    env = race(corridor, levels=["A....g\n"])
    widths = {env.reset(seed=seed)[0][0].shape for seed in range(20)}
    assert widths == {(1, 6)}, "observations keep their size"
    starts = {seed: env.reset(seed=seed) and env.board.level.source.text for seed in range(20)}
    assert len(set(starts.values())) == 4
    assert all(env.reset(seed=seed) and env.board.level.source.text == text for seed, text in starts.items())


# ----------------------------------------------------------------------------------------------------------- observations


def test_smaller_boards_leave_the_rest_of_the_planes_empty() -> None:
    env = race([SHORT, WIDE, TALL])
    whole, _ = env.reset(options={"level": 0})
    alone, _ = race(SHORT).reset()
    assert whole.shape[1:] == (4, 6)
    assert np.array_equal(whole[:, :1, :3], alone)
    assert not whole[:, 1:].any()
    assert not whole[:, :, 3:].any()


@pytest.mark.parametrize("options", [{}, {"observation": "sprites"}, {"observation": "rgb"}, {"observation": "text"}])
def test_every_level_is_observed_in_the_same_space(options: dict[str, Any]) -> None:
    env = VGDLEnv("boulderdash", levels="all", **options)
    for level in range(5):
        assert env.observation_space.contains(env.reset(options={"level": level})[0])
        assert env.observation_space.contains(env.step(1)[0])


def test_a_level_that_does_not_fit_is_refused() -> None:
    env = race([SHORT])
    with pytest.raises(ValueError, match="1 rows and 6 columns, and observations have room for 1 and 3"):
        env.reset(options={"level": WIDE})
    assert race([SHORT], view=1).reset(options={"level": WIDE})[1]["level"] == -1


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"levels": "trian"}, "did you mean 'train'"),
        ({"level": 2, "levels": "train"}, "either level= or levels="),
        ({"level": []}, "at least one level"),
        ({"level": [0, 9]}, "levels 0 to 4"),
        ({"level": [0, None]}, "the path or the text"),
        ({"limit": "truncated"}, "'terminate' or 'truncate'"),
        ({"win_bonus": "10"}, "finite number"),
    ],
)
@pytest.mark.parametrize("make", [VGDLEnv, lambda game, **options: VGDLVectorEnv(game, 2, **options)])
def test_wrong_levels_and_options_are_refused(make: Any, options: dict[str, Any], why: str) -> None:
    with pytest.raises((ValueError, TypeError, VGDLError), match=why):
        make("aliens", **options)


def test_unknown_options_of_reset_are_refused() -> None:
    env, envs = VGDLEnv("aliens"), VGDLVectorEnv("aliens", 2)
    for one in (env, envs):
        with pytest.raises(ValueError, match="did you mean 'level'"):
            one.reset(options={"levle": 1})
        with pytest.raises(VGDLError, match="levels 0 to 4"):
            one.reset(options={"level": 17})
        with pytest.raises(TypeError, match="to be a dictionary"):
            one.reset(options="level")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected a seed, or 2 seeds"):
        envs.reset(seed="x")  # type: ignore[arg-type]
    envs.reset(seed=np.int64(3))  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------ rewards and ends


def test_a_win_bonus_is_paid_once() -> None:
    env = race(SHORT, win_bonus=5.0)
    env.reset(seed=1)
    assert [env.step(Action.RIGHT)[1] for _ in range(3)] == [0.0, 6.0, 0.0]


def test_the_engines_own_limit_can_truncate() -> None:
    for limit, ends in (("terminate", (True, False)), ("truncate", (False, True))):
        env = race(SHORT, limit=limit)
        env.reset(seed=1)
        steps = [env.step(0)[2:4] for _ in range(2001)]
        assert steps[-2:] == [(False, False), ends]
    lost = race("Ap.g\n", limit="truncate")
    lost.reset(seed=1)
    assert lost.step(Action.RIGHT)[2:4] == (True, False)


def test_actions_can_be_given_by_name_and_masks_say_which_there_are() -> None:
    env = VGDLEnv("aliens", full_action_space=True)
    env.reset(seed=1)
    assert env.action_masks().tolist() == [True, False, True, False, True, True]
    env.step(Action.USE)
    assert env.state.avatar is not None
    assert env.state.avatar.last_action is Action.USE
    fewer = VGDLEnv("aliens")
    fewer.reset(seed=1)
    with pytest.raises(ValueError, match="there is no action UP; there are NIL, LEFT, RIGHT, USE"):
        fewer.step(Action.UP)
    envs = VGDLVectorEnv("aliens", 2, full_action_space=True)
    envs.reset(seed=1)
    assert np.array_equal(envs.action_masks(), np.stack([env.action_masks()] * 2))
    envs.step([Action.USE, Action.NIL])
    assert envs.get_action_meanings()[5] == "USE"


# ----------------------------------------------------------------------------------------------------- vector environments

VARIANTS: dict[str, dict[str, Any]] = {
    "planes": {},
    "planes in view": {"view": 3},
    "sprites": {"observation": "sprites"},
    "rgb": {"observation": "rgb", "pixels": 3},
    "rgb of 84 by 84": {"observation": "rgb", "frame_size": (84, 84)},
    "text": {"observation": "text"},
}
MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)


def both(name: str, n: int, mode: AutoresetMode, **options: Any) -> tuple[Any, Any]:
    """The compiled vector environment, and Gymnasium's own of single ones."""
    vector = gymnasium.make_vec(name, n, autoreset_mode=mode, threads=2, **options)
    kwargs = {"autoreset_mode": mode}
    return vector, gymnasium.make_vec(name, n, vectorization_mode="sync", vector_kwargs=kwargs, **options)


@pytest.mark.one_case
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("options", VARIANTS.values(), ids=list(VARIANTS))
@pytest.mark.parametrize("game", ["Zelda", "Boulderdash"])
@pytest.mark.sampled(3)
def test_vectors_change_levels_as_single_environments_do(
    game: str, options: dict[str, Any], mode: AutoresetMode
) -> None:
    options = options | {"levels": "all", "win_bonus": 3.0, "limit": "truncate", "max_episode_steps": 20}
    vector, single = both(f"vgdl/{game}-v0", 4, mode, **options)
    for one, other in zip(vector.reset(seed=3), single.reset(seed=3), strict=True):
        assert_same(one, other)
    choices, levels = np.random.default_rng(3), set()
    for step in range(90):
        if step == 40:
            vector = pickle.loads(pickle.dumps(copy.deepcopy(vector)))
        actions = choices.integers(vector.single_action_space.n, size=4)
        said = vector.step(actions)
        for one, other in zip(said, single.step(actions), strict=True):
            assert_same(one, other)
        levels |= set(said[4]["level"].tolist())
    assert len(levels) == 5
    assert_same(vector.unwrapped.action_masks(), [env.unwrapped.action_masks() for env in single.envs])


def test_vectors_take_generated_levels_and_curricula_as_single_environments_do() -> None:
    def harder(episode: Episode) -> str:
        length = 1 if episode.last is None else 1 + episode.number % 4
        return "A" + "." * length + ("g" if episode.rng.integers(2) else ".g") + "\n"

    options = {"game": vgdl.loads(RACE), "level": harder, "levels": ["A......g\n"]}
    vector, single = both("vgdl/VGDL-v0", 3, AutoresetMode.NEXT_STEP, **options)
    for one, other in zip(vector.reset(seed=3), single.reset(seed=3), strict=True):
        assert_same(one, other)
    right = vector.unwrapped.get_action_meanings().index("RIGHT")
    for _ in range(200):
        for one, other in zip(vector.step(np.full(3, right)), single.step(np.full(3, right)), strict=True):
            assert_same(one, other)


def test_each_sub_environment_can_have_its_own_level() -> None:
    envs = VGDLVectorEnv("sokoban", 3, level=lambda episode: episode.env + 1, levels="all")
    assert envs.reset(seed=1)[1]["level"].tolist() == [1, 2, 3]
    assert envs.reset(options={"level": [4, 0, None]})[1]["level"].tolist() == [4, 0, 3]
    assert envs.reset(options={"level": 2})[1]["level"].tolist() == [2, 2, 2]


def test_plays_can_be_reset_one_by_one() -> None:
    """As by Gymnasium's own vector environment, with ``AutoresetMode.DISABLED`` and a mask."""
    options = {"levels": "train", "max_episode_steps": 15}
    vector, single = both("vgdl/Zelda-v0", 4, AutoresetMode.DISABLED, **options)
    for one, other in zip(vector.reset(seed=3), single.reset(seed=3), strict=True):
        assert_same(one, other)
    choices, resets = np.random.default_rng(3), 0
    for step in range(60):
        actions = choices.integers(vector.single_action_space.n, size=4)
        said = vector.step(actions)
        for one, other in zip(said, single.step(actions), strict=True):
            assert_same(one, other)
        mask = said[2] | said[3]
        mask[step % 4] |= step % 5 == 0
        if mask.any():
            resets += 1
            seeds = [100 * step + k for k in range(4)]
            answers = (env.reset(seed=seeds, options={"reset_mask": mask.copy()}) for env in (vector, single))
            for one, other in zip(*answers, strict=True):
                assert_same(one, other)
    assert resets > 10


def test_a_play_that_is_over_asks_for_a_reset() -> None:
    envs = VGDLVectorEnv(vgdl.loads(RACE), 2, [SHORT, WIDE], autoreset_mode="Disabled")
    envs.reset(options={"level": [0, 1]})
    for _ in range(2):
        said = envs.step([Action.RIGHT, Action.RIGHT])
    assert said[2].tolist() == [True, False]
    with pytest.raises(ResetNeeded, match=r"plays \[0\] are over"):
        envs.step([0, 0])
    for mask, error in (([True, False], TypeError), (np.array([1, 0]), TypeError), (np.zeros(2, np.bool_), ValueError)):
        with pytest.raises(error, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    infos = envs.reset(options={"reset_mask": np.array([True, False])})[1]
    assert infos["_tick"].tolist() == [True, False]
    assert envs.step([0, 0])[4]["tick"].tolist() == [1, 3]


# ------------------------------------------------------------------------------------------------------------ two players


def test_two_players_change_levels_too() -> None:
    pytest.importorskip("pettingzoo")
    from vgdl.envs.parallel import parallel_env

    name = next(name for name in games.names("two_player") if len(games.levels(name)) > 2)
    env = parallel_env(name, levels="train", win_bonus=2.0, limit="truncate")
    levels = {seed: env.reset(seed=seed)[1]["player_0"]["level"] for seed in range(12)}
    assert set(levels.values()) == {0, 1, 2}
    assert all(env.reset(seed=seed)[1]["player_1"]["level"] == level for seed, level in levels.items())
    observations, _ = env.reset(options={"level": 1})
    assert env.observation_space("player_0").contains(observations["player_0"])
    assert env.action_masks()["player_1"][0]
    env.step({"player_0": env.actions[1]})
    with pytest.raises(ValueError, match="did you mean 'level'"):
        env.reset(options={"levle": 1})
    with pytest.raises(ValueError, match="player_1: expected an action"):
        env.step({"player_1": 99})
