"""Sprites that move at random and turn or die elsewhere than predicted, and rules that depend on what is held."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from tracks.worldmodels.small import guessed_lines, meetings, random_plays, small_game
from vgdl import Action
from vgdl.competition.tracks.worldmodels.search.author import first_guess, with_chains
from vgdl.competition.tracks.worldmodels.search.contacts import DEAD, INTO, OK, Table, _lost_elsewhere, meet
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind, Rule
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.records import Play, observe
from vgdl.competition.tracks.worldmodels.search.verify import Follower

_TOWN = """
BasicGame square_size=20
    SpriteSet
        citizen > RandomNPC
        ghost > RandomNPC
        rabbit > RandomNPC
        walker > MovingAvatar
        chimney > Immovable
    LevelMapping
        A > walker
        c > citizen
        g > ghost
        r > rabbit
        x > chimney
    InteractionSet
        walker citizen ghost rabbit chimney > stepBack
        citizen rabbit wall > stepBack
        ghost wall chimney > stepBack
        citizen chimney > transformTo stype=ghost
        rabbit ghost > killSprite
    TerminationSet
        Timeout limit=100 win=False
"""
_STREETS = "wwwwwwwwww\nwc x c r w\nw x cAg  w\nwc rx  c w\nwwwwwwwwww\n"


def _counted(plays: tuple[Play, ...], kind: int) -> int:
    """The number of sprites of a type that are gone in the next state."""
    shown = [[{row[0] for row in f.arrays.tolist() if row[1] == kind} for f in play.frames] for play in plays]
    return sum(len(was - now) for states in shown for was, now in itertools.pairwise(states))


def test_random_walkers_that_turn_or_die_have_met_something_wherever_they_went(tmp_path: Path) -> None:
    game, plays = random_plays(tmp_path, _TOWN, _STREETS)
    citizen, ghost, rabbit, chimney = map(game.types.index, ("citizen", "ghost", "rabbit", "chimney"))
    hypothesis, table = first_guess(Lives(plays), Follower(plays))
    turned = {(m.play, m.index, m.id) for m in table.pairs[citizen, chimney] if m.outcome == f"{INTO}{ghost}"}
    assert len(turned) >= _counted(plays, citizen) - 1 > 10  # another ghost was predicted where one came to be
    assert Rule(citizen, chimney, "transformTo", (("stype", f"t{ghost}"),)) in hypothesis.rules
    died = {(m.play, m.index, m.id) for m in table.pairs[rabbit, ghost] if m.outcome == DEAD}
    assert len(died) > _counted(plays, rabbit) / 2 > 2  # some were predicted where they met something else
    assert Rule(rabbit, ghost, "killSprite") in hypothesis.rules


_LAMPS = """
BasicGame square_size=20
    SpriteSet
        dark > Immovable
        lit > Immovable
        walker > MovingAvatar
    LevelMapping
        A > walker
        o > dark
    InteractionSet
        walker wall > stepBack
        dark walker > transformTo stype=lit
        lit walker > transformTo stype=dark scoreChange=1
    TerminationSet
        Timeout limit=50 win=False
