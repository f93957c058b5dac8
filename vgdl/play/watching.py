"""The replay viewer: forwards, backwards, tick by tick."""

from __future__ import annotations

import pygame
from pygame import Rect, Surface
from pygame.event import Event

from vgdl import Board, StateObservation
from vgdl.play import paint
from vgdl.play.app import App
from vgdl.play.hud import draw_controls
from vgdl.play.match import in_words
from vgdl.play.paint import BoardView
from vgdl.play.playing import SPEEDS, TICK_MS
from vgdl.play.settings import Settings
from vgdl.replay import Replay, Verdict, advance

_HINTS = [
    (["Space"], "pause"), (["LEFT", "RIGHT"], "tick by tick"), (["Home", "End"], "start, end"), (["+", "–"], "speed"),
    (["C"], "colours"), (["Esc"], "back"),
]  # fmt: skip


class WatchScreen:
    """Shows a replay; keeps every state that it has reached, so that it can go back."""

    def __init__(
        self, replay: Replay, board: Board, verdict: Verdict, settings: Settings, *, speed: float = 1.0
    ) -> None:
        """Show a replay.

        Args:
            replay: the play.
            board: the board on which it was played.
            verdict: the result of playing it again, shown in the head line.
            settings: of the window.
            speed: as a multiple of 25 ticks per second.
        """
        self.speed = speed
        self.paused = False
        self.at = 0  #: number of actions before the state that is shown
        self._replay = replay
        self._states = [board.start(replay.seed)]
        self._title = f"{in_words(replay.game)} · {board.name}"
        self._verdict = verdict
        self._board = BoardView(settings)
        self._settings = settings
        self.line = Rect(0, 0, 1, 1)  #: place of the progress bar
        self._due = 0.0

    @property
    def length(self) -> int:
        """Number of actions in the replay."""
        return len(self._replay.actions)

    @property
    def state(self) -> StateObservation:
        """The state that is shown."""
        while len(self._states) <= self.at:
            state = self._states[-1].copy(history=False)
            names = self._replay.actions[len(self._states) - 1]
            advance(state, names, self._replay.stirring)
            self._states.append(state)
        return self._states[self.at]

    def handle(self, app: App, event: Event) -> None:
        if event.type == pygame.KEYDOWN:
            self._press(app, event)
            return
        dragged = event.type == pygame.MOUSEMOTION and event.buttons[0]
        if (event.type == pygame.MOUSEBUTTONDOWN or dragged) and self.line.inflate(0, 20).collidepoint(event.pos):
            share = (event.pos[0] - self.line.left) / self.line.width
            self._go(round(share * self.length))

    def _press(self, app: App, event: Event) -> None:
        character = getattr(event, "unicode", "")
        if event.key == pygame.K_ESCAPE:
            app.pop()
        elif event.key == pygame.K_c:
            self._settings.switch_palette()
        elif event.key in (pygame.K_SPACE, pygame.K_p):
            self.paused = not self.paused
            self.at = 0 if self.at == self.length else self.at
        elif event.key in (pygame.K_LEFT, pygame.K_RIGHT):
            self._go(self.at + (1 if event.key == pygame.K_RIGHT else -1))
        elif event.key in (pygame.K_HOME, pygame.K_END):
            self._go(0 if event.key == pygame.K_HOME else self.length)
        elif character in ("+", "=", "-"):
            step = -1 if character == "-" else 1
            nearest = min(range(len(SPEEDS)), key=lambda number: abs(SPEEDS[number] - self.speed))
            self.speed = SPEEDS[max(0, min(nearest + step, len(SPEEDS) - 1))]

    def _go(self, tick: int) -> None:
        """Pause at a state."""
        self.at = max(0, min(tick, self.length))
        self.paused = True

    def leave(self) -> None:
        """Nothing to do: no key is tracked."""

    def pass_time(self, app: App, milliseconds: float) -> None:
        if self.paused or self.at == self.length:
            return
        self._due += milliseconds * self.speed
        ticks, self._due = divmod(self._due, TICK_MS)
        self.at = min(self.at + int(ticks), self.length)

    def draw(self, surface: Surface) -> None:
        surface.fill(paint.INK)
        u = paint.unit(surface)
        area = surface.get_rect()
        bar = round(34 * u)
        head, foot = Rect(0, 0, area.width, bar), Rect(0, area.height - bar, area.width, bar)
        self._draw_head(surface, head)
        draw_controls(surface, foot, _HINTS)
        self.line = Rect(round(16 * u), foot.top - round(22 * u), area.width - round(32 * u), max(4, round(8 * u)))
        self._draw_line(surface)
        board = Rect(0, bar, area.width, self.line.top - bar).inflate(-round(12 * u), -round(12 * u))
        self._board.draw(surface, board, self.state)

    def _draw_head(self, surface: Surface, bar: Rect) -> None:
        u = paint.unit(surface)
        pygame.draw.rect(surface, paint.NIGHT, bar)
        state = self.state
        scores = " : ".join(f"{score:g}" for score in state.scores)
        names = [name or "–" for name in self._replay.actions[self.at]] if self.at < self.length else []
        rate = "end" if self.at == self.length else "paused" if self.paused else f"× {self.speed:g}"
        right = bar.right - 10 * u
        for words, color in (
            (rate, paint.SILVER),
            (f"tick {self.state.tick}/{self._verdict.actual.tick}", paint.SILVER),
            (f"score {scores}", paint.YELLOW),
            (" ".join(names), paint.WHITE),
        ):
            right = paint.text(surface, words, 21 * u, (right, bar.centery), color, "midright").left - 14 * u
        players = " and ".join(self._replay.controllers) or "someone"
        left = paint.text(
            surface, paint.shortened(f"{self._title}   by {players}", 21 * u, 0.55 * (right - bar.left)), 21 * u,
            (bar.left + 10 * u, bar.centery), paint.WHITE, "midleft",
        ).right + 16 * u  # fmt: skip
        words, color = self.finding
        if left < right:
            place = left, bar.centery
            paint.text(surface, paint.shortened(words, 19 * u, right - left), 19 * u, place, color, "midleft")

    @property
    def finding(self) -> tuple[str, paint.Color]:
        """Whether the replay still leads to its result, in words and colour."""
        verdict = self._verdict
        if not verdict.same:
            return "result differs now", paint.RED
        if verdict.game_changed or verdict.level_changed:
            return "same result, texts changed", paint.YELLOW
        return "verified", paint.GREEN

    def _draw_line(self, surface: Surface) -> None:
        pygame.draw.rect(surface, paint.SLATE, self.line, border_radius=4)
        done = self.line.copy()
        done.width = round(self.line.width * self.at / max(1, self.length))
        pygame.draw.rect(surface, paint.YELLOW, done, border_radius=4)


def show(replay: Replay, board: Board, verdict: Verdict) -> None:
    """Show a replay in its own window until the window is closed.

    Raises:
        NoDisplay: no window can be opened.
    """
    app = App(f"{replay.game} – replay")
    app.push(WatchScreen(replay, board, verdict, Settings()))
    app.run()
