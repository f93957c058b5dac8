"""Games to learn, the paper's ten and others: states, observations and actions as JSON values, rules in words (9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

from vgdl import tabletop
from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.worldmodels.program import Interface
from vgdl.language import suggestion
from vgdl.tabletop.protocols import CHANCE, TERMINAL

MOST_OUTCOMES = 100
"""Most outcomes of a chance node that are listed; longer lists are left out of trajectories and tests."""

NAMES = {CHANCE: "chance", TERMINAL: "terminal"}

Structure = Callable[[Any], dict[str, Any]]
"""Converts a whole state to JSON values."""
View = Callable[[Any, int], dict[str, Any]]
"""Converts a player's observation to JSON values."""


class UnknownWorld(CompetitionError, LookupError):
    """There is no game of this name, or it cannot be used; the message explains why."""


@dataclass(frozen=True)
class World:
    """A game to be learnt."""

    name: str
    title: str
    load_name: str  #: the name for `vgdl.tabletop.load`
    structure: Structure = tabletop.ground_truth
    view: View = tabletop.observe
    forfeit: float | None = None  #: the loser's return, the smallest possible by default
    both_forfeit: bool = False  #: whether a forfeit gives 0 to both
    has_misleading_rules: bool = False
    rules_text: str = ""  #: rules given by the user, in place of bundled ones

    @cached_property
    def game(self) -> Any:
        """The true game.

        Raises:
            UnknownWorld: it is not installed.
        """
        try:
            return tabletop.load(self.load_name)
        except (tabletop.UnknownGame, ValueError) as error:
            raise UnknownWorld(str(error)) from None

    @cached_property
    def is_perfect(self) -> bool:
        """Whether the game has perfect information."""
        return bool(self.game.get_type().information.name == "PERFECT_INFORMATION")

    @property
    def players(self) -> int:
        return int(self.game.num_players())

    def rules(self, *, misleading: bool = False) -> str:
        """The rules in words, in the misleading variant if there is one."""
        if self.rules_text:
            return self.rules_text
        variant = ".misleading" if misleading and self.has_misleading_rules else ""
        folder = files("vgdl.competition.tracks.worldmodels") / "rules"
        return (folder / f"{self.name}{variant}.txt").read_text(encoding="utf-8")

    def actions(self, state: Any) -> dict[str, int]:
        """The legal actions, or the outcomes of a chance node, by name, in ascending order of names."""
        found = {action_name(state, action): action for action in state.legal_actions()}
        return dict(sorted(found.items()))

    def interface(self, *, closed: bool = False, sampler: str = "history") -> Interface:
        """The interface that a program has to implement."""
        game = self.game
        return Interface(
            players=self.players,
            perfect=self.is_perfect,
            zero_sum=game.get_type().utility.name == "ZERO_SUM",
            returns=(float(game.min_utility()), float(game.max_utility())),
            closed=closed and not self.is_perfect,
            sampler="history" if closed else sampler,
        )

    def forfeited(self, loser: int) -> list[float]:
        """The returns if a player's action is missing, illegal or late (10)."""
        if self.both_forfeit:
            return [0.0] * self.players
        lost = float(self.game.min_utility()) if self.forfeit is None else self.forfeit
        won = -lost / (self.players - 1)
        return [lost if player == loser else won for player in range(self.players)]


def player_name(player: int) -> str:
    """The expected name of a player in programs."""
    return NAMES.get(player, f"player_{player}")


def action_name(state: Any, action: int) -> str:
    """An action in words on one line, without the number that OpenSpiel puts before backgammon moves."""
    text = " ".join(str(state.action_to_string(action)).split())
    return re.sub(r"^\d+ - ", "", text)


def find(name: str, rules: Mapping[str, str] | None = None) -> World:
    """Find a game by its name.

    Args:
        name: one of the ten, or a game of `vgdl.tabletop` that has a text in ``rules``.
        rules: rules in words by the name of the game, in place of the bundled ones.

    Raises:
        UnknownWorld: there is no such game, there are no rules for it, or it cannot be learnt.
    """
    own = (rules or {}).get(name, "")
    for world in WORLDS.values():
        if name in (world.name, world.load_name):
            return World(**{**_fields(world), "rules_text": own})
    if own:
        world = World(name, name, name, rules_text=own)
        kind = world.game.get_type()
        if kind.dynamics.name != "SEQUENTIAL" or world.players > 4:
            raise UnknownWorld(f"{name} cannot be learnt: players have to move in turn, and be four at most")
        return world
    hint = suggestion(name, [*WORLDS])
    raise UnknownWorld(
        f"there is no game {name!r}{hint}. There are {', '.join(WORLDS)}; "
        "for another game of vgdl.tabletop give its rules in words: --rules NAME=FILE"
    )


