"""VGDL games written as Python programs: states, predictions, hostile programs, prompts, measures, the loop, the command."""

from __future__ import annotations

import functools
import json
import math
import re
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import vgdl
from tracks.worldmodels.common import Answers, facts, refusal, run, run_until_killed, sandbox
from vgdl.competition.cli import main
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.plan import AuthorEntry
from vgdl.competition.tracks.worldmodels.problem import Evaluation
from vgdl.competition.tracks.worldmodels.program import IsolatedProgram, TickInterface
from vgdl.competition.tracks.worldmodels.scripted import VGDL_FAULTS, fenced, prepared, standard
from vgdl.competition.tracks.worldmodels.search.judge import judge_predictions
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play, observe, record, record_many
from vgdl.competition.tracks.worldmodels.synthesis import Loop, Settings
from vgdl.competition.tracks.worldmodels.texts.plan import TextPlan
from vgdl.competition.tracks.worldmodels.texts.program_problem import ProgramProblem
from vgdl.competition.tracks.worldmodels.texts.states import described, frame_of, shortened
from vgdl.competition.tracks.worldmodels.texts.ticks import Tick, judge, log_scores, predict
from vgdl.text import describe

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux")

HEAD = """
import random
STEPS = {"LEFT": (-1, 0), "RIGHT": (1, 0), "UP": (0, -1), "DOWN": (0, 1), "NIL": (0, 0)}

def get_current_player(state):
    return -4 if state["is_over"] else -1 if "successors" in state else 0

def get_legal_actions(state):
    return list(range(len(state["successors"]))) if "successors" in state else list(state["actions"][0])

def after(state):
    return dict(state, tick=state["tick"] + 1, sprites=[dict(each) for each in state["sprites"]])

def shifted(state, step):
    avatar, (dx, dy), size = dict(state["avatars"][0]), STEPS[step], state["block_size"]
    avatar.update(column=avatar["column"] + dx, row=avatar["row"] + dy, x=avatar["x"] + dx * size, y=avatar["y"] + dy * size)
    return dict(after(state), avatars=[avatar])
"""
STILL = HEAD + "\ndef apply_action(state, action):\n    return after(state)\n"


@functools.cache
def _plays(ticks: int = 120) -> tuple[Play, ...]:
    return record_many(vgdl.load("sokoban"), [0, 1], ticks, seed=3, players=("yraid", "random"))


def sokoban(**options: Any) -> ProgramProblem:
    return ProgramProblem("sokoban", _plays(), True, sandbox=sandbox(), **options)


