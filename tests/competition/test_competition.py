"""A small competition from start to end, and its command line."""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import contests
from vgdl import replay
from vgdl.competition import cli
from vgdl.competition.agents import control_group, cpu_clock
from vgdl.competition.agents.isolation import Level
from vgdl.competition.failures import in_a_line
from vgdl.competition.interrupts import INTERRUPTED
from vgdl.competition.tracks.planning.game_set import SetNotFound, bundled_sets, find_set
from vgdl.competition.tracks.planning.plan import Boards, fixtures
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult, PlayRow
from vgdl.competition.tracks.planning.runner import Competition, PlayRecord

TOY = Path(__file__).parent / "toy"
SMALL = ["--controllers", "random,onesteplookahead,samplemcts", "--set", str(TOY), "--seed", "7", "--quiet"]


def compete(*arguments: str, json_file: Path) -> dict[str, Any]:
    assert cli.main([*SMALL, *arguments, "--json", str(json_file)]) == 0
    facts: dict[str, Any] = json.loads(json_file.read_text())
    return facts


@pytest.mark.costly
def test_three_controllers_are_ranked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = compete("--budget", "calls:400", "--repeats", "2", json_file=tmp_path / "out.json")
    ranking = [row["controller"] for row in facts["ranking"]]
    assert ranking[0] == "SampleMCTS"
    assert set(ranking) == {"Random", "OneStepLookAhead", "SampleMCTS"}
    assert len(facts["plays"]) == 3 * 3 * 2
    assert facts["complete"] is True
    printed = capsys.readouterr().out
    assert "victories" in printed
    assert "Ranking (Formula-1 points)" in printed
    assert "seed 7" in printed


@pytest.mark.costly
def test_with_a_budget_of_calls_the_same_seed_gives_the_same_competition(tmp_path: Path) -> None:
    arguments = ("--budget", "calls:150", "--levels", "0,2")
    first = compete(*arguments, json_file=tmp_path / "1.json")
    again = compete(*arguments, json_file=tmp_path / "2.json")
    assert (again["plays"], again["standings"], again["ranking"]) == (
        first["plays"], first["standings"], first["ranking"],
    )  # fmt: skip
    other = compete(*arguments, "--seed", "8", json_file=tmp_path / "3.json")
    assert other["plays"] != first["plays"]


@pytest.mark.everything
def test_all_controllers_meet_the_same_random_future(tmp_path: Path) -> None:
    facts = compete("--budget", "calls:20", "--repeats", "2", json_file=tmp_path / "out.json")
    seeds: dict[tuple[int, int], set[int]] = {}
    for play in facts["plays"]:
        seeds.setdefault((play["level"], play["repeat"]), set()).add(play["seed"])
    assert all(len(own) == 1 for own in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds)


def test_a_result_states_its_conditions(tmp_path: Path) -> None:
    facts = compete("--budget", "calls:20", "--levels", "1", json_file=tmp_path / "out.json")
    assert facts["rules"]["limits"]["action"] == 20
    assert facts["rules"]["unit"] == "calls"
    assert facts["seed"] == "7"
    (game,) = facts["games"]
    assert (game["name"], len(game["sha256"]), list(game["levels"])) == ("toy", 64, ["1"])
    assert "python" in facts["versions"]
    assert facts["rules"]["clock"] == "calls"
    assert facts["restrictions"]["memory_mb"] == 2048
    assert facts["sessions"][0]["isolation"]["level"] in list(Level)
    assert facts["machine"]["cores"] >= 1


def test_weak_isolation_and_an_inexact_clock_are_prominent_warnings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*SMALL, "--controllers", "random", "--levels", "1"]
    assert cli.main([*arguments, "--isolation", "rlimits"]) == 0
    captured = capsys.readouterr()
    assert "WEAK ISOLATION" in captured.err
    assert "1 play isolated by rlimits" in captured.out
    monkeypatch.setattr(cpu_clock, "PERF_EVENT_OPEN", {})
    monkeypatch.setattr(control_group, "create", lambda: None)
    assert cli.main(arguments) == 0
    captured = capsys.readouterr()
    assert "INEXACT CLOCK" in captured.err
    assert "CPU times by procfs" in captured.out


