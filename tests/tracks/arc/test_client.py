"""The client of any ARC-AGI-3 server, and the swarm (arc, 8, and 13, tests 4 and 5)."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("uvicorn", reason="needs the extra web")

from tracks.arc.serving import CLICK, LEFT, RIGHT, Caller, games, serving
from vgdl.competition import cli
from vgdl.competition.tracks.arc import film_command, recording
from vgdl.competition.tracks.arc.agents import Act, FrameAgent
from vgdl.competition.tracks.arc.client import AnswerLost, ArcServer, RemoteArc, ServerError, read_answer
from vgdl.competition.tracks.arc.environment import Arc
from vgdl.competition.tracks.arc.errors import BadActionError, NotAllowedError, NotStartedError
from vgdl.competition.tracks.arc.frame import Frame
from vgdl.competition.tracks.arc.local import LocalArc
from vgdl.competition.tracks.arc.protocol import Opening
from vgdl.competition.tracks.arc.shown import image
from vgdl.competition.tracks.arc.swarm import Limits, Swarm

KEYS, CLICKS = (game.id for game in games())
PIXELS = [[[7] * 64] * 64]
FRAME = {"guid": "g", "frame": PIXELS, "state": "NOT_FINISHED", "levels_completed": 1, "win_levels": 3}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server that all tests share."""
    with serving() as caller:
        yield caller.url


@contextmanager
def scripted(*answers: tuple[int, Any] | None) -> Iterator[tuple[str, list[tuple[str, Any, dict[str, str]]]]]:
    """A server with these answers, one after another, and the requests that it gets; None breaks the connection."""
    requests: list[tuple[str, Any, dict[str, str]]] = []
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            requests.append((self.path, json.loads(body) if body else None, dict(self.headers)))
            answer = left.pop(0)
            if answer is None:
                self.close_connection = True
                return
            status, facts = answer
            data = facts if isinstance(facts, bytes) else json.dumps(facts).encode()
            self.send_response(status)
            self.send_header("Set-Cookie", f"AWSALB=pin{len(requests)}; Path=/")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_frames_are_the_same_in_this_process_and_over_http(url: str) -> None:
    remote, local = RemoteArc(ArcServer(url)), LocalArc(games())
    for game, actions in (
        (KEYS, [(RIGHT,), (RIGHT,), (0,), (RIGHT,), (LEFT,), (LEFT,), (0,)]),
        (CLICKS, [(CLICK, 40, 30)]),
    ):
        plays = [arc.make(game) for arc in (remote, local)]
        for action in [(0,), *actions]:
            frames: list[Frame | None] = []
            for play in plays:
                try:
                    frames.append(play.step(*action) if action[0] else play.reset())
                except NotStartedError:
                    frames.append(None)
            there, here = frames
            assert (there is None) == (here is None)
            if there is not None and here is not None:
                np.testing.assert_array_equal(there.layers, here.layers)
                assert facts(there) == facts(here)
    same = ("score", "total_actions", "total_levels_completed", "total_levels", "total_environments", "scoring")
    card, local_card = remote.close(), local.close()
    assert [card[name] for name in same] == [local_card[name] for name in same]
    for first, second in zip(card["environments"], local_card["environments"], strict=True):
        assert without_guids(first) == without_guids(second)


def facts(frame: Frame) -> tuple[object, ...]:
    return (
        frame.state, frame.levels_completed, frame.win_levels, frame.full_reset, frame.available_actions,
    )  # fmt: skip


def without_guids(environment: dict[str, Any]) -> dict[str, Any]:
    runs = [{name: value for name, value in run.items() if name != "guid"} for run in environment["runs"]]
    return {**environment, "runs": runs}


def test_the_interface_is_that_of_games_in_this_process(url: str) -> None:
    arc: Arc = RemoteArc(ArcServer(url, "mine"))
    assert [info.game_id for info in arc.games] == [
        info.game_id for info in sorted(LocalArc(games()).games, key=lambda i: i.title)
    ]
    play = arc.make(KEYS.partition("-")[0])
    assert (play.info.game_id, play.guid) == (KEYS, "")
    with pytest.raises(LookupError):
        arc.make("zz99")
    play.reset()
    with pytest.raises(BadActionError):
        play.step(0)
    play.step(LEFT)
    with pytest.raises(NotStartedError):
        play.step(RIGHT)
    assert arc.scorecard()["total_actions"] == 1
    arc.close()


