"""Turn-based games: two protocols with OpenSpiel's names and meanings.

``pyspiel.Game`` and ``pyspiel.State`` satisfy them as they are, and so do the games of this package. A game of your own
needs no base class either.

Players are numbered from 0. `current_player` answers with one of the four negative constants below where no single
player is to move. Actions are integers in ``[0, num_distinct_actions())``; outcomes of chance are a numbering of their
own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, Self

CHANCE = -1  #: chance is to move: `State.chance_outcomes` tells what may happen
SIMULTANEOUS = -2  #: all players move at once, with `State.apply_actions`
INVALID = -3  #: no player
TERMINAL = -4  #: the game is over

Uniform = Callable[[], float]  #: a source of random numbers in [0, 1), such as ``random.Random(7).random``


class IllegalAction(ValueError):
    """An action that the rules do not allow in this state; the message says which are allowed."""


class TurnBasedGame(Protocol):
    """The rules. A game never changes; its states do."""

    def new_initial_state(self) -> Any:
        """The state before anything has happened, chance included."""

    def num_players(self) -> int:
        """How many players there are, chance not counted."""

    def num_distinct_actions(self) -> int:
        """Actions of players are smaller than this."""

    def max_chance_outcomes(self) -> int:
        """Outcomes at one chance node are at most so many; 0 in a game without chance."""

    def max_game_length(self) -> int:
        """Most actions of players in one game."""

    def min_utility(self) -> float:
        """No return is smaller."""

    def max_utility(self) -> float:
        """No return is larger."""

    def utility_sum(self) -> float | None:
        """What the returns of all players add up to; None if that differs."""

    def get_type(self) -> Any:
        """What kind of game it is: ``short_name``, ``dynamics``, ``chance_mode``, ``information``, ``utility``,
        ``reward_model`` and ``provides_*``, as in `GameType`."""

    def get_parameters(self) -> Mapping[str, Any]:
        """The parameters that were given."""

    def to_string(self) -> str:
        """The name with parameters, as `vgdl.tabletop.load` takes it."""

    def observation_tensor_shape(self) -> Sequence[int]:
        """Shape of `State.observation_tensor`; raises where there is none."""

    def information_state_tensor_shape(self) -> Sequence[int]:
        """Shape of `State.information_state_tensor`; raises where there is none."""

    def serialize(self) -> str:
        """The game as text."""

    def deserialize_state(self, text: str, /) -> Any:
        """The state that ``State.serialize`` wrote."""


class State(Protocol):
    """A position with its history."""

    def current_player(self) -> int:
        """Who is to move: a player, or `CHANCE`, `SIMULTANEOUS` or `TERMINAL`."""

    def is_chance_node(self) -> bool:
        """Whether chance is to move."""

    def is_simultaneous_node(self) -> bool:
        """Whether all players move at once."""

    def is_terminal(self) -> bool:
        """Whether the game is over."""

    def legal_actions(self, player: int = ..., /) -> list[int]:
        """The actions of a player, or of whom it is to move, in ascending order; none for others and at the end."""

    def legal_actions_mask(self, player: int = ..., /) -> list[int]:
        """The same as a list of 0 and 1, one for every action."""

    def apply_action(self, action: int, /) -> None:
        """Make a move, or let chance have an outcome, in place."""

    def apply_actions(self, actions: Any, /) -> None:
        """Let all players move at once, in place."""

    def child(self, action: int, /) -> Self:
        """A new state: this one after an action."""

    def clone(self) -> Self:
        """A copy that shares nothing that can change."""

    def chance_outcomes(self) -> Any:
        """Pairs of an outcome and its probability; they add up to 1."""

    def action_to_string(self, player_or_action: int, action: int = ..., /) -> str:
        """An action in words; the player is the one to move unless given first."""

    def string_to_action(self, player_or_text: Any, text: Any = ..., /) -> int:
        """The legal action that these are the words of."""

    def rewards(self) -> list[float]:
        """What each player has earned since the last decision."""

    def returns(self) -> list[float]:
        """What each player has earned so far."""

    def player_reward(self, player: int, /) -> float:
        """One of `rewards`."""

    def player_return(self, player: int, /) -> float:
        """One of `returns`."""

    def observation_string(self, player: int, /) -> str:
        """What a player sees now."""

    def observation_tensor(self, player: int, /) -> list[float]:
        """What a player sees now, as numbers."""

    def information_state_string(self, player: int, /) -> str:
        """All that a player knows, with perfect recall."""

    def information_state_tensor(self, player: int, /) -> list[float]:
        """All that a player knows, as numbers."""

    def resample_from_infostate(self, player: int, uniform: Uniform, /) -> Self:
        """A state that a player cannot tell from this one."""

    def history(self) -> list[int]:
        """All actions and outcomes so far."""

    def full_history(self) -> Any:
        """The same with ``player`` and ``action`` of each."""

    def move_number(self) -> int:
        """How many there were."""

    def serialize(self) -> str:
        """The state as text, for `TurnBasedGame.deserialize_state`."""

    def get_game(self) -> Any:
        """The game that this is a state of."""


class Player(Protocol):
    """Who chooses actions. ``pyspiel.Bot`` satisfies it."""

    def step(self, state: Any, /) -> int:
        """An action for the player to move."""