def shown(state: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """A program's state as it comes out of its process."""
    found: dict[str, Any] = json.loads(json.dumps(shortened({**state, **changed})))
    return found


# --------------------------------------------------------------------------------------------------------- states


@pytest.mark.parametrize("name", ["sokoban", "zelda", "aliens", "butterflies", "chase"])
def test_a_state_is_what_describe_shows_without_names(name: str) -> None:
    game = vgdl.load(name)
    draws = Random(5)
    state = game.start(0, seed=3)
    for _ in range(60):
        wanted = json.loads(json.dumps(describe(state)))
        for each in (*wanted["sprites"], *filter(None, wanted["avatars"])):
            del each["name"]
            for resource in each.get("resources", ()):
                del resource["name"]
        for avatar in filter(None, wanted["avatars"]):
            del avatar["in_front"]  # follows from the sprites
        assert described(observe(state)) == wanted
        if state.is_over:
            break
        state.advance(draws.choice(state.available_actions))


def test_an_observed_state_comes_back_as_it_was() -> None:
    for frame in record(vgdl.load("zelda"), 0, "champion", seed=3).frames[:-1]:  # in the last, the avatar has no place
        back = frame_of(shown(described(frame)), frame)
        assert np.array_equal(back.arrays, frame.arrays)
        facts = [(f.score, f.winner, f.is_over, f.tick, f.actions, f.world_dimension) for f in (back, frame)]
        assert facts[0] == facts[1]
        assert back.avatar is not None
        assert frame.avatar is not None
        assert back.avatar._replace(limit_health=0) == frame.avatar._replace(limit_health=0)


SPRITE = {"id": 1, "type": 3, "category": "STATIC", "x": 0, "y": 0, "column": 0, "row": 0}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"tick": "3"}, "tick is '3' instead of an integer"),
        ({"tick": True}, "tick is True"),
        ({"tick": 1 << 40}, "instead of an integer of"),
        ({"scores": []}, "scores is [] instead of a list with one item"),
        ({"scores": ["3"]}, "scores[0] is '3' instead of a number"),
        ({"winners": ["ME"]}, "winners[0] is 'ME' instead of one of"),
        ({"is_over": 1}, "is_over is 1 instead of True or False"),
        ({"columns": 99}, "columns is 99 instead of 13, as before"),
        ({"actions": [["FLY"]]}, "actions[0] is 'FLY' instead of one of"),
        ({"actions": [["LEFT"] * 100]}, "instead of a list of names of actions"),
        ({"avatars": [{}]}, "avatars[0] lacks the key 'id'"),
        ({"more": 1}, "the state has the key 'more', which observed ones have not"),
        ({"sprites": 3}, "sprites is 3 instead of a list"),
        ({"sprites": [3]}, "sprites[0] is 3 instead of a dictionary"),
        ({"sprites": [{"id": 1}]}, "sprites[0] lacks the key 'type'"),
        ({"sprites": [{**SPRITE, "x": 61}]}, "sprites[0].column is 0 instead of 1: x is 61, and a cell has 61 pixels"),
        ({"sprites": [{**SPRITE, "x": 0.0}]}, "sprites[0].x is 0.0 instead of an integer"),
        ({"sprites": [{**SPRITE, "x": 1 << 30}]}, "sprites[0].x is"),
        ({"sprites": [{**SPRITE, "type": -1}]}, "sprites[0].type is -1"),
        ({"sprites": [{**SPRITE, "category": "BOX"}]}, "sprites[0].category is 'BOX' instead of one of"),
        ({"sprites": [SPRITE, SPRITE]}, "sprites[1].id: 1 is there twice"),
    ],
)
def test_what_is_no_state_is_told_with_its_place(changed: dict[str, Any], told: str) -> None:
    frame = _plays()[0].frames[0]
    with pytest.raises(WorldModelError) as raised:
        frame_of(shown(described(frame), **changed), frame)
    assert raised.value.kind is Kind.CONTRACT
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [("orientation", 3), ("orientation", [1, None]), ("resources", {}), ("resources", [{"type": 3}]), ("speed", None),
     ("last_action", "FLY"), ("is_alive", 0), ("health", 1.5), ("row", 77)],
)  # fmt: skip
def test_what_is_no_avatar_is_told_too(key: str, value: object) -> None:
    frame = _plays()[0].frames[0]
    state = described(frame)
    state["avatars"][0][key] = value
    with pytest.raises(WorldModelError, match=key):
        frame_of(shown(state), frame)


@pytest.mark.parametrize("answer", [None, 3, "x", [], {}, {"sprites": None}])
def test_an_answer_that_is_no_state_at_all_is_an_error_of_the_program(answer: object) -> None:
    frame = _plays()[0].frames[0]
    with pytest.raises(WorldModelError):
        shortened(answer)
    with pytest.raises(WorldModelError):
        frame_of(answer, frame)


# ---------------------------------------------------------------------------------------------------- predictions


def predicted(source: str, ticks: int = 4, play: Play | None = None) -> list[Tick | WorldModelError]:
    chosen = play or _plays()[0]
    with IsolatedProgram(source, TickInterface(), sandbox()) as program:
        return predict(program, [(chosen, index) for index in range(ticks)])


def verdicts(source: str, ticks: int = 4) -> Evaluation:
    """The tests of the first ticks of a play."""
    play = _plays()[0]
    short = replace(play, frames=play.frames[: ticks + 1])
    return ProgramProblem("sokoban", [short], True, sandbox=sandbox()).evaluate(source)


def first_error(source: str) -> tuple[str, str]:
    evaluation = verdicts(source)
    verdict = evaluation.verdicts[evaluation.failures[0]]
    return verdict.kind, verdict.text


