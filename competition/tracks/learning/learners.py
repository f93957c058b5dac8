"""Finding learners by name: bundled ones, those of installed packages, and classes in a file."""

from __future__ import annotations

from vgdl.competition.tracks.learning.learner import Learner
from vgdl.registry import Entry, Registry

_AGENTS = "vgdl.competition.tracks.learning.agents"

BUNDLED = (
    Entry("random", "random", f"{_AGENTS}.uniform", "Random"),
    Entry("qlearning", "qlearning", f"{_AGENTS}.tabular", "QLearning"),
    Entry("explorer", "explorer", f"{_AGENTS}.tabular", "Explorer"),
    Entry("dqn", "dqn", f"{_AGENTS}.dqn", "DQN"),
    Entry("ppo", "ppo", f"{_AGENTS}.ppo", "PPO"),
    Entry("inducer", "inducer", f"{_AGENTS}.inducer", "Inducer"),
)

LEARNERS: Registry[Learner] = Registry(
    "learner",
    BUNDLED,
    base=Learner,
    methods=("act(self, observation, timer)",),
    group="vgdl.learners",
    example="my_agent.py:MyLearner",
    about={
        "random": "uniform over the available actions",
        "qlearning": "a table of values by the hash of the observation",
        "explorer": "the action tried least often in this observation",
        "dqn": "a network of action values (extra learn)",
        "ppo": "a network of a policy (extra learn)",
        "inducer": "learns the rules of the game, and plans with them",
    },
)
"""All learners; a package announces its own in the entry-point group ``vgdl.learners``."""
