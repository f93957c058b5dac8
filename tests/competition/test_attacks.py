"""Attacks of a second kind, a table of each: what a controller can reach, and how a play ends that it tries to disturb."""

from __future__ import annotations

import os
import socket
import struct
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import contests
from contests import found, working_levels
from vgdl.competition.agents import plain_data
from vgdl.competition.agents.failure import Cause
from vgdl.competition.agents.isolation import Level
from vgdl.competition.agents.plain_data import NotPlain
from vgdl.competition.agents.wire import MAX_REPLY, Wire, WireError
from vgdl.competition.tracks.planning.records import Outcome
from vgdl.competition.tracks.planning.rules import Overtime

pytestmark = pytest.mark.one_case

STRONG = [level for level in working_levels() if not level.is_weak]

ATTEMPTS = {
    "signal the runner": "os.kill(RUNNER, 0)",
    "signal the runner by a handle": "signal.pidfd_send_signal(os.pidfd_open(RUNNER), 0)",
    "signal the runner's group": "os.killpg(os.getpgid(RUNNER), 0)",
    "read the runner's descriptors": "os.listdir(f'/proc/{RUNNER}/fd')",
    "read the runner's environment": "open(f'/proc/{RUNNER}/environ', 'rb').read(1)",
    "write the runner's memory": "os.open(f'/proc/{RUNNER}/mem', os.O_WRONLY)",
    "let the runner be killed first": "os.open(f'/proc/{RUNNER}/oom_score_adj', os.O_WRONLY)",
    "rename the parent": "os.open(f'/proc/{os.getppid()}/comm', os.O_WRONLY)",
    "list the parent's files": "os.listdir(f'/proc/{os.getppid()}/root')",
    "be killed last": "write('/proc/self/oom_score_adj', b'-1000')",
    "have a higher priority": "write('/proc/self/autogroup', b'-10')",
    "map users": "write('/proc/self/uid_map', b'0 0 1')",
    "raise a limit": "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "open more files": "resource.setrlimit(resource.RLIMIT_NOFILE, (257, 257))",
    "connect to the runner by an abstract name": "socket.socket(socket.AF_UNIX).connect('\\0' + NAME)",
    "connect to the runner by a file": "socket.socket(socket.AF_UNIX).connect(FILE)",
    "own the signals of a pipe": "fcntl.fcntl(os.pipe()[1], 8, RUNNER)",
    "watch a folder": "fcntl.fcntl(os.open('/usr', os.O_RDONLY), 1026, 1)",
    "enlarge a pipe": "fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)",
    "type in a terminal": "fcntl.ioctl(0, 0x5412, b'x')",
    "open the terminal": "os.open('/dev/tty', os.O_RDWR)",
    "make a terminal": "os.open('/dev/ptmx', os.O_RDWR)",
    "rename the scratch folder": "os.rename(os.getcwd(), os.getcwd() + '-other')",
    "put a link in the scratch folder's place": "os.symlink('/etc', os.getcwd() + '-other')",
    "run an own program": "os.execve(program(), ['program'], {})",
    "set the clock": "time.clock_settime(time.CLOCK_REALTIME, time.time())",
    "change the root": "call('chroot', b'/usr')",
    "open a mount": "call('fsopen', b'tmpfs', 0)",
    "allow another ABI": "call('personality', 8)",
    "give descriptors to the parent": "call('pidfd_getfd', os.pidfd_open(os.getppid()), 0, 0)",
}
"""What fails for a controller, as expressions."""

SETTING = """
import ctypes, fcntl, os, resource, signal, socket, time
RUNNER, NAME, FILE = {runner}, {name!r}, {file!r}

def call(name, *arguments):
    number = {{"fsopen": 430, "pidfd_getfd": 438}}.get(name)
    libc = ctypes.CDLL(None, use_errno=True)
    if (libc.syscall(number, *arguments) if number else getattr(libc, name)(*arguments)) < 0:
        raise OSError(ctypes.get_errno(), name)

def write(path, content):
    os.write(os.open(path, os.O_WRONLY), content)

def program():
    with open("program", "wb", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
        file.write(open("/bin/true", "rb").read())
    return os.open("program", os.O_RDONLY)

found = []
for attempt in {attempts!r}:
    try:
        eval(attempt)
        found.append(attempt)
    except (OSError, ValueError):
        pass
"""


