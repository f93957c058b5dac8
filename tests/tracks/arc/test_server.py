"""The HTTP API, row by row (arc, 2 to 4, and 13, tests 1 and 6)."""

from __future__ import annotations

import json
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("uvicorn", reason="needs the extra web")

from tracks.arc.serving import CLICK, FOLDER, LEFT, RIGHT, UNDO, WAIT, Caller, games, serving
from vgdl.competition import listening
from vgdl.competition.cli import main
from vgdl.competition.tracks.arc import server, web

KEYS, CLICKS = (game.id for game in games())
HEAD = b"POST /api/scorecard/open HTTP/1.1\r\nHost: x\r\nX-API-Key: k\r\n"
NOT_FOUND = f"game {KEYS} not found"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server that all tests share; each plays on a card of its own."""
    with serving() as caller:
        yield caller.url


@pytest.fixture
def caller(url: str) -> Caller:
    """A client with an open card."""
    made = Caller(url, key=uuid.uuid4().hex)
    made.open()
    return made


def refused(answer: Any) -> tuple[int, str]:
    """Status and code of an error."""
    assert set(answer.body) == {"error", "message"}, answer.body
    return answer.status, answer.body["error"]


# ------------------------------------------------------------------------------------------ routes


def test_health_needs_no_key(url: str) -> None:
    answer = Caller(url, key=None).call("GET", "/api/healthcheck")
    assert (answer.status, answer.body) == (200, "okay")


@pytest.mark.parametrize("header", ["X-API-Key", "X-Api-Key", "x-api-key"])
def test_the_key_may_be_spelled_in_any_case(caller: Caller, header: str) -> None:
    assert caller.call("GET", "/api/games", header=header).status == 200


@pytest.mark.parametrize("key", [None, ""])
def test_without_a_key_requests_are_refused(url: str, key: str | None) -> None:
    for method, path in (("GET", "/api/games"), ("POST", "/api/scorecard/open"), ("POST", "/api/cmd/RESET")):
        assert Caller(url, key).call(method, path).status == 401


def test_an_anonymous_key_is_given_to_those_without_one(url: str) -> None:
    key = Caller(url, key=None).get("/api/games/anonkey")["api_key"]
    assert Caller(url, key).get("/api/games")


def test_games_have_the_documented_fields_and_are_ordered_by_title(caller: Caller) -> None:
    listed = caller.get("/api/games")
    assert [game["title"] for game in listed] == sorted(game["title"] for game in listed)
    for game in listed:
        assert set(game) == {"game_id", "title", "tags", "default_fps", "class_name", "date_downloaded"}
        base, _, version = game["game_id"].partition("-")
        assert "-" not in version
        assert (game["title"], game["class_name"], game["default_fps"]) == (base.upper(), base.capitalize(), 5)


def test_a_game_is_found_by_its_id_and_by_its_base(caller: Caller) -> None:
    assert caller.get(f"/api/games/{KEYS}") == caller.get(f"/api/games/{KEYS.partition('-')[0]}")
    assert caller.call("GET", "/api/games/zz99").status == 404


def test_no_source_is_given(caller: Caller) -> None:
    assert caller.call("GET", f"/api/games/{KEYS}/source").status == 404


def test_repeated_slashes_are_one(caller: Caller) -> None:
    assert caller.get("//api//games") == caller.get("/api/games")


def test_unknown_routes_and_wrong_methods_have_the_error_body(caller: Caller) -> None:
    assert refused(caller.call("GET", "/api/nothing"))[0] == 404
    assert refused(caller.call("POST", "/api/games"))[0] == 405
    assert refused(caller.call("POST", "/api/cmd/ACTION8", {}))[0] == 404


def test_answers_have_a_length_and_keep_the_connection(caller: Caller) -> None:
    answer = caller.call("GET", "/api/games")
    assert int(answer.headers["content-length"]) > 0
    assert "close" not in answer.headers.get("connection", "")


# ------------------------------------------------------------------------------------------ frames


def test_a_frame_has_every_field_and_the_former_names(caller: Caller) -> None:
    frame = caller.start(KEYS)
    assert set(frame) == {
        "game_id", "guid", "frame", "state", "levels_completed", "win_levels", "score", "win_score", "action_input",
        "full_reset", "available_actions",
    }  # fmt: skip
    assert uuid.UUID(frame["guid"]).version == 4
    assert [len(frame["frame"]), len(frame["frame"][0]), len(frame["frame"][0][0])] == [1, 64, 64]
    assert {pixel for row in frame["frame"][0] for pixel in row} <= set(range(16))
    assert (frame["state"], frame["full_reset"], frame["available_actions"]) == ("NOT_FINISHED", True, [1, 2, 3, 4, 5])
    won = caller.act(RIGHT, RIGHT)
    assert (won["levels_completed"], won["win_levels"], won["score"], won["win_score"]) == (1, 2, 1, 2)
    assert len(won["frame"]) == 2
    assert won["full_reset"] is False


@pytest.mark.parametrize("reasoning", [None, '{"why": "a string that holds JSON"}', {"why": ["an", "object", 1.5]}])
def test_the_command_is_echoed(caller: Caller, reasoning: Any) -> None:
    caller.start(CLICKS)
    frame = caller.command(CLICK, x=63, y=0, reasoning=reasoning).body
    data = {"game_id": CLICKS, "x": 63, "y": 0}
    assert frame["action_input"] == {"id": CLICK, "data": data, "reasoning": reasoning}


def test_reset_sets_a_cookie_and_ignores_what_comes_back(caller: Caller) -> None:
    answer = caller.call("POST", "/api/cmd/RESET", {"game_id": KEYS, "card_id": caller.card})
    assert answer.headers["set-cookie"] == f"vgdl_arc={caller.card}; HttpOnly; Path=/"


def test_nothing_of_the_game_is_in_any_answer(caller: Caller) -> None:
    caller.start(KEYS)
    lost = caller.act(LEFT)
    card, legacy = caller.get(f"/api/scorecard/{caller.card}"), caller.get(f"/api/scorecard/{caller.card}/{KEYS}")
    told = [caller.get("/api/games"), lost, card, legacy, caller.command(RIGHT).body]
    told += [caller.call("GET", "/api/games/corridor").body["error"], caller.close()]
    text = json.dumps(told).lower()
    for word in ("corridor", "trap", "goal", "wall", "avatar", "immovable", "killsprite", "sprite", "vgdl", "walk"):
        assert word not in text


# ------------------------------------------------------------------------------------------ what happens when


@pytest.mark.parametrize("body", [b"[]", b"3", b"{", b'{"game_id": NaN}', b"\xff", b"[" * 9000, {}, {"game_id": 3}])
def test_a_command_without_a_game_is_invalid(caller: Caller, body: Any) -> None:
    for name in ("RESET", "ACTION1"):
        assert refused(caller.call("POST", f"/api/cmd/{name}", body)) == (400, "VALIDATION_ERROR")


def test_an_unknown_game_is_told_by_its_name(caller: Caller) -> None:
    answer = caller.call("POST", "/api/cmd/RESET", {"game_id": "zz99-0", "card_id": caller.card})
    assert (*refused(answer), answer.body["message"]) == (400, "SERVER_ERROR", "game zz99-0 not found")


@pytest.mark.parametrize("card", [None, "", "unknown"])
def test_a_session_needs_an_open_card(caller: Caller, card: str | None) -> None:
    answer = caller.call("POST", "/api/cmd/RESET", {"game_id": KEYS, "card_id": card})
    assert (*refused(answer), answer.body["message"]) == (400, "SERVER_ERROR", NOT_FOUND)


def test_a_card_that_is_closed_has_no_sessions(caller: Caller) -> None:
    caller.start(KEYS)
    caller.close()
    assert refused(caller.command(RIGHT)) == (400, "SERVER_ERROR")
    assert refused(caller.call("POST", "/api/cmd/RESET", {"game_id": KEYS, "card_id": caller.card}))[0] == 400


def test_a_guid_that_is_unknown_or_of_another_game_is_refused(caller: Caller) -> None:
    caller.start(KEYS)
    for body in ({"game_id": KEYS, "guid": "unknown"}, {"game_id": CLICKS, "guid": caller.guid}):
        for name in ("RESET", "ACTION6"):
            answer = caller.call("POST", f"/api/cmd/{name}", {"card_id": caller.card, "x": 0, "y": 0, **body})
            assert refused(answer) == (400, "SERVER_ERROR")


def test_an_action_needs_a_guid(caller: Caller) -> None:
    answer = caller.call("POST", "/api/cmd/ACTION1", {"game_id": KEYS, "card_id": caller.card})
    assert refused(answer) == (400, "VALIDATION_ERROR")


def test_a_guid_belongs_to_its_key(caller: Caller) -> None:
    caller.start(KEYS)
    other = Caller(caller.url, key="another")
    other.game, other.guid = KEYS, caller.guid
    assert refused(other.command(RIGHT)) == (400, "VALIDATION_ERROR")
    assert caller.run()["actions"] == 0


def test_a_card_belongs_to_its_key(caller: Caller) -> None:
    other = Caller(caller.url, key="another")
    assert other.call("GET", f"/api/scorecard/{caller.card}").status == 404
    assert other.call("POST", "/api/scorecard/close", {"card_id": caller.card}).status == 404
    assert other.call("POST", "/api/cmd/RESET", {"game_id": KEYS, "card_id": caller.card}).status == 400
    assert caller.start(KEYS)


def test_reset_with_a_guid_needs_no_card(caller: Caller) -> None:
    caller.start(KEYS)
    assert caller.act(RIGHT, 0)["guid"] == caller.guid


@pytest.mark.parametrize("action", [CLICK, UNDO])
def test_an_action_that_is_not_offered_counts_and_does_nothing(caller: Caller, action: int) -> None:
    before = caller.start(KEYS)["frame"]
    answer = caller.command(action, x=0, y=0)
    assert (answer.status, answer.body["frame"]) == (200, before)
    assert caller.run()["actions"] == 1


def test_no_action_is_valid_after_the_end(caller: Caller) -> None:
    caller.start(KEYS)
    assert caller.act(LEFT)["state"] == "GAME_OVER"
    answer = caller.command(RIGHT)
    assert refused(answer) == (400, "GAME_NOT_STARTED_ERROR")
    assert "send RESET" in answer.body["message"]
    assert caller.run()["actions"] == 1
    assert caller.act(0, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT)["state"] == "WIN"
    assert refused(caller.command(RIGHT)) == (400, "GAME_NOT_STARTED_ERROR")
    assert caller.run()["actions"] == 7


@pytest.mark.parametrize(
    "place",
    [
        {}, {"x": 3}, {"y": 3}, {"x": None, "y": 3}, {"x": 64, "y": 3}, {"x": 3, "y": -1}, {"x": "left", "y": 3},
        {"x": 3.5, "y": 3}, {"x": True, "y": 3}, {"x": [3], "y": 3}, {"x": 10**30, "y": 3}, {"x": "9" * 5000, "y": 3},
    ],
)  # fmt: skip
def test_a_click_needs_a_pixel(caller: Caller, place: dict[str, Any]) -> None:
    caller.start(CLICKS)
    answer = caller.command(CLICK, **place)
    assert refused(answer) == (400, "VALIDATION_ERROR")
    assert caller.run()["actions"] == 0


def test_whole_numbers_in_other_forms_are_taken_as_the_official_server_takes_them(caller: Caller) -> None:
    caller.start(CLICKS)
    assert caller.command(CLICK, x=12.0, y="12").body["action_input"]["data"] == {"game_id": CLICKS, "x": 12, "y": 12}


def test_reasoning_has_a_limit_and_nothing_is_executed_beyond_it(caller: Caller) -> None:
    caller.start(KEYS)
    assert caller.command(WAIT, reasoning="x" * (16_384 - 2)).status == 200
    assert refused(caller.command(RIGHT, reasoning="x" * (16_384 - 1))) == (400, "VALIDATION_ERROR")
    assert refused(caller.command(RIGHT, reasoning="x" * 200_000)) == (400, "VALIDATION_ERROR")
    deep: Any = None
    for _ in range(200):
        deep = [deep]
    assert refused(caller.command(RIGHT, reasoning=deep)) == (400, "VALIDATION_ERROR")
    assert caller.run()["actions"] == 1


def test_text_that_no_file_can_hold_is_kept_and_given_back(caller: Caller) -> None:
    caller.start(KEYS)
    assert caller.command(RIGHT, reasoning="\ud800\x00").body["action_input"]["reasoning"] == "\ud800\x00"
    assert caller.close()["total_actions"] == 1


@pytest.mark.parametrize("opaque", ["\ud800", {"\ud800": "\x00"}])
def test_so_is_such_text_about_a_card(caller: Caller, opaque: Any) -> None:
    caller.open(opaque=opaque)
    assert caller.close()["opaque"] == opaque


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"NaN"])
def test_numbers_beyond_all_bounds_are_no_json(caller: Caller, number: bytes) -> None:
    body = b'{"opaque": [%s]}' % number
    assert refused(caller.call("POST", "/api/scorecard/open", body)) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"POST /api/scorecard/open HTTP/1.1\r\nHost: ", b""),
        (HEAD + b"Content-Length: 100\r\n\r\n{", b" 408 "),
        (HEAD + b"Content-Length: 10000000000\r\n\r\n{", b" 400 "),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", b" 408 "),
        (HEAD + b"X-Long: " + b"x" * 70_000, b" 400 "),
    ],
)
def test_slow_and_large_requests_are_ended(sent: bytes, answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEAD_S", 0.5)
    monkeypatch.setattr(web, "BODY_S", 0.5)
    with (
        server.background(games()) as url,
        socket.create_connection(("127.0.0.1", urlsplit(url).port), timeout=60) as client,
    ):
        client.sendall(sent)
        received = b""
        while answer not in received or not received:
            if not (chunk := client.recv(65536)):
                break
            received += chunk
    assert answer in received


def test_a_client_that_leaves_is_no_failure(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_connection(("127.0.0.1", urlsplit(url).port), timeout=60) as leaving:
        leaving.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
        leaving.shutdown(socket.SHUT_RDWR)
    Caller(url).open()
    assert not [record for record in caplog.records if record.exc_info]


def test_a_store_that_cannot_be_used_is_told_before_games_are_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.db").write_text("no store " * 100)
    monkeypatch.setattr(server, "prepare", lambda games: pytest.fail("games are prepared"))
    assert main(["arc", "serve", "--store", str(tmp_path / "notes.db"), "--games", str(FOLDER), "--port", "0"]) == 1
    assert "notes.db" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------ RESET and counting


def test_a_reset_after_actions_resets_the_level_and_counts(caller: Caller) -> None:
    caller.start(KEYS)
    frame = caller.act(RIGHT, RIGHT, RIGHT, 0)
    assert (frame["full_reset"], frame["levels_completed"]) == (False, 1)
    run = caller.run()
    assert (run["actions"], run["resets"], run["level_actions"]) == (4, 1, [2, 2])


def test_a_reset_of_a_lost_level_counts(caller: Caller) -> None:
    caller.start(KEYS)
    assert caller.act(LEFT, 0)["state"] == "NOT_FINISHED"
    run = caller.run()
    assert (run["actions"], run["resets"], run["state"]) == (2, 1, "NOT_FINISHED")


@pytest.mark.parametrize("before", [[], [RIGHT, RIGHT], [RIGHT, 0], [LEFT, 0]])
def test_a_reset_at_the_start_of_a_level_starts_the_game_anew(caller: Caller, before: list[int]) -> None:
    caller.start(KEYS)
    frame = caller.act(*before, 0)
    assert (frame["full_reset"], frame["levels_completed"], frame["guid"]) == (True, 0, caller.guid)
    runs = caller.get(f"/api/scorecard/{caller.card}")["environments"][0]["runs"]
    assert [run["guid"] for run in runs] == [caller.guid, caller.guid]
    assert (runs[1]["actions"], runs[1]["resets"]) == (0, 0)


def test_a_reset_after_the_win_starts_a_new_run(caller: Caller) -> None:
    caller.start(KEYS)
    assert caller.act(RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, 0)["full_reset"] is True
    environment = caller.get(f"/api/scorecard/{caller.card}")["environments"][0]
    assert [run["state"] for run in environment["runs"]] == ["WIN", "NOT_FINISHED"]
    assert (environment["completed"], environment["levels_completed"], environment["actions"]) == (True, 2, 5)


def test_failed_attempts_stay_in_their_level(caller: Caller) -> None:
    caller.start(KEYS)
    caller.act(RIGHT, RIGHT, LEFT, 0, RIGHT, RIGHT, RIGHT)
    run = caller.run()
    assert (run["level_actions"], run["completed"]) == ([2, 5], True)


# ------------------------------------------------------------------------------------------ cards


def test_a_card_has_every_field(caller: Caller) -> None:
    caller.open(tags=["human", "x"], source_url="https://example.org", opaque={"any": [1, None]})
    caller.start(KEYS)
    caller.act(RIGHT)
    card = caller.get(f"/api/scorecard/{caller.card}")
    for name, kind in {
        "card_id": str, "score": float, "source_url": str, "tags": list, "opaque": dict, "environments": list,
        "tags_scores": list, "open_at": str, "last_update": str, "total_environments_completed": int,
        "total_environments": int, "total_levels_completed": int, "total_levels": int, "total_actions": int,
        "scoring": str,
    }.items():  # fmt: skip
        assert isinstance(card[name], kind), name
    assert card["tags"] == ["human", "x"]
    assert card["opaque"] == {"any": [1, None]}
    assert str(caller.key) not in json.dumps(card)
    assert "published_at" not in card
    assert "published_at" in caller.close()


def test_an_empty_body_opens_a_card_with_the_tag_agent(caller: Caller) -> None:
    answer = caller.call("POST", "/api/scorecard/open", b"")
    assert caller.get(f"/api/scorecard/{answer.body['card_id']}")["tags"] == ["agent"]


@pytest.mark.parametrize(
    "body",
    [
        {"tags": "x"},
        {"tags": [1]},
        {"source_url": 3},
        {"source_url": "\ud800"},
        {"tags": ["\ud800"]},
        {"opaque": "x" * 16_384},
        {"tags": ["x"] * 1000},
        b"[]",
    ],
)
def test_a_card_with_bad_facts_is_not_opened(caller: Caller, body: Any) -> None:
    assert refused(caller.call("POST", "/api/scorecard/open", body)) == (400, "VALIDATION_ERROR")


def test_without_baselines_scores_are_zero_and_say_why(caller: Caller) -> None:
    caller.start(KEYS)
    run = caller.run()
    assert (run["score"], run["level_baseline_actions"]) == (0.0, [-1, -1])
    assert run["message"] == "Human baseline actions are not available for this environment"


def test_one_game_of_a_card_has_the_fields_of_older_clients(caller: Caller) -> None:
    caller.start(CLICKS)
    caller.start(KEYS)
    caller.act(RIGHT, RIGHT, 0, LEFT, 0, RIGHT)
    for name in (KEYS, KEYS.partition("-")[0]):
        card = caller.get(f"/api/scorecard/{caller.card}/{name}")
        assert [environment["id"] for environment in card["environments"]] == [KEYS]
        assert (card["won"], card["played"], card["total_actions"], card["levels_completed"]) == (0, 2, 5, 1)
        assert card["cards"] == {
            KEYS: {
                "game_id": KEYS, "total_plays": 2, "guids": [caller.guid] * 2, "levels_completed": [1, 0],
                "scores": [1, 0], "states": ["NOT_FINISHED"] * 2, "actions": [2, 3], "resets": [0, 1],
                "actions_by_level": [[[1, 2]], []], "total_actions": 5,
            }
        }  # fmt: skip
    caller.close()
    assert caller.get(f"/api/scorecard/{caller.card}/{KEYS}")["cards"][KEYS]["actions"] == [2, 3]


def test_a_closed_card_can_be_read_and_closed_again(caller: Caller) -> None:
    caller.start(KEYS)
    caller.act(RIGHT)
    card = caller.close()
    assert caller.get(f"/api/scorecard/{caller.card}") == caller.close() == card


def test_unknown_cards_are_not_found(caller: Caller) -> None:
    assert caller.call("GET", "/api/scorecard/unknown").status == 404
    assert caller.call("POST", "/api/scorecard/close", {"card_id": "unknown"}).status == 404
    assert refused(caller.call("POST", "/api/scorecard/close", {})) == (400, "VALIDATION_ERROR")


# ------------------------------------------------------------------------------------------ options of the server


def test_a_competition() -> None:
    with serving(competition=True) as caller:
        caller.open()
        assert refused(caller.call("POST", "/api/scorecard/open", {}))[0] == 409
        caller.start(KEYS)
        assert caller.call("GET", f"/api/scorecard/{caller.card}").status == 403
        assert caller.call("POST", "/api/cmd/RESET", {"game_id": KEYS, "card_id": caller.card}).status == 400
        again = caller.act(0)
        assert (again["full_reset"], again["levels_completed"]) == (False, 0)
        assert caller.act(RIGHT, RIGHT, 0)["levels_completed"] == 1, "no full reset"
        assert caller.act(RIGHT, RIGHT, RIGHT)["state"] == "WIN"
        assert caller.command(0).status == 400
        card = caller.close()
        assert card["competition_mode"] is True
        played, never = card["environments"]
        assert (played["actions"], played["resets"]) == (7, 2)
        assert (never["id"], never["score"], never["actions"], len(never["runs"])) == (CLICKS, 0.0, 0, 1)
        assert never["runs"][0]["state"] == "NOT_PLAYED"
        assert caller.get(f"/api/scorecard/{caller.card}") == card
        assert caller.open()


def test_a_client_may_ask_for_competition_mode(caller: Caller) -> None:
    for value, status in ((True, 403), (False, 200), (None, 200), ("yes", 200)):
        caller.open(competition_mode=value)
        assert caller.call("GET", f"/api/scorecard/{caller.card}").status == status


def test_registered_keys_only() -> None:
    with serving(keys=frozenset({"good"})) as caller:
        assert caller.call("GET", "/api/games").status == 401
        assert caller.call("GET", "/api/games/anonkey").status == 401
        assert Caller(caller.url, "good").get("/api/games")


def test_requests_beyond_the_rate_are_told_when_to_come_back() -> None:
    with serving(rpm=30) as caller:
        statuses = [caller.call("GET", "/api/games").status for _ in range(3)]
        limited = caller.call("GET", "/api/games")
        assert statuses == [200] * 3
        assert (limited.status, limited.headers["retry-after"]) == (429, "2")
        assert limited.body == {"error": "RATE_LIMIT_EXCEEDED", "message": "rate limit has been exceeded"}
        assert Caller(caller.url, "another").get("/api/games")


def test_a_card_without_commands_is_closed_after_a_while() -> None:
    with serving(stale_minutes=0.005) as caller:
        caller.open()
        caller.start(KEYS)
        deadline = time.monotonic() + 60
        while "published_at" not in (card := caller.get(f"/api/scorecard/{caller.card}")):
            assert time.monotonic() < deadline
        assert card["total_environments"] == 1
        assert caller.command(RIGHT).status == 400


def test_recordings_of_the_server_play_again(tmp_path: Path) -> None:
    from vgdl.competition.tracks.arc import recording

    with serving(recordings=tmp_path) as caller:
        caller.open()
        caller.start(KEYS)
        caller.act(RIGHT, RIGHT, 0, LEFT, 0, 0)
        caller.close()
    (file,) = tmp_path.iterdir()
    assert file.name == f"{KEYS}.server.0.{caller.guid}.recording.jsonl"
    entries = recording.read(file)
    assert [entry.action for entry in entries] == [0, RIGHT, RIGHT, 0, LEFT, 0, 0]
    assert recording.differences(entries, games()[0]) == []
    assert len(file.read_text().splitlines()) == len(entries) + 1


def test_ids_and_names_of_games_are_not_cut_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from vgdl.competition import cli

    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["arc", "games", "--json", "--ways", "keyboard,click,keyboard_click"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert cli.main(["arc", "games", "--ways", "keyboard,click,keyboard_click"]) == 0
    shown = capsys.readouterr().out
    assert [game for game in known if game["id"] not in shown or game["game"] not in shown] == []


def test_a_folder_is_served_without_the_games_that_do_not_fit(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    import shutil

    from tracks.arc.serving import FOLDER
    from vgdl.competition import cli

    shutil.copytree(FOLDER, tmp_path / "games")
    shutil.copy(FOLDER / "corridor.txt", tmp_path / "games" / "wide.txt")
    (tmp_path / "games" / "wide_lvl0.txt").write_text("w" * 129 + "\n" + "A" + "G" * 128 + "\n")
    (tmp_path / "games" / "broken.txt").write_text("hello\n")
    (tmp_path / "games" / "broken_lvl0.txt").write_text("A\n")
    assert cli.main(["arc", "games", "--games", str(tmp_path / "games"), "--json"]) == 0
    assert [record.message.partition(":")[0] for record in caplog.records] == ["left out"] * 2
    assert "129 by 2 cells" in caplog.text
