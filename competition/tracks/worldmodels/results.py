"""Results of a store: accuracies, calls and win tables by seat, with intervals; as tables, JSON and CSV (10)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table

from vgdl.competition.chat.usage import UsageRow, facts_of, models_table, remarks, shown
from vgdl.competition.chat.usage import total as total_usage
from vgdl.competition.report.statistics import Z_95, wilson
from vgdl.competition.results import DASH, Column, ResultTable, rows_of
from vgdl.competition.results import Results as ResultTables
from vgdl.competition.store import Store
from vgdl.competition.tracks.worldmodels import published
from vgdl.competition.tracks.worldmodels.plan import AuthorEntry, Plan
from vgdl.competition.tracks.worldmodels.store import ChoiceRow, MatchRow, SynthesisRow, ValueRow

SETS = ("learning", "test", "online")
KINDS = ("transition", "inference")


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % interval, by Wilson's score."""

    count: int
    total: int

    @property
    def value(self) -> float:
        return self.count / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.count, self.total)

    def facts(self) -> dict[str, Any]:
        """The share as JSON-compatible data."""
        return {"count": self.count, "total": self.total, "value": self.value, "interval": list(self.interval)}


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95 % interval, by the normal approximation; fewer than two values have no interval."""

    value: float
    interval: tuple[float, float] | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        middle = fmean(values)
        if len(values) < 2:
            return cls(middle, None)
        half = Z_95 * stdev(values) / math.sqrt(len(values))
        return cls(middle, (middle - half, middle + half))


@dataclass(frozen=True, slots=True)
class Learnt:
    """All programs of a game and deck."""

    game: str
    deck: str
    programs: int
    solved: int  #: programs that pass all their tests
    calls: Mean
    tokens: float  #: mean
    cost: float  #: mean
    accuracy: dict[tuple[str, str], Share]  #: by set and kind of test


@dataclass(frozen=True, slots=True)
class Played:
    """All matches of a game, deck, opponent and seat."""

    game: str
    deck: str
    opponent: str
    seat: int
    matches: int
    wins: Share
    losses: Share
    draws: Share
    payoff: Mean
    other: Mean
    forfeits: int  #: by the learnt model
    other_forfeits: int


@dataclass(frozen=True)
class Results:
    """The results of a run so far."""

    plan: Plan
    syntheses: tuple[SynthesisRow, ...]
    matches: tuple[MatchRow, ...]
    learnt: tuple[Learnt, ...]
    played: tuple[Played, ...]
    values: dict[int, tuple[str, dict[str, Any]]]
    survivors: dict[tuple[str, str], dict[str, Any]]
    usage: list[dict[str, Any]]  #: what was used of each model for each game
    endpoints: dict[str, dict[str, Any]]  #: how the author is asked if it is a model, by name
    remarks: tuple[str, ...]  #: what is to be said about its replies

    @classmethod
    def of(cls, plan: Plan, store: Store) -> Results:
        """The results in a store; every row is read once."""
        syntheses = store.rows(SynthesisRow)
        matches = list(store.full_rows(MatchRow))
        online = {match.number: (match.record or {}).get("online", {}) for match in matches}
        groups = list(dict.fromkeys((row.game, row.deck) for row in syntheses))
        learnt = [
            _learnt([row for row in syntheses if (row.game, row.deck) == group],
                    [online[match.number] for match in matches if (match.game, match.deck) == group])
            for group in groups
        ]  # fmt: skip
        keys = list(dict.fromkeys((match.game, match.deck, match.opponent, match.seat) for match in matches))
        played = [
            _played([each for each in matches if (each.game, each.deck, each.opponent, each.seat) == key])
            for key in keys
        ]
        return cls(
            plan,
            tuple(syntheses),
            tuple(matches),
            tuple(learnt),
            tuple(played),
            {row.number: (row.program, row.facts) for row in store.rows(ValueRow)},
            {(row.game, row.deck): row.facts for row in store.rows(ChoiceRow)},
            *asking_facts(plan.author, store),
        )

    @property
    def is_complete(self) -> bool:
        """Whether all planned syntheses and matches are done."""
        plan = self.plan
        return len(self.syntheses) == len(plan.tasks()) and len(self.matches) == len(plan.fixtures())

    def facts(self) -> dict[str, Any]:
        """The results as JSON-compatible data."""
        return {
            "plan": self.plan.facts(),
            "accuracy": [_learnt_facts(row) for row in self.learnt],
            "matches": [_played_facts(row) for row in self.played],
            "programs": [
                {
                    "number": row.number,
                    "game": row.game,
                    "deck": row.deck,
                    "index": row.position,
                    "program": row.program,
                    **row.facts,
                    "value function": self.values.get(row.number, ("", {}))[0],
                    "value tournament": self.values.get(row.number, ("", {}))[1],
                }
                for row in self.syntheses
            ],
            "choice of programs": [
                {"game": game, "deck": deck, **facts} for (game, deck), facts in self.survivors.items()
            ],
            "usage": self.usage,
            "endpoints": self.endpoints,
        }


def _learnt(rows: Sequence[SynthesisRow], online: Iterable[dict[str, Any]]) -> Learnt:
    sums: dict[tuple[str, str], list[int]] = {}
    counted = [(name, row.facts[name]) for row in rows for name in ("learning", "test")]
    for name, counts in [*counted, *(("online", counts) for counts in online)]:
        for kind, (passed, total) in counts.items():
            both = sums.setdefault((name, kind), [0, 0])
            both[0] += passed
            both[1] += total
    return Learnt(
        rows[0].game,
        rows[0].deck,
        len(rows),
        sum(row.facts["solved"] for row in rows),
        Mean.of([float(len(row.facts["calls"])) for row in rows]),
        fmean(row.facts["tokens"] for row in rows),
        fmean(row.facts["cost"] for row in rows),
        {key: Share(passed, total) for key, (passed, total) in sums.items() if total},
    )


def _played(rows: Sequence[MatchRow]) -> Played:
    first, count = rows[0], len(rows)
    wins = sum(row.value > row.other for row in rows)
    losses = sum(row.value < row.other for row in rows)
    return Played(
        first.game,
        first.deck,
        first.opponent,
        first.seat,
        count,
        Share(wins, count),
        Share(losses, count),
        Share(count - wins - losses, count),
        Mean.of([row.value for row in rows]),
        Mean.of([row.other for row in rows]),
        sum(row.forfeited == row.seat for row in rows),
        sum(row.forfeited is not None and row.forfeited != row.seat for row in rows),
    )


def _learnt_facts(row: Learnt) -> dict[str, Any]:
    paper = published.accuracies().get((row.game, row.deck))
    accuracy = {f"{name} {kind}": share.facts() for (name, kind), share in row.accuracy.items()}
    return {
        "game": row.game,
        "deck": row.deck,
        "programs": row.programs,
        "solved": row.solved,
        "calls": {"mean": row.calls.value, "interval": row.calls.interval},
        "tokens": row.tokens,
        "cost": row.cost,
        "accuracy": accuracy,
        "published": paper and {"transition": paper.transition, "inference": paper.inference, "calls": paper.calls},
    }


def _played_facts(row: Played) -> dict[str, Any]:
    paper = published.matches().get((row.game, row.deck, row.opponent, row.seat))
    return {
        "game": row.game,
        "deck": row.deck,
        "opponent": row.opponent,
        "seat": row.seat,
        "matches": row.matches,
        "wins": row.wins.facts(),
        "losses": row.losses.facts(),
        "draws": row.draws.facts(),
        "payoff": {"mean": row.payoff.value, "interval": row.payoff.interval},
        "opponent's payoff": {"mean": row.other.value, "interval": row.other.interval},
        "forfeits": row.forfeits,
        "opponent's forfeits": row.other_forfeits,
        "published": paper
        and {"win": paper.win, "loss": paper.loss, "draw": paper.draw, "payoff": paper.payoff, "other": paper.other},
    }


def asking_facts(
    author: AuthorEntry, store: Store
) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]], tuple[str, ...]]:
    """What was used of models, how the author is asked, and remarks about its replies, in lines."""
    rows = store.rows(UsageRow)
    usage, endpoints = total_usage(rows), shown(author.endpoints(), rows)
    return facts_of(usage), endpoints, tuple(remarks(usage, endpoints))


_MATCHES = tuple(
    Column(name)
    for name in (
        "game", "deck", "opponent", "seat", "matches", "wins", "losses", "draws", "payoff", "opponent's payoff",
        "forfeits", "opponent's forfeits",
    )
)  # fmt: skip
_ACCURACY = tuple(Column(name) for name in ("game", "deck", "programs", "solved", "set", "tests", "passed", "total"))


def results_of(plan: Plan, store: Store, *, beside_published: bool = True) -> ResultTables:
    """The results in a store, finished or not.

    Args:
        plan: its plan.
        store: the store.
        beside_published: whether the paper's numbers are shown as well.

    Raises:
        StoreError: the store is damaged.
    """
    with store.reading("its results"):
        results = Results.of(plan, store)
        makers = (accuracy_table, calls_table) if results.learnt else ()
        tables = [make(results, beside_published=beside_published) for make in (*makers, wins_table, payoffs_table)]
        shown: list[RenderableType] = [table for table in tables if table is not None]
        shown += [*failure_lines(results), *results.remarks]
        shown += [models_table(results.endpoints)] if results.endpoints else []
        shown.append(f"seed {plan.secret}")
        facts = {**results.facts(), "sessions": store.sessions()}
    return ResultTables(
        "worldmodels",
        results.is_complete,
        [_match_table(results), _accuracy(results), models_table(results.endpoints)],
        facts,
        shown,
        csv="matches",
        done=len(results.syntheses) + len(results.matches),
        total=len(plan.tasks()) + len(plan.fixtures()),
    )


def _match_table(results: Results) -> ResultTable:
    rows = [
        (
            row.game, row.deck, row.opponent, row.seat, row.matches, row.wins.count, row.losses.count, row.draws.count,
            row.payoff.value, row.other.value, row.forfeits, row.other_forfeits,
        )
        for row in results.played
    ]  # fmt: skip
    return ResultTable("matches", "Matches of the learnt models", _MATCHES, rows_of(_MATCHES, rows))


def _accuracy(results: Results) -> ResultTable:
    rows = [
        (row.game, row.deck, row.programs, row.solved, name, kind, share.count, share.total)
        for row in results.learnt
        for (name, kind), share in row.accuracy.items()
    ]
    return ResultTable("accuracy", "Accuracy of the learnt models", _ACCURACY, rows_of(_ACCURACY, rows))


def accuracy_table(results: Results, *, beside_published: bool) -> Table:
    """The table of the programs' accuracies."""
    table = _table("Accuracy on learning, test and online sets, with 95 % intervals")
    table.add_column("game", no_wrap=True)
    table.add_column("tests", no_wrap=True)
    for column in SETS:
        table.add_column(column, justify="right", no_wrap=True)
    for row in results.learnt:
        paper = published.accuracies().get((row.game, row.deck))
        for kind in KINDS:
            shares = [row.accuracy.get((name, kind)) for name in SETS]
            if any(shares):
                learning = DASH if shares[0] is None else f"{shares[0].value:.3f}"
                cells = [share_text(share, digits=3) for share in shares[1:]]
                table.add_row(game_text(row.game, row.deck), kind, learning, *cells)
            printed = getattr(paper, kind) if beside_published and paper is not None else None
            if printed is not None:
                table.add_row("  paper", kind, "", f"{printed:.4f}", "", style="dim")
    return table