@pytest.fixture
def listeners(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """An abstract name and a file at which this process listens."""
    name, file = f"vgdl-test-{os.getpid()}", str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as abstract, socket.socket(socket.AF_UNIX) as named:
        for server, address in ((abstract, f"\0{name}"), (named, file)):
            server.bind(address)
            server.listen()
        os.chmod(file, 0o777)
        yield name, file


@pytest.mark.parametrize("level", STRONG)
def test_what_is_out_of_reach(tmp_path: Path, level: Level, listeners: tuple[str, str]) -> None:
    """Not even a socket beside the controller that it lists, or that has the name of a module that it imports."""
    name, file = listeners
    code = SETTING.format(runner=os.getpid(), name=name, file=file, attempts=list(ATTEMPTS.values()))
    assert found(code, tmp_path, level=level, top="__files__ = ['socket']\nimport socket") == "[]"


PROGRAMS = """
import atexit, ctypes, os, socket, sys, threading, time
from vgdl import Action
from vgdl.competition.agents import wire
from vgdl.controllers import Controller

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def sockets():
    for descriptor in range(3, 64):
        try:
            yield socket.socket(fileno=os.dup(descriptor))
        except OSError:
            pass

class Endless:
    def __del__(self):
        time.sleep(600)

def with_descriptors(own, kind, payload, *rest):
    frame = wire._HEADER.pack(kind, len(payload)) + payload
    socket.send_fds(own._socket, [frame], [own._socket.fileno()] * 100)

def in_other_words(own, kind, payload, *rest):
    payload = b'{"request": 2, "value": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    own._socket.sendall(wire._HEADER.pack(kind, len(payload)) + payload)

class Program(Controller):
    def act(self, state, timer):
BODY
        return Action.RIGHT
"""

BODIES: dict[str, tuple[str, set[str]]] = {
    "ends within an answer": (
        "for one in sockets(): one.send(bytes([4, 0, 0, 0, 99]) + b'{')\nos._exit(0)",
        {Cause.EXITED},
    ),
    "hears no request": ("for one in sockets(): one.shutdown(socket.SHUT_RD)", {Cause.EXITED}),
    "cannot be inspected": ("ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\nburn(0.2)", {Overtime.ACTION}),
    "has a sibling": (
        "if ctypes.CDLL(None).syscall(56, 0x8011, 0, 0, 0, 0) == 0: burn(0.2); time.sleep(600)\ntime.sleep(0.25)",
        {Overtime.ACTION},
    ),
    "replaces the protocol": ("wire.Wire.send = in_other_words", {Cause.NONSENSE}),
    "answers with descriptors": ("wire.Wire.send = with_descriptors", set()),
    "never ends by itself": (
        "if not hasattr(sys, 'endless'):\n    atexit.register(time.sleep, 600)\n    sys.endless = Endless()\n"
        "    threading.Thread(target=time.sleep, args=(600,)).start()",
        set(),
    ),
    "answers with a long number": ("return 10**1_000_000", {Cause.EXCEPTION}),
}
"""What a controller does in each tick, and the causes for which it may be disqualified; none if it wins."""


@pytest.mark.usefixtures("nothing_stolen")
@pytest.mark.sampled(2)
@pytest.mark.parametrize("level", working_levels())
@pytest.mark.parametrize("name", BODIES)
def test_how_a_play_ends(tmp_path: Path, level: Level, name: str) -> None:
    body, causes = BODIES[name]
    file = tmp_path / "program.py"
    file.write_text(PROGRAMS.replace("BODY", textwrap.indent(body, " " * 8)))
    before = len(os.listdir("/proc/self/fd"))
    player = contests.play(contests.plan(f"{file}:Program"), level).result.players[0]
    assert player.cause in (causes or {""}), player.details
    assert player.outcome is (Outcome.DISQUALIFIED if causes else Outcome.WON)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b'{"a": "' + b"\xc3(" + b'"}',
        b"[" * 500_000,
        b'{"a":' * 100_000,
        b"1" * 1_000_000,
        b"-" + b"9" * 30,
        b"1e999",
        b"NaN",
        b"-Infinity",
        b"[" * 65 + b"]" * 65,
        b'{"a": "\x00"}',
    ],
    ids=lambda frame: repr(frame[:12]),
)
def test_an_answer_that_is_not_plain_data_is_refused(frame: bytes) -> None:
    wire, theirs = Wire.pair(MAX_REPLY)
    sending = threading.Thread(target=theirs.sendall, args=(struct.pack("!BI", 4, len(frame)) + frame,))
    sending.start()  # the socket does not take a long frame at once
    _, data = wire.receive()
    sending.join()
    theirs.close()
    wire.close()
    with pytest.raises(NotPlain) as refused:
        plain_data.decode(data)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("head", [struct.pack("!BI", 4, MAX_REPLY + 1), struct.pack("!BI", 0, 1), b"\xff" * 5])
def test_a_frame_of_no_kind_is_refused(head: bytes) -> None:
    wire, theirs = Wire.pair(MAX_REPLY)
    theirs.send(head)
    theirs.close()
    with pytest.raises(WireError):
        wire.receive()
    wire.close()
