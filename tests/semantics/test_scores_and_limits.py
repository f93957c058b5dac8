"""Scores, counters and gates (effects, 4 and 6.2); the limits of messages and sprites (effects, 2.4 and 8.1)."""

import pytest

from semantics.harness import NO_WINNER, WON, World, game, level, play, start

BASICS = """
    box > Immovable speed=1 healthPoints=1 limitHealthPoints=99
    key > Immovable
    coin > Immovable
    rock > Immovable
    """

PILE = level("A.", "x.")


# -------------------------------------------------------------------------------------------------- scores and counters


def _two_players(effect: str) -> World:
    rules = game(
        f"{BASICS}\n    second > MovingAvatar",
        f"box key > {effect}",
        options="no_players=2",
        mapping="x > box key",
    )
    return play(rules, level("As", "x."))


@pytest.mark.parametrize(
    ("score", "scores", "messages"),
    [
        pytest.param("3,5", [3, 5], 0, id="one each"),
        pytest.param("3", [3, 3], 0, id="a single one is for all (quirk 16)"),
        pytest.param("3,", [3, 3], 0, id="trailing empty pieces are dropped"),
        pytest.param("3,5,7", [3, 5], 0, id="too many"),
        pytest.param("-2,0", [-2, 0], 0, id="negative"),
        pytest.param("3,x", [3, 0], 1, id="no number: 0 and a message"),
        pytest.param("1.5", [0, 0], 2, id="no integer either, a message for each player"),
    ],
)
def test_scoreChange_is_a_list_with_a_piece_for_each_player(score: str, scores: list[int], messages: int) -> None:
    """4.2: piece p for player p."""
    world = _two_players(f"stepBack scoreChange={score}")
    assert (world.scores, world.messages) == (scores, messages)


@pytest.mark.parametrize(
    ("arguments", "counters"),
    [
        pytest.param("counter=1,2,3", [1, 2, 3], id="one each"),
        pytest.param("counter=1,2", [1, 2, 1], id="piece 0 for those without"),
        pytest.param("counter=5", [0, 0, 0], id="a single number is dropped (quirk 13)"),
        pytest.param("counter=1,0 counterElse=20,10", [21, 10, 21], id="both apply by default"),
        pytest.param("counter=1,0 counterElse=20,10 count=False", [20, 10, 20], id="count gates the one"),
        pytest.param("counter=1,0 counterElse=20,10 countElse=False", [1, 0, 1], id="countElse the other"),
    ],
)
def test_counter_and_counterElse(arguments: str, counters: list[int]) -> None:
    """4.1, 4.2 and 6.2: lists by number of the counter."""
    rules = game(BASICS, f"box key > stepBack {arguments}", options="no_counters=3", mapping="x > box key")
    assert play(rules, PILE).counters == counters


def test_applyScore_false_withholds_the_score() -> None:
    """4.1; but an effect that manages it overrides it (4.3)."""
    plain = game(BASICS, "box key > killSprite applyScore=False scoreChange=1", mapping="x > box key")
    gated = game(BASICS, "box key > killIfHasLess resource=coin applyScore=False scoreChange=1", mapping="x > box key")
    assert (play(plain, PILE).score, play(gated, PILE).score) == (0, 1)


@pytest.mark.parametrize(("pile", "score"), [("gold stone", 2), ("gold gold stone", 1), ("stone", 1)])
def test_a_score_gate_stays_as_the_last_application_left_it(pile: str, score: int) -> None:
    """4.3: collectResource does not touch its gate for a stone, so that scores like the gold before it.

    The box has room for one piece: the second one shuts the gate.
    """
    rules = game(
        "thing >\n    gold > Resource limit=1\n    stone > Immovable\nbox > Immovable",
        "thing box > collectResource scoreChange=1",
        mapping=f"x > box {pile}",
    )
    assert play(rules, PILE).score == score


def test_the_gates_of_two_lines_are_their_own() -> None:
    """4.3: one effect object per line: the stone's line does not see that the gold's line was shut."""
    rules = game(
        "gold > Resource limit=0\nstone > Immovable\nbox > Immovable",
        "gold box > collectResource scoreChange=1\nstone box > collectResource scoreChange=1",
        mapping="x > box gold stone",
    )
    assert play(rules, PILE).score == 1


