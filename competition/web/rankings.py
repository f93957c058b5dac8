"""The leaderboards of a competition: rankings of counted entries by their plays, per set and per game.

In addition to the Formula-1 points of 2014, there are the strengths of the Bradley–Terry model with intervals and rank
sets and, in two-player games, the live ladder. An entry's reliability (late answers, invalid answers,
disqualifications) is shown separately from its results.
"""

from __future__ import annotations

import hashlib
import math
import statistics
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from vgdl.competition import typed
from vgdl.competition.tracks.planning import scoring
from vgdl.competition.tracks.planning.rating import Rating, RatingUnavailable
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult
from vgdl.competition.tracks.planning.scoring import GameStanding
from vgdl.competition.tracks.planning.strengths import Strength, strengths
from vgdl.competition.web import competitions, entries, jobs, ladder, plays
from vgdl.competition.web.competitions import Competition, State
from vgdl.competition.web.database import Database, Row
from vgdl.competition.web.entries import Entry
from vgdl.competition.web.plays import StoredPlay

LOOK_S = 1.0
"""Seconds between two looks of a web process at whether there is a newer board."""

PACE = 10.0
"""A board is computed again after this many times the CPU time that it took, so that it uses a tenth of a core."""


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
    computed: float = 0.0  #: when it was computed, in seconds since 1970; 0 if it has not been yet
    strengths_computed: float = 0.0  #: the same for the strengths, which take longer
    by_entry: Mapping[int, int] = field(init=False)  #: where in the lines an entry is
    by_owner: Mapping[int, int] = field(init=False)  #: the same for the entry of a user
    bests: Mapping[str, tuple[GameStanding, float]] = field(init=False)
    """The best entry in each game, and the median of the mean scores."""

    def __post_init__(self) -> None:
        """Look up what pages show, once for all of them."""
        numbers = {line.entry.id: at for at, line in enumerate(self.lines)}
        owners = {line.entry.user_id: at for at, line in enumerate(self.lines) if line.entry.user_id is not None}
        bests = {
            game: (rows[0], statistics.median(row.mean_score for row in rows))
            for game, rows in self.games.items()
            if rows
        }
        for name, value in (("by_entry", numbers), ("by_owner", owners), ("bests", bests)):
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True)
class Strengths:
    """The strengths of a board, which are computed less often than the rest."""

    version: str
    computed: float
    seconds: float  #: CPU time that they took
    rows: tuple[Strength, ...]


def board(database: Database, competition: Competition, set_name: str) -> Board:
    """Compute the ranking of a set, by the deciding plays once there are any.

    It may take a minute of CPU time: pages show the stored one (``Boards``).
    """
    return _computed(database, competition, set_name, _known(database, competition), None)[0]


def _known(database: Database, competition: Competition) -> dict[str, Entry]:
    return {str(entry.id): entry for entry in entries.of_competition(database, competition, counted=True)}


def _is_final(competition: Competition, set_name: str) -> bool:
    """Whether a set is ranked by the deciding plays."""
    is_over = competition.state in (State.CLOSING, State.DECIDED)
    return is_over and competition.settings.set_called(set_name) in competition.final_sets


def _computed(
    database: Database, competition: Competition, set_name: str, known: Mapping[str, Entry], last: Strengths | None
) -> tuple[Board, Strengths]:
    """Compute a board; with the last strengths, these are not computed anew."""
    final = _is_final(competition, set_name)
    phases = (jobs.FINAL,) if final else (jobs.EVALUATION, jobs.ACTIVE)
    version = _version(database, competition, set_name)
    played = plays.results(database, competition.id, set_name, phases, {entry.id for entry in known.values()})
    results = [play.result for play in played]
    now = database.now()
    if last is None:
        began = time.process_time()
        rows = tuple(strengths(results))
        last = Strengths(version, now, time.process_time() - began, rows)
    for_two = any(len(result.players) > 1 for result in results)
    present = {player.controller for result in results for player in result.players}
    comparable = results if for_two else scoring.comparable(results, len(present))
    standings = scoring.rank(comparable)
    found = {row.controller: row for row in last.rows}
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
    made = Board(
        set_name, final, lines, standings.games, dict(known), len(results), for_two, note, now, last.computed
    )  # fmt: skip
    return made, last


def refresh(database: Database, *, at_once: bool = False) -> int:
    """Compute and store the boards that are out of date; returns their number.

    Args:
        database: the database of the site.
        at_once: compute those, too, that were computed only a short time ago.
    """
    number = 0
    for one in competitions.every(database):
        if one.state is State.DRAFT:
            continue
        shown = one.settings.sets if one.state in (State.CLOSING, State.DECIDED) else one.evaluation_sets
        for chosen in shown:
            number += _refreshed(database, one, chosen.name, at_once=at_once)
    return number


