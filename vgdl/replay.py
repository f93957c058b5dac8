"""Replay files: everything needed to reproduce one play, and its expected result.

A replay is JSON: names and hashes of the game and the level, the seed, the actions of every tick, versions, and the
result. It does not contain the game texts. ``vgdl.replay_cli`` is the command that replays files.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import vgdl
from vgdl import Action, Board, StateObservation, games

__all__ = [
    "GameNotFound",
    "Replay",
    "ReplayError",
    "Result",
    "Verdict",
    "find_board",
    "read",
    "record",
    "simulate",
    "stir",
    "verify",
    "write",
]

FORMAT = 1
CLICK = "CLICK "  #: a click on a cell: ``CLICK <column> <row>``
_CLICKED = re.compile(rf"{CLICK}\d{{1,6}} \d{{1,6}}")


MAX_NAME = 200
"""Most bytes in the name of a game or level: with an extension, it is a file name on every system."""


class ReplayError(ValueError):
    """A file is not a replay, or its game cannot be found; the message says where and why.

    >>> from pathlib import Path
    >>> from vgdl import replay
    >>> try:
    ...     replay.read(Path("missing.json"))
    ... except replay.ReplayError as error:
    ...     print(error)
    missing.json: No such file or directory
    """


class GameNotFound(ReplayError):
    """The game of a replay, or its level, is in none of the folders that were searched.

    >>> from vgdl import replay
    >>> try:
    ...     replay.find_board(replay.Replay("chess", "", "chess_lvl0", "", 1, (), replay.Result((0,), (0.0,), 0)))
    ... except replay.GameNotFound as error:
    ...     print(error)
    the game chess with the level chess_lvl0 is in no known folder
    """


@dataclass(frozen=True, slots=True)
class Result:
    """How a play ended, per player: winners are -1 (none), 0 (lost) or 1 (won).

    >>> from vgdl import replay
    >>> replay.Result.of(vgdl.load("sokoban").start(level=0, seed=7))
    Result(winners=(-1,), scores=(0.0,), tick=0)
    """

    winners: tuple[int, ...]
    scores: tuple[float, ...]
    tick: int

    @classmethod
    def of(cls, state: StateObservation) -> Result:
        """The result of a state."""
        return cls(
            tuple(int(winner) for winner in state.winners), tuple(float(score) for score in state.scores), state.tick
        )


@dataclass(frozen=True, slots=True)
class Replay:
    """One play. Actions are names, per tick and player, or clicks (``CLICK 3 4``); None if a player was not asked.

    >>> from vgdl import replay
    >>> state = replay.simulate(vgdl.load("sokoban").board(level=0), seed=7, actions=[["LEFT"], ["UP"]])
    >>> replay.record(state, 7, [["LEFT"], ["UP"]], controllers=["me"])
    <Replay of sokoban, sokoban_lvl0 by me: undecided, score 0, tick 2>
    """

    game: str  #: the game's name: its file name without extension
    game_sha256: str
    level: str
    level_sha256: str
    seed: int
    actions: tuple[tuple[str | None, ...], ...]
    result: Result
    stirring: str = ""  #: key for each tick's random numbers, see ``stir``; empty: the generator seeded with ``seed``
    controllers: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)

    def _repr_html_(self) -> str | None:
        """The animation that a notebook shows; None if the game is not a bundled one: see `vgdl.notebook.Animation`."""
        from vgdl.notebook import replay_html

        return replay_html(self)

    def __repr__(self) -> str:
        result = self.result
        outcome = ", ".join({0: "lost", 1: "won"}.get(winner, "undecided") for winner in result.winners)
        score = ", ".join(f"{score:g}" for score in result.scores)
        players = f" by {' and '.join(self.controllers)}" if self.controllers else ""
        return f"<Replay of {self.game}, {self.level}{players}: {outcome}, score {score}, tick {result.tick}>"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of replaying a recorded play.

    >>> from vgdl import replay
    >>> board = vgdl.load("sokoban").board(level=0)
    >>> state = replay.simulate(board, seed=7, actions=[["LEFT"]])
    >>> replay.verify(replay.record(state, 7, [["LEFT"]]), board).same
    True
    """

    game_changed: bool  #: the game's text has changed since the recording
    level_changed: bool
    expected: Result
    actual: Result
    error: str = ""  #: why the game could not continue, if it stopped with an error

    @property
    def same(self) -> bool:
        """Whether the result is the recorded one."""
        return self.actual == self.expected


