"""The plan of a competition: plain data that can be stored and sent to other machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from math import perm
from pathlib import Path
from typing import Any

import vgdl
from vgdl.competition import typed
from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.tracks.planning.game_set import GameSet
from vgdl.competition.tracks.planning.rules import Rules
from vgdl.registry import Entry

MOST_PLAYS = 1_000_000
"""Maximum number of plays in a competition; all are listed before the first."""


class PlanError(CompetitionError):
    """A competition cannot be played as planned; the message says why."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A play of the plan: a game, level and repeat, and its players in the order of their numbers in the game."""

    number: int  #: place in the competition, from 0
    entries: tuple[Entry, ...]
    game: str
    level: int
    repeat: int

    def __str__(self) -> str:
        return f"{' - '.join(self.names)}: {self.game}, level {self.level}"

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names in rankings."""
        return tuple(entry.ranking_name for entry in self.entries)

    @property
    def place(self) -> tuple[str, int, int]:
        """The game, level and repeat, without the players; random events are the same for all controllers there."""
        return self.game, self.level, self.repeat


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that the results of a competition depend on, except the texts of games and controllers."""

    entries: tuple[Entry, ...]
    game_set: GameSet
    levels: tuple[int, ...] | None  #: numbers; None for all that a game has
    repeats: int
    rules: Rules
    restrictions: Restrictions
    secret: int  #: the number from which all seeds derive, 128 bits

    @property
    def hidden(self) -> tuple[Path, ...]:
        """Folders that no controller may see."""
        return tuple(sorted({path.parent for path in self.game_set.paths}))

    def facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible values."""
        return {
            "controllers": [asdict(entry) for entry in self.entries],
            "set": self.game_set.name,
            "games": [str(path) for path in self.game_set.paths],
            "levels": None if self.levels is None else list(self.levels),
            "repeats": self.repeats,
            "rules": asdict(self.rules),
            "restrictions": asdict(self.restrictions),
            "seed": str(self.secret),  # 128 bits: many JSON readers would not keep such a number exact
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Plan:
        """Restore the plan that ``facts`` describe.

        Raises:
            ValueError, KeyError, TypeError: they do not describe a plan.
        """
        return cls(
            entries=typed.read(tuple[Entry, ...], facts["controllers"], "controllers"),
            game_set=typed.read(GameSet, {"name": facts["set"], "paths": facts["games"]}, "games"),
            levels=typed.read(tuple[int, ...], facts["levels"], "levels") if facts["levels"] is not None else None,
            repeats=typed.read(int, facts["repeats"], "repeats"),
            rules=typed.read(Rules, facts["rules"], "rules"),
            restrictions=typed.read(Restrictions, facts["restrictions"], "restrictions"),
            secret=int(typed.read(str, facts["seed"], "seed")),
        )


class Boards:
    """The games and levels of a plan, loaded."""

    def __init__(self, plan: Plan) -> None:
        """Load every game and level, so that errors in them are found before the first play.

        Raises:
            vgdl.VGDLError: a game or level cannot be loaded, there is no such level, or a game has none.
            PlanError: two games have the same name.
        """
        self.games: dict[str, vgdl.Game] = {}
        self.levels: dict[str, dict[int, vgdl.Board]] = {}
        for path in plan.game_set.paths:
            with using():
                game = vgdl.load(path)
            if game.name in self.games:
                raise PlanError(f"two of the games are called {game.name}")
            existing = range(max(1, len(game.levels)))  # loading level 0 of a game without levels is an error
            numbers: Sequence[int] = existing if plan.levels is None else plan.levels
            self.games[game.name] = game
            self.levels[game.name] = {number: game.board(number) for number in numbers}

    def facts(self) -> list[dict[str, Any]]:
        """Names, numbers of players and hashes of the games, as JSON-compatible values."""
        return [
            {
                "name": name,
                "sha256": game.digest,
                "players": game.n_players,
                "levels": {str(number): board.digest for number, board in self.levels[name].items()},
            }
            for name, game in self.games.items()
        ]


def check_number(plays: int, what: str = "plays") -> None:
    """Check the number of plays of a competition.

    Raises:
        PlanError: there are more than `MOST_PLAYS`.
    """
    if plays > MOST_PLAYS:
        raise PlanError(f"these would be {plays:,} {what}; a competition has at most {MOST_PLAYS:,}")


def fixtures(plan: Plan, boards: Boards) -> list[Fixture]:
    """All plays, in the order in which they start.

    In a two-player game, every controller plays every other one as either player: a round robin per level and repeat.

    Raises:
        PlanError: there are fewer controllers than a game has players, or more than `MOST_PLAYS` plays.
    """
    most = max((game.n_players for game in boards.games.values()), default=1)
    if len(plan.entries) < most:
        names = [name for name, game in boards.games.items() if game.n_players > len(plan.entries)]
        raise PlanError(f"{', '.join(names)} is for {most} players: name at least {most} controllers")
    plays = plan.repeats * sum(
        len(boards.levels[name]) * perm(len(plan.entries), game.n_players) for name, game in boards.games.items()
    )
    check_number(plays)
    return [
        Fixture(number, entries, name, level, repeat)
        for number, (repeat, name, level, entries) in enumerate(_order(plan, boards))
    ]


def _order(plan: Plan, boards: Boards) -> Iterator[tuple[int, str, int, tuple[Entry, ...]]]:
    for repeat in range(plan.repeats):
        for name, game in boards.games.items():
            for level in boards.levels[name]:
                for entries in permutations(plan.entries, game.n_players):
                    yield repeat, name, level, entries
