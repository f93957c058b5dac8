"""Replay files: one play each, as the facts that bring it about again and the result they must lead to.

A replay is JSON: the game's and level's names and hashes, the seed, the actions of every tick, versions, and the
result. The texts themselves are not in it. ``vgdl.replay_cli`` is the command that plays files again.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import vgdl
from vgdl import Action, Board, StateObservation, games

FORMAT = 1


class ReplayError(ValueError):
    """A file is no replay, or its game cannot be found; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a play ended, per player: winners are -1 (none), 0 (lost) or 1 (won)."""

    winners: tuple[int, ...]
    scores: tuple[float, ...]
    tick: int

    @classmethod
    def of(cls, state: StateObservation) -> Result:
        """The result that a state shows."""
        return cls(
            tuple(int(winner) for winner in state.winners), tuple(float(score) for score in state.scores), state.tick
        )


@dataclass(frozen=True, slots=True)
class Replay:
    """One play. Actions are names, per tick and player; None where a player was not asked."""

    game: str  #: the game's name: that of its file, without ending
    game_sha256: str
    level: str
    level_sha256: str
    seed: int
    actions: tuple[tuple[str | None, ...], ...]
    result: Result
    stirring: str = ""  #: key of the chance of each tick, see ``stir``; empty for the generator that ``seed`` starts
    controllers: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What playing a replay again has shown."""

    game_changed: bool  #: the game's text is not the one that was played
    level_changed: bool
    expected: Result
    actual: Result
    error: str = ""  #: why the game could not go on, if it broke off

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
    """The replay of a play that has just been played.

    Args:
        state: the final state.
        seed: that the game was started with.
        actions: names of the actions, per tick and player.
        controllers: who played, by player.
        stirring: the key that it was played with; see ``stir``.
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
    """Give the tick to come chance of its own, from the keyed hash of its number; an empty key changes nothing.

    The generator of the games has 48 bits of state, and whoever has seen some of its numbers can compute all others.
    Stirred before every tick, it tells nothing about any tick but one to those who do not know the key.

    Args:
        state: of the real game, about to be advanced.
        key: hexadecimal digits, at most 64 bytes.
    """
    if key:
        tick = state.tick.to_bytes(4, "big")
        state.reseed(int.from_bytes(hashlib.blake2b(tick, key=bytes.fromhex(key), digest_size=6).digest(), "big"))


def advance(state: StateObservation, names: Sequence[str | None], key: str = "") -> None:
    """Play the next tick of a recorded play, with the names of its actions and the key that it was stirred with."""
    stir(state, key)
    state.advance([None if name is None else Action[name] for name in names])


def simulate(
    board: Board, seed: int, actions: Sequence[Sequence[str | None]], stirring: str = ""
) -> StateObservation:
    """Play actions, given by name per tick and player, from the start of a game; returns the final state.

    Args:
        board: that is played on.
        seed: that the game is started with.
        actions: names, per tick and player.
        stirring: the key for ``stir``.

    Raises:
        ValueError: the game is for another number of players.
    """
    state = board.start(seed)
    for names in actions:
        advance(state, names, stirring)
    return state


def verify(replay: Replay, board: Board) -> Verdict:
    """Play a replay again with the texts as they are now.

    Raises:
        ValueError: the game is for another number of players.
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
    """The board that a replay was played on, by the names of its game and level.

    Args:
        replay: the play.
        folders: where to look, before the games that come with the package.

    Raises:
        ReplayError: there is no such game or level.
        vgdl.VGDLError: its text can no longer be loaded.
    """
    bundled = [games.path(replay.game).parent] if replay.game in games.names() else []
    for folder in (*folders, *bundled):
        game, level = folder / f"{replay.game}.txt", folder / f"{replay.level}.txt"
        if game.is_file() and level.is_file():
            return vgdl.load(game).drawn(replay.seed).board(level)
    raise ReplayError(f"the game {replay.game} with the level {replay.level} is in no known folder")


def write(replay: Replay, path: Path) -> None:
    """Write a replay file."""
    facts = {"format": FORMAT, **asdict(replay)}
    rows = ",\n  ".join(json.dumps(tick) for tick in replay.actions)
    del facts["actions"]
    head = json.dumps(facts, indent=1).removesuffix("\n}")
    path.write_text(f'{head},\n "actions": [\n  {rows}\n ]\n}}\n', encoding="utf-8")  # a line per tick


def read(path: Path) -> Replay:
    """Read a replay file.

    Raises:
        ReplayError: it cannot be read, or is no replay; says what is wrong with it.
    """
    try:
        facts = json.loads(path.read_bytes())
    except OSError as error:
        raise ReplayError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"{path} is no replay file: {error}") from error
    try:
        return _replay(facts)
    except (ReplayError, KeyError, TypeError, ValueError, OverflowError) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise ReplayError(f"{path} is no replay file: {reason}") from error


def _replay(facts: Any) -> Replay:
    """The replay that the decoded JSON describes, every field checked."""
    if not isinstance(facts, dict):
        raise ReplayError("it holds no object")
    if facts["format"] != FORMAT:
        raise ReplayError(f"its format is {facts['format']!r}, and this version reads {FORMAT}")
    result = facts["result"]
    return Replay(
        game=_file_name(facts, "game"),
        game_sha256=_typed(facts, "game_sha256", str),
        level=_file_name(facts, "level"),
        level_sha256=_typed(facts, "level_sha256", str),
        seed=_typed(facts, "seed", int),
        actions=tuple(_tick(number, tick) for number, tick in enumerate(facts["actions"])),
        result=Result(tuple(map(int, result["winners"])), tuple(map(float, result["scores"])), int(result["tick"])),
        stirring=_key(facts.get("stirring", "")),
        controllers=tuple(map(str, facts["controllers"])),
        versions={str(name): str(text) for name, text in _typed(facts, "versions", dict).items()},
    )


def _typed(facts: dict[str, Any], name: str, kind: type) -> Any:
    if not isinstance(facts[name], kind):
        raise ReplayError(f"{name} should be of the type {kind.__name__}, not {facts[name]!r:.60}")
    return facts[name]


def _file_name(facts: dict[str, Any], name: str) -> str:
    """A name without a folder, since it comes from a file that may be anyone's."""
    text: str = _typed(facts, name, str)
    if Path(text).name != text:
        raise ReplayError(f"{name} should be the name of a file without folder and ending, not {text!r:.60}")
    return text


def _key(text: Any) -> str:
    if not isinstance(text, str) or len(bytes.fromhex(text)) > hashlib.blake2b.MAX_KEY_SIZE:
        raise ReplayError(f"stirring should be hexadecimal digits, not {text!r:.60}")
    return text


def _tick(number: int, names: Any) -> tuple[str | None, ...]:
    if not isinstance(names, list) or not names:
        raise ReplayError(f"the actions of tick {number} are no list of names")
    for name in names:
        if name is not None and name not in Action.__members__:
            raise ReplayError(f"tick {number} has the unknown action {name!r:.60}")
    return tuple(names)
