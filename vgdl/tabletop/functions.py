"""Functions for any state that keeps the protocol.

These are functions since OpenSpiel's states have no such methods. They check what OpenSpiel takes on trust, and turn
its errors into ours.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from vgdl.tabletop.protocols import IllegalAction, Player, State, TurnBasedGame, Uniform

Choice = Player | Callable[[Any], int]  #: who chooses actions: something with a method ``step``, or a function

_MOST_NAMED = 40  # legal actions listed in an error


def apply(state: State, action: int) -> None:
    """Make a move, or let chance have an outcome, in place.

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
    """Let all players move at once, in place.

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
    """Call a method of a state; what OpenSpiel raises becomes an `IllegalAction`."""
    try:
        return call(*arguments)
    except RuntimeError as error:
        if type(error).__name__ != "SpielError":
            raise
        raise IllegalAction(str(error).splitlines()[0]) from None


def observe(state: State, player: int) -> dict[str, Any]:
    """What a player sees now, as JSON values; ``{"text": ...}`` where a game has it as text only."""
    structured = _structured(state, "to_observation_struct", player)
    return structured if structured is not None else {"text": state.observation_string(player)}


def ground_truth(state: State) -> dict[str, Any]:
    """All there is to know of a state, as JSON values; its text and history where a game has nothing better."""
    structured = _structured(state, "to_struct")
    return structured if structured is not None else {"text": str(state), "history": state.history()}


def _structured(state: State, method: str, *arguments: int) -> dict[str, Any] | None:
    """The answer of an optional method as a dictionary, or None where a game does not have it."""
    is_spiel = type(state).__module__.startswith("pyspiel")
    if not hasattr(state, method) or (is_spiel and not _implemented(state.get_game().to_string(), method, arguments)):
        return None
    answer = getattr(state, method)(*arguments)
    decoded = answer if isinstance(answer, dict) else json.loads(answer.to_json())
    return decoded if isinstance(decoded, dict) else None


@lru_cache(maxsize=256)
def _implemented(game: str, method: str, arguments: tuple[int, ...]) -> bool:
    """Whether a game of OpenSpiel has a method. All states have all of them, and most only print an error and raise:
    so it is tried once per game."""
    import pyspiel

    try:
        getattr(pyspiel.load_game(game).new_initial_state(), method)(*arguments)
    except pyspiel.SpielError:
        return False
    return True


def key(state: State) -> bytes:
    """Bytes that are equal where the rest of the game is the same, and different where it is not.

    With perfect information they are made of the player to move and the text of the state; where there is hidden
    information or chance, of the history as well. A state may have a method ``key`` that knows better.
    """
    own = getattr(state, "key", None)
    if own is not None:
        return bytes(own())
    kind = state.get_game().get_type()
    plain = kind.information.name == "PERFECT_INFORMATION" and kind.chance_mode.name == "DETERMINISTIC"
    text = f"{state.current_player()}\n{state}" if plain else f"{state.history()}\n{state}"
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def sample_chance(state: State, uniform: Uniform) -> int:
    """Draw what chance does, apply it, and return it.

    Raises:
        IllegalAction: it is not chance that is to move.
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
    """Play a game; returns its last state, which has returns and history.

    Each player is asked with a copy of the state, which it may change. A player with a method ``restart`` has it called
    first.

    Raises:
        IllegalAction: what a player chose is illegal; the message says who.
        ValueError: there are more or fewer players than the game has.
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