def test_the_right_program_passes_every_test_and_a_wrong_one_is_told_what_was_observed() -> None:
    assert sokoban().evaluate(prepared("sokoban")).is_solved
    evaluation = sokoban().evaluate(prepared("sokoban", "boxes in the way"))
    assert 0.3 < evaluation.heuristic < 0.98
    assert evaluation.accuracy("transition") == (round(evaluation.heuristic * 120), 120)
    text = evaluation.verdicts[evaluation.failures[0]].text
    assert "t5 at" in text
    assert "predicted unchanged" in text


@pytest.mark.parametrize("fault", VGDL_FAULTS["sokoban"])
def test_prepared_faults_change_the_program(fault: str) -> None:
    assert prepared("sokoban", fault) != prepared("sokoban")


def test_listed_successors_are_taken_whole_with_their_probabilities() -> None:
    lists = (
        HEAD + "def apply_action(state, action):\n"
        "    if 'successors' in state:\n"
        "        return state['successors'][action]\n"
        "    return dict(after(state), successors=[shifted(state, step) for step in STEPS])\n"
        "def get_chance_probabilities(state):\n"
        "    return [0.5, 0.25, 0.25, 0.0, 0.0]\n"
    )
    (tick,) = predicted(lists, 1)
    assert isinstance(tick, Tick)
    assert tick.has_chance
    assert tick.weights == (16.0, 8.0, 8.0)
    assert first_error(lists.replace("0.5,", "0.6,"))[0] == Kind.CONTRACT
    indices = 'list(range(len(state["successors"])))'
    kind, text = first_error(lists.replace(indices, "list(STEPS)"))
    assert kind == Kind.CONTRACT
    assert "indices" in text


def test_many_listed_successors_are_drawn() -> None:
    source = (
        HEAD + "def get_legal_actions(state):\n"
        "    return list(range(500)) if 'successors' in state else list(state['actions'][0])\n"
        "def apply_action(state, action):\n"
        "    if 'successors' not in state:\n"
        "        return dict(state, successors=[])\n"
        "    found = {key: value for key, value in state.items() if key != 'successors'}\n"
        "    return shifted(found, list(STEPS)[action % 5])\n"
    )
    (tick,) = predicted(source, 1)
    assert isinstance(tick, Tick)
    assert sum(tick.weights) == 32
    assert len(tick.frames) == 5


def test_samples_are_drawn_by_the_generator_that_is_given() -> None:
    body = "def sample_next(state, action, rng):\n    return shifted(state, rng.choice(list(STEPS)))\n"
    one, other = predicted(HEAD + body), predicted(HEAD + body)
    assert [(tick.weights, tick.has_chance) for tick in one if isinstance(tick, Tick)] == [
        (tick.weights, tick.has_chance) for tick in other if isinstance(tick, Tick)
    ]
    assert all(isinstance(tick, Tick) and sum(tick.weights) == 32 and len(tick.frames) > 2 for tick in one)


def test_chance_passes_if_what_was_observed_is_among_the_samples() -> None:
    """Each sprite's fate has to be in one of them; what none has is told."""
    problem, play = sokoban(), _plays()[0]
    index = next(k for k in range(play.ticks) if not np.array_equal(play.frames[k].arrays, play.frames[k + 1].arrays))
    before, after = play.frames[index : index + 2]
    stayed = replace(before, tick=after.tick, actions=after.actions)
    actions = described(before)["actions"][0]
    words = problem._words(play)
    right = Tick(actions, True, (stayed, after), (30.0, 2.0))
    assert judge(right, play, index, words).passed
    wrong = Tick(actions, True, (stayed, stayed), (30.0, 2.0))
    assert "all 2 sampled successors lack" in judge(wrong, play, index, words).text
    assert judge(Tick(["LEFT"], True, (after,), (32.0,)), play, index, words).text.startswith(
        "AssertionError: get_legal"
    )


def _moved(frame: Frame, row: int, **values: int) -> Frame:
    arrays = frame.arrays.copy()
    for name, value in values.items():
        arrays[name][row] = value
    return replace(frame, arrays=arrays)


