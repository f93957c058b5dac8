"""Games and boards: the rules of a game, and the rules on one level.

`load` and `loads` read a game; `Game.start` returns the state from which a play begins. `Game` and `Board` are
immutable, so copying one returns the same object.
"""

from __future__ import annotations

import functools
import operator
import os
import secrets
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import SupportsIndex

from vgdl import games
from vgdl.compiler import CompiledRules, choose, compile_board, compile_rules, digest, read_space
from vgdl.compiler.sprites import Look
from vgdl.core.data.tables import BoardTables
from vgdl.core.state import StateObservation
from vgdl.language import (
    Description,
    Level,
    TruncatedGameWarning,
    VGDLError,
    VGDLRuntimeError,
    VGDLWarning,
    nearest,
    parse,
    parse_file,
    read_indented_level,
    read_level,
    read_level_file,
)
from vgdl.language.description import Place

LevelLike = SupportsIndex | str | os.PathLike[str] | Level

#: Number of boards that a game keeps even when they are not in use.
MOST_BOARDS = 128


class Board:
    """The rules on one level.

    >>> board = vgdl.load("sokoban").board(level=0)
    >>> board, board.start(seed=7)
    (<Board sokoban_lvl0 of sokoban>, <StateObservation of sokoban, sokoban_lvl0, tick 0, score 0, running>)
    """

    def __init__(
        self, game: Game, level: Level, name: str, *, open_to_all: bool = False, block_size: int | None = None
    ) -> None:
        compiled = compile_board(game._rules, level, self, open_to_all=open_to_all, block_size=block_size)
        self._options = open_to_all, block_size
        self.game = game
        self.level = level
        self.name = name
        self.warnings: tuple[VGDLWarning, ...] = compiled.warnings
        self.tables: BoardTables = compiled.tables

    @property
    def digest(self) -> str:
        """SHA-256 of the level text."""
        return digest(self.level.source.text)

    def lint(self) -> tuple[VGDLWarning, ...]:
        """Sprites of the level that the avatar cannot reach: see `vgdl.reach`."""
        from vgdl.reach import unreachable

        return tuple(unreachable(self.game._rules, self.level))

    def start(self, seed: SupportsIndex) -> StateObservation:
        """Return the state before the first tick; only the low 32 bits of the seed are used, as in the reference."""
        return StateObservation.initial(self.tables, _as_int32(whole_number(seed, "a seed")))

    def __reduce__(self) -> tuple[object, ...]:
        return _board_of, (self.game, self.level.source.text, self.level.source.name, self.name, *self._options)

    def __copy__(self) -> Board:
        return self

    def __deepcopy__(self, memo: object) -> Board:
        return self

    def __repr__(self) -> str:
        return f"<Board {self.name} of {self.game.name}>"


