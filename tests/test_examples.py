"""The examples do what they say, at a small scale."""

from __future__ import annotations

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


def test_training_beats_chance(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("stable_baselines3", reason="the example has requirements of its own")
    train = example("train_ppo")
    assert train.main(["--steps", "10000", "--seeds", "0", "--plays", "20", "--margin", "1"]) == 0
    assert "more than random play" in capsys.readouterr().out
