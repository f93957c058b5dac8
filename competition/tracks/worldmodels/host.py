"""The worker side of a world model: an adapter that holds one program and answers calls to its functions.

It returns the program's values as plain data; the calling process judges them. Searches and whole plays run here, next
to the functions, and return only actions and statistics.
"""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from vgdl import Meter
from vgdl.competition.tracks.worldmodels import json_values
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.model import Look, ModelGame, checked_look
from vgdl.competition.tracks.worldmodels.running import Clock, LocalProgram
from vgdl.competition.tracks.worldmodels.searching import Search, choose, play_out
from vgdl.competition.tracks.worldmodels.texts.futures import Futures
from vgdl.controllers import Timer
from vgdl.registry import Entry
from vgdl.tabletop.game import Information, Utility
from vgdl.tabletop.protocols import CHANCE, TERMINAL

READING = ("get_current_player", "get_rewards", "get_legal_actions", "get_observations")
"""Functions whose only argument is a state."""


def answered(function: Callable[[], Any]) -> dict[str, Any]:
    """Call a function and return its value or its error as plain data."""
    try:
        return {"value": function()}
    except WorldModelError as error:
        return {"error": error.facts()}


class Functions:
    """The functions of a program for `ModelGame`, called in this process. States are passed as copies."""

    def __init__(self, program: LocalProgram, players: int, seconds: float) -> None:
        self._program = program
        self._players = players
        self._seconds = seconds
        self._weighted = program.has("get_chance_probabilities")
        self._histories = program.has("resample_history")

    def look(self, state: str) -> Look:
        call, value = self._program.quick, json.loads(state)
        player = call("get_current_player", value, seconds=self._seconds)
        rewards = call("get_rewards", value, seconds=self._seconds)
        legal = () if player == TERMINAL else call("get_legal_actions", value, seconds=self._seconds)
        chances = None
        if player == CHANCE and self._weighted:
            chances = call("get_chance_probabilities", value, seconds=self._seconds)
        return checked_look(player, rewards, legal, chances, self._players)

    def advance(self, state: str, action: str) -> str:
        after = self._program.quick("apply_action", json.loads(state), action, seconds=self._seconds)
        try:
            return json_values.canonical(after)
        except (TypeError, ValueError, RecursionError) as error:
            raise WorldModelError(Kind.NOT_JSON, "apply_action", f"returned what is not JSON: {error}") from None

    def observe(self, state: str, player: int) -> Any:
        seen = self._program.quick("get_observations", json.loads(state), seconds=self._seconds)
        if not isinstance(seen, list) or len(seen) != self._players:
            message = f"{seen!r:.60} is not a list of {self._players} observations"
            raise WorldModelError(Kind.CONTRACT, "get_observations", message)
        return seen[player]

    def resample(self, history: Sequence[Any], player: int, seed: int, *more: Any) -> list[str]:
        actions = self._program.call("resample_history", list(history), player, *more, seconds=self._seconds, seed=seed)
        if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
            raise WorldModelError(Kind.CONTRACT, "resample_history", f"{actions!r:.60} is not a list of strings")
        return actions


