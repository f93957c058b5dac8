"""What is never seen: sprites that die as they are made, hidden places beside others, sprites that hide for a while."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tracks.worldmodels.small import guessed_lines, learnt_and_loss, meetings
from vgdl.competition.tracks.worldmodels.search.contacts import Meeting, Table
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind, Layout
from vgdl.competition.tracks.worldmodels.search.rules import hurt
from vgdl.competition.tracks.worldmodels.search.unseen_spreading import makers

pytestmark = pytest.mark.costly

_MEADOW = """
BasicGame square_size=20
    SpriteSet
        soil > Immovable hidden=True
        grass > Immovable
        ash > Immovable
        fire > Spreader stype=heat limit=4{chance}
        heat > Flicker limit=9
        match > SpawnPoint stype=fire total=1
        straw > Immovable
        puddle > Immovable
        walker > MovingAvatar
    LevelMapping
        A > walker soil
        s > straw soil
        p > straw puddle soil
        g > grass soil
        . > soil
        w > wall soil
    InteractionSet
        walker wall grass > stepBack
        straw walker > transformTo stype=match
        grass heat > transformTo stype=ash scoreChange=1
        fire puddle > killSprite
        heat soil > killSprite
    TerminationSet
        Timeout limit=1000 win=False
"""
_FIELD = "wwwwwwwwwwwww\nwggsgsgsgsggw\nw.s.p.s.p.s.w\nwp.sAs.p.s.sw\nw.s.s.p.s.p.w\nwgsgsgsggsggw\nwwwwwwwwwwwww\n"


def _lines(found: Hypothesis) -> list[str]:
    return [*(kind.line(number) for number, kind in found.kinds.items()), *(rule.line() for rule in found.rules)]


def test_what_changes_around_fires_shows_that_they_spread_although_nothing_is_seen_to_spread(tmp_path: Path) -> None:
    found, loss = learnt_and_loss(tmp_path, _MEADOW.format(chance=""), _FIELD, 600)
    lines = _lines(found)
    assert "t5 > Spreader stype=t6 limit=4" in lines
    assert "t6 > Flicker limit=-1 hidden=True" in lines
    assert "t7 > SpawnPoint stype=t5 total=1" in lines  # fires have their first update in the tick of their birth
    assert any(line.startswith("t3 t6 > transformTo stype=t4") and "scoreChange=1" in line for line in lines)
    assert "t5 t9 > killSprite" in lines  # matches in puddles leave no fire
    assert loss == 0


def test_the_share_of_changes_around_fires_is_the_probability_of_spreading(tmp_path: Path) -> None:
    found, _ = learnt_and_loss(tmp_path, _MEADOW.format(chance=" spreadprob=0.5"), _FIELD, 900)
    assert 0.4 <= float(found.kinds[5].parameters["spreadprob"]) <= 0.6


_TUNNELS = """
BasicGame square_size=20
    SpriteSet
        tunnel > Passive
        mouth > Immovable hidden=True
        cat > RandomNPC cooldown=2
        asleep > RandomNPC cooldown=2 hidden=True
        mouse >
            tall > MovingAvatar
            flat > MovingAvatar
    LevelMapping
        A > flat
        t > tunnel
        m > mouth
        c > cat
    InteractionSet
        mouse wall > stepBack
        cat wall tunnel > stepBack
        asleep wall tunnel > stepBack
        flat mouth > transformToAll stype=asleep stypeTo=cat
        flat mouth > transformTo stype=tall
        tall tunnel > transformToAll stype=cat stypeTo=asleep
        tall tunnel > transformTo stype=flat
    TerminationSet
        Timeout limit=1000 win=False