def _fields(world: World) -> dict[str, Any]:
    return {name: getattr(world, name) for name in World.__dataclass_fields__}


def _mnk(state: Any) -> dict[str, Any]:
    """Convert a state that OpenSpiel only gives as text."""
    names = {0: "x", 1: "o", TERMINAL: "Terminal"}
    return {"board": [list(row) for row in str(state).split()], "current_player": names[state.current_player()]}


def _backgammon(state: Any) -> dict[str, Any]:
    text = str(state)

    def field(label: str) -> str:
        found = re.search(rf"^{label}:[ ]?(.*)$", text, re.MULTILINE)
        return found[1].strip() if found else ""

    scores = re.search(r"X: (\d+), O: (\d+)", text)
    return {
        "points": {mark: [state.board(player, at) for at in range(24)] for player, mark in enumerate("xo")},
        "bar": {mark: field("Bar").count(mark) for mark in "xo"},
        "borne_off": {"x": int(scores[1]), "o": int(scores[2])} if scores else {},
        "dice": [int(digit) for digit in field("Dice") if digit.isdecimal()],
        "extra_turn": field("Extra turn") == "1",
        "previous_player": int(field("Previous player")),
        "current_player": state.current_player(),
    }


def _bargaining(state: Any) -> dict[str, Any]:
    if state.is_chance_node():
        return {"pool": None, "values": None, "offers": [], "agreement": False, "current_player": CHANCE}
    instance = state.instance()
    return {
        "pool": list(instance.pool),
        "values": [list(values) for values in instance.values],
        "offers": [list(offer.quantities) for offer in state.offers()],
        "agreement": "Agreement reached? 1" in str(state),
        "current_player": state.current_player(),
    }


def _bargaining_view(state: Any, player: int) -> dict[str, Any]:
    whole = _bargaining(state)
    return {
        "pool": whole["pool"],
        "own_values": whole["values"][player] if whole["values"] else None,
        "number_of_offers": len(whole["offers"]),
        "last_offer": whole["offers"][-1] if whole["offers"] else None,
        "agreement": whole["agreement"],
        "current_player": whole["current_player"],
    }


_LEDUC_ACTIONS = ("Fold", "Call", "Raise")


def _leduc(state: Any) -> dict[str, Any]:
    cards = [state.private_card(player) for player in range(2)]
    return {"private_cards": [card if card >= 0 else None for card in cards], **_leduc_public(state)}


def _leduc_view(state: Any, player: int) -> dict[str, Any]:
    card = state.private_card(player)
    return {"private_card": card if card >= 0 else None, **_leduc_public(state)}


def _leduc_public(state: Any) -> dict[str, Any]:
    public = state.public_card()
    return {
        "public_card": public if public >= 0 else None,
        "round": state.round(),
        "pot": state.pot(),
        "money": [int(amount) for amount in state.money()],
        "bets": [[_LEDUC_ACTIONS[action] for action in sequence] for sequence in (state.round1(), state.round2())],
        "current_player": state.current_player(),
    }


def _gin(state: Any) -> dict[str, Any]:
    return {**tabletop.ground_truth(state), "repeated_move": _repeated(state)}


def _gin_view(state: Any, player: int) -> dict[str, Any]:
    return {**tabletop.observe(state, player), "repeated_move": _repeated(state)}


def _repeated(state: Any) -> int:
    """The number of repeated moves, which ends a game if too large and is only in OpenSpiel's text."""
    found = re.search(r"Repeated move: (\d+)", str(state))
    return int(found[1]) if found else 0


def _all(structure: Structure) -> View:
    """The view of a player in a game of perfect information."""
    return lambda state, player: structure(state)


WORLDS: dict[str, World] = {
    world.name: world
    for world in (
        World("tic_tac_toe", "Tic-tac-toe", "tic_tac_toe"),
        World("connect_four", "Connect four", "connect_four"),
        World("generalized_tic_tac_toe", "Generalised tic-tac-toe", "mnk(m=6,n=6,k=4)", _mnk, _all(_mnk)),
        World("generalized_chess", "Generalised chess", "army5x5a"),
        World("backgammon", "Backgammon", "backgammon", _backgammon, _all(_backgammon)),
        World(
            "bargaining", "Bargaining", "bargaining", _bargaining, _bargaining_view,
            both_forfeit=True, has_misleading_rules=True,
        ),
        World("leduc_poker", "Leduc poker", "leduc_poker", _leduc, _leduc_view, has_misleading_rules=True),
        World("gin_rummy", "Gin rummy", "gin_rummy", _gin, _gin_view, forfeit=-123.0),
        World("quadranto", "Quadranto", "quadranto"),
        World("hand_of_war", "Hand of war", "hand_of_war"),
    )
}  # fmt: skip
"""The games of the paper, by name."""
