"""Many sprites in one cell: play follows the specification, in no more steps than meeting couples."""

from __future__ import annotations

import pytest

import vgdl
from semantics.harness import game, level, start
from vgdl import Action

SPRITES = """
one > RandomNPC
two > RandomNPC
still > Immovable
gate > Portal stype=gate
gold > Resource limit=9
"""

RULES = {
    "stepBack": "one one > stepBack",
    "killBoth": "one one > killBoth",
    "killAll": "one one > killAll stype=one",
    "transformTo": "one one > transformTo stype=still",
    "undoAll": "one one > undoAll",
    "bounceForward": "one one > bounceForward",
    "pullWithIt": "one one > pullWithIt",
    "teleportToExit": "one gate > teleportToExit",
    "two crowds": "one two > stepBack",
    "align": "one one > align",
    "wallBounce": "one one > wallBounce",
    "a batch": "one one > wallBounce inBatch=True",
    "shieldFrom": "one one > shieldFrom stype=two ftype=killSprite",
    "addTimer": "one one > addTimer timer=2 ftype=killAll stype=still",
    "two timers": "one one > addTimer timer=3 ftype=killAll stype=still\none one > addTimer timer=1 ftype=killAll stype=still",
    "changeResource": "one one > changeResource resource=gold value=1",
    "several": "one one > bounceForward\none one > stepBack\none two > undoAll\ntwo one > flipDirection\none gate > align",
    "some that meet nothing": "one still > killSprite\none one > undoAll\ntwo still > stepBack",
}
TICKS = 4
MOST_PER_COUPLE = 40  #: steps per tick, couple and rule


def crowd(rule: str, size: int) -> vgdl.StateObservation:
    names = [name for name in ("one", "two", "gate") if name in rule]
    placed = " ".join(names[k % len(names)] for k in range(size))
    rules = game(SPRITES, rule, "Timeout limit=2000", mapping=f"c > {placed}")
    return vgdl.loads(rules).start(level("A.........", ".....c....", "..........", ".........."), seed=1)


def steps(rule: str, size: int) -> int:
    """What the event phases of the first ticks take; every kind of work that they do is counted."""
    state = crowd(rule, size)
    for _ in range(TICKS):
        state.advance(Action.NIL)
    return state.tables.steps


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_work_of_a_crowd_grows_no_faster_than_its_couples(rule: str) -> None:
    """Every rule of the crowd is executed for every couple at most (engine, 7.4): K^2, and never K^3."""
    half, whole = steps(rule, 150), steps(rule, 300)
    assert 0 < whole < 5 * half  # K^3 would be 8
    assert whole < MOST_PER_COUPLE * TICKS * len(rule.split("\n")) * 300**2


def test_the_largest_crowd_that_a_level_can_place_is_bounded_too() -> None:
    assert steps("one one > stepBack", 2000) < MOST_PER_COUPLE * TICKS * 2000**2


def test_few_sprites_take_few_steps() -> None:
    """Where nothing meets, the work does not grow with the couples."""
    rules = game(SPRITES, "one one > stepBack\none two > killSprite", "Timeout limit=2000", mapping="o > one\nt > two")
    state = vgdl.loads(rules).start(level("A" + "." * 39, *[".".join("o" * 20), ".".join("t" * 20)] * 10), seed=1)
    state.advance(Action.NIL)
    assert state.tables.steps < 5000  # 200 x 400 tests, word for word


@pytest.mark.parametrize("height", ["1000000000.0", "3e38"])
def test_a_sprite_higher_than_any_level_does_not_hold_up_the_tick(height: str) -> None:
    rules = game(
        f"one > RandomNPC hMult={height} wMult=30\n",
        "one one > bounceForward\none wall > stepBack",
        mapping="c > " + "one " * 200,
    )
    state = vgdl.loads(rules).start(level("A" + "." * 99, *["w" * 100] * 60, "c" + "." * 99), seed=1)
    for _ in range(3):
        state.advance(Action.NIL)
    assert state.tables.steps < 200 * 200 * 300


@pytest.mark.parametrize(("makes", "changes", "changed"), [(2, 2, 0), (1, 2, 1), (2, 1, 0), (0, 1, 1), (1, -5, 0)])
def test_timers_run_by_due_tick_and_of_those_due_together_the_newest_first(
    makes: int, changes: int, changed: int
) -> None:
    """A timer is queued before the first one that is not due earlier (effects, 7.2)."""
    rules = f"""
        one two > addTimer timer={makes} ftype=transformToAll stype=gold stypeTo=early
        one two > addTimer timer={changes} ftype=transformToAll stype=early stypeTo=late
        one two > killSprite
    """
    sprites = "one > Immovable\ntwo > Immovable\ngold > Resource\nearly > Immovable\nlate > Immovable"
    world = start(game(sprites, rules, mapping="c > one two\ng > gold"), level("A.c", "g..")).wait(4)
    assert (world.count("early"), world.count("late")) == (1 - changed, changed)


