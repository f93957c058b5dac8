"""Replays for the browser: a play simulated again, as pictures and changes from tick to tick.

A film is exact: drawn on a canvas, it matches ``vgdl.render.frame`` pixel by pixel in each state. Sprites of one type
form a layer, in the order of the rules; within a layer, they are in the order of their numbers. Only the spans of a
layer that differ from the previous tick are stored.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from vgdl import Board, Game, StateObservation
from vgdl.render import BLOCK, Palette, png, shape, sprites
from vgdl.render.pictures import Picture, picture, quarter_turns
from vgdl.replay import advance

Entry = tuple[int, int, int]  #: number of a picture in the film, and the pixel of its corner on the canvas
Span = list[int]  #: tick, index in the layer, number of entries removed, and new entries, three numbers each


class Pictures:
    """The pictures needed by films of a game, each once, as data URLs by a hash of their contents."""

    def __init__(self) -> None:
        """Start without pictures."""
        self.urls: dict[str, str] = {}

    def add(self, shown: Picture) -> str:
        """Add a picture; returns its hash."""
        pixels = _rgba(shown)
        name = hashlib.sha256(repr(pixels.shape).encode() + pixels.tobytes()).hexdigest()[:12]
        if name not in self.urls:
            self.urls[name] = "data:image/png;base64," + base64.b64encode(png.encode(pixels)).decode()
        return name


@dataclass(slots=True)
class Film:
    """One play, ready to be shown. Tick 0 is the state before the first action."""

    size: tuple[int, int]  #: width and height of the canvas
    ticks: int
    pictures: list[str]  #: hashes, by number
    layers: list[list[Span]]  #: in the order in which they are drawn
    scores: list[list[tuple[int, float]]]  #: changes of the score per player, as (tick, score)
    error: str  #: the game's own fatal error, if it ended by one
    avatars: list[tuple[int, str] | None]  #: per player, the picture of its avatar at tick 0, and its side of the board

    def facts(self) -> dict[str, Any]:
        """The film as JSON-compatible values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(slots=True)
