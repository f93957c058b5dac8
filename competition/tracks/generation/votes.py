"""Votes of people: pairs of levels or games, and strengths of generators by Bradley and Terry (generation, 7).

A pair is two results of different generators for the same subject. Pairs are drawn so that all pairs of generators are
judged equally often. A vote is *left*, *right*, *both* or *neither*; a user votes at most once a day on a pair, after
having played both sides for ten seconds. The last two answers count as ties.
"""

from __future__ import annotations

import csv
import enum
import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import IO

import numpy as np

from vgdl.competition.errors import CompetitionError
from vgdl.competition.files import replacing
from vgdl.competition.results import Column, ResultTable, Value, rows_of
from vgdl.competition.strengths import estimate

PLAYED_S = 10.0
"""Seconds for which each side must have been played."""


class VoteInvalid(CompetitionError):
    """A vote does not count, or a file of votes cannot be read; the message says why."""


class Answer(enum.StrEnum):
    """What a person says about a pair."""

    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True, order=True)
class Side:
    """A result of a generator."""

    generator: str
    subject: str
    number: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Two results side by side."""

    left: Side
    right: Side

    @property
    def sides(self) -> frozenset[Side]:
        """Both, whichever is left."""
        return frozenset((self.left, self.right))


@dataclass(frozen=True, slots=True)
class Ballot:
    """A pair that was shown to a person."""

    user: str
    day: date
    pair: Pair


@dataclass(frozen=True, slots=True)
class Vote(Ballot):
    """A person's answer about a pair."""

    answer: Answer
    left_s: float  #: seconds for which the left side was played
    right_s: float
    consent: bool  #: whether the vote may be published


@dataclass(frozen=True, slots=True)
class GeneratorStrength:
    """A generator's strength in Elo points, with its 95 % interval; the mean of all is 0."""

    generator: str
    points: float
    low: float
    high: float
    votes: int
    preferred: float  #: share of its votes in which it was preferred alone


def draw_pair(
    sides: Sequence[Side], ballots: Iterable[Ballot], seed: int, user: str = "", day: date | None = None
) -> Pair | None:
    """The next pair to show.

    The pair of generators that was shown least often comes first; among its results, subject, numbers and places are
    drawn.

    Args:
        sides: all results that can be shown.
        ballots: all votes so far, and the pairs at which people are looking.
        seed: of the draw.
        user: who is asked; gets no pair twice on a day.
        day: today.

    Returns:
        A pair, or None if there is none left for the user.
    """
    ballots = list(ballots)
    shown = Counter(frozenset((ballot.pair.left.generator, ballot.pair.right.generator)) for ballot in ballots)
    seen = {ballot.pair.sides for ballot in ballots if ballot.user == user and ballot.day == day}
    by_generators: dict[frozenset[str], list[tuple[Side, Side]]] = {}
    for one, other in itertools.combinations(sorted(sides), 2):
        if one.generator != other.generator and one.subject == other.subject and frozenset((one, other)) not in seen:
            by_generators.setdefault(frozenset((one.generator, other.generator)), []).append((one, other))
    if not by_generators:
        return None
    generator = random.Random(seed)
    least = min(shown[names] for names in by_generators)
    choices = sorted((names for names in by_generators if shown[names] == least), key=sorted)
    one, other = generator.choice(by_generators[generator.choice(choices)])
    return Pair(one, other) if generator.random() < 0.5 else Pair(other, one)


def check(vote: Vote, votes: Iterable[Vote]) -> None:
    """Check that a vote counts.

    Raises:
        VoteInvalid: a side was not played long enough, or the user has voted on the pair today.
    """
    if min(vote.left_s, vote.right_s) < PLAYED_S:
        raise VoteInvalid(f"play both sides for at least {PLAYED_S:g} s before you vote")
    if any(
        known.user == vote.user and known.day == vote.day and known.pair.sides == vote.pair.sides for known in votes
    ):
        raise VoteInvalid("you have voted on this pair today")


