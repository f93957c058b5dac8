"""Authors without a language model, ``search`` and ``induction``: they learn VGDL games, and the result is measured."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import vgdl
from vgdl import games
from vgdl.competition import seeds, typed
from vgdl.competition.results import Column, Results, ResultTable, rows_of
from vgdl.competition.store import Store
from vgdl.competition.track import Place, Result, Unit, Work
from vgdl.competition.tracks.worldmodels.lessons import names_of, teach
from vgdl.competition.tracks.worldmodels.search.measures import (
    HELD_OUT,
    LEARNT_FROM,
    SHARES,
    TEST_TICKS,
    TICKS,
    levels_of,
    measured,
    results_table,
    single_player_games,
)
from vgdl.competition.tracks.worldmodels.search.records import TESTERS, record_many
from vgdl.competition.tracks.worldmodels.search.study import study
from vgdl.competition.tracks.worldmodels.store import LearntRow
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate
from vgdl.induction import Budget, Learner, Observer

SECONDS = 20.0  #: CPU time of a search
OPTIONS = ("author", "games", "seed", "ticks", "test_ticks", "store", "resume", "jobs", "json", "csv", "quiet")
"""The options of the command line that these authors use."""
AUTHORS = ("search", "induction")
"""The authors; ``induction`` learns from its own play only (:doc:`/induction`)."""


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The plan of a run."""

    games: tuple[str, ...]
    secret: int  #: seed of the recorded plays and the measures
    ticks: int = TICKS  #: observed ticks to learn from
    test_ticks: int = TEST_TICKS  #: ticks to measure on
    author: str = AUTHORS[0]  #: one of `AUTHORS`

    def facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible values."""
        return {"kind": "search", **asdict(self), "games": list(self.games), "seed": self.secret}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Restore a plan from its `facts`; version 0.2 has the secret as ``seed``, and no author."""
        sizes = {name: typed.read(int, facts[name], name) for name in ("ticks", "test_ticks") if name in facts}
        games = typed.read(tuple[str, ...], facts["games"], "games")
        author = typed.read(str, facts.get("author", AUTHORS[0]), "author")
        return cls(games, typed.read(int, facts["seed"], "seed"), **sizes, author=author)


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


def induce_game(
    name: str,
    *,
    seed: int,
    ticks: int = TICKS,
    test_ticks: int = TEST_TICKS,
    budget: Budget | None = None,
    **measuring: Any,
) -> dict[str, Any]:
    """Learn a game from own play with `vgdl.induction`, and measure the learnt rules on the same held-out levels.

    Args:
        name: name of a bundled game, or path of a game file next to its level files.
        seed: seed of the learner, its plays and the measures.
        ticks: ticks of own play.
        test_ticks: ticks to measure on.
        budget: hypotheses and ticks that the search may cost.
        **measuring: further arguments of `measured`.

    Returns:
        As `learn_game`.
    """
    game = vgdl.load(name)
    observer, learner = Observer(seed), Learner(seed, budget)
    began = time.process_time()
    lessons = list(teach(game, learner, observer, ticks, seed))
    seconds = time.process_time() - began
    held_out = record_many(game, levels_of(game, HELD_OUT), test_ticks, seed=seed + 1, players=TESTERS)
    names = names_of(game, learner, observer)
    return {
        "ticks": lessons[-1][0],
        "seconds": round(seconds, 2),
        "tried": learner.search.judge.judged,
        **measured(Candidate(learner.text, names), game, held_out, seed=seed, **measuring),
        "text": learner.text,
    }


def plan(chosen: Mapping[str, Any]) -> SearchPlan:
    """The plan that the options describe: the requested games, by default all bundled single-player games.

    Raises:
        OptionError: one of them cannot be learnt.
    """
    names = chosen["games"] or [name for name in games.names() if vgdl.load(name).n_players == 1]
    secret = chosen["seed"] if chosen["seed"] is not None else seeds.fresh_secret() % 2**31
    return SearchPlan(
        tuple(single_player_games(names)),
        secret,
        chosen["ticks"] or TICKS,
        chosen["test_ticks"] or TEST_TICKS,
        chosen["author"].partition(":")[0],
    )


class SearchWork(Work):
    """Games are learnt one by one, without a language model."""

    cores = 0

    def __init__(self, plan: SearchPlan) -> None:
        self._plan = plan
        self.games = [{"name": name} for name in plan.games]
        self.total = len(plan.games)

    def begin(self, store: Store, session: int) -> int:
        return store.count(LearntRow)

    def units(self, store: Store) -> list[Unit]:
        done = {row.game for row in store.rows(LearntRow)}
        return [Unit(name) for name in self._plan.games if name not in done]

    def play(self, unit: Unit, place: Place) -> Iterator[Result]:
        name, plan = str(unit.key), self._plan
        place.post(Result((), f"learning {name} ...", counts=False))
        learn = induce_game if plan.author == "induction" else learn_game
        facts = learn(name, seed=plan.secret, ticks=plan.ticks, test_ticks=plan.test_ticks)
        yield Result((LearntRow(name, facts),), name)


_GAMES = tuple(Column(name) for name in ("game", "ticks", "tried", "seconds", *SHARES, "same_rules"))


def results_of(plan: SearchPlan, store: Store) -> Results:
    """The results in a store, finished or not.

    Raises:
        StoreError: the store is damaged.
    """
    learnt = {row.game: row.facts for row in store.rows(LearntRow)}
    with store.reading("its results"):
        shown = [results_table(learnt, "Learnt without a language model, measured on levels 3 and 4")]
        rows = [(game, *(facts.get(column.name) for column in _GAMES[1:])) for game, facts in learnt.items()]
    table = ResultTable("games", "Games", _GAMES, rows_of(_GAMES, rows))
    facts = {"seed": plan.secret, "games": learnt, "sessions": store.sessions()}
    complete, total = len(learnt) == len(plan.games), len(plan.games)
    return Results("worldmodels", complete, [table], facts, shown, csv="games", done=len(learnt), total=total)
