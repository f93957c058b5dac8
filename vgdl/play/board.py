"""The screen for playing Othello with mouse or keys: board, clocks and moves."""

from __future__ import annotations

import pygame
from pygame import Rect, Surface
from pygame.event import Event

from vgdl.play import paint
from vgdl.play.app import App
from vgdl.play.hud import draw_controls
from vgdl.play.table import Move, Table
from vgdl.tabletop.othello import OthelloState

COLOURS = ("Black", "White")
PASS_MS = 900  #: milliseconds for which a pass is shown before it is made
_FELT, _LINE, _WALL = (38, 110, 74), (24, 78, 52), (92, 84, 96)
_PIECES = ((26, 24, 32), (244, 240, 230))
_RIMS = ((70, 66, 80), (180, 172, 158))
_HINTS = [(["Click"], "move"), (["U"], "undo"), (["N"], "new game"), (["Space"], "pause"), (["Esc"], "back")]
_STEPS = {pygame.K_UP: (-1, 0), pygame.K_DOWN: (1, 0), pygame.K_LEFT: (0, -1), pygame.K_RIGHT: (0, 1)}


class BoardScreen:
    """A game of Othello between people or programs."""

    def __init__(self, table: Table, *, paused: bool = False) -> None:
        """Show a new game."""
        self.table = table
        self.paused = paused
        self.cursor: tuple[int, int] | None = None  #: the cell selected by keys or the mouse
        self._board = Rect(0, 0, 1, 1)
        self._passing = 0.0  # milliseconds for which a pass has been shown

    @property
    def state(self) -> OthelloState:
        """The state to draw."""
        state = self.table.state
        assert isinstance(state, OthelloState)
        return state

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.state.rows())

    def place(self, row: int, column: int) -> tuple[int, int]:
        """The centre of a cell, in pixels."""
        side = self._board.width / self.size
        return round(self._board.left + (column + 0.5) * side), round(self._board.top + (row + 0.5) * side)

    # events

    def handle(self, app: App, event: Event) -> None:
        if event.type == pygame.MOUSEMOTION:
            self.cursor = self.cell_at(event.pos)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self.cursor = self.cell_at(event.pos)
            self._choose()
        elif event.type == pygame.KEYDOWN:
            self._press(app, event.key)

    def _press(self, app: App, key: int) -> None:
        if key == pygame.K_ESCAPE:
            app.pop()
        elif key in (pygame.K_u, pygame.K_BACKSPACE):
            self.table.undo()
        elif key == pygame.K_n:
            self.table.restart()
        elif key in (pygame.K_SPACE, pygame.K_p) and not self.table.is_a_persons_turn:
            self.paused = not self.paused
        elif key in (pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_SPACE):
            self._choose()
        elif key in _STEPS:
            row, column = self.cursor or (self.size // 2, self.size // 2)
            down, right = _STEPS[key]
            self.cursor = (row + down) % self.size, (column + right) % self.size

    def cell_at(self, place: tuple[int, int]) -> tuple[int, int] | None:
        """The (row, column) at a pixel of the window; None outside the board."""
        if not self._board.collidepoint(place):
            return None
        side = self._board.width / self.size
        row, column = int((place[1] - self._board.top) / side), int((place[0] - self._board.left) / side)
        return min(row, self.size - 1), min(column, self.size - 1)

    def _choose(self) -> None:
        """Move to the selected cell if it is a person's turn and the move is legal."""
        if self.cursor and self.table.is_a_persons_turn:
            action = self.cursor[0] * self.size + self.cursor[1]
            if action in self.state.legal_actions():
                self.table.play(action)

    def leave(self) -> None:
        self.paused = self.paused or not self.table.is_a_persons_turn

    def pass_time(self, app: App, milliseconds: float) -> None:
        table = self.table
        if self.paused and not table.is_a_persons_turn:
            return
        if self._must_pass():
            self._passing += milliseconds
            if self._passing >= PASS_MS:
                self._passing = 0.0
                table.play(self.size**2)
            return
        self._passing = 0.0
        table.pass_time(milliseconds)

    def _must_pass(self) -> bool:
        return not self.table.is_over and self.state.legal_actions() == [self.size**2]

    # drawing

    def draw(self, surface: Surface) -> None:
        u = paint.unit(surface)
        surface.fill(paint.INK)
        area = surface.get_rect()
        bar = Rect(0, area.bottom - round(34 * u), area.width, round(34 * u))
        area.height -= bar.height
        if area.width >= area.height:
            side = min(area.height, area.width - round(230 * u))
            panel = Rect(side, 0, area.width - side, area.height)
        else:
            side = min(area.width, area.height - round(210 * u))
            panel = Rect(0, side, area.width, area.height - side)
        self._draw_board(surface, Rect(0, 0, side, side), u)
        self._draw_panel(surface, panel.inflate(-round(16 * u), -round(16 * u)), u)
        draw_controls(surface, bar, _HINTS)

    def _draw_board(self, surface: Surface, area: Rect, unit: float) -> None:
        n = self.size
        margin = round(26 * unit)
        side = max(1, (area.width - 2 * margin) // n)
        self._board = Rect(0, 0, side * n, side * n)
        self._board.center = area.center
        pygame.draw.rect(surface, _FELT, self._board)
        for row, codes in enumerate(self.state.rows()):
            for column, code in enumerate(codes):
                if code == 3:
                    self._draw_wall(surface, row, column, side)
        for k in range(n + 1):
            x, y = self._board.left + k * side, self._board.top + k * side
            pygame.draw.line(surface, _LINE, (x, self._board.top), (x, self._board.bottom), max(1, round(unit)))
            pygame.draw.line(surface, _LINE, (self._board.left, y), (self._board.right, y), max(1, round(unit)))
        for k in range(n):
            middle, letter = self.place(k, k), chr(ord("a") + k)
            for edge in (self._board.top - margin / 2, self._board.bottom + margin / 2):
                paint.text(surface, letter, 18 * unit, (middle[0], edge), paint.SILVER, "center")
            for edge in (self._board.left - margin / 2, self._board.right + margin / 2):
                paint.text(surface, str(k + 1), 18 * unit, (edge, middle[1]), paint.SILVER, "center")
        for row, codes in enumerate(self.state.rows()):
            for column, code in enumerate(codes):
                if code in (1, 2):
                    self._draw_piece(surface, self.place(row, column), side * 0.42, code - 1)
        self._mark(surface, side, unit)

    def _draw_wall(self, surface: Surface, row: int, column: int, side: int) -> None:
        wall = Rect(self._board.left + column * side, self._board.top + row * side, side, side)
        pygame.draw.rect(surface, _WALL, wall)
        brick = max(2, side // 4)
        for k, y in enumerate(range(wall.top, wall.bottom, brick)):
            pygame.draw.line(surface, paint.INK, (wall.left, y), (wall.right - 1, y))
            for x in range(wall.left + (k % 2) * brick, wall.right, 2 * brick):
                pygame.draw.line(surface, paint.INK, (x, y), (x, min(y + brick, wall.bottom) - 1))

    def _draw_piece(self, surface: Surface, place: tuple[int, int], radius: float, colour: int) -> None:
        pygame.draw.circle(surface, _LINE, (place[0], place[1] + radius * 0.1), radius)
        pygame.draw.circle(surface, _RIMS[colour], place, radius)
        pygame.draw.circle(surface, _PIECES[colour], place, radius * 0.92)

    def _mark(self, surface: Surface, side: int, unit: float) -> None:
        """Mark the last move, captured pieces, legal moves, and the selected cell."""
        last = self._last()
        width = max(2, round(2 * unit))
        if last is not None:
            for row, column in last.before.captures(last.action):
                pygame.draw.circle(surface, paint.YELLOW, self.place(row, column), side * 0.44, width)
            x, y = self.place(*divmod(last.action, self.size))
            pygame.draw.circle(surface, paint.RED, (x, y), max(3.0, side * 0.1))
        if not self.table.is_a_persons_turn or self._must_pass():
            return
        mover = self.table.mover
        for action in self.state.legal_actions():
            cell = divmod(action, self.size)
            if cell == self.cursor:
                pygame.draw.circle(surface, _PIECES[mover], self.place(*cell), side * 0.42, width)
                for row, column in self.state.captures(action):
                    pygame.draw.circle(surface, paint.WHITE, self.place(row, column), side * 0.2, width)
            else:
                pygame.draw.circle(surface, _PIECES[mover], self.place(*cell), side * 0.12)
        if self.cursor:
            x, y = self.place(*self.cursor)
            box = Rect(0, 0, side, side)
            box.center = x, y
            pygame.draw.rect(surface, paint.SILVER, box, max(1, round(unit)))

    def _last(self) -> Move | None:
        """The last move other than a pass."""
        return next((move for move in reversed(self.table.moves) if move.action < self.size**2), None)

    def _draw_panel(self, surface: Surface, area: Rect, unit: float) -> None:
        y: float = area.top
        for colour in range(2):
            y = (
                self._draw_player(surface, Rect(area.left, round(y), area.width, round(58 * unit)), colour, unit)
                + 8 * unit
            )
        words, tint = self.message()
        for line in paint.wrapped(words, 22 * unit, area.width):
            y = paint.text(surface, line, 22 * unit, (area.left, y), tint).bottom + 3 * unit
        top = round(y + 6 * unit)
        self._draw_moves(surface, Rect(area.left, top, area.width, max(0, area.bottom - top)), unit)

    def _draw_player(self, surface: Surface, box: Rect, colour: int, unit: float) -> float:
        """Draw name, number of pieces and clock; returns the y coordinate of the end."""
        active = not self.table.is_over and self.table.mover == colour
        paint.panel(surface, box, paint.YELLOW if active else paint.SLATE)
        self._draw_piece(surface, (box.left + round(26 * unit), box.centery), 15 * unit, colour)
        name = self.table.names[colour] or ("you" if self.table.names.count(None) == 1 else "")
        title = f"{COLOURS[colour]} · {name}" if name else COLOURS[colour]
        left = box.left + 50 * unit
        pieces = str(self.state.counts()[colour])
        count = paint.text(surface, pieces, 30 * unit, (box.right - 12 * unit, box.centery), anchor="midright")
        room = count.left - left - 6 * unit
        paint.text(surface, paint.shortened(title, 21 * unit, room), 21 * unit, (left, box.top + 9 * unit))
        seconds = int(self.table.clocks[colour] / 1000)
        clock = f"{seconds // 60}:{seconds % 60:02}"
        paint.text(surface, clock, 20 * unit, (left, box.bottom - 9 * unit), paint.SILVER, "bottomleft")
        return box.bottom

    def message(self) -> tuple[str, paint.Color]:
        """The message, and its colour."""
        table = self.table
        if table.error:
            return table.error, paint.RED
        if table.is_over:
            black, white = self.state.counts()
            returns = self.state.returns()
            who = "A tie" if returns[0] == 0 else f"{COLOURS[returns[0] < 0]} wins"
            return f"{who}, {black}–{white}", paint.YELLOW
        if self._must_pass():
            return f"{COLOURS[table.mover]} has no move and passes", paint.YELLOW
        if self.paused and not table.is_a_persons_turn:
            return "Paused: Space continues", paint.YELLOW
        return f"{COLOURS[table.mover]} {'to move' if table.is_a_persons_turn else 'is thinking'}", paint.WHITE

    def _draw_moves(self, surface: Surface, area: Rect, unit: float) -> None:
        """Draw the last moves, as many as fit."""
        height = 21 * unit
        columns = max(1, int(area.width / (74 * unit)))
        rows = int(area.height / height)
        if rows < 1:
            return
        first = max(0, -(-len(self.table.moves) // columns) - rows) * columns
        for number, move in list(enumerate(self.table.moves))[first:]:
            row, column = divmod(number - first, columns)
            place = area.left + column * 74 * unit, area.top + row * height
            dot = round(place[0] + 6 * unit), round(place[1] + 8 * unit)
            pygame.draw.circle(surface, paint.SILVER, dot, 6 * unit)
            pygame.draw.circle(surface, _PIECES[move.player], dot, 6 * unit - max(1.0, unit))
            paint.text(surface, move.name, 19 * unit, (place[0] + 17 * unit, place[1]), paint.SILVER)
