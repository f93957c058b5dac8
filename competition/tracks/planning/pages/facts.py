"""The data of the pages of a planning competition, read from its results store."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import vgdl
from vgdl.competition.store import Store
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult, isolation_of, numbered_plays
from vgdl.competition.tracks.planning.scoring import GameStanding, Standings, missing, standings


@dataclass(frozen=True, slots=True)
class Appearance:
    """One controller in one play."""

    fixture: int
    play: PlayResult
    player: PlayerResult

    @property
    def disqualified(self) -> bool:
        """Whether this controller was disqualified from it."""
        return self.player.outcome is Outcome.DISQUALIFIED


class Facts:
    """The facts of a competition, with games in the order of the plan and controllers in that of the ranking.

    Attributes:
        films: plays that have a replay on the site.
        failures: why a game has no replays.
        drawn: games that have a picture.
    """

    def __init__(self, plan: Plan, store: Store) -> None:
        """Read the facts; the competition may still be running."""
        self.plan = plan
        self.plays: list[tuple[int, PlayResult]] = numbered_plays(store)
        self.total: int = store.total
        self.sessions: list[dict[str, Any]] = store.sessions()
        self.isolation, self.void = isolation_of(store)
        self.hashes: dict[str, dict[str, Any]] = {game["name"]: game for game in store.games}
        self.standings: Standings = standings(self.plan, [play for _, play in self.plays])
        with store.reading("its games"):
            self.missing: dict[str, int] = missing(self.plan, store.games, [play for _, play in self.plays])
        played = {play.game for _, play in self.plays}
        self.games: list[str] = [name for name in self.hashes if name in played]
        for name in self.games:
            self.standings.games.setdefault(name, [])  # before all controllers have a play to be compared by
        self.controllers: list[str] = [standing.controller for standing in self.standings.ranking]
        self.films: set[int] = set()
        self.failures: dict[str, str] = {}
        self.drawn: set[str] = set()
        self._game_files = file_names(self.hashes)
        self._controller_files = file_names(self.controllers)
        self._appearances: dict[tuple[str, str], list[Appearance]] = {}
        for number, play in self.plays:
            for player in play.players:
                key = play.game, player.controller
                self._appearances.setdefault(key, []).append(Appearance(number, play, player))

    @property
    def complete(self) -> bool:
        """Whether all plays are done."""
        return len(self.plays) == self.total

    @property
    def missing_text(self) -> str:
        """The number of remaining plays per controller, as text."""
        return ", ".join(f"{name} {count}" for name, count in self.missing.items())

    @property
    def progress(self) -> str:
        """The progress of the competition, when it was last continued, and with which version."""
        done = f"{len(self.plays)} plays" if self.complete else f"{len(self.plays)} of {self.total} plays so far"
        if not self.sessions:
            return done
        last = self.sessions[-1]
        began = last["began"][:16].replace("T", " ")
        return f"{done} · last session begun {began} UTC · vgdl {last['versions']['vgdl']}"

    def game_file(self, game: str) -> str:
        """The name of files about a game, without extension."""
        return self._game_files[game]

    def game_target(self, game: str) -> str:
        """The page of a game."""
        return f"games/{self._game_files[game]}.html"

    def picture_target(self, game: str) -> str:
        """The picture of a game, if it is in ``drawn``."""
        return f"pictures/{self._game_files[game]}.png"

    def controller_target(self, name: str) -> str:
        """The page of a controller."""
        return f"controllers/{self._controller_files[name]}.html"

    def appearances(self, controller: str, game: str | None = None, level: int | None = None) -> list[Appearance]:
        """The plays of a controller, in all games or one, on all levels or one, in the order of the plan."""
        games = self.games if game is None else [game]
        found = [one for name in games for one in self._appearances.get((name, controller), [])]
        return found if level is None else [one for one in found if one.play.level == level]

    def standing(self, game: str, controller: str) -> GameStanding | None:
        """The place of a controller in a game; None if it has not played it yet."""
        return next((row for row in self.standings.games[game] if row.controller == controller), None)

    def levels(self, game: str) -> list[int]:
        """The planned levels of a game."""
        return sorted(map(int, self.hashes[game]["levels"]))

    def load(self, game: str) -> vgdl.Game | None:
        """The game as it was played; None if its files are gone or have changed, with the reason in ``failures``."""
        path = next((path for path in self.plan.game_set.paths if path.stem == game), None)
        try:
            if path is None:
                raise OSError("its file is not known")
            loaded = vgdl.load(path)
            changed = loaded.digest != self.hashes[game]["sha256"] or any(
                loaded.board(int(level)).digest != digest for level, digest in self.hashes[game]["levels"].items()
            )
        except (vgdl.VGDLError, OSError) as error:
            self.failures[game] = f"the game cannot be loaded: {error}"
            return None
        if changed:
            self.failures[game] = "the files of the game have changed since it was played"
            return None
        return loaded


def file_names(names: Iterable[str]) -> dict[str, str]:
    """A file name for each name: letters, digits, ``-`` and ``_``, unique even if case is ignored."""
    given: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:80].strip("-") or "unnamed"
        candidate, number = plain, 1
        while candidate.lower() in (other.lower() for other in given.values()):
            number += 1
            candidate = f"{plain}-{number}"
        given[name] = candidate
    return given
