"""The pages of the learning track: the ranking, and learning curves of all games together, each game and each agent."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vgdl.competition.report.charts import Series
from vgdl.competition.report.site import PageOptions, Site
from vgdl.competition.report.text import minus
from vgdl.competition.results import Results, ResultTable, Value
from vgdl.competition.store import Store
from vgdl.competition.tracks.learning.plan import Plan
from vgdl.competition.tracks.learning.rows import RunRow
from vgdl.competition.tracks.learning.tables import ALL_GAMES, rules_line


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines on common axes, of which the horizontal one is the logarithm of the experience."""

    caption: str
    series: Sequence[Series]
    y: str


def write_pages(plan: Plan, store: Store, known: Results, site: Site, options: PageOptions) -> None:
    """Write the pages of a store, which may be that of a running competition.

    Args:
        plan: the plan.
        store: its store.
        known: its results as tables.
        site: the site to write to.
        options: the title.

    Raises:
        StoreError: the store cannot be read.
        SiteError: a template is wrong.
    """
    site.title = options.title or "Learning track"
    site.navigation = (("index.html", "Ranking"),)
    site.footer = f"{known.done} of {known.total} runs; {rules_line(plan.rules)}"
    games = [path.stem for path in plan.games]
    curves, training = known.table("curves"), known.table("training")
    site.page(
        "index.html",
        "learning/index.html",
        title=site.title,
        tiles=[("agents", len(plan.names)), ("games", len(games)), ("runs", known.done)],
        complete=known.complete,
        ranking=_texts(known.table("ranking")),
        plots=_plots(curves, "over all games", game=ALL_GAMES),
        planner=_texts(known.table("planner")),
        models=_texts(known.table("models")),
        agents=[(name, agent_page(name)) for name in plan.names],
        games=[(game, game_page(game)) for game in games],
        failures=[(run.agent, run.game, run.cause, run.details) for run in store.rows(RunRow) if run.cause],
        rules=rules_line(plan.rules),
    )
    for game in games:
        site.page(
            game_page(game),
            "learning/game.html",
            title=game,
            validation=_texts(known.table("games").only(f"Validation of {game}", game=game)),
            plots=_plots(curves, game, game=game) + _plots(training, f"training plays of {game}", game=game)[:2],
            wins=_texts(known.table("first_wins").only(f"First wins of {game}", game=game)),
        )
    for agent in plan.names:
        plots = _plots(curves, f"{agent}, over all games", agent=agent, game=ALL_GAMES)
        by_game = _series(curves, "victories", "game", agent=agent)
        per_game = [series for series in by_game if series.label != ALL_GAMES]
        plots += [Plot(f"Victories: {agent}, {names}", part, "share of plays won") for names, part in _parts(per_game)]
        site.page(
            agent_page(agent),
            "learning/agent.html",
            title=agent,
            plots=plots,
            wins=_texts(known.table("first_wins").only(f"First wins of {agent}", agent=agent)),
        )
    if known.complete:  # not before: it has the secret of all random choices
        site.write("results.json", known.to_json() + "\n")
        known.table(known.csv).write_csv(site.path("results.csv"))


def game_page(name: str) -> str:
    """The page of a game."""
    return f"games/{_safe(name)}.html"


def agent_page(name: str) -> str:
    """The page of an agent."""
    return f"agents/{_safe(name)}.html"


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name)


def _texts(table: ResultTable) -> tuple[str, list[tuple[str, str]], list[list[str]]]:
    """A table as people see it: caption, headings with their kinds, and cells."""
    return table.title, table.kinds(), [[minus(text) for text in row] for row in table.texts()]


def _plots(table: ResultTable, what: str, **equal: Value) -> list[Plot]:
    """The curves of a table: victories, scores, and scores on the scale of the levels where there is one."""
    plots = []
    for column, title, y in (
        ("victories", "Victories", "share of plays won"),
        ("score", "Score", "mean score"),
        ("normalised", "Score, 0 random and 1 the planner", "normalised score"),
    ):
        series = _series(table, column, "agent", **equal)
        if any(len(each.points) > 1 for each in series) and not (column == "score" and what == "over all games"):
            plots.append(Plot(f"{title}: {what}", series, y))
    return plots


def _series(table: ResultTable, column: str, by: str, **equal: Value) -> list[Series]:
    """The points of a column by the logarithm of the experience, a series for each value of another column."""
    points: dict[str, list[tuple[float, float]]] = {}
    for row in table.rows:
        if all(row[name] == value for name, value in equal.items()) and row[column] is not None:
            points.setdefault(str(row[by]), []).append((math.log10(_number(row, "steps")), _number(row, column)))
    return [Series(label, placed) for label, placed in points.items()]


def _number(row: Mapping[str, Any], name: str) -> float:
    return max(1.0, float(row[name])) if name == "steps" else float(row[name])


def _parts(series: Sequence[Series], most: int = 8) -> list[tuple[str, Sequence[Series]]]:
    """Series in groups small enough for one plot, with the names of the first and last one."""
    groups = [series[start : start + most] for start in range(0, len(series), most)]
    return [(f"{group[0].label} to {group[-1].label}" if len(group) > 1 else group[0].label, group) for group in groups]
