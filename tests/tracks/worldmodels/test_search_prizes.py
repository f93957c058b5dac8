"""Tests of inferences about amounts: what avatars give away, and what enough of a resource earns."""

from __future__ import annotations

from pathlib import Path

from tracks.worldmodels.small import frame_of, lives_of, random_plays
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.contacts import Meeting, Table
from vgdl.competition.tracks.worldmodels.search.ends import guess_ends
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind, Rule
from vgdl.competition.tracks.worldmodels.search.prizes import with_prizes

AVATAR, COIN, BANK = 1, 2, 3
KINDS = {AVATAR: Kind("MovingAvatar"), COIN: Kind("Resource"), BANK: Kind("Immovable")}
BANKS = """BasicGame
    SpriteSet
        bank > Immovable
        coin > Resource limit=9 color=GOLD
        mine > SpawnPoint stype=nugget cooldown=2
        nugget > Immovable
        token > Flicker limit=1 hidden=True
        avatar > MovingAvatar
    LevelMapping
        b > bank
        m > mine
        n > nugget
    InteractionSet
        avatar wall > stepBack
        nugget nugget > killSprite
        avatar nugget > changeResource resource=coin value=1 killResource=True
        avatar bank > spawnIfHasMore resource=coin stype=token limit=3 scoreChange=7
        avatar bank > changeResource resource=coin value=-3
    TerminationSet
        SpriteCounter stype=avatar win=False
"""


def _visits(*cases: tuple[int, int, int]) -> Table:
    """A table of visits to a bank: coins held, coins left there, points."""
    table = Table()
    for k, (held, given, score) in enumerate(cases):
        change = ((COIN, -given),) if given else ()
        holding = ((COIN, held),) if held else ()
        table.pairs[AVATAR, BANK].append(
            Meeting(0, k, 7, AVATAR, BANK, 9, "ok", "unmoved", frozenset({BANK}), holding, False, (0, 0), change)
        )
        if score:
            table.scores[0, k] = score
    return table


def _lines(table: Table, *rules: Rule) -> list[str]:
    lives = lives_of(frame_of(AVATAR, BANK), frame_of(AVATAR, BANK))
    return [rule.line() for rule in with_prizes(lives, table, Hypothesis(KINDS, rules)).rules]


def test_a_bank_takes_coins_and_pays_for_enough_of_them() -> None:
    table = _visits((5, 5, 0), (8, 8, 100), (0, 0, 0), (2, 2, 0), (8, 8, 100))
    assert _lines(table) == [
        "avatar t3 > spawnIfHasMore resource=t2 stype=t5 limit=8 scoreChange=100",
        "avatar t3 > changeResource resource=t2 value=-8",
    ]


def test_a_bank_that_takes_and_pays_nothing_needs_no_rule() -> None:
    assert _lines(_visits((5, 0, 0), (8, 0, 0), (3, 3, 0), (2, 0, 0))) == []


def test_points_that_came_with_fewer_coins_too_are_no_prize() -> None:
    table = _visits((5, 5, 0), (8, 8, 100), (2, 2, 100), (4, 4, 0))
    assert _lines(table) == ["avatar t3 > changeResource resource=t2 value=-8"]


def test_points_that_another_rule_explains_are_no_prize() -> None:
    table = _visits((5, 5, 0), (8, 8, 100), (2, 2, 0))
    table.pairs[4, AVATAR].append(Meeting(0, 1, 8, 4, AVATAR, 7, "dead", "ok", frozenset({AVATAR}), (), False, (0, 0)))
    known = Rule(4, AVATAR, "killSprite").scoring(100)
    assert _lines(table, known) == ["avatar t3 > changeResource resource=t2 value=-8", known.line()]


def test_a_prize_for_three_is_learnt_from_plays(tmp_path: Path) -> None:
    _, plays = random_plays(tmp_path, BANKS, "wwwwww\nwA mbw\nw m  w\nwwwwww\n", ticks=400)
    found = learn(plays, seconds=0).hypothesis
    lines = {rule.effect: rule.line() for rule in found.rules if (rule.first, rule.second) == (1, 2)}
    assert " limit=3 scoreChange=7" in lines["spawnIfHasMore"]
    assert lines["changeResource"].endswith("value=-3")


def test_victory_is_hoped_for_without_the_sprites_that_avatars_take_for_points() -> None:
    kinds = {0: Kind("Immovable"), AVATAR: Kind("MovingAvatar"), 4: Kind("RandomNPC")}
    take = Rule(AVATAR, 4, "changeResource", (("resource", "t5"), ("value", 1), ("killResource", "True")))
    frames = frame_of(0, 1, 4), frame_of(0, 1, 4)
    ends = guess_ends(lives_of(*frames), kinds, [take.scoring(1)], {})[0]
    assert "SpriteCounter stype=t4 win=True" in [end.line() for end in ends]