def test_in_a_competition_a_won_game_cannot_be_reset(url: str) -> None:
    play = RemoteArc(ArcServer(url), Opening(competition=True)).make(KEYS)
    play.reset()
    for _ in range(5):
        play.step(RIGHT)
    with pytest.raises(NotAllowedError):
        play.reset()


def test_an_older_client_that_reads_the_score_only_wins(url: str) -> None:
    """As clients of August 2025 play: the card in every command, an object as reasoning, ``score`` for the levels."""
    client = Caller(url, key="old")
    client.open(tags=["agent"])
    frame = client.start(KEYS)
    while frame["state"] == "NOT_FINISHED":
        score, win_score = frame["score"], frame["win_score"]
        answer = client.command(RIGHT, card_id=client.card, reasoning={"score": score})
        assert answer.status == 200
        frame = answer.body
    assert (frame["state"], frame["score"]) == ("WIN", win_score)
    legacy = client.get(f"/api/scorecard/{client.card}/{KEYS}")["cards"][KEYS]
    assert legacy["scores"] == [2]


def test_former_names_are_read_and_missing_actions_assumed() -> None:
    former = {"guid": "g", "frame": PIXELS, "state": "WIN", "score": 2, "win_score": 2}
    answer = read_answer(former)
    assert (answer.frame.levels_completed, answer.frame.win_levels) == (2, 2)
    assert answer.frame.available_actions == (1, 2, 3, 4, 5, 6)
    assert answer.frame.layers[0].dtype == np.uint8


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"state": "NOT_STARTED"}, "NOT_STARTED"),
        ({"state": ["WIN"]}, "WIN"),
        ({"frame": []}, "shape"),
        ({"frame": [[[1] * 64] * 63]}, "shape"),
        ({"frame": [[[16] * 64] * 64]}, "colours"),
        ({"frame": "x"}, "shape"),
        ({"levels_completed": "1"}, "levels_completed"),
        ({"available_actions": ["a"]}, "available actions"),
        ({"guid": None}, "guid"),
    ],
)
def test_an_answer_that_is_no_frame_is_an_error_that_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ServerError, match=words):
        read_answer(FRAME | change)


def test_a_busy_server_is_asked_again_later_and_later() -> None:
    waits: list[float] = []
    limited = {"error": "RATE_LIMIT_EXCEEDED", "message": "rate limit has been exceeded"}
    with scripted((429, limited), (503, b"busy"), (500, b""), (200, FRAME)) as (url, requests):
        server = ArcServer(url, "key", sleep=waits.append)
        assert server.act("card", "game", "g", 1).guid == "g"
    assert len(requests) == 4
    for wait, expected in zip(waits, (1, 2, 4), strict=True):
        assert 0.8 * expected <= wait <= 1.2 * expected


def test_a_server_that_stays_busy_is_given_up() -> None:
    waits: list[float] = []
    broken = (503, {"message": "out of order"})
    with scripted(*[broken] * 9) as (url, requests), pytest.raises(ServerError, match="out of order"):
        ArcServer(url, "key", sleep=waits.append).games()
    assert len(requests) == 9
    assert max(waits) <= 72


def test_no_server_is_an_error_that_names_it() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        waits: list[float] = []
        with pytest.raises(ServerError, match=f"cannot reach {url}"):
            ArcServer(url, "key", sleep=waits.append).games()
        assert waits == [], "what has never answered is not waited for"
    for wrong in ("127.0.0.1:8001", "http://[::1", "http://host:99999"):
        with pytest.raises(ServerError, match="is not a server URL"):
            ArcServer(wrong)


def test_an_action_whose_answer_is_lost_is_not_repeated_but_followed_by_a_reset() -> None:
    with scripted((200, []), (200, {"card_id": "c"}), (200, FRAME), None, (200, FRAME | {"full_reset": True})) as (
        url,
        requests,
    ):
        arc = RemoteArc(ArcServer(url, "key", sleep=lambda seconds: None))
        arc.games = LocalArc(games()).games
        play = arc.make(KEYS)
        play.reset()
        assert play.step(RIGHT).full_reset
        assert play.lost == 1
    assert [path for path, _, _ in requests[2:]] == ["/api/cmd/RESET", "/api/cmd/ACTION4", "/api/cmd/RESET"]
    assert requests[-1][1]["guid"] == "g"


