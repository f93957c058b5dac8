"""Plays by people: best scores and, with their consent, replays, which serve as human baselines."""

from __future__ import annotations

from collections.abc import Sequence

from vgdl import Board, StateObservation
from vgdl.competition.web.accounts import User
from vgdl.competition.web.database import Database, Row
from vgdl.competition.web.jobs import pack

ANONYMOUS = "anonymous"

_BEST = "ORDER BY won DESC, score DESC, ticks, id"


def keep(
    database: Database,
    user: User | None,
    board: Board,
    level: int,
    seed: int,
    actions: Sequence[Sequence[str | None]],
    state: StateObservation,
    *,
    consent: bool,
) -> int | None:
    """Save a finished play; returns its number.

    Without consent, only the score is saved, and only for users who are signed in.

    Args:
        database: the database of the site.
        user: the player, if signed in.
        board: the board that was played.
        level: the number of the level.
        seed: seed of the game.
        actions: names by tick and player.
        state: the final state.
        consent: whether the replay may be saved and published.
    """
    if user is None and not consent:
        return None
    row = database.row(
        "INSERT INTO records (user_id, name, game, level, game_sha256, level_sha256, seed, won, score, ticks, "
        "actions, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        *(user.id if user else None, user.name if user else ANONYMOUS, board.game.name, level),
        *(board.game.digest, board.digest, seed, int(state.winners[0] == 1), float(state.scores[0]), state.tick),
        *(pack(actions) if consent else None, database.now()),
    )
    assert row is not None
    return int(row["id"])


def best(database: Database, game: str, level: int | None = None, most: int = 10) -> list[Row]:
    """The best plays of a game or one of its levels, ordered by victory, then score, then time."""
    where, values = ("AND level = ?", [level]) if level is not None else ("", [])
    query = f"SELECT {_COLUMNS} FROM records WHERE game = ? {where} {_BEST} LIMIT ?"
    return database.rows(query, game, *values, most)


def counts(database: Database) -> dict[str, int]:
    """The number of plays saved for each game."""
    rows = database.rows("SELECT game, COUNT(*) AS count FROM records GROUP BY game")
    return {row["game"]: int(row["count"]) for row in rows}


def get(database: Database, number: int) -> Row | None:
    """A play whose replay was saved, with its actions."""
    kept = "seed, game_sha256, level_sha256, actions"
    query = f"SELECT {_COLUMNS}, {kept} FROM records WHERE id = ? AND actions IS NOT NULL"
    return database.row(query, number)


def withdraw(database: Database, user: User, number: int) -> bool:
    """Delete a play of a user who withdraws consent; returns whether it existed."""
    return database.run("DELETE FROM records WHERE id = ? AND user_id = ?", number, user.id) == 1


def of_user(database: Database, user: User) -> list[Row]:
    """The plays of a user, the newest first."""
    return database.rows(f"SELECT {_COLUMNS} FROM records WHERE user_id = ? ORDER BY id DESC LIMIT 200", user.id)


_COLUMNS = (
    "id, user_id, name, game, level, won, score, ticks, at, CASE WHEN actions IS NULL THEN 0 ELSE 1 END AS has_replay"
)
