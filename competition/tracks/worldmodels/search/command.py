"""``vgdl-compete worldmodels --author search``: learns VGDL games without a language model and measures the result."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

import vgdl
from vgdl import games
from vgdl.competition import seeds
from vgdl.competition.options import OptionError
from vgdl.competition.store import Store, insert
from vgdl.competition.tracks.worldmodels.search.measures import (
    HELD_OUT,
    LEARNT_FROM,
    TEST_TICKS,
    TICKS,
    levels_of,
    measured,
    results_table,
    single_player_games,
)
from vgdl.competition.tracks.worldmodels.search.records import TESTERS, record_many
from vgdl.competition.tracks.worldmodels.search.study import study

TRACK = "worldmodels search"
SECONDS = 20.0  #: CPU time of a search
OPTIONS = ("author", "games", "seed", "ticks", "test_ticks", "store", "resume", "json", "quiet")
"""The options of the command line that this author uses."""

TABLES = (
    """
    CREATE TABLE worldmodels_search (
        game TEXT PRIMARY KEY,
        session INTEGER NOT NULL REFERENCES sessions,
        facts TEXT NOT NULL               -- JSON: the measures, and the learnt text
    ) WITHOUT ROWID
    """,
)


class SearchStore(Store):
    """An open store of games learnt by search."""

    def keep(self, session: int, game: str, facts: dict[str, Any]) -> None:
        """Store the results for a game."""
        with self.writing() as connection:
            insert(connection, "worldmodels_search", {"game": game, "session": session, "facts": json.dumps(facts)})

    def learnt(self) -> dict[str, dict[str, Any]]:
        """The stored results by game."""
        with self.reading("its results"):
            rows = self.connection.execute("SELECT game, facts FROM worldmodels_search").fetchall()
        return {row[0]: json.loads(row[1]) for row in rows}


def learn_game(
    name: str,
    *,
    seed: int,
    seconds: float = SECONDS,
    ticks: int = TICKS,
    test_ticks: int = TEST_TICKS,
    **measuring: Any,
) -> dict[str, Any]:
    """Learn a game and measure the learnt rules on held-out levels.

    Args:
        name: name of a bundled game, or path of a game file next to its level files.
        seed: seed of the recorded plays and the measures.
        seconds: CPU time of each search.
        ticks: observed ticks to learn from.
        test_ticks: ticks to measure on.
        **measuring: further arguments of `measured`.

    Returns:
        The results of `measured`, the ticks, CPU seconds and hypotheses of the search, and the learnt text.
    """
    game = vgdl.load(name)
    plays, learnt = study(game, levels_of(game, LEARNT_FROM), ticks, seed=seed, seconds=seconds)
    held_out = record_many(game, levels_of(game, HELD_OUT), test_ticks, seed=seed + 1, players=TESTERS)
    return {
        "ticks": sum(recorded.ticks for recorded in plays),
        "seconds": round(learnt.seconds, 2),
        "tried": learnt.tried,
        **measured(learnt.hypothesis, game, held_out, seed=seed, evidence=learnt.evidence, **measuring),
        "text": learnt.hypothesis.text(learnt.hypothesis.level(plays[0].layout).sets),
    }


def compete(chosen: argparse.Namespace) -> int:
    """Learn the games of a command line, for the author ``search``; returns the exit status."""
    names = _games(chosen)
    errors = Console(stderr=True)
    secret = chosen.seed if chosen.seed is not None else seeds.fresh_secret() % 2**31
    if chosen.resume:
        store = SearchStore.open(Path(chosen.resume))
    else:
        facts = {"track": TRACK, "games": names, "seed": secret}
        facts |= {"ticks": chosen.ticks or TICKS, "test_ticks": chosen.test_ticks or TEST_TICKS}
        path = Path(chosen.store) if chosen.store else None
        store = SearchStore.create_for(path, facts, [{"name": name} for name in names], {}, len(names), TABLES)
    with store:
        plan = store.plan_facts
        if plan.get("track") != TRACK:
            raise OptionError(f"{chosen.resume} is not a store of games learnt by search")
        session = store.begin_session({"jobs": 1})
        done = store.learnt()
        for name in plan["games"]:
            if name in done:
                continue
            if not chosen.quiet:
                errors.print(f"learning {name} ...", highlight=False)
            sizes = {size: plan[size] for size in ("ticks", "test_ticks") if size in plan}
            store.keep(session, name, learn_game(name, seed=int(plan["seed"]), **sizes))
        show(store, chosen.json)
    return 0


def _games(chosen: argparse.Namespace) -> list[str]:
    """The requested games, by default all bundled single-player games.

    Raises:
        OptionError: one of them cannot be learnt.
    """
    if chosen.resume:
        return []
    return single_player_games(chosen.games or [name for name in games.names() if vgdl.load(name).n_players == 1])


def show(store: SearchStore, json_file: str | None) -> None:
    """Print the table of a store and write the requested JSON file; with ``-``, print only the JSON."""
    plan, results = store.plan_facts, store.learnt()
    facts = {"track": TRACK, "seed": plan["seed"], "games": results}
    if json_file == "-":
        json.dump(facts, sys.stdout, indent=1)
        print()
        return
    Console().print(results_table(results, "Learnt without a language model, measured on levels 3 and 4"))
    if json_file:
        Path(json_file).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
