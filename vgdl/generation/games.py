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
from vgdl.generation.trials import Candidate, Trials, halve

SIZE = Size((16, 24), (12, 16))
"""Of levels. Of 12 to 16 by 9 to 12 cells, all finalists of 25 competitions were won in fewer than 40 ticks."""

GOOD = 0.7
"""Skill depth with which a game is good enough to stop the search."""

_BATCH = 12  #: games that begin a competition
_DRAWS = 5  #: levels per game


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
    """Games from parts; the one whose level tells the judges best apart.

    A level of each of some games competes by successive halving (`halve`). The next competition has new levels for the
    games that came furthest, besides new games.
    """

    def generate(self, idea: str, timer: Timer) -> GameTexts:
        tried: list[Candidate] = []
        while not timer.exceeded and not any(_is_good(one) for one in tried):
            ranked = sorted((one for one in tried if one.value > 0), key=_merit, reverse=True)
            batch = [self._drawn(ranked[place].trials, timer) for place in range(min(len(ranked), _BATCH // 2))]
            while len(batch) < _BATCH and not timer.exceeded:
                batch.append(self._drawn(self._trials(idea), timer))
            fresh = [one for one in batch if one is not None]
            halve(fresh, timer)
            tried += fresh
        for one in sorted(tried, key=_merit, reverse=True):
            if one.value > 0 and one.trials.confirm(one):
                return _texts(one)
        if tried:
            return _texts(max(tried, key=lambda one: one.feasibility.mean))
        trials = self._trials(idea)
        level = construct(Pieces(trials.task.description), SIZE, self.generator).grid.text
        return GameTexts(trials.task.game.text, [level])

    def _trials(self, idea: str) -> Trials:
        """A new game."""
        while True:
            try:
                task = LevelTask(vgdl.loads(draw_game(idea, self.generator), name="game"), self.meter)
            except VGDLError:  # some parts do not fit together
                continue
            return Trials(task, self.generator.randrange(1 << 30))

    def _drawn(self, trials: Trials, timer: Timer) -> Candidate | None:
        """A level for a game that passes the quick tests; None if some draws find none."""
        pieces = Pieces(trials.task.description)
        for _ in range(_DRAWS):
            candidate = trials.quick(construct(pieces, SIZE, self.generator))
            if candidate is not None and candidate.feasibility.is_feasible and not trials.is_short(candidate):
                return candidate
            if timer.exceeded:
                break
        return None


def _merit(one: Candidate) -> tuple[bool, int, float]:
    """What the result is chosen by: levels that are feasible beyond doubt, then the most careful judges."""
    return one.is_sure, one.rung, one.value


def _is_good(one: Candidate) -> bool:
    return one.is_sure and one.profile is not None and one.profile.depth >= GOOD


def _texts(one: Candidate) -> GameTexts:
    return GameTexts(one.trials.task.game.text, [one.canvas.grid.text])


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
