"""What the pages of a site tell, gathered from a results store."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import vgdl
from vgdl.competition.contest.plan import Plan
from vgdl.competition.results.records import Outcome, PlayerResult, PlayResult, Standings, rank
from vgdl.competition.results.scoring import GameStanding
from vgdl.competition.results.store import Store


@dataclass(frozen=True, slots=True)
class Seat:
    """One controller in one play."""

    fixture: int
    play: PlayResult
    player: PlayerResult

    @property
    def won(self) -> bool:
        """Whether this controller won it."""
        return self.player.outcome is Outcome.WON

    @property
    def disqualified(self) -> bool:
        """Whether this controller was disqualified from it."""
        return self.player.outcome is Outcome.DISQUALIFIED


class Facts:
    """The facts of a competition, in the order of its ranking."""

    def __init__(self, store: Store, title: str | None = None) -> None:
        """Read them; the store may be that of a competition that goes on.

        Args:
            store: what is told of.
            title: of the site; by default it is named after the set of games.
        """
        self.plan: Plan = store.plan
        self.plays: list[tuple[int, PlayResult]] = store.numbered_results()
        self.total: int = store.total
        self.sessions: list[dict[str, Any]] = store.sessions()
        self.isolation: dict[str, int] = store.isolation()
        self.hashes: dict[str, dict[str, Any]] = {game["name"]: game for game in store.games}
        self.standings: Standings = rank(play for _, play in self.plays)
        self.title = title or f"{self.plan.game_set.name} set".replace("_", " ").capitalize()
        self.games: list[str] = [name for name in self.hashes if name in self.standings.games]
        self.controllers: list[str] = [standing.controller for standing in self.standings.ranking]
        self.pages: dict[str, str] = file_names(self.hashes)  #: names of files by game
        self.controller_pages: dict[str, str] = file_names(self.controllers)
        self._seats: dict[tuple[str, str], list[Seat]] = {}
        for number, play in self.plays:
            for player in play.players:
                self._seats.setdefault((play.game, player.controller), []).append(Seat(number, play, player))
        self.films: set[int] = set()  #: plays that can be watched
        self.failures: dict[str, str] = {}  #: why a game's plays cannot be watched
        self.drawn: set[str] = set()  #: games of which there is a picture

    @property
    def complete(self) -> bool:
        """Whether all plays are done."""
        return len(self.plays) == self.total

    def seats_of(self, *, game: str | None = None, controller: str) -> list[Seat]:
        """The plays of a controller, in one game or in all of them, game by game in the order of the plan."""
        games = self.games if game is None else [game]
        return [seat for name in games for seat in self._seats.get((name, controller), [])]

    def standing(self, game: str, controller: str) -> GameStanding | None:
        """The place of a controller in a game; None if it has not played it yet."""
        return next((row for row in self.standings.games[game] if row.controller == controller), None)

    def levels(self, game: str) -> list[int]:
        """The levels of a game that were to be played."""
        return sorted(map(int, self.hashes[game]["levels"]))

    def board_source(self, game: str) -> vgdl.Game | None:
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
    """A name for a file for each of some names: letters, digits, ``-`` and ``_``, all different in any case."""
    given: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:80].strip("-") or "unnamed"
        candidate, number = plain, 1
        while candidate.lower() in (other.lower() for other in given.values()):
            number += 1
            candidate = f"{plain}-{number}"
        given[name] = candidate
    return given
