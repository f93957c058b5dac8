"""Speeds are consistent, and behaviour matches the recorded fingerprints."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import vgdl
from vgdl import Action, bench, fingerprint, games

PLAN = fingerprint.read_plan()
SMALL = replace(PLAN, levels=(0,), seeds=(1,), ticks=60)

GAME = """
BasicGame
    SpriteSet
        box > Missile orientation=RIGHT speed=SPEED color=COLOUR
        player > MovingAvatar
    LevelMapping
        b > box
        A > player
    InteractionSet
        box EOS > killSprite
        player EOS > stepBack
    TerminationSet
        Timeout limit=30 win=True
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """A function that writes a variant of the small game, with its level, and returns its path."""

    def written(**changes: str) -> str:
        path = tmp_path / "small.txt"
        text = GAME
        for name, value in {"SPEED": "0.5", "COLOUR": "RED", **changes}.items():
            text = text.replace(name, value)
        path.write_text(text)
        (tmp_path / "small_lvl0.txt").write_text("b....\n..A..\n")
        return str(path)

    return written


# --------------------------------------------------------------------------------------------------------- fingerprints


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", games.names())
def test_behaviour_is_the_expected_one(name: str) -> None:
    """If this change is meant: ``vgdl-bench --fingerprint --update``, and say so in the commit."""
    assert fingerprint.fingerprint(name, PLAN) == PLAN.expected.get(name)


def test_fingerprints_of_removed_games_are_removed() -> None:
    assert set(PLAN.games) <= set(games.names())


def test_a_fingerprint_is_the_same_every_time() -> None:
    assert fingerprint.fingerprint("butterflies", SMALL) == fingerprint.fingerprint("butterflies", SMALL)


@pytest.mark.parametrize("changes", [{"seeds": (2,)}, {"levels": (1,)}, {"ticks": 59}, {"policies": ("random",)}])
def test_a_fingerprint_covers_the_whole_plan(changes: dict[str, tuple[int, ...]]) -> None:
    plan = replace(SMALL, **changes)  # type: ignore[arg-type]
    assert fingerprint.fingerprint("butterflies", plan) != fingerprint.fingerprint("butterflies", SMALL)


def test_a_fingerprint_changes_with_behaviour_only(write: Callable[..., str]) -> None:
    before = fingerprint.fingerprint(write(), SMALL)
    assert fingerprint.fingerprint(write(COLOUR="BLUE"), SMALL) == before
    assert fingerprint.fingerprint(write(SPEED="0.4"), SMALL) != before


def test_the_total_covers_names_and_numbers() -> None:
    numbers = {"a": "1", "b": "2"}
    assert fingerprint.total(numbers) == fingerprint.total({"b": "2", "a": "1"})
    assert len({fingerprint.total(each) for each in (numbers, {"a": "1", "b": "3"}, {"a": "1", "c": "2"})}) == 3


def test_expected_numbers_are_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(fingerprint.DATA.read_text(encoding="utf-8"), encoding="utf-8")
    fingerprint.write_expected({"b": "2", "a": "1"}, path)
    assert fingerprint.read_plan(path) == replace(PLAN, expected={"a": "1", "b": "2"})
    assert path.read_text(encoding="utf-8").startswith("# What")


def draw(policy: str, actions: Sequence[Action], count: int = 1000) -> list[Action]:
    """The actions that a policy takes one after the other."""
    draws, taken = random.Random(1), [Action.NIL]
    for _ in range(count):
        taken.append(fingerprint.POLICIES[policy](draws, actions, taken[-1]))
    return taken[1:]


def test_random_draws_evenly_among_all_actions_and_nil() -> None:
    taken = draw("random", (Action.LEFT, Action.USE))
    assert all(280 < taken.count(action) < 390 for action in (Action.NIL, Action.LEFT, Action.USE))


def test_sticky_repeats_itself() -> None:
    taken = draw("sticky", (Action.LEFT, Action.USE))
    repeats = sum(one is two for one, two in itertools.pairwise(taken) if one is not Action.NIL)
    assert repeats > 0.85 * sum(one is not Action.NIL for one in taken)
    assert {Action.LEFT, Action.USE} <= set(taken)


# ---------------------------------------------------------------------------------------------------------------- speed


def test_speeds_agree_with_each_other() -> None:
    start, mid_game = bench.measure("sokoban", seconds=0.01)
    assert (start.start, mid_game.start) == ("start", "mid-game")
    assert start.bytes == vgdl.load("sokoban").start(0, seed=1).n_bytes
    for speed in (start, mid_game):
        assert 0 < speed.rollouts_per_40ms < speed.copies_per_s * bench.BUDGET_S, "a rollout includes a copy"
        assert 0 < speed.advances_per_40ms <= bench.DEPTH * speed.rollouts_per_40ms * 1.001


def test_mid_game_is_in_the_middle_of_plays() -> None:
    first = vgdl.load("aliens").start(level=0, seed=1)
    states = bench.mid_games(first)
    assert first.tick == 0
    for seed, state in enumerate(states):
        played = first.copy(seed=seed).random_rollout(bench.LONGEST_PLAY, seed)
        assert state.tick == played // 2
        assert not state.is_over


# -------------------------------------------------------------------------------------------------------------- command


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["sokoban", "--seconds", "0.001"]) == 0
    table = capsys.readouterr().out
    assert table.count("sokoban") == 2
    assert "mid-game" in table


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str], write: Callable[..., str]) -> None:
    assert bench.main([write(), "--seconds", "0.001", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["start"] for row in rows] == ["start", "mid-game"]
    assert all(row["copies_per_s"] > 0 for row in rows)


def test_the_command_prints_fingerprints(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--fingerprint", "sokoban", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["games"] == {"sokoban": PLAN.expected["sokoban"]}
    assert facts["total"] == fingerprint.total(facts["games"])


def test_the_command_notices_changed_behaviour(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprint, "read_plan", lambda: replace(SMALL, expected={"sokoban": "0" * 12}))
    assert bench.main(["--fingerprint", "sokoban"]) == 1
    assert f"sokoban  expected {'0' * 12}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_such_game"], "no_such_game"),
        (["sokoban", "--level", "99"], "no level 99"),
        (["--update"], "--fingerprint"),
        (["--update", "--fingerprint", "sokoban"], "do not name any"),
        (["--seconds", "0"], "is not a number of seconds above 0"),
        (["--seconds", "x"], "is not a number of seconds above 0"),
    ],
)
def test_the_command_refuses_what_cannot_be_measured(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        bench.main(arguments)
    assert stopped.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
