"""The levels of an environment, and the choice of one for each play.

An environment is on one level or on several. With several, the level of a play is drawn from the play's seed, so
``reset(seed=s)`` always starts the same play on the same level; a function may choose instead, for a curriculum or for
generated levels. Observations of smaller boards are padded to the size of the largest one.
"""

from __future__ import annotations

import importlib
import operator
import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np

from vgdl import Action, Board, Game, VGDLError, Winner
from vgdl.core.state import StateObservation
from vgdl.envs.common import actions_of
from vgdl.envs.observers import Observer, Observers
from vgdl.game import LevelLike
from vgdl.language import suggestion

SETS: Mapping[str, range] = {"train": range(3), "test": range(3, 5)}
"""Sets of level numbers by name, as the 2014 competition divided the five levels of a game; ``all`` are all of them."""

_STREAM = 0x6C65766C  #: separates the draw of a level from all other numbers drawn from the same seed
_SEED_BITS = 0xFFFFFFFF  #: of a seed, those that a play depends on


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a play of an environment ended, or stood when it was reset.

    >>> import vgdl.envs
    >>> vgdl.envs.Outcome(level=0, won=True, score=3.0, ticks=45).won
    True
    """

    level: int  #: as in ``info["level"]``
    won: bool
    score: float
    ticks: int

    @classmethod
    def of(cls, level: int, state: StateObservation) -> Outcome:
        """The outcome of a state."""
        return cls(level, state.winner == Winner.PLAYER_WINS, state.score, state.tick)


@dataclass(frozen=True)
class Episode:
    """What a function that chooses levels gets to know about the play that is about to begin.

    >>> import vgdl.envs
    >>> def easy_first(episode):
    ...     return 0 if episode.number < 10 else int(episode.rng.integers(5))
    >>> env = vgdl.envs.VGDLEnv("sokoban", level=easy_first, levels="all")
    >>> env.reset(seed=7)[1]["level"]
    0
    """

    seed: int  #: of the play, 32 bits
    number: int  #: of plays begun before in this environment; in a vector environment, in this sub-environment
    env: int = 0  #: number of the sub-environment in a vector environment
    last: Outcome | None = None  #: the play before, if known: see `vgdl.envs.VGDLVectorEnv`

    @cached_property
    def rng(self) -> np.random.Generator:
        """A generator seeded with ``seed``: a choice that draws only from it depends on nothing else."""
        return np.random.default_rng((_STREAM, self.seed & _SEED_BITS))


Choose = Callable[[Episode], LevelLike]  #: chooses the level of a play
Source = LevelLike | Sequence[LevelLike] | Choose  #: what environments take as ``level``


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A board that plays can be on."""

    board: Board
    number: int  #: as ``info["level"]`` has it
    observer: Observer


class Levels:
    """The levels of an environment.

    A level's number, which ``info["level"]`` has, is that of the game if all levels were given by such numbers, and
    otherwise its place in the list.
    """

    MOST_OTHERS = 64  #: boards kept that were not in the list

    def __init__(
        self,
        game: Game,
        level: Source,
        levels: str | os.PathLike[str] | Sequence[LevelLike] | None,
        observers: Observers,
    ) -> None:
        """Build the boards.

        Args:
            game: to be played.
            level: a level; a list of levels; or a function that chooses one for each play.
            levels: a list of levels, ``train``, ``test`` or ``all``, a folder of level files, or an archive, as
                ``generated:FILE?difficulty=medium`` (`vgdl.generation.archives`).
            observers: makes the observers; learns the boards here.

        Raises:
            VGDLError: a level cannot be built.
            ValueError: both arguments are given, or there are no levels.
        """
        self.game = game
        self.choose: Choose | None = level if callable(level) else None
        listed = _listed(game, level, levels)
        own = [operator.index(one) for one in listed if isinstance(one, SupportsIndex)]
        self.are_own = len(own) == len(listed)
        boards = [game.board(one) for one in listed]
        observers.learn(boards)
        self._observers = observers
        numbers = own if self.are_own else range(len(listed))
        self.stages = tuple(
            Stage(board, number, observers.of(board)) for board, number in zip(boards, numbers, strict=True)
        )
        self._others: dict[str, Stage] = {}  # by digest

    def actions(self, *, full: bool) -> tuple[Action, ...]:
        """The actions of an agent: those of any of the levels, in the order of `vgdl.Action`, or with ``full`` all."""
        every = {action for stage in self.stages for action in actions_of(stage.board, full)}
        self._actions = tuple(sorted(every))
        return self._actions

    def of_episode(self, episode: Episode) -> Stage:
        """The board of a play that begins.

        Raises:
            VGDLError, ValueError: the function that chooses levels returned one that cannot be played here.
        """
        if self.choose is not None:
            return self.find(self.choose(episode))
        if len(self.stages) == 1:
            return self.stages[0]
        return self.stages[int(episode.rng.integers(len(self.stages)))]

    def of_reset(self, level: LevelLike | None, episode: Episode) -> Stage:
        """The board of a play that ``reset`` begins, with the ``level`` of its options if they have one.

        Raises:
            VGDLError, ValueError: as `find` and `of_episode`.
        """
        return self.of_episode(episode) if level is None else self.find(level)

    def find(self, level: LevelLike) -> Stage:
        """The board of a level: one of the list, or another that fits into the observation space.

        Raises:
            VGDLError: there is no such level.
            ValueError: it does not fit.
        """
        number = -1
        if isinstance(level, SupportsIndex):
            number = operator.index(level)
            for stage in self.stages:
                if stage.number == number:
                    return stage
            if not self.are_own:
                raise ValueError(f"expected a level from 0 to {len(self.stages) - 1}, got {number}")
        elif not isinstance(level, str | os.PathLike):
            raise ValueError(f"expected the number, the path or the text of a level, got {level!r:.60}")
        board = self.game.board(level)
        return self.of_digest(board.digest) or self._other(board, number)

    def of_digest(self, digest: str) -> Stage | None:
        """The board in use whose level text has a digest."""
        listed = (stage for stage in self.stages if stage.board.digest == digest)
        return next(listed, None) or self._others.get(digest)

    def _other(self, board: Board, number: int) -> Stage:
        missing = [action.name for action in actions_of(board, full=False) if action not in self._actions]
        if missing:
            raise ValueError(
                f"{board.name} has actions that this environment lacks ({', '.join(missing)}): "
                "make it with full_action_space=True"
            )
        stage = Stage(board, number, self._observers.of(board))
        if len(self._others) >= self.MOST_OTHERS:
            del self._others[next(iter(self._others))]
        self._others[board.digest] = stage
        return stage