def calls_table(results: Results, *, beside_published: bool) -> Table:
    """The table of calls, tokens and costs of learning."""
    table = _table("Calls of the author until a program passed all its tests, or a limit was reached")
    table.add_column("game", no_wrap=True)
    for column in ("solved", "calls", "paper", "tokens", "cost") if beside_published else _CALLS:
        table.add_column(column, justify="right", no_wrap=True)
    for row in results.learnt:
        paper = published.accuracies().get((row.game, row.deck))
        paper_calls = [_number(paper.calls if paper else None, 1)] if beside_published else []
        solved, used = f"{row.solved}/{row.programs}", (f"{row.tokens:.0f}", f"{row.cost:.4g}")
        table.add_row(game_text(row.game, row.deck), solved, mean_text(row.calls, digits=1), *paper_calls, *used)
    return table


_CALLS = ("solved", "calls", "tokens", "cost")


def wins_table(results: Results, *, beside_published: bool) -> Table | None:
    """The table of shares of won, lost and drawn matches by opponent and seat; None without such games."""
    rows = [row for row in results.played if not has_payoffs(results.plan, row.game)]
    table = _table("Matches of the learnt models, by opponent and seat")
    _match_columns(table, ("won [95 %]", "lost", "drawn", "forfeits"))
    for row in rows:
        shares = [share_text(row.wins), f"{row.losses.value:.2f}", f"{row.draws.value:.2f}"]
        table.add_row(*_match_key(row), *shares, f"{row.forfeits}:{row.other_forfeits}")
        paper = published.matches().get((row.game, row.deck, row.opponent, row.seat))
        if beside_published and paper is not None:
            cells = [_number(value, 2) for value in (paper.win, paper.loss, paper.draw)]
            table.add_row("  paper", row.opponent, str(row.seat), "100", *cells, "", style="dim")
    return table if rows else None


