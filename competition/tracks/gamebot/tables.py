"""The results in the terminal: the table in the paper's format, subproblems, and usage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from vgdl.competition.chat.usage import by_player, models_table, remarks
from vgdl.competition.results import DASH, Column, ResultTable, rows_of
from vgdl.competition.results import Results as ResultTables
from vgdl.competition.store import Store
from vgdl.competition.tracks.gamebot.published import PublishedRow, published
from vgdl.competition.tracks.gamebot.results import Results, questions
from vgdl.competition.tracks.gamebot.scores import Interval
from vgdl.competition.tracks.gamebot.store import UnplayedRow
from vgdl.competition.tracks.gamebot.tasks import TASKS

_SCORES = (
    Column("model"), Column("S", form=".2f"), Column("I", form=".2f"), Column("score", form=".3f"),
    *(Column(f"{name}_{end}", form=".3f") for name in ("S", "I", "score") for end in ("low", "high")),
)  # fmt: skip
_ROWS = tuple(
    Column(name)
    for name in (
        "model", "game", "matches", "wins", "draws", "losses", "mean value", "moves", "replaced", "move format errors",
        "subproblem", "metric", "value", "asked", "format errors",
    )
)  # fmt: skip


def results_of(results: Results, store: Store, *, beside_published: bool = False) -> ResultTables:
    """The results as tables.

    Args:
        results: the results.
        store: their store.
        beside_published: whether the paper's table is shown as well.
    """
    facts = results.facts()
    done, total = len(results.seats) // 2, len(results.plan.fixtures())
    return ResultTables(
        "gamebot",
        done == total,
        [
            _score_table(results),
            _row_table(facts),
            _rating_table(results),
            _spread_table(results),
            paper_table(results),
            models_table(results.endpoints),
        ],
        {**facts, "sessions": store.sessions()},
        [
            *_shown(results, beside_published=beside_published),
            f"{results.plan.variant} prompts, answers read in the mode {results.plan.reading}",
            f"seed {results.plan.secret}",
        ],
        csv="rows",
        done=done,
        total=total,
    )


def _score_table(results: Results) -> ResultTable:
    rows = []
    for row in results.table.scores:
        bounds = results.intervals.get(row.model, {})
        ends = [bound for name in ("S", "I", "score") for bound in bounds.get(name, (None, None))]
        rows.append((row.model, row.outcome, row.intermediate, row.score, *ends))
    return ResultTable("scores", "Scores, (S + I)/2, with 95 % intervals", _SCORES, rows_of(_SCORES, rows))


_RATINGS = (
    Column("game"), Column("model"), Column("points", "Elo", show=lambda row: str(round(float(row["points"] or 0)))),
    Column("low", form=".0f"),
    Column("high", form=".0f"), Column("best_rank"), Column("worst_rank"), Column("matches"),
)  # fmt: skip
_SPREADS = (
    Column("game"), Column("players"),
    *(Column(f"{name}_{part}", form=".2f") for name in "si" for part in ("lowest", "highest", "deviation")),
    Column("pearson", form=".2f"), Column("spearman", form=".2f"),
)  # fmt: skip


def _rating_table(results: Results) -> ResultTable:
    rows = [asdict(rating) for rating in results.ratings]
    return ResultTable("ratings", "Bradley–Terry ratings in Elo points, with 95 % intervals", _RATINGS, rows)


def _spread_table(results: Results) -> ResultTable:
    rows = [asdict(spread) for spread in results.spreads]
    return ResultTable("spreads", "Spread of the players, and correlation of s and I", _SPREADS, rows)


def paper_table(results: Results) -> ResultTable:
    """Outcomes by game, S, answers by game, I and the score: a row per player, as the paper prints its results."""
    games = results.games
    columns = (
        Column("model"), *(Column(f"s_{game}", TASKS[game].letter, form=".2f") for game in games),
        Column("S", form=".2f"), *(Column(f"i_{game}", TASKS[game].letter, form=".2f") for game in games),
        Column("I", form=".2f"), Column("score", form=".3f"),
    )  # fmt: skip
    rows = [
        (row.model, *(row.outcomes[game] for game in games), row.outcome,
         *(row.intermediates[game] for game in games), row.intermediate,
         row.score)
        for row in results.table.scores
    ]  # fmt: skip
    return ResultTable("paper", "Outcomes and answers by game, as in the paper", columns, rows_of(columns, rows))


def _row_table(facts: Mapping[str, Any]) -> ResultTable:
    """A row per player, game and subproblem."""
    rows = []
    for row in facts["rows"]:
        for title, found in (row["subproblems"] or {"": {}}).items():
            details = {name: found.get(name) for name in ("metric", "value", "asked", "format errors")}
            rows.append({**{column.name: row.get(column.name) for column in _ROWS}, "subproblem": title, **details})
    return ResultTable("rows", "Players by game and subproblem", _ROWS, rows)


def _shown(results: Results, *, beside_published: bool) -> Iterator[RenderableType]:
    """What a terminal shows."""
    games = results.games
    paper = published() if beside_published else ()
    outcomes = [(row.model, row.outcomes, row.outcome) for row in results.table.scores]
    answers = [(row.model, row.intermediates, row.intermediate) for row in results.table.scores]
    own = [(row.model, row.outcomes, row.outcome) for row in paper]
    yield _by_game("Outcomes s, and their mean S", "S", games, outcomes, own)
    yield legend(games)
    for game, alpha in results.table.alphas.items():
        yield f"{TASKS[game].title}: mean values are divided by {alpha:g}"
    own = [(row.model, row.intermediates, row.intermediate) for row in paper]
    yield _by_game("Subproblems, and their mean I", "I", games, answers, own)
    yield _scores(results, paper)
    yield from _rated(results)
    for game in games:
        yield _details(results, game)
    if results.usage:
        yield _usage(results)
        yield from remarks(results.usage, results.endpoints)
    if results.endpoints:
        yield models_table(results.endpoints)
    if results.unplayed:
        yield _unplayed(results)


def legend(games: Sequence[str]) -> str:
    """The letters of the columns of games, with the titles that they stand for."""
    return ", ".join(f"{TASKS[game].letter} {TASKS[game].title}" for game in games)


Line = tuple[str, Mapping[str, float | None], float | None]
"""A player, its values by game, and their mean."""


def _by_game(title: str, mean: str, games: Sequence[str], own: Sequence[Line], paper: Sequence[Line]) -> Table:
    table = _table(title)
    table.add_column("player", no_wrap=True)
    for game in games:
        table.add_column(TASKS[game].letter, justify="right", no_wrap=True)
    table.add_column(mean, justify="right", style="bold", no_wrap=True)
    for name, values, total in own:
        table.add_row(name, *(number(values[game]) for game in games), number(total))
    if paper:
        table.add_section()
    for name, values, total in paper:
        table.add_row(f"{name} (paper)", *(number(values[game]) for game in games), number(total), style="dim")
    return table


def _scores(results: Results, paper: Sequence[PublishedRow]) -> Table:
    table = _table("Scores, (S + I)/2, with 95 % intervals")
    table.add_column("player", no_wrap=True)
    for column in ("S", "I", "score"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in results.table.scores:
        bounds = results.intervals.get(row.model, {})
        table.add_row(
            row.model,
            number(row.outcome, bounds.get("S")),
            number(row.intermediate, bounds.get("I")),
            number(row.score, bounds.get("score"), digits=3),
        )
    if paper:
        table.add_section()
    for printed in paper:
        values = (number(printed.outcome), number(printed.intermediate), number(printed.score, digits=3))
        table.add_row(f"{printed.model} (paper)", *values, style="dim")
    return table


def _rated(results: Results) -> Iterator[RenderableType]:
    """The ratings over all games, and how outcomes and answers go together."""
    if results.ratings:
        game = results.ratings[0].game
        yield _rating_table(results).only("Bradley–Terry ratings in Elo points, with 95 % intervals", game=game)
    if results.spreads[0].pearson is not None:
        spread = results.spreads[0]
        yield f"Correlation of S and I: {number(spread.pearson)} (Pearson), {number(spread.spearman)} (Spearman)"


def _details(results: Results, game: str) -> Table:
    """Details of a game: results, the value of each subproblem, and unreadable or replaced moves."""
    asked = questions(game)
    table = _table(TASKS[game].title)
    table.add_column("player", no_wrap=True)
    for column in ("W", "D", "L", *(title for _, title, _ in asked), "unread", "replaced"):
        table.add_column(column, justify="right")
    for score in results.table.scores:
        row = results.table.rows.get((score.model, game))
        if row is None:
            continue
        values = [number(row.tallies[each].value) if each in row.tallies else DASH for each, _, _ in asked]
        unreadable = sum(tally.format_errors for tally in row.tallies.values())
        counts = map(str, (row.wins, row.draws, row.losses))
        table.add_row(row.model, *counts, *values, str(unreadable), f"{row.replaced}/{row.moves}")
    return table


def _usage(results: Results) -> Table:
    table = _table("What asking models has used")
    table.add_column("player", no_wrap=True)
    names = {"calls": "calls", "cached": "from the cache", "retries": "retries", "prompt_tokens": "tokens in"}
    names |= {"completion_tokens": "tokens out", "seconds": "seconds", "cost": "cost"}
    for title in names.values():
        table.add_column(title, justify="right")
    for model, used in by_player(results.usage).items():
        table.add_row(model, *(f"{used.get(name, 0):.6g}" for name in names))
    return table


def _unplayed(results: Results) -> Table:
    """How many matches could not be played, by player and reason, and the first message of each."""
    table = _table("Matches that could not be played; --resume tries them again")
    for column in ("player", "reason", "matches", "message"):
        table.add_column(column, justify="right" if column == "matches" else "left")
    groups: dict[tuple[str, str], list[UnplayedRow]] = {}
    for row in results.unplayed:
        groups.setdefault((row.player, row.reason), []).append(row)
    for (player, reason), rows in groups.items():
        table.add_row(escape(player), reason, str(len(rows)), escape(rows[0].message))
    return table


def _table(title: str) -> Table:
    """A table that fits into 80 columns with eight games."""
    return Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False,
        min_width=len(title),
    )  # fmt: skip


def number(value: float | None, interval: Interval | None = None, *, digits: int = 2) -> str:
    """A value with its interval; a dash if there is none."""
    if value is None:
        return DASH
    text = f"{value:.{digits}f}"
    return f"{text} [{interval[0]:.{digits}f}, {interval[1]:.{digits}f}]" if interval else text
