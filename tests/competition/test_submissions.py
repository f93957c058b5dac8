"""Submissions: which are refused, how they are queued, and what their senders get to know."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import stat
import struct
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

import contests
from vgdl.competition import cli
from vgdl.competition.agents.failure import Cause, MachineBusy
from vgdl.competition.store import Store, StoreError
from vgdl.competition.submissions import archive, commands, evaluation
from vgdl.competition.submissions.archive import ArchiveError, Limits
from vgdl.competition.submissions.evaluation import judge
from vgdl.competition.submissions.queue import MOST_ATTEMPTS, Outcome, Queue, State, Taken
from vgdl.competition.tracks.planning import records
from vgdl.competition.tracks.planning.records import PlayerResult, PlayResult, plays

pytestmark = pytest.mark.one_case

HEAD = "from vgdl import Action\nfrom vgdl.controllers import Controller\n"
RIGHT = HEAD + "class Right(Controller):\n    def act(self, state, timer):\n        return Action.RIGHT\n"
RAISES = HEAD + "class Raises(Controller):\n    def act(self, state, timer):\n        return 1 / 0\n"
SLOW = HEAD + (
    "class Slow(Controller):\n"
    "    def __init__(self, state, timer, player=0):\n"
    "        for _ in range(5000): state.copy().advance(Action.NIL)\n"
    "    def act(self, state, timer):\n        return Action.NIL\n"
)
NAPS = HEAD + (
    "import time\n"
    "class Naps(Controller):\n    def act(self, state, timer):\n        time.sleep(0.05)\n        return Action.NIL\n"
)
QUICK = ["--set", str(contests.TOY), "--levels", "1", "--budget", "calls:30", "--isolation", "rlimits"]
"""Options of a worker for one short play: the corridor, which is won by going to the right."""


def zipped(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def entry(name: str, *, mode: int = stat.S_IFREG | 0o644, content: bytes = b"x") -> bytes:
    """A zip with a single entry of any name and kind."""
    info = zipfile.ZipInfo("placeholder")
    info.external_attr = mode << 16
    info.filename = name
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        made.writestr(info, content)
    return data.getvalue()


def submit(path: Path, store: Path, *options: str) -> int:
    return cli.main(["submit", str(path), "--store", str(store), "--isolation", "rlimits", *options])


def work(store: Path, *options: str) -> int:
    return cli.main(["worker", "--store", str(store), *QUICK, *options])


def outcomes(store: Path) -> list[tuple[State, str]]:
    with Queue.open_shared(store) as queue:
        return [(one.state, one.message) for one in queue.all()]


def queued(store: Path, folder: Path, *sources: str) -> None:
    """Put controllers into the queue of a new store."""
    for number, source in enumerate(sources):
        name = source.partition("class ")[2].partition("(")[0]
        assert submit(zipped(folder / f"{name}{number}.zip", {"agent.py": source}), store) == 0


# ------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("name", "mode", "complaint"),
    [
        ("/etc/passwd", stat.S_IFREG, "absolute path"),
        ("C:/agent.py", stat.S_IFREG, "absolute path"),
        ("../agent.py", stat.S_IFREG, "leads out of the archive"),
        ("a/../../agent.py", stat.S_IFREG, "leads out of the archive"),
        ("..\\agent.py", stat.S_IFREG, "is not an allowed path"),
        ("a\nb.py", stat.S_IFREG, "is not an allowed path"),
        ("agent.py", stat.S_IFLNK, "is a link"),
        ("agent.py", stat.S_IFIFO, "neither a file nor a folder"),
        ("agent.py", stat.S_IFCHR, "neither a file nor a folder"),
        ("a" * 300 + ".py", stat.S_IFREG, "bytes; 200 are allowed"),
        ("é" * 150 + ".py", stat.S_IFREG, "a path of 303 bytes; 200 are allowed"),
    ],
)
def test_entries_that_are_not_plain_separate_files_are_refused(
    tmp_path: Path, name: str, mode: int, complaint: str
) -> None:
    data = entry(name, mode=mode | 0o644)
    with pytest.raises(ArchiveError, match=complaint):
        archive.members(data)
    with pytest.raises(ArchiveError, match=complaint):
        archive.unpack(data, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "bomb.zip", {"agent.py": RIGHT, "data.bin": bytes(30 << 20)})
    with pytest.raises(ArchiveError, match="zip bomb"):
        archive.read(bomb)
    large = zipped(tmp_path / "large.zip", {f"data{k}.bin": bytes(30 << 20) for k in range(4)})
    with pytest.raises(ArchiveError, match="MiB when unpacked; 100 are allowed"):
        archive.read(large)


def test_a_zip_bomb_with_a_false_size_is_stopped(tmp_path: Path) -> None:
    """It declares ten bytes; no more are unpacked."""
    path = zipped(tmp_path / "liar.zip", {"data.bin": bytes(30 << 20)})
    data = path.read_bytes().replace(struct.pack("<I", 30 << 20), struct.pack("<I", 10))
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(ArchiveError, match="damaged"):
        archive.unpack(data, folder)
    assert sum(file.stat().st_size for file in folder.rglob("*")) <= 10


def test_a_zip_of_a_version_to_come_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "new.zip", {"agent.py": "x = 1\n"})
    data = bytearray(path.read_bytes())
    directory = data.index(b"PK\x01\x02")
    data[directory + 6] = 99  # the version needed to unpack it: 9.9
    with pytest.raises(ArchiveError, match=r"damaged: zip file version 9\.9"):
        archive.members(bytes(data))


def test_too_many_files_and_too_large_a_zip_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "many", {f"{k}.py": "" for k in range(5)})
    with pytest.raises(ArchiveError, match="5 entries; 4 are allowed"):
        archive.read(path, Limits(files=4))
    with pytest.raises(ArchiveError, match="many has"):
        archive.read(path, Limits(packed_bytes=100))


def test_names_that_would_overwrite_each_other_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="twice"):
        archive.read(zipped(tmp_path / "a.zip", {"agent.py": "1", "Agent.py": "2"}))
    with pytest.raises(ArchiveError, match="a file and a folder"):
        archive.read(zipped(tmp_path / "b.zip", {"a": "1", "a/b.py": "2"}))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_compression_is_refused(tmp_path: Path, method: int) -> None:
    path = tmp_path / "odd.zip"
    with zipfile.ZipFile(path, "w", method) as made:
        made.writestr("agent.py", RIGHT)
    with pytest.raises(ArchiveError, match="unusual way"):
        archive.read(path)


LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"
"""Signatures of the header before a file's data, and of a file's entry in the directory of a zip."""


@pytest.mark.parametrize(
    ("signature", "offset", "value", "complaint"),
    [
        (CENTRAL, 6, b"\xff", "zip file version"),
        (CENTRAL, 8, b"\x20\x08", "damaged: compressed patched data"),
        (CENTRAL, 42, b"\xff\xff\xff\x7f", "damaged"),
        (LOCAL, 6, b"\x00\x08", "damaged: 'utf-8' codec"),
        (LOCAL, 30, b"b", "damaged: File name in directory"),
    ],
)
def test_every_kind_of_damage_is_reported(
    tmp_path: Path, signature: bytes, offset: int, value: bytes, complaint: str
) -> None:
    """Bytes of the headers are overwritten: version, flags, place of the data, flags, name."""
    data = bytearray(zipped(tmp_path / "a.zip", {"agent-\xe4.py": RIGHT}).read_bytes())
    at = data.index(signature) + offset
    data[at : at + len(value)] = value
    if value == b"\x00\x08":
        data[data.index(LOCAL) + 30] = 0xFF  # not UTF-8, though that flag says so
    (tmp_path / "out").mkdir()
    with pytest.raises(ArchiveError, match=complaint):
        archive.unpack(bytes(data), tmp_path / "out")


def test_random_damage_is_reported_or_harmless(tmp_path: Path) -> None:
    sound = zipped(tmp_path / "a.zip", {"agent.py": RIGHT * 3, "lib/\xe4.py": "x = 1"}).read_bytes()
    refused = 0
    for seed in range(1500):
        chance = random.Random(seed)
        data = bytearray(sound)
        for _ in range(chance.choice([1, 2, 4])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            archive.unpack(bytes(data), folder)
        except ArchiveError:
            refused += 1
    assert 500 < refused < 1500


def test_a_file_that_is_not_a_zip_or_damaged_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "agent.zip"
    path.write_text("not a zip")
    assert submit(path, tmp_path / "queue.db") == 1
    assert "agent.zip is refused: this is not a zip file" in capsys.readouterr().err
    data = bytearray(zipped(path, {"agent.py": os.urandom(5000)}).read_bytes())
    data[200] ^= 0xFF
    path.write_bytes(data)
    assert submit(path, tmp_path / "queue.db") == 1
    assert "'agent.py' is damaged" in capsys.readouterr().err
    assert submit(tmp_path / "missing.zip", tmp_path / "queue.db") == 1
    assert not (tmp_path / "queue.db").exists()


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"readme.txt": "hello"}, "no Python file at the top"),
        ({"agent.py": "x = 1"}, "there is no controller in agent.py"),
        ({"agent.py": HEAD + "class Lazy(Controller): pass"}, "there is no controller in agent.py"),
        ({"agent.py": "import nosuchmodule"}, "ModuleNotFoundError: No module named 'nosuchmodule'"),
        ({"agent.py": "raise SystemExit(3)"}, "agent.py cannot be imported: SystemExit: 3"),
        ({"agent.py": "import os; os._exit(7)"}, "it cannot be imported: its process ended"),
        ({"agent.py": "def"}, "SyntaxError"),
        ({"a.py": RIGHT, "b.py": RAISES}, "a.py:Right, b.py:Raises"),
    ],
)
def test_an_archive_without_exactly_one_controller_is_refused_with_an_explanation(
    tmp_path: Path, files: dict[str, str | bytes], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert submit(zipped(tmp_path / "agent.zip", files), tmp_path / "queue.db") == 1
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "queue.db").exists()


@pytest.mark.parametrize("level", [level for level in contests.working_levels() if not level.is_weak])
def test_imports_run_in_isolation(tmp_path: Path, level: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Not in the command's process, and without access to the user's files."""
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    source = f"""
import os
try:
    read = bool(open({str(secret)!r}).read())
except OSError:
    read = False
raise RuntimeError(str(os.getpid()), read)
"""
    path = zipped(tmp_path / "agent.zip", {"agent.py": source})
    assert cli.main(["submit", str(path), "--store", str(tmp_path / "queue.db"), "--isolation", level]) == 1
    told = capsys.readouterr().err
    assert "RuntimeError: ('" in told
    assert f"('{os.getpid()}'" not in told
    assert told.strip().endswith(", False) (agent.py, line 7, in <module>)")


