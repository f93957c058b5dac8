"""The effects that move and turn sprites (effects, 10.4)."""

import pytest

from semantics.harness import DOWN, LEFT, NONE, RIGHT, UP, JavaRandom, after, game, level, play
from vgdl import Action

PILE = level("A.", "x.")
BOX_AND_KEY = "box > Immovable\nkey > Immovable"


@pytest.mark.parametrize(
    ("orientation", "rows", "plain", "pixel_perfect"),
    [
        ("RIGHT", ("b.w", "A.."), (7, 0), (10, 0)),
        ("LEFT", ("w.b", "A.."), (13, 0), (10, 0)),
        ("DOWN", ("bA", "..", "w."), (0, 7), (0, 10)),
        ("UP", ("wA", "..", "b."), (0, 13), (0, 10)),
    ],
)
def test_stepBack(
    orientation: str, rows: tuple[str, ...], plain: tuple[int, int], pixel_perfect: tuple[int, int]
) -> None:
    """10.4 and 9.4: back to where it was, or, ``pixelPerfect``, so that it just touches the partner.

    A box that moves 7 pixels a tick from tick 1 on runs into a wall one cell away in tick 2. Its orientation stays.
    """
    sprites = f"box > Missile orientation={orientation} speed=0.7"
    assert play(game(sprites, "box wall > stepBack"), level(*rows), ticks=3).only("box").position == plain
    touching = play(game(sprites, "box wall > stepBack pixelPerfect=True"), level(*rows), ticks=3).only("box")
    assert touching.position == pixel_perfect
    assert touching.orientation == {"RIGHT": RIGHT, "LEFT": LEFT, "DOWN": DOWN, "UP": UP}[orientation]


def test_stepBack_pixelPerfect_of_a_sprite_that_did_not_move_is_its_last_rectangle() -> None:
    """9.4: no direction of travel."""
    rules = game("box > Immovable\nkey > Missile orientation=LEFT speed=0.5", "box key > stepBack pixelPerfect=True")
    assert play(rules, level("bk", "A."), ticks=2).only("box").rect == (0, 0, 10, 10)


def test_stepBack_pixelPerfect_at_the_edge_is_a_plain_one() -> None:
    """10.4: without a partner it goes back to its last rectangle."""
    rules = game("box > Missile orientation=RIGHT speed=0.7", "box EOS > stepBack pixelPerfect=True")
    assert play(rules, level("b.", "A."), ticks=3).only("box").position == (7, 0)


def test_stepBack_stops_an_avatar_at_a_wall() -> None:
    """10.4: the everyday case."""
    rules = game("box > Immovable", "avatar wall > stepBack")
    world = play(rules, level("A.w"), actions=[Action.RIGHT] * 3)
    assert world.avatar.position == (10, 0)


@pytest.mark.parametrize(
    ("arguments", "left", "right"),
    [("", (0, 0), (30, 0)), ("notStype=left", (10, 0), (30, 0)), ("notStype=left,right", (10, 0), (20, 0))],
)
def test_undoAll(arguments: str, left: tuple[int, int], right: tuple[int, int]) -> None:
    """10.4: every sprite of every type not listed goes back to its last rectangle; tick 1 moves them by a cell."""
    rules = game(
        """
        left > Missile orientation=RIGHT
        right > Missile orientation=LEFT
        box > Immovable
        key > Immovable
        """,
        f"box key > undoAll {arguments}",
        mapping="x > box key",
    )
    world = play(rules, level("l..r", "A.x."), actions=[Action.NIL, Action.RIGHT])
    assert (world.only("left").position, world.only("right").position) == (left, right)
    assert (world.only("left").orientation, world.avatar.position) == (RIGHT, (0, 10))


def test_undoAll_leaves_sprites_of_inner_types_alone() -> None:
    """10.4 and quirk 45: a non-leaf type is not in the draw order; its sprite stays where it was put.

    The avatar moves to (5,0), the parcel at (10,0) is aligned with it, and then only the avatar is put back.
    """
    rules = game(
        "avatar > MovingAvatar speed=0.5\nparcel > Passive\n    stamped >\nbox > Immovable\nkey > Immovable",
        "parcel avatar > align\nbox key > undoAll",
        mapping="x > box key",
    )
    world = play(rules, level("Ap.", "x.."), actions=[Action.RIGHT])
    assert (world.avatar.position, world.only("parcel").position) == ((0, 0), (5, 0))


