"""Sprites that can only be stepped back go back before collisions are looked for; that must change nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

import vgdl
from vgdl.compiler import board
from vgdl.core.data import layout

FALLING = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        wall > Immovable
        door > Immovable
        rock > Missile orientation=DOWN speed=1
        ghost > RandomNPC speed=1
        shield > Resource limit=3
        avatar > MovingAvatar
    LevelMapping
        . > floor
        w > wall
        d > door
        r > rock
        g > ghost
        s > shield
        A > avatar
    InteractionSet
        rock wall > stepBack
        ghost wall > stepBack
        avatar wall > stepBack
        rock rock > stepBack
        door rock > killSprite
        ghost rock > killSprite scoreChange=1
        rock avatar > killSprite scoreChange=-1
        shield avatar > collectResource
        avatar ghost > stepBack
        wall ghost > killSprite
    TerminationSet
        Timeout limit=200 win=False
"""

LEVEL = "wwwwwwwww\nw.r.r.s.w\nwA..g...w\nw.d.w.d.w\nw.g...g.w\nww.w.w.ww\nwwwwwwwww"


def states(game: vgdl.Game, level: int | str, seed: int) -> Iterator[bytes]:
    """What a play with random actions is like after every tick."""
    state = game.start(level, seed=seed) if isinstance(level, int) else game.start(level=level, seed=seed)
    choices = random.Random(seed)
    while not state.is_over and state.tick < 200:
        state.advance(choices.choice([vgdl.Action.NIL, *state.available_actions]))
        yield state.to_bytes()


@pytest.mark.parametrize("name", ["boulderdash", "lemmings", "labyrinth", "butterflies", "pacman", "tandem", "falling"])
def test_plays_are_the_same_without_the_early_step_back(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    level = LEVEL if name == "falling" else 1

    def load() -> vgdl.Game:
        return vgdl.loads(FALLING) if name == "falling" else vgdl.load(name)

    early = [list(states(load(), level, seed)) for seed in range(3)]
    monkeypatch.setattr(board._Memory, "blocked", lambda _: np.zeros(0, layout.BLOCKED))
    assert early == [list(states(load(), level, seed)) for seed in range(3)]


def test_games_in_which_sprites_only_step_back_are_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    blocked = board._Memory.blocked

    def noted(memory: board._Memory) -> np.ndarray:
        found.append(blocked(memory))
        return found[-1]

    monkeypatch.setattr(board._Memory, "blocked", noted)
    vgdl.loads(FALLING).start(level=LEVEL, seed=1)
    assert len(found) == 1
    assert len(found[0]) > 0
