"""The command ``vgdl-compete generate``: judging, refusing, resuming, reporting, and language models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import vgdl
from chat.stub import Answer, endpoint
from judging.small import COINS
from tracks.generation.generators import GOOD
from vgdl.competition.cli import main
from vgdl.competition.store import Store
from vgdl.competition.tracks.generation.rows import TABLES, Generated
from vgdl.replay_cli import main as replay_main

HERE = Path(__file__).parent / "generators.py"
QUICK = ["--plays", "1", "--calls", "60", "--ticks", "120", "--quiet", "--seed", "1"]

pytestmark = pytest.mark.xdist_group("generation")


@pytest.fixture(scope="module")
def coins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("game") / "coins.txt"
    path.write_text(COINS.replace("        unused > Immovable color=BLUE\n", ""))
    path.with_name("coins_lvl0.txt").write_text(GOOD)
    return path


def run(coins: Path, generators: str, *options: str, budget: str = "calls:2000") -> int:
    names = [f"{HERE}:{name}" if name[0].isupper() else name for name in generators.split(",")]
    given = ["--games", str(coins), "--generators", ",".join(names), "--levels", "1", "--budget", budget]
    return main(["generate", "levels", *given, *QUICK, *options])


def rows(path: Path) -> dict[str, Generated]:
    with Store.open(path, read_only=True) as store:
        store.use(TABLES, read_only=True)
        return {row.generator: row for row in store.rows(Generated)}


@pytest.fixture(scope="module")
def judged(coins: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with good, lazy and hostile generators."""
    folder = tmp_path_factory.mktemp("run")
    names = "Good,Counts,OwnMapping,NotAString,Nothing,Wide,Unknown,TwoAvatars,Surrogates,Uneven,BadMapping,Dies,Raises"
    files = ["--store", str(folder / "run.db"), "--folder", str(folder / "made"), "--json", str(folder / "run.json")]
    assert run(coins, names, *files) == 0
    return folder


@pytest.mark.costly
@pytest.mark.parametrize(
    ("generator", "cause", "words"),
    [
        ("NotAString", "refused", "expected the text of a level, got 7"),
        ("Nothing", "refused", "expected a Level, got None"),
        ("Wide", "refused", "1000000 columns"),
        ("Unknown", "refused", "the character '?'"),
        ("TwoAvatars", "refused", "avatar"),
        ("Surrogates", "refused", "not equally long"),  # a lone surrogate arrives as its escape
        ("Uneven", "refused", "not equally long"),
        ("BadMapping", "refused", "nosuch"),
        ("Dies", "its process ended", ""),
        ("Raises", "an exception", "no idea"),
    ],
)
def test_what_is_no_level_is_a_result(judged: Path, generator: str, cause: str, words: str) -> None:
    row = rows(judged / "run.db")[generator]
    assert row.cause == cause
    assert words in row.details
    assert not row.feasible


@pytest.mark.costly
def test_levels_are_judged_and_their_wins_verified(judged: Path) -> None:
    found = rows(judged / "run.db")
    for name in ("Good", "Counts", "OwnMapping"):
        assert found[name].verified
        assert found[name].verdict == "winnable"
        assert [c for c, share in found[name].constraints.items() if share < 1] == ["length"]
    assert found["Counts"].used == 10
    assert json.loads((judged / "run.json").read_text())["complete"]


@pytest.mark.costly
def test_what_was_made_is_an_ordinary_folder(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = judged / "made"
    game = vgdl.load(folder / "coins_good.txt")
    assert game.board(0).level.source.text == GOOD
    assert "verified = true" in (folder / "coins_good_lvl0.toml").read_text()
    assert replay_main([str(folder / "replays" / "coins_good_lvl0.json"), "--games", str(folder)]) in (0, 2)
    assert vgdl.load(folder / "coins_ownmapping.txt").board(0).warnings == ()
    capsys.readouterr()


@pytest.mark.costly
def test_a_run_is_continued_where_it_ended(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import sqlite3

    before = rows(judged / "run.db")
    with sqlite3.connect(judged / "run.db") as connection:
        connection.execute("DELETE FROM generated WHERE generator = 'Good'")
    assert main(["generate", "--resume", str(judged / "run.db"), "--quiet"]) == 0
    after = rows(judged / "run.db")
    assert after["Good"].judges == before["Good"].judges
    assert after["Counts"] == before["Counts"]
    capsys.readouterr()


@pytest.mark.costly
def test_pages_show_levels_and_their_wins(judged: Path, tmp_path: Path) -> None:
    assert main(["report", str(judged / "run.db"), "--out", str(tmp_path / "site")]) == 0
    page = (tmp_path / "site" / "subjects" / "0.html").read_text()
    assert page.count("<article") == 3
    assert ".gif" in page
    assert "expected a Level, got None" in (tmp_path / "site" / "index.html").read_text()


@pytest.mark.limits
@pytest.mark.costly
def test_a_generator_that_hangs_is_ended(coins: Path, tmp_path: Path) -> None:
    assert run(coins, "Hangs", "--store", str(tmp_path / "run.db"), budget="50ms") == 0
    assert rows(tmp_path / "run.db")["Hangs"].cause == "no answer"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--generators", "randm"], "did you mean 'random'"),
        (["--games", "zeldaa"], "did you mean 'zelda'"),
        (["--budget", "fast"], "not a budget"),
        (["--size", "12"], "not a size"),
        (["--generators", "chat:nowhere"], "expected chat:URL#MODEL"),
        (["--games", "tandem", "--generators", "random"], "for 2 players"),
    ],
)
def test_wrong_command_lines(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["generate", "levels", *options, "--quiet"])
    assert left.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.costly
def test_a_model_hears_the_referee_and_improves(coins: Path, tmp_path: Path) -> None:
    pytest.importorskip("openai")

    def script(number: int, body: dict[str, Any]) -> Answer:
        answers = ("no level at all: %", f"```\n{GOOD.replace('A', '.')}```", f"Here it is:\n```\n{GOOD}```")
        return Answer(answers[min(number, 2)])

    with endpoint(script) as served:
        assert run(coins, f"chat:{served.url}#writer", "--store", str(tmp_path / "run.db")) == 0
    said = [message["content"] for message in served.requests[-1]["messages"]]
    assert "cannot be played" in said[2]
    assert "no avatars found" in said[4]
    row = rows(tmp_path / "run.db")["writer"]
    assert row.verified
    assert row.constraints["avatar"] == 1
