"""What a competition leaves behind: plain records of its plays, and the JSON file they are written to."""

from __future__ import annotations

import csv
import enum
import json
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

import vgdl
from vgdl.competition.contest.plan import Plan
from vgdl.competition.results.scoring import GameStanding, PlayScore, Standing, rank_all, rank_game

FORMAT = 2


class Outcome(enum.StrEnum):
    """How a play ended for a player."""

    WON = "won"
    LOST = "lost"
    NO_WINNER = "no winner"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """What became of one player in a play.

    The budgets used are in the unit of the rules: milliseconds, or calls of the forward model.
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


def summary(plan: Plan, games: Sequence[dict[str, Any]], plays: Sequence[PlayResult]) -> dict[str, Any]:
    """Everything known of a competition, as JSON can hold it.

    It depends on nothing but the facts in it, except that under a clock the times vary.
    """
    rules = plan.rules
    standings = rank(plays)
    return {
        "format": FORMAT,
        **plan.facts(),
        "rules": {**asdict(rules), "limits": asdict(rules.limits), "unit": rules.unit},
        "games": list(games),
        "versions": versions(),
        "machine": machine(),
        "plays": [asdict(play) for play in plays],
        "standings": {game: [asdict(row) for row in rows] for game, rows in standings.games.items()},
        "ranking": [asdict(standing) for standing in standings.ranking],
    }


@dataclass(frozen=True, slots=True)
class Standings:
    """What a list of plays comes to."""

    games: dict[str, list[GameStanding]]  #: in the order in which they were first played
    ranking: list[Standing]


def rank(plays: Iterable[PlayResult]) -> Standings:
    """Rank the players of some plays, game by game and over all."""
    by_game: dict[str, list[PlayScore]] = {}
    for play in plays:
        for player in play.players:
            won = player.outcome is Outcome.WON
            score = PlayScore(player.controller, play.game, won, player.score, play.ticks)
            by_game.setdefault(play.game, []).append(score)
    games = {game: rank_game(scores) for game, scores in by_game.items()}
    return Standings(games, rank_all(games))


def machine() -> dict[str, Any]:
    """Facts of the machine that results may depend on."""
    return {
        "system": platform.platform(),
        "processor": _processor() or platform.machine(),
        "cores": os.cpu_count(),
        "host": platform.node(),
    }


def _processor() -> str:
    """The model of the processor, where Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def versions() -> dict[str, str]:
    """Versions of what the results depend on."""
    implementation = sys.implementation.name
    return {
        "vgdl": vgdl.__version__,
        "python": platform.python_version(),
        "implementation": implementation,
        "numpy": np.__version__,
    }


def write_json(path: Path, facts: dict[str, Any]) -> None:
    """Write the facts to a file, replacing it only once they are complete."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


def write_csv(path: Path, plays: Sequence[PlayResult]) -> None:
    """Write a row per play and player to a file, replacing it only once they are complete."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["game", "level", "repeat", "seed", "ticks", "game_error", "player", *_PLAYER_FIELDS])
        for play in plays:
            for number, player in enumerate(play.players):
                facts = [play.game, play.level, play.repeat, play.seed, play.ticks, play.game_error, number]
                writer.writerow([*facts, *(getattr(player, name) for name in _PLAYER_FIELDS)])
    part.replace(path)


_PLAYER_FIELDS = [field.name for field in fields(PlayerResult)]
