"""The usage of language models, as rows of a results store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from vgdl.competition.chat.accounts import Accounts
from vgdl.competition.table import Table


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What a session has used of a model for a game so far."""

    session: int
    model: str
    game: str
    usage: dict[str, float]  #: the fields of a `Usage`


def usage_table(name: str) -> Table[UsageRow]:
    """The table of a track."""
    return Table(name, UsageRow, "session", "model", "game", optional=True)


def usage_rows(session: int, accounts: Accounts) -> list[UsageRow]:
    """The usage of a session so far; rows that are put into a store replace its earlier ones."""
    return [UsageRow(session, model, game, asdict(usage)) for (model, game), usage in list(accounts.by_label.items())]


def total(rows: Iterable[UsageRow]) -> dict[tuple[str, str], dict[str, float]]:
    """The usage in all sessions, by model and game."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        known = found.setdefault((row.model, row.game), {})
        for name, value in row.usage.items():
            known[name] = known.get(name, 0) + value
    return found
