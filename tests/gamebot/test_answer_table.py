"""Answers in the forms that models write, good and bad, with what they mean: a table in ``answers.jsonl``.

Each line has a game, an answer, the results that must be read by subproblem and the move, in the game's notation, null
for a format error; ``strict`` has the results of ``--reading strict`` where they differ.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vgdl.competition.tracks.gamebot.grammars import Mode
from vgdl.competition.tracks.gamebot.task import Task
from vgdl.competition.tracks.gamebot.tasks import TASKS

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("answers.jsonl").read_text(encoding="utf-8").splitlines()
]  # fmt: skip
LOADED: dict[str, Task] = {}


def task(name: str) -> Task:
    return LOADED.setdefault(name, TASKS[name]())


def understood(case: dict[str, Any], mode: Mode) -> tuple[dict[str, str], str | None]:
    """What is read of a case, in the game's notation."""
    game = task(case["game"])
    questions = {each.number: each for each in game.subproblems}
    found = game.read(case["text"], mode)
    results = {str(number): shown(questions[number].written(value)) for number, value in found.results.items()}
    return results, None if found.move is None else game.written(found.move)


def shown(text: str) -> str:
    """Capital letters for the words of Pong, which are read in lower case."""
    return text.title() if text.islower() and text != "none" else text


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['game']}-{case['text'][:50]!r}")
def test_an_answer_means_what_its_writer_meant(case: dict[str, Any]) -> None:
    assert understood(case, Mode.PAPER) == (case["results"], case["move"])
    assert understood(case, Mode.STRICT) == (case.get("strict", case["results"]), case["move"])


def test_the_table_has_good_and_bad_answers_of_every_game() -> None:
    assert len(CASES) >= 300
    for name in TASKS:
        own = [case for case in CASES if case["game"] == name]
        assert any(case["results"] or case["move"] for case in own)
        assert any(not case["results"] and case["move"] is None for case in own)
