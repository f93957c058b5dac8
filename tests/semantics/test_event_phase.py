"""The events between the sprites' moves and the terminations, their order and number.

Time, edge and pair effects (effects, 6 and 7; engine, 7.4 to 7.6), the clear phase, and the record of avatar events
(engine, 8).
"""

import pytest

from semantics.harness import NO_WINNER, NONE, RIGHT, game, level, play, start
from vgdl import Action

BASICS = """
    box > Immovable speed=1 healthPoints=1 limitHealthPoints=99
    key > Immovable
    coin > Immovable
    rock > Immovable
    """

PILE = level("A.", "x.")

EDGE = "edge > Immovable wMult=2 speed=1 healthPoints=1 limitHealthPoints=99\nkey > Immovable\ncoin > Immovable"
"""``edge`` in the last column reaches over the right edge of the screen."""

ADD, HALVE = "increaseSpeedToAll stype={0} value=2", "halfSpeed"
"""Two effects whose order shows in the speed."""


# ------------------------------------------------------------------------------------------------------ order in a tick


def test_moves_come_before_events() -> None:
    """1: a box pushed in tick 0 was first moved onto by the avatar in that same tick."""
    rules = game("box > Passive", "box avatar > bounceForward\navatar box > stepBack")
    world = play(rules, level("Ab."), actions=[Action.RIGHT])
    assert (world.avatar.position, world.only("box").position) == ((10, 0), (20, 0))
    assert (world.avatar.orientation, world.only("box").orientation) == (NONE, RIGHT)


def test_time_comes_before_edge_before_pairs() -> None:
    """6: A, B, C, whatever the order of the lines: 8, halved to 4, plus 1."""
    rules = game(
        EDGE,
        """
        edge key > increaseSpeedToAll stype=edge value=1
        edge EOS > halfSpeed
        edge TIME > setSpeedForAll stype=edge value=8
        """,
        mapping="x > edge key",
    )
    assert play(rules, level("A.", ".x")).only("edge").speed == 5


def test_effects_run_by_pair_in_the_order_of_the_pairs_first_lines() -> None:
    """5 and quirk 2: the third line runs with the first: (1 + 2 + 4) / 2."""
    rules = game(
        BASICS,
        """
        box key > increaseSpeedToAll stype=box value=2
        box coin > halfSpeed
        box key > increaseSpeedToAll stype=box value=4
        """,
        mapping="x > box key coin",
    )
    assert play(rules, PILE).only("box").speed == 3.5


def test_several_second_sprites_make_pairs_in_their_order() -> None:
    """5: (box, coin), which the second line joins, then (box, key): (1 / 2 + 2) / 2."""
    rules = game(
        BASICS,
        f"box coin key > {HALVE}\nbox coin > {ADD.format('box')}",
        mapping="x > box key coin",
    )
    assert play(rules, PILE).only("box").speed == 1.25


def test_pairs_are_directed() -> None:
    """5: ``key box`` is not ``box key``."""
    world = play(game(BASICS, "key box > killSprite", mapping="x > box key"), PILE)
    assert (world.count("key"), world.count("box")) == (0, 1)


@pytest.mark.parametrize(("repeat", "health"), [("repeat=3", 4), ("repeat=1", 2), ("repeat=0", 1), ("repeat=-1", 1)])
def test_repeat_runs_an_effect_several_times(repeat: str, health: int) -> None:
    """4.1: as often as it says, scores included."""
    rules = game(BASICS, f"box key > addHealthPoints scoreChange=1 {repeat}", mapping="x > box key")
    world = play(rules, PILE)
    assert (world.only("box").health, world.score) == (health, health - 1)


def test_repeat_of_zero_still_registers_the_pair() -> None:
    """4.1: so the third line runs at the place of the first: 1 + 2, then set to 8."""
    rules = game(
        BASICS,
        f"box key > halfSpeed repeat=0\nbox coin > setSpeedForAll stype=box value=8\nbox key > {ADD.format('box')}",
        mapping="x > box key coin",
    )
    assert play(rules, PILE).only("box").speed == 8


