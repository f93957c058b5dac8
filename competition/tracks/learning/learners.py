"""Finding learners by name: bundled ones, those of installed packages, and classes in a file."""

from __future__ import annotations

from vgdl.controllers.registry import Entry

_AGENTS = "vgdl.competition.tracks.learning.agents"

BUNDLED = (
    Entry("random", "random", f"{_AGENTS}.uniform", "Random"),
    Entry("qlearning", "qlearning", f"{_AGENTS}.tabular", "QLearning"),
    Entry("explorer", "explorer", f"{_AGENTS}.tabular", "Explorer"),
    Entry("dqn", "dqn", f"{_AGENTS}.dqn", "DQN"),
    Entry("ppo", "ppo", f"{_AGENTS}.ppo", "PPO"),
    Entry("inducer", "inducer", f"{_AGENTS}.inducer", "Inducer"),
)
