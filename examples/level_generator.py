"""A generator of levels: sparse levels at random, until one is neither won nor lost by doing nothing.

vgdl-compete generate levels --games sokoban,zelda --generators examples/level_generator.py,constructive --budget 5s
"""

from vgdl import Action
from vgdl.controllers import Timer
from vgdl.generation import Level, LevelGenerator, Size


class Sparse(LevelGenerator):
    """One of every kind of piece inside a wall, tried with the forward model."""

    def generate(self, size: Size, timer: Timer, *, difficulty: str | None = None) -> Level:
        level = self.draw(size)
        while timer.remaining_ms > 0 and timer.calls_left > 0 and not self.is_quiet(level):
            level = self.draw(size)
        return level

    def draw(self, size: Size) -> Level:
        game = self.game.description
        columns, rows = size.draw(self.generator)
        wall = next((c for c, types in game.characters.items() if set(types) & game.walls), game.empty)
        grid = [[wall] * columns for _ in range(rows)]
        cells = [(row, column) for row in range(1, rows - 1) for column in range(1, columns - 1)]
        pieces = [c for c, types in game.characters.items() if types and c != wall]
        for row, column in cells:
            grid[row][column] = game.empty
        for (row, column), piece in zip(self.generator.sample(cells, len(cells)), pieces, strict=False):
            grid[row][column] = piece
        return Level("\n".join("".join(row) for row in grid))

    def is_quiet(self, level: Level) -> bool:
        state = self.game.play(level, seed=1)
        state.rollout([Action.NIL] * 40)
        return not state.is_over