def strengths(votes: Iterable[Vote]) -> list[GeneratorStrength]:
    """Strengths of the generators, the best first; the bootstrap draws whole users, whose votes are not independent."""
    votes = sorted(votes, key=lambda vote: (vote.user, vote.day, vote.pair.left, vote.pair.right))
    names = sorted({side.generator for vote in votes for side in vote.pair.sides})
    users = {user: place for place, user in enumerate(sorted({vote.user for vote in votes}))}
    if len(names) < 2:
        return []
    index = {name: place for place, name in enumerate(names)}
    wins = np.zeros((len(users), len(names), len(names)))
    alone: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for vote in votes:
        left, right = vote.pair.left.generator, vote.pair.right.generator
        share = {Answer.LEFT: 1.0, Answer.RIGHT: 0.0}.get(vote.answer, 0.5)
        wins[users[vote.user], index[left], index[right]] += share
        wins[users[vote.user], index[right], index[left]] += 1 - share
        count.update((left, right))
        if vote.answer in (Answer.LEFT, Answer.RIGHT):
            alone[left if vote.answer is Answer.LEFT else right] += 1
    found = estimate(wins)
    rows = [
        GeneratorStrength(
            name, float(found.points[place]), float(found.low[place]), float(found.high[place]), count[name],
            alone[name] / count[name],
        )
        for name, place in index.items()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row.points, row.generator))


def strengths_table(votes: Iterable[Vote]) -> ResultTable:
    """The same as a table of results."""
    rows: list[list[Value]] = [
        [row.generator, row.points, _known(row.low), _known(row.high), row.votes, row.preferred]
        for row in strengths(votes)
    ]
    return ResultTable("strengths", "Preferred by people", _STRENGTHS, rows_of(_STRENGTHS, rows))


def _known(bound: float) -> float | None:
    """The end of an interval; None where the votes of one user tell nothing about it."""
    return bound if math.isfinite(bound) else None


_STRENGTHS = (
    Column("generator"), Column("points", "Elo", "+.0f"), Column("low", "95 % from", "+.0f"),
    Column("high", "to", "+.0f"), Column("votes"), Column("preferred", form=".0%"),
)  # fmt: skip


_COLUMNS = (
    "user", "day", "subject", "left", "left_number", "right", "right_number", "answer", "left_s", "right_s",
)  # fmt: skip


def export(votes: Iterable[Vote], path: Path) -> int:
    """Write the votes of people who consented as CSV, users as numbers; returns how many there are.

    Raises:
        FileError: the file cannot be written.
    """
    with replacing(path) as file:
        return write(votes, file)


def write(votes: Iterable[Vote], file: IO[str]) -> int:
    """Write the same to an open file."""
    consented = [vote for vote in votes if vote.consent]
    numbers = {user: number for number, user in enumerate(sorted({vote.user for vote in consented}))}
    writer = csv.writer(file)
    writer.writerow(_COLUMNS)
    for vote in consented:
        left, right = vote.pair.left, vote.pair.right
        writer.writerow(
            [numbers[vote.user], vote.day.isoformat(), left.subject, left.generator, left.number, right.generator,
             right.number, vote.answer, f"{vote.left_s:.1f}", f"{vote.right_s:.1f}"]
        )  # fmt: skip
    return len(consented)


def read(path: Path) -> list[Vote]:
    """Read votes as `export` writes them.

    Raises:
        VoteInvalid: the file is none; with the line.
    """
    votes = []
    try:
        with path.open(newline="", encoding="utf-8") as file:
            for number, row in enumerate(csv.DictReader(file), 2):
                try:
                    pair = Pair(
                        Side(row["left"], row["subject"], int(row["left_number"])),
                        Side(row["right"], row["subject"], int(row["right_number"])),
                    )
                    day, answer = date.fromisoformat(row["day"]), Answer(row["answer"])
                    votes.append(
                        Vote(row["user"], day, pair, answer, float(row["left_s"]), float(row["right_s"]), True)
                    )
                except (KeyError, TypeError, ValueError) as error:
                    raise VoteInvalid(f"{path}, line {number} is no vote: {error!r:.200}") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise VoteInvalid(f"{path} cannot be read: {error}") from None
    return votes
