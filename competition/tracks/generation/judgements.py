"""Games that people let a site judge: a queue in its database, and the work that its workers do (generation, 6).

A worker judges a game in processes that are isolated and limited like an entry's: one plays, another verifies the wins
and draws. A worker that is killed loses its lease, and another one judges the game again.
"""

from __future__ import annotations

import base64
import json
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vgdl.competition.agents.failure import AgentFailed, MachineBusy
from vgdl.competition.agents.isolation import IsolationError, Restrictions
from vgdl.competition.agents.plain_data import Plain, printable
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.view import view
from vgdl.competition.track import Place, Stopped
from vgdl.competition.tracks.generation.adapter import JUDGE, judge_service
from vgdl.competition.tracks.generation.referee import MOST_LEVELS, MOST_TEXT
from vgdl.competition.web import limits
from vgdl.competition.web.accounts import User
from vgdl.competition.web.database import Database, Row
from vgdl.competition.web.limits import Limit
from vgdl.judging.plays import Effort

ASKED = Limit("10 games to be judged an hour", 10, 3600)
EFFORT = Effort(plays=3, calls=300, ticks=1000)
SEED = 0

LIMIT_S = 300.0
"""Seconds of CPU time after which the judges of a game give up."""

LEASE_S = 1800.0
"""Seconds after which another worker may judge a game."""

TRIES = 2
"""Workers that begin to judge a game before it counts as one that cannot be judged."""

KEPT_S = 90 * 86400.0
"""Seconds for which a judgement is kept."""

SHOWN = 20
"""The latest judgements that a user is shown."""

_RESTRICTIONS = Restrictions(memory_mb=2048, processes=4, scratch_mb=1)


class GameRefused(ValueError):
    """A game cannot be judged; the message says why and what was expected."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A game with its levels, and what the judges found."""

    id: int
    key: str  #: that its address has
    asked: float  #: seconds since the epoch
    state: str  #: ``waiting``, ``taken`` or ``done``
    game: str
    levels: tuple[str, ...]
    facts: dict[str, Any]  #: empty until it is done; with ``problem`` if the game was not judged

    @property
    def is_done(self) -> bool:
        """Whether the judges have finished, or given up."""
        return self.state == "done"

    def file(self, level: int, kind: str) -> bytes:
        """The ``picture``, ``film`` or ``replay`` of a level; empty if there is none."""
        shown = self.facts.get("shown", [])
        text = str(shown[level][kind]) if 0 <= level < len(shown) else ""
        return text.encode() if kind == "replay" else base64.b64decode(text)


def ask(database: Database, user: User, game: str, levels: str) -> str:
    """Have a game judged.

    Args:
        database: the database of the site.
        user: who asks.
        game: the text of the game.
        levels: the texts of its levels, with an empty line between two.

    Returns:
        The key of its address.

    Raises:
        GameRefused: a text is missing or too long.
        TooMany: the user has asked too often.
    """
    texts = [text for part in levels.split("\n\n") if (text := part.strip("\n"))]
    if not game.strip():
        raise GameRefused("the text of the game is missing")
    if len(game) > MOST_TEXT:
        raise GameRefused(f"the game has {len(game)} characters: expected at most {MOST_TEXT}")
    if not 1 <= len(texts) <= MOST_LEVELS:
        raise GameRefused(f"there are {len(texts)} levels: expected 1 to {MOST_LEVELS}, with an empty line between two")
    limits.spend(database, ASKED, f"user {user.id}")
    now, key = database.now(), secrets.token_urlsafe(12)
    with database.transaction() as transaction:
        transaction.run("DELETE FROM judgements WHERE asked < ?", now - KEPT_S)
        transaction.run(
            "INSERT INTO judgements (key, user_id, asked, game, levels) VALUES (?, ?, ?, ?, ?)",
            *(key, user.id, now, f"{game}\n", json.dumps([f"{text}\n" for text in texts])),
        )
    return key


def find(database: Database, key: str) -> Judgement | None:
    """The judgement with a key."""
    row = database.row("SELECT * FROM judgements WHERE key = ?", key)
    return None if row is None else _judgement(row)


def of(database: Database, user: User) -> list[Judgement]:
    """The latest judgements of a user, newest first."""
    rows = database.rows("SELECT * FROM judgements WHERE user_id = ? ORDER BY id DESC LIMIT ?", user.id, SHOWN)
    return [_judgement(row) for row in rows]


