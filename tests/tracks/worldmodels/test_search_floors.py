"""Chasers, what they follow, and hidden floors, each learnt from a small game; learning in rounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tracks.worldmodels.small import learnt_and_loss, small_game
from vgdl.competition.tracks.worldmodels.search import study as rounds
from vgdl.competition.tracks.worldmodels.search.author import Learnt, learn, with_paths
from vgdl.competition.tracks.worldmodels.search.floors import SCENT, with_scents
from vgdl.competition.tracks.worldmodels.search.hypothesis import HIDDEN, Hypothesis, Kind, Layout, Rule
from vgdl.competition.tracks.worldmodels.search.play import play
from vgdl.competition.tracks.worldmodels.search.records import record_many
from vgdl.competition.tracks.worldmodels.search.verify import Follower
from vgdl.game import Game

pytestmark = pytest.mark.costly


def _learnt(folder: Path, rules: str, level: str, ticks: int = 600) -> tuple[Hypothesis, float]:
    return learnt_and_loss(folder, rules, level, ticks)


_MAZE = "wwwwwwwwwwwwwwwwwww\nw      w   w      w\nw www  w   w www  w\nw   w      w   w  w\nw   wwww wwww  w  w\nw w    A       w  w\nw www wwwwwww www w\nw     w     w     w\nw     w  d  w     w\nw         w       w\nwwwwwwwwwwwwwwwwwww\n"

_HOUNDS = """
BasicGame square_size=20 obs=wall
    SpriteSet
        floor > Immovable hidden=True
        scent > Flicker limit=-1 hidden=True
        walker > MovingAvatar
        hound > PathChaser stype=scent cooldown=2
    LevelMapping
        w > floor wall
        . > floor
        A > floor walker
        d > floor hound
    InteractionSet
        walker wall > stepBack
        hound wall > stepBack
        walker floor > spawn stype=scent
    TerminationSet
        Timeout limit=100 win=False
"""


_KINDS = {
    0: Kind("Immovable"),
    4: Kind("MovingAvatar"),
    5: Kind("PathChaser", {"stype": "t4", "cooldown": 2}),
}
_STOP = Rule(4, 0, "stepBack")


def _plays(folder: Path, rules: str) -> Follower:
    game = small_game(folder, rules, _MAZE.replace(" ", "."))
    return Follower(record_many(game, [0], 300, seed=1, players=["random"]))


def test_what_follows_a_scent_goes_where_the_avatar_was(tmp_path: Path) -> None:
    follower = _plays(tmp_path, _HOUNDS)
    hypothesis = Hypothesis(_KINDS, (_STOP,), square_size=20, obstacles=(0,))
    found = with_scents(follower, hypothesis)
    assert found.floor == 2
    assert found.kinds[5].parameters == {"stype": "t3", "cooldown": 2}
    assert found.kinds[3] == SCENT
    assert found.rules == (_STOP, Rule(4, 2, "spawn", (("stype", "t3"),)))
    assert follower.follow(hypothesis).by_type[5] > 20
    assert follower.follow(found).by_type[5] == 0
    assert with_scents(follower, found) == found


@pytest.mark.parametrize(
    "chaser",
    [
        Kind("Chaser", {"stype": "t4", "cooldown": 2, "maxDistance": 90}),
        Kind("RandomAltChaser", {"stype1": "t4", "cooldown": 2, "epsilon": 0.2}),
    ],
)
def test_paths_lead_round_what_stops_the_avatar_if_nothing_else_is_known(tmp_path: Path, chaser: Kind) -> None:
    rules = _HOUNDS.replace("stype=scent cooldown", "stype=walker cooldown").replace("hound wall", "walker hound")
    follower = _plays(tmp_path, rules)
    unseen = Kind("Chaser", {"stype": "t4", "cooldown": 2})
    found = with_paths(follower, Hypothesis({**_KINDS, 5: chaser, 6: unseen}, (_STOP,), square_size=20))
    assert found.kinds[5] == found.kinds[6] == _KINDS[5]
    assert found.obstacles == (0,)
    assert follower.follow(found).by_type[5] == 0


_CATS = """
BasicGame square_size=20
    SpriteSet
        hole > SpawnPoint stype=mouse cooldown=9 prob=0.5
        prey >
            mouse > Flicker limit=20
            walker > MovingAvatar
        cat > Chaser stype=prey cooldown=2
    LevelMapping
        A > walker
        b > hole
        d > cat
    InteractionSet
        walker wall > stepBack
        cat wall > stepBack
        mouse cat > killSprite
        mouse walker > killSprite
        walker cat > killSprite
    TerminationSet
        SpriteCounter stype=walker win=False
        Timeout limit=100 win=False
