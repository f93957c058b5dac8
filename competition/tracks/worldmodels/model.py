"""World models as games of `vgdl.tabletop`: actions are numbers, states are canonical JSON (3.3).

`ModelGame` wraps any `Program`: inside the isolated process, where searches call the functions directly, or outside,
where each call is a message to that process. `CodeWorldModel` is the latter with its own process.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, Self

from vgdl.competition.tracks.worldmodels import json_values
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.tabletop.game import ChanceMode, GameType, Information, RewardModel, Utility
from vgdl.tabletop.plain import PlainGame, PlainState
from vgdl.tabletop.protocols import CHANCE, TERMINAL, IllegalAction, Uniform

MOST_ACTIONS = 1024
"""Most legal actions of a state, which is the capacity of the searches."""
MOST_NUMBERS = 8192
"""Most different actions of a game."""
CACHED = 50_000
"""Most entries of each cache of a program's answers."""
LONGEST = 1000
"""Most actions in one play."""
TRIES = 10
"""Most histories that are sampled to find one that agrees with the player's observation (7.5)."""
_SEEDS = 1 << 31


class Look(NamedTuple):
    """A program's answers about a state."""

    player: int
    rewards: tuple[float, ...]  #: rewards of the last action
    legal: tuple[str, ...]  #: sorted, without repetitions
    probabilities: tuple[float, ...]  #: of the legal actions at chance nodes, otherwise empty


class Program(Protocol):
    """The functions of a world model, wherever they run. Every method raises `WorldModelError` if one fails."""

    def look(self, state: str) -> Look:
        """Return the program's answers about a state, given as canonical JSON."""

    def advance(self, state: str, action: str) -> str:
        """The next state."""

    def observe(self, state: str, player: int) -> Any:
        """A player's observation."""

    def resample(self, history: Sequence[Any], player: int, seed: int) -> list[str]:
        """Sample the actions of all players, from the initial state to the present one."""


class NoConsistentState(WorldModelError):
    """No sampled history agrees with the player's observation."""


def checked_look(player: Any, rewards: Any, legal: Any, probabilities: Any, players: int) -> Look:
    """Check a program's answers about a state and convert their types.

    Raises:
        WorldModelError: one of them violates the interface; kind `Kind.CONTRACT`.
    """
    if type(player) is not int or not (0 <= player < players or player in (CHANCE, TERMINAL)):
        wanted = f"0 to {players - 1}, {CHANCE} or {TERMINAL}"
        raise WorldModelError(Kind.CONTRACT, "get_current_player", f"{player!r:.60} is not a player: {wanted} expected")
    if not _numbers(rewards, players):
        wanted = f"a list of {players} numbers"
        raise WorldModelError(Kind.CONTRACT, "get_rewards", f"{rewards!r:.60} is not {wanted}")
    if not isinstance(legal, list | tuple) or not all(isinstance(action, str) for action in legal):
        raise WorldModelError(Kind.CONTRACT, "get_legal_actions", f"{legal!r:.60} is not a list of strings")
    if player != TERMINAL and not 0 < len(legal) <= MOST_ACTIONS:
        raise WorldModelError(Kind.CONTRACT, "get_legal_actions", f"{len(legal)} actions, and the game is not over")
    if player != CHANCE:
        return Look(player, tuple(map(float, rewards)), () if player == TERMINAL else tuple(sorted(set(legal))), ())
    if probabilities is None:
        probabilities = [1.0 / len(legal)] * len(legal)
    if not _numbers(probabilities, len(legal)) or min(probabilities) < 0 or abs(sum(probabilities) - 1) > 1e-6:
        message = f"{probabilities!r:.60} are not {len(legal)} probabilities that add up to 1"
        raise WorldModelError(Kind.CONTRACT, "get_chance_probabilities", message)
    weights: dict[str, float] = {}
    for action, probability in zip(legal, probabilities, strict=True):
        weights[action] = weights.get(action, 0.0) + probability
    total = sum(weights.values())
    names = tuple(sorted(weights))
    return Look(player, tuple(map(float, rewards)), names, tuple(weights[name] / total for name in names))


def _numbers(value: Any, length: int) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) == length
        and all(isinstance(item, int | float) and not isinstance(item, bool) for item in value)
    )


