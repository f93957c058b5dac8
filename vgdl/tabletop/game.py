"""The base class of this package's turn-based games: type, names, and states from text."""

from __future__ import annotations

import abc
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class Dynamics(enum.Enum):
    """Whether players move in turn or at once.

    >>> from vgdl import tabletop
    >>> tabletop.load("surround").get_type().dynamics
    <Dynamics.SIMULTANEOUS: 0>
    """

    SIMULTANEOUS = 0
    SEQUENTIAL = 1


class ChanceMode(enum.Enum):
    """Whether there are chance nodes, and whether their probabilities are known.

    >>> from vgdl import tabletop
    >>> tabletop.load("othello").get_type().chance_mode
    <ChanceMode.DETERMINISTIC: 0>
    """

    DETERMINISTIC = 0
    EXPLICIT_STOCHASTIC = 1
    SAMPLED_STOCHASTIC = 2


class Information(enum.Enum):
    """What the players know.

    >>> from vgdl import tabletop
    >>> tabletop.load("bargaining_rounds").get_type().information
    <Information.IMPERFECT_INFORMATION: 2>
    """

    ONE_SHOT = 0
    PERFECT_INFORMATION = 1
    IMPERFECT_INFORMATION = 2


class Utility(enum.Enum):
    """How the returns of the players are related.

    >>> from vgdl import tabletop
    >>> tabletop.load("othello").get_type().utility
    <Utility.ZERO_SUM: 0>
    """

    ZERO_SUM = 0
    CONSTANT_SUM = 1
    GENERAL_SUM = 2
    IDENTICAL = 3


class RewardModel(enum.Enum):
    """When rewards are given.

    >>> from vgdl import tabletop
    >>> tabletop.load("othello").get_type().reward_model
    <RewardModel.TERMINAL: 1>
    """

    REWARDS = 0
    TERMINAL = 1


@dataclass(frozen=True, slots=True)
class GameType:
    """The kind of a game; fields and values have OpenSpiel's names, so compare by ``name``.

    >>> from vgdl import tabletop
    >>> kind = tabletop.GameType("nim", "Nim", min_num_players=2, max_num_players=2)
    >>> kind.information.name
    'PERFECT_INFORMATION'
    """

    short_name: str
    long_name: str
    dynamics: Dynamics = Dynamics.SEQUENTIAL
    chance_mode: ChanceMode = ChanceMode.DETERMINISTIC
    information: Information = Information.PERFECT_INFORMATION
    utility: Utility = Utility.ZERO_SUM
    reward_model: RewardModel = RewardModel.TERMINAL
    min_num_players: int = 2
    max_num_players: int = 2
    provides_information_state_string: bool = True
    provides_information_state_tensor: bool = False
    provides_observation_string: bool = True
    provides_observation_tensor: bool = False


class Game(abc.ABC):
    """A game of this package; by default for two players and with returns from -1 to 1."""

    type: GameType

    @abc.abstractmethod
    def new_initial_state(self) -> Any:
        """The initial state."""

    @abc.abstractmethod
    def num_distinct_actions(self) -> int:
        """Upper bound, exclusive, of player actions."""

    @abc.abstractmethod
    def max_game_length(self) -> int:
        """Maximum number of player actions in one game."""

    def get_parameters(self) -> dict[str, Any]:
        """The parameters that differ from the defaults; by default none."""
        return {}

    def get_type(self) -> GameType:
        """The kind of the game."""
        return self.type

    def num_players(self) -> int:
        """The number of players."""
        return self.type.max_num_players

    def max_chance_outcomes(self) -> int:
        """Maximum number of outcomes at one chance node."""
        return 0

    def min_utility(self) -> float:
        """Lower bound of returns."""
        return -1.0

    def max_utility(self) -> float:
        """Upper bound of returns."""
        return 1.0

    def utility_sum(self) -> float | None:
        """The sum of all players' returns; None if it is not constant."""
        return 0.0 if self.type.utility is Utility.ZERO_SUM else None

    def observation_tensor_shape(self) -> list[int]:
        """Shape of ``observation_tensor``.

        Raises:
            NotImplementedError: there is none.
        """
        raise NotImplementedError(f"{self.type.short_name} has no observation tensor")

    def information_state_tensor_shape(self) -> list[int]:
        """Shape of ``information_state_tensor``.

        Raises:
            NotImplementedError: there is none.
        """
        raise NotImplementedError(f"{self.type.short_name} has no information state tensor")

    def to_string(self) -> str:
        """The short name with parameters, as `vgdl.tabletop.load` takes it if the game is found by this name."""
        return f"{self.type.short_name}({written(self.get_parameters())})"

    def serialize(self) -> str:
        """Same as `to_string`."""
        return self.to_string()

    def deserialize_state(self, text: str) -> Any:
        """Restore a state from ``State.serialize``: a line per turn, with one number or one per player.

        Raises:
            ValueError: a line is not a list of numbers, or a number is illegal.
        """
        state = self.new_initial_state()
        for line in text.splitlines():
            try:
                actions = [int(word) for word in line.split()]
            except ValueError:
                raise ValueError(f"a turn is written as action numbers; {line[:40]!r} is not") from None
            if len(actions) == 1 and not state.is_simultaneous_node():
                state.apply_action(actions[0])
            else:
                state.apply_actions(actions)
        return state

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return f"<{self.to_string()}>"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Game) and other.to_string() == self.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())


def written(parameters: Mapping[str, Any]) -> str:
    """Parameters in OpenSpiel's format: ``size=6,fewest_wins=true``."""
    return ",".join(
        f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in parameters.items()
    )