def test_a_line_for_several_pairs_has_one_gate() -> None:
    """2.1 and 4.3: the gold of the second pair shut it, so the stone of the next tick's first pair does not score.

    The stone is not a resource, so it does not move the gate; in tick 0 it is still open.
    """
    rules = game(
        "thing >\n    gold > Resource limit=0\n    stone > Immovable\nbox > Immovable\nchest > Immovable",
        "thing box chest > collectResource scoreChange=1",
        mapping="x > box stone\ny > chest gold",
    )
    world = start(rules, level("Ax", ".y"))
    assert [world.wait(1).score for _ in range(3)] == [1, 1, 1]


def test_score_goes_to_the_avatar_that_is_in_the_slot_after_the_effect() -> None:
    """6.2: the avatar's score is carried over first, then the line's is added to the new one."""
    rules = game(
        "hero > MovingAvatar\nkey > Immovable\nbox > Immovable",
        "box key > killSprite scoreChange=10\navatar key > transformTo stype=hero scoreChange=5",
        mapping="x > avatar box key",
    )
    assert play(rules, level("x"), ticks=2).score == 15


# -------------------------------------------------------------------------------------------------------- message limit


def test_more_than_25_messages_end_the_game() -> None:
    """2.4: one a tick; 25 are not too many. There is no winner."""
    world = play(game(BASICS, "box key > stepBack scoreChange=x", mapping="x > box key"), PILE, ticks=25)
    assert (world.messages, world.is_over) == (25, False)
    world.wait(1)
    assert (world.is_over, world.wins, world.crashed) == (True, [NO_WINNER], False)


def test_messages_do_not_undo_a_termination() -> None:
    """2.4: it is looked at after the terminations, whose verdict stands."""
    effect = "box key > stepBack scoreChange=x repeat=30"
    world = play(game(BASICS, effect, "Timeout win=True", mapping="x > box key"), PILE)
    assert (world.is_over, world.wins) == (True, [WON])


@pytest.mark.parametrize(("unknown", "over"), [(12, False), (13, True)])
def test_messages_from_the_game_text_count(unknown: int, over: bool) -> None:
    """2.4 and language, 12: an unknown field on the game line leaves two messages; 26 end the game after one tick."""
    options = " ".join(f"unheard{number}=1" for number in range(unknown))
    world = start(game(BASICS, options=options), level("A"))
    assert world.messages == 2 * unknown
    assert world.wait(1).is_over is over


@pytest.mark.parametrize(("unmapped", "over"), [(25, False), (26, True)])
def test_messages_from_the_level_count(unmapped: int, over: bool) -> None:
    """2.4 and language, 11.3: one for every character without a mapping."""
    assert play(game(BASICS), level("A" + "?" * unmapped)).is_over is over


# --------------------------------------------------------------------------------------------------------- sprite limit


@pytest.mark.parametrize(
    ("pile", "avatars", "total"),
    [
        pytest.param("box key", "A", 10001, id="as it should be"),
        pytest.param("box key coin rock", "A", 10001, id="one rock dies on a coin: two entries for two"),
        pytest.param("box key coin rock rock rock", "A", 10003, id="three rocks: the coin is counted out three times"),
        pytest.param("box key", "AA", 10000, id="a surplus avatar is removed but still counted"),
    ],
)
def test_the_sprite_limit_goes_by_a_count_that_drifts(pile: str, avatars: str, total: int) -> None:
    """8.1, 6.6 and quirk 36: nothing is created while the count is above 10000.

    The count goes down once for every entry of the kill list, so killing a coin three times makes it two too small,
    and two more sprites fit in. The boxes double in every tick: 8192 after tick 12; in tick 13 the limit is met, and
    every refusal is a message, so the game ends.
    """
    rules = game(BASICS, "box key > cloneSprite\nrock coin > killBoth", mapping=f"x > {pile}")
    world = play(rules, level(avatars, "x"), ticks=13)
    assert (world.count("box"), world.is_over) == (8192, False)
    world.wait(1)
    assert (len(world.sprites), world.is_over, world.wins) == (total, True, [NO_WINNER])
