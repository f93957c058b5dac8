"""What the documentation says that the bundled agents learn of Aliens, measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import vgdl
from vgdl.competition.tracks.learning.learners import LEARNERS
from vgdl.competition.tracks.learning.lesson import Lesson
from vgdl.competition.tracks.learning.local import LocalPlayer
from vgdl.competition.tracks.learning.rows import Phase, RunKey
from vgdl.competition.tracks.learning.rules import LearningRules
from vgdl.competition.tracks.learning.views import Course

PAGE = Path(__file__).parents[3] / "docs" / "learning-track.md"
ROW = re.compile(r"^\| `(\w+)` \| ([\d,]+) \| [^|]+ \| ([\d.]+) \|", re.MULTILINE)
NEURAL = {"dqn", "ppo"}


def claims() -> list[tuple[str, int, float]]:
    """Agents, budgets and the scores that they exceed, from the table of the page."""
    section = PAGE.read_text(encoding="utf-8").partition("### What they learn of Aliens\n")[2].partition("\n## ")[0]
    return [(name, int(steps.replace(",", "")), float(score)) for name, steps, score in ROW.findall(section)]


def score(name: str, steps: int, seed: int) -> float:
    """The mean score of an agent on the validation levels of Aliens."""
    rules = LearningRules(steps=steps, probes=0)
    with LocalPlayer(LEARNERS.find(name), rules, lot=seed, seed=seed) as player:
        lesson = Lesson(RunKey(name, "aliens", 0), Course.of(vgdl.load("aliens"), rules), rules, player, secret=seed)
        scores = [row.score for row in lesson.plays() if row.phase is Phase.VALIDATION]
    assert lesson.failure is None, lesson.failure
    return sum(scores) / len(scores)


def test_the_page_has_a_claim_for_every_agent_that_learns() -> None:
    assert {name for name, _, _ in claims()} == {"qlearning", *NEURAL}


@pytest.mark.costly
@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim[0])
def test_agents_learn_aliens(claim: tuple[str, int, float]) -> None:
    name, steps, least = claim
    if name in NEURAL:
        pytest.importorskip("torch", reason='needs: pip install "vgdl[learn]"')
    assert score(name, steps, seed=7) > least
    assert score("random", 100, seed=7) < least
