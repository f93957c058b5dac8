"""The terminations, and how a play ends (effects, 13; engine, 7.7 to 7.10 and 10)."""

import pytest

from semantics.harness import LOST, NO_WINNER, WON, World, game, level, play, start
from vgdl import Action

THINGS = """
    thing > Immovable
        coin >
        gem >
    rock > Immovable
    """


def _ends_at_once(ends: str, row: str = "", sprites: str = THINGS) -> bool:
    """Whether the terminations end the game in tick 0, with ``row`` for what is in the level."""
    world = play(game(sprites, ends=ends), level("A" + row))
    assert not world.crashed
    return world.is_over


@pytest.mark.parametrize(
    ("arguments", "row", "over"),
    [
        pytest.param("stype=coin", "", True, id="none left"),
        pytest.param("stype=coin", "c", False, id="one left"),
        pytest.param("stype=coin limit=2", "cc", True, id="at the limit"),
        pytest.param("stype=coin limit=2", "ccc", False, id="above the limit"),
        pytest.param("stype=thing limit=1", "cg", False, id="the subtypes count"),
        pytest.param("stype=coin limit=0", "t", False, id="so do the ancestors (quirk 1)"),
        pytest.param("stype=rock", "cg", True, id="others do not"),
    ],
)
def test_SpriteCounter(arguments: str, row: str, over: bool) -> None:
    """13.3: alive(stype) <= limit."""
    assert _ends_at_once(f"SpriteCounter {arguments}", row) is over


def test_SpriteCounter_does_not_count_a_dead_avatar() -> None:
    """13.2: disabled sprites are not alive, though still there."""
    rules = game("key > Immovable", "avatar key > killSprite", "SpriteCounter stype=avatar", mapping="x > avatar key")
    world = play(rules, level("x"))
    assert (world.count("avatar"), world.is_over, world.wins) == (1, True, [LOST])


def test_SpriteCounter_does_not_count_what_died_in_this_tick() -> None:
    """13.1: terminations come after the clear phase."""
    rules = game(
        "coin > Immovable\nkey > Immovable",
        "coin key > killSprite",
        "SpriteCounter stype=coin win=True",
        mapping="x > coin key",
    )
    assert play(rules, level("Ax")).wins == [WON]


@pytest.mark.parametrize(
    ("arguments", "row", "over"),
    [
        ("stype=coin limit=2", "c", False),
        ("stype=coin limit=2", "cc", True),
        ("stype=coin limit=2", "ccc", True),
        ("stype=coin", "", True),
    ],
)
def test_SpriteCounterMore(arguments: str, row: str, over: bool) -> None:
    """13.4: alive(stype) >= limit, 0 by default."""
    assert _ends_at_once(f"SpriteCounterMore {arguments}", row) is over


@pytest.mark.parametrize(
    ("arguments", "row", "over"),
    [
        pytest.param("stype1=coin stype2=rock limit=3", "ccr", True, id="the sum is the limit"),
        pytest.param("stype1=coin stype2=rock limit=3", "ccrr", False, id="above it"),
        pytest.param("stype1=coin stype2=rock limit=3 min=True", "ccrr", True, id="above it, with min"),
        pytest.param("stype1=coin stype2=rock limit=3 min=True", "cr", False, id="below it, with min"),
        pytest.param("stype3=coin limit=1", "c", True, id="any of the three"),
        pytest.param("stype1=coin stype2=coin stype3=coin limit=3", "c", True, id="counted once for each name"),
        pytest.param("stype1=thing stype2=gem limit=3", "cg", True, id="overlapping types count twice"),
        pytest.param("", "c", True, id="the sum of nothing is 0, as is the limit"),
    ],
)
def test_MultiSpriteCounter(arguments: str, row: str, over: bool) -> None:
    """13.5: the sum of up to three numbers equals ``limit`` or, with ``min``, exceeds it."""
    assert _ends_at_once(f"MultiSpriteCounter {arguments}", row) is over


