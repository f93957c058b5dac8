"""How the genetic controllers differ, seen in their actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import vgdl
from small_games import RULES, calls, small_game, unlimited
from vgdl import Action, Meter, StateObservation
from vgdl.controllers import Controller
from vgdl.controllers.entries.sample_ga import SampleGA
from vgdl.controllers.entries.testgag import TESTGAG
from vgdl.controllers.entries.yraid import Yraid

SEEDS = 20


def answers(controller: type[Controller], state: StateObservation, budget: int, **options: Any) -> Counter[Action]:
    """The answers of a controller to a state, over seeds."""
    make: Any = controller
    players = [make(state, unlimited(), seed=seed, **options) for seed in range(SEEDS)]
    return Counter(player.act(state, calls(state, budget)) for player in players)


def answers_after(first: StateObservation, then: StateObservation, budget: int, **options: Any) -> Counter[Action]:
    """The answers of a Yraid that has searched one state to another state of the same game, over seeds."""
    taken: Counter[Action] = Counter()
    for seed in range(SEEDS):
        player = Yraid(first, unlimited(), seed=seed, **options)
        player.act(first, calls(first, 900))
        taken[player.act(then, calls(then, budget))] += 1
    return taken


def test_a_plan_reaches_as_far_as_its_genes() -> None:
    """The gold is four steps away, the first action and three genes."""
    state = small_game("A...o")
    assert answers(SampleGA, state, 20_000, depth=3)[Action.RIGHT] > 0.9 * SEEDS
    assert answers(SampleGA, state, 20_000, depth=2)[Action.RIGHT] < 0.6 * SEEDS


def test_plans_improve_only_if_losers_change() -> None:
    """Only a plan that goes straight on comes as near to the gem as can be."""
    state = small_game("A..............g")
    assert answers(TESTGAG, state, 30_000)[Action.RIGHT] > 0.9 * SEEDS
    assert answers(TESTGAG, state, 30_000, mutation=0.0)[Action.RIGHT] < 0.7 * SEEDS


def test_an_individual_needs_an_opponent() -> None:
    state = small_game("A.")
    with pytest.raises(ValueError, match="at least 2 individuals"):
        SampleGA(state, unlimited(), individuals=1)


def test_equally_fit_plans_are_distinguished_by_all_plans_with_the_same_first_action() -> None:
    """After any first action a plan can still reach the gold; but most that start towards it do."""
    assert answers(SampleGA, small_game("...Ao..."), 1500)[Action.RIGHT] > 0.8 * SEEDS


def with_box(*rows: str) -> StateObservation:
    """A small game in which r is not a rabbit but a box: neither static nor an NPC."""
    state = vgdl.loads(RULES.replace("rabbit > RandomNPC", "rabbit > Passive").replace("AVATAR", "MovingAvatar")).start(
        level="\n".join(["w" * (len(rows[0]) + 2), *(f"w{row}w" for row in rows), "w" * (len(rows[0]) + 2)]), seed=3
    )
    state.meter = Meter()
    return state


@pytest.mark.parametrize(
    ("start", "thing", "weight"),
    [(small_game, "g", "resource_weight"), (small_game, "r", "npc_weight"), (with_box, "r", "movable_weight")],
)
def test_testgag_is_attracted_by_sprites_beyond_its_plans(
    start: Callable[[str], StateObservation], thing: str, weight: str
) -> None:
    state = start("A.............." + thing)
    others = dict.fromkeys(("resource_weight", "npc_weight", "movable_weight"), 0.0)
    assert answers(TESTGAG, state, 30_000, **{**others, weight: 0.3})[Action.RIGHT] > 0.7 * SEEDS
    assert answers(TESTGAG, state, 30_000, **others)[Action.RIGHT] < 0.6 * SEEDS


def test_testgag_keeps_away_where_the_weight_is_negative() -> None:
    state = small_game("........A...........r")
    assert answers(TESTGAG, state, 30_000, npc_weight=-0.3)[Action.LEFT] > 0.7 * SEEDS


def test_yraid_avoids_types_that_have_done_harm() -> None:
    near, far = small_game("......Af"), small_game(".......A....f")
    wary, careless = answers_after(near, far, 6000), answers_after(near, far, 6000, proximity_weight=0)
    assert wary[Action.LEFT] > 0.7 * SEEDS
    assert careless[Action.LEFT] < 0.6 * SEEDS


def test_yraid_seeks_types_that_have_been_good() -> None:
    near, far = small_game("......Ao"), small_game(".......A...........o")
    eager, careless = answers_after(near, far, 12_000), answers_after(near, far, 12_000, proximity_weight=0)
    assert eager[Action.RIGHT] > 0.7 * SEEDS
    assert careless[Action.RIGHT] < 0.6 * SEEDS


def test_yraid_ignores_types_that_it_never_met() -> None:
    nothing_near, far = small_game("......A"), small_game(".......A....f")
    assert answers_after(nothing_near, far, 6000)[Action.LEFT] < 0.6 * SEEDS