def test_log_scores_have_add_one_smoothing() -> None:
    before = _plays()[0].frames[0]
    other = _moved(before, 0, x=61)
    tick = Tick([], True, (before, other), (24.0, 8.0))
    assert log_scores(tick, before, other) == [pytest.approx(math.log(9 / 34))]
    assert log_scores(tick, before, _moved(before, 0, x=122)) == [pytest.approx(math.log(1 / 35))]
    assert log_scores(Tick([], True, (before,), (32.0,)), before, before) == []
    born = replace(before, arrays=np.append(before.arrays, _moved(before, 0, id=999).arrays[:1]))
    assert log_scores(Tick([], True, (before,), (32.0,)), before, born) == [pytest.approx(math.log(1 / 34))]


# ----------------------------------------------------------------------------------------------- hostile programs

BODIES = {  # what apply_action does, and the kind of error that comes of it
    "an endless loop": ("    while True:\n        pass\n", Kind.TIMEOUT),
    "a list that grows": ("    x = []\n    while True:\n        x.append(' ' * 2**20)\n", Kind.MEMORY),
    "much output": ("    for _ in range(2**20):\n        print('x' * 1024)\n", Kind.OUTPUT),
    "a huge answer": ("    return dict(after(state), sprites=state['sprites'] * 1000)\n", Kind.OUTPUT),
    "a deep answer": ("    x = []\n    for _ in range(10000):\n        x = [x]\n    return x\n", Kind.NOT_JSON),
    "a set": ("    return dict(after(state), scores={1})\n", Kind.NOT_JSON),
    "not a number": ("    return dict(after(state), scores=[float('nan')])\n", Kind.NOT_JSON),
    "a changed argument": ("    state['tick'] += 1\n    return dict(state)\n", Kind.MUTATED_ARGUMENT),
    "an exception": ("    raise ValueError('no')\n", Kind.EXCEPTION),
    "the end of the process": ("    random._os._exit(0)\n", Kind.EXCEPTION),
    "a fork bomb": ("    while True:\n        random._os.fork()\n", Kind.EXCEPTION),
    "a socket": ("    __import__('socket').create_connection(('127.0.0.1', 9))\n", Kind.EXCEPTION),
    "no state": ("    return 3\n", Kind.CONTRACT),
    "wrong keys": ("    return {'tick': 3}\n", Kind.CONTRACT),
    "wrong types": ("    return dict(after(state), tick='3')\n", Kind.CONTRACT),
    "huge numbers": ("    return dict(after(state), tick=10**4000)\n", Kind.CONTRACT),
    "a sprite twice": ("    return dict(after(state), sprites=state['sprites'][:1] * 2)\n", Kind.CONTRACT),
    "an end that is none": ("    return dict(after(state), is_over=True, successors=[])\n", Kind.CONTRACT),
}


@pytest.mark.limits
@pytest.mark.parametrize("what", [pytest.param(what, marks=pytest.mark.sampled(4)) for what in BODIES])
def test_a_hostile_program_is_contained_and_its_failure_has_a_kind(what: str) -> None:
    body, kind = BODIES[what]
    found = first_error(f"{HEAD}def apply_action(state, action):\n{body}")
    assert found[0] == kind, found[1]
    assert len(found[1]) <= 4000


@pytest.mark.parametrize(
    ("source", "kind", "told"),
    [
        ("def apply_action(state, action)\n    pass\n", Kind.SYNTAX, "line 1"),
        ("import os\n" + STILL, Kind.IMPORT, "os may not be imported"),
        (HEAD, Kind.MISSING, "does not define apply_action or sample_next"),
        (STILL.replace("get_current_player", "current_player"), Kind.MISSING, "get_current_player"),
        (STILL.replace("-4 if", "7 if"), "", "predicted unchanged"),
        (STILL.replace("else 0\n", "else 1\n"), Kind.CONTRACT, "1 instead of 0"),
        (STILL.replace('list(state["actions"][0])', "[1, {}]"), Kind.CONTRACT, "is not a list of strings"),
        (STILL.replace('list(state["actions"][0])', "['LEFT']"), "", "missing"),
        (STILL.replace("+ 1,", "+ random.randrange(9**9),"), "", "tick: observed"),
    ],
)
def test_what_is_no_program_or_contradicts_itself_is_told(source: str, kind: str, told: str) -> None:
    found = first_error(source)
    assert (found[0], told in found[1]) == (kind, True), found