"""


def test_a_chaser_of_several_types_is_after_the_nearest(tmp_path: Path) -> None:
    level = "wwwwwwwwwwwwwwwwwww\nwb                w\nw        A       bw\nw    b            w\nw             b   w\nw   d             w\nwwwwwwwwwwwwwwwwwww\n"
    found, _ = _learnt(tmp_path, _CATS, level)
    assert found.groups == {3: (4, 5)}
    assert found.kinds[6].line(6) == "t6 > Chaser stype=t3 cooldown=2"


_PAINTERS = """
BasicGame square_size=20
    SpriteSet
        fresh > Immovable hidden=True
        trodden > Immovable hidden=True
        paint > Immovable
        walker > MovingAvatar
    LevelMapping
        w > fresh wall
        . > fresh
        A > fresh walker
    InteractionSet
        walker wall > stepBack
        fresh walker > transformTo stype=trodden scoreChange=1
        trodden walker > spawnBehind stype=paint
        walker paint > killSprite
    TerminationSet
        SpriteCounter stype=walker win=False
"""


def test_an_avatar_leaves_a_trail_and_scores_on_new_cells(tmp_path: Path) -> None:
    found, loss = _learnt(
        tmp_path,
        _PAINTERS,
        "wwwwwwwwwww\nw.........w\nw.........w\nw....A....w\nw.........w\nw.........w\nwwwwwwwwwww\n",
    )
    assert found.floor == 2
    assert {"t2 t5 > transformTo stype=t3 scoreChange=1", "t3 t5 > spawnBehind stype=t4"} <= {
        rule.line() for rule in found.rules
    }
    assert loss <= 0.05 * 600  # the cell that an avatar starts from looks like any other


_CANDLES = """
BasicGame square_size=20
    SpriteSet
        floor > Immovable hidden=True
        wax > Resource limit=30
        walker > MovingAvatar
    LevelMapping
        w > floor wall
        . > floor
        o > floor wax
        A > floor walker
    InteractionSet
        walker wall > stepBack
        wax walker > changeResource resource=wax value=0
        walker wax > changeResource resource=wax value=25 killResource=True
        walker floor > changeResource resource=wax value=-1
    TerminationSet
        Timeout limit=60 win=False
"""


def test_a_resource_that_falls_in_every_tick_is_drained_by_the_floor(tmp_path: Path) -> None:
    found, _ = _learnt(tmp_path, _CANDLES, "wwwwwww\nwooooow\nwooAoow\nwooooow\nwwwwwww\n")
    assert Rule(4, found.floor or 0, "changeResource", (("resource", "t3"), ("value", -1))) in found.rules


_EATERS = """
BasicGame square_size=20
    SpriteSet
        floor > Immovable hidden=True
        pill > Resource value=8 limit=8
        worn > Immovable hidden=True
        eater > MovingAvatar
            timid >
            mighty >
    LevelMapping
        w > floor wall
        . > floor
        o > floor pill
        A > floor timid
    InteractionSet
        eater wall > stepBack
        pill eater > collectResource scoreChange=10
        timid pill > transformTo stype=mighty
        mighty floor > changeResource resource=pill value=-1
        mighty floor > spawnIfHasLess resource=pill limit=0 stype=worn
        mighty worn > transformTo stype=timid killSecond=True
    TerminationSet
        Timeout limit=60 win=False
