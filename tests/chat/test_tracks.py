"""All tracks that ask language models have the same options, and the same rules about costs and failures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chat.stub import Answer, Endpoint, endpoint
from vgdl.competition.cli import main
from vgdl.competition.track import OpenStore

pytest.importorskip("openai", reason='needs: pip install "vgdl[llm]"')
pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')

LEARNING = ["learning", "--games", "aliens", "--steps", "5", "--rounds", "1", "--probes", "0", "--longest", "5"]
LEARNING += ["--training", "0", "--validation", "3", "--quiet"]
GENERATE = ["generate", "levels", "--games", "sokoban", "--rounds", "1", "--levels", "1", "--quiet"]
WORLDS = ["worldmodels", "--games", "tic_tac_toe", "--syntheses", "1", "--matches", "1", "--opponents", "random"]
WORLDS += ["--test-plays", "1", "--test-simulations", "2", "--quiet", "--max-calls", "1"]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """An endpoint that answers nonsense; models are described by the file ``models.toml``."""
    monkeypatch.setattr("vgdl.competition.chat.endpoint.RETRIES", 0)
    with endpoint(lambda number, body: Answer("NOTES: none\nACTIONS: LEFT")) as found:
        yield found


def models(folder: Path, url: str) -> str:
    path = folder / "models.toml"
    path.write_text(f'[big]\nendpoint = "{url}"\nmodel = "big-1"\nreasoning_effort = "low"\n', encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (LEARNING, ["--agents", "chat:big"]),
        ([*GENERATE[:2], *GENERATE[2:]], ["--generators", "chat:big"]),
        (WORLDS, ["--author", "big"]),
    ],
    ids=["learning", "generate", "worldmodels"],
)
def test_a_models_file_describes_players_of_every_track(
    words: list[str], named: list[str], served: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    more = ["--models-file", models(tmp_path, served.url), "--price", "3/5", "--json", str(out)]
    assert main([*words, *named, *more]) == 0
    assert {(body["model"], body["reasoning_effort"]) for body in served.requests} == {("big-1", "low")}
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert found["endpoints"]["big"]["fields"] == {"reasoning_effort": "low"}
    assert found["endpoints"]["big"]["price"] == {"prompt": 3.0, "completion": 5.0}
    assert {each["model"] for each in found["usage"]} == {"big"}
    assert sum(each["cost"] for each in found["usage"]) == pytest.approx(
        sum(each["prompt_tokens"] * 3 + each["completion_tokens"] * 5 for each in found["usage"]) / 1e6
    )


@pytest.mark.parametrize(
    ("words", "named"),
    [(LEARNING, ["--agents", "chat:big"]), (WORLDS, ["--author", "big"])],
    ids=["learning", "worldmodels"],
)
def test_tables_and_pages_show_how_models_were_asked_without_keys(
    words: list[str], named: list[str], served: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("BIG_KEY", "sk-big-2")
    store, site = tmp_path / "store.db", tmp_path / "site"
    more = ["--models-file", models(tmp_path, served.url), "--price", "3/5", "--key-env", "BIG_KEY"]
    assert main([*words, *named, *more, "--store", str(store)]) == 0
    told = capsys.readouterr().out
    with OpenStore.open(store) as opened:
        (row,) = opened.track.results_in(opened.store).table("models").records()
    assert row == {
        "player": "big", "endpoint": served.url, "model": "big-1", "fields": 'reasoning_effort = "low"', "price_in": 3.0,
        "price_out": 5.0, "limits": "", "without": "",
    }  # fmt: skip
    assert "How models were asked" in told
    assert main(["report", str(store), "--out", str(site), "--quiet"]) == 0
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    (page,) = (text for text in pages.values() if "How models were asked" in text)
    assert served.url in page
    assert "reasoning_effort = &#34;low&#34;" in page
    files = b"".join(path.read_bytes() for path in [store, *site.rglob("*")] if path.is_file())
    assert b"sk-big-2" not in files
    assert "sk-big-2" not in told


def test_the_arc_agent_takes_a_model_of_a_models_file(
    served: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    arc = ["arc", "play", "--games", "dq13", "--actions", "2", "--quiet", "--option", "requests=1"]
    more = ["--models-file", models(tmp_path, served.url), "--price", "3/5", "--json", str(out)]
    assert main([*arc, "--agent", "chat:big", *more]) == 0
    assert {(body["model"], body["reasoning_effort"]) for body in served.requests} == {("big-1", "low")}
    found = json.loads(out.read_text(encoding="utf-8"))["endpoints"]["big"]
    assert (found["url"], found["fields"]) == (served.url, {"reasoning_effort": "low"})
    assert found["price"] == {"prompt": 3.0, "completion": 5.0}
    assert "How models were asked" in capsys.readouterr().out
    for words, problem in (
        (["--agent", "chat:small", *more], "the models file has big"),
        (["--agent", "random", *more], "--models-file is for --agent chat:URL#MODEL or chat:NAME"),
        (["--agent", "chat"], "does not say which model"),
        (["--agent", "chat:big", *more, "--option", "endpoint=1"], "has no option 'endpoint'"),
    ):
        with pytest.raises(SystemExit):
            main([*arc, *words])
        assert problem in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "option", "named"),
    [
        (LEARNING, "--max-cost", "--agents chat:URL#tiny"),
        (GENERATE, "--max-cost", "--generators chat:URL#tiny"),
        (WORLDS, "--run-cost", "--author URL#tiny"),
        (WORLDS, "--max-cost", "--author URL#tiny"),
    ],
)
def test_a_limit_on_costs_needs_prices(
    words: list[str], option: str, named: str, served: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*words, *named.replace("URL", served.url).split(), option, "1"])
    assert f"{option} needs the price of tiny" in capsys.readouterr().err
    assert served.requests == []


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (LEARNING, "--agents chat:URL#tiny --repeats 2"),
        (GENERATE, "--generators chat:URL#tiny --levels 2"),
    ],
)
def test_a_refusal_costs_one_unit_and_the_others_go_on(
    words: list[str], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("vgdl.competition.chat.endpoint.RETRIES", 0)
    store = tmp_path / "store.db"

    def script(number: int, body: dict[str, Any]) -> Answer:
        return Answer("content policy violation", 400) if number == 0 else Answer("NOTES: none\nACTIONS: LEFT")

    with endpoint(script) as served:
        assert main([*words, *named.replace("URL", served.url).split(), "--store", str(store)]) == 1
        told = capsys.readouterr().err
        assert "1 " in told
        assert "content policy violation" in told
        assert len(served.requests) > 1
        assert main([words[0], "--resume", str(store), "--quiet"]) == 0


def test_a_refused_program_does_not_keep_others_from_being_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two games, the author is refused for one; the matches of the other are played."""
    monkeypatch.setattr("vgdl.competition.chat.endpoint.RETRIES", 0)
    out = tmp_path / "out.json"

    def script(number: int, body: dict[str, Any]) -> Answer:
        is_first = "Connect four" in body["messages"][0]["content"]
        return Answer("content policy violation", 400) if is_first else Answer("no program")

    with endpoint(script) as served:
        words = [*WORLDS, "--games", "connect_four,tic_tac_toe", "--author", f"{served.url}#tiny"]
        assert main([*words, "--json", str(out)]) == 1
    found = json.loads(out.read_text(encoding="utf-8"))
    assert {row["game"] for row in found["matches"]} == {"tic_tac_toe"}
