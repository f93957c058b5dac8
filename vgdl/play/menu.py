"""Menus: all games with pictures, and the levels of a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pygame
from pygame import Rect, Surface
from pygame.event import Event

import vgdl
from vgdl import VGDLError, VGDLRuntimeError, games
from vgdl.game import LevelLike
from vgdl.play import paint
from vgdl.play.app import App, Screen
from vgdl.play.settings import Settings
from vgdl.render import Palette

_SETS = {"training": "Training", "validation": "Validation", "test": "Test", "two_player": "Two players"}
_SEARCH_MS = 1500  # for which typed letters belong together
_SEED = 0  #: of the states that the pictures show
_PICTURE = (300, 200)  #: pixels of a cached picture; cards scale it


@dataclass(frozen=True, slots=True)
class Card:
    """An entry of a menu."""

    title: str
    subtitle: str
    game: str  #: name or path
    level: int = 0


class Gallery:
    """A screen of cards with pictures, chosen by arrow keys or mouse.

    One picture is drawn per turn of the loop, visible ones first, so that a menu of a hundred games opens immediately.
    """

    def __init__(
        self,
        title: str,
        cards: Sequence[Card],
        choose: Callable[[App, Card], None],
        *,
        words: str = "",
        settings: Settings,
    ) -> None:
        """Show a menu.

        Args:
            title: above the cards.
            cards: the entries, at least one.
            choose: called with the chosen card.
            words: a paragraph below the title.
            settings: of the window.
        """
        self.title, self.words, self.cards = title, words, tuple(cards)
        self.focus = 0
        self.typed = ""  #: letters that are searched for
        self._typed_ms = 0.0  # until they are forgotten
        self._choose = choose
        self._settings = settings
        self.pictures: dict[tuple[int, Palette], Surface] = {}  #: made so far, by number and palette
        self.rects: dict[int, Rect] = {}  #: places of the visible cards, by number
        self._columns = 1
        self._scroll = 0.0
        self._follow = True  #: whether to keep the focus in view

    def handle(self, app: App, event: Event) -> None:
        if event.type == pygame.KEYDOWN:
            steps = {
                pygame.K_LEFT: -1, pygame.K_RIGHT: 1, pygame.K_UP: -self._columns, pygame.K_DOWN: self._columns,
                pygame.K_HOME: -len(self.cards), pygame.K_END: len(self.cards),
            }  # fmt: skip
            if event.key in steps:
                self._move(steps[event.key])
            elif event.key == pygame.K_SPACE and self.typed:
                self.search(self.typed + " ")
            elif event.key in (pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_SPACE):
                self._choose(app, self.cards[self.focus])
            elif event.key == pygame.K_ESCAPE:
                app.pop()
            elif event.key == pygame.K_BACKSPACE:
                self.search(self.typed[:-1])
            elif getattr(event, "unicode", "").isalnum():
                self.search(self.typed + event.unicode.lower())
        elif event.type in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN):
            under = [number for number, rect in self.rects.items() if rect.collidepoint(event.pos)]
            if under:
                self.focus, self._follow = under[0], False
                if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
                    self._choose(app, self.cards[self.focus])
        elif event.type == pygame.MOUSEWHEEL:
            self._scroll -= 60 * event.y
            self._follow = False

    def _move(self, step: int) -> None:
        wanted = self.focus + step
        if abs(step) == self._columns > 1 and not 0 <= wanted < len(self.cards):
            return
        self.focus = max(0, min(wanted, len(self.cards) - 1))
        self._follow = True

    def search(self, typed: str) -> None:
        """Go to the next card that some letters find; letters that find none are ignored.

        Letters typed soon after each other belong together. The same letter again goes on to the next card.
        """
        self._typed_ms = _SEARCH_MS
        if (
            len(typed) > 1
            and len(set(typed)) == 1
            and not any(card.title.lower().startswith(typed) for card in self.cards)
        ):
            typed = typed[0]
        found = self._next_with(typed, self.focus + (len(typed) == 1))
        if found is not None:
            self.typed, self.focus, self._follow = typed, found, True
        elif not typed:
            self.typed = ""

    def _next_with(self, typed: str, first: int) -> int | None:
        """The next card, from a number on, whose title begins with letters; else one of whose words does; else any."""
        order = [*range(first, len(self.cards)), *range(min(first, len(self.cards)))] if typed else []
        titles = {number: self.cards[number].title.lower() for number in order}
        places = {number: f" {title}".find(f" {typed}") for number, title in titles.items()}
        begins = [number for number in order if places[number] == 0]
        has_word = [number for number in order if places[number] > 0]
        has = [number for number in order if typed in titles[number]]
        return next(iter([*begins, *has_word, *has]), None)

    def leave(self) -> None:
        """Nothing to do: no key is tracked."""

    def pass_time(self, app: App, milliseconds: float) -> None:
        self._typed_ms -= milliseconds
        if self._typed_ms <= 0:
            self.typed = ""
        palette = self._settings.palette
        missing = next((number for number in self.rects if (number, palette) not in self.pictures), None)
        if missing is not None:
            self.pictures[missing, palette] = _picture_of(self.cards[missing], self._settings)

    def draw(self, surface: Surface) -> None:
        surface.fill(paint.INK)
        u = paint.unit(surface)
        gap = round(14 * u)
        top = self._draw_head(surface, gap)
        area = Rect(gap, top, surface.get_width() - 2 * gap, surface.get_height() - top)
        self._columns = max(1, min(len(self.cards), round(area.width / (230 * u))))
        width = (area.width - gap * (self._columns - 1)) // self._columns
        height = round(width * _PICTURE[1] / _PICTURE[0] + 46 * u)
        self._scroll = self._scrolled(area.height, height + gap)
        surface.set_clip(area)
        self.rects = {}
        for number in range(len(self.cards)):
            row, column = divmod(number, self._columns)
            left, upper = area.left + column * (width + gap), area.top + row * (height + gap) - round(self._scroll)
            rect = Rect(left, upper, width, height)
            if rect.colliderect(area):
                self.rects[number] = rect
                self._draw_card(surface, number, rect)
        surface.set_clip(None)

    def _draw_head(self, surface: Surface, gap: int) -> int:
        """Draw title and words; returns where the cards begin."""
        u = paint.unit(surface)
        title = paint.text(surface, self.title, 34 * u, (gap, gap), paint.YELLOW)
        hint = f"Search: {self.typed}" if self.typed else "Arrows and Enter, the mouse, or letters   Esc: back"
        if title.right + paint.width_of(hint, 18 * u) + 3 * gap < surface.get_width():
            paint.text(surface, hint, 18 * u, (surface.get_width() - gap, title.centery), paint.STEEL, "midright")
        top = title.bottom + gap
        for line in paint.wrapped(self.words, 20 * u, surface.get_width() - 2 * gap) if self.words else []:
            top = paint.text(surface, line, 20 * u, (gap, top), paint.SILVER).bottom + round(4 * u)
        return top + (gap if self.words else 0)

    def _scrolled(self, visible: int, step: int) -> float:
        """The scroll position, in pixels."""
        scroll, row = self._scroll, self.focus // self._columns
        if self._follow:
            scroll = min(max(scroll, (row + 1) * step - visible), row * step)
        rows = -(-len(self.cards) // self._columns)
        return max(0.0, min(scroll, rows * step - visible))

    def _draw_card(self, surface: Surface, number: int, rect: Rect) -> None:
        u = paint.unit(surface)
        card, focused = self.cards[number], number == self.focus
        paint.panel(surface, rect, paint.YELLOW if focused else paint.SLATE)
        place = Rect(rect.left + 6, rect.top + 6, rect.width - 12, rect.height - round(46 * u) - 6)
        picture = self.pictures.get((number, self._settings.palette))
        if picture is not None:
            scale = min(place.width / picture.get_width(), place.height / picture.get_height())
            size = max(1, round(picture.get_width() * scale)), max(1, round(picture.get_height() * scale))
            surface.blit(pygame.transform.smoothscale(picture, size), Rect((0, 0), size).move(
                place.centerx - size[0] // 2, place.centery - size[1] // 2
            ))  # fmt: skip
        words = paint.shortened(card.title, 21 * u, rect.width - 16)
        color = paint.YELLOW if focused else paint.WHITE
        paint.text(surface, words, 21 * u, (rect.left + 10, rect.bottom - 40 * u), color)
        paint.text(surface, card.subtitle, 16 * u, (rect.left + 10, rect.bottom - 20 * u), paint.STEEL)


def _picture_of(card: Card, settings: Settings) -> Surface:
    """The start of a level; an empty picture if it cannot be loaded, in which case choosing it shows the error."""
    try:
        return paint.scaled(vgdl.load(card.game).start(card.level, _SEED), _PICTURE, settings)
    except (VGDLError, VGDLRuntimeError, OSError):
        return Surface(_PICTURE)


Opening = Callable[[str, LevelLike], Screen]  #: creates the screen that plays a level of a game, given by name or path


class Message:
    """A screen with an error message, closed by any key."""

    def __init__(self, title: str, words: str) -> None:
        self.title, self.words = title, words

    def handle(self, app: App, event: Event) -> None:
        if event.type in (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN):
            app.pop()

    def leave(self) -> None:
        """Nothing to do: no key is tracked."""

    def pass_time(self, app: App, milliseconds: float) -> None:
        """Nothing to do: nothing moves."""

    def draw(self, surface: Surface) -> None:
        surface.fill(paint.INK)
        u = paint.unit(surface)
        paint.text(surface, self.title, 34 * u, (30 * u, 30 * u), paint.RED)
        for number, line in enumerate(paint.wrapped(self.words, 20 * u, surface.get_width() - 60 * u)):
            paint.text(surface, line, 20 * u, (30 * u, (80 + 24 * number) * u), paint.WHITE)
        below = surface.get_height() - 40 * u
        paint.text(surface, "Press any key to go back", 18 * u, (30 * u, below), paint.STEEL)


def game_menu(opening: Opening, settings: Settings) -> Gallery:
    """The screen with all bundled games."""
    cards = [
        Card(games.facts(name).title, f"{_SETS[set]} · {len(games.levels(name))} levels", name)
        for set in games.SETS
        for name in games.names(set)
    ]

    def choose(app: App, card: Card) -> None:
        app.push(level_menu(card.game, opening, settings))

    return Gallery("Choose a game", cards, choose, settings=settings)


def level_menu(name: str, opening: Opening, settings: Settings) -> Gallery:
    """The screen with the levels of a bundled game."""
    facts = games.facts(name)
    cards = [Card(f"Level {number}", facts.title, name, number) for number in range(len(games.levels(name)))]

    def choose(app: App, card: Card) -> None:
        try:
            screen = opening(card.game, card.level)
        except (VGDLError, VGDLRuntimeError, ValueError) as error:
            screen = Message(f"{facts.title} cannot be played", str(error))
        app.push(screen)

    return Gallery(facts.title, cards, choose, words=facts.rules, settings=settings)
