"""Playing by hand, with real key events."""

from __future__ import annotations

from pathlib import Path

import pygame
import pytest

from play.conftest import screen_of
from play.window import DUEL_LEVEL, RACE, Open, Window
from vgdl import Action, Winner, replay
from vgdl.play.match import Match
from vgdl.play.playing import PlayScreen

RIGHT, LEFT, UP, DOWN, SPACE = pygame.K_RIGHT, pygame.K_LEFT, pygame.K_UP, pygame.K_DOWN, pygame.K_SPACE


def screen(window: Window) -> PlayScreen:
    found: PlayScreen = screen_of(window, PlayScreen)
    return found


def match(window: Window) -> Match:
    return screen(window).match


def column(window: Window, player: int = 0) -> int:
    avatar = match(window).state.avatars[player]
    assert avatar is not None
    return avatar.position[0] // 10


def said(window: Window) -> list[tuple[str | None, ...]]:
    """The actions of all ticks so far, by name."""
    return [tuple(action.name if action is not None else None for action in tick) for tick in match(window).actions]


@pytest.mark.parametrize("key", [RIGHT, pygame.K_d])
def test_arrows_and_letters_move_the_avatar(opened: Open, key: int) -> None:
    window = opened("race.txt")
    window.hold(key)
    window.ticks(2)
    window.let_go(key)
    window.ticks(2)
    assert column(window) == 2
    assert said(window) == [("RIGHT",), ("RIGHT",), ("NIL",), ("NIL",)]


def test_keys_held_together_are_one_action_per_tick(opened: Open) -> None:
    window = opened("race.txt")
    window.hold(RIGHT, DOWN)
    window.ticks(1)
    window.let_go(DOWN)
    window.hold(LEFT)
    window.ticks(1)
    window.hold(SPACE)
    window.ticks(1)
    assert said(window) == [("NIL",), ("RIGHT",), ("USE",)]


def test_pulses_count_on_release(opened: Open, folder: Path) -> None:
    (folder / "race.txt").write_text(RACE.replace("square_size", "key_handler=Pulse square_size"))
    window = opened("race.txt")
    window.hold(RIGHT)
    window.ticks(3)
    window.let_go(RIGHT)
    window.ticks(2)
    assert said(window) == [("NIL",)] * 3 + [("RIGHT",), ("NIL",)]


def test_space_shoots(opened: Open) -> None:
    window = opened("shooter.txt")
    window.hold(SPACE)
    window.ticks(1)
    assert any(match(window).state.from_avatar)


def test_a_won_level_leads_to_the_next(opened: Open) -> None:
    window = opened("race.txt")
    window.hold(RIGHT)
    window.ticks(4)
    window.let_go(RIGHT)
    assert match(window).state.winner is Winner.PLAYER_WINS
    assert match(window).outcome == "You won!"
    window.press(pygame.K_RETURN)  # on "next level", since it was won
    assert (match(window).level, match(window).state.tick, match(window).is_over) == (1, 0, False)


def test_a_lost_level_can_be_played_again(opened: Open) -> None:
    window = opened("race.txt", "--level", "1", "--seed", "5")
    window.ticks(40)
    assert match(window).outcome == "You lost"
    window.press(SPACE)  # a player who is still shooting does not want to choose
    assert match(window).is_over
    window.press(pygame.K_RETURN)
    assert (match(window).level, match(window).is_over, match(window).seed) == (1, False, 5)


def test_the_mouse_chooses_on_the_panel(opened: Open) -> None:
    window = opened("race.txt")
    window.ticks(40)
    window.click(screen(window).next_button.rect.center)
    assert (match(window).level, match(window).is_over) == (1, False)
    window.ticks(40)
    window.click((3, 3))
    assert match(window).is_over
    window.click(screen(window).back_button.rect.center)
    assert window.top is None


def test_arrow_keys_choose_on_the_panel(opened: Open) -> None:
    window = opened("race.txt")
    window.ticks(40)
    window.press(RIGHT, pygame.K_RETURN)
    assert match(window).level == 1


