"""Results of plays: plain records that are stored, ranked and written to files."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Outcome(enum.StrEnum):
    """How a play ended for a player."""

    WON = "won"
    LOST = "lost"
    NO_WINNER = "no winner"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """The result of one player in a play.

    The budgets used are in the unit of the rules: milliseconds, or calls of the forward model.
    """

    controller: str  #: its name in rankings
    outcome: Outcome
    score: float
    cause: str = ""  #: why it was disqualified
    details: str = ""  #: the traceback, or other details of the cause
    late_answers: int = 0  #: late answers, which were replaced by NIL
    construction_used: float = 0.0
    action_used_mean: float = 0.0
    action_used_max: float = 0.0


@dataclass(frozen=True, slots=True)
class PlayResult:
    """One play: a game and level with everything needed to repeat it, and the result of each player."""

    game: str
    level: int
    repeat: int
    seed: int  #: of the real game's generator
    stirring: str  #: key that the generator is stirred with, see ``vgdl.replay.stir``; empty for a plain generator
    ticks: int  #: tick of the last cycle
    players: tuple[PlayerResult, ...]
    game_error: str = ""  #: the fatal error of the game that ended the play, if any
