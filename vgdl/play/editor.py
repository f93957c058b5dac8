"""The level editor: places characters of the level mapping with the mouse, and plays the level."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pygame
from pygame import Rect, Surface
from pygame.event import Event

from vgdl import Game, VGDLError, VGDLRuntimeError
from vgdl.game import LevelLike
from vgdl.language import read_level
from vgdl.play import paint
from vgdl.play.app import App, Screen
from vgdl.play.hud import draw_controls
from vgdl.play.settings import Settings
from vgdl.play.sketch import Sketch, SketchState, mapping_of, topmost
from vgdl.render import frame

_HINTS = [
    (["F5"], "try"), (["Ctrl", "S"], "save"), (["Ctrl", "Z"], "undo"),
    (["Ctrl", "RIGHT", "LEFT", "DOWN", "UP"], "size"), (["Esc"], "back"),
]  # fmt: skip
_RESIZING = {pygame.K_RIGHT: (1, 0), pygame.K_LEFT: (-1, 0), pygame.K_DOWN: (0, 1), pygame.K_UP: (0, -1)}
_ICON = 36  #: pixels of a picture in the palette, before it is scaled
_MESSAGE_MS = 4000
_LEFT, _MIDDLE, _RIGHT = 1, 2, 3  # mouse buttons


class EditScreen:
    """Edits a `Sketch` with the mouse: the left button places, the right one erases, the middle one picks up."""

    def __init__(
        self,
        game: Game,
        sketch: Sketch,
        path: Path,
        opening: Callable[[LevelLike], Screen],
        settings: Settings,
    ) -> None:
        """Edit a level.

        Args:
            game: the game to which the level belongs.
            sketch: the level.
            path: file to save to.
            opening: creates the screen that plays the game on a level.
            settings: of the window.
        """
        self.sketch = sketch
        self.mapping = mapping_of(game)
        self.characters = tuple(self.mapping)
        self.chosen = next((c for c in self.characters if c != sketch.background), self.characters[0])
        self.message = ""
        self._game = game
        self._path = path
        self._opening = opening
        self._settings = settings
        self._message_ms = 0.0
        self._leaving = False  # whether Esc was pressed once with unsaved changes
        self._icons: dict[str, Surface] = {}
        self.choices: dict[str, Rect] = {}  #: places of the characters to choose from
        self._shown: tuple[str, tuple[int, int]] | None = None
        self._board = Surface((1, 1))
        self.place = Rect(0, 0, 1, 1)  #: of the level

    # ------------------------------------------------------------------------------------ events

    def handle(self, app: App, event: Event) -> None:
        if event.type == pygame.KEYDOWN:
            self._press(app, event)
        elif event.type == pygame.MOUSEBUTTONDOWN:
            self._click(event)
        elif event.type == pygame.MOUSEMOTION and (event.buttons[0] or event.buttons[2]):
            self._draw_at(event.pos, _LEFT if event.buttons[0] else _RIGHT)
        elif event.type == pygame.MOUSEBUTTONUP:
            self.sketch.lift()
        elif event.type == pygame.MOUSEWHEEL:
            number = self.characters.index(self.chosen) - event.y
            self.chosen = self.characters[number % len(self.characters)]

    def _press(self, app: App, event: Event) -> None:
        leaving, self._leaving = self._leaving, False
        if event.key == pygame.K_ESCAPE:
            if self.sketch.saved or leaving:
                app.pop()
            else:
                self._leaving = True
                self._say("Not saved: press Ctrl+S to save, or Esc again to leave")
        elif event.key == pygame.K_F5:
            self._try(app)
        elif event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META):
            self._command(event.key)
        elif getattr(event, "unicode", "") in self.mapping:
            self.chosen = event.unicode

    def _command(self, key: int) -> None:
        if key == pygame.K_s:
            self._save()
        elif key == pygame.K_z:
            self.sketch.undo()
        elif key in _RESIZING:
            columns, rows = _RESIZING[key]
            self.sketch.resize(self.sketch.columns + columns, self.sketch.rows + rows)

    def _click(self, event: Event) -> None:
        under = [character for character, rect in self.choices.items() if rect.collidepoint(event.pos)]
        if under:
            self.chosen = under[0]
        elif event.button in (_LEFT, _RIGHT):
            self._draw_at(event.pos, event.button)
        elif event.button == _MIDDLE and (cell := self._cell(event.pos)):
            self.chosen = self._known(self.sketch.cells[cell[1]][cell[0]])

    def _known(self, character: str) -> str:
        return character if character in self.mapping else self.chosen

    def _draw_at(self, position: tuple[int, int], button: int) -> None:
        if cell := self._cell(position):
            self.sketch.put(*cell, self.chosen if button == _LEFT else self.sketch.background)

    def _cell(self, position: tuple[int, int]) -> tuple[int, int] | None:
        """Column and row under the mouse."""
        if not self.place.collidepoint(position):
            return None
        x, y = position[0] - self.place.left, position[1] - self.place.top
        return x * self.sketch.columns // self.place.width, y * self.sketch.rows // self.place.height

    def _save(self) -> None:
        try:
            self.sketch.save(self._path)
            self._say(f"Saved {self._path.name}")
        except OSError as error:
            self._say(f"Not saved: {error}")

    def _try(self, app: App) -> None:
        try:
            app.push(self._opening(read_level(self.sketch.text)))
        except (VGDLError, VGDLRuntimeError, ValueError) as error:
            self._say(str(error).splitlines()[0])

    def _say(self, message: str) -> None:
        self.message, self._message_ms = message, _MESSAGE_MS

    def leave(self) -> None:
        self.sketch.lift()

    def pass_time(self, app: App, milliseconds: float) -> None:
        self._message_ms -= milliseconds

    # ------------------------------------------------------------------------------------ drawing

    def draw(self, surface: Surface) -> None:
        surface.fill(paint.INK)
        u = paint.unit(surface)
        bar, side = round(34 * u), round(150 * u)
        area = surface.get_rect()
        pygame.draw.rect(surface, paint.NIGHT, Rect(0, 0, area.width, bar))
        title = f"{self._path.name}{'' if self.sketch.saved else ' *'}   {self.sketch.columns} × {self.sketch.rows}"
        paint.text(surface, title, 22 * u, (10 * u, bar / 2), paint.WHITE, "midleft")
        paint.text(surface, self._under_mouse, 20 * u, (area.right - 10 * u, bar / 2), paint.SILVER, "midright")
        draw_controls(surface, Rect(0, area.height - bar, area.width, bar), _HINTS)
        self._draw_palette(surface, Rect(0, bar, side, area.height - 2 * bar))
        room = Rect(side, bar, area.width - side, area.height - 2 * bar).inflate(-round(16 * u), -round(16 * u))
        self._draw_board(surface, room)
        if self._message_ms > 0:
            center = (area.width + side) / 2, area.height - 1.6 * bar
            paint.message(surface, self.message, center, area.width - side)

    @property
    def _under_mouse(self) -> str:
        """The contents of the cell under the mouse."""
        cell = self._cell(pygame.mouse.get_pos())
        if cell is None:
            return ""
        character = self.sketch.cells[cell[1]][cell[0]]
        return f"{cell[0]}, {cell[1]}:  {character}  {' '.join(self.mapping.get(character, ()))}"

    def _draw_board(self, surface: Surface, room: Rect) -> None:
        scale = max(1.0, min(room.width / self.sketch.columns, room.height / self.sketch.rows))
        size = round(self.sketch.columns * scale), round(self.sketch.rows * scale)
        if self._shown != (self.sketch.text, size):
            self._shown = self.sketch.text, size
            self._board = pygame.transform.smoothscale(self._picture(self.sketch.cells, 24), size)
            self._draw_grid()
        self.place = self._board.get_rect(center=room.center)
        surface.blit(self._board, self.place)

    def _draw_grid(self) -> None:
        """Lines between the cells, and characters that are not in the level mapping."""
        width, height = self._board.get_size()
        columns, rows = self.sketch.columns, self.sketch.rows
        for column in range(columns + 1):
            x = min(column * width // columns, width - 1)
            pygame.draw.line(self._board, paint.NIGHT, (x, 0), (x, height))
        for row in range(rows + 1):
            y = min(row * height // rows, height - 1)
            pygame.draw.line(self._board, paint.NIGHT, (0, y), (width, y))
        for row, line in enumerate(self.sketch.cells):
            for column, character in enumerate(line):
                if character not in self.mapping and character != " ":
                    place = (column + 0.5) * width / columns, (row + 0.5) * height / rows
                    paint.text(self._board, character, 0.8 * height / rows, place, paint.RED, "center")

    def _picture(self, cells: list[list[str]], block: int) -> Surface:
        state = SketchState(self._game, self.mapping, cells)
        return paint.as_surface(frame(state, block, self._settings.images, self._settings.palette))

    def _draw_palette(self, surface: Surface, area: Rect) -> None:
        pygame.draw.rect(surface, paint.NIGHT, area)
        u = paint.unit(surface)
        step = min(round(46 * u), area.height // len(self.characters))
        icon = max(8, round(step * 0.8))
        self.choices = {}
        for number, character in enumerate(self.characters):
            rect = Rect(area.left + 4, area.top + 4 + number * step, area.width - 8, step)
            self.choices[character] = rect
            if character == self.chosen:
                pygame.draw.rect(surface, paint.SLATE, rect, border_radius=6)
                pygame.draw.rect(surface, paint.YELLOW, rect, width=2, border_radius=6)
            picture = self._icons.get(character)
            if picture is None:
                picture = self._icons[character] = self._picture([[character]], _ICON)
            place = Rect(rect.left + 5, rect.centery - icon // 2, icon, icon)
            surface.blit(pygame.transform.smoothscale(picture, place.size), place)
            left = place.right + 8 * u
            size = min(20 * u, step * 0.9)
            key = paint.text(surface, character, size, (left, rect.centery), paint.YELLOW, "midleft")
            words = paint.shortened(
                topmost(self._game, self.mapping[character]), 0.8 * size, rect.right - key.right - 12 * u
            )
            paint.text(surface, words, 0.8 * size, (key.right + 8 * u, rect.centery), paint.SILVER, "midleft")
