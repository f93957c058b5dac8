"""The examples do what they say, at a small scale."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def example(name: str) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_training_on_the_arrays_of_the_core_beats_chance(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="the example has requirements of its own")
    train = example("train_aliens")
    assert train.main(["--minutes", "0.1", "--score", "0"]) == 0
    assert "held-out plays" in capsys.readouterr().out


def test_training_with_stable_baselines_on_the_plays_of_the_core(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("stable_baselines3", reason="the example has requirements of its own")
    example("train_aliens")  # which the other one imports
    train = example("train_aliens_sb3")
    assert train.main(["--minutes", "0.1", "--score", "0"]) == 0
    assert "held-out plays" in capsys.readouterr().out


@pytest.mark.costly
def test_ppo_in_the_manner_of_cleanrl_learns(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="the example has requirements of its own")
    ppo = example("cleanrl_ppo")
    assert ppo.main(["--total-timesteps", "4096", "--env-id", "vgdl/Aliens-v0", "--num-envs", "16"]) == 0
    assert "mean score" in capsys.readouterr().out


def test_the_page_on_generalisation_shows_the_recorded_runs() -> None:
    pytest.importorskip("stable_baselines3", reason="the example has requirements of its own")
    project = EXAMPLES.parent
    table = example("generalisation").table(project / "benchmarks" / "results" / "generalisation.csv")
    assert table in (project / "docs" / "generalisation.md").read_text(encoding="utf-8")


@pytest.mark.costly
def test_generalisation_is_measured_on_levels_not_seen_in_training(tmp_path: Path) -> None:
    pytest.importorskip("stable_baselines3", reason="the example has requirements of its own")
    path = tmp_path / "runs.csv"
    measure = example("generalisation")
    assert measure.main(["--games", "aliens", "--steps", "4096", "--plays", "6", "--output", str(path)]) == 0
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [(row["policy"], row["levels"]) for row in rows] == [
        ("random", "train"), ("ppo", "train"), ("random", "test"), ("ppo", "test"),
    ]  # fmt: skip
    assert all(float(row["mean_score"]) > 0 for row in rows)


def test_training_beats_chance(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("stable_baselines3", reason="the example has requirements of its own")
    train = example("train_ppo")
    assert train.main(["--steps", "10000", "--seeds", "0", "--plays", "20", "--margin", "1"]) == 0
    assert "more than random play" in capsys.readouterr().out


def test_an_observation_of_ones_own_follows_the_play() -> None:
    pytest.importorskip("gymnasium", reason='needs: pip install "vgdl[gym]"')
    observation = example("observation")
    seen = observation.main(20)
    assert seen.shape == (21, 2)
    assert len({tuple(row) for row in seen}) > 3, "it changes as the avatar and the monsters move"
    assert (seen == observation.main(20)).all()


def test_a_turn_based_game_of_ones_own_is_played() -> None:
    from vgdl.tabletop import play

    nim = example("nim")
    end = play(nim.Nim(heaps=2), [lambda state: state.legal_actions()[-1]] * 2, lambda: 0.0)
    assert str(end) == "heaps: 0 0; player 1 has lost"
    assert end.returns() == [-1.0, 1.0]
