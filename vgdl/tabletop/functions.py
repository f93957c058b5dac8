"""Functions for any state that implements the protocol.

They are functions because OpenSpiel's states have no such methods. They check arguments that OpenSpiel does not check,
and convert its errors to those of this package.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from vgdl.tabletop.protocols import IllegalAction, Player, State, TurnBasedGame, Uniform

Choice = Player | Callable[[Any], int]  #: chooses actions: an object with a method ``step``, or a function

_MOST_NAMED = 40  # legal actions listed in an error


def apply(state: State, action: int) -> None:
    """Apply an action, or an outcome at a chance node, in place.

    >>> from vgdl import tabletop
    >>> state = tabletop.load("othello(size=4)").new_initial_state()
    >>> tabletop.apply(state, state.legal_actions()[0])
    >>> state.current_player()
    1

    Raises:
        IllegalAction: the rules do not allow it.
    """
    legal = state.legal_actions()
    if action not in legal:
        if state.is_terminal():
            raise IllegalAction(f"action {action}: the game is over")
        named = ", ".join(f"{each} ({state.action_to_string(each)})" for each in legal[:_MOST_NAMED])
        raise IllegalAction(f"action {action} is illegal here; legal: {named}")
    _translated(state.apply_action, int(action))


def apply_all(state: State, actions: Sequence[int]) -> None:
    """Apply simultaneous actions of all players, in place.

    >>> from vgdl import tabletop
    >>> state = tabletop.load("surround").new_initial_state()
    >>> tabletop.apply_all(state, [state.legal_actions(0)[0], state.legal_actions(1)[0]])
    >>> state.move_number()
    2

    Raises:
        IllegalAction: it is not all players' turn, or one of the actions is illegal.
    """
    if not state.is_simultaneous_node():
        raise IllegalAction("players do not move at once here")
    for player, action in enumerate(actions):
        legal = state.legal_actions(player)
        if legal and action not in legal:
            raise IllegalAction(f"action {action} of player {player} is illegal here; legal: {legal[:_MOST_NAMED]}")
    _translated(state.apply_actions, list(actions))


def _translated(call: Callable[..., Any], *arguments: Any) -> Any:
    """Call a method of a state, and convert OpenSpiel's exceptions to `IllegalAction`."""
    try:
        return call(*arguments)
    except RuntimeError as error:
        if type(error).__name__ != "SpielError":
            raise
        raise IllegalAction(str(error).splitlines()[0]) from None


def observe(state: State, player: int) -> dict[str, Any]:
    """What a player sees now, as JSON values; ``{"text": ...}`` if the game provides only text.

    >>> from vgdl import tabletop
    >>> state = tabletop.load("othello(size=4)").new_initial_state()
    >>> sorted(tabletop.observe(state, player=0))
    ['text']
    """
    structured = _structured(state, "to_observation_struct", player)
    return structured if structured is not None else {"text": state.observation_string(player)}


def ground_truth(state: State) -> dict[str, Any]:
    """The full state as JSON values; its text and history if the game provides nothing better.

    >>> from vgdl import tabletop
    >>> state = tabletop.load("othello(size=4)").new_initial_state()
    >>> sorted(tabletop.ground_truth(state))
    ['history', 'text']
    """
    structured = _structured(state, "to_struct")
    return structured if structured is not None else {"text": str(state), "history": state.history()}


def _structured(state: State, method: str, *arguments: int) -> dict[str, Any] | None:
    """The result of an optional method as a dictionary; None if the game does not have it."""
    is_spiel = type(state).__module__.startswith("pyspiel")
    if not hasattr(state, method) or (is_spiel and not _implemented(state.get_game().to_string(), method, arguments)):
        return None
    answer = getattr(state, method)(*arguments)
    decoded = answer if isinstance(answer, dict) else json.loads(answer.to_json())
    return decoded if isinstance(decoded, dict) else None


@lru_cache(maxsize=256)
def _implemented(game: str, method: str, arguments: tuple[int, ...]) -> bool:
    """Whether an OpenSpiel game implements a method. All states have all methods, most of which only print an error and
    raise an exception, so each is tried once per game."""
    import pyspiel

    try:
        getattr(pyspiel.load_game(game).new_initial_state(), method)(*arguments)
    except pyspiel.SpielError:
        return False
    return True


def key(state: State) -> bytes:
    """A key that is equal for states with the same remaining game, and different for others.

    With perfect information, it consists of the player to move and the text of the state; with hidden information or
    chance, of the history as well. A state's own method ``key`` takes precedence.

    >>> from vgdl import tabletop
    >>> game = tabletop.load("othello(size=4)")
    >>> tabletop.key(game.new_initial_state()) == tabletop.key(game.new_initial_state())
    True
    """
    own = getattr(state, "key", None)
    if own is not None:
        return bytes(own())
    kind = state.get_game().get_type()
    plain = kind.information.name == "PERFECT_INFORMATION" and kind.chance_mode.name == "DETERMINISTIC"
    text = f"{state.current_player()}\n{state}" if plain else f"{state.history()}\n{state}"
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def sample_chance(state: State, uniform: Uniform) -> int:
    """Draw an outcome of chance, apply it, and return it.

    >>> import random
    >>> from vgdl import tabletop
    >>> state = tabletop.load("bargaining_rounds").new_initial_state()
    >>> tabletop.sample_chance(state, random.Random(1).random) in range(state.get_game().max_chance_outcomes())
    True

    Raises:
        IllegalAction: it is not chance's turn.
    """
    if not state.is_chance_node():
        raise IllegalAction("chance is not to move here")
    pairs = list(state.chance_outcomes())
    rest = uniform()
    outcome = pairs[-1][0]
    for candidate, probability in pairs:
        rest -= probability
        if rest < 0:
            outcome = candidate
            break
    _translated(state.apply_action, outcome)
    return int(outcome)


def play(game: TurnBasedGame, players: Sequence[Choice], uniform: Uniform) -> Any:
    """Play a game; returns its final state, which has the returns and the history.

    Each player gets a copy of the state, which it may change. If a player has a method ``restart``, it is called first.

    >>> import random
    >>> from vgdl import tabletop
    >>> from vgdl.controllers.tabletop import AlphaBeta, RandomPlayer
    >>> game = tabletop.load("othello(size=4)")
    >>> end = tabletop.play(game, [AlphaBeta(nodes=100), RandomPlayer(seed=1)], random.Random(1).random)
    >>> end.returns()
    [1.0, -1.0]

    Raises:
        IllegalAction: a player chose an illegal action; the message says which player.
        ValueError: the number of players is not that of the game.
    """
    if len(players) != game.num_players():
        raise ValueError(f"{game.to_string()} has {game.num_players()} players, not {len(players)}")
    for player in players:
        getattr(player, "restart", lambda: None)()
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            sample_chance(state, uniform)
        elif state.is_simultaneous_node():
            apply_all(state, [_choice(player, state) for player in players])
        else:
            mover = state.current_player()
            try:
                apply(state, _choice(players[mover], state))
            except IllegalAction as error:
                raise IllegalAction(f"player {mover}: {error}") from None
    return state


def _choice(player: Choice, state: Any) -> int:
    copy = state.clone()
    return player.step(copy) if hasattr(player, "step") else player(copy)
