"""Which of several sprites is the cause: floors in sight, rows of pushed sprites, avatars that are updated first."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tracks.worldmodels.small import frame_of, guessed_lines, lives_of, meetings, random_plays
from vgdl.competition.tracks.worldmodels.search import motion
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.contacts import DEAD, Table, _nearest_of_each, _Scene, _thin_out
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind
from vgdl.competition.tracks.worldmodels.search.lives import Lives, Track
from vgdl.competition.tracks.worldmodels.search.motion import guess_kinds
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play, lightened
from vgdl.core.observation import VISIBLE

_SPRINGS = """
BasicGame square_size=20
    SpriteSet
        left > SpawnPoint stype=drop cooldown=7
        right > SpawnPoint stype=stone cooldown=5
        ground > Immovable
        drop > Missile orientation=RIGHT
        stone > Missile orientation=LEFT
        walker > MovingAvatar
    LevelMapping
        A > ground walker
        . > ground
        l > left ground
        r > right ground
        w > wall
    InteractionSet
        walker wall > stepBack
        drop wall > killSprite
        stone wall > killSprite
    TerminationSet
        Timeout limit=80 win=False
"""


def test_the_ground_under_spawn_points_makes_nothing(tmp_path: Path) -> None:
    game, plays = random_plays(
        tmp_path, _SPRINGS, "wwwwwwwwww\nwl.......w\nw........w\nw...A...rw\nw........w\nwwwwwwwwww\n"
    )
    kinds, number = guess_kinds(Lives(plays)), game.types.index
    assert kinds[number("ground")].word == "Immovable"
    for spring, made, cooldown in (("left", "drop", 7), ("right", "stone", 5)):
        parameters = kinds[number(spring)].parameters
        assert kinds[number(spring)].word == "SpawnPoint"
        assert parameters["stype"] == f"t{number(made)}"
        assert parameters["cooldown"] == cooldown


@pytest.mark.parametrize(("together", "lines"), [(0, ["t8 t2 > transformTo stype=t7"]), (200, [])])
@pytest.mark.parametrize("word", ["Bomber", "RandomNPC"])
def test_what_stands_on_the_ground_unchanged_is_not_turned_by_it(word: str, together: int, lines: list[str]) -> None:
    table = Table()
    table.pairs[8, 2] = meetings((8, 2), *["into 7/unmoved"] * 9)
    table.together[8, 2] = together
    kinds = {2: Kind("Immovable"), 7: Kind(word), 8: Kind(word)}
    assert guessed_lines(table, kinds) == lines


@pytest.mark.parametrize(("together", "lines"), [(0, ["t8 t2 > killSprite"]), (200, [])])
def test_what_stands_on_the_ground_is_not_killed_by_it(together: int, lines: list[str]) -> None:
    table = Table()
    table.pairs[8, 2] = meetings((8, 2), *[DEAD] * 9)
    table.together[8, 2] = together
    assert guessed_lines(table, {2: Kind("Immovable"), 8: Kind("SpawnPoint")}) == lines


@pytest.mark.parametrize(("free", "pushed"), [(0, True), (30, False)])
def test_pushes_that_something_behind_blocks_count_for_nothing(free: int, pushed: bool) -> None:
    table = Table()
    table.pairs[7, 12] = meetings((7, 12), *["push/ok"] * 5, *["unmoved/back"] * 40, *["unmoved/ok"] * free)
    lines = guessed_lines(table, {7: Kind("Passive"), 12: Kind("MovingAvatar")})
    assert ("t7 t12 > bounceForward" in lines) == pushed


_ROWS = """
BasicGame square_size=20
    SpriteSet
        crate > Passive
        walker > MovingAvatar
    LevelMapping
        A > walker
        c > crate
    InteractionSet
        walker wall > stepBack
        crate walker > bounceForward
        crate crate > bounceForward repeat=5
        crate wall > undoAll
    TerminationSet
        Timeout limit=40 win=False
"""


def test_a_row_of_pushed_sprites_does_not_move_by_itself(tmp_path: Path) -> None:
    row = "w        w\n"
    game, plays = random_plays(
        tmp_path, _ROWS, "wwwwwwwwww\n" + row * 3 + "w  cccA  w\n" + row * 3 + "wwwwwwwwww\n", 400
    )
    crate = game.types.index("crate")
    moved = sum(1 for play in plays for one, other in zip(play.frames, play.frames[1:], strict=False)
                if np.count_nonzero(one.arrays["x"] != other.arrays["x"]) > 2)  # fmt: skip
    assert moved > 3  # a row of them, with the avatar
    assert guess_kinds(Lives(plays))[crate].word == "Passive"


_HUNT = """
BasicGame square_size=20
    SpriteSet
        walker > MovingAvatar
        hound > Chaser stype=walker speed=0.2 maxDistance=90
    LevelMapping
        A > walker
        h > hound
    InteractionSet
        walker wall > stepBack
        hound wall > stepBack
    TerminationSet
        Timeout limit=100 win=False
"""


def test_a_chaser_sees_where_the_avatar_has_just_gone(tmp_path: Path) -> None:
    empty = "w              w\n"
    level = "w" * 16 + "\n" + empty * 3 + "w  A       h   w\n" + empty * 3 + "w   h          w\n" + "w" * 16 + "\n"
    game, plays = random_plays(tmp_path, _HUNT, level, 900)
    hound = guess_kinds(Lives(plays))[game.types.index("hound")]
    assert hound.word == "Chaser"
    assert abs(int(hound.parameters["maxDistance"]) - 90) <= 8


_WANDERERS = """
BasicGame square_size=20
    SpriteSet
        walker > MovingAvatar
        slow > RandomNPC cooldown=4
        quick > RandomNPC cooldown=2
    LevelMapping
        A > walker
        s > slow
        q > quick
    InteractionSet
        walker wall > stepBack
    TerminationSet
        Timeout limit=100 win=False
