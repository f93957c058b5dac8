"""Runs of learners in isolated processes, for the tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tracks.learning.common import course
from vgdl.competition.agents.isolation import Restrictions, Sandbox
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.view import view
from vgdl.competition.tracks.learning.adapter import service
from vgdl.competition.tracks.learning.learners import LEARNERS
from vgdl.competition.tracks.learning.lesson import Lesson
from vgdl.competition.tracks.learning.local import LocalPlayer
from vgdl.competition.tracks.learning.players import ProcessPlayer
from vgdl.competition.tracks.learning.rows import PlayRow, RunKey
from vgdl.competition.tracks.learning.rules import LearningRules

CHEATS = Path(__file__).with_name("cheats.py")

PATIENT: dict[str, Any] = {
    "action_ms": 20_000.0,
    "disqualification_ms": 30_000.0,
    "construction_ms": 60_000.0,
    "init_ms": 60_000.0,
}
"""Limits that no honest agent exceeds on any machine."""


def sandbox(name: str, rules: LearningRules) -> Sandbox:
    """The sandbox of a learner."""
    entry = LEARNERS.find(name)
    files = [Path(entry.location)] if entry.location.endswith(".py") else []
    return working_sandbox([entry], service(rules), Restrictions(), view(files), "auto")


def run(name: str, folder: Path, rules: LearningRules, seed: int = 3) -> tuple[Lesson, list[PlayRow]]:
    """A run of a learner in a process of its own; times are left out of the rows."""
    entry = LEARNERS.find(name)
    process = AgentProcess(entry, service(rules), sandbox(name, rules), setup={"seed": seed})
    with ProcessPlayer(process, rules, lot=11) as player:
        lesson = Lesson(RunKey("agent", "corridor", 0), course(folder, rules), rules, player, 5)
        return lesson, [replace(row, used_ms=0.0) for row in lesson.plays()]


def run_here(name: str, folder: Path, rules: LearningRules, seed: int = 3) -> tuple[Lesson, list[PlayRow]]:
    """The same in this process."""
    with LocalPlayer(LEARNERS.find(name), rules, lot=11, seed=seed) as player:
        lesson = Lesson(RunKey("agent", "corridor", 0), course(folder, rules), rules, player, 5)
        return lesson, [replace(row, used_ms=0.0) for row in lesson.plays()]
