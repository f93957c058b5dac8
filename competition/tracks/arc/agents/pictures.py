"""Pictures in a frame that may have to become equal: a model and its copy, or the two halves of something symmetric.

A picture is a pair of equally long rows of pixels. What actions change lies in one of them or in both. That it has to
become equal is a guess before a level was won, and then more or less likely for all pictures of the same form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import Segment, segments
from vgdl.competition.tracks.arc.frame import COLORS, SIZE

SMALLEST, LARGEST = 4, 56  #: pixels per side of a picture
GROUNDS = 4  #: most frequent colours that pictures may stand out from
GAP = 2  #: pixels between the parts of a picture
MOST_AREAS = 40  #: largest areas that may be pictures themselves
WIDEST = 2  #: areas with what changed, the widest ones, whose halves are compared
MOST = 12  #: pictures of a frame
MOSTLY = 0.5  #: share of what changed that lies in a picture, at least; share of its pixels that are unequal, at most
EQUAL = 0.9  #: share of equal pixels in equal pictures; knobs or a cursor may cover some
Indices = NDArray[np.intp]


class Form(NamedTuple):
    """How two parts of a frame are compared."""

    is_pair: bool  #: whether they are two areas; else the halves of one
    is_scaled: bool  #: whether their sizes differ
    flip: int  #: 0 for none, 1 for left and right, 2 for top and bottom


class Box(NamedTuple):
    """A rectangle; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def size(self) -> tuple[int, int]:
        return self.right - self.left, self.bottom - self.top

    def of(self, pixels: NDArray[np.generic]) -> NDArray[np.generic]:
        """The part of an array in the rectangle."""
        return pixels[self.top : self.bottom, self.left : self.right]

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Two parts of a frame, as indices of pixels that correspond."""

    form: Form
    boxes: tuple[Box, ...]
    one: Indices
    other: Indices

    def equal(self, pixels: Pixels) -> float:
        """The share of pixels that are equal."""
        flat = pixels.ravel()
        return float((flat[self.one] == flat[self.other]).mean())


@dataclass(slots=True)
class Pictures:
    """The pictures of a level, and what is known about their forms.

    Attributes:
        trust: by form: levels that ended when such a picture was equal and had not been so from the start.
    """

    trust: Counter[Form] = field(default_factory=Counter)
    changed: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((SIZE, SIZE), dtype=bool))
    colours: set[int] = field(default_factory=set)  #: what changed pixels have shown
    vain: set[tuple[Form, tuple[Box, ...]]] = field(default_factory=set)  #: those that were equal, to no effect

    @property
    def is_any_changed(self) -> bool:
        """Whether an action has changed anything in this level."""
        return bool(self.colours)

    def start_level(self) -> None:
        """Forget the pictures of the level before."""
        self.changed = np.zeros((SIZE, SIZE), dtype=bool)
        self.colours = set()
        self.vain = set()

    def learn(self, before: Pixels, after: Pixels) -> None:
        """Learn what an action changed."""
        changed = before != after
        self.changed |= changed
        self.colours.update(np.unique(before[changed]).tolist(), np.unique(after[changed]).tolist())

    def alike(self, pixels: Pixels) -> float:
        """The share of the most frequent colour among the pixels that actions have changed."""
        return float(np.bincount(pixels[self.changed]).max() / self.changed.sum())

    def won(self, first: Pixels, last: Pixels) -> None:
        """Learn from the first and the last frame of a level that was won."""
        ends = [(picture.form, picture.equal(first), picture.equal(last)) for picture in self._all(first)]
        for form in {form for form, was, now in ends if now >= EQUAL and now > was}:
            self.trust[form] += 1

    def found(self, pixels: Pixels) -> list[Picture]:
        """The pictures of a frame that may have to become equal, the likeliest first."""
        rated: list[tuple[float, bool, int, float, int, Picture]] = []
        for picture in self._all(pixels):
            equal = picture.equal(pixels)
            if equal == 1:
                self.vain.add((picture.form, picture.boxes))  # and the level has not ended
            elif (picture.form.is_pair or equal >= 1 - MOSTLY) and (picture.form, picture.boxes) not in self.vain:
                order = not picture.form.is_pair, picture.form.is_pair and picture.form.flip, -equal, len(rated)
                rated.append((-self.trust[picture.form], *order, picture))
        return [picture for *_, picture in sorted(rated)[:MOST]]

    def _all(self, pixels: Pixels) -> Iterator[Picture]:
        n_changed = int(self.changed.sum())
        if not n_changed:
            return
        boxes = _boxes(pixels)
        active = [box for box in boxes if box.of(self.changed).sum() >= MOSTLY * n_changed]
        models = [box for box in boxes if not box.of(self.changed).any()]
        for box in active:
            colours = set(np.unique(box.of(pixels)).tolist()) | self.colours
            for model in models:
                shared = colours & set(np.unique(model.of(pixels)).tolist())
                if len(shared) > 1 and not box.overlaps(model):
                    yield from _pairs(box, model)
        for box in sorted(active, key=lambda box: -box.size[0] * box.size[1])[:WIDEST]:
            yield from _halves(box)


def _boxes(pixels: Pixels) -> list[Box]:
    """Rectangles that may hold a picture: around large areas, and around what stands out from a ground."""
    found: dict[Box, None] = {}
    areas = sorted(segments(pixels), key=lambda area: -area.area)[:MOST_AREAS]
    found.update((box, None) for box in _fitting(areas, 0))
    counts = np.bincount(pixels.ravel(), minlength=COLORS)
    for ground in np.argsort(-counts, kind="stable")[:GROUNDS].tolist():
        mask = pixels != ground
        for gap in (0, GAP):
            figures = [area for area in segments(_widened(mask, gap).astype(np.uint8)) if area.colour]
            found.update((box, None) for box in _fitting(figures, gap))
    return list(found)


def _widened(mask: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    wide = mask.copy()
    for _ in range(by):
        wide[1:] |= wide[:-1].copy()
        wide[:, 1:] |= wide[:, :-1].copy()
    return wide


def _fitting(areas: Iterable[Segment], gap: int) -> Iterator[Box]:
    """Boxes of areas that were widened to the right and to the bottom."""
    for area in areas:
        box = Box(area.left, area.top, area.right + 1 - gap, area.bottom + 1 - gap)
        if all(SMALLEST <= length <= LARGEST for length in box.size):
            yield box


def _pairs(box: Box, model: Box) -> Iterator[Picture]:
    """Comparisons of two boxes of the same proportions, at the pixels of the smaller one."""
    (width, height), (other_width, other_height) = box.size, model.size
    if width * other_height != height * other_width:
        return
    n_columns, n_rows = min(width, other_width), min(height, other_height)
    ours, theirs = _sampled(box, n_columns, n_rows), _sampled(model, n_columns, n_rows)
    for flip, seen in enumerate(_flips(theirs)):
        yield Picture(Form(True, box.size != model.size, flip), (box, model), ours.ravel(), seen.ravel())


def _halves(box: Box) -> Iterator[Picture]:
    """Comparisons of the halves of a box."""
    width, height = box.size
    whole = _sampled(box, width, height)
    for flip, (one, other) in enumerate(
        ((whole[:, : width // 2], whole[:, -(width // 2) :]), (whole[: height // 2], whole[-(height // 2) :])), 1
    ):
        yield Picture(Form(False, False, flip), (box,), one.ravel(), _flips(other)[flip].ravel())
        yield Picture(Form(False, False, 0), (box,), one.ravel(), other.ravel())


def _flips(indices: Indices) -> Sequence[Indices]:
    return indices, indices[:, ::-1], indices[::-1]


def _sampled(box: Box, n_columns: int, n_rows: int) -> Indices:
    """Indices of the pixels in the middle of equal parts of a box, shape (rows, columns)."""
    width, height = box.size
    columns = box.left + (2 * np.arange(n_columns) + 1) * width // (2 * n_columns)
    rows = box.top + (2 * np.arange(n_rows) + 1) * height // (2 * n_rows)
    return rows[:, None] * SIZE + columns[None, :]
