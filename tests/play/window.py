"""A window that tests control by keys and inspect, and the small games played in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pygame
from pygame.event import Event

from vgdl.play.app import App, Screen

RACE = """\
BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True color=BROWN
        goal > Door color=GREEN
        coin > Resource limit=9 color=GOLD
        runner > MovingAvatar healthPoints=3 color=BLUE
    LevelMapping
        . > floor
        g > floor goal
        c > floor coin
        A > floor runner
    InteractionSet
        goal runner > killSprite scoreChange=5
        coin runner > collectResource
        runner EOS > stepBack
    TerminationSet
        SpriteCounter stype=goal limit=0 win=True
        Timeout limit=30 win=False
"""
RACE_LEVELS = ("A..g\n....\n", "Ac.g\n....\n")

SHOOTER = """\
BasicGame square_size=10
    SpriteSet
        shot > Missile color=RED
        gun > FlakAvatar stype=shot
    LevelMapping
        A > gun
    InteractionSet
        gun EOS > stepBack
        shot EOS > killSprite
    TerminationSet
        Timeout limit=100 win=False
"""

DUEL = """\
BasicGame square_size=10 no_players=2
    SpriteSet
        floor > Immovable hidden=True
        flag > Door color=GREEN
        avatar > MovingAvatar
            red > color=RED
            blue > color=BLUE
    LevelMapping
        . > floor
        g > flag
        A > red
        B > blue
    InteractionSet
        avatar EOS > stepBack
        flag avatar > killSprite scoreChange=1,1
    TerminationSet
        SpriteCounter stype=flag limit=0 win=True,False
        Timeout limit=100 win=False,False
"""
DUEL_LEVEL = "A..g\nB...\n"

CONTROLLERS = '''\
from vgdl import Action
from vgdl.controllers import Controller

class Right(Controller):
    """Goes right, and tells what it thinks."""
    def act(self, state, timer):
        return Action.RIGHT
    def draw(self):
        return {Action.RIGHT: 2.5, Action.LEFT: -1.0, Action.UP: 0.0}

class Silent(Controller):
    def act(self, state, timer):
        return Action.RIGHT

class Broken(Controller):
    def act(self, state, timer):
        raise RuntimeError("out of ideas")

class Stillborn(Controller):
    def __init__(self, state, timer, player=0):
        raise RuntimeError("no wish to play")
    def act(self, state, timer):
        return Action.NIL

class Leaving(Controller):
    def act(self, state, timer):
        raise SystemExit(3)

class Hanging(Controller):
    def act(self, state, timer):
        print("hanging", flush=True)
        while True:
            pass
'''


class Window:
    """Drives an `App` as a person does: with key and mouse events, one turn of the loop each."""

    def __init__(self, size: tuple[int, int] = (800, 600)) -> None:
        self.app = App("test", size)
        pygame.event.clear()

    @property
    def top(self) -> Screen | None:
        return self.app.top

    def wait(self, milliseconds: float = 0) -> None:
        self.app.turn(milliseconds)

    def ticks(self, count: int) -> None:
        """Let a number of ticks of 40 milliseconds pass."""
        for _ in range(count):
            self.app.turn(40)

    def hold(self, *keys: int) -> None:
        for key in keys:
            pygame.event.post(Event(pygame.KEYDOWN, key=key, unicode=chr(key) if key < 128 else "", mod=0))
        self.app.turn(0)

    def let_go(self, *keys: int) -> None:
        for key in keys:
            pygame.event.post(Event(pygame.KEYUP, key=key, mod=0))
        self.app.turn(0)

    def press(self, *keys: int) -> None:
        """Down and up again, one after the other."""
        for key in keys:
            self.hold(key)
            self.let_go(key)

    def type(self, character: str, mod: int = 0) -> None:
        pygame.event.post(Event(pygame.KEYDOWN, key=ord(character), unicode=character, mod=mod))
        self.app.turn(0)

    def control(self, key: int) -> None:
        pygame.event.post(Event(pygame.KEYDOWN, key=key, unicode="", mod=pygame.KMOD_LCTRL))
        self.app.turn(0)

    def click(self, place: tuple[int, int], button: int = 1) -> None:
        pygame.event.post(Event(pygame.MOUSEMOTION, pos=place, rel=(0, 0), buttons=(0, 0, 0)))
        pygame.event.post(Event(pygame.MOUSEBUTTONDOWN, pos=place, button=button))
        pygame.event.post(Event(pygame.MOUSEBUTTONUP, pos=place, button=button))
        self.app.turn(0)

    def pixels(self) -> bytes:
        """The pixels of the window."""
        return pygame.image.tobytes(self.app.surface, "RGB")


Open = Callable[..., Window]  # opens a window as vgdl-play would, from its arguments


def write_games(folder: Path) -> Path:
    """Write the games of these tests to files."""
    for name, text, levels in (
        ("race", RACE, RACE_LEVELS),
        ("shooter", SHOOTER, ("A..\n",)),
        ("duel", DUEL, (DUEL_LEVEL,)),
    ):
        (folder / f"{name}.txt").write_text(text)
        for number, level in enumerate(levels):
            (folder / f"{name}_lvl{number}.txt").write_text(level)
    (folder / "players.py").write_text(CONTROLLERS)
    return folder
