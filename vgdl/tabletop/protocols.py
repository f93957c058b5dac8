"""Two protocols for turn-based games, with OpenSpiel's names and meanings.

``pyspiel.Game`` and ``pyspiel.State`` satisfy them without a wrapper, and so do the games of this package. The base
classes `vgdl.tabletop.PlainGame` and `vgdl.tabletop.PlainState` have defaults for most methods.

Players are numbered from 0. `current_player` returns one of the four negative constants below if no single player is to
move. Actions are integers in ``[0, num_distinct_actions())``; outcomes of chance are numbered separately.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, Self

CHANCE = -1  #: chance is to move: see `State.chance_outcomes`
SIMULTANEOUS = -2  #: all players move at once, with `State.apply_actions`
INVALID = -3  #: no player
TERMINAL = -4  #: the game is over

Uniform = Callable[[], float]  #: a source of random numbers in [0, 1), such as ``random.Random(7).random``


class IllegalAction(ValueError):
    """An action that the rules do not allow in this state; the message says which are allowed.

    >>> from vgdl import tabletop
    >>> try:
    ...     tabletop.apply(tabletop.load("othello(size=4)").new_initial_state(), 0)
    ... except tabletop.IllegalAction as error:
    ...     print(error)
    action 0 is illegal here; legal: 1 (b1), 4 (a2), 11 (d3), 14 (c4)
    """


class TurnBasedGame(Protocol):
    """The rules. Games are immutable; states are not.

    >>> from vgdl import tabletop
    >>> game: tabletop.TurnBasedGame = tabletop.load("othello(size=4)")
    >>> game.num_players(), game.min_utility(), game.to_string()
    (2, -1.0, 'othello(size=4)')
    """

    def new_initial_state(self) -> Any:
        """The initial state, before any outcome of chance."""

    def num_players(self) -> int:
        """The number of players, not counting chance."""

    def num_distinct_actions(self) -> int:
        """Upper bound, exclusive, of player actions."""

    def max_chance_outcomes(self) -> int:
        """Maximum number of outcomes at one chance node; 0 in a game without chance."""

    def max_game_length(self) -> int:
        """Maximum number of player actions in one game."""

    def min_utility(self) -> float:
        """Lower bound of returns."""

    def max_utility(self) -> float:
        """Upper bound of returns."""

    def utility_sum(self) -> float | None:
        """The sum of all players' returns; None if it is not constant."""

    def get_type(self) -> Any:
        """The kind of the game: ``short_name``, ``dynamics``, ``chance_mode``, ``information``, ``utility``,
        ``reward_model`` and ``provides_*``, as in `GameType`."""

    def get_parameters(self) -> Mapping[str, Any]:
        """The parameters that were given."""

    def to_string(self) -> str:
        """The name with parameters, as `vgdl.tabletop.load` takes it."""

    def observation_tensor_shape(self) -> Sequence[int]:
        """Shape of `State.observation_tensor`; raises an exception if there is none."""

    def information_state_tensor_shape(self) -> Sequence[int]:
        """Shape of `State.information_state_tensor`; raises an exception if there is none."""

    def serialize(self) -> str:
        """The game as text."""

    def deserialize_state(self, text: str, /) -> Any:
        """Restore a state from ``State.serialize``."""


class State(Protocol):
    """A position with its history.

    >>> from vgdl import tabletop
    >>> state: tabletop.State = tabletop.load("othello(size=4)").new_initial_state()
    >>> state.apply_action(state.legal_actions()[0])
    >>> state.current_player(), state.is_terminal()
    (1, False)
    """

    def current_player(self) -> int:
        """Who is to move: a player, or `CHANCE`, `SIMULTANEOUS` or `TERMINAL`."""

    def is_chance_node(self) -> bool:
        """Whether chance is to move."""

    def is_simultaneous_node(self) -> bool:
        """Whether all players move at once."""

    def is_terminal(self) -> bool:
        """Whether the game is over."""

    def legal_actions(self, player: int = ..., /) -> list[int]:
        """The actions of a player, by default the one to move, in ascending order; none for others and at the end."""

    def legal_actions_mask(self, player: int = ..., /) -> list[int]:
        """Legal actions as a list of 0 and 1, with one element per action."""

    def apply_action(self, action: int, /) -> None:
        """Apply an action, or an outcome at a chance node, in place."""

    def apply_actions(self, actions: Any, /) -> None:
        """Apply simultaneous actions of all players, in place."""

    def child(self, action: int, /) -> Self:
        """A copy of this state with an action applied."""

    def clone(self) -> Self:
        """A copy that shares no mutable data."""

    def chance_outcomes(self) -> Any:
        """Pairs of an outcome and its probability; they add up to 1."""

    def action_to_string(self, player_or_action: int, action: int = ..., /) -> str:
        """An action in words; the optional first argument is the player, by default the one to move."""

    def string_to_action(self, player_or_text: Any, text: Any = ..., /) -> int:
        """The legal action described by these words."""

    def rewards(self) -> list[float]:
        """The reward of each player since the last decision."""

    def returns(self) -> list[float]:
        """The return of each player so far."""

    def player_reward(self, player: int, /) -> float:
        """A player's element of `rewards`."""

    def player_return(self, player: int, /) -> float:
        """A player's element of `returns`."""

    def observation_string(self, player: int, /) -> str:
        """What a player sees now."""

    def observation_tensor(self, player: int, /) -> list[float]:
        """What a player sees now, as numbers."""

    def information_state_string(self, player: int, /) -> str:
        """Everything that a player knows, with perfect recall."""

    def information_state_tensor(self, player: int, /) -> list[float]:
        """Everything that a player knows, as numbers."""

    def resample_from_infostate(self, player: int, uniform: Uniform, /) -> Self:
        """A state that a player cannot distinguish from this one."""

    def history(self) -> list[int]:
        """All actions and outcomes so far."""

    def full_history(self) -> Any:
        """All actions and outcomes so far, with ``player`` and ``action`` of each."""

    def move_number(self) -> int:
        """The number of actions and outcomes so far."""

    def serialize(self) -> str:
        """The state as text, for `TurnBasedGame.deserialize_state`."""

    def get_game(self) -> Any:
        """The game to which this state belongs."""


class Player(Protocol):
    """Chooses actions. ``pyspiel.Bot`` satisfies this protocol.

    >>> import random
    >>> from vgdl import tabletop
    >>> class First:
    ...     def step(self, state):
    ...         return state.legal_actions()[0]
    >>> tabletop.play(tabletop.load("othello(size=4)"), [First(), First()], random.Random(1).random).returns()
    [-1.0, 1.0]
    """

    def step(self, state: Any, /) -> int:
        """Choose an action for the player to move."""
