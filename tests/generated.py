"""A store of the generation track whose levels are there without having been generated, for tests of what reads it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.budget import Budget
from vgdl.competition.store import Store
from vgdl.competition.tracks.generation.plan import Kind, Plan
from vgdl.competition.tracks.generation.rows import TABLES, Generated
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
        Timeout limit=600 win=False
"""
LEVELS = ("wwwwwww\nwA...gw\nwwwwwww\n", "wwwwwww\nwg...Aw\nwwwwwww\n")


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
