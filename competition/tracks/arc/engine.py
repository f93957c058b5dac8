"""Games of the official engine, each in a process of an interpreter that has the package ``arcengine``.

That package needs Python 3.12, so the interpreter may be another one than this. A game is a Python file with one class
that derives from ``ARCBaseGame``. What it answers is checked; whatever else it does ends its play with an error.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.tracks.arc.errors import BadActionError, NotStartedError
from vgdl.competition.tracks.arc.frame import CLICK, COLORS, RESET, SIZE, UNDO, Frame, Layer, State
from vgdl.competition.tracks.arc.playable import GameInfo
from vgdl.competition.tracks.arc.scorecard import Played, scorecard
from vgdl.competition.tracks.arc.scoring import LATEST, Scoring
from vgdl.competition.tracks.arc.session import Run

WORKER = Path(__file__).with_name("engine_worker.py")
ANSWER_S = 30.0  #: seconds for an answer
MOST_BYTES = 8 << 20  #: of an answer: more than the most layers that the engine makes
MOST_LEVELS = 254
MOST_WORDS = 300  #: characters shown of a game's error


class EngineError(CompetitionError):
    """A game of the official engine cannot be played; the message says which and why."""


class EngineGame:
    """A game's file, and what its ``metadata.json`` says, if there is one.

    Args:
        file: the game's Python file.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        facts = _metadata(file.with_name("metadata.json"))
        game_id = facts.get("game_id")
        self.id = (
            game_id if isinstance(game_id, str) and 0 < len(game_id) <= 80 and game_id.isprintable() else file.stem
        )
        levels = facts.get("baseline_actions")
        known = isinstance(levels, list) and all(type(n) is int and n > 0 for n in levels)
        self.baselines: tuple[int, ...] = tuple(levels) if known and levels else ()
        self.info = GameInfo(self.id, self.id.partition("-")[0].upper(), ())