def check_options(
    options: Mapping[str, Any] | None, known: Sequence[str] = ("level",), *, tolerant: bool = False
) -> Mapping[str, Any]:
    """The options of ``reset``.

    Args:
        options: as given.
        known: names of those that there are.
        tolerant: only warn of a name that resembles no known one, since PettingZoo's own test gives such an option.

    Raises:
        ValueError: there is an unknown option.
        TypeError: ``options`` is not a dictionary.
    """
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(
            f"expected the options of reset to be a dictionary, such as {{'level': 1}}, got {options!r:.60}"
        )
    for name in options or {}:
        if name in known:
            continue
        near = suggestion(str(name), known)
        listed = f"there are {', '.join(known)}" if len(known) > 1 else f"there is only {known[0]!r}"
        if near or not tolerant:
            raise ValueError(f"reset has no option {name!r}{near}; {listed}")
        warnings.warn(f"reset ignores the option {name!r}; {listed}", stacklevel=3)
    return options or {}


def _listed(
    game: Game, level: Source, levels: str | os.PathLike[str] | Sequence[LevelLike] | None
) -> Sequence[LevelLike]:
    """The levels that the two arguments stand for."""
    if levels is not None:
        if not callable(level) and not (isinstance(level, SupportsIndex) and operator.index(level) == 0):
            raise ValueError("expected either level= or levels=, not both; level= may be a function that chooses")
        return _of_set(game, levels)
    if callable(level):
        return _of_set(game, "all") if game.levels else _refuse_no_levels(game)
    if isinstance(level, str | os.PathLike):
        return _of_set(game, level) if level in (*SETS, "all") or _is_folder(level) else [level]
    if isinstance(level, Sequence | np.ndarray):
        return _checked(list(level))
    return [level]


def _of_set(game: Game, levels: str | os.PathLike[str] | Sequence[LevelLike]) -> Sequence[LevelLike]:
    if not isinstance(levels, str | os.PathLike):
        if not isinstance(levels, Sequence | np.ndarray):
            raise ValueError(f"expected levels to be a list, 'train', 'test', 'all' or a folder, got {levels!r:.60}")
        return _checked(list(levels))
    if isinstance(levels, str) and levels.startswith("generated:"):
        return [level.text for level in importlib.import_module("vgdl.generation.archives").levels_named(levels, game)]
    if levels == "all":
        return _checked(range(len(game.levels)))
    if levels in SETS:
        own = [number for number in SETS[str(levels)] if number < len(game.levels)]
        if not own:
            raise VGDLError(
                f"{game.name} has no levels for levels={levels!r}",
                expected=[f"levels {SETS[str(levels)][0]} to {SETS[str(levels)][-1]} beside the game"],
            )
        return own
    if not _is_folder(levels):
        names = [*SETS, "all"]
        near = suggestion(str(levels), names)
        raise ValueError(f"no set of levels {os.fspath(levels)!r}{near}; there are {', '.join(names)}, or a folder")
    files = sorted(Path(levels).glob("*.txt"), key=_natural)
    own_files = [path for path in files if re.fullmatch(rf"{re.escape(game.name)}_lvl\w+", path.stem)]
    chosen = own_files or files
    if not chosen:
        raise ValueError(f"the folder {os.fspath(levels)} has no level files (*.txt)")
    return chosen


def _checked(levels: Sequence[LevelLike]) -> Sequence[LevelLike]:
    if not levels:
        raise ValueError("expected at least one level")
    return levels


def _refuse_no_levels(game: Game) -> Sequence[LevelLike]:
    raise ValueError(
        f"{game.name} has no levels of its own, which determine the size of observations: "
        "give levels= as well, with one of the largest size"
    )


def _is_folder(path: str | os.PathLike[str]) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _natural(path: Path) -> list[object]:
    """The key of the order in which level 10 comes after level 9."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", path.stem) if part]
