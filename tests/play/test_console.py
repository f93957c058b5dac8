"""Video games in a terminal: keys, colours, and the command in a terminal of its own."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import vgdl
from vgdl import Action
from vgdl.play import cli, console, keyboard
from vgdl.play.console import TerminalScreen
from vgdl.play.keyboard import ESCAPE, LEFT, RIGHT, UP, HeldByRepeating, keys_of
from vgdl.play.keys import HeldKeys, PulsedKeys
from vgdl.play.match import Match
from vgdl.render.ansi import thumbnail

_STYLE = re.compile(r"\x1b\[(\d+);(\d+)H|\x1b\[[\d;?]*[A-Za-z]|([^\x1b])")


class Typist:
    """A keyboard on which keys are pressed at given times, and the clock that it shares with the game.

    In the end the terminal is closed.
    """

    def __init__(self, presses: Sequence[tuple[float, str]], end: float) -> None:
        self.now = 0.0
        self._presses = [*presses, (end, "")]

    def clock(self) -> float:
        return self.now

    def read(self, seconds: float) -> list[int]:
        at, keys = self._presses[0]
        if at > self.now + max(0.0, seconds):
            self.now += max(0.0, seconds)
            return []
        self.now = max(self.now, at)
        del self._presses[0]
        if not keys:
            raise EOFError
        return keys_of(keys)


def match_of(game: str, level: str | int = 0) -> Match:
    loaded = vgdl.load(game)
    return Match(loaded, level, console.people_of(loaded, loaded.n_players), seed=1)


def played(match: Match, presses: Sequence[tuple[float, str]], seconds: float, **options: object) -> str:
    """What is written in so many seconds of a play."""
    written: list[str] = []
    typist = Typist(presses, seconds)
    screen = TerminalScreen(match, written.append, size=lambda: (80, 24), **options)  # type: ignore[arg-type]
    screen.run(typist, typist.clock)
    return "".join(written)


def shown(written: str, lines: int = 24, columns: int = 80) -> list[str]:
    """The characters on the screen after some output."""
    screen = [[" "] * columns for _ in range(lines)]
    line = column = 0
    for place in _STYLE.finditer(written):
        if place[1]:
            line, column = int(place[1]) - 1, int(place[2]) - 1
        elif place[0] == "\x1b[K":
            screen[line][column:] = [" "] * (columns - column)
        elif place[0] == "\x1b[2J":
            screen = [[" "] * columns for _ in range(lines)]
        elif place[3]:
            screen[line][column] = place[3]
            column += 1
    return ["".join(row).rstrip() for row in screen]


# -------------------------------------------------------------------------------------------------------------- playing


def test_a_game_runs_at_25_ticks_per_second() -> None:
    match = match_of("aliens")
    assert "tick 51" in shown(played(match, [], 2.01))[0]
    assert match.state.tick == 51
    faster = match_of("aliens")
    played(faster, [(0.0, "+")], 2.01)
    assert faster.state.tick == pytest.approx(2 * 51, abs=2)


def test_a_tap_counts_once_and_a_repeated_key_is_held() -> None:
    tapped = match_of("sokoban")
    played(tapped, [(0.1, "\x1b[C")], 1.0)
    assert [action for (action,) in tapped.actions if action].count(Action.RIGHT) == 1
    held = match_of("sokoban")
    repeated = [(0.1, "\x1b[C")] + [(0.6 + 0.04 * k, "\x1b[C") for k in range(10)]
    played(held, repeated, 2.0)
    moves = [action is Action.RIGHT for (action,) in held.actions]
    assert moves.count(True) in range(11, 15)
    first = moves.index(True, 5)
    assert all(moves[first : first + 10]), "without gaps"


def test_keys_of_a_game_that_counts_releases_count_once_each() -> None:
    hand = HeldByRepeating(PulsedKeys(keyboard.ARROWS))
    pulsed = hand._handler
    for _ in range(2):
        hand.press(UP)
    hand.press(LEFT)
    answers = []
    for _ in range(6):
        answers.append(pulsed.answer())
        hand.tick()
    assert [action for action in answers if action] == [Action.UP, Action.UP, Action.LEFT]


def test_another_key_ends_the_one_before() -> None:
    handler = HeldKeys(keyboard.ARROWS)
    hand = HeldByRepeating(handler)
    hand.press(UP)
    hand.press(UP)
    assert handler.answer() is Action.UP
    hand.tick()
    hand.press(LEFT)
    assert handler.answer() is Action.LEFT
    hand.tick()
    assert handler.answer() is Action.NIL


def test_pausing_single_ticks_restarting_and_levels() -> None:
    match = match_of("aliens")
    assert "paused" in shown(played(match, [(0.2, "p")], 3.0))[0]
    assert match.state.tick == 5
    match = match_of("aliens")
    played(match, [(0.0, "p"), (0.1, "."), (0.2, ".")], 1.0)
    assert match.state.tick == 2
    played(match, [(0.0, "n"), (0.1, "n")], 0.2)
    reached = [match.level]
    assert "move" not in shown(played(match, [(0.1, "b")], 0.3))[-1]
    assert [*reached, match.level] == [2, 1]


def test_the_end_is_told_and_saved(tmp_path: Path) -> None:
    match = match_of("sokoban")
    path = tmp_path / "crate.txt"
    path.write_text(vgdl.games.path("sokoban").read_text())
    (tmp_path / "crate_lvl0.txt").write_text("xxxxx\nxA$ox\nxxxxx\n")
    match = match_of(str(path))
    lines = shown(played(match, [(0.1, "d")], 3.0, replays=tmp_path / "plays"))
    assert lines[-2].startswith("You won!   after")
    assert "Q quit" in lines[-1]
    assert len(list((tmp_path / "plays").iterdir())) == 1
    again = match_of(str(path))
    played(again, [(0.1, "d"), (1.0, "r")], 1.4)
    assert not again.is_over


def test_help_explains_the_game_and_the_keys() -> None:
    lines = shown(played(match_of("sokoban"), [(0.1, "h")], 1.0))
    assert any("restart the level" in line for line in lines)
    assert any("crate" in line or "box" in line for line in lines)
    lines = shown(played(match_of("sokoban"), [(0.1, "h"), (0.2, "x")], 1.0))
    assert lines[3].count("▀") > 20


# -------------------------------------------------------------------------------------------------------------- pictures


def test_the_picture_is_as_large_as_fits() -> None:
    state = vgdl.load("zelda").start(0, 1)
    width, height = (length // state.block_size for length in state.world_dimension)
    for columns, lines in ((80, 24), (200, 60), (width, height // 2 + 1), (20, 10), (5, 3)):
        rows, across, _ = thumbnail(state, columns, lines).shape
        assert rows <= 2 * lines
        assert across <= columns
        assert across >= min(columns, width)


def test_a_board_that_is_too_large_is_cut_off_around_the_avatar() -> None:
    state = vgdl.load("zelda").start(0, 1)
    width, height = (length // state.block_size for length in state.world_dimension)
    whole, part = thumbnail(state, width, (height + 1) // 2), thumbnail(state, 7, 4)
    assert part.shape == (8, 7, 3)
    assert state.avatar is not None
    column, row = (int(pixels) // state.block_size for pixels in state.avatar.position)
    left, top = min(max(0, column - 3), width - 7), min(max(0, row - 4), height - 8)
    assert np.array_equal(part, whole[top : top + 8, left : left + 7])


def test_only_changes_are_written() -> None:
    match = match_of("sokoban")
    first = len(played(match, [(0.0, "p")], 0.1))
    longer = len(played(match_of("sokoban"), [], 2.0))
    assert longer < 3 * first, "little but the counter changes while nothing moves"


@pytest.mark.parametrize(("system", "style"), [("truecolor", "38;2;"), ("256", "38;5;"), ("standard", "\x1b[")])
def test_colours_are_those_of_the_terminal(system: str, style: str) -> None:
    assert style in played(match_of("sokoban"), [], 0.1, color_system=system)


def test_without_colours_the_board_is_shown_as_letters() -> None:
    lines = shown(played(match_of("sokoban"), [], 0.1, color_system=None))
    assert "xxxxxxx" in lines[1]
    assert not any("▀" in line for line in lines)


# ------------------------------------------------------------------------------------------------------------------ keys


@pytest.mark.parametrize(
    ("characters", "keys"),
    [
        ("aW ", [ord("a"), ord("w"), ord(" ")]),
        ("\x1b[A\x1b[D", [UP, LEFT]),
        ("\x1bOC", [RIGHT]),
        ("\x1b", [ESCAPE]),
        ("\x1b[1;5Cx", [RIGHT, ord("x")]),
        ("\x1b[15~\x1b[200~q", [ord("q")]),
        ("\x1b[", []),
    ],
)
def test_the_keys_of_a_terminal(characters: str, keys: list[int]) -> None:
    assert keys_of(characters) == keys


# --------------------------------------------------------------------------------------------------------------- command


def in_a_terminal(
    arguments: Sequence[str], until: Callable[[str], bool], keys: bytes, **variables: str
) -> tuple[str, int]:
    """Run the command in a terminal of its own, type keys as soon as a condition holds; the output and exit status."""
    import fcntl
    import pty
    import termios

    master, slave = pty.openpty()
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH") if name in os.environ}
    environment = kept | {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24", **variables}
    command = [sys.executable, "-P", "-m", "vgdl.play", *arguments]
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(slave)
    output, typed = b"", False
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            output += data
        if not typed and until(output.decode("utf-8", "replace")):
            os.write(master, keys)
            typed = True
    os.close(master)
    return output.decode("utf-8", "replace"), process.wait(60)


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_the_command_plays_in_the_terminal_where_there_is_no_display(tmp_path: Path) -> None:
    """With colours, without a word of SDL's, and leaves the terminal as it was."""
    output, status = in_a_terminal(["sokoban"], lambda seen: "tick 3 " in seen, b"q", XDG_DATA_HOME=str(tmp_path))
    assert status == 0
    assert "\x1b[38;5;" in output
    assert output.startswith("\x1b[?1049h")
    assert output.endswith("\x1b[?1049l")
    assert "XDG_RUNTIME_DIR" not in output
    assert "pygame" not in output


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_ctrl_c_leaves_the_terminal_as_it_was() -> None:
    arguments = ["aliens", "--terminal", "--controller", "random"]
    output, status = in_a_terminal(arguments, lambda seen: "tick 2 " in seen, b"\x03", COLORTERM="truecolor")
    assert status == 0
    assert "\x1b[38;2;" in output
    assert output.rstrip().endswith("\x1b[?1049l")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["aliens", "--terminal"], "standard input and output are no terminal"),
        (["--terminal", "--edit", "aliens_lvl0.txt"], "--edit needs a window"),
        (["alienz", "--terminal"], "no terminal"),
    ],
)
def test_what_cannot_be_played_in_a_terminal(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments)
    assert why in capsys.readouterr().err


def test_a_game_is_chosen_by_its_name() -> None:
    answers = iter(["frogz", "frogs"])
    told: list[str] = []
    assert console.choose_game(lambda prompt: next(answers), told.append) == "frogs"
    assert "did you mean 'frogs'?" in told[-1]