@pytest.mark.parametrize(
    ("arguments", "row", "over"),
    [
        pytest.param("stype1=thing limit=3 subTypesNum=2", "ccg", True, id="three of two kinds"),
        pytest.param("stype1=thing limit=3 subTypesNum=2", "ccc", False, id="of one kind"),
        pytest.param("stype1=thing limit=3 subTypesNum=1", "ccc", True, id="not halved"),
        pytest.param("stype1=thing limit=3 subTypesNum=2", "cg", False, id="another number"),
        pytest.param("stype1=thing subTypesNum=0", "", True, id="none of no kind"),
        pytest.param("stype1=thing limit=1", "c", False, id="subTypesNum is -1 by default"),
        pytest.param("limit=1", "c", False, id="no type counts 0"),
    ],
)
def test_MultiSpriteCounterSubTypes(arguments: str, row: str, over: bool) -> None:
    """13.6: the number is ``limit``, and they are of ``subTypesNum`` types."""
    assert _ends_at_once(f"MultiSpriteCounterSubTypes {arguments}", row) is over


def test_MultiSpriteCounterSubTypes_without_a_type_crashes_at_a_limit_of_zero() -> None:
    """13.6: 0 = 0, but there are no subtypes to look at."""
    assert play(game(THINGS, ends="MultiSpriteCounterSubTypes"), level("A")).crashed


@pytest.mark.parametrize(("arguments", "last_tick"), [("limit=3", 3), ("limit=1", 1), ("", 0)])
def test_Timeout(arguments: str, last_tick: int) -> None:
    """13.7: t >= limit, 0 by default; the first tick is tick 0."""
    world = start(game(THINGS, ends=f"Timeout win=True {arguments}"), level("A"))
    assert (world.wait(last_tick).is_over, world.wait(1).is_over, world.wins) == (False, True, [WON])


def _two_players(effects: str, ends: str, counters: int = 0) -> World:
    """One tick of two players, in which a box meets a key once."""
    rules = game(
        "other > MovingAvatar\nbox > Immovable\nkey > Immovable",
        effects,
        ends,
        options=f"no_players=2 no_counters={counters}",
        mapping="x > box key",
    )
    return play(rules, level("Ao", "x."))


@pytest.mark.parametrize(
    ("scores", "wins"),
    [
        ("5,3", [WON, LOST]),
        ("3,5", [LOST, WON]),
        ("4,4", [WON, WON]),
        ("0,0", [LOST, LOST]),
        ("-5,0", [WON, LOST]),
        ("0,-5", [WON, LOST]),
        ("-5,-2", [LOST, WON]),
    ],
)
def test_Timeout_count_score(scores: str, wins: list[int]) -> None:
    """13.2 and quirk 40: the best score wins, ties together; a 0 of player 1 is never the best.

    -5 : 0: the maximum stays -5, so player 0 wins.
    """
    world = _two_players(f"box key > stepBack scoreChange={scores}", "Timeout count_score=True win=True,True")
    assert world.wins == wins


@pytest.mark.parametrize(("score", "win"), [(3, WON), (-3, WON), (0, LOST)])
def test_SpriteCounter_count_score_of_a_single_player(score: int, win: int) -> None:
    """13.2: a lone player wins iff the score is not 0, even negative; and such a winner ends with 1 (13.9)."""
    rules = game(
        "box > Immovable\nkey > Immovable",
        f"box key > stepBack scoreChange={score}",
        "SpriteCounter stype=box limit=1 count_score=True",
        mapping="x > box key",
    )
    world = play(rules, level("Ax"))
    assert (world.wins, world.score, world.final_scores) == ([win], score, [1 if score < 0 else score])


def test_Timeout_count_score_with_an_empty_slot_is_a_crash() -> None:
    """13.2. The avatar is removed, unlike one that is only killed."""
    rules = game(
        "box > Immovable\nkey > Immovable",
        "box avatar > changeResource resource=box value=-1 killResource=True",
        "Timeout count_score=True",
        mapping="x > avatar box",
    )
    assert play(rules, level("x")).crashed


