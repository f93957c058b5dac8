"""The usage of language models, as rows of a results store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from vgdl.competition.chat.accounts import Accounts
from vgdl.competition.chat.fields import Endpoint
from vgdl.competition.results import Column, ResultTable
from vgdl.competition.table import Table


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What a session has used of a player's model for a game so far."""

    session: int
    model: str  #: the player's name; several may use the same model
    game: str
    usage: dict[str, float]  #: the fields of a `Usage`
    without: tuple[str, ...] = ()  #: what was changed in requests because the endpoint refused it, in words


def usage_table(name: str) -> Table[UsageRow]:
    """The table of a track."""
    return Table(name, UsageRow, "session", "model", "game", optional=True)


def usage_rows(session: int, accounts: Accounts) -> list[UsageRow]:
    """The usage of a session so far; rows that are put into a store replace its earlier ones."""
    return [
        UsageRow(session, player, game, asdict(usage), accounts.without.get(player, ()))
        for (player, game), usage in list(accounts.by_label.items())
    ]


def total(rows: Iterable[UsageRow]) -> dict[tuple[str, str], dict[str, float]]:
    """The usage in all sessions, by player and game."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        known = found.setdefault((row.model, row.game), {})
        for name, value in row.usage.items():
            known[name] = known.get(name, 0) + value
    return found


def shown(endpoints: Mapping[str, Endpoint], rows: Iterable[UsageRow]) -> dict[str, dict[str, Any]]:
    """What results say about the models behind endpoints, by player: how they were asked, and what was refused."""
    without: dict[str, dict[str, None]] = {}
    for row in rows:
        without.setdefault(row.model, {}).update(dict.fromkeys(row.without))
    return {name: {**endpoint.shown(), "without": [*without.get(name, ())]} for name, endpoint in endpoints.items()}


_MODELS = (
    Column("player"), Column("endpoint"), Column("model"), Column("fields"), Column("price_in", "price in", "g"),
    Column("price_out", "price out", "g"), Column("limits"), Column("without"),
)  # fmt: skip


def models_table(endpoints: Mapping[str, Mapping[str, Any]]) -> ResultTable:
    """How models were asked, a row per player: addresses, fields, prices per million tokens and limits, without keys.

    Args:
        endpoints: the result of `shown`.
    """
    rows = [
        {
            "player": name,
            "endpoint": facts["url"],
            "model": facts["model"],
            "fields": _listed(facts["fields"]),
            "price_in": facts["price"] and facts["price"]["prompt"],
            "price_out": facts["price"] and facts["price"]["completion"],
            "limits": _listed({name.removeprefix("max_"): value for name, value in facts["limits"].items()}),
            "without": ", ".join(facts["without"]),
        }
        for name, facts in endpoints.items()
    ]
    columns = [
        replace(column, hidden=True) if column.name in ("fields", "limits", "without") and not any(
            row[column.name] for row in rows
        ) else column
        for column in _MODELS
    ]  # fmt: skip
    return ResultTable("models", "How models were asked (prices per million tokens)", columns, rows)


def _listed(values: Mapping[str, Any]) -> str:
    """Values by name, in one line."""
    return ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items())


def facts_of(usage: Mapping[tuple[str, str], Mapping[str, float]]) -> list[dict[str, Any]]:
    """The usage by player and game, as JSON-compatible data."""
    return [{"model": player, "game": game, **used} for (player, game), used in usage.items()]


def by_player(usage: Mapping[tuple[str, str], Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """The usage by player, over all games."""
    found: dict[str, dict[str, float]] = {}
    for (player, _), used in usage.items():
        known = found.setdefault(player, {})
        for name, value in used.items():
            known[name] = known.get(name, 0) + value
    return found


def remarks(
    usage: Mapping[tuple[str, str], Mapping[str, float]], endpoints: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """What is to be said about models besides their usage, in lines: replies of no use, and what endpoints refused.

    Args:
        usage: by player and game.
        endpoints: the result of `shown`.
    """
    for player, used in by_player(usage).items():
        cut, unanswered = (int(used.get(name, 0)) for name in ("cut", "unanswered"))
        if cut or unanswered:
            tokens = int(used.get("faulty_tokens", 0))
            yield f"{player}: {cut} replies were cut, {unanswered} had no answer; these took {tokens} tokens"
    for player, facts in endpoints.items():
        if facts["without"]:
            yield f"{player}: its endpoint refused some fields, so requests were sent {', '.join(facts['without'])}"
