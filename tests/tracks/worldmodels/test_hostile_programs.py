"""Whatever a program does stays in its process, and comes out as an error with a kind (code world models, 6)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tracks.worldmodels.common import plays, sandbox
from vgdl.competition.tracks.worldmodels import unit_tests
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.program import Interface, IsolatedProgram
from vgdl.competition.tracks.worldmodels.scripted import prepared

pytestmark = [
    pytest.mark.one_case,
    pytest.mark.limits,
    pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux"),
]

APPLY = "def apply_action(state, action):\n"

BODIES = {  # what apply_action does first, and the kind of error that comes of it
    "an endless loop": ("    while True:\n        pass\n", Kind.TIMEOUT),
    "an endless loop that catches everything": (
        "    while True:\n        try:\n            while True:\n                pass\n        except BaseException:\n            pass\n",
        Kind.TIMEOUT,
    ),
    "a list of 10 GiB": ("    x = [0] * (10 * 2**30 // 8)\n", Kind.MEMORY),
    "a list that grows": ("    x = []\n    while True:\n        x.append(' ' * 2**20)\n", Kind.MEMORY),
    "1 GiB to standard output": ("    for _ in range(2**20):\n        print('x' * 1024)\n", Kind.OUTPUT),
    "a changed argument": ("    state['board'][0] = 'x'\n", Kind.MUTATED_ARGUMENT),
    "an argument that becomes a tuple": ("    state['board'] = tuple(state['board'])\n", Kind.MUTATED_ARGUMENT),
    "not a number": ("    return {'board': state['board'], 'value': float('nan')}\n", Kind.NOT_JSON),
    "a set": ("    return {'board': set(state['board'])}\n", Kind.NOT_JSON),
    "a tuple": ("    return {'board': tuple(state['board'])}\n", Kind.NOT_JSON),
    "a state of 10 MiB": ("    return {'board': 'x' * (10 * 2**20)}\n", Kind.OUTPUT),
    "a deep value": (
        "    x = []\n    for _ in range(10000):\n        x = [x]\n    return {'board': x}\n",
        Kind.NOT_JSON,
    ),
    "an exception": ("    raise ValueError('no')\n", Kind.EXCEPTION),
    "the end of the interpreter": ("    raise SystemExit\n", Kind.EXCEPTION),
    "the end of the process": ("    random._os._exit(0)\n", Kind.EXCEPTION),
    "a fork bomb": ("    while True:\n        random._os.fork()\n", Kind.EXCEPTION),
    "a file of the home folder": ("    open(HOME + '/secret').read()\n", Kind.EXCEPTION),
    "a socket": ("    __import__('socket').create_connection(('127.0.0.1', 9))\n", Kind.EXCEPTION),
    "endless recursion": ("    return apply_action(state, action)\n", Kind.EXCEPTION),
}


def first_failure(source: str, seconds: float = 0.2) -> unit_tests.Verdict:
    """The first failed test of a program that has so many seconds of CPU time."""
    tests = unit_tests.transition_tests(plays("tic_tac_toe", 1))[:2]
    with IsolatedProgram(source, Interface(), sandbox(), seconds=seconds) as program:
        verdicts = unit_tests.run(program, tests)
    return next(verdict for verdict in verdicts if not verdict.passed)


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(what, marks=pytest.mark.everything if "catches" in what else pytest.mark.sampled(2))
        for what in BODIES
    ],
)
def test_a_hostile_program_is_contained_and_its_failure_has_a_kind(what: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("42")
    body, kind = BODIES[what]
    right = prepared("tic_tac_toe")
    source = f"import random\nHOME = {str(tmp_path)!r}\n" + right.replace(APPLY, APPLY + body)
    found = first_failure(source, 0.2 if kind == Kind.TIMEOUT else 5.0)  # to fill memory may take long
    assert (found.kind, "42" in found.text) == (kind, False), found.text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("module", ["os", "socket", "subprocess", "pyspiel", "vgdl.tabletop", "pickle", "ctypes"])
def test_other_modules_are_rejected_before_the_program_runs(module: str) -> None:
    found = first_failure(f"import {module}\n" + prepared("tic_tac_toe"))
    assert found.kind == Kind.IMPORT
    assert module in found.text


@pytest.mark.everything
def test_a_module_that_loops_or_exits_at_its_top_level_fails_all_tests() -> None:
    assert first_failure("while True:\n    pass\n" + prepared("tic_tac_toe")).kind == Kind.TIMEOUT
    assert first_failure(prepared("tic_tac_toe") + "\nimport random\nrandom._os._exit(3)\n").kind == Kind.EXCEPTION


@pytest.mark.parametrize(
    ("source", "kind", "told"),
    [
        ("def f(:\n", Kind.SYNTAX, "^"),
        ("x = 1\n", Kind.MISSING, "apply_action"),
        ("def aply_action(state, action):\n    return state\n", Kind.MISSING, "did you mean 'aply_action'"),
        ("(" * 5000, Kind.SYNTAX, ""),
        ("x = 1\0", Kind.SYNTAX, ""),
        ("a" * 500_000, Kind.SYNTAX, "characters"),
    ],
)
def test_what_is_no_program_has_an_error_that_says_why(source: str, kind: Kind, told: str) -> None:
    with (
        IsolatedProgram(source, Interface(), sandbox()) as program,
        pytest.raises(WorldModelError) as caught,
    ):
        program.load()
    assert caught.value.kind == kind
    assert told in caught.value.text()


def test_the_text_of_a_failure_has_the_programs_own_lines_and_its_last_output() -> None:
    body = "    for n in range(30):\n        print('line', n)\n    return helper(state)\n\n\ndef helper(state):\n    return 1 / 0\n"
    found = first_failure(prepared("tic_tac_toe").replace(APPLY, APPLY + body))
    assert "ZeroDivisionError" in found.text
    assert "in helper: return 1 / 0" in found.text
    assert "line 29" in found.text
    assert "line 19\n" not in found.text
    assert "host.py" not in found.text


def test_after_a_crash_the_tests_of_other_functions_still_run_in_a_fresh_process() -> None:
    tests = unit_tests.transition_tests(plays("tic_tac_toe", 1))
    body = "    if action == 'x(0,0)':\n        random._os._exit(0)\n"
    step = next(each for each in tests if each.step["action"] not in (None, "x(0,0)"))
    source = "import random\n" + prepared("tic_tac_toe").replace(APPLY, APPLY + body)
    with IsolatedProgram(source, Interface(), sandbox()) as program:
        crash = {**step.step, "state": {"board": ["."] * 9, "current_player": "x"}, "action": "x(0,0)"}
        answers = program.ask_many(
            "step",
            [
                {"state": each["state"], "action": each["action"], "seed": 0, "twice": False}
                for each in (step.step, crash, step.step)
            ],
        )
    assert [isinstance(answer, WorldModelError) for answer in answers] == [False, True, False]
