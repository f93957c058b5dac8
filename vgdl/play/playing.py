"""The screen that plays a game with people, controllers, or both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pygame
from pygame import Rect, Surface
from pygame.event import Event

from vgdl import TruncatedGameWarning, VGDLError, VGDLRuntimeError, Winner, games
from vgdl.cli import counted
from vgdl.play import paint, saving
from vgdl.play.app import App
from vgdl.play.controls import hints
from vgdl.play.hud import draw_controls, draw_help, draw_status, draw_thoughts
from vgdl.play.match import Match
from vgdl.play.paint import BoardView, Button
from vgdl.play.players import Machine, Person
from vgdl.play.settings import Settings
from vgdl.play.sounds import Moment, heard

TICK_MS = 40.0  #: real time of a tick at speed 1, as in the competition
SPEEDS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_MOST_TICKS = 8  #: per turn of the loop, so that the window stays responsive on a slow machine
_MESSAGE_MS = 4000

_KEYS = (
    ("Arrows or W A S D, Space", "play (two people: Arrows and Space against W A S D and Shift)"),
    ("P", "pause and continue"),
    (".", "play one tick, with the keys that are held"),
    ("+  -", "faster, slower"),
    ("R", "restart the level"),
    ("N  B", "next level, previous level"),
    ("C", "standard colours, or colours for colour-blind people"),
    ("M", "sounds on and off"),
    ("F2", "save a replay of the play so far"),
    ("F11", "full screen"),
    ("Esc", "back"),
)
_KEYS_OF_CONTROLLERS = (("V", "show or hide what a controller thinks"),)


class PlayScreen:
    """Plays a `Match` in real time."""

    def __init__(
        self,
        match: Match,
        settings: Settings,
        *,
        speed: float = 1.0,
        paused: bool = False,
        replays: Path | None = None,
    ) -> None:
        """Show a match.

        Args:
            match: to play.
            settings: of the window.
            speed: as a multiple of 25 ticks per second.
            paused: whether to begin paused.
            replays: folder to which plays are saved when they end; None: they are not saved.
        """
        self.match = match
        self.speed = speed
        self.paused = paused
        self.help = False
        self.thoughts = True
        self.message = ""
        self.settings = settings
        self._replays = replays
        self.board = BoardView(settings)  #: the picture of the game
        self._due = 0.0
        self._message_ms = 0.0
        self._focus = 0
        self.again_button = Button("Again", "R")
        self.next_button = Button("Next level", "N")
        self.back_button = Button("Back", "Esc")
        self._people = [player for player in match.players if isinstance(player, Person)]
        self.machines = [player for player in match.players if isinstance(player, Machine)]
        if any(isinstance(warning, TruncatedGameWarning) for warning in match.game.warnings):
            self._say("Part of the game text is not read: see vgdl-check")

    # ------------------------------------------------------------------------------------ events

    def handle(self, app: App, event: Event) -> None:
        if event.type == pygame.KEYDOWN:
            self._press(app, event)
        elif event.type == pygame.KEYUP:
            for person in self._people:
                person.keys.release(event.key)
        elif event.type in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN) and self.match.is_over:
            under = [number for number, button in enumerate(self._buttons) if button.rect.collidepoint(event.pos)]
            if under:
                self._focus = under[0]
                if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
                    self._choose(app, self._buttons[under[0]])

    def _press(self, app: App, event: Event) -> None:
        if self.help:
            self.help = False
        elif event.key == pygame.K_ESCAPE:
            app.pop()
        elif self.match.is_over and event.key in (pygame.K_LEFT, pygame.K_RIGHT):
            self._focus = (self._focus + (1 if event.key == pygame.K_RIGHT else -1)) % len(self._buttons)
        elif self.match.is_over and event.key in (pygame.K_RETURN, pygame.K_KP_ENTER):
            self._choose(app, self._buttons[self._focus])
        elif not self._command(event):
            for person in self._people:
                person.keys.press(event.key)

    def _command(self, event: Event) -> bool:
        """Run the command of a key; returns whether it has one."""
        character = getattr(event, "unicode", "")
        if event.key in (pygame.K_p, pygame.K_PAUSE):
            self.paused = not self.paused
            self._forget_keys()
        elif event.key in (pygame.K_PERIOD, pygame.K_KP_PERIOD):
            self.paused = True
            self._tick()
        elif event.key == pygame.K_r:
            self._begin(self.match.restart)
        elif event.key == pygame.K_n:
            self._begin(self.match.go_on)
        elif event.key == pygame.K_b:
            self._begin(self.match.go_back)
        elif event.key == pygame.K_v and self.machines:
            self.thoughts = not self.thoughts
        elif event.key == pygame.K_c:
            self._say(self.settings.switch_palette())
        elif event.key == pygame.K_m:
            self._say(self.settings.sounds.switch())
        elif event.key in (pygame.K_h, pygame.K_F1):
            self.help = True
            self._forget_keys()
        elif event.key == pygame.K_F2:
            self._save(self._replays or Path.cwd())
        elif character in ("+", "=") or event.key in (pygame.K_PLUS, pygame.K_KP_PLUS):
            self._change_speed(1)
        elif character == "-" or event.key in (pygame.K_MINUS, pygame.K_KP_MINUS):
            self._change_speed(-1)
        else:
            return False
        return True

    @property
    def _buttons(self) -> list[Button]:
        following = [] if self.match.next_level is None else [self.next_button]
        return [self.again_button, *following, self.back_button]

    def _choose(self, app: App, button: Button) -> None:
        if button is self.back_button:
            app.pop()
        else:
            self._begin(self.match.restart if button is self.again_button else self.match.go_on)

    def _change_speed(self, step: int) -> None:
        nearest = min(range(len(SPEEDS)), key=lambda number: abs(SPEEDS[number] - self.speed))
        self.speed = SPEEDS[max(0, min(nearest + step, len(SPEEDS) - 1))]

    def leave(self) -> None:
        self._forget_keys()

    def _forget_keys(self) -> None:
        for person in self._people:
            person.keys.clear()

    # ------------------------------------------------------------------------------------ time

    def pass_time(self, app: App, milliseconds: float) -> None:
        self._message_ms -= milliseconds
        if self.paused or self.help or self.match.is_over:
            return
        self._due = min(self._due + milliseconds * self.speed, _MOST_TICKS * TICK_MS)
        while self._due >= TICK_MS and not self.match.is_over:
            self._due -= TICK_MS
            self._tick()

    def _tick(self) -> None:
        before = Moment.of(self.match)
        self.match.tick()
        self.settings.sounds.play(heard(before, Moment.of(self.match)))
        if self.match.is_over and not before.over:
            self._focus = 1 if self.match.next_level is not None and self._has_won else 0
            if self._replays is not None and self.match.actions:
                self._save(self._replays)

    @property
    def _has_won(self) -> bool:
        return Winner.PLAYER_WINS in self.match.state.winners

    def _begin(self, begin: Callable[[], None]) -> None:
        """Start a play; keeps the old one if that fails."""
        try:
            begin()
        except (VGDLError, VGDLRuntimeError) as error:
            self._say(str(error).splitlines()[0])
        self._due = 0.0
        self._forget_keys()

    def _save(self, folder: Path) -> None:
        try:
            self._say(f"Saved {saving.save(self.match, folder).name}")
        except (OSError, ValueError) as error:
            self._say(f"Not saved: {error}")

    def _say(self, message: str) -> None:
        self.message, self._message_ms = message, _MESSAGE_MS

    # ------------------------------------------------------------------------------------ drawing

    def draw(self, surface: Surface) -> None:
        surface.fill(paint.INK)
        area = surface.get_rect()
        u = paint.unit(surface)
        bar = round(34 * u)
        side = round(190 * u) if self.machines and self.thoughts else 0
        draw_status(surface, Rect(0, 0, area.width, bar), self.match, self._rate, self.settings)
        draw_controls(surface, Rect(0, area.height - bar, area.width, bar), self._hints())
        board = Rect(0, bar, area.width - side, area.height - 2 * bar).inflate(-round(12 * u), -round(12 * u))
        self.board.draw(surface, board, self.match.state)
        if side:
            draw_thoughts(surface, Rect(area.width - side, bar, side, area.height - 2 * bar), self.machines)
        if self.help:
            self._draw_help(surface)
        elif self.match.is_over:
            self._draw_end(surface)
        if self._message_ms > 0:
            paint.message(surface, self.message, (area.centerx, area.height - 1.6 * bar), area.width)

    @property
    def _rate(self) -> str:
        return "paused" if self.paused else f"× {self.speed:g}"

    def _hints(self) -> list[tuple[list[str], str]]:
        found: list[tuple[list[str], str]] = []
        person = 0
        for number, player in enumerate(self.match.players):
            if isinstance(player, Person):
                found += hints(self.match.state, number, person, len(self._people))
                person += 1
        thoughts = [(["V"], "thoughts")] if self.machines else []
        return [*found, (["P"], "pause"), (["R"], "restart"), *thoughts, (["H"], "help")]

    def _draw_end(self, surface: Surface) -> None:
        u = paint.unit(surface)
        paint.shade(surface)
        state = self.match.state
        lines = paint.wrapped(self.match.failure, 18 * u, 440 * u)[:8] if self.match.failure else []
        box = Rect(0, 0, round(480 * u), round((170 + 20 * len(lines)) * u))
        box.center = surface.get_rect().center
        color = paint.GREEN if self._has_won else paint.RED if state.winner is Winner.PLAYER_LOSES else paint.SILVER
        paint.panel(surface, box, color)
        paint.text(surface, self.match.outcome, 44 * u, (box.centerx, box.top + 16 * u), color, "midtop")
        scores = " : ".join(f"{score:g}" for score in state.scores)
        facts = f"score {scores}   after {counted(state.tick, 'tick')}"
        paint.text(surface, facts, 22 * u, (box.centerx, box.top + 66 * u), paint.WHITE, "midtop")
        for number, line in enumerate(lines):
            paint.text(surface, line, 18 * u, (box.centerx, box.top + (96 + 20 * number) * u), paint.SILVER, "midtop")
        place = Rect(box.left + round(20 * u), box.bottom - round(58 * u), box.width - round(40 * u), round(42 * u))
        paint.buttons(surface, self._buttons, place, 20 * u, self._focus % len(self._buttons))

    def _draw_help(self, surface: Surface) -> None:
        paint.shade(surface)
        name = self.match.game.name
        is_bundled = name in games.names() and games.path(name) == self.match.game.path
        words = games.facts(name).rules if is_bundled else ""
        keys = _KEYS + (_KEYS_OF_CONTROLLERS if self.machines else ())
        draw_help(surface, self.match.title, words, keys)
