"""Small games that reveal how controllers differ, and states and timers to run them."""

from __future__ import annotations

import vgdl
from vgdl import Meter, StateObservation
from vgdl.controllers import Timer

RULES = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        wall > Immovable
        target > Immovable
        gem > Resource limit=99
        gold > Resource limit=99
        pill > Resource limit=99
        door > Door
        opened > Immovable
        rabbit > RandomNPC cooldown=5000
        wolf > RandomNPC cooldown=5000
        arrow > Missile orientation=LEFT speed=1
        bullet > Missile orientation=RIGHT singleton=True
        avatar > AVATAR stype=bullet
    LevelMapping
        . > floor
        w > wall
        t > target
        g > gem
        o > gold
        p > pill
        d > door
        r > rabbit
        f > wolf
        a > arrow
        A > avatar
    InteractionSet
        avatar wall > stepBack
        bullet wall > killSprite
        arrow wall > killSprite
        gem avatar > collectResource
        gold avatar > collectResource scoreChange=1
        pill avatar > killSprite scoreChange=-3
        rabbit avatar > killSprite scoreChange=1
        avatar wolf > killSprite
        avatar arrow > killSprite
        wolf bullet > killBoth scoreChange=1
        target bullet > killBoth scoreChange=1
        door avatar > transformTo stype=opened
    TerminationSet
        SpriteCounterMore stype=opened limit=1 win=True
        SpriteCounter stype=avatar limit=0 win=False
        Timeout limit=2000 win=False
"""

TWO_PLAYERS = """
BasicGame no_players=2 square_size=10
    SpriteSet
        floor > Immovable hidden=True
        wall > Immovable
        gold > Immovable
        trap > Immovable
        first > MovingAvatar
        second > MovingAvatar
    LevelMapping
        . > floor
        w > wall
        o > gold
        x > trap
        A > first
        B > second
    InteractionSet
        first wall > stepBack
        second wall > stepBack
        gold first > killSprite scoreChange=1,0
        gold second > killSprite scoreChange=0,1
        first trap > killSprite
        second trap > killSprite
        second first > killSprite
    TerminationSet
        SpriteCounter stype=first limit=0 win=False,True
        SpriteCounter stype=second limit=0 win=True,False
        Timeout limit=2000 win=False,False
"""

LONG_MS = 10_000.0


def small_game(*rows: str, avatar: str = "MovingAvatar", seed: int = 3) -> StateObservation:
    """A state on these rows with walls around them; it counts its calls.

    The letters: w wall; g gem, to be held; o gold, held and a point; p pill, costs three points; d door, wins;
    r rabbit, a point to the avatar that touches it; f wolf, kills by touch, a point if shot; t target, a point if shot;
    a arrow, flies to the left and kills. Rabbits and wolves stay where they are.
    """
    return _start(RULES.replace("AVATAR", avatar), rows, seed)


def duel(*rows: str, seed: int = 3) -> StateObservation:
    """A state for two, A and B: o is a point, x kills, and so does A if it meets B."""
    return _start(TWO_PLAYERS, rows, seed)


def _start(rules: str, rows: tuple[str, ...], seed: int) -> StateObservation:
    width = max(len(row) for row in rows)
    edge = "w" * (width + 2)
    level = "\n".join([edge, *(f"w{row:.<{width}}w" for row in rows), edge])
    state = vgdl.loads(rules).start(level=level, seed=seed)
    state.meter = Meter()
    return state


def calls(state: StateObservation, count: int) -> Timer:
    """A budget of calls of this state and its copies."""
    return Timer(budget_calls=count, meter=state.meter)


def unlimited() -> Timer:
    """A budget that no constructor uses up."""
    return Timer(LONG_MS)