@pytest.mark.parametrize(
    ("counters", "arguments", "wins"),
    [
        pytest.param("3,3", "compare=True", [LOST, WON], id="all equal: all but player 0"),
        pytest.param("3,4", "compare=True", [WON, LOST], id="not equal: player 0"),
        pytest.param("1,7", "limits=9,7", [WON, LOST], id="the last counter decides for player 0 (quirk 39)"),
        pytest.param("9,1", "limits=9,7", [LOST, LOST], id="the first one decides nothing"),
        pytest.param("1,2,7", "limits=1,2,7", [LOST, LOST], id="as many counters as players are needed"),
    ],
)
def test_Timeout_use_counter(counters: str, arguments: str, wins: list[int]) -> None:
    """13.7: ``win`` is made of the game counters."""
    world = _two_players(
        f"box key > stepBack counter={counters}",
        f"Timeout use_counter=True win=True,True {arguments}",
        counters=counters.count(",") + 1,
    )
    assert world.wins == wins


@pytest.mark.parametrize(("counter", "win"), [("3,0", LOST), ("0,0", WON)])
def test_Timeout_ignores_limits_that_are_a_single_number(counter: str, win: int) -> None:
    """13.7 and 2.2: ``limits`` is a text, so ``limits=3`` is dropped and "0" stays."""
    rules = game(
        "box > Immovable\nkey > Immovable",
        f"box key > stepBack counter={counter}",
        "Timeout use_counter=True limits=3",
        options="no_counters=1",
        mapping="x > box key",
    )
    assert play(rules, level("Ax")).wins == [win]


@pytest.mark.parametrize("arguments", ["compare=True", "limits=a,b"])
def test_Timeout_use_counter_may_crash(arguments: str) -> None:
    """13.7: compare without counters; limits that are not numbers."""
    counters = 0 if "compare" in arguments else 2
    assert _two_players("", f"Timeout use_counter=True {arguments}", counters).crashed


FADING = "lock > Flicker limit=1\ncoin > Flicker limit=0"
"""The coin dies in tick 1, the lock in tick 2 (sprites, 12.5)."""

NO_COINS = "SpriteCounter stype=coin win=True"


@pytest.mark.parametrize(
    ("ends", "last_tick"),
    [
        pytest.param(NO_COINS, 1, id="free"),
        pytest.param(f"StopCounter stype1=lock limit=1\n{NO_COINS}", 2, id="held back while there is one lock"),
        pytest.param(f"{NO_COINS}\nStopCounter stype1=lock limit=1", 3, id="a line before it learns it a tick later"),
        pytest.param(f"StopCounter stype1=lock limit=2\n{NO_COINS}", 1, id="one is not two"),
        pytest.param(f"StopCounter stype1=lock min=True\n{NO_COINS}", 2, id="min: held back above the limit"),
        pytest.param(f"StopCounter stype1=lock limit=1 min=True\n{NO_COINS}", 1, id="min: not at the limit"),
        pytest.param("StopCounter stype1=lock limit=1\nTimeout limit=0", 0, id="Timeout is never held back"),
        pytest.param(f"StopCounter stype1=lock stype2=lock limit=2\n{NO_COINS}", 2, id="a sum, as MultiSpriteCounter"),
    ],
)
def test_StopCounter(ends: str, last_tick: int) -> None:
    """13.8: never done itself; while it says so, no counter can end the game."""
    world = start(game(FADING, ends=ends), level("Alc"))
    assert (world.wait(last_tick).is_over, world.wait(1).is_over) == (False, True)


@pytest.mark.parametrize(
    "counter",
    ["SpriteCounter stype=coin", "SpriteCounterMore stype=coin", "MultiSpriteCounter stype1=coin",
     "MultiSpriteCounterSubTypes stype1=coin subTypesNum=0"],
)  # fmt: skip
def test_StopCounter_holds_back_every_kind_of_counter(counter: str) -> None:
    """13.3 to 13.6: each needs ``canEnd``; without the StopCounter each is done at once."""
    lock = "lock > Immovable\ncoin > Immovable"
    assert _ends_at_once(counter, "l", lock)
    assert not _ends_at_once(f"StopCounter stype1=lock limit=1\n{counter}", "l", lock)


