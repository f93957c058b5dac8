"""Amounts that plays show: what speeds and switches of the avatar are proposed."""

from __future__ import annotations

import pytest

from lessons import evidence_of
from vgdl.induction import Budget
from vgdl.induction.amounts import amounts_of, cells
from vgdl.induction.edits import Proposer
from vgdl.induction.search import Search

CREEP = """BasicGame square_size=33
    SpriteSet
        wall > Immovable
        snail > RandomNPC speed=0.25
        you > OrientedAvatar rotateInPlace=False
    LevelMapping
        w > wall
        s > snail
        A > you
    InteractionSet
        snail wall > stepBack
        you wall > stepBack
    TerminationSet
        Timeout limit=500
"""
MAP = """wwwwwwww
w......w
w.A..s.w
w......w
wwwwwwww
"""


@pytest.mark.parametrize(("pixels", "block", "speed"), [(8, 33, 0.25), (2, 27, 0.1), (5, 10, 0.5), (66, 33, 2.0)])
def test_a_speed_is_the_shortest_number_that_the_engine_cuts_off_to_the_pixels(
    pixels: int, block: int, speed: float
) -> None:
    assert cells(pixels, block) == speed


def test_every_move_has_a_speed_that_the_engine_cuts_off_to_it() -> None:
    for block in range(1, 121):
        for pixels in range(1, 3 * block):
            assert int(round(cells(pixels, block), 3) * block) == pixels


def test_the_speed_of_a_sprite_is_learnt_where_cells_are_no_multiple_of_it() -> None:
    evidence, names = evidence_of(300, text=CREEP, level=MAP)
    search = Search(evidence, Budget(2000, 200_000))
    search.improve()
    snail = search.beam[0].hypothesis.kinds[names["snail"]]
    assert snail.get("speed") == 0.25


def test_switches_are_tried_on_avatars_whose_class_has_none_in_our_games() -> None:
    evidence, names = evidence_of(300, text=CREEP, level=MAP)
    fresh = Proposer(evidence, amounts_of(evidence.plays)).fresh_kinds(names["you"])
    assert any(kind.word == "OrientedAvatar" and kind.get("rotateInPlace") is False for kind in fresh)