class Camera:
    """Records the film of one play; ``spans`` contain the changes by sprite type, until they are cleared."""

    game: Game
    pictures: Pictures
    block_size: int
    palette: Palette
    numbers: dict[str, int] = field(default_factory=dict)
    places: dict[tuple[Any, ...], tuple[int, int, int]] = field(default_factory=dict)
    entries: dict[tuple[Any, ...], Entry] = field(default_factory=dict)
    layers: dict[int, list[Entry]] = field(default_factory=dict)
    spans: dict[int, list[Span]] = field(default_factory=dict)

    def take(self, tick: int, state: StateObservation) -> None:
        """Add the differences between a state and the previous one."""
        layers: dict[int, list[Entry]] = {}
        for sprite in sprites(state):
            entry = self.entries.get(sprite)
            if entry is None:
                if self.game.looks[sprite[0]].invisible:
                    continue
                entry = self.entries[sprite] = self._entry(state, sprite)
            layers.setdefault(sprite[0], []).append(entry)
        for kind in self.layers.keys() | layers.keys():
            before, after = self.layers.get(kind, []), layers.get(kind, [])
            if before != after:
                spans = self.spans.setdefault(kind, [])
                spans += ([tick, *span] for span in differences(before, after))
        self.layers = layers

    def avatars(self, state: StateObservation) -> list[tuple[int, str] | None]:
        """The picture of each player's avatar in the state taken last, and its side; None if it is not seen."""
        places = {(sprite[0], sprite[1], sprite[2]): entry[0] for sprite, entry in self.entries.items()}
        found = [None if one is None else places.get((one.type, *one.position)) for one in state.avatars]
        sides = _sides([(0, 0) if one is None else one.position for one in state.avatars])
        return [None if number is None else (number, side) for number, side in zip(found, sides, strict=True)]

    def _entry(self, state: StateObservation, sprite: tuple[Any, ...]) -> Entry:
        kind, x, y, width, height, orientation_x, orientation_y = sprite
        turns, size = quarter_turns(orientation_x, orientation_y), self.block_size
        key = kind, width, height, turns
        if key not in self.places:
            drawn = max(1, width * BLOCK // size), max(1, height * BLOCK // size)
            plain = shape(state.tables, kind)
            shown = picture(self.game.looks[kind], *drawn, turns, shape=plain, palette=self.palette)
            number = self.numbers.setdefault(self.pictures.add(shown), len(self.numbers))
            self.places[key] = number, shown.left, shown.top
        number, left, top = self.places[key]
        return number, x * BLOCK // size + left, y * BLOCK // size + top


def take(
    board: Board,
    seed: int,
    actions: Sequence[Sequence[str | None]],
    pictures: Pictures,
    palette: Palette = Palette.STANDARD,
    stirring: str = "",
) -> tuple[Film, StateObservation]:
    """Replay a play and film it.

    Args:
        board: the board of the play.
        seed: seed of the real game.
        actions: names by tick and player.
        pictures: pictures of the game; new ones are added.
        palette: colours of the pictures.
        stirring: the key for ``vgdl.replay.stir``.

    Returns:
        The film, and the final state.
    """
    state = board.start(seed)
    camera = Camera(board.game, pictures, state.block_size, palette)
    scores: list[list[tuple[int, float]]] = [[(0, score)] for score in state.scores]
    camera.take(0, state)
    avatars = camera.avatars(state)
    for tick, chosen in enumerate(actions, start=1):
        advance(state, chosen, stirring)
        camera.take(tick, state)
        for changes, score in zip(scores, state.scores, strict=True):
            if changes[-1][1] != score:
                changes.append((tick, score))
    width, height = (side * BLOCK // state.block_size for side in state.world_dimension)
    layers = [camera.spans[kind] for kind in board.game.order if kind in camera.spans]
    film = Film((width, height), len(actions), list(camera.numbers), layers, scores, state.error or "", avatars)
    return film, state


def differences(before: Sequence[Entry], after: Sequence[Entry]) -> Iterator[Span]:
    """The replacements that turn one list into the other: index, number of entries removed, and new entries.

    Lists of the same length are compared entry by entry, since most sprites keep their place when some of them move;
    otherwise, everything between the common prefix and suffix is one span.
    """
    if len(before) == len(after):
        at = 0
        while at < len(after):
            if before[at] == after[at]:
                at += 1
                continue
            end = at
            while end < len(after) and before[end] != after[end]:
                end += 1
            yield _span(at, end - at, after[at:end])
            at = end
        return
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    tail = next((at for at in range(shorter - head) if before[-1 - at] != after[-1 - at]), shorter - head)
    yield _span(head, len(before) - tail - head, after[head : len(after) - tail])


def packed(facts: dict[str, Any]) -> str:
    """Facts as deflated JSON in characters allowed in scripts; browsers can decompress it natively."""
    text = json.dumps(facts, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(text, 9)).decode()


def _sides(positions: Sequence[tuple[int, int]]) -> list[str]:
    """The side of the board on which each of two players is, seen from the other; empty for one player."""
    if len(positions) != 2 or positions[0] == positions[1]:
        return [""] * len(positions)
    (x, y), (other_x, other_y) = positions
    if abs(x - other_x) >= abs(y - other_y):
        return ["left", "right"] if x < other_x else ["right", "left"]
    return ["top", "bottom"] if y < other_y else ["bottom", "top"]


def _span(at: int, count: int, entries: Sequence[Entry]) -> Span:
    return [at, count, *(number for entry in entries for number in entry)]


def _rgba(shown: Picture) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The pixels of a picture, transparent where nothing is drawn."""
    height, width = shown.rgb.shape[0], shown.rgb.shape[1] // 3
    alpha = np.ones((height, width), dtype=bool) if shown.mask is None else shown.mask.reshape(height, width, 3)[..., 0]
    rgb = shown.rgb.reshape(height, width, 3) * alpha[..., None]
    return np.concatenate([rgb, alpha[..., None].astype(np.uint8) * 255], axis=2).astype(np.uint8)
