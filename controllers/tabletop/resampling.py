"""States that a player cannot tell from the true one: the game's own resampling, or rejection where it has none."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from vgdl.tabletop.protocols import Uniform

ATTEMPTS = 200
"""Replays from the beginning before a state counts as one that cannot be sampled."""

DRAWS = 60
"""Actions of others or of chance that are tried at one place of a replay."""


class CannotSearch(ValueError):
    """A game cannot be searched, for example because what is hidden cannot be sampled; the message names the game."""


class Resampler:
    """Samples states for one search. A game of perfect information has only one such state.

    Where ``State.resample_from_infostate`` does not work, the history is replayed: the player's own actions stay;
    chance and other players draw among the actions after which the player knows what it knew in truth, the latter
    uniformly. A replay that gets stuck is rejected. Possible states have a chance, but not the true probabilities.
    """

    def __init__(self) -> None:
        self._rejects = False
        self._history: list[tuple[int, int]] = []
        self._player = -1
        self._known: list[str | None] = []

    def __call__(self, state: Any, player: int, uniform: Uniform) -> Any:
        """A state that the player cannot tell from ``state``.

        Raises:
            CannotSearch: none was found.
        """
        if state.get_game().get_type().information.name == "PERFECT_INFORMATION":
            return state.clone()
        if not self._rejects:
            try:
                return state.resample_from_infostate(player, uniform)
            except (RuntimeError, NotImplementedError, AttributeError):  # OpenSpiel's error is the first
                self._rejects = True
        self._remember(state, player)
        for _ in range(ATTEMPTS):
            found = self._replayed(state.get_game(), player, Random(int(uniform() * (1 << 53))))
            if found is not None:
                return found
        raise CannotSearch(f"{name_of(state)}: {ATTEMPTS} replays did not lead to what player {player} knows")

    def _remember(self, state: Any, player: int) -> None:
        """Note what the player knew after every action."""
        try:
            history = [(int(each.player), int(each.action)) for each in state.full_history()]
        except (RuntimeError, NotImplementedError, AttributeError):
            text = "the game has neither resample_from_infostate nor full_history"
            raise CannotSearch(f"the hidden information of {name_of(state)} cannot be sampled: {text}") from None
        if history == self._history and self._player == player:
            return
        self._history, self._player = history, player
        try:
            past = state.get_game().new_initial_state()
            self._known = []
            for _, action in self._history:
                past.apply_action(action)
                self._known.append(knowledge_if_any(past, player))
        except RuntimeError as error:
            text = f"its history cannot be replayed ({error})"
            raise CannotSearch(f"the hidden information of {name_of(state)} cannot be sampled: {text}") from None
        if self._known and all(known is None for known in self._known):
            text = "it does not say what players know"
            raise CannotSearch(f"the hidden information of {name_of(state)} cannot be sampled: {text}")

    def _replayed(self, game: Any, player: int, draws: Random) -> Any | None:
        """One replay; None if it got stuck."""
        state = game.new_initial_state()
        for (mover, action), known in zip(self._history, self._known, strict=True):
            if state.is_terminal() or state.current_player() != mover:
                return None
            if mover == player:
                if action not in state.legal_actions():
                    return None
                state.apply_action(action)
                if knowledge_if_any(state, player) != known:
                    return None
                continue
            after = self._fitting(state, player, known, draws)
            if after is None:
                return None
            state = after
        return state if not state.is_terminal() and state.current_player() == player else None

    @staticmethod
    def _fitting(state: Any, player: int, known: str | None, draws: Random) -> Any | None:
        """The state after a drawn action of chance or of another player that fits to what the player knows."""
        if state.is_chance_node():
            pairs = list(state.chance_outcomes())
            actions = _shuffled([outcome for outcome, _ in pairs], [share for _, share in pairs], draws)
        else:
            actions = list(state.legal_actions())
            draws.shuffle(actions)
        for action in actions[:DRAWS]:
            after = state.child(action)
            if knowledge_if_any(after, player) == known:
                return after
        return None


def _shuffled(items: Sequence[int], weights: Sequence[float], draws: Random) -> list[int]:
    """The items in a random order, in which one comes before another as its weight says."""
    pairs = zip(items, weights, strict=True)
    keys = {item: draws.random() ** (1.0 / weight) for item, weight in pairs if weight > 0}
    return sorted(keys, key=lambda item: -keys[item])


def knowledge(state: Any, player: int) -> str:
    """All that a player knows, or all that it sees where a game does not give its memory.

    Raises:
        CannotSearch: the game does not say.
    """
    known = knowledge_if_any(state, player)
    if known is None:
        text = f"the hidden information of {name_of(state)} cannot be searched: it does not say what players know"
        raise CannotSearch(text)
    return known


def knowledge_if_any(state: Any, player: int) -> str | None:
    """The same; None where the game does not say, for example at chance's turn."""
    try:
        if state.get_game().get_type().provides_information_state_string:
            return str(state.information_state_string(player))
        return str(state.observation_string(player))
    except (RuntimeError, NotImplementedError):
        return None


def name_of(state: Any) -> str:
    """The short name of a state's game."""
    return str(state.get_game().get_type().short_name)