class Host:
    """Holds one program. Methods accept the timer of a call but ignore it: time limits apply per function."""

    def __init__(
        self,
        entry: Entry,
        meter: Meter,
        *,
        source: str,
        required: list[str],
        players: int,
        perfect: bool,
        zero_sum: bool,
        returns: list[float],
        closed: bool,
        seconds: float,
    ) -> None:
        """Store the settings; `load` runs the program and reports its faults.

        Args:
            entry: unused; the source is passed separately.
            meter: unused; the program has no metered forward model.
            source: the program.
            required: functions that the program must define.
            players: number of players.
            perfect: whether the game has perfect information.
            zero_sum: whether one player's gain is the other's loss.
            returns: the smallest and the largest return.
            closed: whether ``resample_history`` takes ``last_is_terminal``.
            seconds: limit of CPU time per function call.
        """
        self._source = source
        self._required = tuple(required)
        self._players = players
        self._perfect = perfect
        self._utility = Utility.ZERO_SUM if zero_sum else Utility.GENERAL_SUM
        self._returns = (returns[0], returns[1])
        self._closed = closed
        self._seconds = seconds
        self._clock = Clock()
        self._program: LocalProgram | None = None
        self._values: dict[str, LocalProgram] = {}

    def load(self, *, timer: Timer) -> dict[str, Any]:
        """Forbid new processes and run the source; the value lists the program's functions."""
        _forbid_processes()

        def loaded() -> list[str]:
            self._program = LocalProgram(self._source, self._clock, self._required)
            return self._program.names()

        return answered(loaded)

    def read(self, *, state: Any, names: list[str], timer: Timer) -> dict[str, Any]:
        """Call functions on a state; returns a value or an error for each."""
        text = json_values.canonical(state)
        return {name: answered(partial(self._called, name, json.loads(text))) for name in names}

    def step(self, *, state: Any, action: str, seed: int, twice: bool, timer: Timer) -> dict[str, Any]:
        """Call ``apply_action``; if ``twice`` is set, call it again with another seed."""
        text = json_values.canonical(state)

        def apply(offset: int) -> Any:
            return self._called("apply_action", json.loads(text), action, seed=seed + offset)

        found = answered(lambda: apply(0))
        return {**found, "again": answered(lambda: apply(1))} if twice else found

    def tick(self, *, state: Any, action: str, seed: int, samples: int, twice: bool, timer: Timer) -> dict[str, Any]:
        """Sample outcomes of a tick of a VGDL game; see `texts.futures.Futures`."""

        def predicted() -> dict[str, Any]:
            futures = Futures(self._loaded(), state, action, seconds=self._seconds, seed=seed)
            return futures.facts(samples, twice=twice)

        return answered(predicted)

    def name(self, *, player: int, timer: Timer) -> dict[str, Any]:
        """Call ``get_player_name``."""
        return answered(lambda: self._called("get_player_name", player))

    def look(self, *, state: str, timer: Timer) -> dict[str, Any]:
        """Return the fields of a state's `Look`."""
        return answered(lambda: list(self._functions().look(state)))

    def advance(self, *, state: str, action: str, timer: Timer) -> dict[str, Any]:
        """Return the next state as canonical JSON."""
        return answered(lambda: self._functions().advance(state, action))

    def observe(self, *, state: str, player: int, timer: Timer) -> dict[str, Any]:
        """Return a player's observation."""
        return answered(lambda: self._functions().observe(state, player))

    def resample(self, *, history: list[Any], player: int, last: bool, seed: int, timer: Timer) -> dict[str, Any]:
        """Sample a history with the program's sampler."""
        return answered(lambda: self._resampled(history, player, last, seed))

    def resample_state(self, *, history: list[Any], player: int, seed: int, timer: Timer) -> dict[str, Any]:
        """Sample a state with the program's sampler and return the players' observations of it."""

        def sampled() -> Any:
            state = self._called("resample_state", history, player, seed=seed)
            return self._called("get_observations", state)

        return answered(sampled)

    def replay(
        self, *, initial: Any, history: list[Any], player: int, last: bool, seed: int, timer: Timer
    ) -> dict[str, Any]:
        """Sample a history and replay it.

        The value has all ``turns`` (mover, action, the player's observation if it moves, whether the action is legal),
        the ``rewards`` after each, and the final ``mover`` and observation ``seen``.
        """

        def replayed() -> Any:
            actions = self._resampled(history, player, last, seed)
            state, turns, earned = initial, [], []
            for action in actions:
                mover = self._called("get_current_player", _copied(state))
                legal = self._called("get_legal_actions", _copied(state))
                seen = self._observation(state, player) if mover == player else None
                turns.append([mover, action, seen, action in legal])
                state = self._called("apply_action", _copied(state), action, seed=seed)
                earned.append(self._called("get_rewards", _copied(state)))
            mover = self._called("get_current_player", _copied(state))
            return {"turns": turns, "mover": mover, "seen": self._observation(state, player), "rewards": earned}

        return answered(replayed)

    def random_play(self, *, initial: Any, seed: int, steps: int, timer: Timer) -> dict[str, Any]:
        """Play uniformly random legal actions; the value lists the mover and the rewards of each state."""

        def played() -> Any:
            draws = random.Random(seed)
            state, found = initial, []
            for _ in range(steps + 1):
                mover = self._called("get_current_player", _copied(state))
                found.append([mover, self._called("get_rewards", _copied(state))])
                if mover == TERMINAL:
                    break
                legal = self._called("get_legal_actions", _copied(state))
                if not isinstance(legal, list) or not legal:
                    raise WorldModelError(Kind.CONTRACT, "get_legal_actions", "no action, and the game is not over")
                state = self._called("apply_action", _copied(state), draws.choice(legal), seed=seed)
            return found

        return answered(played)

    def plan(self, *, situation: dict[str, Any], search: dict[str, Any], timer: Timer) -> dict[str, Any]:
        """Search for an action; see `searching.choose`."""
        settings = Search(**search)

        def planned() -> Any:
            with self._limited(settings.seconds):
                return choose(self._game(situation["initial"]), situation, settings, self._value(settings.value))

        return answered(planned)

    def play_out(self, *, initial: Any, sources: list[str], search: dict[str, Any], timer: Timer) -> dict[str, Any]:
        """Play a game between value functions on this program; the value is its returns. Empty sources mean none."""
        settings = Search(**search)

        def played() -> Any:
            with self._limited(settings.seconds):
                return play_out(self._game(initial), [self._value(source) for source in sources], settings)

        return answered(played)

    def value(self, *, source: str, state: Any, player: int, timer: Timer) -> dict[str, Any]:
        """Call a value function on a state."""

        def valued() -> Any:
            return self._value_program(source).call("value_function", state, player, seconds=self._seconds)

        return answered(valued)

    def _functions(self) -> Functions:
        return Functions(self._loaded(), self._players, self._seconds)

    def _game(self, initial: Any) -> ModelGame:
        information = Information.PERFECT_INFORMATION if self._perfect else Information.IMPERFECT_INFORMATION
        functions: Any = _Closed(self._functions()) if self._closed else self._functions()
        return ModelGame(
            functions,
            initial,
            players=self._players,
            information=information,
            utility=self._utility,
            returns=self._returns,
        )

    def _value(self, source: str) -> Callable[[Any, int], float] | None:
        """Return a source's value function in the form that searches call; None if the source is empty."""
        if not source:
            return None
        program, seconds = self._value_program(source), self._seconds

        def value(state: Any, player: int) -> float:
            found = program.quick("value_function", json.loads(state.text), player, seconds=seconds)
            if isinstance(found, bool) or not isinstance(found, int | float):
                raise WorldModelError(Kind.CONTRACT, "value_function", f"{found!r:.60} is not a number")
            return float(found)

        return value

    def _value_program(self, source: str) -> LocalProgram:
        if source not in self._values:
            self._values[source] = LocalProgram(source, self._clock, ("value_function",))
        return self._values[source]

    @contextlib.contextmanager
    def _limited(self, seconds: float) -> Any:
        """A limit of CPU time for a whole search or play."""
        with self._loaded().limited(seconds):
            yield

    def _loaded(self) -> LocalProgram:
        if self._program is None:
            raise WorldModelError(Kind.CONTRACT, "", "the program could not be loaded")
        return self._program

    def _called(self, name: str, *arguments: Any, seed: int | None = None) -> Any:
        return self._loaded().call(name, *arguments, seconds=self._seconds, seed=seed)

    def _resampled(self, history: list[Any], player: int, last: bool, seed: int) -> list[str]:
        more = (last,) if self._closed else ()
        return self._functions().resample(history, player, seed, *more)

    def _observation(self, state: Any, player: int) -> Any:
        seen = self._called("get_observations", _copied(state))
        if not isinstance(seen, list) or len(seen) != self._players:
            message = f"{seen!r:.60} is not a list of {self._players} observations"
            raise WorldModelError(Kind.CONTRACT, "get_observations", message)
        return seen[player]


class _Closed:
    """Functions whose sampler takes whether the last observation is terminal, which is always False in a search."""

    def __init__(self, functions: Functions) -> None:
        self.look, self.advance, self.observe = functions.look, functions.advance, functions.observe
        self._functions = functions

    def resample(self, history: Sequence[Any], player: int, seed: int) -> list[str]:
        return self._functions.resample(history, player, seed, False)


def _copied(value: Any) -> Any:
    return json.loads(json_values.canonical(value))


def _forbid_processes() -> None:
    """Forbid starting processes and threads from now on, at any level of isolation."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