@pytest.mark.parametrize(("speed", "down"), [(1, 20), (0.5, 10), (0.25, 4)])
def test_turnAround(speed: float, down: int) -> None:
    """10.4 and quirk 30: back, then twice (int)(speed * block) down, then the other way. Leaves the screen in tick 1.

    0.25 * 10 is 2 pixels, truncated, twice.
    """
    rules = game(f"box > Missile orientation=LEFT speed={speed}", "box EOS > turnAround")
    box = play(rules, level("bA", "..", ".."), ticks=2).only("box")
    assert (box.position, box.orientation) == ((0, down), RIGHT)


def test_turnAround_of_a_sprite_without_speed_uses_a_speed_of_one() -> None:
    """10.4: two whole blocks down; the cooldown does not matter."""
    rules = game(
        "box > Missile orientation=UP speed=0 cooldown=9\nkey > Immovable",
        "box key > turnAround",
        mapping="x > box key",
    )
    box = play(rules, PILE).only("box")
    assert (box.position, box.orientation) == ((0, 30), DOWN)


def test_reverseDirection() -> None:
    """10.4: both components negated, every time; oriented or not."""
    rules = game(
        "box > Immovable orientation=LEFT\nkey > Immovable",
        "box key > reverseDirection scoreChange=1",
        mapping="x > box key",
    )
    assert play(rules, PILE, ticks=1).only("box").orientation == RIGHT
    assert play(rules, PILE, ticks=2).only("box").orientation == LEFT


@pytest.mark.parametrize("seed", range(6))
def test_flipDirection(seed: int) -> None:
    """10.4: one of UP, LEFT, DOWN, RIGHT by nextInt(4); whether the sprite is oriented is not asked."""
    rules = game(BOX_AND_KEY, "box key > flipDirection", mapping="x > box key")
    world = play(rules, PILE, ticks=3, seed=seed)
    random = JavaRandom(seed)
    drawn = [(UP, LEFT, DOWN, RIGHT)[random.next_int(4)] for _ in range(3)]
    assert (world.only("box").orientation, world.rng) == (drawn[-1], random.state)


GAZES = [
    pytest.param("DOWN", "LEFT", (".fs", "A.."), LEFT, (10, 5), (10, 0), id="sideways: aligned in y"),
    pytest.param("LEFT", "DOWN", ("sf.", "A.."), DOWN, (5, 0), (0, 0), id="upright: aligned in x"),
]
"""Two missiles at half a cell per tick that overlap in tick 1: who flies how, and what the first gets to see."""


@pytest.mark.parametrize(("first", "second", "rows", "orientation", "position", "aligned"), GAZES)
def test_attractGaze(
    first: str,
    second: str,
    rows: tuple[str, ...],
    orientation: tuple[float, float],
    position: tuple[int, int],
    aligned: tuple[int, int],
) -> None:
    """10.4: takes the partner's orientation; ``align`` moves it on the partner's line of travel."""
    sprites = f"first > Missile orientation={first} speed=0.5\nsecond > Missile orientation={second} speed=0.5"
    for arguments, expected in (("", position), ("align=True", aligned)):
        world = play(game(sprites, f"first second > attractGaze {arguments}"), level(*rows), ticks=2)
        assert (world.only("first").orientation, world.only("first").position) == (orientation, expected)
        assert world.rng == after(("double", 1))


@pytest.mark.parametrize(
    ("first", "second", "draws"),
    [
        pytest.param("Immovable orientation=UP", "Immovable orientation=LEFT", 1, id="prob fails"),
        pytest.param("Immovable orientation=UP", "Immovable", 0, id="second not oriented"),
        pytest.param("Immovable", "Immovable orientation=LEFT", 0, id="first not oriented"),
    ],
)
def test_attractGaze_that_does_nothing_still_scores(first: str, second: str, draws: int) -> None:
    """10.4: without two oriented sprites it does not even draw."""
    rules = game(
        f"first > {first}\nsecond > {second}",
        "first second > attractGaze prob=0 scoreChange=1",
        mapping="x > first second",
    )
    world = play(rules, PILE)
    assert world.only("first").orientation == (UP if "UP" in first else NONE)
    assert (world.score, world.rng) == (1, after(("double", draws)))