# ------------------------------------------------------------------------------------------------------- of the workers


def work(database: Database, worker: str, isolation: str, place: Place) -> bool:
    """Judge the next game that waits; returns whether there was one.

    Args:
        database: the database of the site.
        worker: the worker's name.
        isolation: level, or ``auto``.
        place: cores, and the means to stop.

    Raises:
        Stopped: the worker ends; the game waits again.
    """
    taken = _take(database, worker)
    if taken is None:
        return False
    try:
        facts = judged(taken.game, taken.levels, isolation, place)
    except Stopped:
        _give_back(database, taken, worker)
        raise
    except AgentFailed as failure:
        if place.stopped.is_set():
            _give_back(database, taken, worker)
            raise Stopped from None
        facts = {"problem": f"the judges could not play it: {printable(str(failure.cause), 200)}"}
    except (MachineBusy, IsolationError) as error:
        facts = {"problem": f"it could not be judged on this machine: {printable(str(error), 500)}"}
    database.run(
        "UPDATE judgements SET state = 'done', facts = ? WHERE id = ? AND state = 'taken' AND worker = ?",
        *(zlib.compress(json.dumps(facts).encode()), taken.id, worker),
    )
    return True


def judged(game: str, levels: Sequence[str], isolation: str, place: Place) -> dict[str, Any]:
    """What the judges find, with pictures; ``problem`` says why a game is refused.

    Raises:
        AgentFailed: the game hangs, or needs too much memory.
        MachineBusy, IsolationError: no process can be used at present.
        Stopped: the work is to end.
    """
    service = judge_service(LIMIT_S)
    sandbox = working_sandbox([JUDGE], service, _RESTRICTIONS, view(), isolation)
    effort: list[Plain] = [EFFORT.plays, EFFORT.calls, EFFORT.ticks]
    with AgentProcess(JUDGE, service, sandbox, core=place.cores[0]) as agent, place.running(agent):
        agent.prepare()
        found = agent.call("judge_game", game=game, levels=list(levels), effort=effort, seed=SEED).value
    if found["refused"]:
        return {"problem": found["refused"]}
    shown = []
    with AgentProcess(JUDGE, service, sandbox, core=place.cores[0]) as agent, place.running(agent):
        agent.prepare()
        for level, win, facts in zip(levels, found["wins"], found["judgement"]["levels"], strict=True):
            given: dict[str, Any] = {"game": game, "level": level, "seed": SEED, "actions": []}
            if win is not None:
                given |= {"seed": win["seed"], "actions": win["actions"]}
                end = agent.call("verify", **given).value
                facts["verified"] = end["outcome"] == "won" and end["ticks"] == len(win["actions"])
            shown.append(agent.call("show", **given).value)
    return {"judgement": found["judgement"], "findings": [*found["warnings"], *found["findings"]], "shown": shown}


def _take(database: Database, worker: str) -> Judgement | None:
    now = database.now()
    lock = " FOR UPDATE SKIP LOCKED" if database.is_postgres else ""
    with database.transaction() as transaction:
        transaction.run(
            "UPDATE judgements SET state = 'done', facts = ? WHERE state = 'taken' AND lease < ? AND attempts >= ?",
            *(zlib.compress(json.dumps({"problem": _LOST}).encode()), now, TRIES),
        )
        row = transaction.row(
            "SELECT * FROM judgements WHERE state = 'waiting' OR (state = 'taken' AND lease < ?) "
            f"ORDER BY id LIMIT 1{lock}",
            now,
        )
        if row is None:
            return None
        transaction.run(
            "UPDATE judgements SET state = 'taken', worker = ?, lease = ?, attempts = attempts + 1 WHERE id = ?",
            *(worker, now + LEASE_S, row["id"]),
        )
        return _judgement(row)


_LOST = f"it was begun {TRIES} times, and ended its worker every time"


def _give_back(database: Database, taken: Judgement, worker: str) -> None:
    database.run(
        "UPDATE judgements SET state = 'waiting', attempts = attempts - 1 "
        "WHERE id = ? AND state = 'taken' AND worker = ?",
        *(taken.id, worker),
    )


def _judgement(row: Row) -> Judgement:
    facts = json.loads(zlib.decompress(row["facts"])) if row["facts"] is not None else {}
    return Judgement(
        row["id"], row["key"], row["asked"], row["state"], row["game"], tuple(json.loads(row["levels"])), facts
    )