def payoffs_table(results: Results, *, beside_published: bool) -> Table | None:
    """The table of mean payoffs by opponent and seat; None without such games."""
    rows = [row for row in results.played if has_payoffs(results.plan, row.game)]
    table = _table("Payoffs of the learnt models, by opponent and seat")
    _match_columns(table, ("payoff [95 %]", "theirs", "forfeits"))
    for row in rows:
        forfeits = f"{row.forfeits}:{row.other_forfeits}"
        table.add_row(*_match_key(row), mean_text(row.payoff), f"{row.other.value:.2f}", forfeits)
        paper = published.matches().get((row.game, row.deck, row.opponent, row.seat))
        if beside_published and paper is not None:
            cells = [_number(value, 2) for value in (paper.payoff, paper.other)]
            table.add_row("  paper", row.opponent, str(row.seat), "100", *cells, "", style="dim")
    return table if rows else None


def has_payoffs(plan: Plan, game: str) -> bool:
    """Whether the returns of a game are payoffs rather than just a win, draw or loss."""
    returns = plan.world(game).interface().returns
    return returns != (-1.0, 1.0)


def game_text(game: str, deck: str) -> str:
    """A game with its deck, unless that is open."""
    return game if deck == "open" else f"{game}, {deck}"


def _match_columns(table: Table, more: Sequence[str]) -> None:
    for column in ("game", "against"):
        table.add_column(column, no_wrap=True)
    for column in ("seat", "n", *more):
        table.add_column(column, justify="right", no_wrap=True)


def _match_key(row: Played) -> tuple[str, ...]:
    return game_text(row.game, row.deck), row.opponent, str(row.seat), str(row.matches)


def failure_lines(results: Results) -> list[str]:
    """A line for each program that does not pass all its tests."""
    lines = []
    for row in results.syntheses:
        if not row.facts["solved"]:
            failures = row.facts["failures"]
            first = failures[0]["text"].splitlines()[0] if failures else "no program was accepted"
            where = f"{row.game}, {row.deck} deck, program {row.position + 1}"
            lines.append(f"{where} stopped at {row.facts['stopped']}: {first[:300]}")
    return lines


def share_text(share: Share | None, *, digits: int = 2) -> str:
    """A share with its interval."""
    if share is None:
        return DASH
    low, high = share.interval
    return f"{share.value:.{digits}f} [{low:.2f}, {high:.2f}]"


def mean_text(mean: Mean, *, digits: int = 2) -> str:
    """A mean with its interval, if there is one."""
    if mean.interval is None:
        return f"{mean.value:.{digits}f}"
    low, high = mean.interval
    return f"{mean.value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _number(value: float | None, digits: int) -> str:
    return DASH if value is None else f"{value:.{digits}f}"


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
