"""The leaderboards of a competition: rankings of counted entries by their plays, per set and per game.

In addition to the Formula-1 points of 2014, there are the strengths of the Bradley–Terry model with intervals and rank
sets and, in two-player games, the live ladder. An entry's reliability (late answers, invalid answers,
disqualifications) is shown separately from its results.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vgdl.competition.errors import CompetitionError
from vgdl.competition.strengths import Strength, strengths
from vgdl.competition.tracks.planning import scoring
from vgdl.competition.tracks.planning.rating import Rating, RatingUnavailable
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult
from vgdl.competition.tracks.planning.scoring import GameStanding
from vgdl.competition.web import entries, jobs, ladder, plays
from vgdl.competition.web.competitions import Competition, State
from vgdl.competition.web.database import Database
from vgdl.competition.web.entries import Entry
from vgdl.competition.web.plays import StoredPlay

FRESH_S = 5.0
"""Minimum time between updates of a board."""

WAIT_S = 2.0
"""Seconds for which a request waits for a board if there is no last one to show."""


class BoardBusy(CompetitionError):
    """A board is being made and there is no last one; the message says to try again."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """The reliability of an entry in its plays on a set."""

    plays: int
    late: int  #: plays with late answers
    invalid: int  #: plays with answers that were no actions of the game
    disqualified: int


@dataclass(frozen=True, slots=True)
class Line:
    """An entry on a board."""

    entry: Entry
    place: int
    points: int
    points_by_game: Mapping[str, int]
    victories: int
    plays: int
    strength: Strength | None  #: None while there is nothing to compare with
    rating: Rating | None  #: in two-player games
    reliability: Reliability


@dataclass(frozen=True, slots=True)
class Board:
    """The ranking of a set."""

    set_name: str
    is_final: bool  #: based on the deciding plays
    lines: list[Line]
    games: dict[str, list[GameStanding]]  #: controllers are named by the numbers of their entries
    entries: dict[str, Entry]  #: entries by these numbers
    plays: int
    for_two: bool
    note: str = ""  #: missing parts, with reasons

    def best_and_median(self, game: str) -> tuple[GameStanding, float] | None:
        """The best entry in a game, and the median of the mean scores."""
        rows = self.games.get(game)
        return (rows[0], statistics.median(row.mean_score for row in rows)) if rows else None


def board(database: Database, competition: Competition, set_name: str) -> Board:
    """The current ranking of a set, by the deciding plays once there are any."""
    final = (
        competition.state in (State.CLOSING, State.DECIDED)
        and competition.settings.set_called(set_name) in competition.final_sets
    )
    phases = (jobs.FINAL,) if final else (jobs.EVALUATION, jobs.ACTIVE)
    counted = entries.of_competition(database, competition, counted=True)
    known = {str(entry.id): entry for entry in counted}
    played = plays.results(database, competition.id, set_name, phases, {entry.id for entry in counted})
    return make(database, competition, set_name, played, known, is_final=final)


def make(
    database: Database,
    competition: Competition,
    set_name: str,
    played: Sequence[StoredPlay],
    known: Mapping[str, Entry],
    *,
    is_final: bool,
) -> Board:
    """Rank entries by their plays on a set."""
    results = [play.result for play in played]
    for_two = any(len(result.players) > 1 for result in results)
    present = {player.controller for result in results for player in result.players}
    comparable = results if for_two else scoring.comparable(results, len(present))
    standings = scoring.rank(comparable)
    found = {row.controller: row for row in strengths(results)}
    ratings, note = _ratings(database, competition, set_name, played) if for_two else ({}, "")
    own: dict[str, list[PlayerResult]] = {}
    for result in results:
        for player in result.players:
            own.setdefault(player.controller, []).append(player)
    lines = [
        Line(
            known[row.controller], row.place, row.points, row.points_by_game, row.victories, row.plays,
            found.get(row.controller), ratings.get(row.controller), _reliability(own[row.controller]),
        )
        for row in standings.ranking
    ]  # fmt: skip
    return Board(set_name, is_final, lines, standings.games, dict(known), len(results), for_two, note)


def _ratings(
    database: Database, competition: Competition, set_name: str, played: Sequence[StoredPlay]
) -> tuple[dict[str, Rating], str]:
    try:
        return {one.controller: one for one in ladder.live(database, competition, set_name, played)}, ""
    except RatingUnavailable as missing:
        return {}, str(missing)


def _reliability(own: Sequence[PlayerResult]) -> Reliability:
    return Reliability(
        len(own),
        sum(player.late_answers > 0 for player in own),
        sum(player.invalid_answers > 0 for player in own),
        sum(player.outcome is Outcome.DISQUALIFIED for player in own),
    )


@dataclass(slots=True)
class _CachedBoard:
    board: Board
    version: tuple[object, ...]
    checked_at: float

    @property
    def state(self) -> object:
        """The state of the competition when the board was made."""
        return self.version[0]

    def shows(self, entry: int) -> bool:
        """Whether an entry is on the board."""
        return any(line.entry.id == entry for line in self.board.lines)


class Boards:
    """A cache of boards, which are updated only after changes; shared by the threads of a process."""

    def __init__(self, database: Database) -> None:
        """Start with an empty cache."""
        self._database = database
        self._cache: dict[tuple[int, str], _CachedBoard] = {}
        self._making = threading.Lock()

    def get(self, competition: Competition, set_name: str, ranked: int | None = None) -> Board:
        """The board of a set; if ``ranked`` is given, one that includes this entry.

        It is at most ``FRESH_S`` seconds old, or the last one while another thread makes the next one.

        Raises:
            BoardBusy: another thread makes boards, and there is no last one.
        """
        key = competition.id, set_name
        cached = self._cache.get(key)
        if cached and (ranked is None or cached.shows(ranked)) and cached.state == competition.state:
            fresh = time.monotonic() - cached.checked_at < FRESH_S
            if fresh or self._making.locked():
                return cached.board
        if not self._making.acquire(timeout=WAIT_S):  # one thread at a time; waiting ones are missing to other pages
            if cached and cached.state == competition.state:
                return cached.board
            raise BoardBusy("this ranking is being computed; load the page again in a few seconds")
        try:
            cached = self._cache.get(key)
            version = self._version(competition, set_name)
            if cached is None or cached.version != version:
                cached = _CachedBoard(board(self._database, competition, set_name), version, 0.0)
            cached.checked_at = time.monotonic()
            self._cache[key] = cached
            return cached.board
        finally:
            self._making.release()

    def _version(self, competition: Competition, set_name: str) -> tuple[object, ...]:
        last = self._database.row(
            "SELECT MAX(id) AS last FROM plays WHERE competition_id = ? AND set_name = ?", competition.id, set_name
        )
        counted = self._database.rows(
            "SELECT id, name FROM entries WHERE competition_id = ? AND counted = 1 AND barred = '' AND deleted = 0 "
            "ORDER BY id",
            competition.id,
        )
        return competition.state, last and last["last"], tuple((row["id"], row["name"]) for row in counted)
