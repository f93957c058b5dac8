"""Checks of a controller: valid actions, the budget, and reproducible plays."""

from __future__ import annotations

import inspect
import operator
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import vgdl
from vgdl import Action, Meter, StateObservation
from vgdl.controllers import Controller, Timer, registry
from vgdl.controllers.base import takes_seed
from vgdl.registry import EntryInvalid, EntryNotFound
from vgdl.testing.problems import report

GAMES = ("aliens", "sokoban", "butterflies")
CONSTRUCTION = 25
"""Budget of a constructor as a multiple of that of an action: 1 s to 40 ms, as in a competition."""


def check_controller(
    controller: type[Controller] | str,
    *,
    games: Sequence[str] = GAMES,
    ticks: int = 25,
    calls: int = 500,
    seed: int = 1,
    allow_missing_actions: bool = False,
) -> None:
    """Check that a controller meets the requirements of a competition.

    - It is a `Controller` with ``act``, and its constructor takes ``state``, ``timer`` and ``player``.
    - Neither its constructor nor ``act`` raises.
    - ``act`` always returns a `vgdl.Action` that its avatar has, or NIL, within the budget of forward-model calls.
    - If its constructor takes ``seed``, two plays with the same seed are equal.

    Times are not checked: ``vgdl compete --controllers FILE.py:CLASS`` measures them.

    >>> from vgdl.testing import check_controller
    >>> check_controller("random", games=["sokoban"], ticks=5)

    Args:
        controller: a class, the name of a bundled controller, or ``FILE.py:CLASS``.
        games: names or paths; in a two-player game it plays both sides.
        ticks: maximum ticks per play.
        calls: maximum forward-model ticks simulated per action; the constructor may simulate 25 times as many, as in a
            competition. No clock is involved, so plays are reproducible.
        seed: seed of the plays.
        allow_missing_actions: accept actions that the avatar lacks, which count as NIL.

    Raises:
        CheckFailed: there are problems; it lists them all.
    """
    subject = controller if isinstance(controller, str) else getattr(controller, "__qualname__", repr(controller))
    try:
        found = registry.load(controller) if isinstance(controller, str) else controller
    except (EntryNotFound, EntryInvalid) as error:
        report(subject, [str(error)])
        return
    problems = list(_class_problems(found))
    if not problems:
        for game in games:
            problems += _game_problems(found, game, ticks, calls, seed, allow_missing_actions)
    report(subject, problems)


def _class_problems(controller: type[Controller]) -> Iterator[str]:
    if not (isinstance(controller, type) and issubclass(controller, Controller)):
        yield "it is not a subclass of vgdl.controllers.Controller"
        return
    if inspect.isabstract(controller):
        yield "it has no method act(self, state, timer)"
    try:
        inspect.signature(controller).bind("state", "timer", player=0)
    except TypeError as error:
        yield f"its constructor cannot be called with (state, timer, player=0): {error}{_constructor_place(controller)}"


def _constructor_place(controller: type[Controller]) -> str:
    """File, line and text of a constructor, for the end of a message; empty if unknown."""
    try:
        lines, number = inspect.getsourcelines(controller.__init__)
        path = inspect.getsourcefile(controller.__init__)
    except (OSError, TypeError):
        return ""
    return f"\n{path}:{number}: {lines[0].strip()}"


def _game_problems(
    controller: type[Controller], game: str, ticks: int, calls: int, seed: int, allow_missing_actions: bool
) -> list[str]:
    first = _Play(controller, game, ticks, calls, seed, allow_missing_actions)
    first.run()
    if first.problems or not first.is_seeded:
        return first.problems
    again = _Play(controller, game, ticks, calls, seed, allow_missing_actions)
    again.run()
    if again.answers != first.answers:
        tick = next(k for k, pair in enumerate(zip(first.answers, again.answers, strict=False)) if pair[0] != pair[1])
        return [
            f"{game}: two plays with seed {seed} differ at tick {tick}; draw only from generators that are seeded with "
            "the constructor's seed"
        ]
    return []


@dataclass
class _Play:
    """One play on level 0."""

    controller: type[Controller]
    game: str
    ticks: int
    calls: int
    seed: int
    allow_missing_actions: bool = False
    answers: list[tuple[Action, ...]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def is_seeded(self) -> bool:
        return takes_seed(self.controller)

    def run(self) -> None:
        state = vgdl.load(self.game).start(level=0, seed=self.seed)
        state.meter = Meter()
        options = {"seed": self.seed} if self.is_seeded else {}
        players = []
        try:
            for number in range(state.n_players):
                timer = Timer(budget_calls=CONSTRUCTION * self.calls, meter=state.meter)
                players.append(self.controller(self._shown(state), timer, player=number, **options))
                if timer.exceeded:
                    self._note(
                        state, f"its constructor simulated {timer.calls_used} ticks; {timer.budget_calls} were allowed"
                    )
        except (Exception, SystemExit) as error:
            self._blame("in its constructor", error)
            return
        while not (state.is_over or state.tick >= self.ticks or self.problems):
            self.answers.append(tuple(self._answer(state, player, number) for number, player in enumerate(players)))
            state.advance(self.answers[-1])

    def _answer(self, state: StateObservation, player: Controller, number: int) -> Action:
        """The action of a controller; if it fails or returns something else, NIL, and the problem is noted."""
        timer = Timer(budget_calls=self.calls, meter=state.meter)
        shown = self._shown(state)
        try:
            answer = player.act(shown, timer)
        except (Exception, SystemExit) as error:
            self._blame(f"at tick {state.tick}", error)
            return Action.NIL
        if timer.exceeded:
            self._note(state, f"it simulated {timer.calls_used} ticks for one answer; {self.calls} were allowed")
        index = operator.index(answer) if hasattr(answer, "__index__") else None
        action = next((action for action in Action if action == index), None)
        own = state.actions_of(number)
        if action and own and action not in own and not self.allow_missing_actions:
            self._note(
                state,
                f"it answered {action.name}, which its avatar does not have and which counts as NIL; choose from "
                "state.available_actions",
            )
        if action is None:
            self._note(state, f"it answered {answer!r}, which is not a vgdl.Action; return Action.NIL to do nothing")
        return action or Action.NIL

    def _shown(self, state: StateObservation) -> StateObservation:
        """A copy of the state with another random seed."""
        return state.copy(seed=self.seed + 1000 * (state.tick + 1))

    def _note(self, state: StateObservation, problem: str) -> None:
        self.problems.append(f"{self.game}, tick {state.tick}: {problem}")

    def _blame(self, when: str, error: BaseException) -> None:
        """Note an error with the controller's own line, rather than the framework line that raised it."""
        own = getattr(sys.modules.get(self.controller.__module__), "__file__", None)
        frames = traceback.extract_tb(error.__traceback__)
        place = next((frame for frame in reversed(frames) if frame.filename == own), frames[-1])
        where = f"{place.filename}:{place.lineno}"
        self.problems.append(f"{self.game}: it raised {type(error).__name__} {when}: {error}\n{where}: {place.line}")
