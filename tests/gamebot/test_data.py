"""Turns as data, and the questions as a data set with a scorer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from vgdl.competition.cli import main
from vgdl.competition.tracks.gamebot.grammars import Mode
from vgdl.competition.tracks.gamebot.tasks import TASKS, sample
from vgdl.competition.tracks.gamebot.turns import COLUMNS
from vgdl.competition.tracks.gamebot.verdicts import Metric

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')
pytest.importorskip("jinja2", reason='needs: pip install "vgdl[llm]"')

COMMAND = ["gamebot", "--models", "scripted:correct,scripted:mix", "--games", "tic_tac_toe,pong", "--matches", "2"]
COMMAND += ["--seed", "7", "--quiet"]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_turn_is_written_as_json_lines(tmp_path: Path) -> None:
    store, file, later, facts = (tmp_path / name for name in ("s.db", "turns.jsonl", "later.jsonl", "facts.json"))
    assert main([*COMMAND, "--store", str(store), "--turns", str(file), "--json", str(facts)]) == 0
    rows = lines(file)
    assert all(list(row) == list(COLUMNS) for row in rows)
    assert {row["game"] for row in rows} == {"tic_tac_toe", "pong"}
    right = [row for row in rows if row["player"] == "scripted:correct" and row["verdict"]]
    assert {row["verdict"] for row in right} == {"TP", "TN", "correct"}
    assert all("## Worked examples" in row["prompt"] for row in right)
    assert all("Intermediate Thinking Results" in row["answer"] for row in right)
    known = json.loads(facts.read_text(encoding="utf-8"))
    asked = sum(found["asked"] for row in known["rows"] for found in row["subproblems"].values())
    assert len([row for row in rows if row["verdict"]]) == asked
    spent = sum(usage["completion_tokens"] for usage in known["usage"])
    assert sum(row["completion_tokens"] for row in rows) == spent
    assert main(["gamebot", "--resume", str(store), "--quiet", "--turns", str(later)]) == 0
    assert lines(later) == rows


def test_turns_cost_what_their_tokens_cost(tmp_path: Path) -> None:
    from vgdl.competition.chat.accounts import Price
    from vgdl.competition.track import OpenStore
    from vgdl.competition.tracks.gamebot import turns
    from vgdl.competition.tracks.gamebot.plan import Entry, Plan

    store = tmp_path / "s.db"
    assert main([*COMMAND, "--store", str(store)]) == 0
    entries = tuple(Entry(name, "scripted", model=name[9:], price=Price(1, 10)) for name in COMMAND[2].split(","))
    with OpenStore.open(store) as held:
        rows = list(turns.rows(Plan(entries, ("tic_tac_toe", "pong"), 2, 7), held.store))
    assert sum(row["cost"] for row in rows) == pytest.approx(
        sum(row["prompt_tokens"] + 10 * row["completion_tokens"] for row in rows) / 1e6
    )


def test_every_turn_is_written_as_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason='needs: pip install "vgdl[parquet]"')
    pandas = pytest.importorskip("pandas")
    store, file, text = tmp_path / "s.db", tmp_path / "turns.parquet", tmp_path / "turns.jsonl"
    assert main([*COMMAND, "--store", str(store), "--turns", str(file)]) == 0
    assert main(["gamebot", "--resume", str(store), "--quiet", "--turns", str(text)]) == 0
    frame = pandas.read_parquet(file)
    assert list(frame.columns) == list(COLUMNS)
    assert list(frame["position"]) == [row["position"] for row in lines(text)]


@pytest.mark.parametrize(
    ("file", "message"),
    [("turns.csv", "--turns expects a file that ends with .jsonl or .parquet"), ("no/such/x.jsonl", "no folder")],
)
def test_a_file_for_turns_is_checked_before_the_run(
    file: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([*COMMAND, "--turns", str(tmp_path / file)])
    assert message in capsys.readouterr().err


def test_a_missing_package_for_parquet_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SystemExit, match="2"):
        main([*COMMAND, "--turns", str(tmp_path / "turns.parquet")])
    assert 'pip install "vgdl[parquet]"' in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------- questions


@pytest.mark.parametrize("game", TASKS)
def test_the_truth_is_right_and_nonsense_is_wrong(game: str) -> None:
    for number in [each.number for each in TASKS[game]().subproblems]:
        for seed in range(4):
            question = sample(seed, game, number)
            assert question.check(question.truth, Mode.STRICT)
            assert question.check(f"Let me see.\n**[Intermediate Thinking Results {number}]:** {question.truth}")
            assert question.reward(question.truth) == 1.0
            assert question.reward("") == question.reward("I do not know") == 0.0
            assert question.position in question.text
            assert sample(seed, game, number) == question


def test_seeds_give_all_games() -> None:
    assert {sample(seed).game for seed in range(60)} == set(TASKS)


def test_answers_are_balanced() -> None:
    questions = [sample(seed, "connect_four", 1) for seed in range(60)]
    assert questions[0].metric is Metric.F1
    assert 18 <= sum(question.truth != "None" for question in questions) <= 42


@pytest.mark.parametrize(
    ("arguments", "message"), [(("otello",), "did you mean 'othello'"), (("othello", 3), "the subproblems 1, 2, not 3")]
)
def test_wrong_names_are_explained(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sample(1, *arguments)
