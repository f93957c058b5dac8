"""Recorded games of the reference play here as they did there, one per game.

The recordings lie beside the checkout, in ``../shared/conformance``; the tests skip without them. The script ``check``
there replays all of them.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

CONFORMANCE = Path(__file__).resolve().parents[3] / "shared" / "conformance"


@lru_cache(maxsize=1)
def checker() -> Any:
    """The script ``check`` as a module."""
    path = CONFORMANCE / "check"
    loader = importlib.machinery.SourceFileLoader("conformance_check", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def sample() -> dict[str, Path]:
    """The shortest recording of every game, by family and game."""
    traces: dict[str, Path] = {}
    for path in sorted((CONFORMANCE / "traces").glob("*/*.jsonl.gz"), key=lambda path: path.stat().st_size):
        traces.setdefault(f"{path.parent.name}/{path.name.partition('_lvl')[0]}", path)
    return dict(sorted(traces.items()))


PENDING = sorted((CONFORMANCE / "pending" / "traces").glob("*/*.jsonl.gz"))  #: of tiny games, one per difference found


@pytest.mark.skipif(not PENDING, reason="no recordings of the reference beside the checkout")
@pytest.mark.parametrize("trace", PENDING, ids=lambda trace: trace.name.partition("_lvl")[0])
def test_a_tiny_game_replays_exactly(trace: Path) -> None:
    _, tick, difference, ticks = checker().check((trace, CONFORMANCE / "pending" / "games" / trace.parent.name))
    assert tick is None, f"differs at tick {tick} of {ticks}: {difference}"


@pytest.mark.sampled(4)
@pytest.mark.skipif(not CONFORMANCE.is_dir(), reason="no recordings of the reference beside the checkout")
@pytest.mark.parametrize("trace", sample().values(), ids=sample().keys())
def test_a_recorded_game_replays_exactly(trace: Path) -> None:
    _, tick, difference, ticks = checker().check((trace, CONFORMANCE / "games" / trace.parent.name))
    assert tick is None, f"differs at tick {tick} of {ticks}: {difference}"