@pytest.mark.limits
def test_a_program_that_loops_while_it_samples_ends_and_so_does_one_that_is_slow() -> None:
    loops = HEAD + "def sample_next(state, action, rng):\n    while True:\n        pass\n"
    play = _plays()[0]
    with IsolatedProgram(loops, TickInterface(), sandbox(), seconds=0.2) as program:
        endless = predict(program, [(play, index) for index in range(8)])
    assert [each.kind for each in endless if isinstance(each, WorldModelError)] == [Kind.TIMEOUT] * 8
    with IsolatedProgram(STILL, TickInterface(), sandbox()) as program:
        found = predict(program, [(play, index) for index in range(12)], most_s=0.0)
    late = [each for each in found if isinstance(each, WorldModelError)]
    assert late
    assert all(error.kind is Kind.TIMEOUT and "not asked" in error.message for error in late)


# ------------------------------------------------------------------------------------------- prompts, measures, loop


def test_prompts_show_what_was_observed_and_name_neither_game_nor_types() -> None:
    problem = sokoban()
    prompt = problem.first_prompt(Random(0))
    for part in ("# level 0", "t5 is type 5", '"block_size": 61', "sample_next", "action:", "the whole program"):
        assert part in prompt
    assert "$" not in prompt
    assert "a = t3\n" in prompt
    assert "aaaaaaaaaaaaa\naaa...a...aaa\n" in prompt
    for name in ("sokoban", "brick", "hole", "box", "keeper"):
        assert not re.search(rf"\b{name}\b", prompt, re.IGNORECASE)
    named = sokoban(names=dict(enumerate(vgdl.load("sokoban").types))).first_prompt(Random(0))
    assert "keeper is type 6" in named
    source = prepared("sokoban", "boxes in the way")
    evaluation = problem.evaluate(source)
    again = problem.refine_prompt(source, evaluation, Random(1))
    assert f"```python\n{source.strip()}\n```" in again
    assert "# t5 at" in again
    assert "This test fails" in problem.complaint(evaluation)
    assert "```python" in problem.complaint(None)


def test_a_game_of_chance_has_fewer_tests_those_with_events_among_them() -> None:
    whole = ProgramProblem("sokoban", _plays())
    few = ProgramProblem("sokoban", _plays(), most_tests=20)
    assert (len(whole.kinds), len(few.kinds)) == (120, 20)
    lively = [test for test in whole._tests if whole._is_lively(*test)]
    assert len(set(lively) & set(few._tests)) >= min(10, len(lively))


def test_measures_are_those_of_learnt_rules() -> None:
    game = vgdl.load("sokoban")
    held_out = record_many(game, [3, 4], 60, seed=9, players=("random", "yraid"))
    right = sokoban().measures(prepared("sokoban"), game, held_out, seed=1)
    assert (right["changed_f1"], right["identical"], right["true_f1_chance"], right["failed"]) == (1.0, 1.0, 1.0, 0)
    assert right["tested"] == 60
    assert right["log_score"] is None
    still = sokoban().measures(STILL, game, held_out, seed=1)
    assert still["changed_f1"] == 0.0
    assert 0.0 < still["identical"] < 1.0
    broken = sokoban().measures("x = 1\n", game, held_out, seed=1)
    assert (broken["failed"], broken["identical"], broken["changed_f1"]) == (60, 0.0, 0.0)


def test_a_prediction_of_chance_counts_where_one_future_has_it() -> None:
    play = _plays()[0]
    pairs = [(play, k, (play.frames[k], play.frames[k + 1])) for k in range(play.ticks)]
    found = judge_predictions(pairs)
    assert found.changed_f1 == 0.0
    assert found.changed_f1_chance == 1.0


@pytest.mark.one_case
@pytest.mark.parametrize("method", ["tree", "conversation"])
def test_the_scripted_author_repairs_its_program(method: str) -> None:
    author = Answers(standard()["sokoban python"], game="sokoban")
    found = Loop(sokoban(), author, Settings(method=method), 0).run()
    assert (found.stopped, len(found.calls)) == ("solved", 5)
    assert [[each.error for each in call.candidates] for call in found.calls] == [[], ["syntax"], [""], [""], [""]]
    assert found.best is not None
    assert found.best.source == prepared("sokoban")


