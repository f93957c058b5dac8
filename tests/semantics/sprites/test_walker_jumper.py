"""WalkerJumper (sprites, 12.25): a Walker that pushes on, and jumps from solid ground."""

from semantics.harness import DOWN, NONE, RIGHT, UP, after, game, level, play

CLIFF = level("j...", "....", "wwww", "A...")
FALLS = "jumper > WalkerJumper physicstype=CONT orientation=DOWN"


def test_pushes_on_in_its_own_direction() -> None:
    """Active movement along its orientation, capped by ``max_speed`` 5 (sprites, 12.25 and 9.2)."""
    rules = game("jumper > WalkerJumper physicstype=CONT orientation=RIGHT speed=2")
    world = play(rules, level("j...", "A..."), ticks=1)
    assert world.only("jumper").speed == 3
    assert world.wait(1).only("jumper").position == (3, 0)
    assert world.only("jumper").speed == 4
    assert world.wait(3).only("jumper").position == (3 + 4 + 5 + 5, 0)
    assert world.only("jumper").orientation == RIGHT


def test_without_an_orientation_it_comes_to_rest() -> None:
    """0 + NONE times speed is 0 (sprites, 9.2); it chooses no side as a Walker would."""
    world = play(game("jumper > WalkerJumper physicstype=CONT"), level("j...", "A..."), ticks=3)
    assert world.only("jumper").speed == 0
    assert world.only("jumper").orientation == NONE
    assert world.rng == after()


def test_jumps_in_the_update_after_it_touched_ground() -> None:
    """Falls by 5 to y = 10, where a probe of 3 pixels finds the wall below (sprites, 10 and 12.25).

    The next update moves it down by 5 and, with probability 1, jumps: up by 5, with speed ``jump_strength`` 1.
    """
    world = play(game(f"{FALLS} probability=1", "jumper wall > stepBack"), CLIFF, ticks=3)
    assert world.only("jumper").position == (0, 10)
    assert world.only("jumper").orientation == DOWN
    assert world.rng == after()
    world.wait(1)
    assert world.only("jumper").position == (0, 10)
    assert world.only("jumper").orientation == UP
    assert world.only("jumper").speed == 1
    assert world.wait(1).only("jumper").position == (0, 9)
    assert world.only("jumper").speed == 2


def test_never_jumps_with_probability_zero() -> None:
    """It goes on pushing into the ground, which puts it back (sprites, 12.25)."""
    world = play(game(f"{FALLS} probability=0", "jumper wall > stepBack"), CLIFF, ticks=6)
    assert world.only("jumper").position == (0, 10)
    assert world.only("jumper").orientation == DOWN


def test_ground_that_no_interaction_mentions_does_not_carry() -> None:
    """Only partners of an interaction are tested (sprites, 10): it falls through the wall."""
    world = play(game(f"{FALLS} probability=1"), CLIFF, ticks=6)
    assert world.only("jumper").position == (0, 25)
    assert world.only("jumper").orientation == DOWN