def record(
    state: StateObservation,
    seed: int,
    actions: Sequence[Sequence[str | None]],
    *,
    controllers: Sequence[str] = (),
    stirring: str = "",
) -> Replay:
    """The replay of a finished play.

    >>> from vgdl import replay
    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> state.advance(vgdl.Action.LEFT)
    >>> replay.record(state, 7, [["LEFT"]]).actions
    (('LEFT',),)

    Args:
        state: the final state.
        seed: the seed the game was started with.
        actions: names of the actions, per tick and player.
        controllers: names of the controllers, by player.
        stirring: the key used in the play; see ``stir``.
    """
    board: Board = state.board
    return Replay(
        game=board.game.name,
        game_sha256=board.game.digest,
        level=board.name,
        level_sha256=board.digest,
        seed=seed,
        actions=tuple(tuple(tick) for tick in actions),
        result=Result.of(state),
        stirring=stirring,
        controllers=tuple(controllers),
        versions={"vgdl": vgdl.__version__, "python": platform.python_version()},
    )


def stir(state: StateObservation, key: str) -> None:
    """Reseed the coming tick from the keyed hash of its number; an empty key changes nothing.

    The game's generator has 48 bits of state, and a few of its numbers are enough to compute all others. If it is
    reseeded before every tick, they reveal nothing about other ticks without the key.

    >>> from vgdl import replay
    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> replay.stir(state, "00ff")
    >>> state.generator == vgdl.load("sokoban").start(level=0, seed=7).generator
    False

    Args:
        state: the state of the real game, about to be advanced.
        key: hexadecimal digits, at most 64 bytes.
    """
    if key:
        tick = state.tick.to_bytes(4, "big")
        state.reseed(int.from_bytes(hashlib.blake2b(tick, key=bytes.fromhex(key), digest_size=6).digest(), "big"))


def advance(state: StateObservation, names: Sequence[str | None], key: str = "") -> None:
    """Replay the next tick of a recorded play, given the names of its actions and its stirring key.

    Raises:
        ReplayError: the game has another number of players, or a click is outside of the level.
    """
    stir(state, key)
    name = names[0]
    try:
        if name is not None and name.startswith(CLICK):
            _, column, row = name.split()
            state.click(int(column), int(row))
        else:
            state.advance([None if name is None else Action[name] for name in names])
    except ValueError as error:
        raise ReplayError(f"tick {state.tick} cannot be replayed: {error}") from None


def simulate(board: Board, seed: int, actions: Sequence[Sequence[str | None]], stirring: str = "") -> StateObservation:
    """Play actions from the start of a game and return the final state.

    >>> from vgdl import replay
    >>> replay.simulate(vgdl.load("sokoban").board(level=0), seed=7, actions=[["LEFT"], ["UP"]]).tick
    2

    Args:
        board: the board to play on.
        seed: the seed to start the game with.
        actions: names, per tick and player.
        stirring: the key for ``stir``.

    Raises:
        ReplayError: the game has another number of players, or a click is outside of the level.
    """
    state = board.start(seed)
    for names in actions:
        advance(state, names, stirring)
    return state


def verify(replay: Replay, board: Board) -> Verdict:
    """Replay a recorded play with the current game texts.

    >>> from vgdl import replay
    >>> board = vgdl.load("sokoban").board(level=0)
    >>> state = replay.simulate(board, seed=7, actions=[["LEFT"]])
    >>> replay.verify(replay.record(state, 7, [["LEFT"]]), board).game_changed
    False

    Raises:
        ReplayError: the game has another number of players, or a click is outside of the level.
    """
    state = simulate(board, replay.seed, replay.actions, replay.stirring)
    return Verdict(
        game_changed=board.game.digest != replay.game_sha256,
        level_changed=board.digest != replay.level_sha256,
        expected=replay.result,
        actual=Result.of(state),
        error=state.error or "",
    )


def find_board(replay: Replay, folders: Sequence[Path] = ()) -> Board:
    """The board that a replay was played on, found by the names of its game and level.

    >>> from vgdl import replay
    >>> state = replay.simulate(vgdl.load("sokoban").board(level=0), seed=7, actions=[["LEFT"]])
    >>> replay.find_board(replay.record(state, 7, [["LEFT"]]))
    <Board sokoban_lvl0 of sokoban>

    Args:
        replay: the recorded play.
        folders: folders to search before the bundled games.

    Raises:
        GameNotFound: there is no such game or level.
        vgdl.VGDLError: the game cannot be loaded.
    """
    bundled = [games.path(replay.game).parent] if games.is_bundled(replay.game) else []
    for folder in (*folders, *bundled):
        game, level = folder / f"{replay.game}.txt", folder / f"{replay.level}.txt"
        if game.is_file() and level.is_file():
            return vgdl.load(game).drawn(replay.seed).board(level)
    raise GameNotFound(f"the game {replay.game} with the level {replay.level} is in no known folder")


