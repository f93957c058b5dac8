"""A small store of every track, for tests of what reads stores."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import vgdl.competition
from contests import TOY
from vgdl.competition import Budget
from vgdl.competition.tracks.arc.cards import Card, Step
from vgdl.competition.tracks.arc.protocol import Opening
from vgdl.competition.tracks.arc.store import CommandRow, PlayRow, add_card, begin, close_card

SMALL: dict[str, dict[str, Any]] = {
    "planning": {"set": str(TOY), "controllers": ["random"], "levels": [1], "budget": Budget.calls(9)},
    "othello": {"systems": ["greedy", "random"], "stages": ["stage-1"], "analysis": "1s", "game": "1s"},
    "gamebot": {"models": ["scripted:correct", "random"], "games": ["pong"], "matches": 1, "simulations": 5},
    "tabletop": {"game": "othello(size=4)", "players": ["mcts", "random"], "simulations": 5},
    "generate": {
        "games": ["sokoban"],
        "generators": ["random"],
        "number": 1,
        "budget": "calls:200",
        "construct": "calls:200",
        "plays": 1,
        "calls": 20,
        "ticks": 60,
    },
    "worldmodels": {"games": ["tic_tac_toe"], "author": "scripted", "simulations": 5, "test_plays": 1, "matches": 1},
    "learning": {"games": ["aliens"], "agents": ["random", "explorer"], "steps": 60, "rounds": 1, "longest": 30},
}
"""For each track that is a run of plays, options of a short one."""

NEEDS = {"gamebot": "pyspiel", "worldmodels": "pyspiel"}


def options_of(name: str) -> dict[str, Any]:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason='needs: pip install "vgdl[tabletop]"')
    isolation = {} if name == "gamebot" else {"isolation": "rlimits"}
    return {"seed": 7, **isolation, **SMALL[name]}


def arc_store(path: Path, *, finished: bool = True) -> None:
    """The store of an ARC server with one card, closed or open."""
    card = Card("card", Opening(("agent",)), "2026-01-01T00:00:00", "2026-01-01T00:00:00", None)
    step = Step("2026-01-01T00:00:01", 0, None, None, "NOT_FINISHED", 0, True, 1)
    with begin(path) as store:
        add_card(store, card, "owner")
        store.add(PlayRow("guid", "card", "zz-0", 1, "2026-01-01T00:00:00", None), CommandRow.of("guid", step))
        if finished:
            card.closed = "2026-01-01T00:00:02"
            names = ("total_levels_completed", "total_levels", "total_actions", "total_environments_completed")
            numbers = dict.fromkeys((*names, "total_environments"), 1)
            final = {
                "card_id": "card",
                "tags": ["agent"],
                "score": 1.0,
                "scoring": "rhae",
                "environments": [],
                **numbers,
            }
            final |= {"baseline": None, "open_at": card.opened, "published_at": card.closed}
            close_card(store, card, final)


def finished(name: str, folder: Path) -> Path:
    """Make a finished store of a track, as one file without a WAL."""
    path = folder / f"{name}.db"
    if name == "arc":
        arc_store(path)
    else:
        assert vgdl.competition.run(name, store=str(path), **options_of(name)).complete
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path
