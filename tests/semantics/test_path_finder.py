"""The path finder: obstacles, the choice among shortest paths, and later changes that it ignores (sprites, 15)."""

from random import Random

import pytest

from semantics.harness import BLOCK, after, game, level, play, start
from vgdl import Action

Cell = tuple[int, int]  #: column, row

STEPS = ((0, -1), (0, 1), (-1, 0), (1, 0))
"""Neighbours in their order: up, down, left, right; not the base order of the directions."""

CAT = "goal > Immovable\ncat > PathChaser stype=goal"


class Heap:
    """The queue of the specification: a binary heap in an array, whose ties decide which way is taken."""

    def __init__(self) -> None:
        self.items: list[tuple[int, Cell]] = []

    def insert(self, cost: int, cell: Cell) -> None:
        """Append, then move up while strictly smaller than the parent."""
        items = self.items
        items.append((cost, cell))
        i = len(items) - 1
        while i > 0 and items[i][0] < items[(i - 1) // 2][0]:
            parent = (i - 1) // 2
            items[i], items[parent] = items[parent], items[i]
            i = parent

    def take_min(self) -> tuple[int, Cell]:
        """The root; the last element is sifted down from there, to the left unless the right is strictly smaller."""
        items = self.items
        least = items[0]
        last = items.pop()
        if items:
            i = 0
            while (child := 2 * i + 1) < len(items):
                if child + 1 < len(items) and items[child + 1][0] < items[child][0]:
                    child += 1
                if last[0] <= items[child][0]:
                    break
                items[i] = items[child]
                i = child
            items[i] = last
        return least


def path(free: set[Cell], begin: Cell, end: Cell) -> list[Cell]:
    """Cells after ``begin`` up to ``end``; none if there is no way."""
    parents: dict[Cell, Cell] = {}
    seen = {begin}
    queue = Heap()
    queue.insert(0, begin)
    while queue.items:
        cost, cell = queue.take_min()
        for dx, dy in STEPS:
            neighbour = (cell[0] + dx, cell[1] + dy)
            if neighbour in free and neighbour not in seen:
                seen.add(neighbour)
                parents[neighbour] = cell
                queue.insert(cost + 1, neighbour)
    cells = [end] if end in parents else []
    while cells and parents[cells[-1]] != begin:
        cells.append(parents[cells[-1]])
    return cells[::-1]


@pytest.mark.parametrize("layout", range(20))
def test_which_of_several_shortest_ways_is_taken(layout: int) -> None:
    """The heap decides (sprites, 15): levels with random walls and many paths of the same length."""
    random = Random(layout)
    cells = [(column, row) for row in range(8) for column in range(9)]
    walls = set(random.sample(cells, 12))
    begin, end = random.sample(sorted(set(cells) - walls), 2)
    signs = {**dict.fromkeys(walls, "w"), begin: "c", end: "g"}
    rows = ["".join(signs.get((column, row), ".") for column in range(9)) for row in range(8)]
    free = (set(cells) - walls) | {(0, 8)}  # the avatar's cell, below: a dead end, but it passes through the heap
    world = start(game(CAT, options="obs=wall"), level(*rows, "A" + "w" * 8))
    place = begin
    for _ in range(12):
        # It asks anew from every cell, and takes the first step.
        place = next(iter(path(free, place, end)), place)
        assert world.wait(1).only("cat").position == (place[0] * BLOCK, place[1] * BLOCK)
    assert world.rng == after()


def test_the_first_step_prefers_neither_axis() -> None:
    """Worked out by hand: two cells right and one down, by way of the heap (sprites, 15).

    Queue [S]; S gives D = (0,1), R = (1,0). D comes out, giving (1,1); then R, giving (2,0). (1,1) is first and
    gives the goal (2,1): the way is down, right, right.
    """
    world = start(game(CAT, options="obs=wall"), level("c..", "..g", "wwA"))
    assert [world.wait(1).only("cat").position for _ in range(3)] == [(0, 10), (10, 10), (20, 10)]


def test_without_a_way_the_cat_stays() -> None:
    """An unreachable goal: no path, no step, no draw (sprites, 12.19 and 15)."""
    world = play(game(CAT, options="obs=wall"), level("c.w.g", "..w.A"), ticks=3)
    assert world.only("cat").position == (0, 0)
    assert world.rng == after()


def test_only_the_listed_types_block() -> None:
    """``obs`` is a comma list of exact types: a fence is none of them (sprites, 15)."""
    rules = game(f"{CAT}\nfence > Immovable\nhedge > Immovable", options="obs=wall,hedge")
    assert play(rules, level("cf.g", "...A"), ticks=1).only("cat").position == (10, 0)
    assert play(rules, level("ch.g", "...A"), ticks=1).only("cat").position == (0, 10)


def test_the_name_of_a_parent_blocks_nothing() -> None:
    """Names must be the own type of the sprites (sprites, 15 and quirk 31)."""
    rules = game(
        """
        goal > Immovable
        cat > PathChaser stype=goal
        barrier >
            fence > Immovable
        """,
        options="obs=barrier",
    )
    assert play(rules, level("cf.g", "...A"), ticks=1).only("cat").position == (10, 0)


def test_hidden_sprites_do_not_block() -> None:
    """The observation grid shows no sprite hidden from player 0 (sprites, 15 and quirk 31)."""
    rules = game(f"{CAT}\nfence > Immovable hidden=True", options="obs=fence")
    assert play(rules, level("cf.g", "...A"), ticks=1).only("cat").position == (10, 0)


def test_a_removed_obstacle_still_blocks() -> None:
    """Paths are computed once, when the level is loaded (sprites, 15 and quirk 31)."""
    rules = game(f"{CAT}\nfog > Flicker limit=0", options="obs=fog")
    world = play(rules, level(".f.", "cfg", "...", "..A"), ticks=2)
    assert world.count("fog") == 0
    assert world.only("cat").position == (10, 20)
    assert world.wait(2).only("cat").position == (20, 10)


def test_a_new_obstacle_does_not_block() -> None:
    """The cat walks through a fence that was put up after the level was loaded (sprites, 15)."""
    rules = game(
        f"{CAT}\nfence > Immovable\navatar > FlakAvatar stype=fence",
        options="obs=fence",
        mapping="""
        c > cat
        g > goal
        A > avatar
    """,
    )
    # FlakAvatars have three actions, so that only left and right are searched: a corridor is enough.
    world = start(rules, level("c.A.g"))
    world.advance(Action.USE)
    assert world.positions("fence") == [(20, 0)]
    assert world.wait(2).only("cat").position == (30, 0)


def test_with_three_actions_only_left_and_right_are_searched() -> None:
    """The neighbours of a game whose avatar has exactly three actions (sprites, 15), as in a fresh process."""
    rules = "goal > Immovable\ncat > PathChaser stype=goal\navatar > {}"
    lines = level("c....", "....g", "A....")
    along = level("c...g", "A....")
    three = game(rules.format("FlakAvatar stype=goal"), options="obs=wall", mapping="c > cat\ng > goal")
    assert play(three, lines, ticks=2).only("cat").position == (0, 0)
    assert play(three, along, ticks=2).only("cat").position == (20, 0)
    two = game(rules.format("HorizontalAvatar"), options="obs=wall", mapping="c > cat\ng > goal")
    assert play(two, lines, ticks=5).only("cat").position == (40, 10)


def test_some_block_sizes_find_the_cell_before() -> None:
    """49 * (1.0 / 49) is a little less than 1: the cat in column 1 plans from column 0 (sprites, 15).

    From its own cell the way leads LEFT, and from the one on its left DOWN: it goes down, into the wall.
    """
    assert int(49 * (1.0 / 49)) == 0
    rules = "goal > Immovable\ncat > PathChaser stype=goal"
    lines = level(".cw.", ".w..", "...g", "wwwA")
    world = play(game(rules, options="square_size=49 obs=wall"), lines, ticks=1)
    assert world.only("cat").position == (49, 49)
    assert play(game(rules, options="square_size=50 obs=wall"), lines, ticks=1).only("cat").position == (0, 0)


# --- cells that share a key ---

HUNTER = "avatar > {}\nhunter > PathChaser stype=avatar"


def test_beyond_the_hundredth_column_the_path_of_other_cells_is_taken() -> None:
    """(6, 1) to (107, 1) has the key of (6, 2) to (7, 1), whose path was stored last and begins with a step up (15, Request)."""
    wall, hall = "w" * 110, "w" + " " * 108 + "w"
    rows = [wall, "w h" + " " * 104 + "A w", hall, wall]
    world = play(game(HUNTER.format("MovingAvatar"), options="obs=wall"), level(*rows), ticks=4)
    assert world.only("hunter").position == (6 * BLOCK, BLOCK)
    assert world.wait(1).only("hunter").position == (6 * BLOCK, 0)


def test_a_target_a_hundred_cells_outside_of_the_screen_is_mistaken_for_another() -> None:
    """(1, 1) to (100, 1) has the key of (1, 2) to (0, 1), whose path begins with a step up (15, Request)."""
    rules = game(HUNTER.format("MissileAvatar orientation=RIGHT"), options="obs=wall")
    world = play(rules, level("h...", "..A.", "...."), ticks=98)
    assert world.only("hunter").position == (BLOCK, BLOCK)
    assert world.wait(1).avatar.position == (100 * BLOCK, BLOCK)
    assert world.only("hunter").position == (BLOCK, 0)
