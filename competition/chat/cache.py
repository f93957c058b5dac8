"""A cache of replies in SQLite: a repeated request costs nothing and needs no network."""

from __future__ import annotations

import enum
import hashlib
import json
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from vgdl.competition.chat.model import ChatError, Message, Reply, Sampling
from vgdl.competition.closing import Closing

SCHEMA = """
CREATE TABLE IF NOT EXISTS chat_replies (
    key BLOB PRIMARY KEY,        -- BLAKE2b of the request, see cache.request_key
    model TEXT NOT NULL,
    reply TEXT NOT NULL          -- JSON: the fields of a Reply
) WITHOUT ROWID;
"""


class Mode(enum.StrEnum):
    """Modes of the cache."""

    USE = "use"  #: answer from the cache, and save new replies
    REFRESH = "refresh"  #: ask again, and save the new replies
    ONLY = "only"  #: answer from the cache, and never ask: replays a finished run
    OFF = "off"  #: neither read nor write


class NotCached(ChatError):
    """The mode is ``only``, and the reply is not in the cache."""


def request_key(
    model: str, messages: Sequence[Message], sampling: Sampling, version: str, key: Sequence[str | int]
) -> bytes:
    """The identity of a request.

    Args:
        model: name of the model.
        messages: the conversation.
        sampling: all settings of the sampling.
        version: version of the prompt.
        key: distinguishes this request from equal ones: match, player, turn, attempt.
    """
    facts = [model, list(messages), asdict(sampling), version, list(key)]
    text = json.dumps(facts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=32).digest()


class Cache(Closing):
    """Replies by the key of their request, each on the disk before ``put`` returns. May be used by several threads."""

    def __init__(self, path: Path | None, mode: Mode = Mode.USE) -> None:
        """Open the cache in a results store or a separate file; without a path it is in memory.

        Raises:
            ChatError: the file cannot be opened or is not a SQLite file.
        """
        self.mode = mode
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(path or ":memory:", check_same_thread=False, timeout=60)
            self._connection.executescript(SCHEMA)
        except sqlite3.Error as error:
            raise ChatError(f"{path} cannot be used as a cache of replies: {error}") from None

    def close(self) -> None:
        self._connection.close()

    def get(self, key: bytes) -> Reply | None:
        """The stored reply, marked as cached; None if there is none or the mode does not read the cache.

        Raises:
            NotCached: the mode is ``only``, and there is none.
        """
        if self.mode in (Mode.REFRESH, Mode.OFF):
            return None
        with self._lock:
            row = self._connection.execute("SELECT reply FROM chat_replies WHERE key = ?", [key]).fetchone()
        if row is not None:
            return replace(Reply(**json.loads(row[0])), cached=True)
        if self.mode is Mode.ONLY:
            raise NotCached("a reply is not in the cache, and no model is asked (cache mode 'only')")
        return None

    def put(self, key: bytes, reply: Reply, model: str) -> None:
        """Save a reply, replacing an older one to the same request."""
        if self.mode is Mode.OFF:
            return
        with self._lock, self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO chat_replies VALUES (?, ?, ?)", [key, model, json.dumps(asdict(reply))]
            )
