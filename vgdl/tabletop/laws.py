"""Laws that every turn-based game must obey, checked by random play.

>>> from vgdl.tabletop import laws, load
>>> laws.check(load("othello(size=4)"), plays=1, seed=1)
13

`check` works with the games of this package, OpenSpiel's and your own; it raises `LawBroken` with the law, the observed
behaviour, and the history that led to it (code world models, 2.6).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

from vgdl.tabletop.functions import apply, apply_all, key, sample_chance
from vgdl.tabletop.protocols import CHANCE, SIMULTANEOUS, TERMINAL, IllegalAction

__all__ = ["LawBroken", "check"]

_CLOSE = 1e-9  # probabilities and sums of returns are equal up to rounding


class LawBroken(AssertionError):
    """A game violates the protocol.

    >>> from vgdl import tabletop
    >>> from vgdl.tabletop import laws
    >>> game = tabletop.load("othello(size=4)")
    >>> game.max_utility = lambda: 0.5  # but a win counts 1
    >>> try:
    ...     laws.check(game, plays=1, seed=1)
    ... except laws.LawBroken as broken:
    ...     print(str(broken).splitlines()[0])
    utilities: returns [-1.0, 1.0] are not all from -1.0 to 0.5
    """


def check(game: Any, *, plays: int = 5, seed: int = 0, skip: tuple[str, ...] = ()) -> int:
    """Play a game at random and check the laws in every state.

    >>> from vgdl import tabletop
    >>> from vgdl.tabletop import laws
    >>> laws.check(tabletop.load("othello(size=4)"), plays=1, seed=1)
    13

    Args:
        game: any game that implements the protocol of `vgdl.tabletop`.
        plays: number of random plays.
        seed: for the random players and chance.
        skip: names of laws not to check, from `LAWS`.

    Returns:
        The number of states checked.

    Raises:
        LawBroken: a law is violated.
        ValueError: ``skip`` names an unknown law.
    """
    unknown = set(skip) - set(LAWS)
    if unknown:
        raise ValueError(f"there is no law {', '.join(sorted(unknown))}; there are {', '.join(LAWS)}")
    laws = {name: law for name, law in LAWS.items() if name not in skip}
    draws = random.Random(seed)
    legal_by_key: dict[bytes, object] = {}
    states = 0
    for _ in range(plays):
        state = game.new_initial_state()
        earned = [0.0] * game.num_players()
        moves = 0
        while True:
            states += 1
            for name, law in laws.items():
                _run(name, law, game, state, draws)
            if "keys" in laws:
                _run("keys", lambda _, state, __: _same_key_same_rest(state, legal_by_key), game, state, draws)
            if state.move_number() or state.is_terminal():
                earned = [total + reward for total, reward in zip(earned, _rewards(state), strict=True)]
            if state.is_terminal():
                break
            moves += not state.is_chance_node()
            if "length" in laws and moves > game.max_game_length():
                raise LawBroken(f"length: a play has more than {game.max_game_length()} moves: {_history(state)}")
            _advance(state, draws)
        if "rewards" in laws and not _all_close(earned, state.returns()):
            raise LawBroken(f"rewards: they add up to {earned}, returns are {state.returns()}: {_history(state)}")
    return states


Law = Callable[[Any, Any, random.Random], None]


def _run(name: str, law: Law, game: Any, state: Any, draws: random.Random) -> None:
    try:
        law(game, state, draws)
    except LawBroken as broken:
        raise LawBroken(f"{name}: {broken}\nin {game.to_string()} after {_history(state)}") from None
    except Exception as error:
        what = f"{name}: {type(error).__name__}: {error}"
        raise LawBroken(f"{what}\nin {game.to_string()} after {_history(state)}") from error


def _history(state: Any) -> str:
    return f"actions {state.history()}"


def _expect(promised: str, actual: object, expected: object) -> None:
    if actual != expected:
        raise LawBroken(f"{promised}: {str(actual)[:300]} instead of {str(expected)[:300]}")


def _advance(state: Any, draws: random.Random) -> None:
    """Take a random step."""
    if state.is_chance_node():
        sample_chance(state, draws.random)
    elif state.is_simultaneous_node():
        players = range(state.get_game().num_players())
        apply_all(state, [draws.choice(state.legal_actions(player) or [0]) for player in players])
    else:
        apply(state, draws.choice(state.legal_actions()))


def _rewards(state: Any) -> list[float]:
    return list(state.rewards())


def _all_close(one: list[float], other: list[float]) -> bool:
    return all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) for a, b in zip(one, other, strict=True))


def _movers(state: Any) -> list[int]:
    """The players to move."""
    if state.is_simultaneous_node():
        return list(range(state.get_game().num_players()))
    return [state.current_player()] if state.current_player() >= 0 else []


def _turn(game: Any, state: Any, draws: random.Random) -> None:
    """All methods agree on whose turn it is."""
    mover = state.current_player()
    if not 0 <= mover < game.num_players() and mover not in (CHANCE, SIMULTANEOUS, TERMINAL):
        raise LawBroken(f"current_player() is {mover}")
    _expect("is_terminal()", state.is_terminal(), mover == TERMINAL)
    _expect("is_chance_node()", state.is_chance_node(), mover == CHANCE)
    _expect("is_simultaneous_node()", state.is_simultaneous_node(), mover == SIMULTANEOUS)


def _legal(game: Any, state: Any, draws: random.Random) -> None:
    """Legal actions are ascending and in range; the players to move have some, others none."""
    if state.is_terminal():
        _expect("legal actions at the end", list(state.legal_actions()), [])
    for player in _movers(state):
        legal = list(state.legal_actions(player))
        _expect("legal actions in ascending order, each once", legal, sorted(set(legal)))
        if not legal and not state.is_simultaneous_node():
            raise LawBroken("no action is legal, and the game is not over")
        if legal and not 0 <= legal[0] <= legal[-1] < game.num_distinct_actions():
            raise LawBroken(f"actions {legal} are not all from 0 to {game.num_distinct_actions() - 1}")
        mask = list(state.legal_actions_mask(player))
        _expect("legal_actions_mask()", mask, [int(action in set(legal)) for action in range(len(mask))])
        _expect("length of legal_actions_mask()", len(mask), game.num_distinct_actions())
    if not state.is_chance_node():
        for player in set(range(game.num_players())) - set(_movers(state)):
            _expect(f"legal actions of player {player}, who is not to move", list(state.legal_actions(player)), [])


def _chance(game: Any, state: Any, draws: random.Random) -> None:
    """No probability is negative, and they add up to 1."""
    if not state.is_chance_node():
        return
    pairs = list(state.chance_outcomes())
    if abs(math.fsum(probability for _, probability in pairs) - 1.0) > _CLOSE * max(1, len(pairs)):
        raise LawBroken(f"probabilities of chance do not add up to 1: {pairs}")
    if min(probability for _, probability in pairs) < 0:
        raise LawBroken(f"a probability is negative: {pairs}")


def _strings(game: Any, state: Any, draws: random.Random) -> None:
    """Actions have unique names that can be converted back."""
    for player in _movers(state):
        for action in draws.sample(legal := list(state.legal_actions(player)), min(5, len(legal))):
            text = state.action_to_string(player, action)
            _expect(f"the action called {text!r}", state.string_to_action(player, text), action)


def _clones(game: Any, state: Any, draws: random.Random) -> None:
    """A copy is equal, and changes to it do not affect the original."""
    before = _picture(state)
    copy = state.clone()
    _expect("a clone", _picture(copy), before)
    for _ in range(draws.randrange(1, 5)):
        if copy.is_terminal():
            break
        _advance(copy, draws)
    _expect("the state whose clone was played on", _picture(state), before)


def _children(game: Any, state: Any, draws: random.Random) -> None:
    """A child equals a copy after the action; not checked if chance cannot be separated from the action."""
    sampled = game.get_type().chance_mode.name == "SAMPLED_STOCHASTIC"
    if state.is_terminal() or state.is_simultaneous_node() or sampled:
        return
    action = draws.choice(list(state.legal_actions()))
    after = state.clone()
    apply(after, action)
    _expect(f"child({action})", _picture(state.child(action)), _picture(after))


def _serialising(game: Any, state: Any, draws: random.Random) -> None:
    """A state can be serialised and restored."""
    _expect("the state read back", _picture(game.deserialize_state(state.serialize())), _picture(state))


def _picture(state: Any) -> tuple[object, ...]:
    """The easily observable properties of a state."""
    seen = [state.observation_string(player) for player in _observers(state)]
    return str(state), state.history(), state.current_player(), _choices(state), list(state.returns()), seen


def _choices(state: Any) -> list[list[int]]:
    """The legal actions of the player to move, or of every player if all move at once."""
    if state.is_simultaneous_node():
        return [list(state.legal_actions(player)) for player in _movers(state)]
    return [list(state.legal_actions())]


def _observers(state: Any) -> list[int]:
    """The players for which observations are defined."""
    game = state.get_game()
    return list(range(game.num_players())) if game.get_type().provides_observation_string else []


def _illegal(game: Any, state: Any, draws: random.Random) -> None:
    """An illegal action is refused, and changes nothing."""
    if state.is_chance_node() or state.is_simultaneous_node():
        return
    legal = set(state.legal_actions())
    wrong = next((action for action in range(game.num_distinct_actions()) if action not in legal), None)
    if wrong is None:
        return
    before = state.history()
    try:
        apply(state, wrong)
    except IllegalAction:
        _expect("the history after an illegal action", state.history(), before)
    else:
        raise LawBroken(f"action {wrong} is not legal, and was accepted")


def _resampling(game: Any, state: Any, draws: random.Random) -> None:
    """A player cannot tell a resampled state from this one."""
    for player in _movers(state):
        other = state.resample_from_infostate(player, draws.random)
        _expect("who is to move in a resampled state", other.current_player(), state.current_player())
        if game.get_type().provides_information_state_string:
            found, wanted = other.information_state_string(player), state.information_state_string(player)
            _expect(f"information state of player {player} in a resampled state", found, wanted)
        if game.get_type().provides_observation_string:
            found, wanted = other.observation_string(player), state.observation_string(player)
            _expect(f"observation of player {player} in a resampled state", found, wanted)


def _tensors(game: Any, state: Any, draws: random.Random) -> None:
    """Tensors have the size of their shape."""
    if state.is_chance_node():
        return
    kind = game.get_type()
    for player in range(game.num_players()):
        if kind.provides_observation_tensor:
            wanted = math.prod(game.observation_tensor_shape())
            _expect("length of observation_tensor()", len(state.observation_tensor(player)), wanted)
        if kind.provides_information_state_tensor:
            wanted = math.prod(game.information_state_tensor_shape())
            _expect("length of information_state_tensor()", len(state.information_state_tensor(player)), wanted)


def _utilities(game: Any, state: Any, draws: random.Random) -> None:
    """There is one return per player; returns are in range and have the declared sum."""
    returns = list(state.returns())
    _expect("number of returns", len(returns), game.num_players())
    if not state.is_terminal():
        return
    if not all(game.min_utility() - _CLOSE <= value <= game.max_utility() + _CLOSE for value in returns):
        raise LawBroken(f"returns {returns} are not all from {game.min_utility()} to {game.max_utility()}")
    total = game.utility_sum()
    if total is not None and not math.isclose(sum(returns), total, abs_tol=1e-6):
        raise LawBroken(f"returns {returns} do not add up to {total}")


def _nothing(game: Any, state: Any, draws: random.Random) -> None:
    """Checked over whole plays, in `check`."""


def _same_key_same_rest(state: Any, known: dict[bytes, object]) -> None:
    """States with equal keys have the same player to move, legal actions and, at the end, returns."""
    rest = state.current_player(), _choices(state), list(state.returns()) if state.is_terminal() else None
    _expect("what follows a state with this key", rest, known.setdefault(key(state), rest))


LAWS: dict[str, Law] = {  #: by name, for the argument ``skip`` of `check`
    "turn": _turn,
    "legal": _legal,
    "chance": _chance,
    "strings": _strings,
    "clones": _clones,
    "children": _children,
    "serialising": _serialising,
    "illegal": _illegal,
    "resampling": _resampling,
    "tensors": _tensors,
    "utilities": _utilities,
    "length": _nothing,
    "rewards": _nothing,
    "keys": _nothing,
}