"""


def test_what_a_cooldown_hides_is_as_in_most_games(tmp_path: Path) -> None:
    empty = "w              w\n"
    level = "w" * 16 + "\n" + empty * 4 + "w  A   s   q   w\n" + empty * 4 + "w" * 16 + "\n"
    game, plays = random_plays(tmp_path, _WANDERERS, level, 300)
    kinds = guess_kinds(Lives(plays))
    assert kinds[game.types.index("slow")].parameters.get("cons") == 2
    assert "cons" not in kinds[game.types.index("quick")].parameters


def test_only_the_nearest_sprites_of_a_dense_row_are_met() -> None:
    row = [(k, 5, (100 + 2 * k, 0)) for k in range(20)]
    met = _nearest_of_each((99, 4, (100, 0)), [*row, (50, 6, (119, 0))])
    assert [entry[0] for entry in met] == [0, 1, 2, 3, 50]


def test_a_crowd_in_one_place_has_few_meetings_each() -> None:
    cells = {(0, 0): [(k, 5, (0, 0)) for k in range(4000)] + [(5000, 6, (0, 0))], (1, 0): [(1, 5, (20, 0))]}
    _thin_out(cells)
    assert [len(entries) for entries in cells.values()] == [9, 1]
    together: Counter[tuple[int, int]] = Counter()
    resting = np.zeros(4001, VISIBLE)
    resting["type"][:4000], resting["type"][4000] = 5, 6
    _Scene({}, {}, [], resting, 20).count_together(together)
    assert +together == {(5, 5): 4000 * 3999, (5, 6): 4000, (6, 5): 4000}


def test_hypotheses_have_no_spare_number_for_what_is_held(tmp_path: Path) -> None:
    game, plays = random_plays(tmp_path, _ROWS, "wwwwww\nw c  w\nw  A w\nwwwwww\n", 40)
    lives = Lives(plays)
    assert lives.unseen_resources == []
    assert lives.highest == game.types.index("walker")
    assert isinstance(learn(plays, seconds=0).hypothesis, Hypothesis)


_HUNTERS = """
BasicGame square_size=20
    SpriteSet
        burrow > SpawnPoint stype=hare cooldown=40
        hunter > Chaser stype=hare cooldown=2
        hare > RandomNPC cooldown=3
        walker > MovingAvatar
    LevelMapping
        A > walker
        b > burrow
        h > hunter
    InteractionSet
        walker wall > stepBack
        hunter wall > stepBack
        hare wall > stepBack
        hare hunter > killSprite scoreChange=1
    TerminationSet
        Timeout limit=100 win=False
"""


def test_a_chaser_moves_at_random_while_there_is_no_target(tmp_path: Path) -> None:
    empty = "w          w\n"
    level = "w" * 12 + "\n" + empty + "w A   b    w\n" + empty * 2 + "w     h    w\n" + "w" * 12 + "\n"
    game, plays = random_plays(tmp_path, _HUNTERS, level, 700)
    hare, hunter = game.types.index("hare"), game.types.index("hunter")
    there = [bool(np.any(frame.arrays["type"] == hare)) for play in plays for frame in play.frames]
    assert sum(there) < 0.5 * len(there)
    kind = guess_kinds(Lives(plays))[hunter]
    assert (kind.word, kind.parameters["stype"]) == ("Chaser", f"t{hare}")


def test_random_moves_explain_more_than_flight_at_a_short_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    def moves(near: int, toward: int, away: int) -> list[motion._Seen]:
        ways = [(False, True)] * near + [(True, False)] * toward + [(False, True)] * away
        chances = (0.25, 0.5)
        return [motion._Seen(40 + k, way, chances, False) for k, way in enumerate(ways)]

    views = {5: moves(14, 95, 0), 11: moves(68, 32, 9)}
    monkeypatch.setattr(motion, "_views", lambda *_: ((target, (target,), seen) for target, seen in views.items()))
    lives = lives_of(frame_of(), frame_of())
    assert motion.chase(lives, 12, [(Track(0, 0, 12, 0), 0, 1, 0)] * 109) is None
    assert motion.stray_chase(lives, 12, [(Track(0, 0, 12, 0), 0, 1, 0)] * 109) == (5, 14 / 81.75)
    del views[5]
    assert motion.chase(lives, 12, [(Track(0, 0, 12, 0), 0, 1, 0)] * 109) == ("Fleeing", 11, 107)


def test_long_plays_of_many_sprites_are_cut() -> None:
    crowd = Frame(np.zeros(50, VISIBLE), None, 0.0, -1, False, 0, (), 10, (500, 50))
    plays = [Play(0, "random", (crowd,) * count) for count in (40, 4, 10)]
    assert [len(play.frames) for play in lightened(plays, 10**6)] == [40, 4, 10]
    assert [len(play.frames) for play in lightened(plays, 1500)] == [16, 4, 10]
    assert [len(play.frames) for play in lightened(plays, 0)] == [2, 2, 2]
    ended = replace(plays[0], frames=(*plays[0].frames, replace(crowd, is_over=True)))
    assert [len(play.frames) for play in lightened([ended, *plays[1:], plays[0]], 3000)] == [41, 4, 7, 7]
