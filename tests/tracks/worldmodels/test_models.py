"""Learnt models as games, planning on them, and what happens when a sampler is wrong (3.3, 7.5, 7.6, 7.7, 8)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tracks.worldmodels.common import plays, sandbox
from vgdl.competition.tracks.worldmodels import json_values, selecting, unit_tests
from vgdl.competition.tracks.worldmodels.distance import distance
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.matches import AbsentPlayer, AtRandom, ModelPlayer, TruePlanner, play_match
from vgdl.competition.tracks.worldmodels.model import NoConsistentState
from vgdl.competition.tracks.worldmodels.problem import suite
from vgdl.competition.tracks.worldmodels.program import CodeWorldModel, IsolatedProgram, error_of
from vgdl.competition.tracks.worldmodels.scripted import prepared, standard
from vgdl.competition.tracks.worldmodels.searching import Search
from vgdl.competition.tracks.worldmodels.worlds import WORLDS
from vgdl.tabletop import IllegalAction, apply, laws
from vgdl.tabletop import key as key_of

pytestmark = pytest.mark.one_case

FEW = Search(simulations=12, rollouts=1)
EMPTY = {"board": ["."] * 9, "current_player": "x"}


def model(game: str, fault: str = "") -> CodeWorldModel:
    world = WORLDS[game]
    initial = plays(game, 1)[0]["initial_state"]
    return CodeWorldModel(prepared(game, fault), initial, world.interface(), sandbox=sandbox())


@pytest.fixture
def tic_tac_toe() -> Iterator[CodeWorldModel]:
    with model("tic_tac_toe") as game:
        yield game


@pytest.mark.sampled(2)
@pytest.mark.parametrize("game", ["tic_tac_toe", "leduc_poker", "quadranto"])
def test_a_right_program_keeps_the_laws_of_turn_based_games(game: str) -> None:
    with model(game) as learnt:
        assert laws.check(learnt, plays=1) > 3


def test_states_are_values_with_keys_and_texts(tic_tac_toe: CodeWorldModel) -> None:
    state = tic_tac_toe.new_initial_state()
    other = state.child(state.string_to_action("x(1,1)"))
    again = tic_tac_toe.deserialize_state(other.serialize())
    assert key_of(again) == key_of(other) != key_of(state)
    assert json_values.canonical(EMPTY) == str(state)
    assert other.value["board"][4] == "x"
    with pytest.raises(IllegalAction):
        apply(other, tic_tac_toe.number("x(1,1)"))


def test_a_wrong_answer_of_a_program_is_an_error_with_a_kind() -> None:
    source = prepared("tic_tac_toe").replace(
        'return {"x": 0, "o": 1, "Terminal": -4}[state["current_player"]]', "return 7"
    )
    with (
        CodeWorldModel(source, EMPTY, sandbox=sandbox()) as game,
        pytest.raises(WorldModelError, match="7 is not a player") as caught,
    ):
        game.new_initial_state().current_player()
    assert caught.value.kind == Kind.CONTRACT


def test_a_planner_inside_the_process_finds_the_winning_move(tic_tac_toe: CodeWorldModel) -> None:
    state = {"board": ["x", "x", ".", "o", "o", ".", ".", ".", "."], "current_player": "x"}
    found = tic_tac_toe.isolated.plan({"initial": EMPTY, "state": state}, Search(simulations=200, rollouts=2))
    assert found["action"] == "x(0,2)"
    assert found["simulations"] == 200
    again = tic_tac_toe.isolated.plan({"initial": EMPTY, "state": state}, Search(simulations=200, rollouts=2))
    assert again == found  # the same seed


def leduc_situation(player: int = 0) -> dict[str, Any]:
    play = next(play for play in plays("leduc_poker", 6) if play["steps"][2]["current_player"] == player)
    seen = play["steps"][2]["observations"][player]
    return {"initial": play["initial_state"], "state": None, "history": [[seen, None]], "player": player}


def isolated(game: str, fault: str = "") -> IsolatedProgram:
    return IsolatedProgram(prepared(game, fault), WORLDS[game].interface(), sandbox())


def test_information_set_search_uses_the_programs_own_sampler() -> None:
    with isolated("leduc_poker") as program:
        found = program.plan(leduc_situation(), Search(simulations=40, rollouts=1))
    assert found["action"] in ("Call", "Raise")
    assert (found["simulations"], found["dropped"], found["fallback"]) == (40, 0, "")


WRONG_CARD = (
    '    own, public = now["private_card"], now["public_card"]\n',
    '    own, public = (now["private_card"] + 1) % 6, now["public_card"]\n',
)


def test_a_sampler_that_never_fits_leads_to_a_random_action_of_a_sampled_state() -> None:
    source = prepared("leduc_poker").replace(*WRONG_CARD)
    with IsolatedProgram(source, WORLDS["leduc_poker"].interface(), sandbox()) as program:
        found = program.plan(leduc_situation(), FEW)
    assert "do not lead" in found["fallback"]
    assert found["simulations"] == 0
    assert found["action"] in ("Call", "Raise")


@pytest.mark.parametrize("fault", ["inference that sees the future", "inference that ignores observations"])
def test_a_sampler_without_a_state_in_which_the_player_moves_forfeits(fault: str) -> None:
    with isolated("leduc_poker", fault) as program, pytest.raises(WorldModelError, match="do not lead"):
        program.plan(leduc_situation(), FEW)


def test_samples_that_do_not_fit_are_dropped_and_counted() -> None:
    """A sampler that is wrong nine times in ten."""
    source = prepared("leduc_poker").replace(
        '    own, public = now["private_card"], now["public_card"]\n',
        '    own, public = now["private_card"], now["public_card"]\n    if random.random() < 0.9:\n        own = (own + 1) % 6\n        now = {**now, \'private_card\': own}\n',
    )
    with IsolatedProgram(source, WORLDS["leduc_poker"].interface(), sandbox()) as program:
        found = program.plan(leduc_situation(), Search(simulations=60, rollouts=1, seed=4))
    assert found["dropped"] > 0
    assert found["simulations"] + found["dropped"] == 60


def test_a_sample_is_tried_ten_times() -> None:
    with model("leduc_poker", "inference that sees the future") as game:
        asked: list[int] = []
        original = game.isolated.resample
        game.isolated.resample = lambda *arguments: asked.append(1) or original(*arguments)  # type: ignore
        history = leduc_situation()["history"]
        with pytest.raises(NoConsistentState):
            game.sample(history, 0, Random(0).random)
        assert len(asked) == 10


def test_a_search_that_takes_too_long_is_ended() -> None:
    with isolated("tic_tac_toe") as program, pytest.raises(WorldModelError) as caught:
        program.plan({"initial": EMPTY, "state": EMPTY}, Search(simulations=10**6, seconds=0.2))
    assert caught.value.kind == Kind.TIMEOUT


def test_a_match_is_played_on_the_true_game_and_recorded() -> None:
    world = WORLDS["leduc_poker"]
    with isolated("leduc_poker") as program:
        outcome = play_match(
            world, [ModelPlayer(program, FEW, Random(0)), TruePlanner(world, FEW, Random(1))], Random(2)
        )
    assert outcome.forfeited is None
    assert sum(outcome.returns) == 0
    assert outcome.play["returns"] == list(outcome.returns)
    assert len(outcome.notes) == sum(step["current_player"] >= 0 for step in outcome.play["steps"])


def test_a_player_without_an_action_or_with_an_illegal_one_forfeits() -> None:
    world = WORLDS["tic_tac_toe"]
    outcome = play_match(world, [AtRandom(world, Random(0)), AbsentPlayer()], Random(0))
    assert (outcome.returns, outcome.forfeited) == ((1.0, -1.0), 1)
    source = prepared("tic_tac_toe").replace(
        'f"{mark}({cell // 3},{cell % 3})"', 'f"{mark}({cell % 3},{cell // 3 + 7})"'
    )
    with IsolatedProgram(source, world.interface(), sandbox()) as program:
        outcome = play_match(world, [ModelPlayer(program, FEW, Random(0)), AtRandom(world, Random(0))], Random(0))
    assert outcome.forfeited == 0
    assert len(outcome.reason) > 5


def test_value_functions_are_tested_and_a_tournament_inside_the_process_chooses() -> None:
    texts = standard()["tic_tac_toe value"]
    assert not callable(texts)
    with model("tic_tac_toe") as game:
        states = selecting.sampled_states(game, 3, 1)
        assert sum(returns is not None for _, returns in states) == 3
        found = selecting.value_candidates(game.isolated, [*texts, "no program"], states)
        assert [bool(candidate.fault) for candidate in found] == [False, True, True]
        won, means = selecting.value_tournament(
            game.isolated, EMPTY, [found[0].source], games=2, search=Search(simulations=15, rollouts=1), seed=3
        )
    assert len(means) == 2
    assert sum(means) == pytest.approx(0)
    assert won == (found[0].source if means[1] > means[0] else "")


def test_a_program_that_is_inconsistent_is_dropped() -> None:
    sources = [
        prepared("quadranto"),
        prepared("quadranto", "inference that ignores observations"),
        prepared("quadranto"),
    ]
    world = WORLDS["quadranto"]
    initial = plays("quadranto", 1)[0]["initial_state"]
    found = selecting.reject(
        sources, world.interface(), initial, sandbox(), games=1, search=Search(simulations=3, rollouts=1), seed=0
    )
    assert found.survivors == (0, 2)
    assert found.payoffs[0] == found.payoffs[2]
    equal = selecting.reject(sources[:1] * 3, world.interface(), initial, sandbox(), games=1, search=FEW, seed=0)
    assert equal.survivors == (0, 1, 2)


@pytest.mark.parametrize("game", ["leduc_poker", "quadranto"])
@pytest.mark.parametrize("closed", [False, True])
def test_the_right_program_passes_all_tests_of_either_deck(game: str, closed: bool) -> None:
    world = WORLDS[game]
    tests = suite(world, plays(game, 4), closed=closed)
    with IsolatedProgram(prepared(game), world.interface(closed=closed), sandbox()) as program:
        verdicts = unit_tests.run(program, tests)
        spread = unit_tests.diversity(program, tests, 2)
    assert [verdict.text for verdict in verdicts if not verdict.passed] == []
    assert spread is not None
    assert spread.has_chance
    assert spread.distinct > 0.05


def test_a_sampler_without_chance_is_reported_as_degenerate() -> None:
    """Every observation comes out right, but there is no chance: the other player's card is always the same."""
    source = (
        prepared("quadranto")
        .replace("random.choice(list(layers[-1]))", "sorted(layers[-1])[0]")
        .replace("random.choice(layer[cell])", "layer[cell][0]")
    )
    tests = suite(WORLDS["quadranto"], plays("quadranto", 2), closed=True)
    with IsolatedProgram(source, WORLDS["quadranto"].interface(closed=True), sandbox()) as program:
        spread = unit_tests.diversity(program, tests, 2)
    assert spread == unit_tests.Diversity(0.05, True)


