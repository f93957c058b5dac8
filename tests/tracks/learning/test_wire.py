"""The wire protocol (learning, 5), with a client of our own: each line of its tables, and clients that break the rules."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tracks.learning.common import write_game
from vgdl.competition.listening import listening
from vgdl.competition.tracks.learning.rows import Ending, Phase
from vgdl.competition.tracks.learning.rules import LearningRules, Profile
from vgdl.competition.tracks.learning.server.games import wire_course
from vgdl.competition.tracks.learning.server.player import MOST_LINE, NOT_BEGUN, NOT_STARTED, OVERSPENT
from vgdl.competition.tracks.learning.server.service import LearningService, ServedRun

RULES = LearningRules(profile=Profile.TIME, seconds=60.0, probes=0, rounds=2)
OUTCOME = {"phase", "availableActions", "gameScore", "gameTick", "gameWinner", "isGameOver"}
LISTS = ("NPC", "immovable", "movable", "resources", "portals", "fromAvatarSprites")


@dataclass
class Served:
    """A server that is running."""

    address: tuple[str, int]
    runs: list[ServedRun] = field(default_factory=list)
    done: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def run(self) -> ServedRun:
        """The next run that ends."""
        assert self.done.acquire(timeout=60)
        return self.runs[-1]


@contextlib.contextmanager
def server(
    path: Path, rules: LearningRules = RULES, answer_s: float = 60.0, games: int = 1, files: Sequence[Path] = ()
) -> Iterator[Served]:
    """A server of some games: the corridor under several names, or others from files."""
    with listening("127.0.0.1", 0) as opened:
        served = Served(opened.getsockname())

        def on_run(one: ServedRun) -> None:
            served.runs.append(one)
            served.done.release()

        paths = files or [write_game(path, f"corridor{number}") for number in range(games)]
        courses = [wire_course(path, rules) for path in paths]
        service = LearningService(courses, rules, 5, on_run=on_run, answer_s=answer_s)
        thread = threading.Thread(target=service.serve, args=(opened,), daemon=True)
        thread.start()
        yield served
        service.stop()
        thread.join(60)
        assert not thread.is_alive()


class Client:
    """A client: answers by phase, and keeps what it was sent."""

    def __init__(self, served: Served) -> None:
        self.socket = socket.create_connection(served.address, timeout=60)
        self.file = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.numbers: list[int] = []
        self.messages: list[Any] = []

    def receive(self) -> Any:
        """The next payload: an object, START or FINISH; None at the end."""
        line = self.file.readline()
        if not line:
            return None
        number, _, payload = line.rstrip("\n").partition("#")
        self.numbers.append(int(number))
        assert "#" not in payload
        self.messages.append(json.loads(payload) if payload.startswith("{") else payload)
        return self.messages[-1]

    def send(self, line: str | bytes) -> None:
        self.socket.sendall(line if isinstance(line, bytes) else f"{line}\n".encode())

    def answer(self, text: str) -> None:
        """Answer the last message."""
        self.send(f"{self.numbers[-1]}#{text}")

    def play(self, answers: Callable[[Any], str]) -> None:
        """Answer everything until FINISH or the end of the connection."""
        with contextlib.suppress(ConnectionError):
            while (message := self.receive()) not in (None, "FINISH"):
                self.answer(answers(message))

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def walker(message: Any, *, end: str = "END_TRAINING", form: str = "JSON") -> str:
    """Goes right, and ends the training as soon as it may."""
    if message == "START":
        return f"START_DONE#{form}"
    return {"INIT": f"INIT_DONE#{form}", "ACT": f"ACTION_RIGHT#{form}"}.get(message["phase"], f"{end}#{form}")


def test_a_whole_run(tmp_path: Path) -> None:
    with server(tmp_path) as served:
        client = Client(served)
        client.play(walker)
        result = served.run()
    assert client.numbers == list(range(len(client.numbers)))
    assert client.messages[0] == "START"
    assert client.messages[-1] == "FINISH"
    phases = [(message["phase"], message["isValidation"]) for message in client.messages[1:-1]]
    assert [phase for phase, _ in phases].count("INIT") == 3 + 4
    assert [validation for phase, validation in phases if phase == "END"] == [False] * 3 + [True] * 4
    assert {row.ending for row in result.plays} == {Ending.WON}
    assert not result.run.cause


def test_the_object_has_the_fields_of_the_protocol(tmp_path: Path) -> None:
    with server(tmp_path) as served:
        client = Client(served)
        client.play(walker)
    first = next(message for message in client.messages if message != "START")
    assert first["phase"] == "INIT"
    assert first["worldDimension"] == [50, 20]
    assert first["blockSize"] == 10
    assert first["avatarPosition"] == [10.0, 0.0]
    assert first["availableActions"] == ["ACTION_LEFT", "ACTION_RIGHT", "ACTION_DOWN", "ACTION_UP"] or set(
        first["availableActions"]
    ) == {"ACTION_LEFT", "ACTION_RIGHT", "ACTION_DOWN", "ACTION_UP"}
    assert first["gameWinner"] == "NO_WINNER"
    assert first["isAvatarAlive"] is True
    assert first["avatarResources"] == {}
    assert (first["gameScore"], first["gameTick"], first["isGameOver"], first["noOfPlayers"]) == (0, 0, False, 1)
    for name in ("avatarSpeed", "avatarOrientation", "avatarLastAction", "avatarType", "avatarHealthPoints"):
        assert name in first
    assert len(first["observationGrid"]) == first["observationGridNum"] == 5
    assert {len(column) for column in first["observationGrid"]} == {2} == {first["observationGridMaxRow"]}
    assert first["observationGridMaxCol"] == 1
    for kind in LISTS:
        lists = first.get(f"{kind}Positions", [])
        assert first[f"{kind}PositionsNum"] == len(lists)
        assert first[f"{kind}PositionsMaxRow"] == max(map(len, lists), default=0)
    (flag,) = first["portalsPositions"][0]
    assert set(flag) == {"category", "itype", "obsID", "position", "reference", "sqDist"}
    assert flag["position"] == {"x": 40.0, "y": 0.0}
    assert "movablePositions" not in first  # null: left out
    last = [message for message in client.messages if message != "FINISH"][-1]
    assert (last["phase"], last["gameWinner"], last["isGameOver"]) == ("END", "PLAYER_WINS", True)


@pytest.mark.parametrize("form", ["IMAGE", "BOTH"])
def test_pictures(tmp_path: Path, form: str) -> None:
    with server(tmp_path) as served:
        client = Client(served)
        client.play(lambda message: walker(message, form=form))
    first = client.messages[1]
    data = bytes(byte % 256 for byte in first["imageArray"])
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert data[16:24] == (50).to_bytes(4, "big") + (20).to_bytes(4, "big")
    assert zlib.crc32(b"IEND") == int.from_bytes(data[-4:], "big")
    assert (set(first) == OUTCOME | {"imageArray"}) is (form == "IMAGE")
    assert ("observationGrid" in first) is (form == "BOTH")


def test_the_client_chooses_levels_until_it_ends_the_training(tmp_path: Path) -> None:
    wishes = iter(["0", "0", "2", "1", "nonsense", "77", "3", "END_TRAINING"])

    def answers(message: Any) -> str:
        if message != "START" and message["phase"] == "END" and not message["isValidation"]:
            return f"{next(wishes)}#JSON"
        return walker(message)

    with server(tmp_path) as served:
        Client(served).play(answers)
        result = served.run()
    levels = [row.level for row in result.plays if row.phase is Phase.TRAINING]
    assert levels[:5] == [0, 1, 2, 2, 1]
    assert len(levels) == 8
    assert set(levels[5:]) <= {0, 1, 2}
    assert sum(row.phase is Phase.VALIDATION for row in result.plays) == 4


@pytest.mark.parametrize("word", ["ABORT", "ACTION_ESCAPE#JSON"])
def test_a_play_that_is_given_up_is_lost(tmp_path: Path, word: str) -> None:
    def answers(message: Any) -> str:
        return word if message != "START" and message["phase"] == "ACT" else walker(message)

    with server(tmp_path) as served:
        client = Client(served)
        client.play(answers)
        result = served.run()
    assert {row.ending for row in result.plays} == {Ending.LOST}
    assert "ABORT" in {message["phase"] for message in client.messages if isinstance(message, dict)}
    assert not result.run.cause


@pytest.mark.parametrize(
    ("phase", "word", "cause"),
    [
        ("START", "START_FAILED", NOT_STARTED),
        ("INIT", "INIT_FAILED", NOT_BEGUN),
        ("ACT", "END_OVERSPENT", OVERSPENT),
        ("END", "END_OVERSPENT", OVERSPENT),
    ],
)
def test_answers_that_disqualify(tmp_path: Path, phase: str, word: str, cause: str) -> None:
    def answers(message: Any) -> str:
        return word if phase in (message, isinstance(message, dict) and message["phase"]) else walker(message)

    with server(tmp_path) as served:
        client = Client(served)
        client.play(answers)
        result = served.run()
    assert result.run.cause == cause
    assert client.messages[-1] == "FINISH"
    assert {row.ending for row in result.plays if row.phase is Phase.VALIDATION} == {Ending.DISQUALIFIED}


def test_old_answers_are_ignored_and_an_unknown_action_is_nil(tmp_path: Path) -> None:
    def answers(message: Any) -> str:
        if message != "START" and message["phase"] == "ACT":
            client.send(f"{client.numbers[-1] - 1}#ACTION_LEFT#JSON")
            client.send("0#ACTION_LEFT")
            if message["gameTick"] == 0:
                return "ACTION_DANCE#JSON"
        return walker(message)

    with server(tmp_path) as served:
        client = Client(served)
        client.play(answers)
        result = served.run()
    assert {row.ending for row in result.plays} == {Ending.WON}
    assert {row.late for row in result.plays} == {1}


def test_a_client_that_answers_late_and_twice(tmp_path: Path) -> None:
    def answers(message: Any) -> str:
        time.sleep(0.01)
        client.answer(walker(message))
        return "ACTION_LEFT#JSON"  # arrives when the next answer is awaited

    with server(tmp_path) as served:
        client = Client(served)
        client.play(answers)
        result = served.run()
    assert {row.ending for row in result.plays} == {Ending.WON}
    assert not result.run.cause


@pytest.mark.parametrize(
    "line",
    [
        b"99#START_DONE#JSON\n",
        b"hello\n",
        b"-1#START_DONE\n",
        b"\xff\xfe\n",
        b"\n",
        "٣#START_DONE\n".encode(),
        b"9" * 5000 + b"#\n",
        b"x" * (3 * MOST_LINE),
        b"\x00" * 100 + b"\n",
    ],
)
def test_hostile_lines_end_their_own_run_only(tmp_path: Path, line: bytes) -> None:
    with server(tmp_path) as served:
        honest, hostile = Client(served), Client(served)
        assert hostile.receive() == "START"
        with contextlib.suppress(ConnectionError):
            hostile.send(line)
        result = served.run()
        assert result.run.cause
        assert all(character.isprintable() for character in result.run.details)
        honest.play(walker)
        assert not served.run().run.cause


def test_a_client_that_never_answers_is_dropped(tmp_path: Path) -> None:
    with server(tmp_path, answer_s=0.3) as served:
        client = Client(served)
        assert client.receive() == "START"
        assert served.run().run.cause == "no answer"


def test_a_client_that_drips_ignored_lines_is_dropped_all_the_same(tmp_path: Path) -> None:
    with server(tmp_path, answer_s=0.5) as served:
        client = Client(served)
        client.receive()
        client.answer("START_DONE#JSON")
        client.receive()
        stop = threading.Event()

        def drip() -> None:
            with contextlib.suppress(OSError):
                while not stop.wait(0.05):
                    client.send("0#again")

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            assert served.run().run.cause == "no answer"
        finally:
            stop.set()
            thread.join()


def test_a_client_that_is_killed_is_no_trouble_for_the_next_one(tmp_path: Path) -> None:
    with server(tmp_path) as served:
        client = Client(served)
        for _ in range(4):
            client.answer(walker(client.receive()))
        client.close()
        assert served.run().run.cause
        Client(served).play(walker)
        assert not served.run().run.cause


def test_games_take_turns(tmp_path: Path) -> None:
    with server(tmp_path, games=2) as served:
        for number in (0, 1, 0):
            Client(served).play(walker)
            assert served.run().run.game == f"corridor{number}"


def test_eight_clients_at_once(tmp_path: Path) -> None:
    with server(tmp_path) as served:
        threads = [threading.Thread(target=Client(served).play, args=(walker,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        for _ in range(8):
            served.run()
    assert len(served.runs) == 8
    assert not any(one.run.cause for one in served.runs)
    assert len({one.run.agent for one in served.runs}) == 8


def test_a_budget_of_time_ends_the_training(tmp_path: Path) -> None:
    rules = LearningRules(profile=Profile.TIME, seconds=0.2, probes=0, rounds=1)
    with server(tmp_path, rules) as served:
        Client(served).play(lambda message: walker(message, end="0"))
        result = served.run()
    assert result.run.training_ms >= 200.0
    assert sum(row.phase is Phase.VALIDATION for row in result.plays) == 2
