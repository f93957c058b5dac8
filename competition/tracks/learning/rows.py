"""What is recorded of a run: a row per play, and a row per run."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Phase(enum.StrEnum):
    """The part of a run to which a play belongs."""

    TRAINING = "training"
    PROBE = "probe"  #: a validation play of a copy of the agent, in the middle of its training
    VALIDATION = "validation"
    PLANNER = "planner"  #: a play of a controller with the forward model, for comparison


class Ending(enum.StrEnum):
    """How a play ended."""

    WON = "won"
    LOST = "lost"
    NO_WINNER = "no winner"  #: by the game's rules
    CUT = "cut off"  #: by the longest play or the end of the learning budget
    DISQUALIFIED = "disqualified"


DISQUALIFIED_SCORE = -1000.0
"""Score of a play that a disqualified agent did not finish, as in the planning track."""


@dataclass(frozen=True, slots=True)
class RunKey:
    """A run: one agent that learns one game, for the n-th time."""

    agent: str
    game: str
    repeat: int


@dataclass(frozen=True, slots=True)
class PlayRow:
    """A play."""

    agent: str
    game: str
    repeat: int
    phase: Phase
    number: int  #: among the plays of its phase in the run, from 0
    level: int
    steps: int  #: the agent's experience at the start of the play: ticks of training
    ticks: int  #: ticks played
    ending: Ending
    score: float
    late: int  #: answers that were replaced by NIL
    used_ms: float  #: the agent's time in the play, milliseconds

    @property
    def is_won(self) -> bool:
        """Whether the agent won."""
        return self.ending is Ending.WON


@dataclass(frozen=True, slots=True)
class RunRow:
    """A finished run."""

    agent: str
    game: str
    repeat: int
    seed: int  #: of the agent
    steps: int  #: ticks of training
    training_ms: float  #: the agent's time in training plays
    late: int  #: answers that were replaced by NIL, in training and validation
    cause: str  #: why the agent was disqualified; empty if it was not
    details: str  #: its traceback or the like
    probe_failures: int  #: probes that a copy of the agent did not survive
    isolation: str  #: level of isolation
    seconds: float  #: wall time of the run