LIES = """
import json, os, socket, stat, struct
for number in range(3, 256):
    try:
        if stat.S_ISSOCK(os.fstat(number).st_mode):
            value = {"classes": CLASSES, "errors": {}}
            reply = json.dumps({"request": 1, "used_calls": 0, "value": value}).encode()
            socket.socket(fileno=os.dup(number)).sendall(struct.pack("!BI", 4, len(reply)) + reply)
    except OSError:
        pass
os._exit(0)
"""


@pytest.mark.parametrize("classes", ['{"/etc/passwd": ["A"]}', '{__file__: ["A\\x1b[2J"]}', "{__file__: [7]}", "[]"])
def test_a_module_that_forges_answers_gains_nothing(
    tmp_path: Path, classes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = zipped(tmp_path / "agent.zip", {"agent.py": LIES.replace("CLASSES", classes)})
    assert submit(path, tmp_path / "queue.db") == 1
    assert "cannot be imported: its process sent something that is not an answer" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------ what is queued


def test_a_controller_is_found_below_a_single_folder_and_chosen_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files: dict[str, str | bytes] = {
        "mine/agent.py": "from helper import best\n" + RIGHT,
        "mine/helper.py": "best = 1",
        "mine/other.py": RAISES,
        "__MACOSX/mine/._agent.py": "what macOS adds",
    }
    path = zipped(tmp_path / "mine.zip", files)
    assert submit(path, tmp_path / "queue.db", "--controller", "agent.py:Right", "--name", "The Right") == 0
    assert "submission 1: The Right (agent.py:Right) waits" in capsys.readouterr().out
    with Queue.open_shared(tmp_path / "queue.db") as queue:
        (one,) = queue.all()
    assert (one.name, one.file, one.class_name, one.state) == ("The Right", "agent.py", "Right", State.WAITING)


@pytest.mark.parametrize("wanted", ["nosuch.py:Right", "agent.py", "../agent.py:Right"])
def test_a_missing_controller_is_reported(tmp_path: Path, wanted: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = zipped(tmp_path / "agent.zip", {"agent.py": RIGHT})
    assert submit(path, tmp_path / "queue.db", "--controller", wanted) == 1
    assert f"there is no {wanted} in the archive" in capsys.readouterr().err


def test_a_store_without_a_competition_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    queued(tmp_path / "queue.db", tmp_path, RIGHT)
    with pytest.raises(SystemExit):
        cli.main(["standings", str(tmp_path / "queue.db")])
    assert "contains no competition, only submissions" in " ".join(capsys.readouterr().err.split())


def test_submissions_are_accepted_while_a_competition_writes(tmp_path: Path) -> None:
    planned = contests.plan("random", budget="calls:30")
    with contests.new_store(tmp_path / "spring.db", planned, 1) as running:
        queued(tmp_path / "spring.db", tmp_path, RIGHT)
        running.begin_session({})
    assert [state for state, _ in outcomes(tmp_path / "spring.db")] == [State.WAITING]


def test_a_missing_or_invalid_store_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="vgdl-compete submit makes it"):
        Queue.open_shared(tmp_path / "missing.db")
    (tmp_path / "text.db").write_text("not a store " * 100)
    with pytest.raises(StoreError, match="not a results store"):
        Queue.open_shared(tmp_path / "text.db", create=True)


# ------------------------------------------------------------------------------------------------ what comes out


@pytest.mark.costly
def test_the_worker_evaluates_one_by_one_and_reports_outcomes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "queue.db"
    queued(store, tmp_path, RIGHT, RAISES, SLOW)
    assert work(store) == 0
    assert outcomes(store) == [
        (State.EVALUATED, "won 1 of 1 plays"),
        (
            State.DISQUALIFIED,
            "in 1 of 1 plays, first on toy, level 1: an exception: ZeroDivisionError: division by zero "
            "(agent.py, line 5, in act); won 0 of 1 plays",
        ),
        (State.SLOW_CONSTRUCTION, outcomes(store)[2][1]),
    ]
    assert "construction took too long" in outcomes(store)[2][1]
    capsys.readouterr()
    assert cli.main(["submissions", "--store", str(store), "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert [one["state"] for one in known] == ["evaluated", "disqualified", "too slow in construction"]
    assert cli.main(["submissions", "2", "--store", str(store)]) == 0
    letter = capsys.readouterr().out
    assert "return 1 / 0" in letter, "the traceback"
    assert cli.main(["submissions", "--store", str(store)]) == 0
    assert "Right0" in capsys.readouterr().out


@pytest.mark.parametrize(("ticks", "state"), [(0, State.SLOW_CONSTRUCTION), (1, State.DISQUALIFIED)])
def test_a_submission_that_hangs_before_the_first_tick_was_too_slow_in_construction(ticks: int, state: State) -> None:
    player = PlayerResult("Random", records.Outcome.DISQUALIFIED, -1000.0, cause=Cause.HUNG, details="nothing came")
    play = PlayResult("toy", 1, 0, 7, "", ticks, (player,))
    outcome = judge([play], contests.plan("random"))
    assert outcome.state is state
    assert outcome.message == "in 1 of 1 plays, first on toy, level 1: no answer: nothing came; won 0 of 1 plays"


@pytest.mark.costly
def test_each_submission_has_a_separate_store(tmp_path: Path) -> None:
    queued(tmp_path / "queue.db", tmp_path, RIGHT)
    work(tmp_path / "queue.db", "--against", "random")
    with contests.read(tmp_path / "queue.db.submissions" / "1" / "plays.db") as store:
        assert [play.players[0].controller for play in plays(store)] == ["Right0", "Random"]
    ((_, message),) = outcomes(tmp_path / "queue.db")
    assert message == "won 1 of 1 plays, place 1 of 2 with 25 points"


@pytest.mark.costly
def test_a_duplicate_name_gets_a_suffix(tmp_path: Path) -> None:
    assert submit(zipped(tmp_path / "a.zip", {"agent.py": RIGHT}), tmp_path / "queue.db", "--name", "Random") == 0
    assert work(tmp_path / "queue.db", "--against", "random") == 0
    assert outcomes(tmp_path / "queue.db") == [(State.EVALUATED, "won 1 of 1 plays, place 1 of 2 with 25 points")]


@pytest.mark.parametrize("command", ["submissions", "worker"])
def test_a_store_of_another_track_has_no_queue(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Store.create(tmp_path / "cards.db", {"track": "arc"}).close()
    try:
        assert cli.main([command, "--store", str(tmp_path / "cards.db")]) == 1
    except SystemExit as ended:
        assert ended.code == 2
    assert "a store of another track (arc)" in capsys.readouterr().err


def test_a_submission_that_no_longer_imports_is_reported(tmp_path: Path) -> None:
    with Queue.open_shared(tmp_path / "queue.db", create=True) as queue:
        queue.enter(
            "Broken", "agent.py", "Right", zipped(tmp_path / "a.zip", {"agent.py": "import nosuch"}).read_bytes()
        )
        queue.enter("Bad", "agent.py", "Right", entry("../agent.py"))
    assert work(tmp_path / "queue.db") == 0
    states = outcomes(tmp_path / "queue.db")
    assert states[0] == (
        State.NOT_IMPORTED,
        "agent.py cannot be imported: ModuleNotFoundError: No module named 'nosuch' (agent.py, line 1, in <module>)",
    )
    assert states[1][0] is State.REFUSED


def test_hostile_text_does_nothing_to_a_terminal(tmp_path: Path) -> None:
    with Queue.open_shared(tmp_path / "queue.db", create=True) as queue:
        number = queue.enter("A", "agent.py", "A", b"")
        with queue.take() as taken:
            assert taken is not None
            queue.finish(number, Outcome(State.EVALUATED, "\x1b[2Jgone\r", "\x07"))
        (one,) = queue.all()
    assert (one.message, one.details) == (r"\x1b[2Jgone\r", r"\x07")


HOSTILE = HEAD + (
    "class Hostile(Controller):\n    def act(self, state, timer):\n        raise ValueError('\\ud800 \\x1b[2J')\n"
)
HOSTILE_WHEN_PLAYED = HEAD + (
    "if '.submissions' in __file__:\n    raise ValueError('\\ud800')\n"
    "class Hostile(Controller):\n    def act(self, state, timer):\n        return Action.NIL\n"
)


@pytest.mark.costly
def test_hostile_texts_are_outcomes_and_do_not_block_the_queue(tmp_path: Path) -> None:
    """Lone surrogates and escape codes, during play and during import."""
    store = tmp_path / "queue.db"
    queued(store, tmp_path, HOSTILE, HOSTILE_WHEN_PLAYED, RIGHT)
    assert work(store) == 0
    (first, told), (second, _), (third, _) = outcomes(store)
    assert (first, second, third) == (State.DISQUALIFIED, State.NOT_IMPORTED, State.EVALUATED)
    assert r"ValueError: \ud800 \x1b[2J (agent.py, line 5, in act)" in told


@pytest.mark.costly
def test_an_evaluation_that_fails_unexpectedly_twice_has_an_outcome_and_the_queue_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "queue.db"
    queued(store, tmp_path, RIGHT, RIGHT.replace("Right", "Second"))
    evaluate = evaluation.evaluate

    def failing(taken: Taken, *arguments: Any, **options: Any) -> Any:
        if taken.submission.number == 1:
            raise ZeroDivisionError("a bug of ours")
        return evaluate(taken, *arguments, **options)

    monkeypatch.setattr(commands, "evaluate", failing)
    assert work(store) == 0
    (first, told), (second, _) = outcomes(store)
    assert (first, second) == (State.FAILED, State.EVALUATED)
    assert "2 times" in told
    assert capsys.readouterr().err.count("ZeroDivisionError: a bug of ours") == 2


@pytest.mark.costly
def test_a_machine_that_is_too_busy_ends_the_worker_and_the_submission_waits_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "queue.db"
    queued(store, tmp_path, RIGHT)

    def busy(*arguments: Any, **options: Any) -> Any:
        raise MachineBusy("there was no core")

    for _ in range(3):
        with monkeypatch.context() as patched:
            patched.setattr(commands, "evaluate", busy)
            assert work(store) == 1
    assert "there was no core" in capsys.readouterr().err
    assert work(store) == 0
    ((state, _),) = outcomes(store)
    assert state is State.EVALUATED


def test_an_evaluation_that_always_ends_its_worker_is_not_retried_for_ever(tmp_path: Path) -> None:
    queued(tmp_path / "queue.db", tmp_path, RIGHT)
    with Queue.open_shared(tmp_path / "queue.db") as queue:
        for _ in range(MOST_ATTEMPTS):
            with queue.take() as taken:
                assert taken is not None
        with queue.take() as taken:
            assert taken is None
        (one,) = queue.all()
    assert one.state is State.FAILED


def test_submissions_have_secrets_of_their_own(tmp_path: Path) -> None:
    """Knowledge of one submission's games does not help another."""
    queued(tmp_path / "queue.db", tmp_path, RIGHT, RIGHT)
    secrets = []
    with Queue.open_shared(tmp_path / "queue.db") as queue:
        for _ in range(2):
            with queue.take() as taken:
                assert taken is not None
                secrets.append(taken.secret)
                queue.finish(taken.submission.number, Outcome(State.EVALUATED, ""))
    assert len(set(secrets)) == 2
    assert min(secrets).bit_length() > 64


def test_a_missing_set_leaves_the_queue_unchanged(tmp_path: Path) -> None:
    queued(tmp_path / "queue.db", tmp_path, RIGHT)
    with pytest.raises(SystemExit):
        cli.main(["worker", "--store", str(tmp_path / "queue.db"), "--set", "nosuch"])
    assert [state for state, _ in outcomes(tmp_path / "queue.db")] == [State.WAITING]


# ------------------------------------------------------------------------------------------------ several workers


def test_two_workers_never_take_the_same_submission(tmp_path: Path) -> None:
    """Many threads, each with its own connection, empty a queue of thirty."""
    path, taken = tmp_path / "queue.db", list[int]()
    with Queue.open_shared(path, create=True) as queue:
        for number in range(30):
            queue.enter(f"agent {number}", "agent.py", "Agent", b"")

    def empty() -> None:
        with Queue.open_shared(path) as own:
            while True:
                with own.take() as one:
                    if one is None:
                        return
                    taken.append(one.submission.number)
                    own.finish(one.submission.number, Outcome(State.EVALUATED, ""))

    threads = [threading.Thread(target=empty) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(set(taken)) == sorted(taken)
    with Queue.open_shared(path) as queue:
        assert all(one.state is State.EVALUATED for one in queue.all() if one.number in taken)
        with queue.take() as left:
            assert left is None, "nothing was passed over"


def test_a_submission_under_evaluation_is_not_taken_and_waits_again_without_an_outcome(tmp_path: Path) -> None:
    with Queue.open_shared(tmp_path / "queue.db", create=True) as one, Queue.open_shared(tmp_path / "queue.db") as two:
        one.enter("A", "agent.py", "A", b"first")
        one.enter("B", "agent.py", "B", b"second")
        with one.take() as first, two.take() as second:
            assert first is not None
            assert second is not None
            assert (first.archive, second.archive) == (b"first", b"second")
            assert [each.state for each in one.all()] == [State.TAKEN, State.TAKEN]
        assert [each.state for each in one.all()] == [State.WAITING, State.WAITING]


def start_worker(store: Path) -> subprocess.Popen[str]:
    """A worker process on a slow submission."""
    command = [sys.executable, "-P", "-m", "vgdl.competition.cli", "worker", "--store", str(store), *QUICK]
    worker = subprocess.Popen([*command, "--repeats", "3"], stdout=subprocess.PIPE, text=True)
    assert worker.stdout
    assert "is being evaluated" in worker.stdout.readline()
    return worker


def wait_for_plays(store: Path, count: int) -> None:
    plays = store.with_name(f"{store.name}.submissions") / "1" / "plays.db"
    deadline = time.monotonic() + 120
    while True:
        try:
            with contests.read(plays) as opened:
                if len(contests.done(opened)) >= count:
                    return
        except StoreError:
            pass
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.costly
def test_the_submission_of_a_killed_worker_is_taken_again_and_continued(tmp_path: Path) -> None:
    store = tmp_path / "queue.db"
    queued(store, tmp_path, NAPS)
    worker = start_worker(store)
    wait_for_plays(store, 1)
    worker.kill()
    worker.wait()
    assert [state for state, _ in outcomes(store)] == [State.TAKEN]
    assert work(store, "--repeats", "3") == 0
    assert [state for state, _ in outcomes(store)] == [State.EVALUATED]
    with contests.read(tmp_path / "queue.db.submissions" / "1" / "plays.db") as opened:
        assert len(opened.sessions()) == 2, "the plays of the first worker were kept"
        assert len(contests.done(opened)) == 3


@pytest.mark.costly
def test_an_interrupted_worker_returns_its_submission_to_the_queue(tmp_path: Path) -> None:
    store = tmp_path / "queue.db"
    queued(store, tmp_path, NAPS)
    worker = start_worker(store)
    wait_for_plays(store, 1)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait() == 130
    assert [state for state, _ in outcomes(store)] == [State.WAITING]
