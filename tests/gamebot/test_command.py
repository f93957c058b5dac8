"""The command ``vgdl-compete gamebot``: from its options to tables, stores and pages."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat.stub import Answer, endpoint
from vgdl.competition.chat.accounts import Price
from vgdl.competition.chat.fields import Fields
from vgdl.competition.cli import main
from vgdl.competition.track import OpenStore
from vgdl.competition.tracks.gamebot.plan import Entry, Plan
from vgdl.competition.tracks.gamebot.store import MatchRow

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')
pytest.importorskip("jinja2", reason='needs: pip install "vgdl[llm]"')

FIELDS = Fields(reasoning_effort="low", headers={"X-Key": "$KEY"}, extra_body={"top_k": 1})
SMALL = ["--games", "tic_tac_toe,pong", "--matches", "2", "--seed", "7", "--quiet"]


def run(*words: str) -> int:
    return main(["gamebot", *words])


def facts(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_scripted_models_make_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    assert run("--models", "scripted:correct,scripted:wrong,random", *SMALL, "--json", str(out)) == 0
    printed = capsys.readouterr().out
    assert "scripted:correct" in printed
    assert "P Pong, T Tic-tac-toe" in printed  # the columns
    assert "…" not in printed  # no number is cut in a terminal of 80 columns
    scores = {score["model"]: score for score in facts(out)["scores"]}
    assert set(scores["scripted:correct"]["i"].values()) == {1.0}
    assert set(scores["scripted:wrong"]["i"].values()) == {0.0}
    assert scores["random"]["I"] is None
    assert facts(out)["complete"]


def test_the_same_seed_gives_the_same_table(tmp_path: Path) -> None:
    outs = [tmp_path / "one.json", tmp_path / "two.json"]
    for out, jobs in zip(outs, ("1", "3"), strict=True):
        assert run("--models", "scripted:mix,random", *SMALL, "--jobs", jobs, "--json", str(out)) == 0
    one, two = map(facts, outs)
    for found in (one, two):
        found.pop("usage")
    assert one["scores"] == two["scores"]
    assert one["rows"] == two["rows"]


def test_a_resumed_run_continues_and_repeats_no_request(tmp_path: Path) -> None:
    store, out = tmp_path / "store.db", tmp_path / "out.json"
    words = ["--models", "scripted:correct,random", *SMALL, "--store", str(store)]
    assert run(*words, "--max-calls", "9") == 1
    with OpenStore.open(store) as held:
        done = held.store.count(MatchRow)
    assert 0 < done < 4
    assert run("--resume", str(store), "--quiet", "--json", str(out)) == 0
    assert facts(out)["complete"]
    assert run("--resume", str(store), "--quiet", "--cache", "only") == 0


@pytest.mark.costly
def test_a_killed_run_loses_nothing(tmp_path: Path) -> None:
    store, out = tmp_path / "store.db", tmp_path / "out.json"
    command = [sys.executable, "-P", "-m", "vgdl.competition.cli", "gamebot"]
    words = [
        "--models",
        "scripted:correct,scripted:mix,random",
        "--games",
        "all",
        "--matches",
        "4",
        "--seed",
        "3",
        "--quiet",
    ]
    process = subprocess.Popen([*command, *words, "--store", str(store)], stdout=subprocess.DEVNULL)
    held = 0
    while held < 5 and process.poll() is None:
        time.sleep(0.05)
        if store.exists():
            held = _held(store)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = _held(store)
    assert before >= min(held, 5)
    assert run("--resume", str(store), "--quiet", "--json", str(out)) == 0
    whole = tmp_path / "whole.json"
    assert run(*words, "--json", str(whole)) == 0
    assert facts(out)["scores"] == facts(whole)["scores"]


def _held(store: Path) -> int:
    try:
        with OpenStore.open(store) as held:
            return held.store.count(MatchRow)
    except Exception:
        return 0


def test_an_endpoint_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason='needs: pip install "vgdl[llm]"')
    monkeypatch.setenv("MY_KEY", "sk-hidden-1")
    store, out = tmp_path / "store.db", tmp_path / "out.json"

    def answer(number: int, body: dict[str, Any]) -> Answer:
        if number % 5 == 0:
            return Answer("slow down", 429, headers={"Retry-After-Ms": "1"})
        return Answer(
            "[Intermediate Thinking Results 1: None]\n[Intermediate Thinking Results 2: None]\nChosen Move: (1,1)"
        )

    with endpoint(answer) as served:
        words = [
            "--models",
            f"tiny={served.url}#tiny-1,random",
            "--games",
            "tic_tac_toe",
            "--matches",
            "4",
            "--seed",
            "1",
        ]
        extra = [
            "--key-env",
            "tiny=MY_KEY",
            "--price",
            "tiny=2/10",
            "--store",
            str(store),
            "--quiet",
            "--json",
            str(out),
        ]
        assert run(*words, *extra) == 0
        asked = len(served.requests)
        assert run("--resume", str(store), "--quiet", "--json", str(out)) == 0
        assert len(served.requests) == asked
    found = facts(out)
    [usage] = found["usage"]
    assert (usage["model"], usage["game"]) == ("tiny", "tic_tac_toe")
    assert usage["cost"] == pytest.approx((usage["prompt_tokens"] * 2 + usage["completion_tokens"] * 10) / 1e6)
    assert usage["retries"] > 0
    assert served.keys[0] == "Bearer sk-hidden-1"
    assert b"sk-hidden-1" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    rows = {row["model"]: row for row in found["rows"]}
    assert rows["tiny"]["moves"] > 4
    assert rows["tiny"]["replaced"] > 0  # (1,1) is taken from the second turn on


def test_an_unreachable_endpoint_leaves_its_matches_for_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store.db"
    assert run("--models", "scripted:error:9,random", *SMALL, "--store", str(store)) == 1
    assert "4 matches failed" in capsys.readouterr().err
    with OpenStore.open(store) as held:
        assert held.store.rows(MatchRow) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name the players"),
        (["--models", "random"], "two players or more"),
        (["--models", "random,random"], "the same name"),
        (["--models", "random,randm"], "did you mean 'random'"),
        (["--models", "random,scripted:right"], "there is no scripted model 'right'"),
        (["--models", "random,big=https://host/v1"], "names no model"),
        (["--models", "random,mcts", "--games", "otello"], "did you mean 'othello'"),
        (["--models", "random,mcts", "--games", "pong,pong"], "a game is named twice"),
        (["--models", "random,mcts", "--price", "mcts=cheap"], "IN/OUT"),
        (["--models", "random,m=https://host/v1#m", "--price", "m=nan/1"], "'nan/1' must be finite"),
        (["--models", "random,mcts", "--max-cost", "nan"], "'nan' is not a number of 0 or more"),
        (["--models", "random,mcts", "--temperature", "inf"], "'inf' is not a number of 0 or more"),
        (["--models", "random,mcts", "--alpha", "nan"], "'nan' is not a number of 0 or more"),
        (["--models", "random,mcts", "--seed", "-1"], "'-1' is not a number of 0 ... 2**128 - 1"),
        (["--models", "random,mcts", "--reask", "-1"], "'-1' is not a whole number of 0 or more"),
        (["--models", "random,mcts", "--key-env", "big=KEY"], "there is no 'big'"),
        (["--models", "random,mcts", "--matches", "0"], "'0' is not a number of 1 or more"),
        (["--models", "random,mcts", "--matches", "1000000000"], "a competition has at most 1,000,000"),
        (["--models", "random,mcts", "--json", "no/such/x.json"], "there is no folder for no/such/x.json"),
        (["--models", "random,mcts", "--store", "x.db", "--json", "x.db"], "two options name the file x.db"),
        (["--models", "random,mcts", "--variant", "x"], "choose from 'guided', 'plain'"),
        (["--models", "random,mcts", "--reading", "x"], "choose from 'paper', 'strict'"),
    ],
)
def test_wrong_options_are_named(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(*words)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_openspiel_is_named_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    store = tmp_path / "store.db"
    with pytest.raises(SystemExit, match="2"):
        run("--models", "random,mcts", *SMALL, "--store", str(store))
    assert 'Tic-tac-toe needs OpenSpiel: pip install "vgdl[tabletop]"' in capsys.readouterr().err
    assert not store.exists()


def test_a_store_of_another_track_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "no.db"
    path.write_bytes(b"nothing" * 100)
    assert run("--resume", str(path)) == 1
    assert "no.db" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "unreadable"), [([], 0), (["--reading", "strict"], 1)])
def test_the_mode_of_reading_is_in_the_plan_and_decides(
    words: list[str], unreadable: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai", reason='needs: pip install "vgdl[llm]"')
    monkeypatch.setenv("OPENAI_API_KEY", "a key of the test")
    out = tmp_path / "out.json"
    text = (
        "[Intermediate Thinking Results 1: own wins: None]\n[Intermediate Thinking Results 2: None]\nChosen Move: (1,1)"
    )
    with endpoint(lambda number, body: Answer(text)) as served:
        command = ["--models", f"tiny={served.url}#t,random", "--games", "tic_tac_toe", "--matches", "1", "--seed", "1"]
        assert run(*command, "--quiet", "--json", str(out), *words) == 0
    found = facts(out)
    assert found["plan"]["reading"] == (words[-1] if words else "paper")
    [asked] = [row["subproblems"]["own wins"] for row in found["rows"] if row["model"] == "tiny"]
    assert asked["format errors"] == unreadable * asked["asked"]


def test_the_whole_plan_is_stored() -> None:
    entries = (
        Entry.of("random"),
        replace(Entry.of("big=https://host/v1#m"), key_env="KEY", price=Price(1, 2), fields=FIELDS),
        Entry.of("scripted:mix:0.3"),
    )
    plan = Plan(entries, ("pong", "othello"), 4, 2**100)
    assert Plan.from_facts(json.loads(json.dumps(plan.facts()))) == plan
    fixtures = plan.fixtures()
    assert len(fixtures) == 2 * 3 * 4
    first, second = fixtures[:2]
    assert first.names == second.names[::-1]
    assert first.deal == second.deal


def test_a_site_shows_scores_and_matches(tmp_path: Path) -> None:
    store, site = tmp_path / "store.db", tmp_path / "site"
    assert run("--models", "scripted:correct,scripted:mix,random", *SMALL, "--store", str(store)) == 0
    assert main(["report", str(store), "--out", str(site)]) == 0
    index = (site / "index.html").read_text(encoding="utf-8")
    assert "scripted:" in index
    assert "play 2 games" in index
    assert re.findall(r"<span>([^<]+)</span></th>", index) == 4 * ["Pong", "Tic-tac-toe"]  # ours and the paper's
    assert "Mistral" in index
    match = (site / "matches" / "0.html").read_text(encoding="utf-8")
    assert "Intermediate Thinking Results" in match
    assert "own wins" in match
    assert "TP, there was something" in match
    assert "correct or wrong" not in match
    pong = next(
        text for number in range(12) if "Pong: " in (text := (site / "matches" / f"{number}.html").read_text("utf-8"))
    )
    assert "Verdicts: correct or wrong." in pong
    assert "Bearer" not in index + match
    assert os.path.exists(site / "results.json")
    assert "Bradley–Terry" in (site / "ratings.html").read_text(encoding="utf-8")
    prompts = (site / "prompts.html").read_text(encoding="utf-8")
    assert "## Worked examples" in prompts
    assert 'id="pong-1"' in prompts


def test_standings_of_a_store_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "store.db"
    assert run("--models", "scripted:correct,random", *SMALL, "--store", str(store)) == 0
    capsys.readouterr()
    assert main(["standings", str(store)]) == 0
    assert "Outcomes" in capsys.readouterr().out
