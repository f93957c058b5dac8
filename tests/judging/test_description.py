"""What the rules of a game mean for its sprites."""

from __future__ import annotations

import json

import pytest

import vgdl
from judging.small import game
from vgdl.judging.description import Group, describe


def test_roles_of_sprites_follow_from_the_rules() -> None:
    found = describe(vgdl.load("zelda"))
    assert found.avatars == {"hero"}
    assert found.walls == {"hedge"}
    assert found.solid == {"hedge", "gate"}
    assert {"ogre", "spider", "bat"} <= found.harmful
    assert {"key", "gate"} <= found.collectable
    assert found.goals == {"gate"}
    assert found.stock == {"key": 1}
    assert found.score_units == (1, 2)
    assert found.mapping[found.empty] == ("floor",)


def test_every_sprite_is_in_the_first_list_that_fits() -> None:
    groups = {sprite.name: sprite.group for sprite in describe(vgdl.load("zelda")).sprites}
    assert groups["hero"] is Group.AVATAR
    assert groups["ogre"] is Group.NPC
    assert groups["key"] is Group.RESOURCE
    assert groups["hedge"] is Group.STATIC


def test_effects_of_a_pair_name_their_lines_and_scores() -> None:
    found = describe(game())
    (rule,) = found.effects("coin", "hero")
    assert (rule.effect, rule.score) == ("killSprite", 1)
    assert found.effects("hero", "coin") == ()


@pytest.mark.parametrize("name", vgdl.games.names())
@pytest.mark.sampled(4)
def test_descriptions_are_plain_data(name: str) -> None:
    found = describe(vgdl.load(name))
    assert json.loads(json.dumps(found.plain))["name"] == name
    assert found.avatars