@pytest.mark.parametrize(("arguments", "orientation"), [("", LEFT), ("orient=False", NONE), ("prob=0", LEFT)])
def test_align(arguments: str, orientation: tuple[float, float]) -> None:
    """10.4: on the partner's position with its own size; orientation too, oriented or not; ``prob`` is not used."""
    rules = game(
        "first > Immovable wMult=1.5\nsecond > Missile orientation=LEFT speed=0.5",
        f"first second > align {arguments}",
    )
    world = play(rules, level("f.s", "A.."), ticks=3)
    assert (world.only("first").rect, world.only("first").orientation) == ((10, 0, 15, 10), orientation)
    assert world.rng == after()


@pytest.mark.parametrize(
    ("orientation", "rows", "plain", "offset"),
    [
        ("RIGHT", ("...b", "A...", "...."), (0, 0), (5, 0)),
        ("LEFT", ("b...", "A...", "...."), (30, 0), (25, 0)),
        ("DOWN", ("....", "A...", "b..."), (0, 0), (0, 5)),
        ("UP", ("b...", "A...", "...."), (0, 20), (0, 15)),
    ],
)
def test_wrapAround(orientation: str, rows: tuple[str, ...], plain: tuple[int, int], offset: tuple[int, int]) -> None:
    """10.4: in again on the other side, ``offset`` sizes further in. Leaves the 40 x 30 screen in tick 1."""
    sprites = f"box > Missile orientation={orientation}"
    for arguments, position in (("", plain), ("offset=0.5", offset)):
        world = play(game(sprites, f"box EOS > wrapAround {arguments}"), level(*rows), ticks=2)
        assert world.only("box").position == position


def test_wrapAround_without_orientation_does_not_move() -> None:
    """10.4: nothing matches; the score is added."""
    rules = game("box > Immovable wMult=2", "box EOS > wrapAround scoreChange=1")
    world = play(rules, level("A.", ".b"))
    assert (world.only("box").position, world.score) == ((10, 10), 1)


def test_wrapAround_starts_the_cooldown_anew() -> None:
    """10.4: ``lastmove`` is 0 after it, so a sprite with cooldown 2 that is wrapped every tick never moves."""
    sprites = "box > Missile orientation=RIGHT cooldown=2\nkey > Immovable"
    rows = level("x..", "A..")
    free = play(game(sprites, mapping="x > box"), rows, ticks=2)
    assert free.only("box").position == (10, 0)
    wrapped = play(game(sprites, "box key > wrapAround", mapping="x > box key"), rows, ticks=4)
    assert wrapped.only("box").position == (0, 0)


def test_bounceForward_pushes_in_the_direction_of_the_partners_move() -> None:
    """10.4: by the partner's speed, whatever the own one; the orientation follows."""
    rules = game("box > Passive", "box avatar > bounceForward")
    box = play(rules, level("Ab.."), actions=[Action.RIGHT]).only("box")
    assert (box.position, box.orientation) == ((20, 0), RIGHT)


@pytest.mark.parametrize(
    ("box", "second", "row", "position", "orientation"),
    [
        pytest.param("Passive", "RIGHT speed=0", "x..", (0, 0), NONE, id="partner did not move: faces nowhere"),
        pytest.param("Passive stationary=True", "RIGHT speed=0.5", "sb.", (10, 0), RIGHT, id="stationary: only turns"),
        pytest.param("Passive cooldown=5", "RIGHT speed=0.5", "sb.", (10, 0), RIGHT, id="cooling down: only turns"),
        pytest.param("Passive", "RIGHT speed=-0.5", "bs.", (-5, 0), RIGHT, id="partner flies backwards"),
    ],
)
def test_bounceForward_turns_even_what_it_does_not_push(
    box: str, second: str, row: str, position: tuple[int, int], orientation: tuple[float, float]
) -> None:
    """10.4 and quirk 29: the orientation is set in any case; against the partner's orientation the sign is turned.

    Backwards: the partner moves by -5 while facing RIGHT, so the push is RIGHT at speed -0.5, that is to the left.
    """
    rules = game(
        f"box > {box}\nsecond > Missile orientation={second}",
        "box second > bounceForward",
        mapping="x > box second",
    )
    pushed = play(rules, level(row, "A.."), ticks=2).only("box")
    assert (pushed.position, pushed.orientation) == (position, orientation)


