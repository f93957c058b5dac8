"""The things of a frame that a click may be meant for: small areas with what they enclose, and places on large ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import Segment, segments
from vgdl.competition.tracks.arc.agents.tiles import Tiling, centre
from vgdl.competition.tracks.arc.frame import SIZE

SMALL = 20  #: pixels per side of the largest thing; what is larger is ground
DETAIL = 0.08  #: share of a thing's bounding box up to which an enclosed area is a detail of it
MOST = 150  #: small areas that are told apart; in noise, only the largest are
SPACING = 8  #: pixels between the places of large areas
Look = tuple[int, ...]  #: colour, width, height, area; for ground the colour alone


@dataclass(frozen=True, slots=True)
class Thing:
    """Something to click on."""

    look: Look
    x: int
    y: int
    is_detail: bool = False  #: whether it belongs to a thing around it, which is worth a click sooner

    @property
    def is_ground(self) -> bool:
        """Whether it is a place on a large area."""
        return len(self.look) == 1


def things(
    pixels: Pixels, regions: Sequence[Segment] | None = None, tiling: Tiling | None = None, spacing: int = SPACING
) -> list[Thing]:
    """The things of a frame, small ones first.

    Args:
        pixels: the frame.
        regions: its segments, if they are known.
        tiling: the lattice of tiles that areas consist of.
        spacing: pixels between the places of large areas; if less than usual, small areas have such places as well.
    """
    areas = segments(pixels) if regions is None else regions
    tiles, areas = _tiles(areas, pixels, tiling) if tiling is not None else ([], areas)
    small = [area for area in areas if area.width <= SMALL and area.height <= SMALL]
    if len(small) > MOST:
        small = sorted(small, key=lambda area: -area.area)[:MOST]
    details = _details(small)
    lines = [_thing(area, k in details) for k, area in enumerate(small)]
    for area in areas:
        if area.width > SMALL or area.height > SMALL:
            lines += _places(area, (area.colour,), pixels, spacing)
    if spacing < SPACING:
        for area in small:
            lines += _lattice(area, _look(area), pixels, spacing)
    return tiles + lines


def _tiles(areas: Sequence[Segment], pixels: Pixels, tiling: Tiling) -> tuple[list[Thing], list[Segment]]:
    """The tiles that areas consist of, and the other areas."""
    found, others = list[Thing](), list[Segment]()
    for area in areas:
        corners = tiling.corners(area, pixels)
        look = (area.colour, tiling.width, tiling.height, tiling.width * tiling.height)
        found += [Thing(look, *centre(corner, tiling)) for corner in corners]
        others += [] if corners else [area]
    return found, others


def _thing(area: Segment, is_detail: bool) -> Thing:
    y, x = divmod(int(area.pixels[area.area // 2]), SIZE)
    return Thing(_look(area), x, y, is_detail)


def _look(area: Segment) -> Look:
    return area.colour, area.width, area.height, area.area


def _details(small: Sequence[Segment]) -> set[int]:
    """Numbers of the areas that belong to an enclosing one: its details, or its only contents."""
    inside: dict[int, list[int]] = {}
    for k, inner in enumerate(small):
        around = [
            j
            for j, outer in enumerate(small)
            if j != k
            and outer.left <= inner.left
            and outer.right >= inner.right
            and outer.top <= inner.top
            and outer.bottom >= inner.bottom
            and (outer.width, outer.height) != (inner.width, inner.height)
        ]
        if around:
            nearest = min(around, key=lambda index: small[index].width * small[index].height)
            inside.setdefault(nearest, []).append(k)
    details: set[int] = set()
    for j, contents in inside.items():
        box = small[j].width * small[j].height
        if len(contents) == 1:
            details.update(contents)
        details.update(k for k in contents if small[k].area <= DETAIL * box)
    return details


def _places(area: Segment, look: Look, pixels: Pixels, spacing: int) -> list[Thing]:
    """Places on a large area: those of a regular lattice that have its colour, or else one of its pixels."""
    found = _lattice(area, look, pixels, spacing)
    if found:
        return found
    y, x = divmod(int(area.pixels[area.area // 2]), SIZE)
    return [Thing(look, x, y)]


def _lattice(area: Segment, look: Look, pixels: Pixels, spacing: int) -> list[Thing]:
    return [
        Thing(look, x, y)
        for y in range(spacing // 2, SIZE, spacing)
        for x in range(spacing // 2, SIZE, spacing)
        if area.left <= x <= area.right and area.top <= y <= area.bottom and pixels[y, x] == area.colour
    ]
