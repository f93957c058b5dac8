"""The results store of a run in which VGDL texts are written."""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any, Self

from vgdl.competition.chat.usage_store import UsageStore, usage_table
from vgdl.competition.results.store import insert, now
from vgdl.competition.tracks.worldmodels.plan import Task
from vgdl.competition.tracks.worldmodels.store import EVALUATIONS, Evaluations, SynthesisRow
from vgdl.competition.tracks.worldmodels.texts.plan import TRACK, TextPlan

TABLES = (
    """
    CREATE TABLE worldmodels_texts (
        number INTEGER PRIMARY KEY,       -- in the plan
        session INTEGER NOT NULL REFERENCES sessions,
        finished TEXT NOT NULL,
        game TEXT NOT NULL,
        position INTEGER NOT NULL,        -- among those of its game
        program TEXT NOT NULL,            -- the best text; empty if there is none
        facts TEXT NOT NULL               -- JSON: see `arena.synthesis_facts`, and under "measures" `measured`
    )
    """,
    EVALUATIONS,
    usage_table("worldmodels_usage"),
)


class TextStore(UsageStore):
    """An open store of VGDL texts."""

    USAGE = "worldmodels_usage"

    @classmethod
    def begin(cls, path: Path | None, plan: TextPlan) -> Self:
        """Make a new store, in memory if there is no path.

        Raises:
            StoreError: there is such a file already, or it cannot be written.
        """
        games = [{"name": name} for name in plan.games]
        return cls.create_for(path, plan.facts(), games, {}, len(plan.tasks()), TABLES)

    @property
    def run(self) -> TextPlan:
        """What is learnt.

        Raises:
            StoreError: the store is one of another track.
        """
        facts = self.facts_of(TRACK, "a store of VGDL texts")
        with self.reading("its plan"):
            return TextPlan.from_facts(facts)

    @property
    def evaluations(self) -> MutableMapping[str, str]:
        """Kept evaluations of texts, by key."""
        return Evaluations(self)

    def add_text(self, task: Task, program: str, facts: dict[str, Any], session: int) -> None:
        """Keep a finished text for good.

        Raises:
            StoreError: that failed; the store holds what it held before.
        """
        row = {
            "number": task.number,
            "session": session,
            "finished": now(),
            "game": task.game,
            "position": task.index,
            "program": program,
            "facts": json.dumps(facts),
        }
        with self.writing() as connection:
            insert(connection, "worldmodels_texts", row)

    def syntheses(self) -> list[SynthesisRow]:
        """The finished texts, in the order of the plan."""
        query = "SELECT number, game, position, program, facts FROM worldmodels_texts ORDER BY number"
        with self.reading("the texts"):
            rows = self.connection.execute(query).fetchall()
            return [SynthesisRow(n, game, "", at, program, json.loads(facts)) for n, game, at, program, facts in rows]
