"""Choosing a game and a level, with keys and with the mouse."""

from __future__ import annotations

import pygame
import pytest

from play.conftest import screen_of
from play.window import Open, Window
from vgdl import games
from vgdl.play.menu import Gallery, Message
from vgdl.play.playing import PlayScreen


def gallery(window: Window) -> Gallery:
    found: Gallery = screen_of(window, Gallery)
    return found


def test_the_menu_shows_all_games(opened: Open) -> None:
    menu = gallery(opened())
    assert sorted(card.game for card in menu.cards) == sorted(games.names())


def test_pictures_appear_one_by_one(opened: Open) -> None:
    window = opened(size=(1200, 900))
    empty = window.pixels()
    window.ticks(3)
    assert len(gallery(window).pictures) == 3
    assert window.pixels() != empty


def test_enter_leads_to_the_levels_and_to_the_game_and_escape_back(opened: Open) -> None:
    window = opened()
    window.press(pygame.K_RIGHT, pygame.K_RETURN)
    levels = gallery(window)
    assert levels.title == games.facts(levels.cards[0].game).title
    assert len(levels.cards) == len(games.levels(levels.cards[0].game))
    window.press(pygame.K_RIGHT, pygame.K_RIGHT, pygame.K_RETURN)
    match = screen_of(window, PlayScreen).match
    assert (match.game.name, match.level) == (levels.cards[0].game, 2)
    window.press(pygame.K_ESCAPE)
    assert gallery(window) is levels
    window.press(pygame.K_ESCAPE, pygame.K_ESCAPE)
    assert window.top is None


def test_the_mouse_chooses(opened: Open) -> None:
    window = opened()
    menu = gallery(window)
    window.click(menu.rects[1].center)
    assert gallery(window).cards[0].game == menu.cards[1].game


def test_a_letter_jumps_to_a_title(opened: Open) -> None:
    window = opened()
    window.press(pygame.K_s)
    assert gallery(window).cards[gallery(window).focus].title.startswith("S")


def test_several_letters_find_a_title(opened: Open) -> None:
    window = opened()
    menu = gallery(window)
    for letter in "su":
        window.type(letter)
    assert menu.cards[menu.focus].title.startswith("Su")
    for letter in "rr":
        window.type(letter)
    assert menu.cards[menu.focus].game == "surround"
    window.type("q")
    assert menu.cards[menu.focus].game == "surround", "what is found nowhere changes nothing"
    window.ticks(60)
    for letter in "chase":
        window.type(letter)
    assert menu.cards[menu.focus].title == "Chase"
    window.ticks(60)
    window.type("b")
    first = menu.focus
    window.type("b")
    assert menu.focus != first, "the same letter again goes on"
    assert all(menu.cards[number].title.startswith("B") for number in (first, menu.focus))


def test_the_list_scrolls_to_its_end(opened: Open) -> None:
    window = opened(size=(600, 400))
    menu = gallery(window)
    assert 0 in menu.rects
    window.press(pygame.K_END)
    last = len(menu.cards) - 1
    assert window.app.surface.get_rect().contains(menu.rects[last])
    window.press(pygame.K_HOME)
    assert menu.focus == 0
    assert 0 in menu.rects


def test_the_focus_stays_among_the_cards(opened: Open) -> None:
    window = opened()
    window.press(pygame.K_LEFT, pygame.K_UP)
    assert gallery(window).focus == 0
    for _ in range(len(gallery(window).cards) + 2):
        window.press(pygame.K_RIGHT)
    assert gallery(window).focus == len(gallery(window).cards) - 1


@pytest.mark.parametrize("size", [(480, 360), (300, 900), (1900, 500)])
def test_the_menu_fits_into_any_window(opened: Open, size: tuple[int, int]) -> None:
    window = opened(size=size)
    window.ticks(2)
    assert all(rect.left >= 0 and rect.right <= size[0] for rect in gallery(window).rects.values())


def test_a_game_that_cannot_be_played_is_explained(opened: Open) -> None:
    """A one-player game and a command line with two controllers."""
    window = opened()
    window.app.push(Message("Not this one", "It is for two players."))
    window.wait()
    window.press(pygame.K_a)
    assert isinstance(window.top, Gallery)


@pytest.mark.parametrize("name", games.names())
def test_every_bundled_game_opens(opened: Open, name: str) -> None:
    window = opened(name, "--no-replays")
    window.ticks(2)
    match = screen_of(window, PlayScreen).match
    assert match.state.tick == 2 or match.is_over
    assert not match.failure
