"""Instructions per moved sprite in games with hundreds of movers, most of which meet nothing in most ticks.

    python benchmarks/movers.py [--json FILE] [--before FILE]

Three games of that kind, each at several sizes: walkers that turn each other when they meet, things that cross a sea from
both sides and are shot at, and holes from which targets appear for some ticks. Counted as ``instructions.py`` does,
which it calls. The difference between two sizes, divided by that of their movers, is what a mover costs.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = (60, 120, 240, 480)

WALKERS = """BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        avatar > MovingAvatar
        mover > RandomNPC cooldown={cooldown}
            well >
            ill >
    LevelMapping
        . > floor
        a > floor well
        b > floor ill
    InteractionSet
        avatar wall > stepBack
        mover wall > stepBack
        well ill > transformTo stype=ill scoreChange=-1
        ill avatar > transformTo stype=well scoreChange=2
    TerminationSet
        SpriteCounter stype=ill win=True
        Timeout limit=2000 win=False
"""

SEA = """BasicGame square_size=10
    SpriteSet
        avatar > ShootAvatar stype=dart
        dart > Missile
        fish > Missile speed=0.25
            left > orientation=LEFT
            right > orientation=RIGHT
        source > SpawnPoint prob=0.02 cooldown=5
            west > stype=right
            east > stype=left
    LevelMapping
        a > left
        b > right
        W > west
        E > east
    InteractionSet
        avatar EOS wall > stepBack
        fish EOS > wrapAround
        dart EOS > killSprite
        fish dart > killBoth scoreChange=1
        avatar fish > killSprite
    TerminationSet
        SpriteCounter stype=avatar win=False
        Timeout limit=2000 win=True
"""

HOLES = """BasicGame square_size=10
    SpriteSet
        avatar > MovingAvatar
        hole > SpawnPoint stype=target prob=0.05 cooldown=3
        target > Flicker limit=8
    LevelMapping
        a > hole
        b > target
    InteractionSet
        avatar EOS wall > stepBack
        target avatar > killSprite scoreChange=1
    TerminationSet
        Timeout limit=2000 win=True
"""


def level(movers: int, draws: random.Random, *, sea: bool) -> str:
    """A hall of six cells for each mover."""
    columns = 40
    rows = max(3, movers * 6 // columns)
    cells = [["." if not sea else " " for _ in range(columns)] for _ in range(rows)]
    places = [(row, column) for row in range(rows) for column in range(1, columns - 1)]
    for number, (row, column) in enumerate(draws.sample(places, movers)):
        cells[row][column] = "a" if number % 2 else "b"
    row, column = next(place for place in places if cells[place[0]][place[1]] not in "ab")
    cells[row][column] = "A"
    if sea:
        for row in range(0, rows, 4):
            cells[row][0], cells[row][-1] = "W", "E"
    lines = ["".join(line) for line in cells]
    return "\n".join(["w" * (columns + 2), *(f"w{line}w" for line in lines), "w" * (columns + 2)]) + "\n"


def main(options: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, text in (("walkers", WALKERS.format(cooldown=1)), ("sea", SEA), ("holes", HOLES)):
            for size in SIZES:
                path = Path(folder) / f"{name}{size}.txt"
                path.write_text(text)
                plan = level(size, random.Random(size), sea=name == "sea")
                path.with_name(f"{path.stem}_lvl0.txt").write_text(
                    plan.replace(".", " ") if name != "walkers" else plan
                )
                paths.append(str(path))
        counter = Path(__file__).with_name("instructions.py")
        return subprocess.run([sys.executable, counter, *paths, *options], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
