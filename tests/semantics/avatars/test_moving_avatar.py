"""MovingAvatar (sprites, 13.2): one step per tick in four directions."""

from semantics.harness import NONE, game, level, play, start
from vgdl import Action

FIELD = level("...", ".A.", "...")


def test_moves_at_once_in_four_directions() -> None:
    """One cell per action from the first tick on; its orientation stays NONE (sprites, 13.2)."""
    world = start(game("avatar > MovingAvatar"), FIELD)
    for action, place in [
        (Action.LEFT, (0, 10)),
        (Action.UP, (0, 0)),
        (Action.RIGHT, (10, 0)),
        (Action.DOWN, (10, 10)),
    ]:
        assert world.advance(action).avatar.position == place
    assert world.avatar.orientation == NONE


def test_action_list() -> None:
    """LEFT, RIGHT, DOWN, UP (sprites, 13.1); anything else becomes NIL (14.2)."""
    world = start(game("avatar > MovingAvatar"), FIELD)
    assert world.state.available_actions == (Action.LEFT, Action.RIGHT, Action.DOWN, Action.UP)
    assert world.advance(Action.USE).avatar.position == (10, 10)
    assert world.advance(Action.NIL).avatar.position == (10, 10)


def test_speed_is_in_cells_and_zero_means_a_whole_one() -> None:
    """Half a cell with 0.5; a full one with 0 (sprites, 9.1 and quirk 1)."""
    for speed, x in [("0.5", 5), ("0", 10), ("2", 20)]:
        world = play(game(f"avatar > MovingAvatar speed={speed}"), level("A.."), actions=[Action.RIGHT])
        assert world.avatar.position == (x, 0)


def test_negative_speed_runs_backwards() -> None:
    """-1 is only special in passive movement (sprites, quirk 1)."""
    world = play(game("avatar > MovingAvatar speed=-1"), FIELD, actions=[Action.RIGHT])
    assert world.avatar.position == (0, 10)


def test_cooldown_counts_ticks_not_actions() -> None:
    """With cooldown 2 the first step comes in tick 1 at the earliest, the next two ticks later (8.4)."""
    world = start(game("avatar > MovingAvatar cooldown=2"), level("A..."))
    assert [world.advance(Action.RIGHT).avatar.x for _ in range(5)] == [0, 10, 10, 20, 20]


def test_does_not_drift_with_an_orientation() -> None:
    """No passive movement under GRID physics (sprites, 13.2)."""
    world = play(game("avatar > MovingAvatar orientation=RIGHT"), FIELD, ticks=3)
    assert world.avatar.position == (10, 10)


def test_drifts_with_neither_kind_of_physics() -> None:
    """``physicstype`` is not GRID, but the grid physics object stays: passive movement, too (5.3 and 13.2)."""
    world = play(game("avatar > MovingAvatar orientation=RIGHT physicstype=PHYSICS_NONE"), FIELD, ticks=3)
    assert world.avatar.position == (30, 10)


def test_escape_ends_the_game_without_a_winner() -> None:
    """The tick is completed with no direction (sprites, 14.2; engine, 11.5)."""
    world = play(game("avatar > MovingAvatar", ends="Timeout limit=0 win=True"), FIELD, actions=[Action.ESCAPE])
    assert world.is_over
    assert world.wins == [-1]
    assert world.avatar.position == (10, 10)
