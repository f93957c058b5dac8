"""The champion's parts for avatars with momentum: coarse motions and held actions."""

from __future__ import annotations

from itertools import pairwise

import pytest

import vgdl
from small_games import calls
from vgdl import Action, Meter, StateObservation, Winner, games
from vgdl.controllers import Timer
from vgdl.controllers.entries.champion import Champion
from vgdl.controllers.search.budget import Budget
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.outlook import Outlook
from vgdl.controllers.search.width import WidthSearch

BITS = 18
"""Size of the searches' tables."""

BUOYS = """
BasicGame square_size=20
    SpriteSet
        floor > Immovable hidden=True
        wall > Immovable
        buoy > Immovable
        rock > Immovable
        avatar > OrientedAvatar physicstype=CONT friction=0.02 mass=2
    LevelMapping
        . > floor
        w > wall
        b > buoy
        r > rock
        A > avatar
    InteractionSet
        avatar wall > wallStop
        avatar rock > killSprite
        buoy avatar > killSprite
    TerminationSet
        SpriteCounter stype=buoy limit=0 win=True
        SpriteCounter stype=avatar limit=0 win=False
"""
"""An action changes the speed by half a pixel per tick, and a cell has 20 pixels."""

ROCKY = "wwwwwwwwwwww\nwA.........w\nwrrrrrrrr..w\nw..........w\nw..rrrrrrrrw\nw.........bw\nwwwwwwwwwwww"

SHORE = "wwwwwww\nwA....w\nw.....w\nw....bw\nwwwwwww"

CANNON = """
BasicGame square_size=20
    SpriteSet
        floor > Immovable hidden=True
        wall > Immovable
        ball > Missile physicstype=CONT gravity=0.5 speed=15 singleton=True
        target > Immovable
        avatar > AimedAvatar stype=ball
    LevelMapping
        . > floor
        w > wall
        t > target
        A > avatar
    InteractionSet
        ball wall > killSprite
        target ball > killSprite
    TerminationSet
        SpriteCounter stype=target limit=0 win=True
"""


def start(rules: str, level: str) -> StateObservation:
    state = vgdl.loads(rules).start(level=level, seed=1)
    state.meter = Meter()
    return state


def grown(state: StateObservation, ticks: int, *, watch: bool = True) -> tuple[WidthSearch, Outlook]:
    """A search that has used a budget of ticks, after another one has found out about momentum."""
    outlook = Outlook(state, 0)
    if watch:
        outlook.watch()
    search = WidthSearch(state, outlook, Generator(1), BITS, 64 << 20)
    search.grow(Budget(calls(state, 1000), search.expansion_calls))
    search.begin(state, BITS)
    search.grow(Budget(calls(state, ticks), search.expansion_calls))
    return search, outlook


@pytest.mark.parametrize(("rules", "level"), [(BUOYS, SHORE), (CANNON, "wwwwww\nw...tw\nwA...w\nwwwwww")])
def test_momentum_is_found_out_where_velocities_or_aims_vary(rules: str, level: str) -> None:
    search, outlook = grown(start(rules, level), 1000)
    assert outlook.momentum
    assert search.moving


def test_momentum_is_found_out_only_by_those_who_watch() -> None:
    search, outlook = grown(start(BUOYS, SHORE), 1000, watch=False)
    assert not outlook.momentum
    assert not search.moving


@pytest.mark.parametrize("name", sorted(games.names("training")))
def test_no_game_on_a_grid_has_momentum(name: str) -> None:
    state = vgdl.load(name).start(level=0, seed=1)
    state.meter = Meter()
    assert not grown(state, 2000)[1].momentum


def test_coarse_motions_and_held_actions_find_a_win_that_exact_states_do_not() -> None:
    wins = {}
    for parts in ((True, True), (False, False)):
        state = start(BUOYS, ROCKY)
        search, _ = grown(state, 1000)
        search.coarse, search.holding = parts
        search.begin(state, BITS)
        search.grow(Budget(calls(state, 60_000), search.expansion_calls))
        wins[parts] = search.best_win >= 0
    assert wins == {(True, True): True, (False, False): False}


def test_a_plan_of_held_actions_is_played_tick_by_tick_and_every_state_on_it_is_known() -> None:
    state = start(BUOYS, SHORE)
    search, _ = grown(state, 20_000)
    assert search.best_win >= 0
    assert search.certain(search.best_win)
    plan = search.plan(search.best_win)
    repeated = sum(one == two for one, two in pairwise(plan))
    assert repeated > len(plan) // 2
    for step in plan[:-1]:
        state.advance(Action(step))
        assert search.move(state)
        assert search.plan(search.best_win)
    state.advance(Action(plan[-1]))
    assert state.winner is Winner.PLAYER_WINS


def test_an_expansion_stays_within_its_calls() -> None:
    state = start(BUOYS, SHORE)
    search, _ = grown(state, 1000)
    assert state.meter is not None
    for _ in range(20):
        before = state.meter.used
        search.grow(Budget(calls(state, 2 * search.expansion_calls - 1), search.expansion_calls))
        assert before < state.meter.used < before + 2 * search.expansion_calls


@pytest.mark.parametrize("parts", [{}, {"motions": False, "holding": False}])
def test_the_champion_steers_around_rocks_only_with_its_parts_for_momentum(parts: dict[str, bool]) -> None:
    state = start(BUOYS, ROCKY)
    player = Champion(state.copy(seed=1), calls(state, 5000), seed=7, table_bits=16, memory=64 << 20, **parts)
    while not state.is_over and state.tick < 250:
        state.advance(player.act(state.copy(seed=state.tick), calls(state, 1000)))
    assert (state.winner is Winner.PLAYER_WINS) is (not parts)


@pytest.mark.parametrize("tick_ns", [500, 10_000, 300_000])
def test_answers_are_in_time_while_actions_are_held(tick_ns: int) -> None:
    state = start(BUOYS, ROCKY)
    meter = Meter()
    state.meter = meter
    construction = Timer(1000.0, clock=lambda: meter.used * tick_ns)
    player = Champion(state.copy(seed=1), construction, seed=7, table_bits=16, memory=16 << 20)
    assert not construction.exceeded
    for tick in range(5):
        answer = Timer(40.0, clock=lambda: meter.used * tick_ns)
        player.act(state.copy(seed=tick), answer)
        assert not answer.exceeded