def test_bounceForward_by_a_partner_of_speed_zero_uses_the_own_speed() -> None:
    """10.4 and 9.2: grid physics takes a speed of 0 for the own one, or for 1 if that is not positive.

    An avatar of speed 0 moves a whole cell (sprites, 9.1).
    """
    for speed, position in ((0.5, (15, 0)), (0, (20, 0))):
        rules = game(f"avatar > MovingAvatar speed=0\nbox > Passive speed={speed}", "box avatar > bounceForward")
        assert play(rules, level("Ab.."), actions=[Action.RIGHT]).only("box").position == position


def test_pullWithIt_carries_the_sprite_along() -> None:
    """10.4: by the partner's speed in the direction of its move in this tick, from tick 1 on."""
    rules = game(
        "box > Passive\nlog > Missile orientation=RIGHT speed=0.5",
        "box log > pullWithIt scoreChange=1",
        mapping="x > box log",
    )
    world = play(rules, level("x...", "A..."), ticks=4)
    assert (world.only("box").position, world.only("log").position) == ((15, 0), (15, 0))
    assert (world.only("box").orientation, world.score) == (NONE, 4)


def test_pullWithIt_moves_each_sprite_once_per_tick_and_scores_for_every_overlap() -> None:
    """10.4: a sprite on two logs is handled once per line, even if the cooldown would allow more; the score is not."""
    rules = game(
        "box > Passive\nlog > Missile orientation=RIGHT speed=0.5",
        "box log > pullWithIt scoreChange=1",
        mapping="x > box log log",
    )
    world = play(rules, level("x...", "A..."), ticks=3)
    assert (world.only("box").position, world.score) == ((10, 0), 6)


def test_pullWithIt_guard_belongs_to_the_line_not_to_the_pair() -> None:
    """10.4 and 4.3: both pairs of a line share the guard: only the first pair lines the box up; two lines do both.

    With ``pixelPerfect`` the box takes the rectangle of the raft, or then, on a second line, that of the log.
    """
    sprites = "box > Passive\nlog > Immovable wMult=2\nraft > Immovable wMult=3"
    one_line = game(sprites, "box raft log > pullWithIt pixelPerfect=True", mapping="x > box log raft")
    two_lines = game(
        sprites,
        "box raft > pullWithIt pixelPerfect=True\nbox log > pullWithIt pixelPerfect=True",
        mapping="x > box log raft",
    )
    assert play(one_line, level("x...", "A...")).only("box").rect == (0, 0, 30, 10)
    assert play(two_lines, level("x...", "A...")).only("box").rect == (0, 0, 20, 10)


def test_pullWithIt_fails_without_a_known_physics() -> None:
    """10.4: the reference asks the physics of a sprite for its grid, which only GRID and CONT have."""
    rules = game(
        "box > Passive physicstype=2\nlog > Missile orientation=RIGHT speed=0.5",
        "box log > pullWithIt scoreChange=1",
        mapping="x > box log",
    )
    world = play(rules, level("x...", "A..."))
    assert world.crashed
    assert world.is_over
    assert world.score == 0
    error = world.game.runtime_error(world.state)
    assert error is not None
    assert "neither GRID nor CONT" in str(error)
    assert "pullWithIt" in str(error)


def test_pullWithIt_obeys_the_cooldown() -> None:
    """10.4: the move is an ordinary one; with cooldown 3 the first is possible in tick 2 (lastmove 3)."""
    rules = game(
        "box > Passive cooldown=3\nlog > Missile orientation=RIGHT speed=0.1",
        "box log > pullWithIt",
        mapping="x > box log",
    )
    assert play(rules, level("x...", "A..."), ticks=2).only("box").position == (0, 0)
    assert play(rules, level("x...", "A..."), ticks=3).only("box").position == (1, 0)


