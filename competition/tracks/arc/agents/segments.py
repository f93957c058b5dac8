"""Connected areas of one colour, and the status bars among them (arc, 11.2, 12.1 and 12.2)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.screen import Pixels

EDGE = 3  #: width in pixels of the margin in which status bars lie
SALIENT_SIZES = range(2, 33)  #: widths and heights of possible buttons
RARE = 0.1  #: share of the frame below which a colour is salient


@dataclass(frozen=True, slots=True)
class Segment:
    """A 4-connected area of one colour."""

    colour: int
    area: int  #: pixels
    left: int
    top: int
    right: int  #: last column, inclusive
    bottom: int  #: last row, inclusive
    pixels: NDArray[np.intp]  #: 64 y + x of each pixel, ascending

    @property
    def width(self) -> int:
        return self.right - self.left + 1

    @property
    def height(self) -> int:
        return self.bottom - self.top + 1

    @property
    def regularity(self) -> float:
        """Share of the bounding box that is covered; 1 for a rectangle."""
        return self.area / (self.width * self.height)

    @property
    def look(self) -> tuple[int, int, bool]:
        """The properties that twins share: area, colour, and whether it is a rectangle."""
        return self.area, self.colour, self.area == self.width * self.height

    @property
    def outline(self) -> bytes:
        """Its pixels relative to its first one: equal for areas of one form, wherever they are."""
        relative: bytes = (self.pixels - self.pixels[0]).tobytes()
        return relative


def label(pixels: Pixels) -> tuple[NDArray[np.intp], int]:
    """Number the 4-connected areas of one colour, in order of their first pixels.

    Unions are made between horizontal runs instead of pixels, which leaves few of them for Python.

    Returns:
        the number of each pixel's area, shape of ``pixels``, and how many areas there are.
    """
    starts = np.ones(pixels.shape, dtype=bool)
    starts[:, 1:] = pixels[:, 1:] != pixels[:, :-1]
    runs = starts.ravel().cumsum().reshape(pixels.shape) - 1
    same = pixels[1:] == pixels[:-1]
    n_runs = int(runs[-1, -1]) + 1
    links = np.unique(runs[:-1][same] * n_runs + runs[1:][same])
    parents = list(range(n_runs))
    for above, below in zip((links // n_runs).tolist(), (links % n_runs).tolist(), strict=True):
        while parents[above] != above:
            parents[above] = parents[parents[above]]
            above = parents[above]
        while parents[below] != below:
            parents[below] = parents[parents[below]]
            below = parents[below]
        if above < below:
            parents[below] = above
        else:
            parents[above] = below
    numbers = [0] * n_runs
    n_areas = 0
    for run, parent in enumerate(parents):  # a parent is never greater than its child
        if parent == run:
            numbers[run] = n_areas
            n_areas += 1
        else:
            numbers[run] = numbers[parent]
    return np.asarray(numbers, dtype=np.intp)[runs], n_areas


def segments(pixels: Pixels) -> list[Segment]:
    """All segments of a frame, in order of their first pixels."""
    labels, n_areas = label(pixels)
    order = np.argsort(labels, axis=None, kind="stable")
    areas = np.bincount(labels.ravel(), minlength=n_areas)
    ends = np.cumsum(areas)
    starts = ends - areas
    y, x = np.divmod(order, pixels.shape[1])
    lefts = np.minimum.reduceat(x, starts)
    rights = np.maximum.reduceat(x, starts)
    tops, bottoms = y[starts], y[ends - 1]
    colours = pixels.ravel()[order[starts]]
    facts = np.stack([colours, areas, lefts, tops, rights, bottoms], axis=1).tolist()
    return [
        Segment(colour, area, left, top, right, bottom, order[start:end])
        for (colour, area, left, top, right, bottom), start, end in zip(facts, starts, ends, strict=True)
    ]


def edges_of(segment: Segment, size: int = 64) -> list[bool]:
    """Whether a segment lies wholly along the left, right, top and bottom edge of the frame."""
    far = size - 1 - EDGE + 1
    return [segment.right < EDGE, segment.left > far, segment.bottom < EDGE, segment.top > far]


def status_bars(candidates: list[Segment]) -> list[Segment]:
    """The segments at an edge that are long, or that have at least two twins at the same edge (arc, 12.2)."""
    touching = [edges_of(segment) for segment in candidates]
    twins = Counter(
        (edge, seg.look) for seg, at in zip(candidates, touching, strict=True) for edge in range(4) if at[edge]
    )
    bars = []
    for segment, at in zip(candidates, touching, strict=True):
        for edge in range(4):
            along, across = (segment.height, segment.width) if edge < 2 else (segment.width, segment.height)
            if at[edge] and (along >= 5 * across or twins[edge, segment.look] >= 3):
                bars.append(segment)
                break
    return bars


def mask_of(bars: list[Segment]) -> NDArray[np.bool_]:
    """The pixels of status bars, shape (64, 64)."""
    mask = np.zeros(64 * 64, dtype=bool)
    for segment in bars:
        mask[segment.pixels] = True
    return mask.reshape(64, 64)


def masked(pixels: Pixels, mask: NDArray[np.bool_]) -> Pixels:
    """A copy of a frame with one value wherever the mask is set."""
    copy = pixels.copy()
    copy[mask] = 0
    return copy


def rare_colours(pixels: Pixels) -> frozenset[int]:
    """The colours that cover less than a tenth of a frame: salient ones if palettes carry no meaning."""
    counts = np.bincount(pixels.ravel(), minlength=16)
    return frozenset(np.flatnonzero(counts < RARE * pixels.size).tolist())


def button_sized(segment: Segment) -> bool:
    """Whether width and height are those of a possible button."""
    return segment.width in SALIENT_SIZES and segment.height in SALIENT_SIZES
