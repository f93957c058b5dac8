"""Small games whose levels can, or cannot, be won."""

from __future__ import annotations

import vgdl
from vgdl import Game

COINS = """\
BasicGame
    SpriteSet
        floor > Immovable hidden=True
        wall > Immovable
        coin > Immovable color=GOLD
        thorn > Immovable color=RED
        unused > Immovable color=BLUE
        hero > MovingAvatar
    LevelMapping
        . > floor
        w > wall
        c > floor coin
        t > floor thorn
        A > floor hero
    InteractionSet
        hero wall > stepBack
        coin hero > killSprite scoreChange=1
        hero thorn > killSprite scoreChange=-1
    TerminationSet
        SpriteCounter stype=hero win=False
        SpriteCounter stype=coin win=True
        Timeout limit=300 win=False
"""

OPEN = """\
wwwwwwwwwwww
wA.........w
w.wwwwwwww.w
w........w.w
w........w.w
w........w.w
w.c......w.w
w..........w
wwwwwwwwwwww
"""
"""A coin far away."""

CLOSED = "wwwwwwww\nwA..wc.w\nw...w..w\nwwwwwwww\n"
"""A coin behind a wall."""

SURVIVAL = COINS.replace("Timeout limit=300 win=False", "Timeout limit=30 win=True")


def game(text: str = COINS) -> Game:
    """A game from its text."""
    return vgdl.loads(text, name="coins")
