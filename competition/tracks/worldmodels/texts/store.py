"""The results store of a run that learns VGDL games as texts or programs."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from vgdl.competition.chat.usage_store import usage_table
from vgdl.competition.tracks.worldmodels.store import EVALUATIONS, SynthesisStore, syntheses_table
from vgdl.competition.tracks.worldmodels.texts.plan import TRACK, TextPlan

TABLES = (syntheses_table("worldmodels_texts"), EVALUATIONS, usage_table("worldmodels_usage"))


class TextStore(SynthesisStore):
    """An open store of VGDL texts."""

    SYNTHESES = "worldmodels_texts"

    @classmethod
    def begin(cls, path: Path | None, plan: TextPlan) -> Self:
        """Make a new store, in memory if there is no path.

        Raises:
            StoreError: the file exists or cannot be written.
        """
        games = [{"name": name} for name in plan.games]
        return cls.create_for(path, plan.facts(), games, {}, len(plan.tasks()), TABLES)

    @property
    def run(self) -> TextPlan:
        """The plan of the run.

        Raises:
            StoreError: the store belongs to another track.
        """
        facts = self.facts_of(TRACK, "a store of VGDL texts")
        with self.reading("its plan"):
            return TextPlan.from_facts(facts)
