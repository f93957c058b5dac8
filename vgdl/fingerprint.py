"""One number per game that changes exactly when the game's behaviour changes.

`fingerprint.toml` fixes what is played: levels, seeds, number of ticks and policies. A game's number is a hash of the
records (`vgdl.trace.record`) and avatar events of all these plays. It covers what happens, not how a state is stored,
so a new memory layout does not change it. The file also holds the expected number of each game.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vgdl import Action
from vgdl.game import Game, load
from vgdl.trace import record

DATA = Path(__file__).with_name("fingerprint.toml")

BITS = 48
"""Size of the numbers: 12 hexadecimal digits."""

STICKINESS = 0.9
"""How often the policy ``sticky`` repeats a player's last action."""

Policy = Callable[[random.Random, Sequence[Action], Action], Action]
"""Chooses an action, given a generator, the available actions and the previous action."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The plays of every game, and the numbers after the last intended change of behaviour."""

    levels: tuple[int, ...]
    seeds: tuple[int, ...]
    policies: tuple[str, ...]
    ticks: int  #: maximum ticks per play
    expected: Mapping[str, str]  #: number per game

    @property
    def games(self) -> tuple[str, ...]:
        return tuple(self.expected)


def read_plan(path: Path = DATA) -> Plan:
    """The plan in a file."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    plays = data["plays"]
    return Plan(
        levels=tuple(plays["levels"]),
        seeds=tuple(plays["seeds"]),
        policies=tuple(plays["policies"]),
        ticks=plays["ticks"],
        expected=data["expected"],
    )


def write_expected(numbers: Mapping[str, str], path: Path = DATA) -> None:
    """Replace the numbers in a file; everything before them, including comments, is kept."""
    plays, heading, _ = path.read_text(encoding="utf-8").partition("[expected]\n")
    lines = (f'{name} = "{number}"\n' for name, number in sorted(numbers.items()))
    path.write_text(plays + heading + "".join(lines), encoding="utf-8")


def fingerprint(name: str, plan: Plan) -> str:
    """The number of a game, as hexadecimal digits; ``name`` is what `vgdl.load` takes."""
    game = load(name)
    digest = hashlib.blake2b(digest_size=BITS // 8)
    for level, seed, policy in itertools.product(plan.levels, plan.seeds, plan.policies):
        for line in play(game, level, seed, POLICIES[policy], plan.ticks):
            digest.update(line.encode())
    return digest.hexdigest()


def total(numbers: Mapping[str, str]) -> str:
    """One number for all games."""
    text = "".join(f"{name} {number}\n" for name, number in sorted(numbers.items()))
    return hashlib.blake2b(text.encode(), digest_size=BITS // 8).hexdigest()


def play(game: Game, level: int, seed: int, policy: Policy, ticks: int) -> Iterator[str]:
    """Play a game and describe every state on a line of JSON, then the avatar events of the whole play."""
    state = game.start(level=level, seed=seed)
    draws = random.Random(seed)
    actions = [Action.NIL] * state.n_players
    sprites: _Sprites = {}
    for _ in range(ticks):
        line, sprites = _describe(record(state), sprites)
        yield line
        if state.is_over:
            break
        actions = [policy(draws, state.actions_of(player), last) for player, last in enumerate(actions)]
        state.advance(actions)
    yield _describe(record(state, final=state.is_over), sprites)[0]
    yield json.dumps(state.events)


_Sprites = dict[int, tuple[Any, ...]]


def _describe(facts: dict[str, Any], before: _Sprites) -> tuple[str, _Sprites]:
    """A record as canonical JSON, and its sprites by id.

    The JSON lists the sprites that are new or changed since the previous record, by id, and the ids that are gone;
    resources are sorted by type, amounts of 0 omitted.
    """
    sprites: _Sprites = {sprite[0]: sprite for sprite in facts["sprites"]}
    changed = [sprites[key] for key in sorted(sprites) if before.get(key) != sprites[key]]
    facts["sprites"] = [(*sprite[:-1], sorted(item for item in sprite[-1].items() if item[1])) for sprite in changed]
    facts["gone"] = sorted(before.keys() - sprites.keys())
    return json.dumps(facts, sort_keys=True), sprites


def _pick(draws: random.Random, actions: Sequence[Action]) -> Action:
    """One of the actions or NIL, uniformly; uses ``random()``, the only method whose sequence Python guarantees."""
    choices = [Action.NIL, *(action for action in actions if action is not Action.NIL)]
    return choices[int(draws.random() * len(choices))]


def _random(draws: random.Random, actions: Sequence[Action], _last: Action) -> Action:
    return _pick(draws, actions)


def _sticky(draws: random.Random, actions: Sequence[Action], last: Action) -> Action:
    """Usually repeat the last action, to travel farther than a uniformly random player."""
    keeps = draws.random() < STICKINESS
    return last if keeps and last is not Action.NIL else _pick(draws, actions)


POLICIES: Mapping[str, Policy] = {"random": _random, "sticky": _sticky}