def test_pause_stops_time_and_clears_keys(opened: Open) -> None:
    window = opened("race.txt")
    window.hold(RIGHT)
    window.press(pygame.K_p)
    window.ticks(5)
    assert (match(window).state.tick, screen(window).paused) == (0, True)
    window.press(pygame.K_p)
    window.ticks(1)
    assert said(window) == [("NIL",)]


def test_single_steps_play_what_is_held(opened: Open) -> None:
    window = opened("race.txt", "--paused")
    window.hold(RIGHT)
    window.press(pygame.K_PERIOD)
    window.let_go(RIGHT)
    window.press(DOWN)  # a tap waits for its tick
    window.press(pygame.K_PERIOD, pygame.K_PERIOD)
    window.ticks(5)
    assert said(window) == [("RIGHT",), ("DOWN",), ("NIL",)]


def test_speed_changes_how_fast_time_passes(opened: Open) -> None:
    window = opened("race.txt")
    window.type("+")
    window.wait(100)
    assert match(window).state.tick == 5
    for _ in range(2):
        window.type("-")
    window.wait(160)
    assert match(window).state.tick == 7
    for _ in range(20):
        window.type("-")
    assert screen(window).speed == 0.125


def test_a_stall_is_not_made_up_for(opened: Open) -> None:
    window = opened("race.txt")
    window.wait(60_000)
    assert match(window).state.tick == 8


def test_restart_next_level_and_level_before(opened: Open) -> None:
    window = opened("race.txt")
    window.ticks(3)
    window.press(pygame.K_r)
    assert (match(window).state.tick, match(window).level, match(window).actions) == (0, 0, [])
    window.press(pygame.K_n)
    assert match(window).level == 1
    window.press(pygame.K_n)
    assert match(window).level == 1
    window.press(pygame.K_b, pygame.K_b)
    assert match(window).level == 0


def test_keys_are_cleared_when_the_window_loses_focus(opened: Open) -> None:
    window = opened("race.txt")
    window.hold(RIGHT)
    pygame.event.post(pygame.event.Event(pygame.WINDOWFOCUSLOST))
    window.ticks(2)
    assert said(window) == [("NIL",), ("NIL",)]


def test_help_stops_time(opened: Open) -> None:
    window = opened("race.txt")
    before = window.pixels()
    window.press(pygame.K_h)
    assert screen(window).help
    assert window.pixels() != before
    window.ticks(3)
    assert match(window).state.tick == 0
    window.press(pygame.K_ESCAPE)
    window.ticks(1)
    assert (screen(window).help, match(window).state.tick) == (False, 1)


def test_escape_goes_back_and_closing_quits(opened: Open) -> None:
    window = opened("race.txt")
    window.press(pygame.K_ESCAPE)
    assert window.top is None
    window = opened("race.txt")
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.wait()
    assert window.top is None


@pytest.mark.parametrize("size", [(480, 360), (1600, 500), (500, 1200), (200, 120)])
def test_the_board_fits_into_any_window(opened: Open, size: tuple[int, int]) -> None:
    window = opened("race.txt", size=size)
    board = screen(window).board.rect
    assert window.app.surface.get_rect().contains(board)
    assert board.width > size[0] // 4
    assert board.width == pytest.approx(2 * board.height, abs=2)  # a level of 4 by 2 cells
    window.ticks(40)  # the panel at the end is drawn as well
    assert match(window).is_over


def test_the_status_shows_score_health_and_resources(opened: Open) -> None:
    window = opened("race.txt", "--level", "1", "--paused")
    before = window.pixels()
    window.hold(RIGHT)
    window.press(pygame.K_PERIOD)
    state = match(window).state
    assert state.avatar is not None
    assert (state.avatar.health, sum(state.avatar.resources.values())) == (3, 1)
    assert window.pixels()[: 800 * 3 * 34] != before[: 800 * 3 * 34]


def test_two_people_share_the_keyboard(opened: Open) -> None:
    window = opened("duel.txt")
    window.hold(RIGHT, pygame.K_d)
    window.ticks(1)
    window.let_go(RIGHT)
    window.ticks(1)
    window.hold(SPACE, pygame.K_LSHIFT)
    window.ticks(1)
    assert (column(window, 0), column(window, 1)) == (1, 2)
    assert said(window) == [("RIGHT", "RIGHT"), ("NIL", "RIGHT"), ("USE", "USE")]


