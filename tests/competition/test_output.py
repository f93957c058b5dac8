"""What controllers print: the end of it is kept with the play, bounded and printable, and costs nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import contests
from contests import player, working_levels
from vgdl.competition import cli
from vgdl.competition.agents.isolation import Level
from vgdl.competition.agents.output import MAX_OUTPUT, Output, Printed, cleaned
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayerRow, opened

pytestmark = pytest.mark.one_case

HEAD = "import os, sys, time\nfrom vgdl import Action\nfrom vgdl.controllers import Controller\n"


def written(folder: Path, name: str, act: str) -> str:
    """A controller that runs some code at every tick and goes to the right, which wins."""
    file = folder / f"{name.lower()}.py"
    lines = "".join(f"        {line}\n" for line in act.splitlines())
    act = f"class {name}(Controller):\n    def act(self, state, timer):\n{lines}        return Action.RIGHT\n"
    file.write_text(HEAD + act)
    return f"{file}:{name}"


def result(controller: str, level: str = "auto") -> PlayerResult:
    return contests.play(contests.plan(controller, budget="calls:30"), level).result.players[0]


@pytest.mark.parametrize("level", working_levels())
def test_both_streams_are_kept_at_every_level_also_of_a_process_that_ends_at_once(tmp_path: Path, level: Level) -> None:
    code = "print('to \\x1b[31mstdout', state.tick)\nsys.stderr.write('to stderr\\n')\nif state.tick: os._exit(3)"
    loser = result(written(tmp_path, "Prints", code), level)
    assert loser.cause
    assert loser.output == "to stdout 0\nto stderr\nto stdout 1\nto stderr\n"
    assert loser.output_dropped == 0


@pytest.mark.limits
def test_of_a_flood_the_end_is_kept_and_the_rest_counted() -> None:
    winner = player("FloodsStandardOutput", budget="200ms")
    assert winner.outcome is Outcome.WON, winner.details
    assert len(winner.output) == MAX_OUTPUT
    assert winner.output_dropped > 100 * MAX_OUTPUT
    assert winner.printed.startswith(f"[{winner.output_dropped} bytes before this left out]\n")


def test_a_controller_may_close_its_output(tmp_path: Path) -> None:
    winner = result(
        written(tmp_path, "Closes", "if state.tick == 0:\n    print('bye')\n    os.close(1)\n    os.close(2)")
    )
    assert (winner.outcome, winner.output) == (Outcome.WON, "bye\n")


def test_a_child_that_goes_on_printing_ends_with_the_play(tmp_path: Path) -> None:
    child = "if state.tick == 0 and os.fork() == 0:\n    while True:\n        os.write(1, b'child\\n')"
    assert result(written(tmp_path, "Forks", child)).outcome is Outcome.WON


def test_text_that_no_encoding_has_can_be_printed(tmp_path: Path) -> None:
    assert result(written(tmp_path, "Odd", "print('\\ud800 \\u00fc')")).output.startswith("\\ud800 ü\n")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b[1;31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07text\x1b]8;;http://a.example\x1b\\link", "textlink"),
        ("\x9b2Jgone".encode(), "gone"),
        (b"\x1bPdevice\x1b\\text\x1b(B\x1bc", "text"),
        (b"10%\r20%\r\ndone", "10%\n20%\ndone"),
        (b"\xff\x00\x08", "\ufffd\\x00\\x08"),
        ("\u202eright to left".encode(), "\\u202eright to left"),
        (b"cut off \x1b[38;5", "cut off "),
    ],
)
def test_escape_sequences_are_removed_and_the_rest_is_printable(data: bytes, text: str) -> None:
    assert cleaned(data) == text


def test_characters_that_are_escaped_do_not_lengthen_the_text() -> None:
    assert len(cleaned(b"\x00" * MAX_OUTPUT)) == MAX_OUTPUT


def test_a_pipe_is_read_without_waiting_and_closed_once() -> None:
    output = Output()
    assert not output.read()
    os.write(output.writer, b"word")
    output.close()
    output.close()
    assert output.printed == Printed("word", 0)
    assert output.fileno() == -1


@pytest.mark.costly
def test_the_command_shows_output_on_request_and_of_disqualified_controllers_always(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quiet = written(tmp_path, "Fine", "if state.tick == 0: print('all is well')")
    broken = written(tmp_path, "Broken", "print('last words')\nraise ValueError('boom')")
    store = tmp_path / "store.db"
    plays = ["--set", str(contests.TOY), "--levels", str(contests.CORRIDOR), "--budget", "calls:30", "--quiet"]
    command = [*plays, "--controllers", f"{quiet},{broken}", "--store", str(store)]
    assert cli.main([*command, "--json", str(tmp_path / "out.json"), "--csv", str(tmp_path / "out.csv")]) == 0
    shown = capsys.readouterr().out
    assert "Broken printed (" in shown
    assert "last words" in shown
    assert "all is well" not in shown
    assert cli.main(["--resume", str(store), "--show-output", "--quiet"]) == 0
    assert "all is well" in capsys.readouterr().out
    players = [play["players"][0] for play in json.loads((tmp_path / "out.json").read_text())["plays"]]
    assert sorted(one["output"] for one in players) == ["all is well\n", "last words\n"]
    assert "all is well" in (tmp_path / "out.csv").read_text()
    with opened(store) as found:
        assert {row.output for row in found.rows(PlayerRow)} == {"all is well\n", "last words\n"}
    assert cli.main(["report", str(store), "--out", str(tmp_path / "site")]) == 0
    assert any("last words" in page.read_text() for page in (tmp_path / "site").rglob("*.html"))
