"""Recorded plays: what is in them, what a closed deck leaves out, and the ten games' rules and actions (4, 9)."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tracks.worldmodels.common import plays, sandbox
from vgdl import tabletop
from vgdl.competition.running import declare
from vgdl.competition.tracks.worldmodels.arena import learning_plays, recorded_test_plays
from vgdl.competition.tracks.worldmodels.plan import Plan
from vgdl.competition.tracks.worldmodels.problem import TabletopProblem
from vgdl.competition.tracks.worldmodels.track import WorldModelsTrack
from vgdl.competition.tracks.worldmodels.trajectories import CLOSED, closed_view, read, record, scan, write
from vgdl.competition.tracks.worldmodels.worlds import WORLDS, UnknownWorld, World, action_name, find

pytest.importorskip("pyspiel")

HIDDEN = [name for name, world in WORLDS.items() if not world.is_perfect]


@pytest.mark.parametrize("name", WORLDS)
def test_a_play_has_all_fields_and_its_steps_follow_each_other(name: str) -> None:
    world = WORLDS[name]
    play = record(world, 3)
    assert list(play) == ["game", "parameters", "seed", "players", "policies", "initial_state", "steps", "returns"]
    steps = play["steps"]
    assert steps[0]["state"] == play["initial_state"]
    assert all(one["next_state"] == other["state"] for one, other in itertools.pairwise(steps))
    assert (steps[-1]["current_player"], steps[-1]["action"], steps[-1]["legal_actions"]) == (-4, None, [])
    assert [sum(step["rewards"][player] for step in steps) for player in (0, 1)] == play["returns"]
    assert all(step["action"] in step["legal_actions"] for step in steps[:-1] if step["legal_actions"] is not None)
    assert record(world, 3) == play
    assert json.loads(json.dumps(play)) == play


@pytest.mark.parametrize("name", WORLDS)
def test_state_and_action_determine_the_next_state(name: str) -> None:
    """A program sees nothing else; so states lack nothing that the rules need."""
    world, seen = WORLDS[name], dict[str, Any]()
    for seed in range(2 if name in ("backgammon", "gin_rummy") else 12):
        draws, state = Random(seed), world.game.new_initial_state()
        while not state.is_terminal():
            action = draws.choice(state.legal_actions())
            before = json.dumps([world.structure(state), action_name(state, action)])
            state.apply_action(action)
            after = [world.structure(state), state.current_player(), list(state.returns())]
            assert seen.setdefault(before, after) == after


@pytest.mark.parametrize("name", HIDDEN)
def test_a_closed_play_has_only_what_one_player_saw_and_did(name: str, tmp_path: Path) -> None:
    for number, play in enumerate(plays(name, 6)):
        closed = closed_view(play, number % 2)
        assert set(closed) == set(CLOSED)
        assert scan(closed, play) == []
        write(tmp_path / "closed.jsonl", [closed])
        assert read(tmp_path / "closed.jsonl") == [closed]


@pytest.mark.parametrize("name", HIDDEN)
def test_the_scan_finds_what_should_not_be_there(name: str) -> None:
    play = plays(name, 1)[0]
    closed = closed_view(play, 0)
    step = next(step for step in play["steps"] if step["current_player"] == 0)
    leaky = {**closed, "seed": play["seed"]}
    assert "seed" in scan(leaky)[0]
    leaky = {**closed, "steps": [{**each, "legal_actions": []} for each in closed["steps"]]}
    assert "legal_actions" in scan(leaky)[0]
    leaky = {**closed, "steps": [{**each, "observation": step["state"]} for each in closed["steps"]]}
    assert scan(leaky, play)
    leaky = {**closed, "steps": [{**each, "observation": step["observations"][1]} for each in closed["steps"]]}
    assert scan(leaky, play)
    assert scan({**closed, "reward": play["returns"][1] + 1}, play)


def hidden_twins() -> tuple[Any, Any]:
    """Two plays of Leduc poker that player 0 cannot tell apart: the other folds, with another card."""
    found = []
    for card in (2, 4):
        world, state = WORLDS["leduc_poker"], WORLDS["leduc_poker"].game.new_initial_state()
        play = record(world, 0)
        play["steps"] = []
        from vgdl.competition.tracks.worldmodels.trajectories import take_step

        for action in (0, card, 2, 0):
            take_step(world, play, state, Random(0).random, action)
        take_step(world, play, state, Random(0).random)
        found.append({**play, "seed": card})
    return found[0], found[1]


def test_a_closed_deck_prompt_is_the_same_whatever_was_hidden() -> None:
    one, other = hidden_twins()
    assert one["steps"][2]["state"] != other["steps"][2]["state"]
    prompts = [
        TabletopProblem(WORLDS["leduc_poker"], [play], sandbox(), closed=True).first_prompt(Random(0))
        for play in (one, other)
    ]
    assert prompts[0] == prompts[1]
    assert "private_cards" not in prompts[0].replace(json.dumps(one["initial_state"]), "").replace(
        repr(one["initial_state"]), ""
    )


def test_learning_and_test_plays_never_share_a_seed() -> None:
    track = WorldModelsTrack()
    plan = track.plan(declare(track).from_python({"games": ["tic_tac_toe"], "seed": 1, "test_plays": 6}))
    assert isinstance(plan, Plan)
    world = WORLDS["tic_tac_toe"]
    learnt = [play["seed"] for index in range(3) for play in learning_plays(plan, world, index)]
    tested = recorded_test_plays(plan, world)
    assert {seed % 2 for seed in learnt} == {0}
    assert {play["seed"] % 2 for play in tested} == {1}
    assert {name for play in tested for name in play["policies"]} == {"random", "mcts"}


@pytest.mark.parametrize("name", WORLDS)
def test_every_game_has_rules_in_words(name: str) -> None:
    world = WORLDS[name]
    assert len(world.rules()) > 300
    assert (world.rules(misleading=True) != world.rules()) == (name in ("bargaining", "leduc_poker"))


def test_a_game_of_ones_own_needs_rules() -> None:
    with pytest.raises(UnknownWorld, match="did you mean 'quadranto'"):
        find("quadrant")
    with pytest.raises(UnknownWorld, match="--rules"):
        find("kuhn_poker")
    world = find("kuhn_poker", {"kuhn_poker": "Three cards."})
    assert (world.rules(), world.is_perfect) == ("Three cards.", False)
    assert record(world, 1)["steps"][0]["legal_actions"]
    assert find("mnk(m=6,n=6,k=4)").name == "generalized_tic_tac_toe"


@pytest.mark.parametrize(
    ("name", "loser", "expected"),
    [("tic_tac_toe", 0, [-1, 1]), ("gin_rummy", 1, [123, -123]), ("bargaining", 0, [0, 0])],
)
def test_a_forfeit_costs_what_the_protocol_says(name: str, loser: int, expected: list[float]) -> None:
    assert WORLDS[name].forfeited(loser) == expected


def test_army_chess_has_thirteen_moves_at_the_start() -> None:
    world: World = WORLDS["generalized_chess"]
    assert list(world.actions(world.game.new_initial_state())) == [
        "A1_to_B3", "A1_to_C2", "A1_to_D1", "A2_to_B1", "A2_to_B2", "A2_to_B3", "A2_to_C2",
        "A3_to_B3", "A4_to_B3", "A4_to_B4", "A4_to_B5", "A4_to_C4", "A5_to_D5",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["quadranto", "army5x5a", "hand_of_war"])
def test_our_games_tell_their_states_as_json(name: str) -> None:
    state = tabletop.load(name).new_initial_state()
    assert "text" not in tabletop.ground_truth(state)
    assert "text" not in tabletop.observe(state, 1)