def test_all_budgets_are_options_and_echoed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "--controllers",
        "random",
        "--levels",
        "1",
        "--clock",
        "wall",
        "--budget",
        "80ms",
        "--construction",
        "2s",
    ]
    facts = compete(*arguments, json_file=tmp_path / "1.json")
    assert facts["rules"]["clock"] == "wall"
    assert facts["rules"]["limits"] == {
        "construction": 2000, "action": 80, "disqualification": 100, "result": 100,
    }  # fmt: skip
    printed = " ".join(capsys.readouterr().out.split())
    assert "2000 ms to construct, 80 ms to act, more than 100 ms disqualifies (wall time); no answer within" in printed
    arguments = ["--controllers", "random", "--levels", "1", "--budget", "calls:90", "--construction", "calls:7"]
    limits = compete(*arguments, json_file=tmp_path / "2.json")["rules"]["limits"]
    assert (limits["construction"], limits["action"]) == (7, 90)


@pytest.mark.costly
def test_a_row_per_play_and_player_is_written(tmp_path: Path) -> None:
    facts = compete("--budget", "calls:20", "--csv", str(tmp_path / "out.csv"), json_file=tmp_path / "out.json")
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(facts["plays"]) == 9
    assert [row["controller"] for row in rows] == [play["players"][0]["controller"] for play in facts["plays"]]
    assert [float(row["score"]) for row in rows] == [play["players"][0]["score"] for play in facts["plays"]]


@pytest.mark.costly
def test_every_play_leaves_a_replay_that_leads_to_its_result(tmp_path: Path) -> None:
    folder = tmp_path / "replays"
    facts = compete("--budget", "calls:100", "--replays", str(folder), json_file=tmp_path / "out.json")
    files = sorted(folder.iterdir())
    assert len(files) == len(facts["plays"]) == 9
    for file in files:
        played = replay.read(file)
        assert replay.verify(played, replay.find_board(played, [TOY])).same


def test_a_controller_that_fails_is_ranked_last_and_its_error_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = f"{TOY.parent / 'misbehaving.py'}:RaisesInAct"
    facts = compete("--controllers", f"{failing},random", "--levels", "1", json_file=tmp_path / "out.json")
    assert [row["controller"] for row in facts["ranking"]] == ["Random", "RaisesInAct"]
    printed = " ".join(capsys.readouterr().out.split())
    assert "RaisesInAct was disqualified (toy, level 1, play 0): an exception: ZeroDivisionError" in printed
    assert "Traceback" in facts["plays"][0]["players"][0]["details"]


@pytest.mark.parametrize("head", ["", 'Traceback\n  File "my_agent.py", line 7, in act\n    raise error\n'])
def test_long_messages_of_controllers_are_shortened_in_tables(head: str) -> None:
    line = in_a_line(head + "ValueError: " + "x" * 100_000)
    assert line.startswith("ValueError: xxx")
    assert len(line) < 500
    assert ("(my_agent.py, line 7, in act)" in line) is bool(head)


