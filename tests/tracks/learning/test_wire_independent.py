"""The wire protocol as a second, independent client reads it: every field of every message, and every word of the tables."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tracks.learning import independent_client
from tracks.learning.common import LEVELS
from tracks.learning.independent_client import IndependentClient, ProtocolError, check_object
from tracks.learning.test_wire import RULES, server
from vgdl.competition.tracks.learning.rows import Ending, Phase

EVERYTHING = """\
# A sprite of every category, with types in an order that the levels do not have.
BasicGame square_size=24
    SpriteSet
        goal > Door color=GREEN
        gem > Resource limit=3 color=GOLD
        wall > Immovable color=RED
        boat > Missile orientation=RIGHT speed=0.25 color=WHITE
        cat > RandomNPC cooldown=500 color=BLUE
        bolt > Missile orientation=UP speed=1 color=YELLOW
        hero > ShootAvatar stype=bolt healthPoints=4 limitHealthPoints=9
    LevelMapping
        G > goal
        g > gem
        w > wall
        b > boat
        c > cat
        A > hero
    InteractionSet
        hero EOS > stepBack
        boat EOS > wrapAround
        bolt EOS > killSprite
        gem hero > collectResource scoreChange=2
        wall bolt > killSprite
        goal hero > killSprite
    TerminationSet
        SpriteCounter stype=goal win=True
        SpriteCounter stype=hero win=False