class ModelGame(PlainGame):
    """The game that a program describes. Actions are numbered in the order of their first appearance."""

    def __init__(
        self,
        program: Program,
        initial_state: Any,
        *,
        players: int = 2,
        information: Information = Information.PERFECT_INFORMATION,
        utility: Utility = Utility.ZERO_SUM,
        returns: tuple[float, float] = (-1.0, 1.0),
    ) -> None:
        """Wrap a program.

        Args:
            program: the functions.
            initial_state: a JSON value.
            players: number of players.
            information: perfect or imperfect.
            utility: zero-sum or general-sum.
            returns: the smallest and the largest possible return.
        """
        self.program = program
        self.initial_text = json_values.canonical(initial_state)
        self.type = GameType(
            "world_model",
            "A learnt world model",
            chance_mode=ChanceMode.EXPLICIT_STOCHASTIC,
            information=information,
            utility=utility,
            reward_model=RewardModel.REWARDS,
            min_num_players=players,
            max_num_players=players,
            provides_information_state_string=False,  # it is provided, but costs one call per past move
            provides_observation_tensor=False,
        )
        self._returns = returns
        self._looks: dict[str, Look] = {}
        self._nexts: dict[tuple[str, str], str] = {}
        self._observations: dict[tuple[str, int], Any] = {}
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []

    def new_initial_state(self) -> ModelState:
        return ModelState(self, self.initial_text)

    def state_at(self, state: Any) -> ModelState:
        """Make a state from a JSON value, with an empty history."""
        return ModelState(self, json_values.canonical(state))

    def num_distinct_actions(self) -> int:
        """An upper bound: the true number only shows in play."""
        return MOST_NUMBERS

    def max_chance_outcomes(self) -> int:
        """An upper bound, for the same reason; outcomes and actions share their numbers."""
        return MOST_NUMBERS

    def max_game_length(self) -> int:
        return LONGEST

    def min_utility(self) -> float:
        return self._returns[0]

    def max_utility(self) -> float:
        return self._returns[1]

    def get_parameters(self) -> dict[str, Any]:
        return {}

    def number(self, name: str) -> int:
        """The number of an action.

        Raises:
            WorldModelError: there are too many actions.
        """
        if name not in self._numbers:
            if len(self._names) == MOST_NUMBERS:
                raise WorldModelError(Kind.CONTRACT, "get_legal_actions", f"more than {MOST_NUMBERS} different actions")
            self._numbers[name] = len(self._names)
            self._names.append(name)
        return self._numbers[name]

    def name(self, number: int) -> str:
        """The action of a number."""
        return self._names[number]

    def look(self, text: str) -> Look:
        """Return the program's answers about a state, cached."""
        found = self._looks.get(text)
        if found is None:
            if len(self._looks) > CACHED:
                self._looks.clear()
            found = self._looks[text] = self.program.look(text)
            for name in found.legal:
                self.number(name)
        return found

    def advance(self, text: str, action: str) -> str:
        """The state after an action."""
        found = self._nexts.get((text, action))
        if found is None:
            if len(self._nexts) > CACHED:
                self._nexts.clear()
            found = self._nexts[text, action] = self.program.advance(text, action)
        return found

    def observation(self, text: str, player: int) -> Any:
        """A player's observation."""
        if (text, player) not in self._observations:
            if len(self._observations) > CACHED:
                self._observations.clear()
            self._observations[text, player] = self.program.observe(text, player)
        return self._observations[text, player]

    def run(self, actions: Sequence[str]) -> ModelState:
        """The state after some actions from the start.

        Raises:
            WorldModelError: one of them is not legal there.
        """
        state = self.new_initial_state()
        for action in actions:
            if state.is_terminal() or action not in self.look(state.text).legal:
                raise WorldModelError(Kind.CONTRACT, "resample_history", f"{action!r:.80} is not legal at that point")
            state.apply_action(self.number(action))
        return state

    def sample(self, history: Sequence[Any], player: int, uniform: Uniform, tries: int = TRIES) -> ModelState:
        """Sample a state that agrees with a player's observations and actions, by the program's own sampler (7.5).

        Args:
            history: pairs of the player's observation and action, None for the last action.
            player: the player.
            uniform: source of random numbers.
            tries: most histories that are sampled.

        Raises:
            NoConsistentState: none of them agrees with the last observation.
        """
        reason = "no history was sampled"
        for _ in range(tries):
            try:
                state = self.run(self.program.resample(history, player, int(uniform() * _SEEDS)))
                if state.current_player() == player and json_values.equal(history[-1][0], state.observed(player)):
                    return state
                reason = "sampled histories do not lead to what the player sees"
            except WorldModelError as error:
                reason = str(error)
        raise NoConsistentState(Kind.CONTRACT, "resample_history", reason)

    def deserialize_state(self, text: str) -> ModelState:
        """Restore a state from the text of ``ModelState.serialize``.

        Raises:
            ValueError: the text is not such a state.
        """
        try:
            base, actions = json.loads(text)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{text[:40]!r} is not a state: {error}") from None
        state = self.state_at(base)
        for action in actions:
            state.apply_action(self.number(action))
        return state