def test_other_requests_whose_answers_are_lost_are_repeated() -> None:
    with scripted(None, (200, [])) as (url, _):
        assert ArcServer(url, "key", sleep=lambda seconds: None).games() == []
    with scripted(None) as (url, _), pytest.raises(AnswerLost):
        ArcServer(url, "key").act("c", "game", "g", 1)


def test_cookies_key_and_card_go_with_every_command() -> None:
    with scripted((200, FRAME), (200, FRAME)) as (url, requests):
        server = ArcServer(url, "secret")
        server.reset("c", "game")
        server.act("c", "game", "g", 6, 3, 4, {"why": 1})
    (_, first, _), (path, body, headers) = requests
    assert (first, path) == ({"card_id": "c", "game_id": "game"}, "/api/cmd/ACTION6")
    assert body == {"card_id": "c", "game_id": "game", "guid": "g", "x": 3, "y": 4, "reasoning": {"why": 1}}
    assert (headers["Cookie"], headers["X-API-Key"]) == ("AWSALB=pin1", "secret")


@pytest.mark.parametrize("text", [b"<html>", b"[[[", b"3", b'{"game_id": 3}'])
def test_an_answer_of_something_else_is_an_error(text: bytes) -> None:
    with scripted((200, text)) as (url, _), pytest.raises(ServerError):
        ArcServer(url, "key").reset("c", "game")


class Right(FrameAgent):
    """Wins the corridor."""

    def act(self, frame: Frame) -> Act:
        return Act(RIGHT, reasoning={"levels": frame.levels_completed})


class Left(FrameAgent):
    """Loses the corridor over and over."""

    def act(self, frame: Frame) -> Act:
        return Act(LEFT)


class Broken(FrameAgent):
    """Fails at once."""

    def act(self, frame: Frame) -> Act:
        raise ZeroDivisionError("by design")


def swarm(arc: Arc, agent: type[FrameAgent], recorder: recording.Recorder | None = None) -> Swarm:
    made = Swarm(arc, [KEYS], agent, Limits(actions=20), 2, recorder)
    made.run()
    return made


@pytest.mark.parametrize("place", ["local", "remote"])
def test_a_swarm_plays_to_the_win_and_its_recording_plays_again(place: str, url: str, tmp_path: Path) -> None:
    arc: Arc = LocalArc(games()) if place == "local" else RemoteArc(ArcServer(url))
    (progress,) = swarm(arc, Right, recording.Recorder(tmp_path, "right", 20)).progress
    assert (progress.state, progress.actions, progress.levels_completed, progress.error) == ("WIN", 5, 2, "")
    assert arc.close()["total_environments_completed"] == 1
    file = tmp_path / f"{KEYS}.right.20.{progress.guid}.recording.jsonl"
    entries = recording.read(file)
    assert [entry.action for entry in entries] == [0] + [RIGHT] * 5
    assert recording.differences(entries, games()[0]) == []
    assert recording.differences(entries[:3] + entries[4:], games()[0]) != []


def test_a_swarm_resets_what_is_lost_and_stops_at_its_limit() -> None:
    arc = LocalArc(games())
    (progress,) = swarm(arc, Left).progress
    run = arc.close()["environments"][0]["runs"][0]
    assert (progress.actions, run["actions"], run["resets"]) == (20, 20, 10)


def test_an_agent_that_fails_ends_its_own_play_only() -> None:
    (progress,) = swarm(LocalArc(games()), Broken).progress
    assert progress.error == "ZeroDivisionError: by design"
    assert progress.done


def test_recordings_of_the_toolkit_are_read(tmp_path: Path) -> None:
    data = {"game_id": KEYS, "state": "NOT_FINISHED", "levels_completed": 0, "guid": "g", "full_reset": False}
    lines = [
        {"timestamp": "t", "data": data | {"action_input": {"id": name, "data": {}}}} for name in ("RESET", "ACTION4")
    ]
    file = tmp_path / "toolkit.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    entries = recording.read(file)
    assert [(entry.action, entry.layers) for entry in entries] == [(0, None), (RIGHT, None)]
    assert recording.differences(entries, games()[0]) == []


