"""The results store of a GAMEBoT competition: the common file format of the tracks, with additional tables."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from vgdl.competition.chat.usage_store import UsageStore, usage_table
from vgdl.competition.store import StoreError, insert, now
from vgdl.competition.tracks.gamebot.match import MatchResult, Turn
from vgdl.competition.tracks.gamebot.plan import Fixture, Plan
from vgdl.competition.tracks.gamebot.scores import Asked, Seat
from vgdl.competition.tracks.gamebot.verdicts import Verdict

TABLES = (
    """
    CREATE TABLE gamebot_matches (
        number INTEGER PRIMARY KEY,       -- in the plan
        session INTEGER NOT NULL REFERENCES sessions,
        finished TEXT NOT NULL,
        game TEXT NOT NULL,
        deal INTEGER NOT NULL,
        first TEXT NOT NULL,              -- players by number
        second TEXT NOT NULL,
        first_value REAL NOT NULL,        -- 1, 0, -1, or the net value in games of value
        second_value REAL NOT NULL,
        forfeited INTEGER,                -- the player that lost by a move that could not be played
        turns BLOB NOT NULL,              -- zlib of JSON: every turn, see `turn_facts`
        seconds REAL NOT NULL             -- on the wall
    )
    """,
    """
    CREATE TABLE gamebot_seats (
        match INTEGER NOT NULL REFERENCES gamebot_matches,
        seat INTEGER NOT NULL,
        moves INTEGER NOT NULL,
        replaced INTEGER NOT NULL,
        format_errors INTEGER NOT NULL,   -- moves that could not be read
        ambiguous INTEGER NOT NULL,       -- answers given several times in different ways
        loose_markers INTEGER NOT NULL,   -- moves without their marker
        truncated INTEGER NOT NULL,       -- replies cut at their limit
        answers TEXT NOT NULL,            -- JSON: [subproblem, verdict, readable] of each
        PRIMARY KEY (match, seat)
    ) WITHOUT ROWID
    """,
    usage_table("gamebot_usage"),
)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A finished match, without its turns."""

    number: int
    game: str
    deal: int
    first: str
    second: str
    first_value: float
    second_value: float
    forfeited: int | None
    seconds: float


_MATCH_FIELDS = tuple(MatchRow.__dataclass_fields__)


class GamebotStore(UsageStore):
    """An open store of a GAMEBoT competition."""

    USAGE = "gamebot_usage"

    @classmethod
    def begin(cls, path: Path | None, plan: Plan) -> Self:
        """Create a store, in memory if there is no path.

        Raises:
            StoreError: the file exists or cannot be written.
        """
        games = [{"name": game} for game in plan.games]
        return cls.create_for(path, plan.facts(), games, {}, len(plan.fixtures()), TABLES)

    @property
    def competition(self) -> Plan:
        """The plan of the competition.

        Raises:
            StoreError: the store belongs to another track.
        """
        facts = self.facts_of("gamebot", "a store of a GAMEBoT competition")
        with self.reading("its plan"):
            return Plan.from_facts(facts)

    def add_match(self, fixture: Fixture, result: MatchResult, session: int, seconds: float) -> None:
        """Save a finished match.

        Raises:
            StoreError: writing failed; the store is unchanged.
        """
        row: dict[str, Any] = {
            "number": fixture.number,
            "session": session,
            "finished": now(),
            "game": fixture.game,
            "deal": fixture.deal,
            "first": fixture.first,
            "second": fixture.second,
            "first_value": result.values[0],
            "second_value": result.values[1],
            "forfeited": result.forfeited,
            "turns": zlib.compress(json.dumps([turn_facts(turn) for turn in result.turns]).encode()),
            "seconds": seconds,
        }
        with self.writing() as connection:
            insert(connection, "gamebot_matches", row)
            for seat in (0, 1):
                insert(connection, "gamebot_seats", {"match": fixture.number, "seat": seat, **_counts(result, seat)})

    def matches(self) -> list[MatchRow]:
        """The finished matches, in the order of the plan."""
        query = f"SELECT {', '.join(_MATCH_FIELDS)} FROM gamebot_matches ORDER BY number"
        with self.reading("the matches"):
            return [MatchRow(*row) for row in self.connection.execute(query)]

    def turns(self, number: int) -> list[dict[str, Any]]:
        """The turns of a match, as returned by `turn_facts`."""
        query = "SELECT turns FROM gamebot_matches WHERE number = ?"
        with self.reading(f"match {number}"):
            row = self.connection.execute(query, [number]).fetchone()
            if row is not None:
                turns: list[dict[str, Any]] = json.loads(zlib.decompress(row[0]))
                return turns
        raise StoreError(f"match {number} has not been played")

    def seats(self) -> list[Seat]:
        """The results of each player in each match."""
        query = (
            "SELECT number, seat, game, first, second, first_value, second_value, moves, replaced, format_errors, "
            "answers FROM gamebot_matches JOIN gamebot_seats ON match = number ORDER BY number, seat"
        )
        with self.reading("the matches"):
            return [_seat(*row) for row in self.connection.execute(query)]


def turn_facts(turn: Turn) -> dict[str, Any]:
    """A turn as JSON-compatible values: position, reply, questions with truth, answer and verdict, and the move."""
    response = turn.response
    return {
        "player": turn.player,
        "position": turn.position,
        "reply": response.text,
        "prompt": response.prompt_version,
        "truncated": response.truncated,
        "ambiguous": list(response.reading.ambiguous),
        "loose_marker": response.reading.loose_marker,
        "questions": [asdict(judged) for judged in turn.judged],
        "move": turn.move,
        "replaced": turn.replaced,
    }


def _counts(result: MatchResult, seat: int) -> dict[str, Any]:
    turns = [turn for turn in result.turns if turn.player == seat]
    return {
        "moves": len(turns),
        "replaced": sum(turn.replaced is not None for turn in turns),
        "format_errors": sum(turn.replaced == "action_format_error" for turn in turns),
        "ambiguous": sum(len(turn.response.reading.ambiguous) for turn in turns),
        "loose_markers": sum(turn.response.reading.loose_marker for turn in turns),
        "truncated": sum(turn.response.truncated for turn in turns),
        "answers": json.dumps(
            [[judged.number, judged.verdict, judged.readable] for turn in turns for judged in turn.judged]
        ),
    }


def _seat(
    number: int, seat: int, game: str, first: str, second: str, first_value: float, second_value: float, *counts: Any
) -> Seat:
    moves, replaced, format_errors, answers = counts
    names, values = (first, second), (first_value, second_value)
    asked = tuple(Asked(each, Verdict(verdict), readable) for each, verdict, readable in json.loads(answers))
    return Seat(number, names[seat], names[1 - seat], game, seat, values[seat], moves, replaced, format_errors, asked)