class EngineEnvironment:
    """One play of a game; see `environment.Environment`."""

    def __init__(self, game: EngineGame, interpreter: str) -> None:
        self.info = game.info
        self.guid = ""
        self.runs: list[Run] = []
        self.win_levels = 0
        self._since_reset = 0
        self._game = game
        self._answers: queue.Queue[bytes] = queue.Queue()
        try:
            self._process = subprocess.Popen(
                [interpreter, "-I", str(WORKER), str(game.file.resolve())],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=game.file.parent,
            )  # fmt: skip
        except OSError as error:
            raise EngineError(f"{interpreter}: {error.strerror or error}") from None
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self._receive()  # the game has been loaded
        except EngineError:
            self.close()
            raise

    def reset(self) -> Frame:
        fresh = not self.runs or not self._since_reset or self.runs[-1].state is State.WIN
        frame = self._command({"action": RESET}, full_reset=fresh)
        if fresh:
            self.guid = self.guid or str(uuid.uuid4())
            self.runs.append(Run())
        else:
            self.runs[-1].resets += 1
            self.runs[-1].actions += 1
        self._since_reset = 0
        self.runs[-1].state = State(frame.state)
        return frame

    def step(self, action: int, x: int | None = None, y: int | None = None, reasoning: Any = None) -> Frame:
        if type(action) is not int or not RESET < action <= UNDO:
            raise BadActionError(f"expected an action of 1 to {UNDO}, got {action!r}")
        if action == CLICK and not all(type(place) is int and 0 <= place < SIZE for place in (x, y)):
            raise BadActionError(f"a click needs x and y in 0 to {SIZE - 1}, got {x!r} and {y!r}")
        if not self.runs or self.runs[-1].state is not State.NOT_FINISHED:
            raise NotStartedError("the game is over or has not begun: send RESET")
        frame = self._command({"action": action, "x": x, "y": y})
        run = self.runs[-1]
        run.actions += 1
        self._since_reset += 1
        while run.levels_completed < frame.levels_completed:
            run.level_actions.append(run.actions - sum(run.level_actions))
            self._since_reset = 0
        run.state = State(frame.state)
        return frame

    def close(self) -> None:
        """End the game's process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with using("a pipe"):
                    pipe.close()

    def _command(self, command: dict[str, Any], *, full_reset: bool = False) -> Frame:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise EngineError(f"{self._game.id}: its process has ended") from None
        facts = self._receive()
        try:
            frame = _frame(facts, full_reset)
        except (LookupError, ValueError, TypeError) as error:
            raise EngineError(f"{self._game.id}: an answer that is no frame: {error}") from None
        self.win_levels = frame.win_levels
        return frame

    def _receive(self) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=ANSWER_S)
        except queue.Empty:
            self._process.kill()
            raise EngineError(f"{self._game.id}: no answer within {ANSWER_S:.0f} s") from None
        try:
            facts = json.loads(line)
        except (ValueError, RecursionError):
            raise EngineError(f"{self._game.id}: its process has ended") from None
        if not isinstance(facts, dict):
            raise EngineError(f"{self._game.id}: an answer that is no object")
        if "error" in facts:
            words = "".join(mark if mark.isprintable() else " " for mark in str(facts["error"]))[:MOST_WORDS]
            raise EngineError(f"{self._game.id}: {words}")
        return facts

    def _read(self) -> None:
        """Pass answers on, until the process ends."""
        assert self._process.stdout is not None
        try:
            while line := self._process.stdout.readline(MOST_BYTES):
                self._answers.put(line)
        except ValueError:
            pass  # closed
        self._answers.put(b"")


class EngineArc:
    """A folder of games on one card; see `environment.Arc`.

    Args:
        folder: with the games' Python files, in it or in folders below it.
        interpreter: a Python that has the package ``arcengine``.
        scoring: version of the score.
        tags: tags of the card.

    Raises:
        EngineError: the folder has no games, or two of the same id.
    """

    def __init__(
        self, folder: Path, interpreter: str = sys.executable, *, scoring: Scoring = LATEST, tags: Sequence[str] = ()
    ) -> None:
        self._interpreter = interpreter
        self._scoring = scoring
        self._tags = tuple(tags)
        self._games = {game.id: game for game in _games(folder)}
        self._plays: list[tuple[EngineGame, EngineEnvironment]] = []
        self._lock = threading.Lock()
        self.card_id = str(uuid.uuid4())

    @property
    def games(self) -> tuple[GameInfo, ...]:
        return tuple(game.info for game in self._games.values())

    def make(self, game_id: str) -> EngineEnvironment:
        """Start a game's process. Raises LookupError for an unknown game, EngineError if it cannot be loaded."""
        game = self._games.get(game_id)
        if game is None:
            raise LookupError(f"no game {game_id!r}; there are {', '.join(self._games)}")
        environment = EngineEnvironment(game, self._interpreter)
        with self._lock:
            self._plays.append((game, environment))
        return environment

    def scorecard(self) -> dict[str, Any]:
        """The current state of the card; baselines are those of the games' ``metadata.json``."""
        with self._lock:
            plays = list(self._plays)
        shown = []
        for game in {id(game): game for game, _ in plays}.values():
            of = [environment for other, environment in plays if other is game]
            runs = [(environment.guid, run) for environment in of for run in environment.runs]
            levels = max(environment.win_levels for environment in of)
            baselines = game.baselines if len(game.baselines) == levels else None
            if runs:
                shown.append(Played(game.id, (), levels, baselines, runs))
        return scorecard(self.card_id, shown, scoring=self._scoring, source="metadata", tags=list(self._tags))

    def close(self) -> dict[str, Any]:
        """End all plays; returns the final card."""
        for _, environment in self._plays:
            environment.close()
        return self.scorecard()


def _games(folder: Path) -> Iterator[EngineGame]:
    seen: dict[str, Path] = {}
    for file in sorted(folder.rglob("*.py")):
        if "ARCBaseGame" not in file.read_text(encoding="utf-8", errors="replace"):
            continue
        game = EngineGame(file)
        if game.id in seen:
            raise EngineError(f"{file} and {seen[game.id]} are both the game {game.id}")
        seen[game.id] = file
        yield game
    if not seen:
        raise EngineError(f"{folder} has no Python file with a class that derives from ARCBaseGame")


def _metadata(file: Path) -> dict[str, Any]:
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _frame(facts: dict[str, Any], full_reset: bool) -> Frame:
    """A checked answer. Raises LookupError, ValueError or TypeError."""
    layers = tuple(_layer(text) for text in facts["frame"])
    if not layers:
        raise ValueError("no layers")
    levels, of = int(facts["levels_completed"]), int(facts["win_levels"])
    if not 0 <= levels <= of <= MOST_LEVELS:
        raise ValueError(f"{levels} levels of {of}")
    actions = tuple(sorted({int(action) for action in facts["actions"]} & set(range(1, UNDO + 1))))
    if not actions:
        raise ValueError("no actions")
    return Frame(layers, State(facts["state"]), levels, of, full_reset, actions)


def _layer(text: object) -> Layer:
    if not isinstance(text, str) or len(text) != SIZE * SIZE:
        raise ValueError(f"a layer is {SIZE} by {SIZE} pixels")
    pixels = np.array([int(digit, COLORS) for digit in text], dtype=np.uint8).reshape(SIZE, SIZE)
    pixels.flags.writeable = False
    return pixels
