"""One play of a game, command by command, with the counts for scores (spec, 3)."""

from __future__ import annotations

import secrets
import uuid
from dataclasses import dataclass, field

from vgdl.competition.tracks.arc.errors import BadActionError, NotAllowedError, NotStartedError
from vgdl.competition.tracks.arc.frame import CLICK, RESET, SIZE, UNDO, Frame, Layer, State
from vgdl.competition.tracks.arc.playable import MOST_LAYERS, ArcGame, Ending, LevelPlay, Outcome


@dataclass(slots=True)
class Run:
    """The counts of one run: from a full reset to the next one.

    Attributes:
        actions: commands that count, level resets included.
        resets: level resets.
        level_actions: actions spent on each level completed so far.
        state: a `State`.
    """

    actions: int = 0
    resets: int = 0
    level_actions: list[int] = field(default_factory=list)
    state: State = State.NOT_FINISHED

    @property
    def levels_completed(self) -> int:
        return len(self.level_actions)


class Session:
    """One guid's play of a game, on a server or in the same process.

    Args:
        game: the game to play.
        competition: whether the rules of competition mode apply: no full resets.
        guid: the id of the session; by default a new one.
        chance: seed of fresh chance events, to repeat a play; by default a new one, if the game's options have them.

    Attributes:
        chance: seed of fresh chance events; None for those that all plays of a level share.
    """

    def __init__(
        self, game: ArcGame, *, competition: bool = False, guid: str | None = None, chance: int | None = None
    ) -> None:
        self.game = game
        self.competition = competition
        self.guid = guid or str(uuid.uuid4())
        self.runs: list[Run] = []
        self.frame: Frame | None = None  #: the last answer
        self.chance = secrets.randbits(31) if chance is None and game.fresh_chance else chance
        self._level = 0
        self._play: LevelPlay
        self._since_reset = 0  #: actions since the level began or was last reset
        self._past: list[LevelPlay] = []  #: for undo

    @property
    def run(self) -> Run:
        """The present run. IndexError before the first RESET."""
        return self.runs[-1]

    def reset(self) -> Frame:
        """RESET: start the game, or restart the level or the game.

        Raises:
            NotAllowedError: in competition mode, after WIN.
        """
        if not self.runs:
            return self._start()
        run = self.run
        if run.state is State.WIN and self.competition:
            raise NotAllowedError("the game is won: a competition has one play of each game")
        if run.state is State.WIN or (self._since_reset == 0 and not self.competition):
            return self._start()
        run.resets += 1
        run.actions += 1
        if self._since_reset:
            self._begin(self._level)
        return self._answer((self._play.layer(),))

    def act(self, action: int, x: int | None = None, y: int | None = None) -> Frame:
        """Execute an action, 1 to 7, and count it.

        Args:
            action: the action; one that the game does not offer is counted and has no effect.
            x: column of a click, 0 to 63.
            y: row of a click, 0 to 63.

        Raises:
            BadActionError: there is no such action, or a click has no valid coordinates.
            NotStartedError: the game has not begun, or is over: RESET starts it.
        """
        if not (type(action) is int and RESET < action <= UNDO):
            raise BadActionError(f"expected an action of 1 to {UNDO}, got {action!r}")
        if action == CLICK:
            _check_place(x, y)
        if not self.runs or self.run.state is not State.NOT_FINISHED:
            state = self.run.state if self.runs else State.NOT_PLAYED
            raise NotStartedError(f"the game is in state {state}: send RESET to start it")
        self.run.actions += 1
        self._since_reset += 1
        if action not in self.game.actions:
            return self._answer((self._play.layer(),))
        if action == UNDO:
            if self._past:
                self._play = self._past.pop()
            return self._answer((self._play.layer(),))
        if UNDO in self.game.actions:
            self._past.append(self._play.copy())
        return self._after(self._play.act(action, x, y))

    # ------------------------------------------------------------------------------------------ carrying out

    def _after(self, outcome: Outcome) -> Frame:
        """The answer to a played action; a won level is completed."""
        run = self.run
        if outcome.ending is None:
            return self._answer(outcome.layers)
        if outcome.ending is Ending.LOST:
            run.state = State.GAME_OVER
            return self._answer(outcome.layers)
        run.level_actions.append(run.actions - sum(run.level_actions))
        if run.levels_completed == self.game.win_levels:
            run.state = State.WIN
            return self._answer(outcome.layers)
        self._begin(self._level + 1)
        return self._answer((*outcome.layers[-(MOST_LAYERS - 1) :], self._play.layer()))

    def _start(self) -> Frame:
        """Start level 1 in a new run."""
        self.runs.append(Run())
        self._begin(0)
        return self._answer((self._play.layer(),), full_reset=True)

    def _begin(self, level: int) -> None:
        self._level = level
        self._play = self.game.begin(level, None if self.chance is None else self.chance + level)
        self._since_reset = 0
        self._past.clear()
        self.run.state = State.NOT_FINISHED

    def _answer(self, layers: tuple[Layer, ...], *, full_reset: bool = False) -> Frame:
        run, game = self.run, self.game
        frame = Frame(layers, run.state, run.levels_completed, game.win_levels, full_reset, tuple(game.actions))
        self.frame = frame
        return frame


def _check_place(x: int | None, y: int | None) -> None:
    for name, value in (("x", x), ("y", y)):
        if value is None:
            raise BadActionError(f"a click needs x and y, {name} is missing")
        if type(value) is not int or not 0 <= value < SIZE:
            raise BadActionError(f"expected {name} in 0 to {SIZE - 1}, got {value!r}")