"""


def test_an_avatar_turns_back_when_what_it_holds_is_drained(tmp_path: Path) -> None:
    found, loss = _learnt(tmp_path, _EATERS, "wwwwwwwwww\nwo....o..w\nw..oA...ow\nw.o...o..w\nwwwwwwwwww\n")
    lines = [rule.line() for rule in found.rules if rule.second == found.floor]
    assert any("spawnIfHasLess" in line and line.endswith("resource=t3 limit=0") for line in lines)
    assert loss <= 0


def test_a_floor_is_in_every_cell_and_is_not_seen() -> None:
    layout = Layout(3, 1, {(1, 0): (3,)})
    assert layout.sets == ((), (3,))
    plain = Hypothesis({2: HIDDEN, 3: Kind("Immovable")})
    with_floor = replace(plain, floor=2)
    assert " > t2\n" not in plain.text(layout.sets)
    lines = with_floor.text(layout.sets).splitlines()
    assert sum(line.endswith(" > t2") for line in lines) == 1
    assert sum(line.endswith(" > t2 t3") for line in lines) == 1


def test_rounds_add_plays_on_what_was_learnt_within_the_ticks(tmp_path: Path) -> None:
    game = small_game(tmp_path, _CATS, "wwwwwwww\nwA    bw\nw      w\nw   d  w\nwwwwwwww\n")
    plays, learnt = rounds.study(game, [0], 240, seed=2, seconds=0, rounds=2)
    assert sum(play.ticks for play in plays) == 240
    later = [play.ticks for play in plays if play.player == "champion on learnt rules"]
    assert len(later) >= 2
    assert 100 <= sum(later) <= 110
    assert plays[-1].frames[-1].tick == plays[-1].ticks
    assert learnt.report.ticks == 240
    same, _ = rounds.study(game, [0], 240, seed=2, seconds=0, rounds=0)
    assert {play.player for play in same} <= {"champion", "random", "yraid", "olets"}


def test_plays_of_a_round_share_their_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = small_game(tmp_path, _CATS, "wwwwwwww\nwA    bw\nw      w\nw   d  w\nwwwwwwww\n")
    given: list[float] = []

    def watched(*arguments: Any, patience: float, **options: Any) -> Any:
        given.append(patience)
        return play(*arguments, patience=patience, **options)

    monkeypatch.setattr(rounds, "play", watched)
    monkeypatch.setattr(rounds, "LONGEST", 20)
    rounds.study(game, [0], 200, seed=2, seconds=0, rounds=1)
    assert len(given) > 2
    assert given == sorted(set(given), reverse=True)
    assert given[0] <= rounds.PATIENCE


def test_every_other_play_of_a_round_dares_to_meet_what_no_play_has_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = small_game(tmp_path, _CATS, "wwwwwwww\nwA    bw\nw      w\nw   d  w\nwwwwwwww\n")
    given: list[Any] = []
    learnt: list[Learnt] = []

    def watched(game: Game, level: int, player: str, rules: Any, **options: Any) -> Any:
        given.append(rules)
        return play(game, level, player, rules, **options)

    def learning(*arguments: Any, **options: Any) -> Learnt:
        found = learn(*arguments, **options)
        learnt.append(replace(found, daring=found.hypothesis.with_rules([])))
        return learnt[-1]

    monkeypatch.setattr(rounds, "play", watched)
    monkeypatch.setattr(rounds, "learn", learning)
    monkeypatch.setattr(rounds, "LONGEST", 20)
    rounds.study(game, [0], 200, seed=2, seconds=0, rounds=1)
    assert len(given) > 2
    assert all(rules is (learnt[0].daring if k % 2 else learnt[0].hypothesis) for k, rules in enumerate(given))
