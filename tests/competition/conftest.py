"""Fixtures of several modules."""

from __future__ import annotations

import pytest

from vgdl.competition.agents import core_ticks, patience


@pytest.fixture
def nothing_stolen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host takes no time, so the runner subtracts none from what it charges."""
    monkeypatch.setattr(patience, "stolen_ns", lambda _: 0)
    monkeypatch.setattr(core_ticks, "interrupts", lambda _: None)
