"""The worked examples of ``docs/induction.md``: a door that needs a key, an enemy that kills, a box that is pushed."""

from __future__ import annotations

import pytest

import vgdl
from learnability import LONGEST, held_out
from vgdl.competition.tracks.worldmodels.lessons import teach
from vgdl.induction import Budget, Learner, Observer

KEY = """BasicGame
    SpriteSet
        wall > Immovable
        key > Resource limit=1
        door > Door
        you > MovingAvatar
    LevelMapping
        w > wall
        k > key
        d > door
        A > you
    InteractionSet
        you wall > stepBack
        key you > collectResource
        door you > killIfOtherHasMore resource=key limit=1 scoreChange=5
        you door > stepBack
    TerminationSet
        SpriteCounter stype=door win=True
"""
KEY_LEVELS = (
    "wwwwwww\nwA k  w\nw     w\nw   d w\nwwwwwww\n",
    "wwwwwww\nw   A w\nw d   w\nw   k w\nwwwwwww\n",
)

ENEMY = """BasicGame
    SpriteSet
        wall > Immovable
        enemy > RandomNPC cooldown=2
        you > MovingAvatar
    LevelMapping
        w > wall
        e > enemy
        A > you
    InteractionSet
        you wall > stepBack
        enemy wall > stepBack
        you enemy > killSprite scoreChange=-1
    TerminationSet
        SpriteCounter stype=you win=False
        Timeout limit=50 win=True
"""
ENEMY_LEVELS = (
    "wwwwwww\nwA    w\nw  w  w\nw   e w\nwwwwwww\n",
    "wwwwwww\nwe   Aw\nw  w  w\nw     w\nwwwwwww\n",
)

BOX = """BasicGame
    SpriteSet
        wall > Immovable
        hole > Immovable
        box > Passive
        you > MovingAvatar
    LevelMapping
        w > wall
        o > hole
        b > box
        A > you
    InteractionSet
        you wall > stepBack
        box you > bounceForward
        box wall > undoAll
        box box > undoAll
        box hole > killSprite scoreChange=1
    TerminationSet
        SpriteCounter stype=box win=True
"""
BOX_LEVELS = (
    "wwwwwwww\nw      w\nw Ab o w\nw  b   w\nw    o w\nwwwwwwww\n",
    "wwwwwwww\nw o    w\nw  b  Aw\nw  b   w\nw  o   w\nwwwwwwww\n",
)


#: per example: the game, its levels, another level, and the share of its ticks that has to be predicted
EXAMPLES = {
    "a door that needs a key": (KEY, KEY_LEVELS, "wwwwwww\nw d   w\nwA  k w\nw     w\nwwwwwww\n", 1.0),
    "an enemy that kills": (ENEMY, ENEMY_LEVELS, "wwwwwww\nw  e  w\nw  w  w\nwA    w\nwwwwwww\n", 0.9),
    "a box that is pushed": (BOX, BOX_LEVELS, "wwwwwwww\nw   o  w\nw bA   w\nw   b  w\nw  o   w\nwwwwwwww\n", 0.95),
}


@pytest.mark.costly
@pytest.mark.parametrize("name", EXAMPLES)
def test_example_is_learnt(name: str) -> None:
    text, levels, other, share = EXAMPLES[name]
    game, observer, learner = vgdl.loads(text), Observer(1), Learner(1, Budget(3000, 200_000))
    list(teach(game, learner, observer, 150, 1, levels, LONGEST))
    assert held_out(game, other, learner, observer, seed=2) >= share, learner.text
