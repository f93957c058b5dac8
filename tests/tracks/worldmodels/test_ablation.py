"""The table of value functions: what they are worth in play."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tracks.worldmodels.common import facts, run
from vgdl.competition.tracks.worldmodels.further import compared
from vgdl.competition.tracks.worldmodels.scripted import fenced, prepared, standard

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of tic-tac-toe with value functions."""
    folder = tmp_path_factory.mktemp("ablation")
    script = folder / "script.json"
    answers = {"tic_tac_toe": [fenced(prepared("tic_tac_toe"))], "tic_tac_toe value": standard()["tic_tac_toe value"]}
    script.write_text(json.dumps(answers))
    words = ["--games", "tic_tac_toe", "--opponents", "random", "--learning-plays", "2", "--test-plays", "1"]
    more = ["--test-simulations", "2", "--matches", "0", "--simulations", "5", "--value-games", "1", "--quiet"]
    path = folder / "store.db"
    assert run("--author", f"scripted:{script}", *words, *more, "--store", str(path), "--seed", "1") == 0
    return path


@pytest.mark.costly
def test_programs_are_played_with_and_without_their_value_functions(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    words = ["values", str(store), "--matches", "2", "--opponents", "random,gt", "--json", str(out)]
    assert run(*words) == 0
    rows = facts(out)["values"]
    assert [(row["opponent"], row["seat"], row["matches"]) for row in rows] == [
        ("random", 0, 2), ("random", 1, 2), ("gt", 0, 2), ("gt", 1, 2)
    ]  # fmt: skip
    for row in rows:
        assert row["difference"] == pytest.approx(row["with"] - row["without"])
        assert row["low"] <= row["difference"] <= row["high"]
    assert "without and with value functions" in capsys.readouterr().out
    again = tmp_path / "again.json"
    assert run(*words[:-1], str(again)) == 0
    assert facts(again)["values"] == rows  # the same seed, the same table


def test_differences_are_compared_by_pairs() -> None:
    without, with_value, mean, low, high = compared([(0.0, 1.0), (-1.0, 0.0), (1.0, 1.0)])
    assert (without, with_value, mean) == pytest.approx((0.0, 2 / 3, 2 / 3))
    assert low is not None
    assert high is not None
    assert low == pytest.approx(2 / 3 - 1.96 * (1 / 3) ** 0.5 / 3**0.5)
    assert high - mean == pytest.approx(mean - low)


@pytest.mark.parametrize(
    ("words", "message"),
    [(["no.db"], "there is no file no.db"), (["STORE", "--opponents", "me"], "there is no opponent 'me'")],
)
def test_wrong_command_lines_are_named(
    words: list[str], message: str, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = run("values", *(str(store) if word == "STORE" else word for word in words))
    except SystemExit as stop:
        status = int(stop.code or 0)
    assert status == 2
    assert message in capsys.readouterr().err


@pytest.mark.costly
def test_a_policy_is_trained_in_the_learnt_model_and_plays_the_true_game(store: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason='needs: pip install "vgdl[learn]"')
    outs = [tmp_path / "one.json", tmp_path / "two.json"]
    words = ["ppo", str(store), "--matches", "20", "--opponents", "random", "--steps", "1500"]
    for out in outs:
        assert run(*words, "--json", str(out)) == 0
    rows = facts(outs[0])["ppo"]
    assert [(row["seat"], row["matches"], row["forfeits"]) for row in rows] == [(0, 20, 0), (1, 20, 0)]
    assert rows[0]["payoff"] > 0.5  # the first player of random play gets about 0.3
    assert facts(outs[1])["ppo"] == rows


def test_observations_become_vectors_by_the_values_that_were_seen() -> None:
    pytest.importorskip("torch", reason='needs: pip install "vgdl[learn]"')
    from vgdl.competition.tracks.worldmodels.ppo import Encoder

    encoder = Encoder([{"board": ["x", "."], "turn": 0}, {"board": [".", "."], "turn": 1}])
    assert encoder.size == 5
    assert encoder({"board": ["x", "."], "turn": 1}).tolist() == [1.0, 1.0, 0.0, 0.0, 1.0]
    assert encoder({"other": 3}).sum() == 0


def test_training_needs_pytorch(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "vgdl.competition.tracks.worldmodels.ppo", raising=False)
    assert run("ppo", str(store)) == 2
    assert 'pip install "vgdl[learn]"' in capsys.readouterr().err