"""
_BURROW = "wwwwwwwwwwwww\nwA   mttm   w\nw www ww ww w\nw    mttm c w\nw ww  ww  w w\nw    mttm   w\nwwwwwwwwwwwww\n"


def test_hidden_places_beside_a_type_turn_sprites(tmp_path: Path) -> None:
    found, _ = learnt_and_loss(tmp_path, _TUNNELS, _BURROW, 900)
    mouth, beside = next(iter(found.margins.items()))
    assert beside == 2
    assert found.kinds[mouth] == Kind("Immovable", {"hidden": "True"})
    assert f"t8 t{mouth} > transformTo stype=t7" in _lines(found)


def test_sprites_that_all_vanish_at_once_hide_and_come_back(tmp_path: Path) -> None:
    found, _ = learnt_and_loss(tmp_path, _TUNNELS, _BURROW, 900)
    hide = next(rule for rule in found.rules if (rule.first, rule.effect) == (7, "transformToAll"))
    hidden = int(str(dict(hide.parameters)["stypeTo"]).removeprefix("t"))
    assert (hide.second, dict(hide.parameters)["stype"]) == (2, "t4")
    assert found.kinds[hidden].parameters["hidden"] == "True"
    mouth = next(iter(found.margins))
    assert f"t8 t{mouth} > transformToAll stype=t{hidden} stypeTo=t4" in _lines(found)
    assert not any(rule.first == 4 and rule.effect == "killSprite" for rule in found.rules)


#: whenever the sweeper reaches the lamp, the only bolt hits a wall
_BOLTS = """
BasicGame square_size=20
    SpriteSet
        lamp > Immovable
        turret > SpawnPoint stype=bolt cooldown=10 spawnorientation=RIGHT
        bolt > Missile
        sweeper > Missile orientation=RIGHT
        walker > MovingAvatar
    LevelMapping
        A > walker
        t > turret
        s > sweeper
        x > lamp
    InteractionSet
        walker wall lamp turret > stepBack
        sweeper wall > reverseDirection
        sweeper wall > stepBack
        bolt wall > killSprite
    TerminationSet
        Timeout limit=100 win=False
"""


def test_sprites_that_are_made_again_do_not_hide(tmp_path: Path) -> None:
    level = "wwwwwwwwwww\nws   xw    w\nwt  wwwwwww\nwA        w\nwwwwwwwwwww\n"
    found, loss = learnt_and_loss(tmp_path, _BOLTS, level, 400)
    assert loss == 0
    assert not any(rule.effect == "transformToAll" for rule in found.rules)


def test_a_margin_is_in_every_cell_beside_a_type() -> None:
    hypothesis = Hypothesis({0: Kind("Immovable")}, margins={7: 3})
    level = hypothesis.level(Layout(4, 2, {(0, 0): (3,), (1, 0): (0, 3), (0, 1): (0,)}))
    assert level.standing == {(0, 0): (3,), (1, 0): (0, 3), (0, 1): (0, 7), (2, 0): (7,), (1, 1): (7,)}


def test_several_sprites_that_hurt_at_once_are_no_stronger_ones() -> None:
    table = Table()
    table.pairs[1, 4] = [_hurting(m, -1) for m in meetings((1, 4), *["ok"] * 6)]
    both = meetings((1, 4), "ok", "ok")
    table.pairs[1, 4] += [_hurting(m, -3, index=10) for m in both]  # two of them, and one of type 5
    table.pairs[1, 5] = [_hurting(meetings((1, 5), "ok")[0], -3, index=10)]
    table.pairs[1, 6] = [_hurting(m, -3, index=10 + m.index) for m in meetings((1, 6), "ok")]
    table.pairs[1, 6] += [_hurting(m, 0, index=20 + m.index) for m in meetings((1, 6), *["ok"] * 40)]
    assert [found.rule.line() for found in hurt(table, {1}, {})] == ["avatar t4 > subtractHealthPoints value=1"]


def _hurting(m: Meeting, health: int, index: int | None = None) -> Meeting:
    return replace(m, health=health, index=m.index if index is None else index)


@pytest.mark.parametrize("harmless", [5, 60])
def test_what_mostly_passes_over_a_sprite_does_not_turn_it(harmless: int) -> None:
    table = Table()
    passed = [replace(m, index=10 + m.index) for m in meetings((3, 15), *["unmoved"] * harmless)]
    table.pairs[3, 15] = [*meetings((3, 15), "into 4", "into 4"), *passed]
    kinds = {3: Kind("Immovable"), 4: Kind("Immovable"), 15: Kind("Missile")}
    assert ("t3 t15 > transformTo stype=t4" in guessed_lines(table, kinds)) == (harmless < 20)


def test_a_spawn_point_that_is_soon_gone_is_not_feared() -> None:
    kinds = {4: Kind("Immovable"), 5: Kind("Spreader", {"stype": "t6"}), 7: Kind("SpawnPoint", {"stype": "t5"})}
    assert makers(kinds) == {}
    assert makers({**kinds, 6: Kind("Flicker", {"limit": -1, "hidden": "True"})}) == {7: 5}
