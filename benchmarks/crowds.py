"""How the time of a tick grows with a crowd: K sprites in one cell, of which every two meet.

    python benchmarks/crowds.py [--most K] [--ticks N] [--json]

One row per rule between the sprites of the crowd, or between those of two crowds: CPU time per tick in ms. The rules are executed up to K^2
times a tick, so twice as many sprites may take four times as long, and no more.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import vgdl

SIZES = (50, 100, 200, 400, 1000)

#: What is written in the InteractionSet, by the name of the row. All sprites are of type ``one`` unless a rule says ``other``.
RULES = {
    "stepBack": "one one > stepBack",
    "killBoth": "one one > killBoth",
    "killAll": "one one > killAll stype=one",
    "transformTo": "one one > transformTo stype=still",
    "undoAll": "one one > undoAll",
    "bounceForward": "one one > bounceForward",
    "pullWithIt": "one one > pullWithIt",
    "teleportToExit": "one gate > teleportToExit",
    "wallBounce": "one one > wallBounce",
    "reverseDirection": "one one > reverseDirection",
    "addTimer": "one one > addTimer timer=2 ftype=killAll stype=still",
    "two crowds": "one other > stepBack",
    "four rules": "one one > stepBack\n        one one > bounceForward\n        one one > align\n        one one > flipDirection",
}

GAME = """
BasicGame square_size=20
    SpriteSet
        one > RandomNPC
        other > RandomNPC
        still > Immovable
        gate > Portal stype=gate
    LevelMapping
        c > {crowd}
    InteractionSet
        {rule}
    TerminationSet
        Timeout limit=2000
"""

LEVEL = "A         \n     c    \n          \n          \n"


def crowd(rule: str, size: int) -> vgdl.StateObservation:
    """A play that begins with a crowd of so many sprites, or with two crowds that are as many together."""
    names = ["one"] * size
    for name in ("other", "gate"):
        if f" {name} " in rule:
            names[size // 2 :] = [name] * (size - size // 2)
    return vgdl.loads(GAME.format(crowd=" ".join(names), rule=rule)).start(LEVEL, seed=1)


def milliseconds(rule: str, size: int, ticks: int) -> float:
    """CPU time of a tick, the mean over the first ones."""
    state = crowd(rule, size)
    started = time.process_time()
    for _ in range(ticks):
        state.advance(vgdl.Action.NIL)
    return (time.process_time() - started) / ticks * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest crowd (default: %(default)s)")
    parser.add_argument("--ticks", type=int, default=5, help="ticks of a play (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    sizes = [size for size in SIZES if size <= options.most]
    found = {name: {size: milliseconds(rule, size, options.ticks) for size in sizes} for name, rule in RULES.items()}
    if options.json:
        print(json.dumps(found, indent=1))
        return 0
    print(f"{'ms per tick':18}" + "".join(f"{size:>9}" for size in sizes))
    for name, times in found.items():
        print(f"{name:18}" + "".join(f"{ms:9.2f}" for ms in times.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
