"""Resources that no sprite has, and those that are only collected with another: each on a small game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tracks.worldmodels.small import random_plays
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.contacts import DEAD, Meeting
from vgdl.competition.tracks.worldmodels.search.deaths import _held_for
from vgdl.competition.tracks.worldmodels.search.verify import Follower

_SUPPLIES = """
BasicGame square_size=20
    SpriteSet
        archer > ShootAvatar stype=arrow ammo=quiver rotateInPlace=False
        arrow > Missile
        crate > Immovable
        quiver > Resource limit=4
    LevelMapping
        A > archer
        c > crate
    InteractionSet
        archer wall > stepBack
        arrow wall > killSprite
        archer crate > changeResource resource=quiver value=2 killResource=True
    TerminationSet
        Timeout limit=100 win=False
"""


def test_a_resource_that_no_sprite_has_is_held_up_to_its_limit(tmp_path: Path) -> None:
    game, plays = random_plays(tmp_path, _SUPPLIES, "wwwwwww\nwcccccw\nwccAccw\nwcccccw\nwwwwwww\n")
    found = learn(plays, seconds=0).hypothesis
    quiver, archer = game.types.index("quiver"), game.types.index("archer")
    assert found.kinds[quiver].line(quiver) == f"t{quiver} > Resource limit=4"
    assert found.kinds[archer].parameters["ammo"] == f"t{quiver}"
    assert Follower(plays).follow(found).avatar_wrong == 0


_RECIPE = """
BasicGame square_size=20
    SpriteSet
        cook > MovingAvatar
        flour > Resource limit=1
        dough > Resource limit=1
    LevelMapping
        A > cook
        f > flour
        d > dough
    InteractionSet
        cook wall > stepBack
        flour cook > collectResource scoreChange=1
        dough cook > collectResourceIfHeld heldResource=flour scoreChange=2
    TerminationSet
        Timeout limit=60 win=False
"""


def test_what_is_only_collected_with_another_resource(tmp_path: Path) -> None:
    game, plays = random_plays(tmp_path, _RECIPE, "wwwwww\nwdA fw\nw    w\nwwwwww\n", 600)
    found = learn(plays, seconds=0).hypothesis
    flour, dough = game.types.index("flour"), game.types.index("dough")
    line = f"t{dough} avatar > collectResourceIfHeld heldResource=t{flour} scoreChange=2"
    assert line.replace("avatar", f"t{game.types.index('cook')}") in [rule.line() for rule in found.rules]


def _met(index: int, outcome: str, **held: int) -> Meeting:
    """A meeting of a resource of type 7, in a tick of its own, with amounts of others by type: ``t6=1``."""
    amounts = tuple((int(name[1:]), amount) for name, amount in held.items())
    return Meeting(0, index, index, 7, 1, 99, outcome, "ok", frozenset({1}), amounts, False, (0, 0))


def test_what_is_left_at_its_limit_needs_no_other_resource() -> None:
    taken = [_met(k, DEAD, t6=1) for k in range(3)]
    left = [_met(10 + k, "unmoved", t7=1) for k in range(3)]
    assert _held_for(7, taken, left) is None
    assert _held_for(7, taken, [replace(m, held=()) for m in left]) == (6, 1)
    assert _held_for(7, taken, [replace(m, held=((6, 1),)) for m in left]) is None
