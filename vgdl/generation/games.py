"""`games-search`: whole games from parts that are drawn: an aim, dangers, walls and help, with levels by `archive`.

Each candidate is a set of parts put together; one with a level that tells good players from bad ones is returned.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import vgdl
from vgdl import VGDLError
from vgdl.controllers.base import Timer
from vgdl.generation.canvas import Pieces
from vgdl.generation.drawing import construct
from vgdl.generation.interface import GameGenerator, GameTexts, LevelTask, Size
from vgdl.generation.trials import Candidate, Trials

SIZE = Size((12, 16), (9, 12))
GOOD = 0.6
"""Skill depth with which a game is good enough to stop the search."""

_BATCH = 6


@dataclass(frozen=True)
class Parts:
    """What a part adds to each section of a game."""

    sprites: tuple[str, ...] = ()
    mapping: tuple[str, ...] = ()
    interactions: tuple[str, ...] = ()
    terminations: tuple[str, ...] = ()
    words: tuple[str, ...] = ()  #: by which a sentence asks for it


AIMS = (
    Parts(
        ("coin > Immovable color=GOLD",), ("c > floor coin",),
        ("coin hero > killSprite scoreChange=1",), ("SpriteCounter stype=coin win=True",), ("collect", "coin"),
    ),
    Parts(
        ("key > Resource limit={limit} color=GOLD", "gate > Door color=BROWN"), ("k > floor key", "g > floor gate"),
        (
            "key hero > collectResource scoreChange=1",
            "gate hero > killIfOtherHasMore resource=key limit={limit} scoreChange=2",
            "hero gate > stepBack",
        ),
        ("SpriteCounter stype=gate win=True",), ("key", "door", "gate", "escape"),
    ),
    Parts(
        ("crate > Passive color=ORANGE", "pit > Immovable color=DARKGRAY"), ("b > floor crate", "p > floor pit"),
        (
            "crate hero > bounceForward", "crate wall > undoAll", "crate crate > undoAll",
            "crate pit > killSprite scoreChange=1", "hero pit > stepBack",
        ),
        ("SpriteCounter stype=crate win=True",), ("push", "box", "crate"),
    ),
    Parts(
        ("sheep > Fleeing stype=hero cooldown={slow} color=WHITE",), ("s > floor sheep",),
        ("sheep wall > stepBack", "sheep sheep > stepBack", "sheep hero > killSprite scoreChange=1"),
        ("SpriteCounter stype=sheep win=True",), ("catch", "chase", "hunt"),
    ),
)  # fmt: skip
"""How a game is won."""

DANGERS = (
    Parts(
        ("ghost > RandomNPC cooldown={slow} color=RED",), ("1 > floor ghost",),
        ("ghost wall > stepBack", "hero ghost > killSprite scoreChange=-1"), (), ("ghost", "wander"),
    ),
    Parts(
        ("wolf > Chaser stype=hero cooldown={slower} color=DARKGRAY",), ("2 > floor wolf",),
        ("wolf wall > stepBack", "wolf wolf > stepBack", "hero wolf > killSprite scoreChange=-1"), (),
        ("wolf", "follow"),
    ),
    Parts(
        ("thorn > Immovable color=DARKGREEN",), ("3 > floor thorn",),
        ("hero thorn > killSprite scoreChange=-1",), (), ("thorn", "trap"),
    ),
    Parts(
        ("dart > Missile orientation={direction} speed=0.5 color=PINK",), ("4 > floor dart",),
        ("dart wall > reverseDirection", "hero dart > killSprite scoreChange=-1"), (), ("dart", "missile"),
    ),
)  # fmt: skip
"""What a game can be lost by."""

SWORD = Parts(
    ("blade > OrientedFlicker limit=3 singleton=True color=LIGHTGRAY",), (),
    ("ghost blade > killSprite scoreChange=1", "wolf blade > killSprite scoreChange=1"), (), ("sword", "fight"),
)  # fmt: skip

_GAME = """\
BasicGame
    SpriteSet
        floor > Immovable hidden=True color=LIGHTGRAY
        wall > Immovable color=GRAY
{sprites}
        hero > {avatar} color=BLUE
    LevelMapping
        . > floor
        w > wall
        A > floor hero
{mapping}
    InteractionSet
        hero wall > stepBack
{interactions}
    TerminationSet
        SpriteCounter stype=hero win=False
{terminations}
        Timeout limit={timeout} win=False
