"""GAMEBoT with models of all kinds: described in a file, at different prices, refused, out of reach, cut."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chat.stub import Answer, endpoint
from vgdl.competition.cli import main

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')
pytest.importorskip("openai", reason='needs: pip install "vgdl[llm]"')

SMALL = ["--games", "tic_tac_toe", "--matches", "2", "--seed", "7", "--quiet"]
GOOD = "[Intermediate Thinking Results 1: None]\n[Intermediate Thinking Results 2: None]\nChosen Move: (1,1)"
DEAD = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vgdl.competition.chat.endpoint.RETRIES", 0)


def run(*words: str) -> int:
    return main(["gamebot", *words])


def facts(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def refusing(when: Callable[[int], bool]) -> Callable[[int, dict[str, Any]], Answer]:
    return lambda number, body: Answer("content policy violation", 400) if when(number) else Answer(GOOD)


def test_a_models_file_describes_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM_KEY", "team-secret-1")
    monkeypatch.setenv("BIG_KEY", "sk-big-2")
    models, store, out = tmp_path / "models.toml", tmp_path / "store.db", tmp_path / "out.json"
    with endpoint(lambda number, body: Answer(GOOD)) as served:
        models.write_text(
            f"""
[big]
endpoint = "{served.url}"
model = "big-1"
key_env = "BIG_KEY"
price = "2/10"
limits = {{calls = 1000}}
reasoning_effort = "high"
headers = {{X-Team = "$TEAM_KEY"}}