@pytest.mark.parametrize("text", ["", "x", '{"data": {"action_input": {"id": "JUMP"}, "state": "WIN"}}', "3"])
def test_a_file_that_is_no_recording_is_an_error(text: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(text)
    with pytest.raises(recording.RecordingError, match=r"bad\.jsonl"):
        recording.read(file)


# ------------------------------------------------------------------------------------------ the command


def play_command(*words: str) -> int:
    return cli.main(["arc", "play", "--agent", f"{__file__}:Right", "--quiet", *words])


def test_the_command_plays_closes_the_card_and_writes_it(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play_command("--server", url, "--games", KEYS, "--json", str(tmp_path / "card.json")) == 0
    card = json.loads((tmp_path / "card.json").read_text())
    assert (card["total_levels_completed"], "published_at" in card) == (2, True)
    assert f"{url}/cards/{card['card_id']}.html" in capsys.readouterr().out
    assert play_command("--games", str(Path(__file__).with_name("corridor")), "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["total_levels_completed"] == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--games", "zz99"], "there is no game 'zz99'"),
        (["--games", ",".join(["zz99"] * 100)], "there is no game 'zz99'"),
        (["--games", "no/such"], "there is no folder no/such"),
        (["--actions", "-1"], "--actions"),
        (["--actions", "0"], "--seconds"),
        (["--option", "x"], "NAME=VALUE"),
        (["--agent", "explorr"], "did you mean 'explorer'"),
        (["--ways", "mouse"], "--ways"),
        (["--server", "nowhere"], "is not a server URL"),
        (["--json", "no/such/card.json"], "there is no folder for no/such/card.json"),
    ],
)
def test_wrong_options_are_told_in_words(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = play_command(*words)
    except SystemExit as end:
        status = int(end.code or 0)
    assert status in (1, 2)
    assert told in capsys.readouterr().err


def test_an_unknown_option_of_an_agent_is_an_error_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:  # the server is never asked
        play_command("--server", "http://localhost:1", "--agent", "object-planner", "--option", "repair=true")
    assert end.value.code == 2
    assert "object-planner has no option 'repair'; it has" in capsys.readouterr().err


class Slow(Right):
    """Thinks for a while."""

    def act(self, frame: Frame) -> Act:
        time.sleep(0.05)
        return Act(5)


def test_ctrl_c_ends_the_plays_and_closes_the_card(url: str, tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    words = ["arc", "play", "--agent", f"{__file__}:Slow", "--server", url, "--actions", "0", "--seconds", "600"]
    program = f"from vgdl.competition.cli import main; import sys; sys.exit(main({[*words, '--json', str(card)]!r}))"
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
    running = subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path, "ARC_API_KEY": "ctrl-c"},
    )
    try:
        interrupt(running, Caller(url))
        told, _ = running.communicate(timeout=120)
    finally:
        running.kill()
    assert running.returncode == 130
    closed = json.loads(card.read_text())
    assert "published_at" in closed
    assert closed["card_id"] in told


def interrupt(running: subprocess.Popen[str], index: Caller) -> None:
    """Press Ctrl-C when the agent has a card and plays."""
    deadline = time.monotonic() + 120
    while "Slow" not in index.get("/"):
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)


def test_a_recording_becomes_a_film(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (progress,) = swarm(LocalArc(games()), Right, recording.Recorder(tmp_path, "right", 20)).progress
    file = tmp_path / f"{KEYS}.right.20.{progress.guid}.recording.jsonl"
    film = tmp_path / "film.gif"
    assert film_command.main([str(file), "--gif", str(film), "--scale", "2"]) == 0
    data = film.read_bytes()
    assert data[:6] == b"GIF89a"
    assert struct.unpack("<HH", data[6:10]) == (128, 128)
    bare = tmp_path / "bare.jsonl"
    answers = [json.loads(line) for line in file.read_text().splitlines()]
    for answer in answers:
        answer["data"].pop("frame", None)
    bare.write_text("\n".join(map(json.dumps, answers)))
    for words, message in (
        ([str(file)], "give --gif FILE or --mp4 FILE"),
        ([str(bare), "--gif", str(film)], "has no frames"),
        ([str(file), "--gif", str(tmp_path / "none" / "film.gif")], "No such file"),
    ):
        with pytest.raises(SystemExit):
            film_command.main(words)
        assert message in capsys.readouterr().err


def test_films_have_the_colours_of_the_pages() -> None:
    layer = np.arange(16, dtype=np.uint8).repeat(256).reshape(64, 64)
    shown = image(layer, 2)
    assert shown.shape == (128, 128, 3)
    assert len({tuple(pixel) for pixel in shown.reshape(-1, 3).tolist()}) == 16
    assert shown[0, 0].tolist() == [255, 255, 255]