def test_StopCounter_does_not_reach_into_other_plays() -> None:
    """13.8: every play starts with ``canEnd`` true, as the last line of the clause asks for."""
    rules = game("lock > Immovable\ncoin > Immovable", ends=f"{NO_COINS}\nStopCounter stype1=lock limit=1")
    held_back = play(game("lock > Immovable", ends="StopCounter stype1=lock limit=1"), level("Al"))
    assert not held_back.is_over
    assert play(rules, level("Al")).is_over


@pytest.mark.parametrize(
    ("win", "wins"),
    [
        pytest.param("win=True,True", [WON, WON], id="one piece each"),
        pytest.param("win=false,TRUE", [LOST, WON], id="in any case"),
        pytest.param("win=True", [WON, LOST], id="a single piece is player 0's (quirk 16)"),
        pytest.param("win=True,Flase", [WON, LOST], id="anything else is false"),
        pytest.param("win=1", [LOST, LOST], id="a number is dropped"),
        pytest.param("", [LOST, LOST], id="not given: everybody loses"),
    ],
)
def test_win_is_a_list_with_a_piece_for_each_player(win: str, wins: list[int]) -> None:
    """13.2: piece j for player j."""
    assert _two_players("", f"SpriteCounter stype=box limit=1 {win}").wins == wins


def test_the_first_termination_that_is_done_decides_alone() -> None:
    """13.1: terminations are evaluated in the order of their lines until one is done."""
    for first, second, wins in (("True", "False", [WON]), ("False", "True", [LOST])):
        ends = f"SpriteCounter stype=gem win={first}\nSpriteCounter stype=gem win={second}"
        assert play(game(THINGS, ends=ends), level("A")).wins == wins


def test_nothing_is_decided_before_a_termination_is_done() -> None:
    """13.1: until then there is no winner."""
    world = play(game(THINGS, ends="Timeout limit=9"), level("A"), ticks=9)
    assert (world.is_over, world.wins) == (False, [NO_WINNER])


@pytest.mark.parametrize("bad", ["SpriteCounter stype=nothing", "SpriteCounter", "Unheard limit=0"])
def test_a_bad_termination_ends_the_section(bad: str) -> None:
    """2.3: the parse is aborted; terminations before that line hold, those after it are not read."""
    assert _ends_at_once(f"Timeout\n{bad}")
    assert not _ends_at_once(f"{bad}\nTimeout")


def test_a_winner_without_points_gets_one() -> None:
    """13.9 and quirk 41; a loser keeps what there is."""
    won = play(game(THINGS, ends="Timeout win=True"), level("A"))
    lost = play(game(THINGS, ends="Timeout"), level("A"))
    assert (won.score, won.final_scores, lost.final_scores) == (0, [1], [0])


@pytest.mark.parametrize(
    ("ends", "wins"), [("", [LOST]), ("Timeout limit=2000 win=True", [WON]), ("Timeout limit=2001 win=True", [LOST])]
)
def test_the_step_limit_ends_every_play_in_tick_2000(ends: str, wins: list[int]) -> None:
    """13.9: 2001 ticks; who has not won by then, terminations of that tick included, has lost."""
    world = play(game(THINGS, ends=ends), level("A"), ticks=2000)
    assert (world.is_over, world.wins) == (False, [NO_WINNER])
    world.wait(1)
    assert (world.is_over, world.wins) == (True, wins)


def test_a_state_that_is_over_stays_as_it_is() -> None:
    """Engine, 12.4: advancing it does nothing."""
    world = play(game("ball > Missile orientation=RIGHT", ends="Timeout limit=1"), level("Ab..."), ticks=2)
    before = world.record
    world.advance(Action.RIGHT)
    assert world.record == before