[small]
endpoint = "{served.url}"
model = "small-1"
""",
            encoding="utf-8",
        )
        words = ["--models", "big,small", "--models-file", str(models), *SMALL, "--model-option", "small.stream=false"]
        assert run(*words, "--store", str(store), "--json", str(out)) == 0
    by_model = {body["model"]: body for body in served.requests}
    assert by_model["big-1"]["reasoning_effort"] == "high"
    assert "stream" not in by_model["small-1"]
    assert {headers.get("x-team") for headers in served.headers} == {"team-secret-1", None}
    shown = facts(out)["endpoints"]
    assert shown["big"]["fields"] == {"reasoning_effort": "high", "headers": {"X-Team": "$TEAM_KEY"}}
    assert (shown["big"]["key_env"], shown["small"]["fields"]) == ("BIG_KEY", {"stream": False})
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path != models)
    assert b"team-secret-1" not in written
    assert b"sk-big-2" not in written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[big]\nendpoint = 3\n", "line 2: big.endpoint: expected a text"),
        ('[big]\nmodel = "m"\n', "line 1: big.endpoint: it is missing"),
        ('[big]\nendpoint = "https://h/v1"\nmodel = "m"\nmax_token_field = "x"\n', "did you mean 'max_tokens_field'"),
        ('[big]\nendpoint = "https://h/v1"\nmodel = "m"\n\n[big.limits]\ncost = -1\n', "line 6: big.limits.cost"),
        ('[big]\nendpoint = "https://h/v1"\nmodel = "m"\nprice = "free"\n', "line 4: big.price: a price must have"),
        ('[big]\nendpoint = "https://u:pw@h/v1"\nmodel = "m"\n', "line 2: big.endpoint: addresses are stored"),
        ('[big]\nendpoint = "https://h/v1?key=abc"\nmodel = "m"\n', "line 2: big.endpoint: addresses are stored"),
        ('[big]\nendpoint = "https://h/v1"\nmodel = "m"\nkey = "sk-secret"\n', "key_env names its environment variable"),
        ('[big]\nendpoint = "https://h/v1"\nmodel = "m"\nkey_env = "sk-secret"\n', "line 4: big.key_env: expected the"),
        ('[big]\nendpoint = "https://h/v1"\nmodel = "m"\n[big.headers]\nX-Api-Key = "sk-secret"\n',
         "line 5: big.headers.X-Api-Key: headers are stored"),
        ('[big]\nendpoint = "https://h/v1"\nmodel = "m"\n[big.extra_body]\napi_key = "sk-secret"\n', "line 5"),
        ('[big]\nendpoint = "https://h/v1"\nmodel = "m"\nextra_body = {messages = []}\n', "has this field already"),
        ('[big]\nendpoint = "https://h/v1"\nmodel = "m"\ntimeout = 0\n', "line 4: big.timeout: expected seconds"),
        ('[big]\nendpoint = "https://h/v1"\nmodel = "m"\nsystem = "none"\n', "expected system or developer or user"),
        ("big = 3\n", "line 1: expected a table per model"),
        ('[big]\nendpoint = "https://h/v1"\nmodel = "m"\n"ex\\u202etra" = 1\n', r"big.ex\u202etra: there is no such"),
        ('["b\\u0000ig"]\nendpoint = 3\n', r"b\x00ig.endpoint: expected a text"),
        ("[big\n", "is not TOML"),
    ],
)  # fmt: skip
def test_a_wrong_models_file_is_named_with_its_line(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "models.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit):
        run("--models", "big,random", "--models-file", str(path), *SMALL)
    told = capsys.readouterr().err
    assert message in told
    assert "sk-secret" not in told
    assert "pw" not in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model-option", "tiny.timeout=soon"], "tiny.timeout: expected seconds"),
        (["--model-option", "big.timeout=3"], "the models of this run are tiny"),
        (["--key-env", "tiny=sk-secret"], "expected the name of an environment variable"),
        (["--models-file", "no.toml"], "no.toml cannot be read"),
        (["--max-cost", "1"], "--max-cost needs the price of tiny"),
        (["--model-option", "tiny.limits.cost=1"], "the limit of tiny on costs needs its price"),
    ],
)
def test_wrong_options_of_models_are_named(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store.db"
    with pytest.raises(SystemExit):
        run("--models", f"tiny={DEAD}#m,random", *words, *SMALL, "--store", str(store))
    told = capsys.readouterr().err
    assert message in told
    assert "sk-secret" not in told
    assert not store.exists()


def test_prices_belong_to_players_and_not_to_models(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with endpoint(lambda number, body: Answer(GOOD)) as served:
        models = f"a={served.url}#same,b={served.url}#same"
        words = ["--models", models, "--price", "a=1000/1000", "--price", "b=1/1", *SMALL, "--json", str(out)]
        assert run(*words) == 0
        used = {each["model"]: each for each in facts(out)["usage"]}
        assert used["a"]["cost"] == pytest.approx(used["a"]["calls"] * 10 * 1000 / 1e6)
        assert used["b"]["cost"] == pytest.approx(used["b"]["calls"] * 10 / 1e6)
        asked = len(served.requests)
        dear = ["--models", models, "--price", "a=1000/1000", "--price", "b=0/0", "--max-cost", "0.01", *SMALL]
        assert run(*dear) == 1
        assert len(served.requests) == asked


def test_a_refusal_is_the_result_of_its_match_and_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, out = tmp_path / "store.db", tmp_path / "out.json"
    with endpoint(refusing(lambda number: number == 0)) as served:
        words = ["--models", f"tiny={served.url}#m,random", *SMALL, "--matches", "4", "--json", str(out)]
        assert run(*words, "--store", str(store)) == 1
        found = facts(out)
        assert found["matches"] == 3
        [unplayed] = found["unplayed"]
        assert (unplayed["player"], unplayed["reason"]) == ("tiny", "refused")
        assert "content policy violation" in unplayed["message"]
        assert "could not be played" in capsys.readouterr().out
        assert run("--resume", str(store), "--quiet", "--json", str(out)) == 0
    assert (facts(out)["matches"], facts(out)["unplayed"]) == (4, [])


def test_a_dead_endpoint_among_three_players_does_not_end_the_tournament(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with endpoint(lambda number, body: Answer(GOOD)) as served:
        words = ["--models", f"dead={DEAD}#m,tiny={served.url}#m,random", *SMALL, "--matches", "4"]
        assert run(*words, "--json", str(out)) == 1
    found = facts(out)
    assert found["matches"] == 4
    assert {(row["player"], row["reason"]) for row in found["unplayed"]} == {("dead", "unreachable")}
    assert len(found["unplayed"]) == 8
    assert sum("no reply to the first 3 requests" in row["message"] for row in found["unplayed"]) >= 5


def test_a_player_whose_requests_are_all_refused_is_given_up(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with endpoint(refusing(lambda number: True)) as served:
        words = ["--models", f"tiny={served.url}#m,random", *SMALL, "--matches", "10", "--json", str(out)]
        assert run(*words) == 1
        assert len(served.requests) == 3
    assert {row["reason"] for row in facts(out)["unplayed"]} == {"refused"}


def test_patience_has_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*SMALL, "--matches", "10"]
    with endpoint(refusing(lambda number: number > 0)) as served:
        assert run("--models", f"tiny={served.url}#m,random", *words, "--patience", "4") == 1
        assert len(served.requests) == 1 + 4
    with endpoint(refusing(lambda number: number % 2 == 1)) as served:
        assert run("--models", f"tiny={served.url}#m,random", *words, "--run-patience", "2") == 1
        assert "2 requests of the run have failed" in capsys.readouterr().err


def test_a_limit_of_a_player_stops_that_player(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with endpoint(lambda number, body: Answer(GOOD)) as served:
        words = ["--models", f"a={served.url}#m,b={served.url}#m,random", *SMALL, "--json", str(out)]
        assert run(*words, "--model-option", "a.limits.calls=1") == 1
    found = facts(out)
    assert {(row["player"], row["reason"]) for row in found["unplayed"]} == {("a", "limit")}
    assert found["matches"] == 2


def test_replies_of_no_use_are_told_with_their_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"

    def script(number: int, body: dict[str, Any]) -> Answer:
        if number % 2:
            return Answer(f"<think>{GOOD}", finish_reason="length")
        return Answer(GOOD[: len(GOOD) // 2], finish_reason="length")

    with endpoint(script) as served:
        assert run("--models", f"tiny={served.url}#m,random", *SMALL, "--json", str(out)) == 0
    [used] = facts(out)["usage"]
    assert used["cut"] + used["unanswered"] == used["calls"]
    assert used["unanswered"] > 0
    assert used["faulty_tokens"] == used["completion_tokens"]
    assert f"{used['faulty_tokens']:g} tokens" in capsys.readouterr().out
    rows = {row["model"]: row for row in facts(out)["rows"]}
    assert rows["tiny"]["replaced"] == rows["tiny"]["moves"]  # no move of an unclosed thought is played


def test_what_an_endpoint_refused_of_requests_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"

    def script(number: int, body: dict[str, Any]) -> Answer:
        if "max_tokens" in body:
            return Answer("Unsupported parameter: 'max_tokens'", 400)
        return Answer(GOOD)

    with endpoint(script) as served:
        assert run("--models", f"tiny={served.url}#m,random", *SMALL, "--json", str(out)) == 0
    assert facts(out)["endpoints"]["tiny"]["without"] == ["with max_completion_tokens instead of max_tokens"]
    assert "with max_completion_tokens instead of max_tokens" in " ".join(capsys.readouterr().out.split())
