"""`archive`: quality-diversity search for levels (generation, 5).

An archive over difficulty, length and cover keeps the deepest level of each cell. New candidates are mutations of its
levels, levels with a room of another one, and levels by construction. Candidates that pass the quick tests compete in
batches, with judges whose budgets grow while the number of candidates halves (`Trials`). The archive is that of pyribs
(Tjanaka et al., "pyribs: A bare-bones Python library for quality diversity optimization", GECCO 2023).
"""

from __future__ import annotations

from typing import Any

from vgdl.controllers.base import Timer
from vgdl.extras import needs
from vgdl.generation.canvas import Canvas, Pieces, join, mutate
from vgdl.generation.drawing import construct
from vgdl.generation.interface import Level, LevelGenerator, LevelTask, Size
from vgdl.generation.trials import Candidate, Trials, halve
from vgdl.judging.feasibility import COVER
from vgdl.judging.profile import DIFFICULTY_JUDGE

BATCH = 16
"""Number of candidates that begin a competition."""

GOOD = 0.8
"""Skill depth with which a level is good enough to stop before the budget is spent."""

_CELLS = (3, 6, 5)
_RANGES = ((0.0, 1.0), (0.0, 600.0), COVER)
_IN_VAIN = 40  #: candidates in a row that fail the quick tests, after which the least bad one competes


class ArchiveLevels(LevelGenerator):
    """Levels of the greatest skill depth, or of a wanted difficulty, each unlike those returned before."""

    def __init__(self, game: LevelTask, timer: Timer, *, seed: int) -> None:
        super().__init__(game, timer, seed=seed)
        self._pieces = Pieces(game.description)
        self._seed = seed
        self._searches: dict[tuple[str, str | None], _Search] = {}
        self._returned: set[str] = set()

    def generate(self, size: Size, timer: Timer, *, difficulty: str | None = None) -> Level:
        key = str(size), difficulty
        search = self._searches.get(key)
        if search is None:
            search = self._searches[key] = _Search(self, size, difficulty, self._seed)
        search.run(timer, self._returned)
        text = search.best(self._returned)
        self._returned.add(text)
        return Level(text)


class _Search:
    """The archive for one size and one difficulty; it goes on with every level that is asked for."""

    def __init__(self, owner: ArchiveLevels, size: Size, difficulty: str | None, seed: int) -> None:
        try:
            from ribs.archives import GridArchive
        except ImportError:
            raise RuntimeError(needs("the generator archive", "ribs", "generate")) from None
        self._pieces = owner._pieces
        self._generator = owner.generator
        self._size = size
        self._trials = Trials(owner.game, seed, difficulty)
        self._archive: Any = GridArchive(solution_dim=1, dims=_CELLS, ranges=_RANGES, seed=seed)
        self._candidates: list[Candidate] = []  # every one that has ever entered the archive, by its solution
        self._sure: list[Candidate] = []
        self._near: list[Candidate] = []  # infeasible ones that come nearest, the nearest first

    def run(self, timer: Timer, returned: set[str]) -> None:
        """Search until a good level is there or the budget is spent."""
        while not timer.exceeded and not self._has_good(returned):
            batch = self._batch(timer)
            finalists = halve(batch, timer)
            for candidate in batch:
                if candidate.profile is not None and candidate.value > 0:
                    self._enter(candidate)
            self._sure += [candidate for candidate in finalists if candidate.is_sure]

    def best(self, returned: set[str]) -> str:
        """The best level that was not returned before; one by construction if there is none at all."""
        fresh = [one for one in self._sure if one.canvas.grid.text not in returned]
        if fresh:
            return max(fresh, key=lambda one: one.value).canvas.grid.text
        won = [one for one in self._candidates if one.canvas.grid.text not in returned]
        won.sort(key=lambda one: (one.rung, one.value), reverse=True)
        for one in won[:BATCH]:
            if one.feasibility.is_feasible and self._trials.confirm(one):
                return one.canvas.grid.text
        near = won or [one for one in self._near if one.canvas.grid.text not in returned]
        if near:
            return max(near, key=lambda one: one.feasibility.mean).canvas.grid.text
        return construct(self._pieces, self._size, self._generator).grid.text

    def _has_good(self, returned: set[str]) -> bool:
        return any(one.value >= GOOD and one.canvas.grid.text not in returned for one in self._sure)

    def _batch(self, timer: Timer) -> list[Candidate]:
        """Candidates that pass the quick tests."""
        batch: list[Candidate] = []
        texts: set[str] = set()
        failed = 0
        while len(batch) < BATCH and not timer.exceeded:
            canvas = self._new()
            text = canvas.grid.text
            candidate = self._trials.quick(canvas) if text not in texts else None
            texts.add(text)
            is_fine = (
                candidate is not None and candidate.feasibility.is_feasible and not self._trials.is_short(candidate)
            )
            if candidate is not None and is_fine:
                batch.append(candidate)
                failed = 0
                continue
            failed += 1
            if candidate is not None:
                self._near = sorted([candidate, *self._near], key=lambda one: -one.feasibility.mean)[:BATCH]
            if failed >= _IN_VAIN and batch:
                break
        return batch

    def _new(self) -> Canvas:
        """A level by construction, or a change of levels that are known."""
        known = [self._candidates[int(index)].canvas for index in self._archive.data("solution").ravel()]
        chance = self._generator.random()
        if self._near and chance < (0.1 if known else 0.6):
            canvas = self._generator.choice(self._near).canvas.copy()
        elif not known or chance < 0.25:
            return construct(self._pieces, self._size, self._generator)
        elif chance < 0.6 or len(known) < 2:
            canvas = self._generator.choice(known).copy()
        else:
            one, other = self._generator.sample(known, 2)
            canvas = join(one, other, self._generator)
        for _ in range(self._generator.choice((1, 1, 2, 3, 6))):
            mutate(canvas, self._generator)
        canvas.repair(self._generator)
        return canvas

    def _enter(self, candidate: Candidate) -> None:
        """Enter a candidate into its cell of the archive, if it is better than what is there."""
        assert candidate.profile is not None
        measures = (
            candidate.profile.result(DIFFICULTY_JUDGE).win_rate,
            float(candidate.win_ticks or 0),
            candidate.canvas.grid.cover(self._pieces.description),
        )
        self._candidates.append(candidate)
        self._archive.add_single([float(len(self._candidates) - 1)], candidate.value + candidate.rung, measures)
