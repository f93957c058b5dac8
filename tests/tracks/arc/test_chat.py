"""The agent `chat` with a scripted endpoint."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import pytest

from chat.stub import Answer, Script, endpoint
from tracks.arc.toys import Buttons, Maze, OneButton, Toy
from vgdl.competition.tracks.arc.agents import create
from vgdl.competition.tracks.arc.agents.chat import parsed
from vgdl.competition.tracks.arc.agents.playing import Play, play
from vgdl.registry import EntryInvalid

pytest.importorskip("openai")


def saying(**facts: Any) -> Answer:
    return Answer(json.dumps(facts))


def played(script: Script, toy: Toy, actions: int, **options: Any) -> tuple[Play, list[dict[str, Any]]]:
    with endpoint(script) as served:
        agent = create(f"chat:{served.url}#model", toy.task, 1, **options)
        return play(agent, toy, actions), served.requests


def told(request: dict[str, Any]) -> str:
    return str(request["messages"][-1]["content"])


def test_the_actions_of_the_model_are_played_and_it_is_told_what_they_did() -> None:
    result, requests = played(lambda number, body: saying(actions=[[5]]), OneButton(), 3)
    assert result.level_actions == [3]
    assert "[5]: 64 pixels changed" in told(requests[1])


def test_rules_and_notes_come_back_also_in_the_next_level() -> None:
    _, requests = played(
        lambda number, body: saying(actions=[[5]], rules=["5 lights a lamp"], notes=f"request {number}"), OneButton(), 5
    )
    assert "5 lights a lamp" in told(requests[4])
    assert "request 3" in told(requests[4])
    assert "Level 2 of 2" in told(requests[4])


def test_a_region_is_shown_before_the_actions_are_given() -> None:
    def script(number: int, body: dict[str, Any]) -> Answer:
        if number == 0:
            return saying(look=[{"x": 12, "y": 12, "width": 2, "height": 1}])
        return saying(actions=[[6, 14, 14]])

    _, requests = played(script, Buttons(), 1)
    assert told(requests[1]).endswith("From (12, 12):\n77")


@pytest.mark.parametrize(
    "text",
    ["", "I do not know", "[5]", '{"actions": [[9]]}', '{"actions": [[6, 64, 1]]}', '{"actions": "5"}', '{"look": [{}]}',
     "{" * 9999, '{"actions": [[true]]}', '{"actions": [[0]]}'],
)  # fmt: skip
def test_answers_that_cannot_be_used_cost_requests_and_nothing_else(text: str) -> None:
    result, requests = played(lambda number, body: Answer(text), OneButton(), 40, requests=4)
    assert len(requests) <= 4
    assert result.levels_completed >= 1  # the experimenter has played on


def test_the_limit_of_requests_holds() -> None:
    _, requests = played(lambda number, body: saying(actions=[[1]]), OneButton(), 30, requests=5)
    assert len(requests) == 5


def test_an_endpoint_that_refuses_is_not_asked_again() -> None:
    result, requests = played(lambda number, body: Answer("no", status=401), OneButton(), 40)
    assert len(requests) == 1
    assert result.levels_completed >= 1


def test_the_hybrid_asks_only_when_exploring_finds_nothing_new() -> None:
    result, requests = played(lambda number, body: saying(actions=[[1]]), Maze(), 200, hybrid=True)
    assert result.won
    assert len(requests) <= 2
    _, asked = played(lambda number, body: saying(actions=[[1]]), Locked(), 100, hybrid=True, patience=20)
    assert 1 <= len(asked) <= 6


class Locked(OneButton):
    """Nothing does anything."""

    def move(self, action: int, x: int | None, y: int | None) -> str:
        return ""


def test_an_address_without_a_model_is_an_error_that_shows_the_form() -> None:
    with pytest.raises(EntryInvalid, match="chat:URL#MODEL"):
        create("chat:http://127.0.0.1:1/v1", OneButton().task)


def test_the_first_object_of_a_reply_counts() -> None:
    assert parsed('Well: {"actions": [[1]]} I think') == {"actions": [[1]]}
    assert parsed("none") == parsed("[1]") == {}


def test_pictures_of_the_frame_are_shown_on_demand() -> None:
    def script(number: int, body: dict[str, Any]) -> Answer:
        if number == 1:
            return saying(look=[{"x": 0, "y": 0, "width": 32, "height": 32, "changes": True}])
        return saying(actions=[[5]])

    _, requests = played(script, OneButton(), 2, pictures=True)
    words, *pictures = requests[0]["messages"][-1]["content"]
    assert words["text"].endswith("The picture shows the present frame.")
    assert [_size_of(picture) for picture in pictures] == [(512, 512)]
    words, before, after = requests[1]["messages"][-1]["content"]
    assert words["text"].endswith("The pictures show the frame before the last action and the present one.")
    assert _size_of(before) == _size_of(after) == (512, 512)
    assert before != after
    digits = told(requests[2]).split("\n", 1)[1].replace("\n", "")
    assert 0 < len(digits.replace(".", "")) <= 64


def _size_of(picture: dict[str, Any]) -> tuple[int, int]:
    """Width and height of a picture of a message, from the PNG file's header."""
    assert picture["type"] == "image_url"
    kind, data = picture["image_url"]["url"].split(",")
    assert kind == "data:image/png;base64"
    width, height = struct.unpack(">II", base64.b64decode(data)[16:24])
    return width, height


def test_pictures_count_towards_the_limit_of_tokens() -> None:
    _, requests = played(lambda number, body: saying(actions=[[5]]), OneButton(), 20, tokens=6_500, pictures=True)
    _, others = played(lambda number, body: saying(actions=[[5]]), OneButton(), 20, tokens=6_500)
    assert len(requests) <= 1 < len(others)
