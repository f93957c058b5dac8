"""Every game keeps the protocol, ours and OpenSpiel's, and the laws notice a game that does not."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import pytest

from vgdl.tabletop import IllegalAction, laws, load, loading
from vgdl.tabletop.othello_stages import STAGES
from vgdl.tabletop.vgdl_game import VgdlTurnGame

OTHELLO = [f"othello(stage={stage})" for stage in STAGES]
MORE = [
    *(name for name in loading.OWN if name != "othello"),
    "othello(size=4)",
    "othello(size=12)",
    "othello(size=9,blocked=a1;i9,ignore_occlusion=true)",
]
SPIEL = {  # laws that OpenSpiel's own game does not keep
    "tic_tac_toe": (),
    "connect_four": (),
    "mnk(m=6,n=6,k=4)": (),
    "othello": (),
    "breakthrough(rows=6,columns=6)": (),
    "backgammon": (),
    "pig": (),
    "bargaining": (),
    "leduc_poker": (),
    "kuhn_poker": (),
    "liars_dice": ("resampling",),
    "gin_rummy": (),
    "goofspiel(num_cards=4)": (),
    "matrix_pd": ("resampling",),
    "negotiation": ("resampling", "serialising"),
}
needs_spiel = pytest.mark.skipif(importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is not installed")


@pytest.mark.parametrize("name", OTHELLO + MORE)
def test_our_games_keep_the_protocol(name: str) -> None:
    assert laws.check(load(name), plays=2) > 2


@pytest.mark.parametrize(
    ("name", "tensor"),
    [
        *((name, "observation_tensor") for name in (*loading.OWN, "aliens") if name != "othello"),
        *((name, "information_state_tensor") for name in (*loading.OWN, "aliens")),
    ],
)
def test_a_game_without_a_tensor_says_so(name: str, tensor: str) -> None:
    game = VgdlTurnGame(name, 0) if name == "aliens" else load(name)
    assert not getattr(game.get_type(), f"provides_{tensor}")
    message = f"{game.get_type().short_name} has no {tensor.replace('_', ' ')}"
    with pytest.raises(NotImplementedError, match=re.escape(message)):
        getattr(game, f"{tensor}_shape")()
    with pytest.raises(NotImplementedError, match=re.escape(message)):
        getattr(game.new_initial_state(), tensor)(0)


@pytest.mark.parametrize(("name", "level"), [("aliens", 0), ("sokoban", 1), ("snowballs", 0)])
def test_vgdl_games_keep_the_protocol(name: str, level: int) -> None:
    game = VgdlTurnGame(name, level)
    state = game.new_initial_state()
    assert state.legal_actions(0)[0] == 0
    assert laws.check(Cut(game, 40), plays=2) > 80


class Cut:
    """A game tested on its first steps only: a play of two thousand ticks would take long."""

    def __init__(self, game: Any, steps: int) -> None:
        self.game, self.steps = game, steps

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)

    def new_initial_state(self) -> Any:
        return CutState(self.game.new_initial_state(), self.steps)

    def deserialize_state(self, text: str) -> Any:
        return CutState(self.game.deserialize_state(text), self.steps)


class CutState:
    def __init__(self, state: Any, steps: int) -> None:
        self.state, self.steps = state, steps

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    def __str__(self) -> str:
        return str(self.state)

    def is_terminal(self) -> bool:
        return bool(self.state.is_terminal() or self.state.move_number() >= self.steps)

    def current_player(self) -> int:
        return -4 if self.is_terminal() else self.state.current_player()

    def is_chance_node(self) -> bool:
        return self.current_player() == -1

    def is_simultaneous_node(self) -> bool:
        return self.current_player() == -2

    def legal_actions(self, *player: int) -> list[int]:
        return [] if self.is_terminal() else self.state.legal_actions(*player)

    def clone(self) -> CutState:
        return CutState(self.state.clone(), self.steps)

    def child(self, action: int) -> CutState:
        return CutState(self.state.child(action), self.steps)

    def resample_from_infostate(self, *arguments: Any) -> CutState:
        return CutState(self.state.resample_from_infostate(*arguments), self.steps)


def test_a_vgdl_game_for_two_is_simultaneous() -> None:
    game = VgdlTurnGame("snowballs")
    state = game.new_initial_state()
    assert state.is_simultaneous_node()
    with pytest.raises(IllegalAction, match="0 players"):
        state.apply_actions([])
    state.apply_actions([0, 0])
    assert state.is_chance_node()
    assert laws.check(Cut(game, 20), plays=2, skip=("serialising",)) > 30


def test_a_future_of_a_tick_is_the_same_whenever_it_is_chosen() -> None:
    once, again, other = (VgdlTurnGame("aliens", futures=4).new_initial_state() for _ in range(3))
    for tick in range(100):
        for state, future in ((once, tick % 4), (again, tick % 4), (other, 3 - tick % 4)):
            state.apply_action(0)
            state.apply_action(future)
    assert str(once) == str(again) != str(other)


class Broken:
    """A game with faults: replacements of the sound state's methods, by name."""

    def __init__(self, game: Any, **faults: Any) -> None:
        self.game, self.faults = game, faults

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)

    def deserialize_state(self, text: str) -> Any:
        return BrokenState(self, self.game.deserialize_state(text))

    def new_initial_state(self) -> Any:
        return BrokenState(self, self.game.new_initial_state())