def test_pullWithIt_outside_grid_physics_counts_in_tens_and_lifts() -> None:
    """10.4: 10 instead of the block (here 20), then onto the partner, with a level orientation.

    Tick 1: the log moves by 10 to (10,20) under the box at (20,20), which goes to x = 20 + (int)(0.5 * 10).
    """
    rules = game(
        "box > Passive physicstype=CONT orientation=DOWN\nlog > Missile orientation=RIGHT speed=0.5",
        "box log > pullWithIt",
        options="square_size=20",
    )
    box = play(rules, level("A...", "lb.."), ticks=2).only("box")
    assert (box.rect, box.orientation) == ((25, 0, 20, 20), NONE)


DOOR_AND_EXIT = "door > Portal stype=exit\nexit > Immovable {exit}\nbox > Passive {box}"
THROUGH = "box door > teleportToExit scoreChange=1"


@pytest.mark.parametrize("seed", range(4))
def test_teleportToExit_draws_an_exit(seed: int) -> None:
    """10.4: nextInt over the sprites of the portal's exact type; the rectangle is taken over with its size."""
    rules = game(DOOR_AND_EXIT.format(exit="hMult=2", box=""), THROUGH, mapping="x > box door")
    world = play(rules, level("xe.", "A.e", "..."), seed=seed)
    random = JavaRandom(seed)
    exits = [(10, 0, 10, 20), (20, 10, 10, 20)]
    assert world.only("box").rect == exits[random.next_int(2)]
    assert (world.score, world.rng) == (1, random.state)


def test_teleportToExit_draws_even_for_a_single_exit() -> None:
    """10.4 and quirk 15: nextInt(1)."""
    rules = game(DOOR_AND_EXIT.format(exit="", box=""), THROUGH, mapping="x > box door")
    world = play(rules, level("x.e", "A.."))
    assert (world.only("box").position, world.rng) == ((20, 0), after(("int 1", 1)))


def test_teleportToExit_takes_the_orientation_of_an_oriented_exit() -> None:
    """10.4: of an oriented one only."""
    for given, orientation in (("orientation=LEFT", LEFT), ("", DOWN)):
        rules = game(DOOR_AND_EXIT.format(exit=given, box="orientation=DOWN"), THROUGH, mapping="x > box door")
        assert play(rules, level("x.e", "A..")).only("box").orientation == orientation


def test_teleportToExit_kills_when_there_is_no_exit() -> None:
    """10.4: without a draw; it scores."""
    rules = game(DOOR_AND_EXIT.format(exit="", box=""), THROUGH, mapping="x > box door")
    world = play(rules, level("x..", "A.."))
    assert (world.count("box"), world.score, world.rng) == (0, 1, after())


def test_teleportToExit_can_be_undone_later_in_the_tick() -> None:
    """10.4: ``lastrect`` is the one from before the journey."""
    rules = game(DOOR_AND_EXIT.format(exit="", box=""), f"{THROUGH}\nbox exit > stepBack", mapping="x > box door")
    assert play(rules, level("x.e", "A..")).only("box").position == (0, 0)


def test_teleportToExit_starts_the_cooldown_anew() -> None:
    """10.4: ``lastmove`` is 0, so with cooldown 2 the next move is not in tick 1 but in tick 2."""
    rules = game(
        DOOR_AND_EXIT.format(exit="", box="orientation=RIGHT speed=1 cooldown=2"), THROUGH, mapping="x > box door"
    )
    assert play(rules, level("xe...", "A...."), ticks=2).only("box").position == (10, 0)
    assert play(rules, level("xe...", "A...."), ticks=3).only("box").position == (20, 0)


@pytest.mark.parametrize(
    ("partner", "works"),
    [
        pytest.param("SpawnPoint stype=exit prob=0", True, id="SpawnPoint"),
        pytest.param("Chaser stype=exit stationary=True", True, id="Chaser"),
        pytest.param("Spreader stype=exit", True, id="Spreader"),
        pytest.param("Immovable", False, id="no such field"),
        pytest.param("SpawnPoint prob=0", False, id="field not set"),
    ],
)
def test_teleportToExit_works_with_every_class_that_names_one_type(partner: str, works: bool) -> None:
    """10.4: any class with an int ``itype`` will do; otherwise a message, and the score all the same."""
    rules = game(f"door > {partner}\nexit > Immovable\nbox > Passive", THROUGH, mapping="x > box door")
    world = play(rules, level("x.e", "A.."))
    assert (world.only("box").position == (20, 0)) is works
    assert world.score == 1
