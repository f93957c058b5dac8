"""A store of the generation track whose levels have not been generated, and votes on them, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import sites
from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.budget import Budget
from vgdl.competition.store import Store
from vgdl.competition.tracks.generation import ballots
from vgdl.competition.tracks.generation.plan import Kind, Plan
from vgdl.competition.tracks.generation.rows import TABLES, Generated
from vgdl.competition.tracks.generation.votes import Answer, Side
from vgdl.competition.web.database import Database, DatabaseError
from vgdl.judging.plays import Effort
from vgdl.registry import Entry

GAME = """
BasicGame
    SpriteSet
        wall > Immovable
        goal > Immovable
        avatar > MovingAvatar
    LevelMapping
        w > wall
        g > goal
        A > avatar
    InteractionSet
        avatar wall > stepBack
        goal avatar > killSprite scoreChange=1
    TerminationSet
        SpriteCounter stype=goal limit=0 win=True
        Timeout limit=260 win=False
"""
LEVELS = ("wwwwwww\nwA...gw\nwwwwwww\n", "wwwwwww\nwg...Aw\nwwwwwww\n")
SIDES = tuple(Side(generator, "corridor", number) for generator in "abc" for number in (0, 1))


def row(generator: str, number: int = 0, **changes: Any) -> Generated:
    """A level of a generator that has been won."""
    facts: dict[str, Any] = {
        "generator": generator, "subject": "corridor", "number": number, "cause": "", "details": "", "used": 1.0,
        "feasible": True, "constraints": {"winnable": 1.0}, "verdict": "winnable", "verified": True, "depth": 0.5,
        "value": 0.5, "reference_value": 0.5, "decisions": 0.5, "novelty": 0.5, "win_rate": 1.0, "win_ticks": 4,
        "fired": 0.0, "judges": [{"judge": "random", "plays": 1, "wins": 1}],
        "texts": {"game": GAME, "levels": [LEVELS[number]], "extra": {}, "wins": [None]},
    }  # fmt: skip
    return Generated(**(facts | changes))


def store(path: Path, rows: Sequence[Generated], *, kind: Kind = Kind.LEVELS, secret: int = 1) -> Path:
    """A finished store with some results."""
    names = dict.fromkeys(one.generator for one in rows)
    plan = Plan(
        kind, tuple(Entry(name, name, "vgdl.generation", name) for name in names), ("corridor.txt",),
        len(rows) // len(names), Budget.seconds(1), Budget.seconds(1), "", None, Effort(), Restrictions(), 1, secret,
    )  # fmt: skip
    with Store.create(path, {"track": "generate", **plan.facts()}, TABLES, total=len(rows)) as made:
        for one in rows:
            made.add(one)
    return path


def later(database: Database) -> None:
    """Let a minute pass since seconds were counted."""
    database.run("UPDATE ballots SET counted = counted - 60")


def race_for_votes(database: Database) -> None:
    """Check that ballots and votes are unique."""
    ann = sites.user(database)
    drawn: set[int] = set()

    def draw(seed: int) -> None:
        known = ballots.current(database, "contest", SIDES, ann, seed)
        assert known is not None
        drawn.add(known.id)

    assert sites.race(8, draw) == 8
    (number,) = drawn
    later(database)
    assert sites.race(8, lambda _: ballots.add_played(database, number, "left", 50.0)) == 8
    known = ballots.find(database, "contest", ann, number)
    assert known is not None
    assert 50.0 <= known.left_s < 80.0, "eight plays in a minute"
    later(database)
    assert ballots.add_played(database, number, "right", 10.0) == 10.0
    answers = list(Answer)
    assert sites.race(8, lambda at: ballots.cast(database, "contest", ann, number, answers[at % 4], consent=False)) == 1
    assert ballots.count(database, "contest") == 1
    assert ballots.add_played(database, number, "left", 5.0) == 0.0, "the vote is cast"
    same = (
        "INSERT INTO ballots (contest, user_id, day, pair, subject, left_generator, left_number, right_generator, "
        "right_number, answer, drawn, counted) SELECT contest, user_id, day, pair, subject, left_generator, left_number, "
        "right_generator, right_number, ?, drawn, counted FROM ballots WHERE id = ?"
    )
    with pytest.raises(DatabaseError):
        database.run(same, "right", number)
    database.run("UPDATE ballots SET day = '2000-01-01'")
    of_another_day = same.replace("SELECT contest, user_id, day", "SELECT contest, user_id, '2000-01-02'")
    assert sites.race(8, lambda _: database.run(of_another_day, "left", number)) == 1