def test_states_can_be_sampled_instead_of_histories() -> None:
    world = WORLDS["leduc_poker"]
    source = prepared("leduc_poker") + (
        "\n\ndef resample_state(obs_action_history, player_id):\n"
        "    return _run(resample_history(obs_action_history, player_id))\n"
    )
    tests = suite(world, plays("leduc_poker", 2), sampler="state")
    with IsolatedProgram(source, world.interface(sampler="state"), sandbox()) as program:
        verdicts = unit_tests.run(program, tests)
    assert all(verdict.passed for verdict in verdicts)
    assert "resample_state" in next(test.code() for test in tests if test.kind == "inference")


def test_what_a_process_tells_of_an_error_is_checked() -> None:
    assert error_of({"kind": "timeout", "message": "late"}).kind == Kind.TIMEOUT
    for strange in (None, {"kind": "magic"}, [1], {"kind": ["timeout"]}):
        assert error_of(strange).kind == Kind.CONTRACT


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ({"a": 1}, {"a": 1.0000001}, None),
        ([1, 2], [1, 2, 3], "3 items instead of 2"),
        ({"a": [True]}, {"a": [1]}, "instead of True"),
        ({"a": 1}, {"b": 1}, "lacks the key 'a'"),
    ],
)
def test_values_are_compared_with_a_tolerance_and_the_place_is_named(one: Any, other: Any, told: str | None) -> None:
    found = json_values.difference(one, other)
    assert (found is None) if told is None else (told in (found or ""))


@pytest.mark.costly
def test_the_distance_of_a_sampler_tells_a_biased_one_from_a_fair_one() -> None:
    """Leduc poker: the other's card is one of five; a sampler that always says the same is far from that."""
    world, recorded = WORLDS["leduc_poker"], plays("leduc_poker", 4)
    biased = prepared("leduc_poker").replace("    random.shuffle(others)\n", "")
    found = []
    for source in (prepared("leduc_poker"), biased):
        with IsolatedProgram(source, world.interface(), sandbox()) as program:
            found.append(distance(program, world, recorded, 1))
    fair, unfair = found
    assert fair is not None
    assert unfair is not None
    assert fair.program < 0.35
    assert fair.noise < 0.35
    assert unfair.program > 0.6
    assert fair.failed == unfair.failed == 0
