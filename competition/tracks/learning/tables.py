"""The results of the learning track as tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from rich.console import RenderableType

from vgdl.cli import counted
from vgdl.competition.chat.usage import UsageRow, facts_of, models_table, remarks, total
from vgdl.competition.chat.usage import shown as endpoints_shown
from vgdl.competition.failures import in_a_line
from vgdl.competition.machine import machine, versions
from vgdl.competition.results import Column, Results, ResultTable, Value, rows_of
from vgdl.competition.store import Store
from vgdl.competition.tracks.learning.measures import (
    Baseline,
    Interval,
    area_values,
    bootstrap,
    curve,
    final_values,
    first_wins,
    training_curve,
)
from vgdl.competition.tracks.learning.plan import Plan
from vgdl.competition.tracks.learning.rows import Ending, Phase, PlayRow, RunRow
from vgdl.competition.tracks.learning.rules import LearningRules, Profile
from vgdl.competition.tracks.learning.scales import scales
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult
from vgdl.competition.tracks.planning.scoring import Standings, rank
from vgdl.controllers.registry import CONTROLLERS

SCALE_LINE = (
    "score and curve: interquartile means with 95 % intervals, on a scale where 0 is random play and 1 the planner; "
    "curve is the area under the learning curve"
)

ALL_GAMES = ""
"""In the column ``game``: over all games."""


def _of_plays(row: Mapping[str, Value]) -> str:
    return f"{row['victories']}/{row['plays']}"


def _interval(name: str, title: str) -> tuple[Column, ...]:
    def show(row: Mapping[str, Value]) -> str:
        value, low, high = row[name], row[f"{name}_low"], row[f"{name}_high"]
        if value is None or low is None or high is None:
            return "–"
        return f"{value:.2f} [{low:.2f},\u00a0{high:.2f}]"

    return Column(name, title, show=show), Column(f"{name}_low", hidden=True), Column(f"{name}_high", hidden=True)


_RANKING = (
    Column("place"), Column("agent"), Column("points"), Column("first_places", hidden=True),
    Column("victories", show=_of_plays), Column("plays", hidden=True),
    *_interval("score", "score"), *_interval("area", "curve"),
    Column("late", hidden=True), Column("disqualified", hidden=True),
)  # fmt: skip
_GAMES = (
    Column("game"), Column("place"), Column("agent"), Column("victories", show=_of_plays), Column("plays", hidden=True),
    Column("score", form=".2f"), Column("ticks", "time (ticks)", ".1f"), Column("points"),
)  # fmt: skip
_CURVES = (
    Column("agent"), Column("game"), Column("steps"), Column("plays"), Column("victories", form=".3f"),
    Column("score", form=".2f"), Column("normalised", form=".3f"),
)  # fmt: skip
_WINS = (
    Column("agent"), Column("game"), Column("level"), Column("runs"), Column("won"), Column("steps", form=".0f"),
)  # fmt: skip
_PLANNER = (
    Column("planner"), Column("game"), Column("victories", show=_of_plays), Column("plays", hidden=True),
    Column("score", form=".2f"),
)  # fmt: skip
_FORMS = {"training_ms": ",.0f", "used_ms": ",.0f", "seconds": ".1f"}
_RUNS = tuple(
    Column(name, form=_FORMS.get(name, ""))
    for name in (
        "agent", "game", "repeat", "seed", "steps", "training_ms", "late", "cause", "details", "probe_failures",
        "isolation", "seconds",
    )
)  # fmt: skip
_PLAYS = tuple(
    Column(name, form=_FORMS.get(name, ""))
    for name in (
        "agent", "game", "repeat", "phase", "number", "level", "steps", "ticks", "ending", "score", "late", "used_ms",
    )
)  # fmt: skip


def results_of(plan: Plan, store: Store) -> Results:
    """The results in a store, finished or not.

    Raises:
        StoreError: the store is damaged.
    """
    runs, plays = store.rows(RunRow), store.rows(PlayRow)
    planned = [play for play in plays if play.phase is Phase.PLANNER]
    done = len(runs) + len({play.game for play in planned})
    complete = done == store.total
    planner = CONTROLLERS.find(plan.planner).ranking_name if plan.planner else ""
    with store.reading("its games"):
        digests = {
            (str(game["name"]), int(level)): str(digest)
            for game in store.games
            for level, digest in game["levels"].items()
        }
    scale = scales(plays, digests, planner)
    found = rank(comparable(plan, plays))
    used = store.rows(UsageRow)
    usage, models = total(used), endpoints_shown(plan.chat.endpoints, used)
    tables = [
        _ranking(plan, runs, plays, found, scale),
        _games(found),
        curves(plan.names, plays, scale),
        training(plan.names, plays),
        _first_wins(plan, plays),
        _planned(planned),
        ResultTable("runs", "Runs", _RUNS, [asdict(run) for run in runs]),
        ResultTable("plays", "Plays", _PLAYS, [asdict(play) for play in plays]),
        models_table(models),
    ]
    shown: list[RenderableType] = [tables[1].only(game, game=game) for game, rows in found.games.items() if rows]
    pivot = _pivot(tables[2])
    shown += [pivot] if pivot.rows else []
    shown += [tables[5]] if planned else []
    shown += [tables[0], *_lines(plan, runs, plays), f"seed {plan.secret}"]
    shown += remarks(usage, models)
    shown += [tables[-1]] if models else []
    facts = {
        **plan.facts(),
        "versions": versions(),
        "machine": machine(),
        "sessions": store.sessions(),
        "usage": facts_of(usage),
        "endpoints": models,
        "scales": [{"game": game, "level": level, **asdict(each)} for (game, level), each in scale.items()],
    }
    return Results("learning", complete, tables, facts, shown, csv="plays", done=done, total=store.total)


def comparable(plan: Plan, plays: Iterable[PlayRow]) -> list[PlayResult]:
    """The validation plays of those games and repeats that all agents have done, as plays of the planning track."""
    validation = [play for play in plays if play.phase is Phase.VALIDATION]
    there: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for play in validation:
        there[play.game, play.repeat].add(play.agent)
    outcomes = {Ending.WON: Outcome.WON, Ending.LOST: Outcome.LOST, Ending.DISQUALIFIED: Outcome.DISQUALIFIED}
    return [
        PlayResult(
            play.game,
            play.level,
            play.repeat,
            0,
            "",
            play.ticks,
            (PlayerResult(play.agent, outcomes.get(play.ending, Outcome.NO_WINNER), play.score),),
        )
        for play in validation
        if len(there[play.game, play.repeat]) == len(plan.names)
    ]


def _ranking(
    plan: Plan,
    runs: Sequence[RunRow],
    plays: Sequence[PlayRow],
    results: Standings,
    scale: Mapping[tuple[str, int], Baseline],
) -> ResultTable:
    standings = {row.controller: row for row in results.ranking}
    order = [row.controller for row in results.ranking] or sorted(plan.names)
    rows = []
    for agent in order:
        own = [play for play in plays if play.agent == agent]
        judged = [play for play in own if play.phase is Phase.VALIDATION]
        standing = standings.get(agent)
        budget = max([play.steps for play in judged], default=0)
        if plan.rules.profile is Profile.STEPS:
            budget = plan.rules.steps
        rows.append(
            (
                standing.place if standing else 1,
                agent,
                standing.points if standing else 0,
                standing.places[0] if standing and standing.places else 0,
                sum(play.is_won for play in judged),
                len(judged),
                *_bounds(final_values(own, scale)),
                *_bounds(area_values(own, scale, budget)),
                sum(run.late for run in runs if run.agent == agent),
                sum(bool(run.cause) for run in runs if run.agent == agent),
            )
        )
    return ResultTable("ranking", "Ranking (Formula-1 points)", _RANKING, rows_of(_RANKING, rows))


def _bounds(values: Mapping[tuple[str, int], Sequence[float]]) -> tuple[float | None, float | None, float | None]:
    if not values:
        return None, None, None
    found: Interval = bootstrap(values)
    return found.value, found.low, found.high


def _games(results: Standings) -> ResultTable:
    rows = [
        (game, row.place, row.controller, row.victories, row.plays, row.mean_score, row.mean_ticks, row.points)
        for game, own in results.games.items()
        for row in own
    ]
    return ResultTable("games", "Validation", _GAMES, rows_of(_GAMES, rows))


def curves(agents: Sequence[str], plays: Sequence[PlayRow], scale: Mapping[tuple[str, int], Baseline]) -> ResultTable:
    """The learning curves by probes, of every agent on every game and over all games."""
    rows = [
        (agent, game, point.steps, point.plays, point.victories, point.score, point.normalised)
        for agent, game, own in _groups(agents, plays)
        for point in curve(own, scale)
    ]
    return ResultTable("curves", "Learning curves (probes)", _CURVES, rows_of(_CURVES, rows))


def training(agents: Sequence[str], plays: Sequence[PlayRow]) -> ResultTable:
    """Victories and scores in training plays against experience, of every agent on every game."""
    rows = [
        (agent, game, point.steps, point.plays, point.victories, point.score, point.normalised)
        for agent, game, own in _groups(agents, plays)
        if game != ALL_GAMES
        for point in training_curve(own)
    ]
    return ResultTable("training", "Training plays", _CURVES, rows_of(_CURVES, rows))


def _groups(agents: Sequence[str], plays: Sequence[PlayRow]) -> list[tuple[str, str, list[PlayRow]]]:
    """The plays of each agent, game by game and all together."""
    by_agent: dict[str, dict[str, list[PlayRow]]] = {agent: {} for agent in agents}
    for play in plays:
        if play.agent in by_agent and play.phase is not Phase.PLANNER:
            by_agent[play.agent].setdefault(play.game, []).append(play)
    return [
        (agent, game, own)
        for agent, games in by_agent.items()
        for game, own in [(ALL_GAMES, [play for each in games.values() for play in each]), *games.items()]
    ]


def _pivot(table: ResultTable) -> ResultTable:
    """The curves over all games, a row per agent: the share of victories by experience."""
    rows = [row for row in table.rows if row["game"] == ALL_GAMES]
    marks = sorted({int(str(row["steps"])) for row in rows})
    columns = [Column("agent"), *(Column(str(mark), f"{mark:,}", ".1%") for mark in marks)]
    agents = list(dict.fromkeys(str(row["agent"]) for row in rows))
    cells = {(row["agent"], row["steps"]): row["victories"] for row in rows}
    values = [[agent, *(cells.get((agent, mark)) for mark in marks)] for agent in agents]
    return ResultTable(
        "curves", "Victories on validation levels after so many steps", columns, rows_of(columns, values)
    )


def _first_wins(plan: Plan, plays: Sequence[PlayRow]) -> ResultTable:
    rows = [asdict(row) for row in first_wins(play for play in plays if play.agent in plan.names)]
    return ResultTable("first_wins", "Steps to the first win of training levels", _WINS, rows)


def _planned(plays: Sequence[PlayRow]) -> ResultTable:
    games: defaultdict[tuple[str, str], list[PlayRow]] = defaultdict(list)
    for play in plays:
        games[play.agent, play.game].append(play)
    rows = [
        (agent, game, sum(play.is_won for play in own), len(own), sum(play.score for play in own) / len(own))
        for (agent, game), own in games.items()
    ]
    return ResultTable("planner", "The planner, which has the forward model", _PLANNER, rows_of(_PLANNER, rows))


def _lines(plan: Plan, runs: Sequence[RunRow], plays: Sequence[PlayRow]) -> list[str]:
    """Reliability, first wins and rules, as lines of text."""
    lines = [
        f"{run.agent} was disqualified in {run.game}: {run.cause}: {in_a_line(run.details)}"
        for run in runs
        if run.cause
    ]
    for agent in plan.names:
        wins = first_wins(play for play in plays if play.agent == agent)
        if wins:
            won, tried = sum(win.won for win in wins), sum(win.runs for win in wins)
            lines.append(f"{agent} ever won {won} of {counted(tried, 'training level')}")
        if late := sum(run.late for run in runs if run.agent == agent):
            lines.append(f"{agent} was late {late} times")
    for level in sorted({run.isolation for run in runs if run.isolation}):
        count = sum(run.isolation == level for run in runs)
        lines.append(f"{counted(count, 'run')} isolated by {level}")
    return [SCALE_LINE, *lines, rules_line(plan.rules)]


def rules_line(rules: LearningRules) -> str:
    """The rules in one line."""
    budget = f"{rules.steps:,} steps" if rules.profile is Profile.STEPS else f"{rules.seconds:g} s of agent time"
    levels = f"training levels {_numbers(rules.training)}, validation levels {_numbers(rules.validation)}"
    frozen = ", each from the agent as it was after training" if rules.frozen else ""
    times = f"{rules.action_ms:g} ms to act, more than {rules.disqualification_ms:g} ms disqualifies"
    return (
        f"learning budget {budget}; {levels}; {rules.rounds} rounds of validation{frozen}; plays of at most "
        f"{rules.longest:,} ticks; {times} ({rules.clock} time)"
    )


def _numbers(levels: Sequence[int]) -> str:
    return ", ".join(map(str, levels))