class Game:
    """The rules of a game. Created by `load` and `loads`.

    >>> game = vgdl.load("sokoban")
    >>> game, game.n_players, len(game.levels)
    (<Game sokoban, 1 player, 5 levels>, 1, 5)
    """

    def __init__(self, description: Description, name: str, path: Path | None, rules: CompiledRules) -> None:
        self._description = description
        self._rules = rules
        self.name = name
        self.path = path  #: of the game file; None for a game read from a text
        self._boards: weakref.WeakValueDictionary[Hashable, Board] = weakref.WeakValueDictionary()  # all boards in use
        self._recent: OrderedDict[Hashable, Board] = OrderedDict()  # kept even when not in use

    @property
    def warnings(self) -> tuple[VGDLWarning, ...]:
        """Messages that the reference would log while reading the game text, and parts of the text that it skips.

        A `vgdl.TruncatedGameWarning` says that a part of the text is not read. Its ``messages`` is 0 if the reference
        says nothing about it.
        """
        return self._rules.warnings

    def lint(self, knows_picture: Callable[[str], bool] | None = None) -> tuple[VGDLWarning, ...]:
        """Other oddities of the game text, such as ``cooldown=two``: see `vgdl.lint`."""
        from vgdl.lint import lint

        return lint(self._rules, knows_picture)

    @property
    def types(self) -> tuple[str, ...]:
        """Names of the sprite types, by number."""
        return self._rules.names

    @property
    def order(self) -> tuple[int, ...]:
        """The sprite order: types are drawn first to last, and updated last to first."""
        return tuple(int(number) for number in self._rules.tables.table["order"])

    @property
    def looks(self) -> tuple[Look, ...]:
        """How each type is drawn, by number."""
        return self._rules.looks

    @property
    def created(self) -> frozenset[int]:
        """Types whose sprites may be created after the start of a play; may include types that never are."""
        return self._rules.created

    @property
    def level_mapping(self) -> Mapping[str, tuple[str, ...]]:
        """The types that each level character stands for, in the order in which their sprites are created."""
        return {character: mapped.names for character, mapped in self._rules.mapping.items()}

    @property
    def n_players(self) -> int:
        return self._rules.n_players

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        """The parameters of a game space, with the values that each may take."""
        return {name: placeholder.points for name, placeholder in self._rules.placeholders.items()}

    @property
    def text(self) -> str:
        return self._description.source.text

    @property
    def digest(self) -> str:
        """SHA-256 of the game text."""
        return digest(self.text)

    @property
    def levels(self) -> tuple[Path, ...]:
        """Level files next to the game file: ``<game>_lvl0.txt`` and so on, up to the first missing number."""
        if self.path is None:
            return ()
        found: list[Path] = []
        while (path := self._path(len(found))) and path.is_file():
            found.append(path)
        return tuple(found)

    def board(self, level: LevelLike = 0) -> Board:
        """Return the board for a level.

        Boards in use and the last `MOST_BOARDS` requested are cached; a level file that has changed is read again.

        Args:
            level: the number of one of the game's own levels, the path of a level file, the text of a level, or a
                `vgdl.language.Level`. A single line that ends in ``.txt`` is a path. If a text begins with an
                empty line, this line and the indentation of all rows are not part of the level.

        Raises:
            VGDLError: the level cannot be read or built, or a text of one line is no row of this game's characters.
        """
        named = level if isinstance(level, str | os.PathLike | Level) else _number(level)
        key = self._key(named)
        board = self._boards.get(key)
        if board is None:
            board = self._boards[key] = self._new_board(named)
        self._recent[key] = board
        self._recent.move_to_end(key)
        if len(self._recent) > MOST_BOARDS:
            self._recent.popitem(last=False)
        return board

    def _key(self, level: int | str | os.PathLike[str] | Level) -> Hashable:
        """The cache key of a level: the path, time and size of its file, or its text."""
        if isinstance(level, Level):
            return level.source.name, level.source.text
        path = self._path(level) if isinstance(level, int) else level
        if path is None or _is_text(path):
            return path, level
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return path, level
        return os.fspath(path), status.st_mtime_ns, status.st_size

    def _path(self, level: int) -> Path | None:
        """The path of one of the game's own level files, whether or not it exists; None without a game file."""
        return self.path.with_name(f"{self.path.stem}_lvl{level}.txt") if self.path else None

    def _new_board(self, level: int | str | os.PathLike[str] | Level) -> Board:
        if isinstance(level, Level):
            return Board(self, level, level.source.name)
        if isinstance(level, int):
            levels = self.levels
            if not 0 <= level < len(levels):
                raise VGDLError(f"{self.name} has no level {level}", expected=[self._expected_levels()])
            return Board(self, read_level_file(levels[level]), levels[level].stem)
        if isinstance(level, str) and _is_text(level):
            self._check_not_a_name(level)
            return Board(self, read_indented_level(level), "<text>")
        return Board(self, read_level_file(level), Path(level).stem)

    def _check_not_a_name(self, text: str) -> None:
        """Raise VGDLError for a text of one line that is rather a number or the name of a level than a row of one."""
        if "\n" in text or "\r" in text:
            return
        letters = {character for character in text if character.isalnum()}
        if not text.isdigit() and letters <= {*self.level_mapping}:
            return
        files = {name: str(path) for path in self.levels for name in (path.stem, path.name)}
        near = nearest(text, files)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
        suggestion = files[near] if near else f"level={number}" if number < len(self.levels) else None
        expected = [self._expected_levels(), "the path of a level file", "the text of a level, with a line break"]
        raise VGDLError(f"{self.name} has no level {text!r:.60}", expected=expected, suggestion=suggestion)

    def _expected_levels(self) -> str:
        if self.levels:
            return f"levels 0 to {len(self.levels) - 1}" if len(self.levels) > 1 else "level 0"
        first = self._path(0)
        return f"a file {first.name} beside the game" if first else "the text or the file of a level"

    def start(self, level: LevelLike = 0, seed: SupportsIndex | None = None) -> StateObservation:
        """Start a play; returns the state before the first tick.

        Args:
            level: as for `board`.
            seed: for the random number generator (32 bits), random by default. Open parameters of a game space are
                drawn from it.
        """
        seed = secrets.randbits(32) if seed is None else whole_number(seed, "a seed")
        return self.drawn(seed).board(level).start(seed)

    def drawn(self, seed: SupportsIndex) -> Game:
        """The game that `start` plays with ``seed``: this one, with any open parameters drawn from the seed."""
        placeholders = self._rules.placeholders
        if not any(placeholder.value is None for placeholder in placeholders.values()):
            return self
        drawn = choose(placeholders, {}, whole_number(seed, "a seed"))
        return _variant(self, tuple(drawn.items()))

    def runtime_error(self, state: StateObservation) -> VGDLRuntimeError | None:
        """The error that ended a play, with the line of the rule that failed; None for a state without an error."""
        if state.error is None:
            return None
        place = Place(state.error_line, 1) if state.error_line else None
        return VGDLRuntimeError(state.error.partition(": ")[2], self._description.source, place, tick=state.tick)

    def __reduce__(self) -> tuple[object, ...]:
        values = {name: p.value for name, p in self._rules.placeholders.items() if p.value is not None}
        return _game_of, (self.text, self._description.source.name, self.name, self.path, values)

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, memo: object) -> Game:
        return self

    def _repr_html_(self) -> str:
        """Rules and levels, as a notebook shows them."""
        from vgdl.notebook import game_html

        return game_html(self)

    def __repr__(self) -> str:
        players = "1 player" if self.n_players == 1 else f"{self.n_players} players"
        levels = len(self.levels)
        return f"<Game {self.name}, {players}, {'1 level' if levels == 1 else f'{levels} levels'}>"