class BrokenState:
    def __init__(self, game: Broken, state: Any) -> None:
        self.game, self.state = game, state

    def __getattr__(self, name: str) -> Any:
        fault = self.game.faults.get(name)
        return (lambda *arguments: fault(self.state, *arguments)) if fault else getattr(self.state, name)

    def __str__(self) -> str:
        return str(self.state)

    def clone(self) -> Any:
        return self if "clone" in self.game.faults else BrokenState(self.game, self.state.clone())

    def child(self, action: int) -> Any:
        return BrokenState(self.game, self.state.child(action))

    def resample_from_infostate(self, *arguments: Any) -> Any:
        return BrokenState(self.game, self.state.resample_from_infostate(*arguments))


FAULTS: dict[str, tuple[str, Any]] = {
    "legal": ("legal_actions", lambda state, *player: state.legal_actions(*player)[::-1]),
    "turn": ("is_simultaneous_node", lambda state: state.is_terminal()),
    "strings": ("action_to_string", lambda state, *arguments: "a move"),
    "clones": ("clone", None),
    "utilities": ("returns", lambda state: [2.0, -2.0]),
    "rewards": ("rewards", lambda state: [0.0, 0.0]),
    "tensors": ("observation_tensor", lambda state, player: [0.0]),
    "serialising": ("serialize", lambda state: ""),
    "keys": ("key", lambda state: b"always the same"),
}


def test_a_sound_game_passes_in_the_same_wrapper() -> None:
    assert laws.check(Broken(load("othello(size=4)")), plays=3) > 20


@pytest.mark.parametrize("law", FAULTS)
def test_the_law_that_a_game_breaks_is_named(law: str) -> None:
    method, fault = FAULTS[law]
    with pytest.raises(laws.LawBroken, match=f"^{law}: "):
        laws.check(Broken(load("othello(size=4)"), **{method: fault}), plays=3)


def test_laws_can_be_skipped_by_name_only() -> None:
    broken = Broken(load("othello(size=4)"), rewards=FAULTS["rewards"][1])
    assert laws.check(broken, skip=("rewards",)) > 0
    with pytest.raises(ValueError, match="no law reward"):
        laws.check(broken, skip=("reward",))


@pytest.mark.one_case
@needs_spiel
@pytest.mark.parametrize("name", SPIEL)
def test_open_spiel_s_games_keep_the_protocol(name: str) -> None:
    import pyspiel

    assert laws.check(pyspiel.load_game(name), plays=2, skip=SPIEL[name]) > 2
