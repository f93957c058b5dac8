"""`vgdl.testing.check_controller`: it passes the bundled controllers and reports faults of others."""

from __future__ import annotations

import itertools
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vgdl import Action, StateObservation, check
from vgdl.controllers import Controller, Timer, registry
from vgdl.testing import CheckFailed, check_controller


def controller(act: Callable[[StateObservation, Timer], Any]) -> type[Controller]:
    return type("Mine", (Controller,), {"act": lambda self, state, timer: act(state, timer), "__module__": __name__})


def problems(found: Any, **options: Any) -> str:
    with pytest.raises(CheckFailed) as caught:
        check_controller(found, **options)
    return str(caught.value)


@pytest.mark.parametrize("name", registry.names())
def test_the_bundled_controllers_pass(name: str) -> None:
    """Tichau answers USE in every tick, also where the avatar does not have it."""
    check_controller(name, ticks=10, calls=200, allow_missing_actions=name == "tichau")


def test_a_game_for_two_is_played_from_both_sides() -> None:
    seen: set[int] = set()

    class Mine(Controller):
        def act(self, state: StateObservation, timer: Timer) -> Action:
            seen.add(self.player)
            return Action.NIL

    check_controller(Mine, games=["tandem"])
    assert seen == {0, 1}


def test_a_class_in_a_file_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from vgdl.controllers import Controller\n\n\nclass Mine(Controller):\n"
        "    def act(self, state, timer):\n        return state.nothing\n"
    )
    told = problems(f"{tmp_path}/mine.py:Mine")
    assert "aliens: it raised AttributeError at tick 0" in told
    assert f"{tmp_path}/mine.py:6: return state.nothing" in told
    assert "there is no file" in problems(f"{tmp_path}/none.py:Mine")


def test_a_controller_that_exits_is_reported() -> None:
    class Leaving(Controller):
        def act(self, state: StateObservation, timer: Timer) -> Action:
            sys.exit(3)

    assert "aliens: it raised SystemExit at tick 0: 3" in problems(Leaving)


def test_a_class_that_is_not_a_controller_is_reported() -> None:
    assert "not a subclass" in problems(dict)
    assert "no method act" in problems(type("Mine", (Controller,), {}))

    class Narrow(Controller):
        def __init__(self, state: StateObservation) -> None: ...
        def act(self, state: StateObservation, timer: Timer) -> Action:
            return Action.NIL

    assert "its constructor cannot be called with (state, timer, player=0)" in problems(Narrow)


@pytest.mark.parametrize("answer", [None, "LEFT", 99, 1.0])
def test_an_answer_that_is_not_an_action_is_reported(answer: object) -> None:
    told = problems(controller(lambda state, timer: answer))
    assert f"aliens, tick 0: it answered {answer!r}, which is not a vgdl.Action" in told


def test_a_number_is_an_action() -> None:
    check_controller(controller(lambda state, timer: int(state.available_actions[0])))


def test_an_exceeded_budget_is_reported() -> None:
    def greedy(state: StateObservation, timer: Timer) -> Action:
        for _ in range(30):
            state.copy().random_rollout(10, 1)
        return Action.NIL

    assert "it simulated 300 ticks for one answer; 200 were allowed" in problems(controller(greedy), calls=200)
    check_controller(controller(greedy), calls=300)


def test_a_constructor_over_its_budget_is_reported() -> None:
    class Greedy(Controller):
        def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
            state.copy().random_rollout(300, seed=1)

        def act(self, state: StateObservation, timer: Timer) -> Action:
            return Action.NIL

    assert "its constructor simulated 300 ticks; 250 were allowed" in problems(Greedy, calls=10)


def test_an_exception_is_reported_with_the_controllers_own_line() -> None:
    def lost(state: StateObservation, timer: Timer) -> Action:
        state.advance("north")  # type: ignore[arg-type]
        return Action.NIL

    told = problems(controller(lost), ticks=3)
    assert "it raised" in told
    assert 'state.advance("north")' in told


def test_unseeded_chance_of_a_controller_that_takes_a_seed_is_reported() -> None:
    draws = itertools.count()

    class Mine(Controller):
        def __init__(self, state: StateObservation, timer: Timer, player: int = 0, *, seed: int | None = None) -> None:
            super().__init__(state, timer, player)
            self.random = random.Random(next(draws))

        def act(self, state: StateObservation, timer: Timer) -> Action:
            return self.random.choice(state.available_actions)

    assert "two plays with seed 1 differ at tick" in problems(Mine)


def test_an_action_that_the_avatar_lacks_is_reported() -> None:
    def climb(state: StateObservation, timer: Timer) -> Action:
        return Action.UP

    assert "it answered UP, which its avatar does not have" in problems(controller(climb), games=["aliens"])


def test_a_constructor_with_other_parameters_is_reported_with_its_line() -> None:
    class Mine(Controller):
        def __init__(self, depth: int) -> None:
            self.depth = depth

        def act(self, state: StateObservation, timer: Timer) -> Action:
            return Action.NIL

    told = problems(Mine)
    assert "its constructor cannot be called with (state, timer, player=0)" in told
    assert f"{Path(__file__).name}" in told
    assert "def __init__(self, depth: int)" in told


AGENTS = """
from vgdl import Action
from vgdl.controllers import Controller

class Still(Controller):
    def act(self, state, timer):
        print("thinking")
        return Action.NIL

class Vague(Still):
    def act(self, state, timer):
        return "RIGHT"
"""


def test_the_command_checks_controllers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "agents.py").write_text(AGENTS)
    still, vague = f"{tmp_path / 'agents.py'}:Still", f"{tmp_path / 'agents.py'}:Vague"
    assert check.main([still]) == 0
    assert "1 controller, 0 problems" in capsys.readouterr().out
    assert check.main([still, vague, "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert (first["problems"], second["controller"]) == ([], vague)
    assert "it answered 'RIGHT', which is not a vgdl.Action" in second["problems"][0]


def test_a_module_that_cannot_be_imported_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "agents.py").write_text(f"import nowhere_to_be_found\n{AGENTS}")
    assert check.main([f"{tmp_path / 'agents.py'}:Still"]) == 1
    told = capsys.readouterr().out
    assert "agents.py, line 1: import nowhere_to_be_found: ModuleNotFoundError" in told
    with pytest.raises(SystemExit, match="2"):
        check.main([f"{tmp_path / 'agents.py'}:Still", str(tmp_path / "game.txt")])