@pytest.mark.parametrize(("due", "changed"), [(1, 1), (2, 0)])
def test_a_timer_that_waits_runs_after_newer_ones_that_are_due_with_it(due: int, changed: int) -> None:
    """One is queued in tick 0, the other in tick 1 for tick 2 by a time effect."""
    rules = f"""
        one two > addTimer timer={due} ftype=transformToAll stype=gold stypeTo=early
        one two > killSprite
        TIME two > addTimer timer=1 nextExecution=1 ftype=transformToAll stype=early stypeTo=late
    """
    sprites = "one > Immovable\ntwo > Immovable\ngold > Resource\nearly > Immovable\nlate > Immovable"
    world = start(game(sprites, rules, mapping="c > one two\ng > gold"), level("A.c", "g..")).wait(4)
    assert (world.count("early"), world.count("late")) == (1 - changed, changed)


def test_killing_again_counts_for_the_sprite_count_only() -> None:
    """Each entry of the kill list is subtracted (engine, 3.3); here the same sprites are killed once per couple."""
    state = crowd("one one > killAll stype=one", 150)
    state.advance(Action.NIL)
    assert [sprite.type for row in state.movables for sprite in row] == []
    assert state.error is None


@pytest.mark.everything
def test_a_tick_of_endless_work_is_an_error_of_the_game() -> None:
    """Each of K^2 meetings changes the speeds of K sprites: as specified it would take minutes."""
    state = crowd("one one > increaseSpeedToAll stype=one value=0.1", 2000)
    state.advance(Action.NIL)
    assert state.is_over
    assert "the effects of one tick need more work than the limit" in str(state.error)


@pytest.mark.costly
def test_an_effect_that_goes_through_a_type_for_every_couple_reaches_the_limit_of_work() -> None:
    """All gold is gone through for each of 1,500 times 1,500 couples, also when no more gems can be created."""
    sprites = "one > Immovable\ntwo > Immovable\ngold > Immovable\ngem > Immovable"
    mapping = f"c > {'one ' * 1500 + 'two ' * 1500}\ng > {'gold ' * 1500}"
    rules = game(sprites, "one two > transformToAll stype=gold stypeTo=gem", mapping=mapping)
    state = vgdl.loads(rules).start(level("A.c", "g.."), seed=1)
    state.advance(Action.NIL)
    assert "the effects of one tick need more work than the limit" in str(state.error)


@pytest.mark.costly
def test_counting_the_disabled_sprites_of_a_crowd_reaches_the_limit_of_work() -> None:
    """Each of 90,000 executions looks for disabled ones among the thousands that those before it have created."""
    sprites = "one > Immovable\ntwo > Immovable\nseed > Immovable\navatar > MovingAvatar\n    twin > MovingAvatar"
    mapping = f"B > avatar seed\nc > {'one ' * 300 + 'two ' * 300}"
    rules = (
        "avatar seed > killSprite\none two > spawnIfCounterSubTypes stype=seed estype=twin stypeCount=avatar limit=-1"
    )
    state = vgdl.loads(game(sprites, rules, mapping=mapping)).start(level("B.c", "..."), seed=1)
    state.advance(Action.NIL)
    assert "the effects of one tick need more work than the limit" in str(state.error)


@pytest.mark.parametrize("fate", ["transformToAll stype=still stypeTo=one", "killAll stype=still"])
def test_what_rests_on_where_a_crowd_has_died_is_still_met(fate: str) -> None:
    """The index is kept while most sprites rest, and the dead of a cell leave it together; a copy builds its own."""
    rules = game(
        SPRITES,
        f"one gold > addTimer timer=2 ftype={fate}\nstill one > undoAll\navatar still > stepBack\ntwo gold > turnAround",
        "Timeout limit=2000",
        mapping="c > " + "still gold " * 60 + "\nt > two\no > one\nr > still\ng > gold",
    )
    state = vgdl.loads(rules).start(level("Ac..rrrrrr", ".crrrrrrrr", "ogrrrrrrrr", "rrrrtggrrr"), seed=1)
    for tick in range(40):
        alone = state.copy()
        action = (Action.RIGHT, Action.DOWN, Action.NIL)[tick % 3]
        state.advance(action)
        alone.advance(action)
        assert state.key() == alone.key()