def test_the_winner_of_two_players_is_named(opened: Open) -> None:
    window = opened("duel.txt")
    window.hold(RIGHT)
    window.ticks(5)
    assert match(window).outcome == "Player 1 won"


def test_a_person_plays_against_a_controller(opened: Open) -> None:
    window = opened("duel.txt", "--controller", "players.py:Right", "--player", "2")
    window.hold(DOWN, LEFT)
    window.let_go(LEFT)
    window.ticks(1)
    window.ticks(1)
    assert said(window)[1] == ("RIGHT", "DOWN")
    assert match(window).replay().controllers == ("Right", "human")


# ------------------------------------------------------------------------------------------------------------- replays


def test_a_finished_play_is_saved_and_replays_to_the_same_result(opened: Open, folder: Path) -> None:
    window = opened("race.txt")
    window.hold(RIGHT)
    window.ticks(4)
    (path,) = (folder / "data" / "vgdl" / "replays").iterdir()
    saved = replay.read(path)
    assert (saved.controllers, saved.result.winners, saved.level) == (("human",), (1,), "race_lvl0")
    assert replay.verify(saved, replay.find_board(saved, [folder])).same
    assert path.name in screen(window).message


def test_plays_are_saved_to_the_given_folder(opened: Open, folder: Path) -> None:
    window = opened("race.txt", "--replays", "mine")
    window.ticks(40)
    window.press(pygame.K_r)
    window.ticks(40)
    assert len(list((folder / "mine").iterdir())) == 2
    assert not (folder / "data").exists()


def test_no_play_is_saved_unless_requested(opened: Open, folder: Path) -> None:
    window = opened("race.txt", "--no-replays")
    window.ticks(40)
    assert not (folder / "data").exists()
    window.press(pygame.K_F2)
    assert len(list(folder.glob("race_lvl0_*.json"))) == 1


def test_a_running_play_can_be_saved(opened: Open, folder: Path) -> None:
    window = opened("race.txt", "--replays", "mine")
    window.ticks(3)
    window.press(pygame.K_F2)
    (path,) = (folder / "mine").iterdir()
    assert (len(replay.read(path).actions), replay.read(path).result.tick) == (3, 3)


def test_a_failure_to_save_is_shown(opened: Open, folder: Path) -> None:
    window = opened("race.txt", "--replays", "mine")
    (folder / "mine").write_text("no folder")
    window.press(pygame.K_F2)
    assert screen(window).message.startswith("Not saved")


# ------------------------------------------------------------------------------------------------------------- failures


def test_a_game_that_fails_says_why(opened: Open, folder: Path) -> None:
    """Spawning a type that cannot be created fails at that tick."""
    broken = RACE.replace("coin runner > collectResource", "coin runner > spawn stype=ghost")
    (folder / "race.txt").write_text(broken.replace("floor > Imm", "ghost > NoSuchClass\n        floor > Imm"))
    window = opened("race.txt", "--level", "1")
    window.hold(RIGHT)
    window.ticks(3)
    assert match(window).outcome == "The game stopped"
    assert "ghost" in match(window).failure or "race.txt" in match(window).failure


def test_a_deleted_level_is_reported_and_the_play_goes_on(opened: Open, folder: Path) -> None:
    window = opened("race.txt")
    (folder / "race_lvl1.txt").write_text("")
    window.press(pygame.K_n)
    assert "empty" in screen(window).message
    assert match(window).level == 0


def test_no_sound_device_is_touched(opened: Open) -> None:
    window = opened("shooter.txt")
    window.hold(SPACE)
    window.ticks(3)
    assert pygame.mixer.get_init() is None


def test_the_number_of_players_is_that_of_the_game(opened: Open) -> None:
    game = match(opened("duel.txt")).game
    with pytest.raises(ValueError, match="for 2, not for 1"):
        Match(game, DUEL_LEVEL, [match(opened("race.txt")).players[0]])


def test_an_action_the_avatar_does_not_have_does_nothing(opened: Open) -> None:
    window = opened("shooter.txt")
    window.hold(UP)
    window.ticks(1)
    assert match(window).actions == [(Action.UP,)]
    assert match(window).state.avatar is not None