"""


class SearchedGames(GameGenerator):
    """Games from parts; the one whose level tells the judges best apart."""

    def generate(self, idea: str, timer: Timer) -> GameTexts:
        best: tuple[float, GameTexts] | None = None
        while not timer.exceeded and (best is None or best[0] < GOOD):
            found = self._try(draw_game(idea, self.generator), timer)
            if found is not None and (best is None or found[0] > best[0]):
                best = found
        if best is not None:
            return best[1]
        text = draw_game(idea, self.generator)
        pieces = Pieces(LevelTask(vgdl.loads(text, name="game")).description)
        return GameTexts(text, [construct(pieces, SIZE, self.generator).grid.text])

    def _try(self, text: str, timer: Timer) -> tuple[float, GameTexts] | None:
        """The depth of a game and the game with its best level; None if none is feasible."""
        try:
            task = LevelTask(vgdl.loads(text, name="game"), self.meter)
        except VGDLError:  # some parts do not fit together
            return None
        trials = Trials(task, self.generator.randrange(1 << 30))
        pieces = Pieces(task.description)
        batch: list[Candidate] = []
        for _ in range(5 * _BATCH):
            if timer.exceeded or len(batch) == _BATCH:
                break
            candidate = trials.quick(construct(pieces, SIZE, self.generator))
            if candidate is not None and candidate.feasibility.is_feasible:
                batch.append(candidate)
        finalists = trials.halve(batch, timer) if batch else []
        sure = [one for one in finalists if one.is_sure]
        if not sure:
            return None
        best = max(sure, key=lambda one: one.value)
        assert best.profile is not None
        return best.profile.depth, GameTexts(text, [best.canvas.grid.text])


def draw_game(idea: str, generator: random.Random) -> str:
    """The text of a game from parts; those that the idea mentions come first."""
    aim = _part_of_idea(AIMS, idea, generator)
    dangers = [_part_of_idea(DANGERS, idea, generator)]
    if generator.random() < 0.4:
        dangers.append(generator.choice([part for part in DANGERS if part not in dangers]))
    has_prey = any("ghost" in line or "wolf" in line for part in dangers for line in part.sprites)
    armed = has_prey and (generator.random() < 0.3 or any(word in idea.lower() for word in SWORD.words))
    parts = [aim, *dangers]
    values = {
        "limit": generator.randint(1, 3), "slow": generator.randint(2, 4), "slower": generator.randint(3, 6),
        "direction": generator.choice(("LEFT", "RIGHT", "UP", "DOWN")),
    }  # fmt: skip
    names = {line.split(" > ")[0] for part in parts for line in part.sprites}
    strikes = [line for line in SWORD.interactions if line.split()[0] in names] if armed else []

    def lines(section: str) -> str:
        found = [line.format(**values) for part in parts for line in getattr(part, section)]
        if armed and section == "sprites":
            found += SWORD.sprites
        if section == "interactions":
            found += strikes
        return "\n".join(f"        {line}" for line in found)

    return _GAME.format(
        sprites=lines("sprites"),
        mapping=lines("mapping"),
        interactions=lines("interactions"),
        terminations=lines("terminations"),
        avatar="ShootAvatar stype=blade" if armed else "MovingAvatar",
        timeout=generator.choice((400, 600, 800)),
    )


def _part_of_idea(choices: tuple[Parts, ...], idea: str, generator: random.Random) -> Parts:
    named = [part for part in choices if any(word in idea.lower() for word in part.words)]
    return generator.choice(named or choices)
