"""Training loops of other libraries as agents, and the bundled agents with networks; skipped without the libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracks.learning.processes import PATIENT, run, run_here
from vgdl.competition.tracks.learning.rows import Ending, Phase
from vgdl.competition.tracks.learning.rules import LearningRules

pytest.importorskip("torch")

EXAMPLES = Path(__file__).parents[3] / "examples"

LOOPS = """
from vgdl.competition.tracks.learning.gym_learner import GymnasiumLearner

class Right(GymnasiumLearner):
    '''Goes right, and checks what the environment says.'''
    def train(self, env):
        assert env.action_space.n == len(self.actions)
        right = [action.name for action in self.actions].index("RIGHT")
        self.plays = 0
        while True:
            observation, info = env.reset()
            assert env.observation_space.contains(observation)
            assert info["observation"].tick == 0
            total, over = 0.0, False
            while not over:
                observation, reward, terminated, truncated, info = env.step(right)
                total, over = total + reward, terminated or truncated
            if terminated:
                assert total == 11.0, total
            self.plays += 1
    def play(self, observation):
        return [action.name for action in self.actions].index("RIGHT" if self.plays >= 4 else "LEFT")

class Quits(Right):
    '''Ends its training in the second play.'''
    def train(self, env):
        self.plays = 4
        env.reset()
        while not any(env.step(0)[2:4]):
            pass

class Fails(Right):
    '''Raises an exception in its loop.'''
    def train(self, env):
        env.reset()
        raise ZeroDivisionError("in the loop")

class GivesUp(Right):
    '''Resets a play that goes on.'''
    def train(self, env):
        env.reset()
        env.step(1)
        env.reset()
"""


@pytest.fixture
def loops(tmp_path: Path) -> Path:
    """A file with training loops."""
    pytest.importorskip("gymnasium")
    path = tmp_path / "loops.py"
    path.write_text(LOOPS)
    return path


def test_a_loop_sees_an_environment_and_its_copies_play_without_it(tmp_path: Path, loops: Path) -> None:
    rules = LearningRules(steps=1_010, rounds=1, probes=1, longest=30, **PATIENT)
    lesson, rows = run(f"{loops}:Right", tmp_path, rules)
    assert lesson.failure is None, lesson.failure
    assert lesson.probe_failures == 0
    assert lesson.steps == 1_010
    judged = [row for row in rows if row.phase is not Phase.TRAINING]
    assert {row.phase for row in judged} == {Phase.PROBE, Phase.VALIDATION}
    assert {row.ending for row in judged} == {Ending.WON}


def test_a_loop_that_returns_ends_the_training(tmp_path: Path, loops: Path) -> None:
    lesson, rows = run_here(f"{loops}:Quits", tmp_path, LearningRules(steps=500, rounds=1, probes=0, longest=10))
    assert lesson.failure is None, lesson.failure
    assert lesson.steps == 10 + 3 + 2  # a play that is cut off, and then the other training levels once, by `play`
    assert {row.ending for row in rows if row.phase is Phase.VALIDATION} == {Ending.WON}


@pytest.mark.parametrize(("name", "words"), [("Fails", "in the loop"), ("GivesUp", "not ended yet")])
def test_an_exception_of_a_loop_is_the_agents(tmp_path: Path, loops: Path, name: str, words: str) -> None:
    lesson, _ = run_here(f"{loops}:{name}", tmp_path, LearningRules(steps=100, rounds=1, probes=0, longest=10))
    assert lesson.failure is not None
    assert words in lesson.failure.details


@pytest.mark.costly
@pytest.mark.parametrize("name", ["learner_cleanrl.py:ActorCritic", "learner_sb3.py:StablePPO"])
def test_examples(tmp_path: Path, name: str) -> None:
    pytest.importorskip("gymnasium")
    if "sb3" in name:
        pytest.importorskip("stable_baselines3")
    rules = LearningRules(steps=1_300, rounds=1, probes=1, longest=60, **PATIENT)
    lesson, rows = run(f"{EXAMPLES / name}", tmp_path, rules)
    assert lesson.failure is None, lesson.failure
    assert lesson.probe_failures == 0
    assert lesson.steps == 1_300
    assert len([row for row in rows if row.phase is Phase.VALIDATION]) == 2


@pytest.mark.costly
@pytest.mark.parametrize("name", ["dqn", "ppo"])
def test_networks_learn_the_corridor(tmp_path: Path, name: str) -> None:
    rules = LearningRules(steps=4_000, rounds=5, probes=0, longest=60)
    lesson, rows = run_here(name, tmp_path, rules)
    assert lesson.failure is None, lesson.failure
    training = [row for row in rows if row.phase is Phase.TRAINING]
    early, late = training[:30], training[-30:]
    assert sum(row.is_won for row in late) > sum(row.is_won for row in early)


@pytest.mark.costly
@pytest.mark.parametrize("name", ["dqn", "ppo"])
def test_networks_are_repeatable_in_processes_and_can_be_probed(tmp_path: Path, name: str) -> None:
    rules = LearningRules(steps=1_100, rounds=1, probes=1, longest=60, **PATIENT)
    runs = [run(name, tmp_path, rules) for _ in range(2)]
    assert runs[0][0].failure is None, runs[0][0].failure
    assert runs[0][0].probe_failures == 0
    assert runs[0][1] == runs[1][1]
