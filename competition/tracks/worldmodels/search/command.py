"""``vgdl-compete worldmodels --author search``: learns VGDL games without a language model, and shows how well."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

import vgdl
from vgdl import games
from vgdl.competition.contest import seeds
from vgdl.competition.options import OptionError
from vgdl.competition.results.store import Store, insert
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.beside import same_rules, same_successors
from vgdl.competition.tracks.worldmodels.search.judge import judge
from vgdl.competition.tracks.worldmodels.search.play import play
from vgdl.competition.tracks.worldmodels.search.records import record_many
from vgdl.competition.tracks.worldmodels.search.verify import SAMPLES, Follower

TRACK = "worldmodels search"
LEARNT_FROM, HELD_OUT = (0, 1, 2), (3, 4)
TICKS, TEST_TICKS = 2000, 400
SECONDS = 20.0  #: CPU time of a search
PLAYER, CALLS, LONGEST_PLAY = "olets", 100, 300

_TABLES = (
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
        """Keep what was learnt of a game."""
        with self.writing() as connection:
            insert(connection, "worldmodels_search", {"game": game, "session": session, "facts": json.dumps(facts)})

    def learnt(self) -> dict[str, dict[str, Any]]:
        """What is kept, by game."""
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
    samples: int = SAMPLES,
    player: str = PLAYER,
    calls: int = CALLS,
    most: int = LONGEST_PLAY,
    per_level: int = 1,
) -> dict[str, Any]:
    """Learn a game and measure what was learnt on levels that nothing was recorded on.

    Args:
        name: of a bundled game, or the path of a game file with five levels beside it.
        seed: of the recorded plays and of the measures.
        seconds: CPU time of the search.
        ticks: observed ticks to learn from.
        test_ticks: ticks to measure on.
        samples: futures that a prediction of chance is made of.
        player, calls, most, per_level: who plays the held-out levels with the learnt and with the true rules, with how
            many forward model calls per tick, for how many ticks, how often.

    Returns:
        The measures of `Judgement`; ``true_f1_chance``, what the true rules reach in the same measurement, whose
        predictions of chance are no better; `same_successors` and `same_rules`; the plays, and the learnt text.
    """
    game = vgdl.load(name)
    last = len(game.levels) - 1
    plays = record_many(game, [min(level, last) for level in LEARNT_FROM], ticks, seed=seed)
    learnt = learn(plays, seconds=seconds)
    held_out = record_many(game, [min(level, last) for level in HELD_OUT], test_ticks, seed=seed + 1)
    measures = judge(learnt.hypothesis, held_out, samples=samples, seed=seed)
    chances = Follower(held_out).follow(game, measured=True, samples=samples)
    played = {
        name: [
            asdict(play(game, min(level, last), player, rules, seed=seed + k, calls=calls, most=most))
            for k in range(per_level)
            for level in HELD_OUT
        ]
        for name, rules in (("played_learnt", learnt.hypothesis), ("played_true", None))
    }
    return {
        "ticks": sum(recorded.ticks for recorded in plays),
        "seconds": round(learnt.seconds, 2),
        "tried": learnt.tried,
        **measures.facts(),
        "true_f1_chance": chances.changed_f1,
        "same_successors": same_successors(learnt.hypothesis, game, held_out),
        "same_rules": same_rules(learnt.hypothesis, game),
        **played,
        "text": learnt.hypothesis.text(plays[0].layout.sets),
    }


def compete(chosen: argparse.Namespace) -> int:
    """Learn the games of a command line; the function that the author `search` is found by."""
    names = _games(chosen)
    errors = Console(stderr=True)
    secret = chosen.seed if chosen.seed is not None else seeds.fresh_secret() % 2**31
    if chosen.resume:
        store = SearchStore.open(Path(chosen.resume))
    else:
        facts = {"track": TRACK, "games": names, "seed": secret}
        path = Path(chosen.store) if chosen.store else None
        store = SearchStore.create_for(path, facts, [{"name": name} for name in names], {}, len(names), _TABLES)
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
            store.keep(session, name, learn_game(name, seed=int(plan["seed"])))
        _show(chosen, plan, store.learnt())
    return 0


def _games(chosen: argparse.Namespace) -> list[str]:
    """The games asked for.

    Raises:
        OptionError: one of them is unknown, or for two players.
    """
    if chosen.resume:
        return []
    names = list(chosen.games or [name for name in games.names() if vgdl.load(name).n_players == 1])
    for name in names:
        try:
            game = vgdl.load(name)
        except vgdl.VGDLError as error:
            raise OptionError(str(error)) from error
        if game.n_players != 1:
            raise OptionError(f"{name} is for {game.n_players} players; the search learns games for one")
        if not game.levels:
            raise OptionError(f"{name} has no levels to be recorded on")
    return names


def _show(chosen: argparse.Namespace, plan: dict[str, Any], results: dict[str, dict[str, Any]]) -> None:
    facts = {"track": TRACK, "seed": plan["seed"], "games": results}
    if chosen.json == "-":
        json.dump(facts, sys.stdout, indent=1)
        print()
    else:
        Console().print(results_table(results))
        if chosen.json:
            Path(chosen.json).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def results_table(results: dict[str, dict[str, Any]]) -> Table:
    """A row per game; "ideal" is what the true rules reach."""
    table = Table(title="Learnt without a language model, measured on levels 3 and 4", box=box.SIMPLE, pad_edge=False)
    table.add_column("game")
    for column in ("F1", "chance", "ideal", "same", "beside", "equal", "MRR", "wins", "ideal"):
        table.add_column(column, justify="right")
    for name, row in results.items():
        keys = ("changed_f1", "changed_f1_chance", "true_f1_chance", "identical", "same_successors")
        measures = [f"{row[key]:.2f}" for key in keys]
        equal, rank = "yes" if row["same_rules"] else "no", f"{row['reciprocal_rank']:.2f}"
        wins = [wins_told(row[key]).split()[0] for key in ("played_learnt", "played_true")]
        table.add_row(name, *measures, equal, rank, *wins)
    return table


def wins_told(plays: list[dict[str, Any]]) -> str:
    """Victories of so many plays, and the mean score."""
    return f"{sum(play['won'] for play in plays)}/{len(plays)} ({mean(play['score'] for play in plays):g})"
