"""What a competition leaves behind: plain records of its plays, and the JSON file they are written to."""

from __future__ import annotations

import enum
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import vgdl
from vgdl.competition.protocol import Protocol
from vgdl.competition.scoring import Standing

FORMAT = 1


class Outcome(enum.StrEnum):
    """How a play ended for a player."""

    WON = "won"
    LOST = "lost"
    NO_WINNER = "no winner"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """What became of one player in a play.

    The budgets used are in the unit of the protocol: milliseconds, or calls of the forward model.
    """

    controller: str  #: its name in rankings
    outcome: Outcome
    score: float
    cause: str = ""  #: why it was disqualified
    details: str = ""  #: the traceback, or what else is known of the cause
    late_answers: int = 0  #: answers that were replaced by NIL for being late
    construction_used: float = 0.0
    action_used_mean: float = 0.0
    action_used_max: float = 0.0


@dataclass(frozen=True, slots=True)
class PlayResult:
    """One play: a game and level with everything needed to repeat it, and what became of each player."""

    game: str
    level: int
    repeat: int
    seed: int  #: of the real game's generator
    ticks: int  #: tick of the last cycle
    players: tuple[PlayerResult, ...]
    game_error: str = ""  #: the game's own fatal error that ended the play, if any


@dataclass(frozen=True, slots=True)
class Conditions:
    """Everything that the plays of a competition depend on."""

    protocol: Protocol
    secret: int
    set_name: str
    boards: Mapping[vgdl.Game, Mapping[int, vgdl.Board]]  #: of the levels played, by number


def summary(plays: Sequence[PlayResult], ranking: Sequence[Standing], conditions: Conditions) -> dict[str, Any]:
    """Everything known of a competition, as JSON can hold it.

    ``plays`` and ``ranking`` depend on nothing but the facts beside them, except that under a clock the times vary.
    """
    protocol = conditions.protocol
    return {
        "format": FORMAT,
        "protocol": {**asdict(protocol), "limits": asdict(protocol.limits), "unit": protocol.unit},
        "seed": str(conditions.secret),  # 128 bits: beyond the numbers that many readers of JSON keep exact
        "set": conditions.set_name,
        "games": [
            {
                "name": game.name,
                "sha256": game.digest,
                "levels": {level: board.digest for level, board in boards.items()},
            }
            for game, boards in conditions.boards.items()
        ],
        "versions": versions(),
        "machine": {"system": platform.platform(), "processor": platform.machine()},
        "plays": [asdict(play) for play in plays],
        "ranking": [asdict(standing) for standing in ranking],
    }


def versions() -> dict[str, str]:
    """Versions of what the results depend on."""
    implementation = sys.implementation.name
    return {"vgdl": vgdl.__version__, "python": platform.python_version(), "implementation": implementation}


def write_json(path: Path, facts: dict[str, Any]) -> None:
    """Write the facts to a file, replacing it only once they are complete."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
