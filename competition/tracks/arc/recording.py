"""Recordings of plays: a line of JSON per command, in the format of the agents framework (arc, 5).

A line is ``{"timestamp": ..., "data": frame}``, and the last one has the game's scorecard. The official toolkit writes
names instead of ids of actions, and may leave out the pixels; both forms can be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.store import now
from vgdl.competition.tracks.arc.environment import Environment
from vgdl.competition.tracks.arc.errors import CommandError
from vgdl.competition.tracks.arc.frame import CLICK, RESET, SIZE, Frame, Layer
from vgdl.competition.tracks.arc.playable import ArcGame, GameInfo
from vgdl.competition.tracks.arc.protocol import ACTIONS, Command, frame_text
from vgdl.competition.tracks.arc.session import Session

ENDING = ".recording.jsonl"


class RecordingError(CompetitionError):
    """A file is not a recording; the message has the location of the fault."""


class Recorder:
    """Writes recordings into a folder."""

    def __init__(self, folder: Path, agent: str = "server", max_actions: int = 0) -> None:
        """Set the recorder up.

        Args:
            folder: an existing folder.
            agent: the agent's name in file names.
            max_actions: the agent's limit, 0 for none.
        """
        self._folder = folder
        self._agent = re.sub(r"[^\w\-]+", "_", agent)
        self._max_actions = max_actions

    def path(self, game_id: str, guid: str) -> Path:
        """The file of a play."""
        return self._folder / f"{game_id}.{self._agent}.{self._max_actions}.{guid}{ENDING}"

    def add(self, command: Command, frame: Frame, guid: str) -> None:
        """Write a command and its answer.

        Raises:
            FileError: the file cannot be written.
        """
        self._append(self.path(command.game_id, guid), frame_text(frame, command, guid))

    def end(self, game_id: str, guid: str, scorecard: dict[str, Any]) -> None:
        """Write the last line.

        Raises:
            FileError: the file cannot be written.
        """
        self._append(self.path(game_id, guid), json.dumps(scorecard, separators=(",", ":")).encode())

    def _append(self, path: Path, data: bytes) -> None:
        with using(path), path.open("ab") as file:
            file.write(b'{"timestamp":"%s","data":%s}\n' % (now().encode(), data))


class RecordedEnvironment:
    """An environment that records all commands."""

    def __init__(self, environment: Environment, recorder: Recorder) -> None:
        """Wrap an environment."""
        self._environment = environment
        self._recorder = recorder

    @property
    def info(self) -> GameInfo:
        """The game."""
        return self._environment.info

    @property
    def guid(self) -> str:
        """The guid of the session."""
        return self._environment.guid

    def reset(self) -> Frame:
        """RESET."""
        frame = self._environment.reset()
        self._recorder.add(Command(RESET, self.info.game_id), frame, self.guid)
        return frame

    def step(self, action: int, x: int | None = None, y: int | None = None, reasoning: Any = None) -> Frame:
        """ACTION1 to ACTION7."""
        frame = self._environment.step(action, x, y, reasoning)
        command = Command(action, self.info.game_id, x=x, y=y, reasoning=reasoning)
        self._recorder.add(command, frame, self.guid)
        return frame


@dataclass(frozen=True, slots=True)
class Entry:
    """A command of a recording, and its answer."""

    game_id: str
    action: int
    x: int | None
    y: int | None
    state: str
    levels_completed: int
    full_reset: bool
    layers: tuple[Layer, ...] | None  #: None if they were not recorded


def read(path: Path) -> list[Entry]:
    """Read the commands of a recording in either form; other lines, such as scorecards, are left out.

    Raises:
        FileError: the file cannot be read.
        RecordingError: a line is not JSON or not a valid frame, or there are no commands.
    """
    entries = []
    with using(path):
        lines = path.read_bytes().splitlines()
    for number, line in enumerate(lines, 1):
        try:
            facts = json.loads(line)
            data = facts["data"] if isinstance(facts, dict) else None
            if isinstance(data, dict) and "action_input" in data and "state" in data:
                entries.append(_entry(data))
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise RecordingError(f"{path}, line {number}: {error}") from None
    if not entries:
        raise RecordingError(f"{path} contains no commands")
    return entries


def differences(entries: Sequence[Entry], game: ArcGame) -> list[str]:
    """Replay a recording, and describe the commands with a different answer; empty if all are equal.

    A recording does not tell whether it was made in competition mode, so both modes are tried.
    """
    return min((_differences(entries, game, competition) for competition in (False, True)), key=len)


def _differences(entries: Sequence[Entry], game: ArcGame, competition: bool) -> list[str]:
    session = Session(game, competition=competition)
    found: list[str] = []
    for number, entry in enumerate(entries, 1):
        try:
            frame = session.reset() if entry.action == RESET else session.act(entry.action, entry.x, entry.y)
        except CommandError as error:
            return [*found, f"command {number}, {ACTIONS[entry.action]}: {error}"]
        where = f"command {number}, {ACTIONS[entry.action]}"
        if (frame.state, frame.levels_completed) != (entry.state, entry.levels_completed):
            found.append(
                f"{where}: {frame.state} with {frame.levels_completed} levels, recorded {entry.state} with "
                f"{entry.levels_completed}"
            )
        elif entry.layers is not None and not _same(frame.layers, entry.layers):
            found.append(f"{where}: other pixels")
    return found


def _same(first: Sequence[Layer], second: Sequence[Layer]) -> bool:
    return len(first) == len(second) and all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def _entry(data: dict[str, Any]) -> Entry:
    action_input = data["action_input"]
    action = action_input["id"]
    if isinstance(action, str):
        action = ACTIONS.index(action.rpartition(".")[2].upper())
    if not 0 <= int(action) < len(ACTIONS):
        raise ValueError(f"there is no action {action!r}")
    details = action_input.get("data") or {}
    place = (details.get("x"), details.get("y")) if action == CLICK else (None, None)
    levels = data.get("levels_completed", data.get("score", 0))
    frame = data.get("frame")
    layers = None
    if frame:
        pixels = np.asarray(frame, dtype=np.uint8)
        if pixels.ndim != 3 or pixels.shape[1:] != (SIZE, SIZE):
            raise ValueError(f"a frame of the shape {pixels.shape}")
        layers = tuple(pixels)
    return Entry(
        str(data.get("game_id", "")), int(action), *place, str(data["state"]), int(levels),
        data.get("full_reset") is True, layers,
    )  # fmt: skip
