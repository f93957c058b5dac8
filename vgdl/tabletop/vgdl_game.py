"""A VGDL game as a turn-based game with chance, for searches that use the protocol (code world models, 2.5)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Self

import vgdl
from vgdl import Action, StateObservation, Winner
from vgdl.game import LevelLike
from vgdl.tabletop.game import ChanceMode, Dynamics, Game, GameType, RewardModel, Utility
from vgdl.tabletop.protocols import CHANCE, SIMULTANEOUS, TERMINAL, IllegalAction, Uniform
from vgdl.text import describe

ACTIONS = 6  #: `Action` from NIL to USE: leaving a game is not a move
LONGEST = 2000  #: maximum number of ticks in a VGDL game
_RETURNS = {Winner.PLAYER_WINS: 1.0, Winner.PLAYER_LOSES: -1.0}


class VgdlTurnGame(Game):
    """A VGDL game on one level. In each tick, the players choose an `Action`, and then chance chooses a future.

    A return is 1 for a win, -1 for a loss and 0 otherwise. In a two-player game, both players move at once. The futures
    of a tick are equally likely, and each is the same whenever the tick is reached in the same way.
    """

    def __init__(self, game: str | vgdl.Game, level: LevelLike = 0, *, futures: int = 16) -> None:
        """Play ``game`` on ``level``.

        Args:
            game: a name, a path, or a loaded game.
            level: a number, or a path.
            futures: number of outcomes of each chance node; with 1, chance has no choice.

        Raises:
            ValueError: ``futures`` is less than 1.
            VGDLError: the game or the level is invalid.
        """
        if futures < 1:
            raise ValueError(f"a tick has one future or more, not {futures}")
        self.game = vgdl.load(game) if isinstance(game, str) else game
        self.board = self.game.board(level)
        self.level = level
        self.futures = futures
        n = self.game.n_players
        self.type = GameType(
            "vgdl",
            self.game.name,
            dynamics=Dynamics.SEQUENTIAL if n == 1 else Dynamics.SIMULTANEOUS,
            chance_mode=ChanceMode.EXPLICIT_STOCHASTIC,
            utility=Utility.GENERAL_SUM,
            reward_model=RewardModel.TERMINAL,
            min_num_players=n,
            max_num_players=n,
            provides_observation_tensor=False,
        )

    def new_initial_state(self) -> VgdlTurnState:
        """The first tick, with the players to move."""
        return VgdlTurnState(self, self.board.start(0))

    def num_distinct_actions(self) -> int:
        """The number of actions without ESCAPE."""
        return ACTIONS

    def max_chance_outcomes(self) -> int:
        """The number of futures of a tick."""
        return self.futures

    def max_game_length(self) -> int:
        """The maximum number of ticks."""
        return LONGEST

    def get_parameters(self) -> dict[str, Any]:
        """Game, level and number of futures."""
        return {"game": self.game.name, "level": self.level, "futures": self.futures}


class VgdlTurnState:
    """A state of a VGDL game between two decisions, of players or of chance."""

    def __init__(self, game: VgdlTurnGame, state: StateObservation) -> None:
        """Use ``VgdlTurnGame.new_initial_state`` instead."""
        self._game = game
        self.state = state  #: state of the engine
        self._past: list[tuple[int, ...]] = []  # actions of a tick, outcomes of chance
        self._chosen: tuple[int, ...] | None = None  # the players' actions in this tick, if it is chance's turn

    def get_game(self) -> VgdlTurnGame:
        """The game to which this state belongs."""
        return self._game

    def current_player(self) -> int:
        """0 or, in a two-player game, SIMULTANEOUS; CHANCE once the players have chosen; TERMINAL."""
        if self.state.is_over:
            return TERMINAL
        if self._chosen is not None:
            return CHANCE
        return 0 if self.state.n_players == 1 else SIMULTANEOUS

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.state.is_over

    def is_chance_node(self) -> bool:
        """Whether chance has to choose a future."""
        return self.current_player() == CHANCE

    def is_simultaneous_node(self) -> bool:
        """Whether all players move at once."""
        return self.current_player() == SIMULTANEOUS

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The actions of an avatar, including NIL; without an avatar, only NIL. At chance nodes, the futures."""
        mover = self.current_player()
        if mover == CHANCE and player is None:
            return list(range(self._game.futures))
        if mover not in (0, SIMULTANEOUS) or (player is None and mover == SIMULTANEOUS):
            return []
        return sorted(int(action) for action in self.state.actions_of(player or 0, nil=True)) or [int(Action.NIL)]

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """Legal actions as a list of 0 and 1."""
        mask = [0] * (self._game.futures if self.is_chance_node() else ACTIONS)
        for action in self.legal_actions(player):
            mask[action] = 1
        return mask

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The futures, equally likely; none where it is not chance's turn."""
        futures = self._game.futures
        return [(future, 1.0 / futures) for future in range(futures)] if self.is_chance_node() else []

    def apply_action(self, action: int) -> None:
        """Choose an action for this tick, or its future.

        Raises:
            IllegalAction: the choice is illegal.
        """
        if action not in self.legal_actions():
            raise IllegalAction(f"action {action} is illegal here; legal: {self.legal_actions()}")
        if self._chosen is None:
            self._chosen = (action,)
        else:
            # The tick is part of the seed, so that futures of different ticks are independent.
            self.state.reseed(self.state.tick * self._game.futures + action)
            self.state.advance(self._chosen if len(self._chosen) > 1 else self._chosen[0])
            self._chosen = None
        self._past.append((action,))

    def apply_actions(self, actions: Sequence[int]) -> None:
        """Choose the actions of all players for this tick.

        Raises:
            IllegalAction: it is chance's turn, the number of actions is wrong, or one of them is illegal.
        """
        if not self.is_simultaneous_node() or len(actions) != self.state.n_players:
            raise IllegalAction(f"there are no {len(actions)} players to move here")
        for player, action in enumerate(actions):
            if action not in self.legal_actions(player):
                raise IllegalAction(
                    f"action {action} of player {player} is illegal; legal: {self.legal_actions(player)}"
                )
        self._chosen = tuple(actions)
        self._past.append(self._chosen)

    def child(self, action: int) -> Self:
        """A copy of this state with an action or an outcome applied."""
        after = self.clone()
        after.apply_action(action)
        return after

    def clone(self) -> Self:
        """A copy that shares no mutable data."""
        made = type(self)(self._game, self.state.copy(history=False))
        made._past = self._past.copy()
        made._chosen = self._chosen
        return made

    def returns(self) -> list[float]:
        """1 for players who have won, -1 for those who have lost, 0 for others and before the end."""
        return [_RETURNS.get(winner, 0.0) if self.is_terminal() else 0.0 for winner in self.state.winners]

    def rewards(self) -> list[float]:
        """The returns at the end, 0 before."""
        return self.returns()

    def player_return(self, player: int) -> float:
        """A player's element of `returns`."""
        return self.returns()[player]

    def player_reward(self, player: int) -> float:
        """A player's element of `rewards`."""
        return self.rewards()[player]

    def action_to_string(self, *player_and_action: int) -> str:
        """Name of an `Action`, or ``future K``."""
        action = player_and_action[-1]
        return f"future {action}" if self.is_chance_node() else Action(action).name

    def string_to_action(self, *player_and_text: Any) -> int:
        """The legal action with this name.

        Raises:
            IllegalAction: there is none.
        """
        text = player_and_text[-1]
        legal = self.legal_actions(*player_and_text[:-1])
        named = {self.action_to_string(action): action for action in legal}
        if text not in named:
            raise IllegalAction(f"{text!r} is not a legal action; legal: {', '.join(named) or 'none'}")
        return named[text]

    def observation_string(self, player: int = 0) -> str:
        """The state as JSON."""
        return json.dumps(self.to_observation_struct(player))

    def to_observation_struct(self, player: int = 0) -> dict[str, Any]:
        """The state as described by `vgdl.text.describe`: both players see everything."""
        return describe(self.state, player=player)

    def to_struct(self) -> dict[str, Any]:
        """The state with the actions already chosen for this tick."""
        return describe(self.state) | {"chosen": list(self._chosen or ())}

    def observation_tensor(self, player: int = 0) -> list[float]:
        """There is none.

        Raises:
            NotImplementedError: always.
        """
        self._game.observation_tensor_shape()
        return []

    def information_state_string(self, player: int = 0) -> str:
        """The history, since players see and remember everything."""
        return ", ".join(map(str, self.history()))

    def information_state_tensor(self, player: int = 0) -> list[float]:
        """There is none.

        Raises:
            NotImplementedError: always.
        """
        self._game.information_state_tensor_shape()
        return []

    def resample_from_infostate(self, player: int, uniform: Uniform) -> Self:
        """A copy of this state, since nothing is hidden."""
        return self.clone()

    def key(self) -> bytes:
        """What the rest of the game depends on: the state without its generator, the tick, and the chosen actions."""
        return f"{self.state.key():016x} {self.state.tick} {self._chosen}".encode()

    def history(self) -> list[int]:
        """All actions and outcomes so far."""
        return [action for entry in self._past for action in entry]

    def full_history(self) -> list[tuple[int, ...]]:
        """The actions of each tick and the outcome, in turn."""
        return list(self._past)

    def move_number(self) -> int:
        """The number of actions and outcomes so far."""
        return len(self._past)

    def serialize(self) -> str:
        """Actions of each tick and outcomes, one per line."""
        return "".join(" ".join(map(str, entry)) + "\n" for entry in self._past)

    def __str__(self) -> str:
        return self.observation_string()