def test_enabled_false_skips_an_effect() -> None:
    """4.1: neither action nor score, in any of the three parts."""
    rules = game(
        EDGE,
        """
        edge key > killSprite enabled=False scoreChange=1
        edge EOS > killSprite enabled=False scoreChange=1
        edge TIME > killSprite enabled=False scoreChange=1
        """,
        mapping="x > edge key",
    )
    world = play(rules, level("A.", ".x"))
    assert (world.count("edge"), world.score) == (1, 0)


# --------------------------------------------------------------------------------------------------------- edge effects


@pytest.mark.parametrize("line", ["edge EOS > killSprite", "EOS edge > killSprite", "edge key eos > killSprite"])
def test_EOS_may_stand_anywhere_in_any_case(line: str) -> None:
    """5: second, first, or among several."""
    assert play(game(EDGE, line), level("A.", ".e")).count("edge") == 0


def test_EOS_means_not_entirely_inside_the_screen() -> None:
    """0.2 and 6: touching the edge from inside is inside. In tick 4 it is at the edge, in tick 5 half out."""
    rules = game("ball > Missile orientation=RIGHT speed=0.5", "ball EOS > reverseDirection scoreChange=1")
    world = start(rules, level("A..", "b.."))
    assert [world.wait(1).score for _ in range(6)] == [0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_EOS_lines_of_a_type_multiply(lines: int) -> None:
    """6.3 and quirk 6: with n lines each of the n effects runs n times in a tick; ``repeat`` does not count."""
    effects = "\n".join(["edge EOS > addHealthPoints repeat=5 scoreChange=1"] * lines)
    world = play(game(EDGE, effects), level("A.", ".e"))
    assert (world.only("edge").health, world.score) == (1 + lines**2, lines**2)


def test_EOS_lines_multiply_as_a_whole_list() -> None:
    """6.3: e1, e2, e1, e2: (1 + 2) / 2 = 1.5, then (1.5 + 2) / 2."""
    rules = game(EDGE, f"edge EOS > {ADD.format('edge')}\nedge EOS > {HALVE}")
    assert play(rules, level("A.", ".e")).only("edge").speed == 1.75


def test_EOS_is_tested_again_each_time() -> None:
    """6.3: a sprite that was put back inside or killed is not taken again."""
    ball = "ball > Missile orientation=RIGHT"
    put_back = game(ball, "ball EOS > stepBack scoreChange=1\nball EOS > killSprite")
    world = play(put_back, level("Ab"), ticks=2)
    assert (world.count("ball"), world.score) == (1, 1)

    killed = game(ball, "ball EOS > killSprite scoreChange=1\nball EOS > killSprite scoreChange=1")
    world = play(killed, level("Ab"), ticks=2)
    assert (world.count("ball"), world.score) == (0, 1)


def test_EOS_spawning_into_the_list_that_is_walked_skips_its_rest() -> None:
    """6.4 and quirk 11: the first of two spawns, scores, and leaves a message; the second is no longer visited."""
    rules = game(EDGE, "edge EOS > cloneSprite scoreChange=1")
    world = play(rules, level("A.", ".e", ".e"))
    assert (world.positions("edge"), world.score, world.messages) == ([(10, 10), (10, 20), (10, 10)], 1, 1)


def test_EOS_spawning_into_the_list_fails_after_its_last_sprite_too() -> None:
    """6.4: also when the walk was on the last element."""
    world = play(game(EDGE, "edge EOS > spawn stype=edge"), level("A.", ".e"))
    assert (world.count("edge"), world.messages) == (2, 1)


def test_EOS_visits_what_was_spawned_into_a_later_list() -> None:
    """6.4: ``early`` spawns a ``late``, which is visited in the same run and spawns another, into its own list."""
    rules = game("side > Immovable wMult=2\n    early >\n    late >", "side EOS > spawn stype=late scoreChange=1")
    world = play(rules, level("A.", ".e"))
    assert (world.count("early"), world.count("late"), world.score, world.messages) == (1, 2, 2, 1)


# --------------------------------------------------------------------------------------------------------- pair effects


def test_a_partner_that_is_dead_still_counts() -> None:
    """6.1 and quirk 3: the coin dies first, and the box meets it all the same."""
    rules = game(BASICS, "coin key > killSprite\nbox coin > killSprite scoreChange=1", mapping="x > box key coin")
    world = play(rules, PILE)
    assert (world.count("coin"), world.count("box"), world.score) == (0, 0, 1)


def test_a_first_sprite_that_is_dead_does_not() -> None:
    """6.1: it is tested before each application, also against the next partner of the same effect."""
    rules = game(
        BASICS,
        "box coin > killSprite scoreChange=1\nbox key > killSprite scoreChange=1",
        mapping="x > box key coin coin",
    )
    assert play(rules, PILE).score == 1


def test_what_died_in_its_own_update_still_meets_as_a_partner() -> None:
    """6.1: a Flicker of limit 0 is killed in its update of tick 1, so it is first sprite in tick 0 only."""
    rules = game(
        "flame > Flicker limit=0\nbox > Immovable",
        "box flame > addHealthPoints scoreChange=1\nflame box > addHealthPoints scoreChange=10",
        mapping="x > box flame",
    )
    world = start(rules, PILE)
    assert [world.wait(1).score for _ in range(3)] == [11, 12, 12]


def test_a_type_defined_inside_of_itself_meets_twice_on_either_side() -> None:
    """6 and language, 7.2: its subtypes begin with a copy of its own chain of types, which has it twice."""
    rules = game(
        "coin > Immovable\n    coin > color=RED\nkey > Immovable",
        "coin key > addHealthPoints scoreChange=1\nkey coin > addHealthPoints scoreChange=10",
        mapping="x > coin key",
    )
    assert start(rules, PILE).wait(1).score == 22


def test_a_dead_avatar_meets_on_both_sides_once_for_every_sprite() -> None:
    """6.1 and quirk 4: a disabled avatar is killed twice a tick by two coins, and the key meets it too."""
    rules = game(
        "coin > Immovable\nkey > Immovable",
        "avatar coin > killSprite scoreChange=1\nkey avatar > addHealthPoints scoreChange=10",
        mapping="x > avatar coin coin key",
    )
    world = start(rules, level("x"))
    assert [world.wait(1).score for _ in range(3)] == [12, 24, 36]


def test_a_dead_avatar_is_left_alone_by_time_and_edge() -> None:
    """6: neither part takes disabled sprites. It is dead from tick 0 on, after both had their turn."""
    rules = game(
        "avatar > MovingAvatar wMult=2\nkey > Immovable",
        """
        avatar TIME > halfSpeed timer=1 repeating=True scoreChange=1
        avatar EOS > halfSpeed scoreChange=10
        avatar key > killSprite
        """,
        mapping="x > avatar key",
    )
    world = start(rules, level(".x"))
    assert [world.wait(1).score for _ in range(3)] == [11, 11, 11]


def test_time_and_edge_leave_alone_what_was_killed_in_this_tick() -> None:
    """6: the timed kill in tick 1 comes before the edge effect of tick 1."""
    rules = game(
        EDGE, "edge TIME > killSprite timer=1 nextExecution=1 scoreChange=1\nedge EOS > halfSpeed scoreChange=10"
    )
    world = start(rules, level("A.", ".e"))
    assert [world.wait(1).score for _ in range(3)] == [10, 11, 11]


def test_a_type_that_meets_itself_is_visited_both_ways() -> None:
    """6.1: both boxes die, each by the other."""
    world = play(game(BASICS, "box box > killSprite scoreChange=1", mapping="x > box box"), PILE)
    assert (world.count("box"), world.score) == (0, 2)


def test_a_lone_sprite_does_not_meet_itself() -> None:
    """6: ``b is not a``."""
    assert play(game(BASICS, "box box > killSprite"), level("Ab")).count("box") == 1


def test_touching_is_no_meeting() -> None:
    """0.2: strict overlap."""
    assert play(game(BASICS, "box coin > killSprite"), level("Abc")).count("box") == 1


def test_a_sprite_that_was_put_back_meets_no_more() -> None:
    """6.1: the intersection is tested again before each application: two walls, one stepBack."""
    rules = game("ball > Missile orientation=RIGHT hMult=2", "ball wall > stepBack scoreChange=1")
    assert play(rules, level("bw", ".w", "A."), ticks=2).score == 1


@pytest.mark.parametrize(
    ("rows", "score"),
    [
        pytest.param(("bk..", "bk..", "A..."), 1, id="the first one takes the second one off its key"),
        pytest.param(("bk..", "x...", "A..."), 3, id="the first one puts the second one back on its key"),
        pytest.param(("x...", "bk..", "A..."), 2, id="but the other way round its turn is over"),
    ],
)
def test_partners_are_looked_up_when_a_sprites_turn_comes(rows: tuple[str, ...], score: int) -> None:
    """6.1: what earlier first sprites of the same effect moved is seen. Tick 1 moves both balls by a cell.

    ``x`` is a ball on a key, so it scores in tick 0 as well; ``b`` flies onto its key in tick 1. undoAll undoes both.
    """
    rules = game(
        "ball > Missile orientation=RIGHT\nkey > Immovable",
        "ball key > undoAll scoreChange=1",
        mapping="x > ball key",
    )
    assert play(rules, level(*rows), ticks=2).score == score


def test_first_sprites_take_turns_by_type_then_age() -> None:
    """6: the groups of the subtypes one after the other: the early one is crowned though the late one is older.

    The crown is a singleton, so the second transformation is blocked.
    """
    sprites = "thing > Immovable\n    early >\n    late >\nkey > Immovable\ncrown > Immovable singleton=True"
    rules = game(sprites, "thing key > transformTo stype=crown", mapping="x > late early key")
    world = play(rules, PILE)
    assert (world.count("early"), world.count("late"), world.count("crown")) == (0, 1, 1)

    older, younger = level("Ax", ".x"), "late key > transformTo stype=crown"
    world = play(game(sprites, younger, mapping="x > late key"), older)
    assert (world.only("crown").position, world.only("late").position) == ((10, 0), (10, 10))


def test_partners_are_met_by_type_then_age() -> None:
    """6: a piece of gold goes to the early one though the late one is older, and among equals to the oldest."""
    sprites = "thing > Immovable\n    early >\n    late >\ngold > Resource"
    effect = "gold thing > collectResource"
    world = play(game(sprites, effect, mapping="x > late early gold"), PILE)
    assert (world.only("early").resources, world.only("late").resources) == ({"gold": 1}, {})

    world = play(game(sprites, effect, mapping="x > late late gold"), PILE)
    assert [late.resources for late in world.all("late")] == [{"gold": 1}, {}]


def test_sprites_meet_outside_the_screen_too() -> None:
    """0.2 and 6: tick 1: the ball goes from x = 0 to -10, the faster one from 10 to -10; likewise above the screen."""
    for orientation, rows in (("LEFT", ("bf.", "A..")), ("UP", ("bA", "f.", ".."))):
        rules = game(
            f"ball > Missile orientation={orientation}\nfast > Missile orientation={orientation} speed=2",
            "ball fast > killSprite",
        )
        assert play(rules, level(*rows), ticks=2).count("ball") == 0


def test_a_sprite_without_width_meets_nothing_and_is_never_inside_the_screen() -> None:
    """0.2: both tests need positive sizes."""
    rules = game(
        "flat > Immovable wMult=0\nkey > Immovable",
        "flat key > killSprite scoreChange=1\nkey flat > killSprite scoreChange=1\nflat EOS > halfSpeed scoreChange=10",
        mapping="x > flat key",
    )
    assert play(rules, PILE, ticks=2).score == 20


def test_what_an_effect_spawns_is_met_by_the_next_effect_of_the_tick() -> None:
    """6.1: not in the run that spawned it, but in those of later effects."""
    rules = game(
        BASICS,
        "coin key > addHealthPoints scoreChange=1\nbox key > spawn stype=coin\ncoin key > killSprite scoreChange=1\n"
        "coin box > killSprite scoreChange=10",
        mapping="x > box key",
    )
    world = play(rules, PILE)
    assert (world.count("coin"), world.score) == (0, 10)


def test_sprites_of_inner_types_belong_to_their_descendants() -> None:
    """3 and quirk 1: a line about stamped parcels takes any parcel, as one about parcels takes the stamped."""
    sprites = "parcel > Immovable\n    stamped >\nkey > Immovable"
    for line in ("stamped key > killSprite", "parcel key > killSprite"):
        rules = game(sprites, line, mapping="x > parcel stamped key")
        world = play(rules, PILE)
        assert (world.count("parcel"), world.count("stamped")) == (0, 0)


def test_sprites_of_siblings_do_not() -> None:
    """3: the subtypes of red are parcel and red."""
    sprites = "parcel > Immovable\n    red >\n    blue >\nkey > Immovable"
    rules = game(sprites, "red key > killSprite", mapping="x > blue key")
    assert play(rules, PILE).count("blue") == 1


def test_inBatch_without_a_batch_routine_disables_an_effect() -> None:
    """6.5: nothing happens, and the score is added no times."""
    rules = game(
        BASICS,
        "box key > killSprite inBatch=True scoreChange=1 counter=1,0",
        options="no_counters=1",
        mapping="x > box key",
    )
    world = play(rules, PILE)
    assert (world.count("box"), world.score, world.counters, world.crashed) == (1, 0, [0], False)


# --------------------------------------------------------------------------------------------------------- time effects


@pytest.mark.parametrize(
    ("arguments", "scores"),
    [
        pytest.param("", [1, 1, 1, 1, 1, 1, 1], id="at tick 0, once"),
        pytest.param("timer=3", [1, 1, 1, 1, 1, 1, 1], id="whatever the timer says (quirk 7)"),
        pytest.param("timer=3 repeating=True", [1, 1, 1, 2, 2, 2, 3], id="then every three ticks"),
        pytest.param("timer=3 nextExecution=1", [0, 0, 0, 1, 1, 1, 1], id="first at the timer, whatever the value"),
        pytest.param("timer=2 nextExecution=9 repeating=True", [0, 0, 1, 1, 2, 2, 3], id="and every two ticks"),
        pytest.param("timer=3 nextExecution=-1", [1, 1, 1, 1, 1, 1, 1], id="-1 is as not given"),
    ],
)
def test_TIME_lines_fire_by_their_timer(arguments: str, scores: list[int]) -> None:
    """7.1: first at tick 0 or at ``timer``, then, if repeating, every ``timer`` ticks."""
    for line in ("box TIME", "TIME box", "box time"):
        world = start(game(BASICS, f"{line} > halfSpeed scoreChange=1 {arguments}"), level("Ab"))
        assert [world.wait(1).score for _ in range(7)] == scores


def test_TIME_effects_run_and_score_for_every_sprite_of_the_type() -> None:
    """7.1: all types in the subtypes; the second sprite is absent."""
    rules = game(
        "thing > Immovable healthPoints=5\n    red >\n    blue >", "thing TIME > subtractHealthPoints scoreChange=1"
    )
    world = play(rules, level("Atrbb"))
    assert ([sprite.health for sprite in world.sprites[1:]], world.score) == ([4, 4, 4, 4], 4)


def test_TIME_effects_score_for_the_wrapper_not_for_the_inner_effect() -> None:
    """7.1 and quirk 9: neither scoreChangeIfKilled nor a score gate has a say."""
    killed = game(BASICS, "box TIME > subtractHealthPoints scoreChange=1 scoreChangeIfKilled=7")
    world = play(killed, level("Ab"))
    assert (world.count("box"), world.score) == (0, 1)

    gated = game(BASICS, "box TIME > killIfHasMore resource=coin limit=1 scoreChange=1")
    world = play(gated, level("Ab"))
    assert (world.count("box"), world.score) == (1, 1)


def test_TIME_effects_at_the_same_tick_run_last_line_first() -> None:
    """7.2 and quirk 8: at tick 0 the second line halves 1 before the first adds 2."""
    rules = game(BASICS, f"box TIME > {ADD.format('box')}\nbox TIME > {HALVE}")
    assert play(rules, level("Ab")).only("box").speed == 2.5


def test_TIME_effects_with_one_period_take_turns() -> None:
    """Engine, 9: reversed, in file order, reversed: 1/2 + 2 = 2.5, (2.5 + 2) / 2 = 2.25, 2.25/2 + 2 = 3.125."""
    every = "timer=2 repeating=True"
    rules = game(BASICS, f"box TIME > {ADD.format('box')} {every}\nbox TIME > {HALVE} {every}")
    world = start(rules, level("Ab"))
    assert [world.wait(1).only("box").speed for _ in range(5)] == [2.5, 2.5, 2.25, 2.25, 3.125]


def test_TIME_effects_are_used_up_even_without_sprites() -> None:
    """7.1: one that does not repeat is gone after tick 0, though the first box comes only later in that tick."""
    lines = "box TIME > halfSpeed scoreChange=1 {}\nkey coin > spawn stype=box\nkey coin > killSprite"
    once = start(game(BASICS, lines.format(""), mapping="x > key coin"), PILE)
    assert [once.wait(1).score for _ in range(3)] == [0, 0, 0]
    repeating = start(game(BASICS, lines.format("timer=2 repeating=True"), mapping="x > key coin"), PILE)
    assert [repeating.wait(1).score for _ in range(5)] == [0, 0, 1, 1, 2]


def test_TIME_effects_of_an_unknown_type_run_once_without_sprites() -> None:
    """7.1 and 6: one run, one score, and counters are not applied."""
    rules = game(
        BASICS,
        "nobody TIME > killAll stype=box scoreChange=1 counter=1,0",
        options="no_counters=1",
    )
    world = play(rules, level("Abb"), ticks=3)
    assert (world.count("box"), world.score, world.counters) == (0, 1, [0])


def test_TIME_effects_of_a_type_apply_counters() -> None:
    """6 and 6.2: unlike those without a type, for every sprite."""
    rules = game(BASICS, "box TIME > halfSpeed counter=1,0 counterElse=10,0", options="no_counters=1")
    assert play(rules, level("Abb")).counters == [22]


def test_TIME_effects_that_would_repeat_forever_end_the_game() -> None:
    """7.1: with a timer of 0 or less the reference never gets out of the tick; here that is an error."""
    world = play(game(BASICS, "box TIME > halfSpeed repeating=True"), level("Ab"))
    assert (world.crashed, world.is_over, world.wins) == (True, True, [NO_WINNER])


@pytest.mark.parametrize(("stype", "crashes"), [("box", True), ("coin", False)])
def test_TIME_spawning_into_the_list_that_is_walked_is_a_crash(stype: str, crashes: bool) -> None:
    """6.4 and quirk 11: even though the box is the last in its list; any other list will do."""
    world = play(game(BASICS, f"box TIME > spawn stype={stype}"), level("Ab"))
    assert world.crashed is crashes
    if crashes:
        assert (world.is_over, world.wins) == (True, [NO_WINNER])


# ---------------------------------------------------------------------------------------------------------- clear phase


def test_ids_are_never_used_again() -> None:
    """8.1: A 0, box 1, key 2; a new coin in every tick while the one before it dies: 3, 4, 5."""
    rules = game(BASICS, "coin key > killSprite\nbox key > spawn stype=coin", mapping="x > box key")
    assert play(rules, PILE, ticks=3).only("coin").id == 5


def test_a_transformed_avatar_leaves_and_a_killed_one_stays() -> None:
    """8.2 and 6.6: only the kill list is cleared, and a killed avatar is not on it."""
    rules = game("hero > MovingAvatar\nkey > Immovable", "avatar key > {}", mapping="x > avatar key")
    assert play(rules.replace("{}", "transformTo stype=hero"), level("x")).count("avatar") == 0
    assert play(rules.replace("{}", "killSprite"), level("x")).count("avatar") == 1


# ----------------------------------------------------------------------------------------------------- record of events


def _events(rules: str, row: str, actions: list[Action]) -> list[tuple[int, bool, str, str]]:
    world = play(rules, level(row), actions=actions)
    names = world.game.types
    return [
        (event.tick, event.from_avatar, names[event.active_type], names[event.passive_type])
        for event in world.state.events
    ]


def test_an_event_is_recorded_for_the_avatar_on_either_side() -> None:
    """6.7: the avatar is the active one; later in order of the passive type's number."""
    rules = game(
        "coin > Immovable\ngem > Immovable",
        "gem avatar > killSprite\navatar coin > stepBack",
        mapping="x > coin gem",
    )
    assert _events(rules, "Ax", [Action.RIGHT]) == [(0, False, "avatar", "coin"), (0, False, "avatar", "gem")]


def test_an_event_is_recorded_once_per_tick_and_pair_of_types() -> None:
    """6.7: two coins are one event in a tick, and another one in the next."""
    rules = game("coin > Immovable", "avatar coin > addHealthPoints", mapping="x > avatar coin coin")
    expected = [(tick, False, "avatar", "coin") for tick in range(2)]
    assert _events(rules, "x", [Action.NIL, Action.NIL]) == expected


def test_an_event_of_what_the_avatar_shot_comes_first() -> None:
    """6.7: from-avatar before the avatar's own; neither boxes among themselves nor the edge are events.

    Tick 0: the avatar shoots at (10,0), onto the coin; it stands on a key.
    """
    rules = game(
        "shot > Missile\ncoin > Immovable\nkey > Immovable\navatar > ShootAvatar stype=shot",
        "avatar key > stepBack\nshot coin > stepBack\ncoin coin > stepBack\nkey EOS > stepBack",
        mapping="x > avatar key\ny > coin coin",
    )
    assert _events(rules, "xy", [Action.USE]) == [(0, True, "shot", "coin"), (0, False, "avatar", "key")]


@pytest.mark.parametrize("n", [1, 2, 500])
def test_edge_lines_are_stored_once_and_executed_for_each_line(n: int) -> None:
    """Quirk 4 (engine, 17): k lines of a type run each of its k effects k times; the tables grow with k, not its square."""
    rules = game("dart > Missile orientation=RIGHT speed=0.1", "dart EOS > increaseSpeedToAll stype=dart value=0\n" * n)
    world = start(rules, level("A.d"))
    tables = world.state.tables.table
    assert (len(tables["edge_turns"]), len(tables["edge_walks"])) == (n, n)
    few = game(
        "dart > Missile orientation=RIGHT speed=1", "dart EOS > subtractHealthPoints scoreChange=1 limit=-9999999\n" * 3
    )
    assert start(few, level("A.d")).wait(2).score == 9
