"""Sprites so fast that their coordinates leave 32 bits (sprites, 8.4).

The position is clamped, and what exceeds it is added to the size, so that the far edge stays where it belongs.
"""

from __future__ import annotations

import pytest

from semantics.harness import game, level, play, start
from vgdl import Action

MOST = 2**31 - 1


@pytest.mark.parametrize(
    ("orientation", "rects"),
    [
        ("RIGHT", [(10, 0, 10, 10), (MOST, 0, 20, 10), (MOST, 0, MOST, 10), (MOST, 0, MOST, 10)]),
        ("DOWN", [(10, 0, 10, 10), (10, MOST, 10, 10), (10, MOST, 10, MOST), (10, MOST, 10, MOST)]),
        # the size shrinks by what is cut off: from -2147483637 by 2147483647 more
        ("LEFT", [(10, 0, 10, 10), (10 - MOST, 0, 10, 10), (-MOST - 1, 0, 10 - MOST + 11, 10)]),
    ],
)
def test_positions_are_clamped_and_sizes_take_the_rest(
    orientation: str, rects: list[tuple[int, int, int, int]]
) -> None:
    """speed=3e9 saturates to 2147483647 pixels a tick; the first drift of a life is suppressed (sprites, 8.2)."""
    world = start(game(f"rock > Missile physicstype=CONT speed=3e9 orientation={orientation}"), level(".r.", "A.."))
    seen = []
    for _ in rects:
        world.wait(1)
        seen.append(world.only("rock").rect)
    assert seen == rects


def test_two_that_end_in_the_same_place_meet() -> None:
    """The slower one gets there in tick 2. Their far edges lie beyond 32 bits, and they overlap all the same."""
    rules = game(
        "rock > Missile physicstype=CONT speed=3e9 orientation=RIGHT\nball > Missile physicstype=CONT speed=2e9 orientation=RIGHT",
        "rock ball > killSprite scoreChange=1",
    )
    world = play(rules, level("r.b", "A.."), ticks=2)
    assert (world.count("rock"), world.score) == (1, 0)
    assert (world.wait(1).count("rock"), world.score) == (0, 1)
    in_other_rows = play(rules, level("r..", "..b", "A.."), ticks=8)
    assert in_other_rows.count("rock") == 1


def test_such_a_sprite_is_off_the_screen() -> None:
    rules = game("rock > Missile physicstype=CONT speed=3e9 orientation=DOWN", "rock EOS > killSprite scoreChange=1")
    world = play(rules, level(".r.", "A.."), ticks=2)
    assert (world.count("rock"), world.score) == (0, 1)


def test_other_sprites_of_the_game_move_as_usual() -> None:
    """Every class of the common kinds, and the avatar."""
    quick = "rock > Missile physicstype=CONT speed=3e9 orientation=DOWN\n"
    slow = "rock > Missile physicstype=CONT speed=3 orientation=DOWN\n"
    others = "drunk > RandomNPC\nmissile > Missile orientation=RIGHT speed=0.3\nchaser > Chaser stype=avatar\nbomber > RandomBomber stype=missile prob=0.3"
    lines = level("........", ".d..c...", "..b..m..", "........", "A......r")
    plays = []
    for first in (quick, slow):
        world = start(game(first + others, "drunk EOS > stepBack"), lines)
        seen = []
        for action in [Action.RIGHT, Action.UP, Action.NIL] * 5:
            world.advance(action)
            seen.append([sprite for sprite in world.sprites if sprite.type != "rock"])
        plays.append((seen, world.rng))
    assert plays[0] == plays[1]