def _refreshed(database: Database, competition: Competition, set_name: str, *, at_once: bool) -> bool:
    row = _stored(database, competition, set_name, "version, made, seconds, strengths_version, strengths_made, "
                  "strengths_seconds")  # fmt: skip
    version, now = _version(database, competition, set_name), database.now()
    last = None
    if row is not None:
        is_due = at_once or now >= row["made"] + PACE * row["seconds"]
        are_due = at_once or now >= row["strengths_made"] + PACE * row["strengths_seconds"]
        if not ((row["version"] != version and is_due) or (row["strengths_version"] != version and are_due)):
            return False
        if row["strengths_version"] == version or not are_due:
            facts = _stored(database, competition, set_name, "facts")
            assert facts is not None
            rows = typed.read(tuple[Strength, ...], plays.unpack(bytes(facts["facts"]))["strengths"], "strengths")
            last = Strengths(row["strengths_version"], row["strengths_made"], row["strengths_seconds"], rows)
    began = time.process_time()
    made, found = _computed(database, competition, set_name, _known(database, competition), last)
    seconds = time.process_time() - began - (found.seconds if last is None else 0.0)
    store(database, competition, made, found, version, seconds)
    return True


def store(
    database: Database, competition: Competition, board: Board, strengths: Strengths, version: str, seconds: float
) -> None:
    """Store a board for the pages."""
    facts = {
        "lines": [asdict(line) | {"entry": line.entry.id, "strength": None} for line in board.lines],
        "games": {game: [asdict(row) for row in rows] for game, rows in board.games.items()},
        "strengths": [asdict(row) for row in strengths.rows],
        "plays": board.plays,
        "for_two": board.for_two,
        "note": board.note,
    }  # fmt: skip
    database.run(
        "INSERT INTO boards (competition_id, set_name, final, version, made, seconds, strengths_version, "
        "strengths_made, strengths_seconds, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (competition_id, set_name, final) DO UPDATE SET version = excluded.version, "
        "made = excluded.made, seconds = excluded.seconds, strengths_version = excluded.strengths_version, "
        "strengths_made = excluded.strengths_made, strengths_seconds = excluded.strengths_seconds, "
        "facts = excluded.facts",
        *(competition.id, board.set_name, int(board.is_final), version, board.computed, seconds),
        *(strengths.version, strengths.computed, strengths.seconds, jobs.pack(facts)),
    )


def _stored(database: Database, competition: Competition, set_name: str, columns: str) -> Row | None:
    return database.row(
        f"SELECT {columns} FROM boards WHERE competition_id = ? AND set_name = ? AND final = ?",
        *(competition.id, set_name, int(_is_final(competition, set_name))),
    )


def _version(database: Database, competition: Competition, set_name: str) -> str:
    """What a board depends on: the state of the competition, its counted entries, and their plays."""
    played = database.row(
        "SELECT MAX(id) AS last, COUNT(*) AS count FROM plays "
        "WHERE competition_id = ? AND set_name = ? AND removed = 0",
        *(competition.id, set_name),
    )
    counted = database.rows(
        "SELECT id FROM entries WHERE competition_id = ? AND counted = 1 AND barred = '' ORDER BY id", competition.id
    )
    assert played is not None
    names = hashlib.sha256(repr([row["id"] for row in counted]).encode()).hexdigest()[:16]
    return f"{competition.state} {played['last'] or 0} {played['count']} {names}"


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


class Boards:
    """The stored boards, for pages; shared by the threads of a process."""

    def __init__(self, database: Database) -> None:
        """Start with an empty cache."""
        self._database = database
        self._boards: dict[tuple[int, str, bool], tuple[float, Board]] = {}
        self._loading = threading.Lock()

    def get(self, competition: Competition, set_name: str) -> Board:
        """The last board of a set, which is empty if none has been computed yet; never computed here."""
        final = _is_final(competition, set_name)
        key = competition.id, set_name, final
        looked, known = self._boards.get(key, (-math.inf, None))
        if known is not None and (time.monotonic() - looked < LOOK_S or self._loading.locked()):
            return known
        with self._loading:  # one thread loads a board; the others get the last one
            return self._newest(competition, set_name, final, key)

    def _newest(self, competition: Competition, set_name: str, final: bool, key: tuple[int, str, bool]) -> Board:
        """The last board, unless another thread has just looked for it."""
        looked, known = self._boards.get(key, (-math.inf, None))
        if known is not None and time.monotonic() - looked < LOOK_S:
            return known
        row = _stored(self._database, competition, set_name, "made")
        if row is None:
            known = Board(set_name, final, [], {}, {}, 0, for_two=False)
        elif known is None or known.computed != row["made"]:
            known = self._load(competition, set_name, final)
        self._boards[key] = time.monotonic(), known
        return known

    def _load(self, competition: Competition, set_name: str, final: bool) -> Board:
        row = _stored(self._database, competition, set_name, "facts, made, strengths_made")
        assert row is not None
        facts = plays.unpack(bytes(row["facts"]))
        everyone = {entry.id: entry for entry in entries.of_competition(self._database, competition)}
        found = {one["controller"]: Strength(**one) for one in facts["strengths"]}
        lines = [
            Line(
                **one
                | {
                    "entry": everyone[one["entry"]],
                    "strength": found.get(str(one["entry"])),
                    "rating": one["rating"] and Rating(**one["rating"]),
                    "reliability": Reliability(**one["reliability"]),
                }
            )
            for one in facts["lines"]
            if one["entry"] in everyone
        ]
        games = {
            game: [GameStanding(**one) for one in rows if int(one["controller"]) in everyone]
            for game, rows in facts["games"].items()
        }
        known = {str(line.entry.id): line.entry for line in lines}
        known |= {row.controller: everyone[int(row.controller)] for rows in games.values() for row in rows}
        return Board(
            set_name, final, lines, games, known, facts["plays"], facts["for_two"], facts["note"],
            row["made"], row["strengths_made"],
        )  # fmt: skip
