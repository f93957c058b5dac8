"""The track as its users run it: from Python, on the command line, resumed after a kill, and as a web site."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from chat.stub import Answer, endpoint
from tracks.learning.common import write_game
from tracks.learning.processes import CHEATS
from vgdl.competition import run
from vgdl.competition.errors import CompetitionError
from vgdl.competition.report.site import PageOptions, Site
from vgdl.competition.results import Results
from vgdl.competition.store import StoreError
from vgdl.competition.track import OpenStore, find
from vgdl.competition.tracks.learning.plan import Plan, chat_entry
from vgdl.registry import EntryNotFound

PATIENT = {"act": "20s", "construction": "60s", "init": "60s"}


def learnt(tmp_path: Path, **options: Any) -> Results:
    """The results of a small competition."""
    game = str(write_game(tmp_path))
    given = {"games": [game], "agents": ["random", "qlearning"], "steps": 400, "rounds": 2, "longest": 40, "seed": 1}
    return run("learning", **{**given, **PATIENT, **options})


def plays(results: Results) -> list[dict[str, Any]]:
    """The plays, without times."""
    return [{**row, "used_ms": 0} for row in results.table("plays").records()]


def test_a_competition_from_python(tmp_path: Path) -> None:
    results = learnt(tmp_path)
    assert results.complete
    ranking = results.table("ranking").records()
    assert {row["agent"] for row in ranking} == {"random", "qlearning"}
    assert {row["plays"] for row in ranking} == {4}
    assert {row["points"] for row in ranking} <= {25, 18}
    assert results.table("games").records()
    assert {row["game"] for row in results.table("curves").records()} == {"", "corridor"}
    assert results.table("first_wins").records()
    facts = json.loads(results.to_json())
    assert facts["rules"]["steps"] == 400
    assert facts["rules"]["longest"] == 40
    assert plays(results) == plays(learnt(tmp_path))


@pytest.mark.costly
def test_a_planner_gives_the_scale(tmp_path: Path) -> None:
    results = learnt(tmp_path, agents=["random"], planner="onesteplookahead", planner_plays=1)
    (planner,) = results.table("planner").records()
    assert planner["plays"] == 2
    assert len(json.loads(results.to_json())["scales"]) == 2


@pytest.mark.costly
def test_a_disqualified_agent_is_ranked_last(tmp_path: Path) -> None:
    results = learnt(tmp_path, agents=[f"{CHEATS}:Raises", "random"])
    assert [row["agent"] for row in results.table("ranking").records()] == ["random", "Raises"]
    (failed,) = [row for row in results.table("runs").records() if row["cause"]]
    assert "oops" in str(failed["details"])
    assert "\x1b" not in str(failed["details"])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"agents": ["randm"]}, EntryNotFound, "'random'|random"),
        ({"agents": ["chat:host"]}, CompetitionError, "chat:URL#MODEL"),
        ({"agents": [f"{CHEATS}:NotALearner"]}, EntryNotFound, "does not derive from"),
        ({"games": ["alien"]}, CompetitionError, "aliens"),
        ({"training": "0-1", "validation": "1-2"}, CompetitionError, "listed once"),
        ({"planner": "champoin"}, EntryNotFound, "champion"),
        ({"profile": "stps"}, CompetitionError, "steps"),
    ],
)
def test_wrong_options_are_explained(
    tmp_path: Path, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        learnt(tmp_path, **options)


def test_a_plan_survives_its_store(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    learnt(tmp_path, store=str(store), agents=["random"], steps=20, rounds=1, frozen=True)
    with OpenStore.open(store) as opened:
        plan = opened.track.plan_in(opened.store)
        assert isinstance(plan, Plan)
        assert plan.rules.frozen
        assert plan == Plan.from_facts(json.loads(json.dumps(plan.facts())))


def compete(folder: Path, *words: str) -> list[str]:
    """A command line."""
    rules = [
        "--steps",
        "600",
        "--rounds",
        "2",
        "--longest",
        "40",
        "--act",
        "20s",
        "--construction",
        "60s",
        "--init",
        "60s",
    ]
    program = "from vgdl.competition.cli import main; raise SystemExit(main())"
    return [sys.executable, "-P", "-c", program, "learning", *words, *(() if "--resume" in words else rules)]


@pytest.mark.costly
def test_a_killed_competition_is_resumed_with_the_same_results(tmp_path: Path) -> None:
    game = str(write_game(tmp_path))
    what = ["--games", game, "--agents", "random,qlearning,explorer", "--seed", "4", "--repeats", "2"]
    store, table = tmp_path / "killed.db", [tmp_path / "whole.csv", tmp_path / "resumed.csv"]
    subprocess.run(compete(tmp_path, *what, "--csv", str(table[0])), check=True, capture_output=True)
    process = subprocess.Popen(
        compete(tmp_path, *what, "--store", str(store)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and _runs(store) < 2:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert _runs(store) < 6
    subprocess.run(compete(tmp_path, "--resume", str(store), "--csv", str(table[1])), check=True, capture_output=True)
    whole, resumed = (
        sorted(tuple(value for name, value in row.items() if name != "used_ms") for row in csv.DictReader(path.open()))
        for path in table
    )
    assert whole == resumed


def _runs(store: Path) -> int:
    if not store.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=5) as connection:
            return int(connection.execute("SELECT count(*) FROM learning_runs").fetchone()[0])
    except sqlite3.Error:
        return 0


@pytest.mark.costly
def test_the_site_has_curves_of_games_and_agents(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    learnt(tmp_path, store=str(store), steps=2_500, rounds=1, probes=1)
    track = find("learning")
    with OpenStore.open(store) as opened, Site(tmp_path / "site", track.templates) as site:
        track.pages(opened.store, site, PageOptions())
        site.finish()
    index = (tmp_path / "site" / "index.html").read_text()
    assert "Victories: over all games" in index
    game = (tmp_path / "site" / "games" / "corridor.html").read_text()
    assert game.count("<polyline") >= 4
    assert "qlearning" in (tmp_path / "site" / "agents" / "qlearning.html").read_text()
    assert json.loads((tmp_path / "site" / "results.json").read_text())["complete"]


def test_a_language_model_plays_and_its_replies_are_cached(tmp_path: Path) -> None:
    pytest.importorskip("openai")

    def script(number: int, body: dict[str, Any]) -> Answer:
        return Answer("Coins are type 3.\nNOTES: go right to the flag\nACTIONS: RIGHT, right, RIGHT, RIGHT, RIGHT")

    with endpoint(script) as served:
        options: dict[str, Any] = {
            "agents": [f"chat:{served.url}#small"], "steps": 12, "rounds": 1, "store": str(tmp_path / "c.db"),
        }  # fmt: skip
        results = learnt(tmp_path, **options)
        asked = len(served.requests)
        (row,) = results.table("ranking").records()
        assert (row["agent"], row["victories"], row["plays"]) == ("small", 2, 2)
        first, last = served.requests[0]["messages"], served.requests[-1]["messages"]
    assert asked < sum(int(str(row["ticks"])) for row in results.table("plays").records())  # several ticks per reply
    text = json.dumps([first, last])
    assert "secret" not in text.replace("rules are secret", "")
    assert "(none yet)" in first[1]["content"]
    assert "go right to the flag" in last[1]["content"]
    assert "level 0: won, score 1" in last[1]["content"]
    assert json.loads(results.to_json())["usage"][0]["calls"] == asked


def test_a_limit_of_calls_ends_the_run_and_a_resumed_one_asks_nothing_twice(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    store = str(tmp_path / "c.db")
    with endpoint(lambda number, body: Answer("ACTIONS: RIGHT")) as served:
        with pytest.raises(CompetitionError, match="limit of 3 on calls"):
            learnt(tmp_path, agents=[f"chat:{served.url}#small"], steps=4, rounds=1, store=store, max_calls=3)
        assert len(served.requests) == 3
        results = run("learning", resume=store)
        assert results.complete
        first = [json.dumps(body["messages"]) for body in served.requests[:3]]
        assert json.dumps(served.requests[3]["messages"]) != first[0]


def test_the_entry_of_a_language_model() -> None:
    entry = chat_entry("chat:https://host/v1#org/model:7b")
    assert (entry.ranking_name, entry.class_name) == ("org-model:7b", "https://host/v1#org/model:7b")


def test_rows_of_a_damaged_store_are_refused(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    learnt(tmp_path, store=str(store), agents=["random"], steps=20, rounds=1)
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE learning_plays SET ending = 'eaten'")
    with OpenStore.open(store) as opened, pytest.raises(StoreError):
        opened.track.results(opened.store)
