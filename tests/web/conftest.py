"""What the tests of the competition site share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")
argon2 = pytest.importorskip("argon2")

from vgdl.competition.web import accounts  # noqa: E402
from vgdl.competition.web.database import Database, open_database  # noqa: E402


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Argon2 at its cheapest: what it costs is a promise to users, and no matter of most tests."""
    hasher = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(accounts, "_hasher", lambda: hasher)
    accounts._decoy.cache_clear()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A new site."""
    with open_database(str(tmp_path / "site.db"), create=True) as opened:
        yield opened