# ---------------------------------------------------------------------------------------------- loading


def load(
    game: str | os.PathLike[str],
    *,
    strict: bool = False,
    parameters: Mapping[str, object] | None = None,
) -> Game:
    """Load a bundled game by name, or any game from a file.

    >>> vgdl.load("aliens")
    <Game aliens, 1 player, 5 levels>

    Args:
        game: the name of a bundled game, such as ``"aliens"``, or the path of a game file.
        strict: raise the first warning from `Game.warnings` or `Game.lint` as an error.
        parameters: values for the parameters of a game space, also between the points of their grids; any others are
            drawn from the seed of each play.

    Warns:
        TruncatedGameWarning: part of the game text is not read, as after an unknown effect; the game can be played, but
            without the rules in that part. Other warnings are in `Game.warnings` and `Game.lint` only.

    Raises:
        VGDLError: there is no such game or file, or its text is not a valid game.
        TypeError: ``game`` is neither a text nor a path.
    """
    path = _path_of(game)
    loaded = _compiled(*parse_file(path), name=path.stem, path=path, parameters=parameters or {})
    return _strictly(loaded) if strict else _with_warnings(loaded)


def loads(
    text: str, *, name: str = "<text>", strict: bool = False, parameters: Mapping[str, object] | None = None
) -> Game:
    """Load a game from its text; such a game has no levels of its own.

    >>> game = vgdl.loads('''
    ... BasicGame
    ...     SpriteSet
    ...         avatar > MovingAvatar
    ...         goal > Immovable
    ...     LevelMapping
    ...         A > avatar
    ...         G > goal
    ...     InteractionSet
    ...         goal avatar > killSprite
    ...     TerminationSet
    ...         SpriteCounter stype=goal limit=0 win=True
    ... ''')
    >>> state = game.start("A.G", seed=1)
    >>> state.rollout([vgdl.Action.RIGHT] * 9), state.winner
    (2, <Winner.PLAYER_WINS: 1>)

    Args:
        text: the game description in VGDL.
        name: identifies the text in messages.
        strict, parameters: as for `load`.

    Warns:
        TruncatedGameWarning: as `load`.

    Raises:
        VGDLError: the text is not a valid game.
        TypeError: ``text`` is not a text.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected the text of a game as a str, got {text!r:.60}")
    loaded = _compiled(*parse(text, name), name=name, path=None, parameters=parameters or {})
    return _strictly(loaded) if strict else _with_warnings(loaded)


def _strictly(game: Game) -> Game:
    for warning in (*game.warnings, *game.lint()):
        raise warning.as_error()
    return game


def _with_warnings(game: Game) -> Game:
    """The game, after a Python warning for each part of its text that is not read."""
    for warning in game.warnings:
        if isinstance(warning, TruncatedGameWarning):
            warnings.warn(warning, stacklevel=3)
    return game


def _number(level: SupportsIndex) -> int:
    return whole_number(level, "the number, the path or the text of a level")


def whole_number(value: SupportsIndex, what: str) -> int:
    """A whole number, such as ``1`` or one of numpy's.

    Raises:
        TypeError: anything else; the message says that ``what`` was expected.
    """
    try:
        return operator.index(value)
    except TypeError:
        expected = what if "number" in what else f"{what}, a whole number"
        raise TypeError(f"expected {expected}, got {value!r:.60}") from None


def _is_text(level: str | os.PathLike[str]) -> bool:
    """Whether a level is given as text rather than as a path."""
    return isinstance(level, str) and ("\n" in level or not (level.endswith(".txt") or _is_path(level)))


def _is_path(text: str) -> bool:
    try:
        return Path(text).is_file() or Path(text).is_fifo()
    except (OSError, ValueError):
        return False


def _path_of(game: str | os.PathLike[str]) -> Path:
    """The file of a game, given its name or path."""
    if not isinstance(game, str | os.PathLike):
        raise TypeError(f"expected the name of a game or the path of a game file, got {game!r:.60}")
    text = os.fspath(game)
    if games.is_bundled(text):
        return games.path(text)
    if _is_path(text):
        return Path(text)
    if "\n" in text:
        raise VGDLError("this is a text, not the name or the path of a game", expected=["vgdl.loads(text)"])
    raise VGDLError(
        f"no game named {text!r}, and no such file",
        expected=["the name of a bundled game", "the path of a game file"],
        suggestion=nearest(Path(text).stem if "\0" not in text else text, games.names()),
    )


def _compiled(
    description: Description,
    parsing: list[VGDLWarning],
    *,
    name: str,
    path: Path | None,
    parameters: Mapping[str, object],
) -> Game:
    """A game with the given parameters fixed; open ones have an arbitrary value until a seed determines them."""
    placeholders = read_space(description)
    chosen = choose(placeholders, parameters, 0)
    rules = compile_rules(description, tuple(parsing), chosen, placeholders, parameters)
    return Game(description, name, path, rules)


@functools.lru_cache(maxsize=64)
def _variant(game: Game, chosen: tuple[tuple[str, str], ...]) -> Game:
    """The game with all parameters fixed."""
    description, parsing = parse(game.text, game._description.source.name)
    return _compiled(description, parsing, name=game.name, path=game.path, parameters=dict(chosen))


def _game_of(text: str, source: str, name: str, path: Path | None, values: dict[str, str]) -> Game:
    description, parsing = parse(text, source)
    return _compiled(description, parsing, name=name, path=path, parameters=values)


def _board_of(
    game: Game, text: str, source: str, name: str, open_to_all: bool = False, block_size: int | None = None
) -> Board:
    return Board(game, read_level(text, source), name, open_to_all=open_to_all, block_size=block_size)


def _as_int32(seed: int) -> int:
    """The low 32 bits as a signed integer: the reference's seeds are ints."""
    low = seed & 0xFFFFFFFF
    return low - (1 << 32) if low & 0x80000000 else low
