"""The same plays on a Ray cluster of this machine."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

import contests
from vgdl.competition.track import Result, Unit
from vgdl.competition.tracks.planning.ray_backend import ClusterFailed, RayBackend, RayUnavailable
from vgdl.competition.tracks.planning.runner import Competition, PlayRecord

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")


def small(*controllers: str, budget: str = "calls:30") -> Competition:
    """A competition of three plays for each controller."""
    planned = contests.plan(*controllers, levels=None, budget=budget)
    return Competition(planned, contests.sandbox_for(planned, "auto"))


def result(record: PlayRecord) -> Result:
    return Result(record.rows, "a play", record=record)


@pytest.fixture
def backend() -> Iterator[RayBackend]:
    """Two actors for six plays, on a separate cluster."""
    made = RayBackend(small("random", "onesteplookahead"), 2, None, result)
    yield made
    made.stop()


@needs_ray
def test_a_cluster_gives_the_same_results_and_repeats_lost_plays(backend: RayBackend) -> None:
    """An actor's process is killed after the first play; no play is missing at the end."""
    import ray

    local = small("random", "onesteplookahead")
    records: list[PlayRecord] = []
    for unit, played in backend.play([Unit(number, number) for number in range(6)]):
        if not records:
            os.kill(ray.get(backend.actors[0].pid.remote()), signal.SIGKILL)
        assert played.record.fixture == unit.key
        records.append(played.record)
    by_number = {record.fixture: record.result for record in records}
    assert len(records) == len(by_number) == 6
    assert [by_number[number] for number in range(6)] == [local.play(number).result for number in range(6)]


@needs_ray
def test_an_unreachable_cluster_is_an_error() -> None:
    with pytest.raises(ClusterFailed, match="no answer from"):
        RayBackend(small("random"), 1, "127.0.0.1:1", result)


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(RayUnavailable, match=r"vgdl\[ray\]"):
        RayBackend(small("random"), 1, None, result)
