"""The rows of a GAMEBoT competition in a results store."""

from __future__ import annotations

import enum
from dataclasses import asdict, dataclass
from typing import Any

from vgdl.competition.chat.usage import usage_table
from vgdl.competition.store import Reader
from vgdl.competition.table import Packed, Table
from vgdl.competition.tracks.gamebot.match import MatchResult, Turn
from vgdl.competition.tracks.gamebot.plan import Fixture
from vgdl.competition.tracks.gamebot.scores import Asked, Seat
from vgdl.competition.tracks.gamebot.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A finished match."""

    number: int  #: in the plan
    game: str
    deal: int
    first: str  #: players by number
    second: str
    first_value: float  #: 1, 0, -1, or the net value in games of value
    second_value: float
    forfeited: int | None  #: the player that lost by a move that could not be played
    seconds: float  #: wall time
    turns: Packed[tuple[dict[str, Any], ...]] = ()  #: every turn, see `turn_facts`


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A player of a match."""

    match: int
    seat: int
    moves: int
    replaced: int
    format_errors: int  #: moves that could not be read
    ambiguous: int  #: answers given several times in different ways
    loose_markers: int  #: moves without their marker
    truncated: int  #: replies cut at their limit
    answers: tuple[tuple[int, Verdict, bool], ...]  #: subproblem, verdict, and whether it was readable


class Reason(enum.StrEnum):
    """Why a match could not be played."""

    REFUSED = "refused"  #: an endpoint refused a request, for example by a content filter
    UNREACHABLE = "unreachable"  #: an endpoint did not reply
    LIMIT = "limit"  #: a player's own limit was reached


@dataclass(frozen=True, slots=True)
class UnplayedRow:
    """A match that could not be played. A resumed run tries it again."""

    number: int  #: in the plan
    game: str
    first: str
    second: str
    player: str  #: whose model could not be asked
    reason: Reason
    message: str


TABLES = (
    Table("gamebot_matches", MatchRow, "number"),
    Table("gamebot_seats", SeatRow, "match", "seat"),
    Table("gamebot_unplayed", UnplayedRow, "number", optional=True),
    usage_table("gamebot_usage"),
)
"""The tables of the track."""


def rows_of(fixture: Fixture, result: MatchResult, seconds: float) -> tuple[MatchRow | SeatRow, ...]:
    """The rows of a finished match."""
    match = MatchRow(
        fixture.number,
        fixture.game,
        fixture.deal,
        fixture.first,
        fixture.second,
        *result.values,
        result.forfeited,
        seconds,
        tuple(map(turn_facts, result.turns)),
    )
    return match, _seat_row(fixture, result, 0), _seat_row(fixture, result, 1)


def _seat_row(fixture: Fixture, result: MatchResult, seat: int) -> SeatRow:
    turns = [turn for turn in result.turns if turn.player == seat]
    return SeatRow(
        match=fixture.number,
        seat=seat,
        moves=len(turns),
        replaced=sum(turn.replaced is not None for turn in turns),
        format_errors=sum(turn.replaced == "action_format_error" for turn in turns),
        ambiguous=sum(len(turn.response.reading.ambiguous) for turn in turns),
        loose_markers=sum(turn.response.reading.loose_marker for turn in turns),
        truncated=sum(turn.response.truncated for turn in turns),
        answers=tuple((judged.number, judged.verdict, judged.readable) for turn in turns for judged in turn.judged),
    )


def unplayed(store: Reader) -> list[UnplayedRow]:
    """The matches that could not be played, and were not played later either."""
    played = {match.number for match in store.rows(MatchRow)}
    return [row for row in store.rows(UnplayedRow) if row.number not in played]


def seats(store: Reader) -> list[Seat]:
    """The results of each player in each match.

    Raises:
        StoreError: the store is damaged.
    """
    matches = {match.number: match for match in store.rows(MatchRow)}
    rows = store.rows(SeatRow)
    with store.reading("the matches"):
        return [seat_of(matches[row.match], row) for row in rows]


def seat_of(match: MatchRow, row: SeatRow) -> Seat:
    """The results of a player in a match."""
    names, values = (match.first, match.second), (match.first_value, match.second_value)
    return Seat(
        match=match.number,
        model=names[row.seat],
        opponent=names[1 - row.seat],
        game=match.game,
        seat=row.seat,
        value=values[row.seat],
        moves=row.moves,
        replaced=row.replaced,
        format_errors=row.format_errors,
        answers=tuple(Asked(*answer) for answer in row.answers),
    )


def turn_facts(turn: Turn) -> dict[str, Any]:
    """A turn as JSON-compatible values: position, reply, questions with truth, answer and verdict, and the move."""
    response = turn.response
    return {
        "player": turn.player,
        "position": turn.position,
        "reply": response.text,
        "prompt": response.prompt_version,
        "truncated": response.truncated,
        "fault": response.fault,
        "tokens": [response.prompt_tokens, response.completion_tokens],
        "ambiguous": list(response.reading.ambiguous),
        "loose_marker": response.reading.loose_marker,
        "questions": [asdict(judged) for judged in turn.judged],
        "move": turn.move,
        "replaced": turn.replaced,
        "chosen": turn.chosen,
        "read": {str(number): text for number, text in turn.read},
        "prompt_tokens": turn.prompt_tokens,
        "completion_tokens": turn.completion_tokens,
    }
