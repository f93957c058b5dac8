"""The command ``vgdl-compete othello``: playing, storing, showing, refusing."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from vgdl.competition.cli import main
from vgdl.competition.tracks.othello.logs import read
from vgdl.competition.tracks.othello.stages import to_json
from vgdl.competition.tracks.othello.tournament import Tournament
from vgdl.tabletop.othello_stages import PUBLIC

SHORT = ["--analysis", "300ms", "--game", "300ms", "--quiet"]
EXAMPLE = Path(__file__).parents[3] / "examples" / "othello_system.py"

pytestmark = pytest.mark.xdist_group("othello command")  # one tournament for all of them


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished tournament of a student's file on a public and a hidden stage, with all its output."""
    folder = tmp_path_factory.mktemp("othello")
    options = [
        "--systems",
        f"{EXAMPLE},greedy,random",
        "--stages",
        "stage-1,reverse-6",
        "--seed",
        "4",
        "--metrics",
        "paper",
    ]
    files = ["--store", str(folder / "store.db"), "--json", str(folder / "all.json"), "--csv", str(folder / "all.csv")]
    assert main(["othello", *options, *SHORT, *files, "--logs", str(folder / "logs")]) == 0
    return folder


@pytest.mark.costly
def test_a_student_s_file_plays_to_a_table(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["standings", str(played / "store.db")]) == 0
    shown = capsys.readouterr().out
    for words in (
        "Small Board (6x6)",
        "Stage 4 (6×6, fewest wins)",
        "Overall",
        "Mobile",
        "seed 4",
        "score = sum of P 0.5",
    ):
        assert words in shown
    facts = json.loads((played / "all.json").read_text())
    assert facts["complete"]
    assert len(facts["games"]) == 12
    assert {row["name"] for row in facts["overall"]} == {"Mobile", "greedy", "random"}
    assert all(row["score"] is not None for row in facts["overall"])
    with (played / "all.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 12


def test_the_documentation_shows_the_example_as_it_is() -> None:
    page = (EXAMPLE.parents[1] / "docs" / "othello-arena.md").read_text(encoding="utf-8")
    code = EXAMPLE.read_text(encoding="utf-8").partition('"""\n\n')[2]
    assert f"```python\n{code}```" in page


@pytest.mark.costly
def test_logs_of_both_forms_are_written_and_checked(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(path.name for path in (played / "logs").iterdir()) == [
        "00-stage-1.json", "00-stage-1.log", "01-reverse-6.json", "01-reverse-6.log",
    ]  # fmt: skip
    for name in ("00-stage-1", "01-reverse-6"):
        texts = [(played / "logs" / f"{name}{ending}").read_text() for ending in (".json", ".log")]
        games, again = map(read, texts)
        assert [game.scores for game in games] == [game.scores for game in again]
        assert main(["othello", "check", str(played / "logs" / f"{name}.json")]) == 0
    assert main(["othello", "check", str(played / "logs" / "01-reverse-6.log"), "--verbose"]) == 0
    assert "fewest wins" in capsys.readouterr().out


def test_a_stage_with_a_slash_in_its_name_has_logs(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps([to_json(PUBLIC[1]) | {"id": "my/stage 1.5"}]))
    logs = ["--logs", str(tmp_path / "logs")]
    assert main(["othello", "--systems", "greedy,random", "--stages", str(file), *SHORT, *logs]) == 0
    names = sorted(path.name for path in (tmp_path / "logs").iterdir())
    assert names == ["00-my-stage-1.5.json", "00-my-stage-1.5.log"]


def test_a_folder_for_logs_that_cannot_be_made_is_reported_before_a_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(*_: object) -> bool:
        raise AssertionError("games were played")

    monkeypatch.setattr(Tournament, "play", play)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(SystemExit):
        main(["othello", "--systems", "greedy,random", "--stages", "stage-1", *SHORT, "--logs", str(file / "logs")])
    assert "Not a directory" in capsys.readouterr().err


def test_check_reports_a_log_that_obeys_no_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "game.log"
    log.write_text(
        "Game started: a(B) vs b(W) on Stage: Standard 8x8\na(B): a1\nGame over: Final score 3-1\nBlack wins!\n"
    )
    assert main(["othello", "check", str(log)]) == 1
    assert "obeys no rules: move 1, Black a1: illegal" in capsys.readouterr().out


@pytest.mark.costly
def test_a_finished_tournament_is_resumed_to_the_same_tables(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (played / "store.db").read_bytes()[:100]
    assert main(["othello", "--resume", str(played / "store.db"), "--quiet"]) == 0
    assert "Overall" in capsys.readouterr().out
    assert before[:16] == b"SQLite format 3\x00"


@pytest.mark.costly
def test_the_site_has_a_page_per_stage_every_game_and_logs(played: Path, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    assert main(["report", str(played / "store.db"), "--out", str(tmp_path / "site"), "--quiet"]) == 0
    site = tmp_path / "site"
    index = (site / "index.html").read_text()
    for words in ("Leaderboard", "Mobile", "Who beats whom", "P, performance", "results.json"):
        assert words in index
    assert {path.name for path in (site / "stages").iterdir()} == {"0.html", "1.html"}
    assert len(list((site / "games").iterdir())) == 13, "twelve games and their list"
    assert len(read((site / "logs" / "0.json").read_text())) == 6
    assert len(read((site / "logs" / "1.log").read_text())) == 6
    script = (site / "games" / "0.js").read_text()
    facts = json.loads(script.removeprefix("othello.game(0,").removesuffix(");\n"))
    assert facts["size"] == 6
    assert all(len(move[6]) == 36 for move in facts["moves"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--systems", "greedi,random"], "did you mean 'greedy'?"),
        (["--systems", "greedy"], "at least two systems"),
        (["--systems", "greedy,greedy"], "two of the systems are called greedy"),
        (["--systems", "nosuch.py,random"], "there is no file"),
        (["--stages", "nosuch"], "there are no stages 'nosuch'"),
        (["--stages", "generated:odd:2"], "no stages of kind 'odd'"),
        (["--stages", "public,stage-1"], "two of the stages are called stage-1"),
        (["--stages", "nosuch.json"], "No such file"),
        (["--stages", "public,generated:0"], "'generated:0' asks for no stages"),
        (
            ["--stages", "generated:99999999"],
            "'generated:99999999' asks for too many stages; write generated:1000 or less",
        ),
        (["--stages", "generated:" + "9" * 5000], "there are no stages"),
        (["--stages", "seed:" + "9" * 5000], "there are no stages"),
        (["--analysis", "9" * 500 + "s"], "is not a time"),
        (["--analysis", "fast"], "'fast' is not a time: write 60s or 500ms"),
        (["--weights", "1,2"], "five numbers"),
        (["--memory", "64"], "from 128"),
        (["--csv", "."], ". is a folder"),
        (["--store", "new.db", "--csv", "new.db"], "two options name the file new.db"),
        (["--resume", "nosuch.db"], "there is no file nosuch.db"),
        (["--systems", "template,mcts", "--adaptation"], "enter one of them"),
        (["--repeats", "1000000000"], "a competition has at most 1,000,000"),
    ],
)
def test_wrong_arguments_are_refused_with_an_explanation(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = 2
    try:
        status = main(["othello", *arguments])
    except SystemExit as exit_:
        assert exit_.code == 2
    errors = capsys.readouterr().err
    assert status in (1, 2)
    assert told in " ".join(errors.split())
    assert "Traceback" not in errors


def test_a_file_without_stages_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "none.json"
    file.write_text("[]")
    with pytest.raises(SystemExit):
        main(["othello", "--stages", str(file)])
    assert "none.json has no stages" in capsys.readouterr().err


def test_a_file_without_a_system_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "empty.py"
    file.write_text("class Nothing:\n    pass\n")
    with pytest.raises(SystemExit):
        main(["othello", "--systems", f"{file},random"])
    assert "has no class with a method analyze_stage" in " ".join(capsys.readouterr().err.split())


@pytest.mark.costly
def test_tables_have_no_unexplained_dash(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--systems", "greedy,random", "--seed", "4", "--isolation", "rlimits", "--quiet", *SHORT]
    assert main(["othello", *words, "--stages", "stage-1"]) == 0
    shown = capsys.readouterr().out
    assert "–" not in shown
    for part in ("P: share of games won", "E: share of both", "G and R, and with them the score, need hidden stages"):
        assert part in " ".join(shown.split())
    assert main(["othello", *words, "--stages", "stage-1,reverse-6"]) == 0
    shown = capsys.readouterr().out
    assert "–" not in shown
    assert "first-legal" in shown, "the baseline plays along"
    assert "score" in shown