"""
BOARD = "w.c.\n.AgG\nb..w\n"


@dataclass
class Scripted(IndependentClient):
    """Answers with given words, by phase; then the usual ones."""

    acts: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)  #: named in the first answers

    def choose(self, message: Any) -> str:
        if self.forms:
            self.form = self.forms.pop(0)
        if message != "START" and message["phase"] == "ACT":
            return self.acts.pop(0) if self.acts else "ACTION_RIGHT"
        if message != "START" and message["phase"] in ("END", "ABORT") and self.ends:
            return self.ends.pop(0)
        return super().choose(message)

    def observations(self, phase: str) -> list[Any]:
        """The objects of a phase."""
        return [each.payload for each in self.log if isinstance(each.payload, dict) and each.payload["phase"] == phase]


def sprite(category: int, kind: int, number: int, x: int, y: int) -> dict[str, Any]:
    """An observation as the protocol has it."""
    place, nowhere = {"x": float(x), "y": float(y)}, {"x": -1.0, "y": -1.0}
    distance = float((x + 1) ** 2 + (y + 1) ** 2)
    named = {"category": category, "itype": kind, "obsID": number}
    return named | {"position": place, "reference": nowhere, "sqDist": distance}


def everything(path: Path) -> Path:
    """The game with a sprite of every category."""
    file = path / "everything.txt"
    file.write_text(EVERYTHING)
    for level in range(len(LEVELS)):
        (path / f"everything_lvl{level}.txt").write_text(BOARD)
    return file


@pytest.mark.parametrize(("form", "line_end"), [("JSON", "\n"), ("IMAGE", "\r\n"), ("BOTH", "\n")])
def test_every_message_of_a_run_is_as_the_protocol_has_it(tmp_path: Path, form: str, line_end: str) -> None:
    rules = replace(RULES, longest=12, rounds=1)
    with server(tmp_path, rules, files=[everything(tmp_path)]) as served:
        client = IndependentClient(served.address, form=form, line_end=line_end).run()
        result = served.run()
    assert not result.run.cause
    assert client.is_closed
    assert {each.form for each in client.log[1:]} == {form}
    assert len(result.plays) == 3 + 2


def test_every_field_has_the_value_of_the_game(tmp_path: Path) -> None:
    with server(tmp_path, files=[everything(tmp_path)]) as served:
        client = Scripted(served.address, acts=["ACTION_RIGHT", "ACTION_USE", "ACTION_RIGHT"])
        client.run()
    # the engine's numbers: wall and avatar come first, then the game's own types in their order
    wall, cat, hero, gem = (
        sprite(4, 0, 0, 0, 0),
        sprite(3, 5, 1, 20, 0),
        sprite(0, 7, 2, 10, 10),
        sprite(1, 3, 3, 20, 10),
    )
    goal, boat, corner = sprite(2, 2, 4, 30, 10), sprite(6, 4, 5, 0, 20), sprite(4, 0, 6, 30, 20)
    first = {
        "phase": "INIT",
        "isValidation": False,
        "gameScore": 0.0,
        "gameTick": 0,
        "gameWinner": "NO_WINNER",
        "isGameOver": False,
        "worldDimension": [40, 30],
        "blockSize": 10,
        "noOfPlayers": 1,
        "avatarSpeed": 1.0,
        "avatarOrientation": [1.0, 0.0],
        "avatarPosition": [10.0, 10.0],
        "avatarLastAction": "ACTION_NIL",
        "avatarType": 7,
        "avatarHealthPoints": 4,
        "avatarMaxHealthPoints": 4,
        "avatarLimitHealthPoints": 9,
        "isAvatarAlive": True,
        "availableActions": ["ACTION_USE", "ACTION_LEFT", "ACTION_RIGHT", "ACTION_DOWN", "ACTION_UP"],
        "avatarResources": {},
        "observationGrid": [[[wall], [], [boat]], [[], [hero], []], [[cat], [gem], []], [[], [goal], [corner]]],
        "observationGridNum": 4,
        "observationGridMaxRow": 3,
        "observationGridMaxCol": 1,
        **lists("NPC", [[cat]]),
        **lists("immovable", [[wall, corner]]),
        **lists("movable", [[boat]]),
        **lists("resources", [[gem]]),
        **lists("portals", [[goal]]),
        **lists("fromAvatarSprites", []),
    }
    begun, after, shot, end = (client.log[number].payload for number in (1, 3, 4, 5))
    assert begun == first
    assert client.log[2].payload == first | {"phase": "ACT"}
    grid = [[[wall], [], [boat]], [[], [], []], [[cat], [sprite(0, 7, 2, 20, 10)], []], [[], [goal], [corner]]]
    changed = {"phase": "ACT", "gameScore": 2.0, "gameTick": 1, "avatarPosition": [20.0, 10.0]}
    changed |= {"avatarLastAction": "ACTION_RIGHT", "avatarResources": {"3": 1}, "observationGrid": grid}
    expected = {name: value for name, value in (first | changed).items() if name != "resourcesPositions"}
    assert after == expected | lists("resources", [])
    assert shot["fromAvatarSpritesPositions"] == [[sprite(5, 6, 7, 30, 10)]]
    assert shot["observationGridMaxCol"] == 2  # the bolt is over the goal
    assert (shot["gameTick"], shot["avatarLastAction"]) == (2, "ACTION_USE")
    assert (end["phase"], end["gameWinner"], end["isGameOver"], end["portalsPositionsNum"]) == (
        "END",
        "PLAYER_WINS",
        True,
        0,
    )


def lists(name: str, sprites: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """A list of observations per type with its sizes; an empty one is null, hence left out."""
    sizes = {f"{name}PositionsNum": len(sprites), f"{name}PositionsMaxRow": max(map(len, sprites), default=0)}
    return {f"{name}Positions": sprites, **sizes} if sprites else sizes


def test_the_form_can_change_with_every_answer(tmp_path: Path) -> None:
    forms = ["IMAGE", "JSON", "BOTH", "IMAGE", "JSON"]
    with server(tmp_path) as served:
        client = Scripted(served.address, forms=list(forms))
        client.run()
        assert not served.run().run.cause
    assert [each.form for each in client.log[1:6]] == forms
    assert ["imageArray" in each.payload for each in client.log[1:6]] == [form != "JSON" for form in forms]


def test_an_abandoned_play_is_shown_as_lost(tmp_path: Path) -> None:
    with server(tmp_path) as served:
        client = Scripted(served.address, acts=["ACTION_NIL", "ABORT", "ACTION_ESCAPE"], ends=["2", "0"])
        client.run()
        result = served.run()
    shown = [(each["gameWinner"], each["isGameOver"], each["gameTick"]) for each in client.observations("ABORT")]
    assert shown == [("PLAYER_LOSES", True, 1), ("PLAYER_LOSES", True, 0)]
    assert [row.ending for row in result.plays][:3] == [Ending.LOST, Ending.LOST, Ending.WON]


def test_words_that_end_the_training_and_levels(tmp_path: Path) -> None:
    with server(tmp_path) as served:
        client = Scripted(served.address, ends=["2", "2", "1", "0", "2", "-1", "1.0", "END_VALIDATION"])
        client.run()
        result = served.run()
    training = [row.level for row in result.plays if row.phase is Phase.TRAINING]
    assert training[:5] == [0, 1, 2, 1, 0]  # each once, in order; then as chosen
    assert training[5] == 2
    assert len(training) == 8
    assert [row.level for row in result.plays if row.phase is Phase.VALIDATION] == [3, 4, 3, 4]
    assert [each["isValidation"] for each in client.observations("INIT")] == [False] * 8 + [True] * 4


@pytest.mark.parametrize("word", ["START_DONE", "", "action_right", "ACTION_RIGHT ACTION_LEFT", "{}", "END_TRAINING"])
def test_words_that_are_no_action_let_the_avatar_stand(tmp_path: Path, word: str) -> None:
    with server(tmp_path) as served:
        client = Scripted(served.address, acts=[word])
        client.run()
        assert not served.run().run.cause
    before, after = client.observations("ACT")[:2]
    assert (after["gameTick"], after["avatarPosition"]) == (1, before["avatarPosition"])


@pytest.mark.parametrize("ahead", [1, 2, 10**9])
def test_an_answer_to_a_message_that_was_not_sent_ends_the_run(tmp_path: Path, ahead: int) -> None:
    class Early(Scripted):
        def write(self, stream: Any, line: str) -> None:
            number, _, rest = line.partition("#")
            super().write(stream, f"{int(number) + ahead}#{rest}" if number == "4" else line)

    with server(tmp_path) as served:
        client = Early(served.address).run()
        result = served.run()
    assert "not sent yet" in result.run.details
    assert client.log[-1].payload == "FINISH"


def test_answers_in_pieces_behind_many_old_ones(tmp_path: Path) -> None:
    class Slow(Scripted):
        def write(self, stream: Any, line: str) -> None:
            old = "".join(f"{number}#ACTION_LEFT#IMAGE\n" for number in range(len(self.log) - 1))
            for piece in (old, line[:1], line[1:-1], line[-1:]):
                stream.write(piece)
                stream.flush()

    with server(tmp_path) as served:
        client = Slow(served.address).run()
        result = served.run()
    assert not result.run.cause
    assert {row.ending for row in result.plays} == {Ending.WON}
    assert {each.form for each in client.log} == {"JSON"}  # old answers change nothing


def test_a_client_without_types_gets_json(tmp_path: Path) -> None:
    class Untyped(Scripted):
        def write(self, stream: Any, line: str) -> None:
            super().write(stream, line.replace("#JSON", ""))

    with server(tmp_path) as served:
        Untyped(served.address).run()
        assert not served.run().run.cause


def test_games_follow_each_other_also_after_a_client_that_is_killed(tmp_path: Path) -> None:
    with server(tmp_path, replace(RULES, longest=20, rounds=1), games=2) as served:
        host, port = served.address
        command = [sys.executable, "-I", independent_client.__file__, host, str(port), "BOTH"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as killed:
            assert killed.stdin is not None
            assert killed.stdout is not None
            killed.stdin.write("\n" * 3)
            killed.stdin.flush()
            answers = [killed.stdout.readline() for _ in range(4)]
            killed.kill()  # in the middle of a play
        first = served.run()
        assert [answer.split("#")[0] for answer in answers] == ["0", "1", "2", "3"]
        assert (first.run.game, bool(first.run.cause)) == ("corridor0", True)
        assert {row.ending for row in first.plays if row.phase is Phase.VALIDATION} == {Ending.DISQUALIFIED}
        for game in ("corridor1", "corridor0"):
            done = subprocess.run(command, input="\n" * 5000, capture_output=True, text=True, check=True)
            assert done.stdout.splitlines()[-1] == "FINISH"
            following = served.run()
            assert (following.run.game, following.run.cause) == (game, "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gameTick": 1.5}, "gameTick"),
        ({"gameWinner": "NOBODY"}, "gameWinner"),
        ({"avatarType": None}, "avatarType"),
        ({"worldDimension": [1]}, "worldDimension"),
        ({"extra": 1}, "unknown fields"),
        ({"observationGridMaxRow": 1}, "larger than the sizes"),
        ({"phase": "START"}, "phase"),
    ],
)
def test_the_client_notices_what_is_wrong(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with server(tmp_path) as served:
        client = Scripted(served.address)
        client.run()
    check_object(client.log[1].payload, "JSON")
    with pytest.raises(ProtocolError, match=message):
        check_object(client.log[1].payload | change, "JSON")
