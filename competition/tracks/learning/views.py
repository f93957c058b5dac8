"""The referee's side of observations: a state of the real game becomes plain numbers, text and bytes (learning, 3).

Nothing else of the game reaches an agent's process: no names of types, no rules, no state that could be advanced.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vgdl import Action, Board, Game, StateObservation, text
from vgdl.competition.agents.plain_data import Plain
from vgdl.competition.tracks.learning import gson
from vgdl.competition.tracks.learning.rules import LearningError, LearningRules, Profile
from vgdl.competition.tracks.learning.spaces import AVATAR_PLANES, MOST_VIEW, SPRITE_COLUMNS, Mode, Spaces
from vgdl.core.observation import record_tuples
from vgdl.core.planes import Planes
from vgdl.language import suggestion
from vgdl.render import frame

PIXELS = 10
"""Pixels per cell in the mode ``rgb``."""

SPARE_SPRITES = 64
"""Rows of the mode ``sprites`` for sprites that are created during a play; those beyond are left out."""

EVERY_ACTION = (Action.NIL, Action.UP, Action.LEFT, Action.DOWN, Action.RIGHT, Action.USE)


@dataclass(frozen=True, slots=True)
class Course:
    """A game with the boards of its training and validation levels."""

    game: Game
    boards: Mapping[int, Board]

    @classmethod
    def of(cls, game: Game, rules: LearningRules) -> Course:
        """Load the levels of a game.

        Raises:
            LearningError: it is a game for two, or a game space.
            vgdl.VGDLError: there is no such level, or it cannot be built.
        """
        if game.n_players != 1:
            raise LearningError(f"{game.name} is a game for {game.n_players} players; the learning track is for one")
        if game.drawn(0) is not game:
            raise LearningError(f"{game.name} is a game space; the learning track needs a game without open parameters")
        return cls(game, {level: game.board(level) for level in (*rules.training, *rules.validation)})

    @property
    def actions(self) -> tuple[Action, ...]:
        """NIL and the actions of every avatar that the levels can have."""
        born = {kind for board in self.boards.values() for _, kind, *_ in record_tuples(board.start(0))}
        table = next(iter(self.boards.values())).tables.rules.table
        avatars = [row for row in table["types"][sorted(born | self.game.created)] if row["avatar_object"]]
        pool = table["pool"]
        known = {
            int(action)
            for row in avatars
            for action in pool[row["actions_start"] : row["actions_start"] + row["actions_len"]]
        }
        return tuple(action for action in EVERY_ACTION if action is Action.NIL or action in known)


class Views:
    """Makes the observations of one agent on one game, in the form that the agent has chosen."""

    def __init__(self, course: Course, rules: LearningRules, mode: Mode, view: int | None, lot: int) -> None:
        """Set up the form of the observations.

        Args:
            course: the game and its levels.
            rules: the levels' phases and the learning budget.
            mode: the form.
            view: cells to each side of the avatar; None for the whole board.
            lot: seed of the numbers of types.
        """
        self._mode, self._view = mode, view
        order = list(range(len(course.game.types)))
        random.Random(lot).shuffle(order)
        self.numbers = dict(enumerate(order))
        self._numbers = np.array(order, np.int32)
        is_timed = rules.profile is Profile.TIME
        self._planes: dict[int, Planes] = {}
        self._order: list[int] = []
        shape, planes = self._shape(course)
        self.spaces = Spaces(
            mode=mode,
            view=view,
            shape=shape,
            n_types=len(order),
            planes=planes,
            training=rules.training,
            longest=rules.longest,
            budget=rules.seconds if is_timed else float(rules.steps),
            is_timed=is_timed,
        )

    def facts(self) -> dict[str, Plain]:
        """The spaces as plain data."""
        facts: dict[str, Plain] = json.loads(json.dumps(asdict(self.spaces)))
        return facts

    def show(self, state: StateObservation, level: int, phase: str, *, validation: bool) -> dict[str, Plain | bytes]:
        """An observation as the arguments ``facts`` and ``data`` of a call.

        Args:
            state: the state of the real game.
            level: number of its level.
            phase: of the play, for the mode ``json``.
            validation: whether the play counts, for the mode ``json``.
        """
        avatar = state.avatar
        facts: list[Any] = [
            state.tick,
            state.score,
            avatar.health if avatar else 0,
            avatar.max_health if avatar else 0,
            [[self.numbers[kind], n] for kind, n in sorted(avatar.resources.items()) if n] if avatar else [],
            [int(action) for action in state.actions_of(0, nil=True)] or [int(Action.NIL)],
            state.is_over,
            int(state.winner),
        ]
        match self._mode:
            case Mode.GRID:
                data = self._grid(state, level).tobytes()
            case Mode.RGB:
                data = _padded(self._picture(state), self.spaces.shape).tobytes()
            case Mode.SPRITES:
                data = self._sprites(state).tobytes()
                facts += [self._avatar(state), state.block_size, list(state.world_dimension)]
            case Mode.TEXT:
                data = text.read(state, view=self._view, numbers=self.numbers).encode()
            case Mode.JSON:
                described = gson.describe(state, phase, validation=validation, numbers=self.numbers, view=self._view)
                data = json.dumps(described, separators=(",", ":")).encode()
        return {"facts": facts, "data": data}

    def _shape(self, course: Course) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shape of arrays, and the types of planes; sets up what draws them."""
        starts = {level: board.start(0) for level, board in course.boards.items()}
        sizes = [(state.world_dimension[1], state.world_dimension[0], state.block_size) for state in starts.values()]
        side = None if self._view is None else 2 * self._view + 1
        rows = max(height // block for height, _, block in sizes) if side is None else side
        columns = max(width // block for _, width, block in sizes) if side is None else side
        if self._mode is Mode.RGB:
            return (rows * PIXELS, columns * PIXELS, 3), ()
        if self._mode is Mode.SPRITES:
            most = max(len(state.arrays) for state in starts.values()) + SPARE_SPRITES
            return (most, len(SPRITE_COLUMNS)), ()
        if self._mode is not Mode.GRID:
            return (), ()
        view = -1 if self._view is None else self._view
        self._planes = {level: Planes(board.tables, view) for level, board in course.boards.items()}
        types = next(iter(self._planes.values())).types
        self._order = sorted(range(len(types)), key=lambda place: self.numbers[types[place]])
        planes = tuple(self.numbers[types[place]] for place in self._order)
        self._order += range(len(types), len(types) + len(AVATAR_PLANES))
        return (len(self._order), rows, columns), planes

    def _grid(self, state: StateObservation, level: int) -> NDArray[np.uint8]:
        drawn = self._planes[level].observe(state)[self._order]
        return _padded(drawn, self.spaces.shape)

    def _picture(self, state: StateObservation) -> NDArray[np.uint8]:
        """The screen, or the part of it that is within the view; black outside the board, and without an avatar."""
        whole = frame(state, PIXELS)
        if self._view is None:
            return whole
        avatar, margin = state.avatar, self._view * PIXELS
        side = 2 * margin + PIXELS
        if avatar is None or state.is_over:
            return np.zeros((side, side, 3), np.uint8)
        left, top = (
            min(max(place // state.block_size, 0) * PIXELS, size)
            for place, size in zip(avatar.position, whole.shape[1::-1], strict=True)
        )
        padded = np.pad(whole, ((margin, margin + PIXELS), (margin, margin + PIXELS), (0, 0)))
        return padded[top : top + side, left : left + side]

    def _sprites(self, state: StateObservation) -> NDArray[np.int32]:
        """Rows of the visible sprites in the order of their ids; the nearest to the avatar if there are too many."""
        rows: NDArray[np.int32] = state.arrays.view(np.int32).reshape(-1, len(SPRITE_COLUMNS)).copy()
        avatar, block = state.avatar, state.block_size
        center = None if avatar is None or state.is_over else np.array(avatar.position)
        if self._view is not None:
            if center is None:
                return rows[:0]
            cells = np.abs(np.trunc(rows[:, 3:] / block) - np.trunc(center / block))
            rows = rows[cells.max(axis=1, initial=0) <= self._view]
        most = self.spaces.shape[0]
        if len(rows) > most:
            distance = ((rows[:, 3:].astype(np.int64) - (0 if center is None else center)) ** 2).sum(axis=1)
            rows = rows[np.argsort(distance, kind="stable")[:most]]
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        rows[:, 1] = self._numbers[rows[:, 1]]
        return rows

    def _avatar(self, state: StateObservation) -> list[Any] | None:
        avatar = state.avatar
        if avatar is None:
            return None
        return [
            self.numbers[avatar.type],
            avatar.id,
            list(avatar.position),
            list(avatar.orientation),
            avatar.speed,
            avatar.limit_health,
            int(avatar.last_action),
            avatar.is_alive,
        ]


def chosen_form(value: Plain) -> tuple[Mode, int | None]:
    """The mode and view in an agent's answer.

    Raises:
        ValueError: there is no such mode, or the view is not a number of cells.
    """
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"{value!r:.100} is not a mode and a view")
    mode, view = value
    if mode not in list(Mode):
        hint = suggestion(str(mode)[:100], [*Mode])
        raise ValueError(f"there is no observation mode {mode!r:.100}{hint}; there are {', '.join(Mode)}")
    if view is not None and (isinstance(view, bool) or not isinstance(view, int) or not 0 <= view <= MOST_VIEW):
        raise ValueError(f"a view has 0 to {MOST_VIEW} cells, or None for the whole board, not {view!r:.100}")
    return Mode(mode), view


def _padded(array: NDArray[np.uint8], shape: Sequence[int]) -> NDArray[np.uint8]:
    """An array with zeros added at the end of each axis."""
    if array.shape == tuple(shape):
        return array
    whole = np.zeros(tuple(shape), np.uint8)
    whole[tuple(map(slice, array.shape))] = array
    return whole
