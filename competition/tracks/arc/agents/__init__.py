"""Agents that play ARC-AGI-3 games: their interface, the bundled ones, and a registry by name."""

from vgdl.competition.tracks.arc.agents.base import Act, FrameAgent, Task
from vgdl.competition.tracks.arc.agents.registry import AGENTS, create, maker

__all__ = ["AGENTS", "Act", "FrameAgent", "Task", "create", "maker"]
