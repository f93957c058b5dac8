"""Recorded plays as JSON lines: the open deck has everything, the closed deck one player's view (4)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from vgdl.competition.files import replacing
from vgdl.competition.tracks.worldmodels import json_values
from vgdl.competition.tracks.worldmodels.worlds import MOST_OUTCOMES, World, action_name, player_name
from vgdl.controllers.tabletop import ISMCTS, MCTS, RandomPlayer
from vgdl.tabletop import sample_chance
from vgdl.tabletop.protocols import CHANCE, TERMINAL, Uniform

Play = dict[str, Any]
"""One recorded play. Open: ``game, parameters, seed, players, policies, initial_state, steps, returns``; each step has
``state, current_player, legal_actions, action, observations, rewards, next_state``, and the last one is
terminal, without action. ``legal_actions`` is null at chance nodes with more than `MOST_OUTCOMES` outcomes."""

CLOSED = ("game", "parameters", "players", "deck", "player", "initial_state", "steps", "final_observation", "reward")
"""Fields of a closed play. Its steps have ``observation`` and ``action``, both the player's own."""

Policy = Callable[[Any], int]


def record(world: World, seed: int, policies: Sequence[tuple[str, Policy]] | None = None) -> Play:
    """Play a game and record everything.

    Args:
        world: the game.
        seed: seed of chance and of random players.
        policies: a name and a function of a state for each player; by default all play uniformly at random.
    """
    draws = Random(seed)
    chosen = policies or [("random", RandomPlayer(seed=draws.getrandbits(31)).step) for _ in range(world.players)]
    state = world.game.new_initial_state()
    play = start_play(world, state, seed, [name for name, _ in chosen])
    while not state.is_terminal():
        mover = state.current_player()
        action = None if mover == CHANCE else int(chosen[mover][1](state.clone()))
        take_step(world, play, state, draws.random, action)
    take_step(world, play, state, draws.random)
    return play


def start_play(world: World, state: Any, seed: int = 0, policies: Sequence[str] = ()) -> Play:
    """An open play without steps."""
    return {
        "game": world.name,
        "parameters": {name: _plain(value) for name, value in dict(world.game.get_parameters()).items()},
        "seed": seed,
        "players": [player_name(player) for player in range(world.players)],
        "policies": list(policies),
        "initial_state": world.structure(state),
        "steps": [],
        "returns": [],
    }


def take_step(world: World, play: Play, state: Any, uniform: Uniform, action: int | None = None) -> None:
    """Record the present state and take an action in it; None samples chance, and terminal states only add returns."""
    step = _step(world, state)
    play["steps"].append(step)
    if state.is_terminal():
        play["returns"] = [float(value) for value in state.returns()]
        return
    before = state.clone()
    if action is None:
        action = sample_chance(state, uniform)
    else:
        state.apply_action(action)
    step["action"] = action_name(before, action)
    step["next_state"] = world.structure(state)


def _step(world: World, state: Any) -> dict[str, Any]:
    mover = state.current_player()
    count = 0 if mover == TERMINAL else len(state.legal_actions())
    listed = mover != CHANCE or count <= MOST_OUTCOMES
    return {
        "state": world.structure(state),
        "current_player": mover,
        "legal_actions": list(world.actions(state)) if listed and count else [] if listed else None,
        "action": None,
        "observations": [world.view(state, player) for player in range(world.players)],
        "rewards": [0.0] * world.players if state.move_number() == 0 else [float(value) for value in state.rewards()],
        "next_state": None,
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | int | float | str) else str(value)


def mixed_policies(world: World, draws: Random, simulations: int) -> list[tuple[str, Policy]]:
    """Choose for each player at random between random play and a search of the true game, for test sets."""
    found: list[tuple[str, Policy]] = []
    for _ in range(world.players):
        seed = draws.getrandbits(31)
        if draws.random() < 0.5:
            found.append(("random", RandomPlayer(seed=seed).step))
        else:
            kind = MCTS if world.is_perfect else ISMCTS
            found.append(("mcts", kind(simulations=simulations, rollouts=1, seed=seed).step))
    return found


def closed_view(play: Mapping[str, Any], player: int) -> Play:
    """One player's view of a recorded play: observations at its turns and at the end, its actions and its return.

    The seed is left out, since it would reveal the rest.
    """
    own = [step for step in play["steps"] if step["current_player"] == player]
    return {
        "game": play["game"],
        "parameters": play["parameters"],
        "players": play["players"],
        "deck": "closed",
        "player": player,
        "initial_state": play["initial_state"],
        "steps": [{"observation": step["observations"][player], "action": step["action"]} for step in own],
        "final_observation": play["steps"][-1]["observations"][player],
        "reward": play["returns"][player],
    }


def scan(closed: Mapping[str, Any], opened: Mapping[str, Any] | None = None) -> list[str]:
    """Look for hidden fields in a closed play.

    Args:
        closed: the play.
        opened: the same play with open deck, for a comparison value by value.

    Returns:
        A line for each leak. With ``opened``, an empty list proves that each value in the file was observed or done by
        the player, or public before the first move.
    """
    leaks = [f"the field {name!r} is not one of a closed play" for name in closed if name not in CLOSED]
    for number, step in enumerate(closed.get("steps", [])):
        leaks += [f"steps[{number}] has the field {name!r}" for name in step if name not in ("observation", "action")]
    if opened is not None:
        allowed = closed_view(opened, int(closed.get("player", 0)))
        for name in CLOSED:
            difference = json_values.difference(allowed[name], closed.get(name))
            if difference and name in closed:
                leaks.append(f"{name}: {difference}")
        leaks += _private(closed, opened)
    return leaks


def _private(closed: Mapping[str, Any], opened: Mapping[str, Any]) -> list[str]:
    """Describe fields of the hidden state that occur in no observation of the player, but in the file."""
    player = int(closed.get("player", 0))
    shown = set().union(*(step["observations"][player].keys() for step in opened["steps"]))
    public = set(opened["initial_state"]) | shown
    hidden = set().union(*(step["state"].keys() for step in opened["steps"])) - public
    names = set(_keys(closed.get("steps", []))) | set(_keys(closed.get("final_observation")))
    return [f"the hidden field {name!r} is in the file" for name in sorted(hidden & names)]


def _keys(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def write(path: Path, plays: Iterable[Play]) -> None:
    """Write plays as JSON lines, replacing the file only once it is complete."""
    with replacing(path) as file:
        for play in plays:
            file.write(json.dumps(play, ensure_ascii=False) + "\n")


def text_of(path: Path) -> str:
    """The text of a file.

    Raises:
        ValueError: it is not text in UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8") from None


def read(path: Path) -> list[Play]:
    """The plays of a file.

    Raises:
        ValueError: a line is not a play; the message has its number.
    """
    plays = []
    for number, line in enumerate(text_of(path).splitlines(), 1):
        try:
            play = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}, line {number}: not JSON: {error}") from None
        if not isinstance(play, dict) or "steps" not in play or "game" not in play:
            raise ValueError(f"{path}, line {number}: a play has the fields game and steps")
        plays.append(play)
    return plays
