"""Changes that leave a level a level: other cells, other sizes, more avatars or none.

Small levels are preferred: they take less time to build, and sprites meet more often in them.
"""

from __future__ import annotations

import random

from hostile.mutations import Mutation, mutations

MOST_COLUMNS, MOST_ROWS = 12, 8  #: of a window
AVATAR = "A"


def window(text: str, rng: random.Random) -> str:
    """A part of the level; mostly with an avatar, where there is none."""
    lines = text.split("\n")
    rows, columns = rng.randint(1, MOST_ROWS), rng.randint(1, MOST_COLUMNS)
    top = rng.randrange(max(1, len(lines) - rows))
    left = rng.randrange(max(1, len(lines[0]) - columns))
    cells = [list(line[left : left + columns]) for line in lines[top : top + rows]]
    full = [row for row in cells if row]
    if full and rng.random() < 0.9 and not any(AVATAR in row for row in cells):
        row = rng.choice(full)
        row[rng.randrange(len(row))] = AVATAR
    return "\n".join(map("".join, cells)) + "\n"


def scatter(text: str, rng: random.Random) -> str:
    """Some cells, or most, replaced by other ones of the level."""
    share = rng.random()
    known = [character for character in text if character != "\n"] or [AVATAR]
    return "".join(c if c == "\n" or rng.random() > share else rng.choice(known) for c in text)


def small(text: str, rng: random.Random) -> str:
    return scatter(window(text, rng), rng)


KINDS: list[Mutation] = [window, small, scatter, mutations]
WEIGHTS = [2, 3, 1, 1]  #: how often each kind is wanted
