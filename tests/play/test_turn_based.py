"""Turn-based games by hand: the board of Othello in the window, everything else in the terminal."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pygame
import pytest

from play.conftest import screen_of
from play.window import Open, Window
from vgdl.play import cli, terminal, turn_based
from vgdl.play.board import PASS_MS, BoardScreen
from vgdl.play.table import Table, line_up
from vgdl.tabletop import load

needs_spiel = pytest.mark.skipif(importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is not installed")


def cell(screen: BoardScreen, name: str) -> tuple[int, int]:
    """The middle of a cell such as d3, in pixels."""
    return screen.place(int(name[1:]) - 1, ord(name[0]) - ord("a"))


def click(window: Window, name: str) -> BoardScreen:
    screen: BoardScreen = screen_of(window, BoardScreen)
    window.click(cell(screen, name))
    return screen


@pytest.mark.parametrize("size", [(800, 600), (480, 720), (1500, 500)])
def test_a_click_on_a_legal_cell_is_a_move(opened: Open, size: tuple[int, int]) -> None:
    window = opened("othello", size=size)
    before = window.pixels()
    screen = click(window, "d3")
    assert screen.state.counts() == (4, 1)
    assert screen.table.moves[0].name == "d3"
    assert window.pixels() != before
    click(window, "a1")  # illegal: nothing happens
    assert len(screen.table.moves) == 1


def test_legal_moves_and_what_they_capture_are_marked(opened: Open) -> None:
    window = opened("othello")
    screen: BoardScreen = screen_of(window, BoardScreen)
    legal, empty = cell(screen, "d3"), cell(screen, "a1")
    assert window.app.surface.get_at(legal) != window.app.surface.get_at(empty)
    middle = cell(screen, "d4")
    unmarked = pygame.image.tobytes(window.app.surface, "RGB")
    pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=legal, rel=(0, 0), buttons=(0, 0, 0)))
    window.wait()
    assert pygame.image.tobytes(window.app.surface, "RGB") != unmarked
    assert screen.cursor == (2, 3)
    assert screen.cell_at(middle) == (3, 3)


def test_undo_goes_back_to_the_last_choice_of_a_person(opened: Open) -> None:
    window = opened("othello", "--controller", "random", "--seed", "1")
    screen = click(window, "d3")
    start = load("othello").new_initial_state()
    while len(screen.table.moves) < 2:
        window.wait(10)
    window.press(pygame.K_u)
    assert str(screen.state) == str(start)
    window.press(pygame.K_u)  # nothing is left to take back
    assert screen.table.moves == []


def test_keys_move_the_cursor_and_play(opened: Open) -> None:
    window = opened("othello(size=6)")
    screen: BoardScreen = screen_of(window, BoardScreen)
    window.press(pygame.K_UP)  # from the middle: d4 to d3
    assert screen.cursor == (2, 3)
    window.press(pygame.K_UP, pygame.K_LEFT, pygame.K_RETURN)
    assert [move.name for move in screen.table.moves] == ["c2"]
    window.press(pygame.K_n)
    assert screen.table.moves == []


def test_a_program_replies_and_clocks_run(opened: Open) -> None:
    window = opened("othello(size=6)", "--controller", "alphabeta", "--think", "5", "--player", "2")
    screen: BoardScreen = screen_of(window, BoardScreen)
    assert not screen.table.moves  # however fast it was, its time is counted first
    while not screen.table.moves:
        window.wait(7)
    assert [move.player for move in screen.table.moves] == [0]
    assert screen.table.is_a_persons_turn
    clocks = list(screen.table.clocks)
    assert clocks[0] >= 7
    window.wait(500)
    assert screen.table.clocks == [clocks[0], clocks[1] + 500]


def test_two_programs_play_a_whole_game_with_passes(opened: Open) -> None:
    window = opened("othello(stage=fewer-6)", "--controller", "random", "--controller", "random", "--seed", "4")
    screen: BoardScreen = screen_of(window, BoardScreen)
    while not screen.table.is_over:
        window.wait(PASS_MS)
    assert sum(screen.state.counts()) > 10
    assert screen.table.error == ""
    window.press(pygame.K_ESCAPE)
    assert window.top is None


def test_a_paused_game_of_programs_stands_still(opened: Open) -> None:
    window = opened("othello", "--controller", "random", "--controller", "random", "--paused")
    screen: BoardScreen = screen_of(window, BoardScreen)
    for _ in range(20):
        window.wait(100)
    assert screen.table.moves == []
    window.press(pygame.K_SPACE)
    while not screen.table.moves:
        window.wait(10)


def test_a_failing_program_ends_the_game_with_an_explanation(opened: Open) -> None:
    window = opened("othello", "--controller", "random", "--player", "2")
    screen: BoardScreen = screen_of(window, BoardScreen)

    class Broken:
        def step(self, state: Any) -> int:
            raise RuntimeError("out of ideas")

    screen.table.restart()
    screen.table.programs[0] = Broken()
    while not screen.table.is_over:
        window.wait(10)
    assert screen.table.error == "random has failed: RuntimeError: out of ideas"
    assert screen.message()[0] == screen.table.error


def lines(*given: str) -> Any:
    """Input as if typed, then end of file."""
    answers: Iterator[str] = iter(given)

    def read(prompt: str) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    return read


def played(name: str, programs: list[str], *answers: str, player: int = 1) -> tuple[bool, str, Table]:
    game = load(name)
    table = Table(game, line_up(game, programs, player), milliseconds=5, seed=3)
    shown: list[str] = []
    ended = terminal.play(table, lines(*answers), shown.append)
    return ended, "\n".join(shown), table


def test_a_game_in_the_terminal_from_its_strings() -> None:
    ended, shown, table = played("othello(size=4)", [], "a2", "nonsense", "?", "undo", "B1", "1", "quit")
    assert not ended
    assert "1 - - - - 1" in shown
    assert "'nonsense' is not a legal action here." in shown
    assert "Legal: 1: b1, 4: a2, 11: d3, 14: c4" in shown
    assert [move.name for move in table.moves] == ["b1"]


def test_programs_play_to_the_end_in_the_terminal() -> None:
    ended, shown, table = played("othello(size=4)", ["random", "alphabeta"])
    assert ended
    assert table.is_over
    assert "Player 2 (alphabeta):" in shown
    assert "Returns: player 1" in shown


def test_the_end_of_the_input_ends_the_game() -> None:
    assert played("othello(size=4)", [])[0] is False


@needs_spiel
def test_a_game_of_open_spiel_in_the_terminal() -> None:
    ended, shown, _ = played("tic_tac_toe", [], *["0", "3", "1", "4", "2"])
    assert ended
    assert "Returns: player 1 1, player 2 -1" in shown


@needs_spiel
def test_hidden_information_is_not_shown_in_the_terminal() -> None:
    """Neither the outcome of dealing the cards nor the other player's card."""
    _, shown, table = played("kuhn_poker", ["random"], "quit")
    assert table.moves[0].player == -1
    assert "Chance" not in shown
    assert str(table.state.observation_string(0)) in shown
    assert str(table.state) not in shown


@needs_spiel
def test_the_command_plays_other_games_in_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tic_tac_toe", "--controller", "random", "--controller", "mcts", "--think", "5"]) == 0
    assert "Returns:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["othello", "--controller", "mtcs"], "did you mean 'mcts'"),
        (["othello(stage=csquare)"], "did you mean 'csquares'"),
        (["othello(siz=6)"], "did you mean 'size'"),
        (["othello(size=4,size=6)"], "size is given twice"),
        (["othello", "--level", "1"], "has no levels"),
        (["othello", "--think", "nan"], "'nan' is not a number of milliseconds"),
        (["aliens", "--player", "2"], "there is no player 2"),
        (["othello", "--controller", "random", "--controller", "random", "--controller", "random"], "has 2 players"),
    ],
)
def test_mistakes_on_the_command_line_are_reported(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_bundled_games_come_first() -> None:
    assert turn_based.is_turn_based("othello(size=6)")
    assert not turn_based.is_turn_based("aliens")
    assert not turn_based.is_turn_based("BasicGame\n    SpriteSet")
    assert not turn_based.is_turn_based(None)