"""


def test_a_sprite_may_turn_twice_within_a_tick(tmp_path: Path) -> None:
    game, plays = random_plays(tmp_path, _LAMPS, "wwwwwww\nwo o ow\nw  A  w\nwo o ow\nwwwwwww\n", 100)
    dark, lit, walker = map(game.types.index, ("dark", "lit", "walker"))
    lights = Rule(dark, walker, "transformTo", (("stype", f"t{lit}"),))
    darkens = Rule(lit, walker, "transformTo", (("stype", f"t{dark}"), ("scoreChange", 1)))
    kinds = {0: Kind("Immovable"), dark: Kind("Immovable"), lit: Kind("Immovable"), walker: Kind("MovingAvatar")}
    follower = Follower(plays)
    hypothesis = Hypothesis(kinds, (Rule(walker, 0, "stepBack"), darkens, lights), square_size=20)
    found = with_chains(follower, hypothesis)
    assert found.rules[0] == lights
    assert follower.follow(found).loss < follower.follow(hypothesis).loss
    assert with_chains(follower, found) == found


@pytest.mark.parametrize(
    ("births", "others", "line"),
    [
        ((0, 0, 0), (1, 1), "avatar t4 > spawnIfHasLess stype=t9 resource=t7 limit=0"),
        ((3, 5, 4), (0, 2), "avatar t4 > spawnIfHasMore stype=t9 resource=t7 limit=3"),
        ((3, 5, 4), (0, 4), "avatar t4 > spawn stype=t9"),
        ((3, 3, 3), (), "avatar t4 > spawn stype=t9"),
    ],
)
def test_spawns_may_need_an_amount_or_a_lack_of_a_resource(
    births: tuple[int, ...], others: tuple[int, ...], line: str
) -> None:
    table = Table()
    found = meetings((1, 4), *[OK] * (len(births) + len(others)))
    held = [((7, amount),) for amount in (*births, *others)]
    born = [(9,)] * len(births) + [()] * len(others)
    table.pairs[1, 4] = [replace(m, held=h, born=b) for m, h, b in zip(found, held, born, strict=True)]
    kinds = {1: Kind("MovingAvatar"), 4: Kind("Immovable"), 7: Kind("Resource"), 9: Kind("Immovable")}
    assert guessed_lines(table, kinds) == [line]


def test_a_price_is_paid_for_a_spawn() -> None:
    table = Table()
    paid = [replace(m, held=((7, 4),), gained=((7, -4),), born=(9,)) for m in meetings((1, 4), *[OK] * 3)]
    table.pairs[1, 4] = [*paid, *(replace(m, index=20 + m.index, held=((7, 2),)) for m in meetings((1, 4), OK, OK))]
    kinds = {1: Kind("MovingAvatar"), 4: Kind("Immovable"), 7: Kind("Resource"), 9: Kind("Immovable")}
    assert guessed_lines(table, kinds) == ["avatar t4 > spawnIfHasMore stype=t9 resource=t7 limit=4 spend=4"]


def test_several_gains_in_a_tick_are_gains_of_one_each() -> None:
    table = Table()
    table.pairs[3, 1] = [
        replace(m, index=5, id=k, gained=((7, 2),)) for k, m in enumerate(meetings((3, 1), DEAD, DEAD))
    ]
    kinds = {1: Kind("MovingAvatar"), 3: Kind("Fleeing"), 7: Kind("Resource")}
    assert guessed_lines(table, kinds) == ["avatar t3 > changeResource resource=t7 value=1 killResource=True"]


def test_what_died_may_have_met_any_mover_within_its_reach() -> None:
    monster, sword, hero = (1, 8, (0, 0)), (2, 10, (40, 20)), (3, 11, (20, 40))
    cells = {(0, 0): [monster], (2, 1): [sword], (1, 2): [hero]}
    outcomes = {monster: DEAD, sword: OK, hero: OK}
    reach = {1: [(20, 20), (40, 20), (0, 20), (20, 40), (20, 0)]}
    found = _lost_elsewhere(outcomes, reach, cells, {2, 3}, 20)
    assert found == {monster: [(1, 8, (40, 20)), (1, 8, (20, 40))]}
    assert _lost_elsewhere(outcomes, reach, cells, {3}, 20) == {monster: [(1, 8, (20, 40))]}  # the sword was at rest
    cells[0, 0].append((4, 9, (0, 0)))
    assert _lost_elsewhere(outcomes, reach, cells, {3, 4}, 20) == {monster: [monster, (1, 8, (20, 40))]}
    assert _lost_elsewhere({monster: OK}, reach, cells, {3, 4}, 20) == {}


_FENCING = """
BasicGame square_size=20
    SpriteSet
        monster > RandomNPC
        sword > OrientedFlicker limit=9
        hero > ShootAvatar stype=sword rotateInPlace=False
    LevelMapping
        m > monster
        x > sword hero
    InteractionSet
        monster sword > killSprite
    TerminationSet
        SpriteCounter stype=monster win=True
"""


def test_a_weapon_that_was_left_behind_may_have_killed_what_moved_onto_it(tmp_path: Path) -> None:
    game = small_game(tmp_path, _FENCING, "wwwww\nw m w\nw x w\nwwwww\n")
    monster, sword, hero = (game.types.index(name) for name in ("monster", "sword", "hero"))
    before = observe(game.start(0, seed=1), Action.UP)
    arrays = before.arrays[before.arrays["type"] != monster].copy()  # it went down, and the hero up to its place
    arrays["y"][arrays["type"] == hero] = 20
    after = replace(before, arrays=arrays)
    kinds = {0: Kind("Immovable"), monster: Kind("RandomNPC"), sword: Kind("OrientedFlicker", {"limit": 9})}
    kinds[hero] = Kind("ShootAvatar", {"stype": f"t{sword}", "rotateInPlace": "False"})
    table = meet(Follower([Play(0, "", (before, after))]), Hypothesis(kinds, square_size=20))
    assert [m.outcome for m in table.pairs[monster, sword]] == [DEAD]


_TRAIL = """
BasicGame square_size=20
    SpriteSet
        ground > Immovable
        trail > Immovable
        hunter > Chaser stype=runner cooldown=2
        runner > MovingAvatar
    LevelMapping
        . > ground
        h > ground hunter
        A > ground runner
    InteractionSet
        runner wall > stepBack
        hunter wall trail > stepBack
        ground runner > spawnBehind stype=trail
    TerminationSet
        Timeout limit=100 win=False
"""


def test_what_appears_behind_an_avatar_was_not_entered_by_what_follows_it(tmp_path: Path) -> None:
    game = small_game(tmp_path, _TRAIL, "w" * 12 + "\nw" + "." * 10 + "w\nwhA" + "." * 8 + "w\n" + "w" * 12 + "\n")
    steps = [Action.RIGHT] * 7 + [Action.UP] + [Action.LEFT] * 7
    plays = []
    for seed in range(4):
        state = game.start(0, seed=seed)
        frames = []
        for action in steps:
            frames.append(observe(state, action))
            state.advance(action)
        plays.append(Play(0, "test", (*frames, observe(state))))
    hunter, trail = game.types.index("hunter"), game.types.index("trail")
    hypothesis, table = first_guess(Lives(plays), Follower(plays))
    assert table.entered[hunter, trail] == 0
    assert Rule(hunter, trail, "stepBack") in hypothesis.rules
