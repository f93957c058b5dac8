"""Archives of feasible levels of one game and one size: files that can be shared, for training on ever new levels.

An archive is compressed JSON: the game's name and hash, and per level its text, the share of plays that OLETS won, and
a winning play as its proof. ``vgdl-compete generate archive`` makes one (generation, 8).
"""

from __future__ import annotations

import gzip
import json
import random
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vgdl import Action
from vgdl.controllers.base import Timer
from vgdl.game import Board, Game
from vgdl.generation.canvas import Canvas, Pieces, join, mutate
from vgdl.generation.drawing import construct
from vgdl.generation.interface import LevelTask, Size
from vgdl.generation.trials import Trials
from vgdl.judging.feasibility import idle_feasibility
from vgdl.judging.plays import STRONGEST, Effort, Played, outcome_of, play, seed_of
from vgdl.judging.profile import BANDS, DIFFICULTY_JUDGE, band_of
from vgdl.language import suggestion

FORMAT = 1
PREFIX = "generated:"
MOST_BYTES = 1 << 28  #: of an archive, decompressed
_ACTIONS = "NLRUDS"  #: letters of actions in winning plays, by `_ORDER`
_ORDER = (Action.NIL, Action.LEFT, Action.RIGHT, Action.UP, Action.DOWN, Action.USE)
_WINNING = Effort(1, 200, 600)
_RATING = Effort(5, 100, 600)
_PARENTS = 200  #: levels that new ones are made from, the latest


class ArchiveInvalid(ValueError):
    """A file is no archive of levels for the game; the message says why."""


@dataclass(frozen=True, slots=True)
class ArchivedLevel:
    """A level with its difficulty and its proof."""

    text: str
    olets: float  #: share of plays that OLETS won
    seed: int  #: of the winning play
    win: str  #: actions of the winning play, a letter each

    @property
    def band(self) -> str:
        """``easy``, ``medium`` or ``hard``."""
        return band_of(self.olets)

    def is_won_on(self, board: Board) -> bool:
        """Whether the stored play wins."""
        state = board.start(self.seed)
        state.rollout([_ORDER[_ACTIONS.index(letter)] for letter in self.win])
        return outcome_of(state) == "won"


