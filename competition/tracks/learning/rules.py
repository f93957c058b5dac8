"""The rules of the learning track as data: levels, budgets, limits (learning, 2)."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from vgdl.competition.agents.service import Clock, Patience
from vgdl.competition.errors import CompetitionError

MOST_STEPS = 100_000_000
"""Largest learning budget in steps."""

MOST_VALIDATION_PLAYS = 10_000
"""Largest number of validation plays of a run."""


class LearningError(CompetitionError):
    """A competition of learners cannot be held as described; the message says why."""


class Profile(enum.StrEnum):
    """What limits learning."""

    STEPS = "steps"  #: ticks of the game: repeatable, independent of the machine
    TIME = "time"  #: the agent's own time


@dataclass(frozen=True, slots=True)
class LearningRules:
    """All settings of a run that are not the agent, the game or the seed. They are part of every result.

    Times are measured with ``clock`` in milliseconds. The defaults of training and validation levels and of all limits
    but ``result_ms`` are those of the reference (learning, 2); ``result`` is where agents may learn at length.
    """

    profile: Profile = Profile.STEPS
    steps: int = 100_000  #: learning budget in ticks; for `Profile.STEPS`
    seconds: float = 300.0  #: learning budget of agent time; for `Profile.TIME`
    training: tuple[int, ...] = (0, 1, 2)  #: numbers of the training levels
    validation: tuple[int, ...] = (3, 4)  #: numbers of the validation levels
    rounds: int = 10  #: how often all validation levels are played
    longest: int = 1_000  #: ticks after which a play is ended
    frozen: bool = False  #: whether every validation play starts from the agent as it was after training
    probes: int = 3  #: plays of each validation level in a probe; 0: no probes
    clock: Clock = Clock.CPU
    construction_ms: float = 1_000.0
    init_ms: float = 1_000.0
    action_ms: float = 40.0  #: above it, the answer is replaced by NIL
    disqualification_ms: float = 50.0  #: above it, the agent is disqualified
    result_ms: float = 60_000.0  #: for `Profile.STEPS`; with `Profile.TIME`, what is left of the budget, at least 1 s
    import_s: float = 120.0  #: seconds for the import of the agent's code, which is not charged

    def __post_init__(self) -> None:
        if self.clock is Clock.CALLS:
            raise LearningError(
                "learners have no forward model whose calls could be counted: use the clock cpu or wall"
            )
        if not 1 <= self.steps <= MOST_STEPS:
            raise LearningError(f"a learning budget has 1 to {MOST_STEPS:,} steps, not {self.steps:,}")
        if not self.training or not self.validation:
            raise LearningError("a run needs at least one training level and one validation level")
        if len({*self.training, *self.validation}) < len(self.training) + len(self.validation):
            raise LearningError("a level can be listed once, either for training or for validation")
        if min(*self.training, *self.validation) < 0:
            raise LearningError("numbers of levels start at 0")
        if not 1 <= self.rounds * len(self.validation) <= MOST_VALIDATION_PLAYS:
            raise LearningError(f"a run has 1 to {MOST_VALIDATION_PLAYS:,} validation plays")
        if self.probes < 0 or self.longest < 1:
            raise LearningError("plays last at least one tick, and the number of plays in a probe is not negative")
        times = (self.seconds, self.construction_ms, self.init_ms, self.action_ms, self.result_ms, self.import_s)
        if not all(0 < time < float("inf") for time in times):
            raise LearningError("times must be positive and finite")
        if not self.action_ms <= self.disqualification_ms < float("inf"):
            raise LearningError("the limit that disqualifies must not be lower than that of an action")

    @property
    def patience(self) -> Patience:
        """How long to wait for answers."""
        return Patience(factor=3.0, extra_s=2.0)


FIRST_MARK = 1_000
"""Experience in steps at which an agent is probed for the first time."""


def next_mark(steps: int) -> int:
    """The next experience at which an agent is probed: 1,000, 2,000, 5,000, 10,000 ..., more than ``steps``."""
    power = FIRST_MARK
    while True:
        for factor in (1, 2, 5):
            if factor * power > steps:
                return factor * power
        power *= 10
