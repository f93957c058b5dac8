"""Drawings of positions: every position of a game has one, and a text that is not understood has none."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import pytest

from vgdl.competition.tracks.gamebot.match import Match
from vgdl.competition.tracks.gamebot.pages.drawings import drawing
from vgdl.competition.tracks.gamebot.players import MovePlayer, at_random
from vgdl.competition.tracks.gamebot.tasks import TASKS

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')


def positions(game: str) -> list[str]:
    """The positions of a random match."""
    players = [MovePlayer("a", at_random(1)), MovePlayer("b", at_random(2))]
    return [turn.position for turn in Match(TASKS[game](), players, random.Random(3)).play().turns]


def kinds(svg: str) -> list[str]:
    return [str(part.get("class")) for part in ElementTree.fromstring(svg)]


@pytest.mark.parametrize("game", TASKS)
def test_every_position_has_a_drawing(game: str) -> None:
    for position in positions(game):
        assert kinds(drawing(game, position))


def test_discs_and_legal_moves_of_othello() -> None:
    shown = kinds(drawing("othello", positions("othello")[0]))
    assert (shown.count("black"), shown.count("white"), shown.count("hint")) == (2, 2, 4)


def test_row_0_of_connect_four_is_at_the_bottom() -> None:
    second = drawing("connect_four", positions("connect_four")[1])
    [cross] = [part for part in ElementTree.fromstring(second) if part.get("class") == "cross"]
    assert f" {6.5 * 40 - 11:g}l" in str(cross.get("d"))


def test_cards_of_holdem() -> None:
    position = "Round: flop.\nYour cards: Hearts 10, Clubs A\nBoard: Spades 2, Spades K, Diamonds Q\n"
    assert kinds(drawing("holdem", position)).count("card") == 5


@pytest.mark.parametrize("game", [*TASKS, "chess"])
@pytest.mark.parametrize("text", ["", "<script>alert(1)</script>", "(0,0):<b>", "Your cards: <b>\n", "1 _ _ _"])
def test_a_text_that_is_not_understood_has_no_drawing_or_a_harmless_one(game: str, text: str) -> None:
    assert "<script" not in drawing(game, text)
    assert "<b>" not in drawing(game, text)
