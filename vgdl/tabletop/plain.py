"""The common part of games written in Python: legality, history, copies and texts. Each game adds its rules."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, Self

from vgdl.tabletop.game import Game
from vgdl.tabletop.protocols import CHANCE, SIMULTANEOUS, TERMINAL, IllegalAction, Uniform


class PlainGame(Game):
    """The base class of games whose states are `PlainState`.

    A subclass sets the class attribute ``type``, a `GameType`, and implements `new_initial_state`,
    `num_distinct_actions` and `max_game_length`; with parameters, also `get_parameters`.

    >>> from vgdl import tabletop
    >>> class Nim(tabletop.PlainGame):
    ...     type = tabletop.GameType("nim", "Nim with one heap")
    ...     def new_initial_state(self):
    ...         return Heap(self)  # see PlainState
    ...     def num_distinct_actions(self):
    ...         return 3
    ...     def max_game_length(self):
    ...         return 5
    >>> Nim().to_string()
    'nim()'
    """


class PlainState(abc.ABC):
    """The base class of states of a `PlainGame`.

    A subclass keeps the position in attributes that are numbers, texts, tuples or flat lists, so that `clone` can copy
    them. It implements `current_player`, `returns`, `_moves`, `_play` and ``__str__``; everything else has a default.

    >>> from vgdl import tabletop
    >>> class Heap(tabletop.PlainState):
    ...     left = 5
    ...     def current_player(self):
    ...         return self.move_number() % 2 if self.left else tabletop.TERMINAL
    ...     def returns(self):
    ...         last = self.move_number() % 2  # to move, and lost if nothing is left
    ...         return [0.0, 0.0] if self.left else [[-1.0, 1.0], [1.0, -1.0]][last]
    ...     def _moves(self, player):
    ...         return list(range(1, min(self.left, 2) + 1))
    ...     def _play(self, actions):
    ...         self.left -= actions[0]
    ...     def __str__(self):
    ...         return f"{self.left} left, player {self.current_player()}"
    >>> state = Heap(tabletop.load("othello"))  # a game of your own: see PlainGame
    >>> state.apply_action(2)
    >>> print(state, state.legal_actions())
    3 left, player 1 [1, 2]
    """

    def __init__(self, game: PlainGame) -> None:
        self._game = game
        self._turns: list[tuple[tuple[int, int], ...]] = []  # (player, action) of each turn

    # ------------------------------------------------------------------------------------------------- the rules

    @abc.abstractmethod
    def current_player(self) -> int:
        """Who is to move: a player, `CHANCE`, `SIMULTANEOUS` or `TERMINAL`."""

    @abc.abstractmethod
    def returns(self) -> list[float]:
        """The return of each player so far."""

    @abc.abstractmethod
    def _moves(self, player: int) -> list[int]:
        """The legal actions of a player to move, in ascending order."""

    @abc.abstractmethod
    def _play(self, actions: Sequence[int]) -> None:
        """Apply a legal turn: one action, or one per player."""

    @abc.abstractmethod
    def __str__(self) -> str:
        """The position as text, with whose turn it is or was; `key` takes states of equal text for the same."""

    def _words(self, player: int, action: int) -> str:
        """An action in words, unique among a state's legal actions; by default its number."""
        return str(action)

    def observation_string(self, player: int) -> str:
        """What a player sees now; by default the whole position."""
        return str(self)

    def _chances(self) -> list[tuple[int, float]]:
        """Outcomes and probabilities at a chance node."""
        return []

    def _resample(self, player: int, uniform: Uniform) -> Self:
        """A state that a player cannot tell from this one; itself with perfect information."""
        return self.clone()

    # ------------------------------------------------------------------------------------------- who is to move

    def is_chance_node(self) -> bool:
        return self.current_player() == CHANCE

    def is_simultaneous_node(self) -> bool:
        return self.current_player() == SIMULTANEOUS

    def is_terminal(self) -> bool:
        return self.current_player() == TERMINAL

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The actions of a player, by default the one to move; outcomes at a chance node; none at the end.

        Raises:
            ValueError: no player is given although all move at once.
        """
        current = self.current_player()
        if current == CHANCE:
            return [outcome for outcome, _ in self._chances()] if player in (None, CHANCE) else []
        if current == SIMULTANEOUS:
            if player is None:
                raise ValueError("all players move at once here: name one")
            return self._moves(player)
        return self._moves(current) if current >= 0 and player in (None, current) else []

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        legal = set(self.legal_actions(player))
        size = self._game.max_chance_outcomes() if self.is_chance_node() else self._game.num_distinct_actions()
        return [int(action in legal) for action in range(size)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self._chances() if self.is_chance_node() else []

    # ------------------------------------------------------------------------------------------------- changing

    def apply_action(self, action: int) -> None:
        """Apply an action, or an outcome at a chance node.

        Raises:
            IllegalAction: the rules do not allow it.
        """
        current = self.current_player()
        if current == SIMULTANEOUS:
            raise IllegalAction("all players move at once here: use apply_actions")
        self._check(current, action)
        self._turns.append(((current, action),))
        self._play([action])

    def apply_actions(self, actions: Sequence[int]) -> None:
        """Apply simultaneous actions of all players.

        Raises:
            IllegalAction: players do not move at once in this state, or one of the actions is illegal.
        """
        if not self.is_simultaneous_node():
            raise IllegalAction("players do not move at once here")
        if len(actions) != self._game.num_players():
            raise IllegalAction(f"{self._game.num_players()} actions expected, one per player, not {len(actions)}")
        for player, action in enumerate(actions):
            self._check(player, action)
        self._turns.append(tuple(enumerate(actions)))
        self._play(list(actions))

    def _check(self, player: int, action: int) -> None:
        if player == TERMINAL:
            raise IllegalAction(f"action {action}: the game is over")
        if action not in self.legal_actions(player):
            raise IllegalAction(f"action {action} is illegal here")

    def child(self, action: int) -> Self:
        child = self.clone()
        child.apply_action(action)
        return child

    def clone(self) -> Self:
        """A copy that shares no mutable data. Positions consist of numbers, tuples and flat lists."""
        other = object.__new__(type(self))
        other.__dict__.update(
            {name: value.copy() if isinstance(value, list) else value for name, value in vars(self).items()}
        )
        return other

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    # --------------------------------------------------------------------------------------------------- asking

    def rewards(self) -> list[float]:
        """The rewards, all of which are given at the end."""
        return self.returns() if self.is_terminal() else [0.0] * self._game.num_players()

    def player_reward(self, player: int) -> float:
        return self.rewards()[player]

    def player_return(self, player: int) -> float:
        return self.returns()[player]

    def action_to_string(self, *player_and_action: int) -> str:
        """An action in words; the optional first argument is the player, by default the one to move."""
        *players, action = player_and_action
        return self._words(players[0] if players else self.current_player(), action)

    def string_to_action(self, *player_and_text: Any) -> int:
        """The legal action described by these words.

        Raises:
            IllegalAction: there is none.
        """
        *players, text = player_and_text
        player = players[0] if players else self.current_player()
        for action in self.legal_actions(player):
            if self._words(player, action) == text:
                return action
        raise IllegalAction(f"{text!r} is not a legal action here")

    def observation_tensor(self, player: int) -> list[float]:
        """There is none.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(f"{self._game.type.short_name} has no observation tensor")

    def information_state_tensor(self, player: int) -> list[float]:
        """There is none.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(f"{self._game.type.short_name} has no information state tensor")

    def information_state_string(self, player: int) -> str:
        """The history as known to a player, which is all of it with perfect information."""
        return f"{player}\n{self.serialize()}"

    def resample_from_infostate(self, player: int, uniform: Uniform) -> Self:
        return self._resample(player, uniform)

    def history(self) -> list[int]:
        return [action for turn in self._turns for _, action in turn]

    def full_history(self) -> list[tuple[int, int]]:
        """Pairs of player and action."""
        return [step for turn in self._turns for step in turn]

    def move_number(self) -> int:
        return sum(map(len, self._turns))

    def serialize(self) -> str:
        """A line per turn: its action, or those of all players."""
        return "\n".join(" ".join(str(action) for _, action in turn) for turn in self._turns)

    def get_game(self) -> PlainGame:
        return self._game