class ModelState(PlainState):
    """A state of a program: its canonical JSON and its history."""

    def __init__(self, game: ModelGame, text: str) -> None:
        super().__init__(game)
        self._model = game
        self._base = text
        self.text = text  #: canonical JSON
        self._total = (0.0,) * game.num_players()
        self._past: tuple[Any, ...] = ()  # (earlier past, text, player, action name)

    @property
    def value(self) -> Any:
        """The state as a JSON value."""
        return json.loads(self.text)

    def current_player(self) -> int:
        return self._model.look(self.text).player

    def returns(self) -> list[float]:
        return list(self._total)

    def rewards(self) -> list[float]:
        """The rewards of the last action."""
        return list(self._model.look(self.text).rewards)

    def observed(self, player: int) -> Any:
        """A player's observation as a JSON value."""
        return self._model.observation(self.text, player)

    def own_history(self, player: int) -> list[list[Any]]:
        """Pairs of observation and action of a player, the present observation with None last."""
        found: list[list[Any]] = [[self.observed(player), None]]
        past = self._past
        while past:
            past, text, mover, action = past
            if mover == player:
                found.append([self._model.observation(text, player), action])
        return found[::-1]

    def _moves(self, player: int) -> list[int]:
        return sorted(map(self._model.number, self._model.look(self.text).legal))

    def _chances(self) -> list[tuple[int, float]]:
        look = self._model.look(self.text)
        numbers = map(self._model.number, look.legal)
        return sorted(zip(numbers, look.probabilities, strict=True))

    def _check(self, player: int, action: int) -> None:
        if player == TERMINAL:
            raise IllegalAction(f"action {action}: the game is over")
        legal = self._model.look(self.text).legal
        if not 0 <= action < len(self._model._names) or self._model.name(action) not in legal:
            raise IllegalAction(f"action {action} is illegal here")

    def _play(self, actions: Sequence[int]) -> None:
        name = self._model.name(actions[0])
        mover = self._model.look(self.text).player
        self._past = (self._past, self.text, mover, name)
        self.text = self._model.advance(self.text, name)
        earned = self._model.look(self.text).rewards
        self._total = tuple(total + reward for total, reward in zip(self._total, earned, strict=True))

    def _words(self, player: int, action: int) -> str:
        return self._model.name(action)

    def _resample(self, player: int, uniform: Uniform) -> Self:
        """Sample a state with the program's sampler; raises `NoConsistentState` if it gives no consistent one."""
        if self._model.type.information is Information.PERFECT_INFORMATION or self.current_player() != player:
            return self.clone()
        return self._model.sample(self.own_history(player), player, uniform)  # type: ignore[return-value]

    def observation_string(self, player: int) -> str:
        return json_values.canonical(self.observed(player))

    def information_state_string(self, player: int) -> str:
        return json_values.canonical(self.own_history(player))

    def key(self) -> bytes:
        """The state and the returns so far; see `vgdl.tabletop.key`."""
        return f"{self.text}\n{self._total}".encode()

    def serialize(self) -> str:
        names = [self._model.name(action) for turn in self._turns for _, action in turn]
        return json_values.canonical([json.loads(self._base), names])

    def __str__(self) -> str:
        return self.text