def test_json_on_standard_output_moves_the_tables_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main([*SMALL, "--controllers", "random", "--levels", "1", "--json", "-"])
    captured = capsys.readouterr()
    assert json.loads(captured.out)["set"] == "toy"
    assert "Ranking" in captured.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "trainig"], "did you mean 'training'"),
        (["--controllers", "samplemtcs"], "did you mean 'samplemcts'"),
        (["--controllers", "random,random"], "two of the controllers are called Random"),
        (["--controllers", ","], "at least one name"),
        (["--games", "toi"], "did you mean 'toy'"),
        (["--levels", "4-2"], "write 0-4"),
        (["--levels", "x"], "write 0-4"),
        (["--levels", "7"], "toy has no level 7"),
        (["--repeats", "0"], "1 or more"),
        (["--seed", "-1"], "2**128"),
        (["--seed", str(2**128)], "2**128"),
        (["--budget", "40"], "like 40ms"),
        (["--clock", "sun"], "choose from"),
        (["--clock", "calls"], "--budget calls:900"),
        (["--clock", "wall", "--budget", "calls:9"], "--clock wall needs a time, not --budget calls:9"),
        (["--construction", "calls:9"], "write 1s"),
        (["--budget", "9" * 500 + "ms"], "is not a budget"),
        (["--budget", "calls:" + "9" * 5000], "is not a budget"),
        (["--budget", "calls:9", "--construction", "1s"], "write calls:20000"),
        (["--set-dir", "no/such/folder"], "either --set or --set-dir"),
        (["--isolation", "prison"], "choose from"),
        (["--games", "tandem"], "tandem is in the set two_player, not in"),
        (["--store", "no/such/folder/x.db"], "no folder"),
        (["--json", "no/such/folder/x.json"], "no folder"),
        (["--csv", "."], ". is a folder"),
        (["--store", "new.db", "--csv", "./new.db"], "two options name the file new.db"),
        (["--json", "same", "--csv", "same"], "two options name the file same"),
        (["--repeats", "1000000000"], "a competition has at most 1,000,000"),
        (["--memory", "1"], "from 128"),
        (["--scratch", str(2**64)], "from 1 to"),
    ],
)
def test_wrong_arguments_are_explained(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main([*SMALL, *arguments])
    assert exit_.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["play", "--actions", "x"], "argument --actions: 'x' is not a whole number of 0 or more"),
        (["play", "--seconds", "x"], "argument --seconds: 'x' is not a number of 0 or more"),
        (["play", "--jobs", "x"], "argument --jobs: 'x' is not a number of 1 or more"),
        (["smoke", "--actions", "x"], "argument --actions: 'x' is not a number of 1 or more"),
        (["serve", "--rpm", "x"], "argument --rpm: 'x' is not a number of 1 or more"),
        (["serve", "--max-hours", "x"], "argument --max-hours: 'x' is not a number of 0 or more"),
    ],
)
def test_a_wrong_number_of_an_arc_command_is_explained(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main(["arc", *words])
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rport", "spring.db"], "there is no command 'rport' (did you mean 'report'?)"),
        (["arc", "srve"], "there is no command 'srve' (did you mean 'serve'?); there are serve, play,"),
        (
            ["othello", "cheek", "game.log"],
            "there is no command 'cheek' (did you mean 'check'?); there is only check\n",
        ),
        (["worldmodels", "rekord"], "there is no command 'rekord' (did you mean 'record'?)"),
        (["gamebot", "play"], "there is no command 'play'"),
    ],
)
def test_a_misspelt_command_is_explained(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main(words)
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


def test_an_unreadable_game_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.txt").write_text("this is not a game")
    (tmp_path / "bad_lvl0.txt").write_text("A")
    with pytest.raises(SystemExit) as exit_:
        cli.main(["--set", str(tmp_path)])
    assert exit_.value.code == 2
    assert "bad.txt" in capsys.readouterr().err


def test_a_game_without_levels_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bare.txt").write_text((contests.TOY / "toy.txt").read_text())
    with pytest.raises(SystemExit) as exit_:
        cli.main(["--games", str(tmp_path / "bare.txt"), "--controllers", "random"])
    assert exit_.value.code == 2
    assert "expected a file bare_lvl0.txt beside the game" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    ["", "report", "serve", "site create", "submit", "worker", "arc serve", "arc play", "gamebot", "othello"],
)
def test_help_names_every_default(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[argparse.ArgumentParser] = []
    monkeypatch.setattr(argparse.ArgumentParser, "print_help", lambda parser, file=None: shown.append(parser))
    with pytest.raises(SystemExit):
        cli.main([*command.split(), "--help"])
    (parser,) = shown
    valued = [one for one in parser._actions if one.option_strings and one.nargs != 0]
    assert [one.option_strings for one in valued if one.default and "default: " not in (one.help or "")] == []


def test_help_explains_the_rules_and_gives_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main(["--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    assert "40 ms of CPU time" in text
    assert "samplemcts" in text
    assert "examples:" in text


def test_the_training_set_is_bundled() -> None:
    assert "training" in bundled_sets()
    assert {path.stem for path in find_set("training").paths} >= {"aliens", "butterflies", "sokoban"}


def test_a_folder_without_games_is_not_a_set(tmp_path: Path) -> None:
    with pytest.raises(SetNotFound, match="contains no games"):
        find_set(str(tmp_path))


@pytest.mark.one_case
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_with_the_standings_so_far(number: signal.Signals, tmp_path: Path) -> None:
    out, replays = tmp_path / "out.json", tmp_path / "replays"
    command = [sys.executable, "-P", "-m", "vgdl.competition.cli", *SMALL, "--repeats", "500"]
    process = subprocess.Popen(
        [*command, "--controllers", "random", "--json", str(out), "--replays", str(replays)],
        stdout=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not (replays.is_dir() and any(replays.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, number)
    printed, _ = process.communicate(timeout=30)
    assert process.returncode == INTERRUPTED
    assert "of 1500 plays are done" in printed
    facts = json.loads(out.read_text())
    assert facts["complete"] is False
    assert 0 < len(facts["plays"]) < 1500


def test_unfinished_standings_compare_plays_done_by_all_and_count_missing_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two controllers have played level 0, one of them level 1 too; seen in terminal, JSON and site."""
    plan = contests.plan("random", "onesteplookahead", levels=(0, 1, 2))
    boards, path = Boards(plan), tmp_path / "a.db"
    planned = fixtures(plan, boards)
    with contests.new_store(path, plan, len(planned)) as store:
        store.begin_session({})
        for fixture in planned[:3]:
            lucky = fixture.names[0] == "Random"
            player = PlayerResult(fixture.names[0], Outcome.WON if lucky else Outcome.LOST, 1.0)
            result = PlayResult(*fixture.place, 7, "", 0, (player,))
            isolation = {"level": "bwrap", "cpu times": "perf", "core": 0}
            store.add(*PlayRecord(fixture.number, result, (), ((),), isolation, 0.1, 0.0).rows)
    assert cli.main(["standings", str(path), "--json", str(tmp_path / "a.json")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "3 of 6 plays are done" in shown
    assert "plays still to come: Random 1, OneStepLookAhead 2" in shown
    facts = json.loads((tmp_path / "a.json").read_text())
    assert facts["missing"] == {"Random": 1, "OneStepLookAhead": 2}
    assert [(row["controller"], row["victories"], row["plays"]) for row in facts["ranking"]] == [
        ("Random", 1, 1),
        ("OneStepLookAhead", 0, 1),
    ]
    assert cli.main(["report", str(path), "--out", str(tmp_path / "site"), "--quiet"]) == 0
    assert "Random 1, OneStepLookAhead 2" in (tmp_path / "site" / "index.html").read_text()


@pytest.mark.costly
def test_a_game_is_given_by_its_file_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("toy.txt", "toy_lvl1.txt"):
        (tmp_path / name.replace("toy", "moles")).write_text((contests.TOY / name).read_text())
    (tmp_path / "moles_lvl0.txt").write_text((contests.TOY / "toy_lvl1.txt").read_text())
    monkeypatch.chdir(tmp_path)
    facts = compete("--games", "moles.txt", "--budget", "calls:9", json_file=tmp_path / "a.json")
    assert [play["game"] for play in facts["plays"]] == ["moles"] * 2 * len(facts["controllers"])


def test_errors_are_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--games", "nosuch"], ["--budget", "soon"], ["--nonsense"], ["--games", "nosuch.txt"]):
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        assert ended.value.code == 2
        usage, error = capsys.readouterr().err.strip().splitlines()
        assert usage.startswith("usage: ")
        assert error.startswith("vgdl-compete: error: ")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("Forgetful", "Forgetful in agents.py has no method act"),
        ("Helper", "does not derive from"),
        ("", "it has Good, Better"),
    ],
)
def test_a_class_that_is_not_a_controller_is_refused_at_the_start_with_a_list_of_controllers(
    name: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "agents.py"
    file.write_text(
        "from vgdl import Action\nfrom vgdl.controllers import Controller\nclass Helper: pass\n"
        "class Forgetful(Controller):\n    def think(self): pass\n"
        "class Good(Controller):\n    def act(self, state, timer): return Action.NIL\nclass Better(Good): pass\n"
    )
    with pytest.raises(SystemExit):
        cli.main(["--controllers", f"{file}:{name}" if name else str(file)])
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert complaint in error
    assert "Action" not in error.partition("it has")[2]


def test_a_bug_shows_its_traceback_and_the_store_is_safe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not look like a usage error."""
    path = tmp_path / "a.db"

    def broken(self: Competition, number: int, core: int | None = None) -> PlayRecord:
        if number:
            raise ValueError("a bug of ours")
        return play(self, number, core)

    play = Competition.play
    monkeypatch.setattr(Competition, "play", broken)
    arguments = ["--set", str(contests.TOY), "--controllers", "random", "--budget", "calls:9", "--quiet"]
    with pytest.raises(ValueError, match="a bug of ours"):
        cli.main([*arguments, "--store", str(path)])
    with contests.read(path) as store:
        assert store.count(PlayRow) == 1


def test_an_interrupt_while_python_imports_ends_without_a_traceback(tmp_path: Path) -> None:
    """Interrupted at the package's first import, as happens on a slow disk or busy machine."""
    (tmp_path / "interrupting.py").write_text(
        "import os, signal, sys\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'vgdl':\n            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "sys.argv[0] = 'vgdl-compete'\nimport _vgdl_commands\nsys.exit(_vgdl_commands.main())\n"
    )
    done = subprocess.run(
        [sys.executable, str(tmp_path / "interrupting.py")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