@dataclass(frozen=True)
class LevelArchive:
    """Levels of one game, all of one size."""

    game: str
    game_sha256: str
    levels: tuple[ArchivedLevel, ...]

    def only(self, difficulty: str | None) -> tuple[ArchivedLevel, ...]:
        """The levels of a difficulty; all for None.

        Raises:
            ArchiveInvalid: there are none.
        """
        if difficulty is not None and difficulty not in BANDS:
            hint = suggestion(difficulty, BANDS)
            raise ArchiveInvalid(f"{difficulty!r} is no difficulty{hint}: expected {', '.join(BANDS)}")
        found = tuple(level for level in self.levels if difficulty in (None, level.band))
        if not found:
            raise ArchiveInvalid(f"the archive has no level{f' of difficulty {difficulty}' if difficulty else ''}")
        return found

    def write(self, path: Path) -> None:
        """Write the archive; the same levels give the same bytes."""
        facts = {"format": FORMAT, **asdict(self)}
        path.write_bytes(gzip.compress(json.dumps(facts, separators=(",", ":")).encode(), mtime=0))

    @classmethod
    def read(cls, path: Path, game: Game | None = None) -> LevelArchive:
        """Read an archive.

        Args:
            path: of the file.
            game: that it must be for; None for any.

        Raises:
            ArchiveInvalid: it cannot be read, is damaged, or is for another game.
        """
        try:
            facts = json.loads(_decompressed(path.read_bytes()))
            archive = _archive_of(facts)
        except OSError as error:
            raise ArchiveInvalid(f"{path}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, zlib.error, RecursionError) as error:
            raise ArchiveInvalid(f"{path} is not an archive of levels: {error}") from None
        if game is not None and archive.game_sha256 != game.digest:
            raise ArchiveInvalid(
                f"{path} has levels for {archive.game}, or for another version of it, not for {game.name}"
            )
        return archive


def _decompressed(data: bytes) -> bytes:
    reader = zlib.decompressobj(wbits=31)
    content = reader.decompress(data, MOST_BYTES)
    if not reader.eof:
        raise ValueError("it is cut off, or too large")
    return content


def _archive_of(facts: Any) -> LevelArchive:
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise ValueError(f"expected format {FORMAT}")
    levels = []
    for row in facts["levels"]:
        level = ArchivedLevel(str(row["text"]), float(row["olets"]), int(row["seed"]), str(row["win"]))
        if not set(level.win) <= set(_ACTIONS) or not 0 <= level.olets <= 1:
            raise ValueError("a level has an unknown action, or a share beyond 0 to 1")
        levels.append(level)
    sizes = {tuple(map(len, level.text.removesuffix("\n").split("\n"))) for level in levels}
    if len(sizes) > 1 or not levels:
        raise ValueError("it has no levels, or levels of different sizes")
    return LevelArchive(str(facts["game"]), str(facts["game_sha256"]), tuple(levels))


# ---------------------------------------------------------------------------------------------- making


def make_archive(
    game: Game,
    size: Size,
    number: int,
    seed: int,
    timer: Timer | None = None,
    progress: Callable[[Sequence[ArchivedLevel]], None] = lambda levels: None,
) -> LevelArchive:
    """Make an archive.

    Levels are made by construction, by mutation, and by joining rooms of earlier ones. Each is tested for all
    constraints of feasible levels; the shortest win of OLETS, or else one of the champion, is its proof.

    Args:
        game: for one player.
        size: of all levels: a single one.
        number: of levels wanted.
        seed: of all random choices.
        timer: ends the search early; None for none.
        progress: called after each level that was found.

    Raises:
        ValueError: the size is a range, or the game is for two players.
    """
    if size.columns[0] != size.columns[1] or size.rows[0] != size.rows[1]:
        raise ValueError(f"all levels of an archive have one size, not {size}")
    task = LevelTask(game)
    maker = _Maker(task, size, seed)
    levels: list[ArchivedLevel] = []
    while len(levels) < number and (timer is None or not timer.exceeded):
        level = maker.next()
        if level is not None:
            levels.append(level)
            progress(levels)
    return LevelArchive(game.name, game.digest, tuple(levels))


class _Maker:
    """Makes one level after another."""

    def __init__(self, task: LevelTask, size: Size, seed: int) -> None:
        self._task, self._size, self._seed = task, size, seed
        self._pieces = Pieces(task.description)
        self._generator = random.Random(seed)
        self._trials = Trials(task, seed)
        self._known: list[Canvas] = []
        self._texts: set[str] = set()

    def next(self) -> ArchivedLevel | None:
        """The next candidate as a level; None if it is not feasible or known."""
        canvas = self._new()
        text = canvas.grid.text
        if text in self._texts:
            return None
        candidate = self._trials.quick(canvas)
        if candidate is None or not candidate.feasibility.is_feasible:
            return None
        seed = seed_of("archive", self._seed, len(self._texts))
        rated = [self._rated(candidate.board, seed, 0)]
        wins = [played for played in rated if played.won]
        if not wins:  # most candidates cannot be won: the champion says so sooner than four further plays
            wins = [played for played in (play(candidate.board, STRONGEST, seed, _WINNING),) if played.won]
        if not wins:
            return None
        rated += [self._rated(candidate.board, seed, number) for number in range(1, _RATING.plays)]
        wins = [played for played in rated if played.won] or wins
        won = min(wins, key=lambda played: played.ticks)
        if not candidate.feasibility.with_wins(won.ticks).is_feasible:
            return None
        if not idle_feasibility(candidate.board, seed).is_feasible:
            return None
        self._texts.add(text)
        self._known = [*self._known, canvas][-_PARENTS:]
        letters = "".join(_ACTIONS[_ORDER.index(Action(tick[0]))] for tick in won.actions)
        share = sum(played.won for played in rated) / _RATING.plays
        return ArchivedLevel(text, share, won.seed, letters)

    def _rated(self, board: Board, seed: int, number: int) -> Played:
        """A play of the judge of difficulty."""
        return play(board, DIFFICULTY_JUDGE, seed_of("rate", seed, number), _RATING)

    def _new(self) -> Canvas:
        chance = self._generator.random()
        if len(self._known) < 5 or chance < 0.3:
            return construct(self._pieces, self._size, self._generator)
        if chance < 0.65:
            canvas = self._generator.choice(self._known).copy()
        else:
            one, other = self._generator.sample(self._known, 2)
            canvas = join(one, other, self._generator)
        for _ in range(self._generator.randint(2, 8)):
            mutate(canvas, self._generator)
        canvas.repair(self._generator)
        return canvas


# ---------------------------------------------------------------------------------------------- drawing


def levels_named(source: str, game: Game) -> tuple[ArchivedLevel, ...]:
    """The levels that ``generated:FILE?difficulty=medium`` names.

    Args:
        source: the prefix, the file, and optionally a difficulty.
        game: that the levels are for.

    Raises:
        ArchiveInvalid: the source is malformed, or the file cannot be used.
    """
    if not source.startswith(PREFIX):
        raise ArchiveInvalid(f"{source!r} does not name generated levels: expected {PREFIX}FILE?difficulty=easy")
    file, mark, query = source.removeprefix(PREFIX).partition("?")
    name, equals, difficulty = query.partition("=")
    if mark and (name != "difficulty" or not equals):
        raise ArchiveInvalid(f"{query!r} is not understood: expected difficulty=easy, medium or hard")
    return LevelArchive.read(Path(file), game).only(difficulty or None)
