"""A small game with five levels, and players that follow a script, for the tests of the learning track."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import vgdl
from vgdl import Action, StateObservation
from vgdl.competition.agents.failure import AgentFailed
from vgdl.competition.tracks.learning.lesson import Lesson
from vgdl.competition.tracks.learning.players import Choice, Wish
from vgdl.competition.tracks.learning.rows import PlayRow, RunKey
from vgdl.competition.tracks.learning.rules import LearningRules
from vgdl.competition.tracks.learning.views import Course

GAME = """\
# A walk along a corridor: coins give points, the flag wins, the pit kills.
BasicGame square_size=20
    SpriteSet
        secretflag > Door color=GREEN
        secretcoin > Resource limit=9 color=GOLD
        secretpit > Immovable color=RED
        secretghost > RandomNPC cooldown=2 color=BLUE
        secrethero > MovingAvatar
    LevelMapping
        G > secretflag
        c > secretcoin
        p > secretpit
        r > secretghost
        A > secrethero
    InteractionSet
        secrethero EOS > stepBack
        secretghost EOS > stepBack
        secretcoin secrethero > collectResource scoreChange=1
        secretflag secrethero > killSprite
        secrethero secretpit > killSprite
    TerminationSet
        SpriteCounter stype=secretflag win=True
        SpriteCounter stype=secrethero win=False
"""

LEVELS = (
    "pA.cG\nr....\n",
    "pAc.G\nr....\n",
    "p.AcG\nr....\n",
    "pA.ccG\nr.....\n......\n",
    "pAc..G\nr.....\n......\n",
)

RIGHT, LEFT = Action.RIGHT, Action.LEFT


def write_game(folder: Path, name: str = "corridor", text: str = GAME) -> Path:
    """The game as a file, beside its levels."""
    path = folder / f"{name}.txt"
    path.write_text(text)
    for number, level in enumerate(LEVELS):
        (folder / f"{name}_lvl{number}.txt").write_text(level)
    return path


def course(folder: Path, rules: LearningRules) -> Course:
    """The game, loaded."""
    return Course.of(vgdl.load(write_game(folder)), rules)


@dataclass
class Scripted:
    """A player that goes right or left for ever, wishes for levels in a given order, and records all calls."""

    wishes: list[int | None] = field(default_factory=list)  #: answers to ``result`` in training; then level 0
    action: Action = RIGHT
    used_ms: float = 0.0  #: claimed for every call
    fails_at: int = -1  #: number of the call of ``act`` that fails
    can_fork: bool = True
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    asked: int = 0

    def construct(self, course: Course) -> None:
        self.calls.append(("construct",))

    def init(self, state: StateObservation, level: int, *, validation: bool) -> float:
        self.calls.append(("init", level, validation))
        return self.used_ms

    def act(self, state: StateObservation, level: int, *, validation: bool) -> Choice:
        self.asked += 1
        if self.asked - 1 == self.fails_at:
            raise AgentFailed("it was told to", "in the test")
        return Choice(self.action, self.used_ms)

    def result(self, state: StateObservation, level: int, limit_ms: float, *, validation: bool) -> Wish:
        self.calls.append(("result", level, validation, limit_ms, state.is_over))
        if validation:
            return Wish(0, self.used_ms)
        return Wish(self.wishes.pop(0) if self.wishes else 0, self.used_ms)

    @contextlib.contextmanager
    def fork(self) -> Iterator[Scripted]:
        self.calls.append(("fork",))
        yield Scripted(action=self.action, calls=self.calls)

    def levels(self, validation: bool) -> list[int]:
        """The levels that were begun."""
        return [call[1] for call in self.calls if call[0] == "init" and call[2] is validation]


def lesson(folder: Path, player: Any, rules: LearningRules, secret: int = 5) -> tuple[Lesson, list[PlayRow]]:
    """A run to its end."""
    run = Lesson(RunKey("agent", "corridor", 0), course(folder, rules), rules, player, secret)
    return run, list(run.plays())
