"""The command ``vgdl-compete worldmodels``: from its options to programs, matches, tables, stores and pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chat.stub import Answer, endpoint
from tracks.worldmodels.common import facts, refusal, replies, run, run_until_killed
from vgdl.competition.cli import main
from vgdl.competition.store import Store
from vgdl.competition.tracks.worldmodels.plan import AuthorEntry, Plan, Sizes
from vgdl.competition.tracks.worldmodels.results import Mean, Share
from vgdl.competition.tracks.worldmodels.scripted import PROSE, fenced, prepared, read_scripts
from vgdl.competition.tracks.worldmodels.track import WorldModelsTrack

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')

TINY = [
    *("--seed", "7", "--quiet", "--test-plays", "2", "--test-simulations", "3", "--test-transitions", "30"),
    *("--simulations", "5", "--rollouts", "1", "--values", "0", "--rejection-games", "0", "--matches", "1"),
]


def settled(found: dict[str, Any]) -> dict[str, Any]:
    """Results without what differs from one session to the next."""
    return {name: value for name, value in found.items() if name not in ("usage", "sessions")}


@pytest.mark.costly
def test_the_scripted_author_leads_to_tables_json_and_pages(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason='needs: pip install "vgdl[report]"')
    store, out = tmp_path / "store.db", tmp_path / "out.json"
    words = ["--games", "tic_tac_toe,leduc_poker", "--decks", "open,closed", "--opponents", "random"]
    assert run("--author", "scripted", *words, *TINY, "--store", str(store), "--json", str(out)) == 0
    printed = capsys.readouterr().out
    for part in ("leduc_poker, closed", "inference", "paper", "[0.", "seed 7"):
        assert part in printed
    assert max(map(len, printed.splitlines())) <= 80
    found = facts(out)
    assert found["complete"]
    assert [(row["game"], row["deck"], row["solved"]) for row in found["accuracy"]] == [
        ("tic_tac_toe", "open", 1),
        ("leduc_poker", "open", 1),
        ("leduc_poker", "closed", 1),
    ]
    leduc = found["accuracy"][1]
    assert leduc["accuracy"]["test transition"]["value"] == 1.0
    assert leduc["published"] == {"transition": 0.9977, "inference": 1.0, "calls": 4.4}
    assert [len(call["candidates"]) for call in found["programs"][1]["calls"]] == [0, 1, 1, 1, 1, 1]
    assert found["programs"][2]["diversity"]["chance"]
    assert len(found["matches"]) == 6
    assert main(["standings", str(store)]) == 0
    assert "leduc_poker" in capsys.readouterr().out
    assert main(["report", str(store), "--out", str(tmp_path / "site")]) == 0
    pages = {
        page.relative_to(tmp_path / "site").as_posix(): page.read_text() for page in (tmp_path / "site").rglob("*.html")
    }
    assert "0.9977" in pages["index.html"]
    assert "def apply_action" in pages["programs/1.html"]
    assert "node 1" in pages["programs/1.html"]
    assert "matches/0.html" in pages
    assert "leduc_poker, closed" in pages["matches.html"]


@pytest.mark.costly
def test_a_killed_run_goes_on_and_ends_as_if_it_had_not_been_killed(tmp_path: Path) -> None:
    store, out, whole = tmp_path / "store.db", tmp_path / "out.json", tmp_path / "whole.json"
    words = ["--games", "tic_tac_toe", "--opponents", "random", "--syntheses", "2", *TINY]
    run_until_killed(store, 7, *words)
    asked = replies(store)
    assert run("--resume", str(store), "--quiet", "--json", str(out)) == 0
    assert run(*words, "--json", str(whole)) == 0
    assert settled(facts(out)) == settled(facts(whole))
    used, programs = facts(out)["usage"], facts(out)["programs"]
    assert replies(store) == sum(len(program["calls"]) for program in programs)  # each was asked for once
    assert sum(each["cached"] for each in used) >= asked - len(programs[0]["calls"])
    assert run("--resume", str(store), "--quiet", "--cache", "only") == 0


@pytest.mark.costly
def test_a_run_that_reached_a_limit_is_resumed_without_asking_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store.db"
    words = ["--games", "tic_tac_toe", "--opponents", "random", *TINY, "--store", str(store)]
    assert run(*words, "--run-calls", "3") == 1
    assert "limit of 3 on calls" in capsys.readouterr().err
    assert replies(store) == 3
    assert run("--resume", str(store), "--quiet", "--json", "-") == 0
    used = json.loads(capsys.readouterr().out)["usage"]
    assert (sum(each["calls"] for each in used), sum(each["cached"] for each in used)) == (5, 3)


def test_a_synthesis_without_a_program_forfeits_its_matches_and_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"tic_tac_toe": [PROSE]}))
    out = tmp_path / "out.json"
    words = ["--games", "tic_tac_toe", "--opponents", "random", "--max-calls", "2", *TINY]
    assert run("--author", f"scripted:{script}", *words, "--json", str(out)) == 0
    assert "stopped at max_calls: no program was accepted" in capsys.readouterr().out
    assert [(row["losses"]["count"], row["forfeits"]) for row in facts(out)["matches"]] == [(1, 1), (1, 1)]


@pytest.mark.costly
def test_a_model_behind_an_endpoint_writes_good_and_bad_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason='needs: pip install "vgdl[llm]"')
    monkeypatch.setenv("MY_KEY", "sk-hidden-1")
    store, out = tmp_path / "store.db", tmp_path / "out.json"
    hostile = prepared("tic_tac_toe").replace("def get_rewards", "import os\nos._exit(1)\ndef get_rewards")
    texts = [
        PROSE,
        fenced(hostile),
        fenced(prepared("tic_tac_toe", "wrong reward sign")),
        fenced(prepared("tic_tac_toe")),
    ]

    def answer(number: int, body: dict[str, Any]) -> Answer:
        prompt = body["messages"][-1]["content"]
        if "Think freely" in prompt:
            return Answer("I take the centre.\nAction: x(1,1)")
        if number == 1:
            return Answer("slow down", 429, headers={"Retry-After-Ms": "1"})
        return Answer(texts[min(number - (number > 1), 3)])

    with endpoint(answer) as served:
        words = ["--author", f"tiny={served.url}#tiny-1", "--key-env", "MY_KEY", "--price", "1/2"]
        more = ["--games", "tic_tac_toe", "--syntheses", "1", "--learning-plays", "2"]
        assert run(*words, *more, *TINY, "--store", str(store), "--json", str(out)) == 0
        asked = len(served.requests)
        assert run("--resume", str(store), "--quiet") == 0
        assert len(served.requests) == asked
    assert served.keys == ["Bearer sk-hidden-1"] * asked
    assert b"sk-hidden" not in store.read_bytes()
    found = facts(out)
    assert found["programs"][0]["solved"]
    assert [each["error"] for call in found["programs"][0]["calls"] for each in call["candidates"]][:1] == ["import"]
    assert found["programs"][0]["cost"] > 0
    policy = [row for row in found["matches"] if row["opponent"] == "policy"]
    assert sum(row["opponent's forfeits"] for row in policy) >= 1  # the centre is soon taken


def test_an_endpoint_that_is_gone_leaves_the_rest_for_a_resumed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai", reason='needs: pip install "vgdl[llm]"')
    monkeypatch.setattr("vgdl.competition.chat.endpoint.RETRIES", 0)
    store = tmp_path / "store.db"
    with endpoint(lambda number, body: Answer("wrong key", 401)) as served:
        words = ["--author", f"{served.url}#tiny-1", "--games", "tic_tac_toe", *TINY, "--store", str(store)]
        assert run(*words) == 1
    told = capsys.readouterr().err
    assert "wrong key" in told
    assert "--resume" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--author", "magic"], "there is no author 'magic'"),
        (["--author", "script"], "did you mean 'scripted'"),
        (["--author", "http://host/v1"], "URL#MODEL"),
        (["--games", "tick_tac_toe"], "did you mean 'tic_tac_toe'"),
        (["--games", "kuhn_poker"], "--rules"),
        (["--decks", "half"], "there is no deck 'half'"),
        (["--opponents", "gt,me"], "there is no opponent 'me'"),
        (["--method", "luck"], "invalid choice"),
        (["--max-calls", "0"], "one call or more"),
        (["--syntheses", "0"], "--syntheses must be at least 1"),
        (["--matches", "1000000000"], "--matches must be at most 10,000, not 1,000,000,000"),
        (["--games", "sokoban", "--syntheses", "20000"], "--syntheses must be at most 10,000"),
        (["--price", "free"], "IN/OUT"),
        (["--price", "nan/1"], "'nan/1' must be finite"),
        (["--run-cost", "nan"], "'nan' is not a number of 0 or more"),
        (["--max-cost", "-1"], "'-1' is not a number of 0 or more"),
        (["--heuristic-weight", "nan"], "'nan' is not a number of 0 or more"),
        (["--matches", "-1"], "'-1' is not a whole number of 0 or more"),
        (["--json", "no/such/x.json"], "there is no folder for no/such/x.json"),
        (["--rules", "x"], "NAME=FILE"),
        (["--resume", "x.db", "--store", "y.db"], "omit --store"),
        (["--resume", "x.db", "--games", "quadranto"], "there is no file x.db"),
        (["--resume", "no-such.db"], "there is no file no-such.db"),
    ],
)
def test_wrong_options_are_explained(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(*words, "--quiet") in (1, 2)
    assert told in capsys.readouterr().err


def test_a_store_of_another_track_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "gamebot.db"
    words = ["--models", "random,perfect", "--games", "tic_tac_toe", "--matches", "1", "--quiet"]
    assert main(["gamebot", *words, "--store", str(store)]) == 0
    capsys.readouterr()
    with pytest.raises(SystemExit, match="2"):
        run("--resume", str(store))
    assert f"{store} is a store of another track: vgdl-compete gamebot --resume" in capsys.readouterr().err
    assert main(["--resume", str(store), "--quiet"]) == 0, "without a track, the store says which"


def test_a_folder_of_scripts_is_read_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "scripts" / "tic_tac_toe"
    folder.mkdir(parents=True)
    (folder / "2.py").write_text("x = 1\n")
    (folder / "1.md").write_text("no program")
    (folder / "3.vgdl").write_text("BasicGame\n")
    programs = ["```python\nx = 1\n```\n", "```vgdl\nBasicGame\n```\n"]
    assert read_scripts(tmp_path / "scripts") == {"tic_tac_toe": ["no program", *programs]}


def test_the_plan_survives_the_store(tmp_path: Path) -> None:
    plan = Plan(
        ("leduc_poker",), AuthorEntry.of("big=https://host/v1#m"), 5, decks=("open", "closed"), sizes=Sizes(matches=3)
    )
    with Store.create(tmp_path / "s.db", {"track": "worldmodels", **plan.facts()}) as store:
        assert WorldModelsTrack().plan_in(store) == plan
    assert len(plan.tasks()) == 10
    assert len(plan.fixtures()) == 2 * 3 * 2 * 3


def test_intervals_are_wilsons_and_normal() -> None:
    assert Share(0, 4).interval == pytest.approx((0.0, 0.4899), abs=1e-4)
    assert Mean.of([1.0]).interval is None
    found = Mean.of([0.0, 2.0]).interval
    assert found == pytest.approx((1 - 1.96, 1 + 1.96), abs=1e-3)


def test_files_that_tools_cannot_read_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    binary, missing = tmp_path / "binary", tmp_path / "missing"
    binary.write_bytes(b"\xff\xfe\x00")
    for words in (["scan", str(binary)], ["check", str(binary), "leduc_poker"]):
        assert run(*words) == 2
        assert f"{binary} is not text in UTF-8" in capsys.readouterr().err
    assert run("scan", str(missing)) == 2
    assert f"{missing}: No such file or directory" in capsys.readouterr().err


def test_plays_are_recorded_scanned_and_programs_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opened, closed, source = tmp_path / "open.jsonl", tmp_path / "closed.jsonl", tmp_path / "leduc.py"
    assert run("record", "leduc_poker", "--plays", "3", "--out", str(opened)) == 0
    assert run("record", "leduc_poker", "--plays", "3", "--closed", "--out", str(closed)) == 0
    assert run("scan", str(closed), "--open", str(opened)) == 0
    assert "no hidden field" in capsys.readouterr().out
    closed.write_text(closed.read_text().replace('"deck"', '"seed": 1, "deck"'))
    assert run("scan", str(closed)) == 1
    assert "line 1: the field 'seed'" in capsys.readouterr().out
    source.write_text(prepared("leduc_poker"))
    assert run("check", str(source), "leduc_poker", "--plays", str(opened)) == 0
    source.write_text(prepared("leduc_poker", "inference that sees the future"))
    capsys.readouterr()
    assert run("check", str(source), "leduc_poker") == 1
    printed = capsys.readouterr().out
    assert "inference tests: 0 of" in printed
    assert "AssertionError" in printed
    assert run("check", str(source), "no_such_game") == 2
    assert "there is no game" in capsys.readouterr().err
    opened.write_text("not a play\n")
    assert run("check", str(source), "leduc_poker", "--plays", str(opened)) == 2
    assert "line 1: not JSON" in capsys.readouterr().err