# ---------------------------------------------------------------------------------------------------- the command

SHORT = ["--ticks", "160", "--test-ticks", "40", "--seed", "3", "--quiet"]
PYTHON = ["--games", "sokoban", "--author", "scripted", "--language", "python"]


@pytest.mark.costly
def test_the_command_leads_to_tables_json_csv_and_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2", reason='needs: pip install "vgdl[report]"')
    store, out, table = tmp_path / "s.db", tmp_path / "out.json", tmp_path / "out.csv"
    assert run(*PYTHON, *SHORT, "--store", str(store), "--json", str(out), "--csv", str(table)) == 0
    printed = capsys.readouterr().out
    assert "Programs and the share of their tests that they pass" in printed
    assert "of 40 predictions, 0 failed, 0 had wrong legal actions" in printed
    assert max(map(len, printed.splitlines())) <= 80
    (program,) = facts(out)["programs"]
    assert (program["solved"], len(program["calls"]), program["measures"]["changed_f1"]) == (True, 5, 1.0)
    assert "def apply_action" in program["program"]
    assert facts(out)["plan"]["language"] == "python"
    assert table.read_text().splitlines()[1].startswith("sokoban,1,1.0,5,")
    assert main(["standings", str(store)]) == 0
    assert "sokoban" in capsys.readouterr().out
    assert main(["report", str(store), "--out", str(tmp_path / "site")]) == 0
    assert "as a Python program" in (tmp_path / "site" / "index.html").read_text()
    assert "def apply_action" in (tmp_path / "site" / "programs" / "0.html").read_text()


def test_named_types_and_scripts_of_ones_own(tmp_path: Path) -> None:
    script, out = tmp_path / "s.json", tmp_path / "out.json"
    script.write_text(json.dumps({"sokoban": [fenced(STILL)]}))
    words = ["--games", "sokoban", "--language", "python", "--named", "--max-calls", "2", *SHORT]
    assert run(*words, "--author", f"scripted:{script}", "--json", str(out)) == 0
    (program,) = facts(out)["programs"]
    assert program["stopped"] == "max_calls"
    assert "keeper at" in program["failures"][0]["text"]


@pytest.mark.costly
def test_a_killed_run_goes_on_and_ends_as_if_it_had_not_been_killed(tmp_path: Path) -> None:
    store, out, whole = tmp_path / "store.db", tmp_path / "out.json", tmp_path / "whole.json"
    words = [*PYTHON, *SHORT, "--syntheses", "2"]
    run_until_killed(store, 3, *words)
    assert run("--resume", str(store), "--quiet", "--json", str(out)) == 0
    assert run(*words, "--json", str(whole)) == 0
    assert facts(out)["programs"] == facts(whole)["programs"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--games", "tic_tac_toe"], "--language is for VGDL games"),
        ([], "--language is for VGDL games"),
        (["--games", "sokoban", "--author", "search"], "--language does not go with the author search"),
        (["--games", "sokoban", "--start", "search"], "the search writes VGDL text"),
        (["--games", "sokoban", "--matches", "1"], "learnt programs are measured, not played"),
        (["--games", "sokoban", "--decks", "closed"], "--decks does not go with VGDL games"),
        (["--games", "zelda"], "there is no script for zelda"),
        (["--games", "tandem"], "games for one player can be learnt"),
    ],
)
def test_options_that_do_not_go_together_are_explained_in_two_lines(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refusal(*words, "--language", "python", "--quiet", "--ticks", "10") in (1, 2)
    lines = capsys.readouterr().err.splitlines()
    assert told in " ".join(lines)
    assert len(lines) <= 2


def test_the_language_is_kept_and_stores_without_one_hold_vgdl_text() -> None:
    plan = TextPlan(("sokoban",), AuthorEntry.of("scripted"), 5, plays=0, language="python")
    assert TextPlan.from_facts(plan.facts()) == plan
    older = {name: value for name, value in plan.facts().items() if name != "language"}
    assert TextPlan.from_facts(older).language == "vgdl"
