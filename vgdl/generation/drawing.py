"""Two generators that draw a level at once: at random, and by construction (generation, 5)."""

from __future__ import annotations

import random

from vgdl.controllers.base import Timer
from vgdl.generation.canvas import Canvas, Pieces, share_of
from vgdl.generation.interface import Level, LevelGenerator, Size
from vgdl.generation.trials import Trials
from vgdl.judging.feasibility import COVER
from vgdl.judging.plays import STRONGEST, Effort, play

DRAWS = 1000
"""Levels that `constructive` draws at most."""

EFFORT = Effort(1, 300, 600)
"""How long its test takes: one play of the champion."""

_RANDOM_COVER = (0.1, 0.3)


class RandomLevels(LevelGenerator):
    """A border of walls, one avatar, one piece of every kind, and pieces at random up to 10 to 30 % of the cells."""

    def generate(self, size: Size, timer: Timer, *, difficulty: str | None = None) -> Level:
        pieces = Pieces(self.game.description)
        canvas = Canvas.blank(pieces, *size.draw(self.generator))
        cells = canvas.inside()
        self.generator.shuffle(cells)
        drawn = [self.generator.choice(pieces.avatars)] if pieces.avatars else []
        drawn += pieces.all
        more = share_of(cells, self.generator.uniform(*_RANDOM_COVER)) - len(drawn)
        if pieces.all:
            drawn += self.generator.choices(pieces.all, k=max(0, more))
        for cell, piece in zip(cells, drawn, strict=False):
            canvas[cell] = piece
        return Level(canvas.grid.text)


class ConstructiveLevels(LevelGenerator):
    """Connected walls, then the avatar, then the other pieces by priority, harmful ones apart from it, goals last.

    Up to `DRAWS` levels are constructed. The first one that passes the tests of `Trials.quick` and that the champion
    wins once, not too soon, is returned; otherwise the one that came nearest.
    """

    def generate(self, size: Size, timer: Timer, *, difficulty: str | None = None) -> Level:
        trials = Trials(self.game, self.generator.randrange(1 << 30))
        pieces = Pieces(self.game.description)
        best, nearest = "", -1.0
        for _ in range(DRAWS):
            if timer.exceeded and best:
                break
            canvas = construct(pieces, size, self.generator)
            candidate = trials.quick(canvas)
            if candidate is None:
                continue
            feasibility = candidate.feasibility
            if feasibility.is_feasible:
                won = play(candidate.board, STRONGEST, trials.seed, EFFORT, meter=self.game.meter)
                candidate.feasibility = feasibility.with_wins(won.ticks if won.won else None)
                if candidate.feasibility.is_feasible:
                    trials.confirm(candidate)
                feasibility = candidate.feasibility
            if feasibility.mean > nearest:
                best, nearest = canvas.grid.text, feasibility.mean
            if feasibility.is_feasible and "winnable" in feasibility.shares:
                break
        return Level(best or construct(pieces, size, self.generator).grid.text)


def construct(pieces: Pieces, size: Size, generator: random.Random) -> Canvas:
    """A level by construction.

    The cover is drawn from the range that is feasible and divided between walls and other pieces by priority; the
    terminations are looked at last.
    """
    canvas = Canvas.blank(pieces, *size.draw(generator))
    cells = canvas.inside()
    wanted = share_of(cells, generator.uniform(COVER[0] + 0.02, COVER[1] - 0.03))
    danger = generator.choice((0.0, 0.1, 0.3, 1.0))  # harmful pieces compared with their priority
    walls = 0
    if pieces.wall is not None:
        total = sum(pieces.weights) + pieces.description.priority[pieces.types(pieces.wall)[0]]
        walls = round(wanted * max(0.2, 1 - sum(pieces.weights) / total) * generator.uniform(0.5, 1.5))
        canvas.draw_walls(min(walls, wanted), generator)
    cell = canvas.place_for_avatar(generator)
    if cell is not None and pieces.avatars:
        canvas[cell] = generator.choice(pieces.avatars)
    plain = [piece for piece in pieces.others if piece not in pieces.goals]
    weight_of = {
        piece: weight * (danger if piece in pieces.harmful else 1.0) + 1e-6
        for piece, weight in zip(pieces.others, pieces.weights, strict=True)
    }
    for piece in plain:
        canvas.put(piece, generator)
    for piece in sorted(pieces.goals):
        canvas.put(piece, generator)
    left = wanted - walls - len(plain) - len(pieces.goals)
    if pieces.others:
        choices = plain or list(pieces.others)
        for piece in generator.choices(choices, [weight_of[piece] for piece in choices], k=max(0, left)):
            canvas.put(piece, generator)
        for piece in sorted(pieces.goals - {pieces.wall}):
            for _ in range(generator.randint(0, 2)):
                canvas.put(piece, generator)
    canvas.repair(generator)
    return canvas
