"""The usage of language models, in a results store."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import ClassVar

from vgdl.competition.chat.accounts import Accounts
from vgdl.competition.store import Store, insert


def usage_table(name: str) -> str:
    """The SQL statement that creates the table."""
    return f"""
    CREATE TABLE {name} (
        session INTEGER NOT NULL REFERENCES sessions,
        model TEXT NOT NULL,
        game TEXT NOT NULL,
        usage TEXT NOT NULL,              -- JSON: the fields of a Usage
        PRIMARY KEY (session, model, game)
    ) WITHOUT ROWID
    """


class UsageStore(Store):
    """An open store of a track that asks language models."""

    USAGE: ClassVar[str]  #: name of the table, see `usage_table`

    def keep_usage(self, session: int, accounts: Accounts) -> None:
        """Store the usage of a session so far, replacing its earlier record."""
        for (model, game), usage in list(accounts.by_label.items()):
            row = {"session": session, "model": model, "game": game, "usage": json.dumps(asdict(usage))}
            with self.writing() as connection:
                connection.execute(
                    f"DELETE FROM {self.USAGE} WHERE session = ? AND model = ? AND game = ?", [session, model, game]
                )
                insert(connection, self.USAGE, row)

    def usage(self) -> dict[tuple[str, str], dict[str, float]]:
        """The usage in all sessions, by model and game."""
        found: dict[tuple[str, str], dict[str, float]] = {}
        with self.reading("what was used"):
            for model, game, text in self.connection.execute(f"SELECT model, game, usage FROM {self.USAGE}"):
                total = found.setdefault((model, game), {})
                for name, value in json.loads(text).items():
                    total[name] = total.get(name, 0) + value
        return found
