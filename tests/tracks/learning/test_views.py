"""What agents see: five modes, partial views, types numbered by lot, and no names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vgdl
from tracks.learning.common import course
from vgdl import Action
from vgdl.competition.tracks.learning.adapter import decode
from vgdl.competition.tracks.learning.rules import LearningRules
from vgdl.competition.tracks.learning.spaces import AVATAR_PLANES, Mode
from vgdl.competition.tracks.learning.views import Course, Views, chosen_form

RULES = LearningRules()


def shown(views: Views, loaded: Course, level: int = 0, ticks: int = 0) -> tuple[list[Any], bytes]:
    """An observation of a play."""
    state = loaded.boards[level].start(1)
    for _ in range(ticks):
        state.advance(Action.RIGHT)
    arguments = views.show(state, level, "ACT", validation=False)
    return arguments["facts"], arguments["data"]  # type: ignore[return-value]


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("view", [None, 1])
def test_no_observation_contains_a_name(tmp_path: Path, mode: Mode, view: int | None) -> None:
    loaded = course(tmp_path, RULES)
    views = Views(loaded, RULES, mode, view, lot=3)
    facts, data = shown(views, loaded)
    assert b"secret" not in data
    assert "secret" not in json.dumps([facts, views.facts()])


def test_types_are_numbered_by_lot_and_the_same_in_all_modes(tmp_path: Path) -> None:
    loaded = course(tmp_path, RULES)
    numberings = {tuple(Views(loaded, RULES, Mode.GRID, None, lot).numbers.values()) for lot in range(20)}
    assert len(numberings) > 1
    coins = set()
    coin = loaded.game.types.index("secretcoin")
    for mode in (Mode.SPRITES, Mode.JSON, Mode.GRID, Mode.TEXT):
        views = Views(loaded, RULES, mode, None, lot=3)
        _, data = shown(views, loaded)
        found = decode(views.spaces, data)
        if mode is Mode.SPRITES:
            coins.add(int(found[(found[:, 3] == 60) & (found[:, 4] == 0)][0, 1]))
        elif mode is Mode.JSON:
            coins.add(found["observationGrid"][3][0][0]["itype"])
        elif mode is Mode.GRID:
            (plane,) = np.flatnonzero(found[: -len(AVATAR_PLANES), 0, 3])
            coins.add(views.spaces.planes[plane])
        else:
            symbol = found.splitlines()[4][3]
            (line,) = [line for line in found.splitlines() if line.startswith(f"{symbol} type ")]
            coins.add(int(line.split()[-1]))
    assert coins == {views.numbers[coin]}


def test_boards_are_padded_to_the_largest(tmp_path: Path) -> None:
    loaded = course(tmp_path, RULES)
    for mode, shape in ((Mode.GRID, (12, 3, 6)), (Mode.RGB, (30, 60, 3))):
        views = Views(loaded, RULES, mode, None, lot=3)
        assert views.spaces.shape == shape
        small = decode(views.spaces, shown(views, loaded, level=0)[1])
        assert small.shape == shape
        assert not (small[:, 2:].any() if mode is Mode.GRID else small[20:].any())


def test_facts_of_an_observation(tmp_path: Path) -> None:
    loaded = course(tmp_path, RULES)
    views = Views(loaded, RULES, Mode.GRID, None, lot=3)
    (tick, score, health, max_health, resources, actions, is_over, winner), _ = shown(views, loaded, ticks=2)
    assert (tick, score, health, max_health, is_over, winner) == (2, 1.0, 0, 0, False, -1)
    assert resources == [[views.numbers[loaded.game.types.index("secretcoin")], 1]]
    assert {Action(action) for action in actions} == {Action.NIL, Action.LEFT, Action.RIGHT, Action.UP, Action.DOWN}
    over = shown(views, loaded, ticks=3)[0]
    assert (over[6], over[7], over[5]) == (True, 1, [int(Action.NIL)])


def test_partial_views(tmp_path: Path) -> None:
    loaded = course(tmp_path, RULES)
    shapes = {Mode.GRID: (12, 3, 3), Mode.RGB: (30, 30, 3)}
    for mode, shape in shapes.items():
        views = Views(loaded, RULES, mode, 1, lot=3)
        assert decode(views.spaces, shown(views, loaded)[1]).shape == shape
    far = {Mode.SPRITES: 0, Mode.JSON: 0}
    for mode in far:
        counts = []
        for view in (None, 1):
            views = Views(loaded, RULES, mode, view, lot=3)
            found = decode(views.spaces, shown(views, loaded)[1])
            sprites = (
                found if mode is Mode.SPRITES else [s for col in found["observationGrid"] for cell in col for s in cell]
            )
            counts.append(len(sprites))
        assert counts[1] < counts[0]


@pytest.mark.parametrize("game", ["aliens", "sokoban", "zelda"])
@pytest.mark.parametrize("mode", list(Mode))
def test_bundled_games_can_be_seen_in_every_mode(game: str, mode: Mode) -> None:
    loaded = Course.of(vgdl.load(game), RULES)
    views = Views(loaded, RULES, mode, None, lot=1)
    for level in loaded.boards:
        facts, data = shown(views, loaded, level, ticks=3)
        decode(views.spaces, data)
        json.dumps(facts)


@pytest.mark.parametrize(
    "value", [None, ["grid"], ["grid", -1], ["grid", True], ["grid", 2.0], ["GRID", None], [[], 1]]
)
def test_forms_that_do_not_exist(value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        chosen_form(value)
