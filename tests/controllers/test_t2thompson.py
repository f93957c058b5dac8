"""T2Thompson: plans from frames ahead, takes cover under threat, and learns its goals from events."""

from __future__ import annotations

import pytest

from small_games import calls, small_game, unlimited
from vgdl import Action, StateObservation
from vgdl.controllers.entries.heuristics import Heuristic, Purpose, chosen_by
from vgdl.controllers.entries.t2thompson import T2Thompson


def play(controller: T2Thompson, state: StateObservation, ticks: int, budget: int = 300) -> list[Action]:
    """The actions taken in as many ticks, or until the end."""
    taken: list[Action] = []
    while len(taken) < ticks and not state.is_over:
        taken.append(controller.act(state.copy(seed=state.tick), calls(state, budget)))
        state.advance(taken[-1])
    return taken


def test_it_searches_from_frames_ahead_while_it_carries_out_the_last_plan() -> None:
    state = small_game("..A....o..")
    controller = T2Thompson(state, unlimited(), frames=8, seed=1)
    taken = play(controller, state, 13)
    assert taken == [Action.NIL] * 8 + [Action.RIGHT] * 5
    assert state.score == 1


def test_leaving_the_planned_course_starts_a_new_search() -> None:
    state = small_game("..A....o..", ".")
    controller = T2Thompson(state, unlimited(), frames=8, seed=1)
    play(controller, state, 8)
    state.advance(Action.LEFT)
    assert play(controller, state, 9) == [Action.NIL] * 8 + [Action.RIGHT]


@pytest.mark.parametrize(("samples", "survives"), [(5, True), (0, False)])
def test_it_takes_cover_from_unexpected_threats(samples: int, survives: bool) -> None:
    quiet, surprise = small_game("....A.....", "..........", seed=1), small_game("....Aa....", "..........")
    controller = T2Thompson(quiet, unlimited(), samples=samples, seed=1)
    play(controller, quiet, 3)
    surprise.advance(Action.NIL)  # the arrow flies from the second tick on
    action = controller.act(surprise.copy(seed=1), calls(surprise, 300))
    surprise.advance(action)
    assert (action is not Action.NIL) == survives
    assert (not surprise.is_over) == survives


@pytest.mark.parametrize("seed", range(5))
def test_an_event_that_raised_the_score_sets_the_goal(seed: int) -> None:
    """The next rabbit is beyond every search; plans are so long that steepest ascent must decide."""
    state = small_game("." * 5 + "rA" + "." * 30 + "r")
    controller = T2Thompson(state, unlimited(), frames=1000, seed=seed)
    controller.act(state, calls(state, 40))
    state.advance(Action.LEFT)
    assert state.score == 1
    assert play(controller, state, 10, budget=40) == [Action.RIGHT] * 10
    assert controller.heuristic.purpose is Purpose.HUNT


def test_without_such_an_event_it_has_no_goal() -> None:
    state = small_game("." * 5 + ".A" + "." * 30 + "r")
    controller = T2Thompson(state, unlimited(), frames=1000, seed=1)
    assert set(play(controller, state, 10, budget=40)) != {Action.RIGHT}
    assert controller.heuristic.purpose is Purpose.OUTCOME


@pytest.mark.parametrize(
    ("rows", "actions", "purpose"),
    [
        pytest.param("Ag.", "RIGHT", None, id="no points, no choice"),
        pytest.param("Ao.", "RIGHT", Purpose.COLLECT, id="a resource"),
        pytest.param("Ar.", "RIGHT", Purpose.HUNT, id="an NPC touched"),
        pytest.param("A.f", "USE NIL NIL NIL", Purpose.KILL, id="an NPC shot"),
        pytest.param("A.t", "USE NIL NIL NIL", Purpose.SHOOT, id="something shot"),
    ],
)
def test_events_choose_among_the_heuristics(rows: str, actions: str, purpose: Purpose | None) -> None:
    state = small_game(rows, avatar="ShootAvatar")
    controller = T2Thompson(state, unlimited(), seed=1)
    for name in ["RIGHT", *actions.split()] if "USE" in actions else actions.split():
        state.advance(Action[name])
        controller.act(state.copy(seed=1), calls(state, 50))
    assert controller.heuristic.purpose is (purpose or Purpose.OUTCOME)


def test_touching_a_portal_is_a_reason_to_go_to_portals() -> None:
    state = small_game("A.d")
    state.rollout([Action.RIGHT, Action.RIGHT])
    chosen = chosen_by(state.events)
    assert chosen is not None
    assert chosen.purpose is Purpose.EXIT


def test_shooting_wants_to_be_in_line_and_killing_to_be_close() -> None:
    state = small_game("..A.", "....", "t...", "....", "f...")
    target = next(sprites[0] for sprites in state.immovables if len(sprites) == 1)
    wolf = state.npcs[0][0]
    assert Heuristic(Purpose.SHOOT, target.category, target.type).remaining(state, 0) == 2
    assert Heuristic(Purpose.KILL, wolf.category, wolf.type).remaining(state, 0) == 2 + 4


@pytest.mark.parametrize(("max_events", "purpose"), [(100, Purpose.COLLECT), (0, Purpose.HUNT)])
def test_a_long_history_is_read_only_once(max_events: int, purpose: Purpose) -> None:
    """A rabbit, then gold: reading for the rabbit shows whether events are too many already."""
    state = small_game("Aro")
    controller = T2Thompson(state, unlimited(), max_events=max_events, seed=1)
    for _ in range(2):
        state.advance(Action.RIGHT)
        controller.act(state.copy(seed=1), calls(state, 50))
    assert controller.heuristic.purpose is purpose