def write(replay: Replay, path: Path) -> None:
    """Write a replay file.

    >>> from pathlib import Path
    >>> from vgdl import replay
    >>> state = replay.simulate(vgdl.load("sokoban").board(level=0), seed=7, actions=[["LEFT"]])
    >>> replay.write(replay.record(state, 7, [["LEFT"]]), Path("play.json"))
    >>> replay.read(Path("play.json"))
    <Replay of sokoban, sokoban_lvl0: undecided, score 0, tick 1>
    """
    path.write_text(text(replay), encoding="utf-8")


def text(replay: Replay) -> str:
    """The content of a replay file, with a line per tick."""
    facts = {"format": FORMAT, **asdict(replay)}
    rows = ",\n  ".join(json.dumps(tick) for tick in replay.actions)
    del facts["actions"]
    head = json.dumps(facts, indent=1).removesuffix("\n}")
    return f'{head},\n "actions": [\n  {rows}\n ]\n}}\n'


def read(path: Path) -> Replay:
    """Read a replay file.

    >>> from vgdl import games, replay
    >>> recorded = sorted((games.path("sokoban").parent / "replays").glob("sokoban*"))
    >>> replay.read(recorded[0])
    <Replay of sokoban, sokoban_lvl0 by solver: won, score 3, tick 23>

    Raises:
        ReplayError: the file cannot be read, or is not a replay; the message says why.
    """
    try:
        facts = json.loads(path.read_bytes())
    except OSError as error:
        raise ReplayError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ReplayError(f"{path} is not a replay file: it is not text in UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"{path} is not a replay file: {error}") from error
    try:
        return _replay(facts)
    except (ReplayError, KeyError, TypeError, ValueError, OverflowError) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise ReplayError(f"{path} is not a replay file: {reason}") from error


def _replay(facts: Any) -> Replay:
    """The replay described by decoded JSON, with every field checked."""
    if not isinstance(facts, dict):
        raise ReplayError("expected a JSON object")
    if facts["format"] != FORMAT:
        raise ReplayError(f"its format is {facts['format']!r}, but this version reads {FORMAT}")
    result = _typed(facts, "result", dict)
    winners, scores = _typed(result, "winners", list), _typed(result, "scores", list)
    return Replay(
        game=_file_name(facts, "game"),
        game_sha256=_text(_typed(facts, "game_sha256", str)),
        level=_file_name(facts, "level"),
        level_sha256=_text(_typed(facts, "level_sha256", str)),
        seed=_typed(facts, "seed", int),
        actions=tuple(_tick(number, tick) for number, tick in enumerate(_typed(facts, "actions", list))),
        result=Result(tuple(map(int, winners)), tuple(map(float, scores)), _typed(result, "tick", int)),
        stirring=_key(facts.get("stirring", "")),
        controllers=tuple(map(_text, _typed(facts, "controllers", list))),
        versions={_text(name): _text(text) for name, text in _typed(facts, "versions", dict).items()},
    )


def _typed(facts: dict[str, Any], name: str, kind: type) -> Any:
    if not isinstance(facts[name], kind):
        raise ReplayError(f"{name} should be of type {kind.__name__}, not {facts[name]!r:.60}")
    return facts[name]


def _text(value: Any) -> str:
    text = str(value)
    if not text.isprintable():
        raise ReplayError(f"{text!a:.60} has characters that cannot be shown")
    return text


def _file_name(facts: dict[str, Any], name: str) -> str:
    """A name without a folder: the file it comes from is not trusted."""
    text = _text(_typed(facts, name, str))
    if Path(text).name != text or len(text.encode()) > MAX_NAME:
        raise ReplayError(f"{name} should be a file name without folder and extension, not {text!r:.60}")
    return text


def _key(text: Any) -> str:
    if not isinstance(text, str) or len(bytes.fromhex(text)) > hashlib.blake2b.MAX_KEY_SIZE:
        raise ReplayError(f"stirring should be hexadecimal digits, not {text!r:.60}")
    return text


def _tick(number: int, names: Any) -> tuple[str | None, ...]:
    if not isinstance(names, list) or not names:
        raise ReplayError(f"the actions of tick {number} are not a list of names")
    for name in names:
        if name is not None and name not in Action.__members__ and not _CLICKED.fullmatch(str(name)):
            raise ReplayError(f"tick {number} has the unknown action {name!r:.60}")
    return tuple(names)
