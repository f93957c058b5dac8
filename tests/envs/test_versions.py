"""When an environment gets a new number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")

import vgdl.envs
from vgdl import fingerprint
from vgdl.envs import versions
from vgdl.envs.__main__ import main
from vgdl.envs.versions import Facts, Versions

LAST = Versions(
    {"aliens": "shown", "zelda": "seen"},
    "0.2.0",
    {"aliens": (0, Facts("abc", "shown")), "zelda": (2, Facts("def", "seen"))},
)


@pytest.fixture
def last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A separate file, read and written instead of the project's."""
    path = tmp_path / "versions.toml"
    versions.write(LAST, path)
    monkeypatch.setattr(versions.read, "__defaults__", (path,))
    monkeypatch.setattr(versions.write, "__defaults__", (path,))
    return path


def test_a_game_keeps_its_number_while_nothing_changes() -> None:
    assert (LAST.number("aliens", "abc"), LAST.number("zelda", "def")) == (0, 2)


def test_a_changed_fingerprint_is_a_new_number() -> None:
    assert (LAST.number("aliens", "other"), LAST.number("zelda", "def")) == (1, 2)


def test_a_number_rises_by_one_however_often_a_game_changes_before_the_next_release() -> None:
    assert LAST.number("aliens", "other") == LAST.number("aliens", "yet another") == 1


def test_an_environment_with_changed_observations_has_a_new_number() -> None:
    changed = replace(LAST, shown={"aliens": "other", "zelda": "seen"})
    assert (changed.number("aliens", "abc"), changed.number("zelda", "def")) == (1, 2)


def test_a_new_game_starts_at_zero() -> None:
    assert LAST.number("frogs", "ghi") == 0


def test_a_file_comes_back_as_it_was_written(last: Path) -> None:
    assert versions.read(last) == LAST


@pytest.mark.costly
def test_a_release_records_the_current_ids_as_those_of_the_last_release(last: Path) -> None:
    assert main(["--release", "0.3.0"]) == 0
    after = versions.read()
    assert after.release == "0.3.0"
    assert (after.released["aliens"][0], after.released["zelda"][0], after.released["frogs"][0]) == (1, 3, 0)
    plan = fingerprint.read_plan()
    assert all(after.number(game, plan.expected[game]) == after.released[game][0] for game in after.released)


def test_observations_are_those_recorded_in_the_file() -> None:
    """If this change is meant: ``python -m vgdl.envs --update``, and say so in the commit."""
    assert versions.digests() == versions.read().shown


def test_ids_carry_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert listed == vgdl.envs.env_ids()
    assert all(env_id.endswith(f"-v{versions.version(game)}") for env_id, game in listed.items())
