"""Damaged data for everything that reads files or messages of strangers: replays, logs, recordings, archives, stores.

A case gives a result or one of the errors that its reader promises: never another exception, a hang or a crash::

    python tests/hostile/data.py --seconds 3600
    python tests/hostile/data.py --cases 100000 replay archive
    python tests/hostile/data.py --show replay/17 > replay.json

A case is named by its reader and a number, from which it can be made again.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import pickle
import random
import resource
import signal
import sqlite3
import sys
import tempfile
import time
import tomllib
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from rich.console import Console

import vgdl
from vgdl import StateObservation, games, replay
from vgdl.competition import track
from vgdl.competition.agents import plain_data
from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.chat import fields
from vgdl.competition.chat.model import ChatError
from vgdl.competition.errors import CompetitionError
from vgdl.competition.options import OptionError
from vgdl.competition.store import Store, StoreError
from vgdl.competition.submissions import archive
from vgdl.competition.track import OpenStore
from vgdl.competition.tracks.arc import protocol, recording
from vgdl.competition.tracks.arc.game import UnfitGameError, from_folder
from vgdl.competition.tracks.othello import logs, stages
from vgdl.competition.tracks.planning.game_set import find_set
from vgdl.competition.tracks.planning.plan import Boards, Plan, fixtures
from vgdl.competition.tracks.planning.records import (
    TABLES,
    Outcome,
    PlayerResult,
    PlayResult,
    actions,
    numbered_plays,
    opened,
    used,
)
from vgdl.competition.tracks.planning.rules import Rules
from vgdl.competition.tracks.planning.runner import PlayRecord
from vgdl.competition.tracks.worldmodels import scripted, trajectories
from vgdl.controllers import registry
from vgdl.language import VGDLError
from vgdl.tabletop.othello_stages import PUBLIC

TRACKS = [point.name for point in entry_points(group=track.GROUP) if point.dist and point.dist.name == track.HOME]
"""The tracks of this package, each of which has a reader of its stores."""

Change = Callable[[bytes, random.Random], bytes]
Read = Callable[[Path], object]

CASE_S = 10  #: seconds of CPU time for one case; the slowest take less than one
MEMORY = 4 << 30  #: bytes of address space: data of some kilobytes must not need more
MOST_CHANGES = 3  #: changes to one sample, at most
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63, 2**64, -(2**200), 10**4000, 0.5, -0.0, 1e308,
    float("nan"), float("inf"), "", "x", "\x00", "\ud800", "\u202e\x1b[2J", "x" * 100_000, "../../etc/passwd", "/",
    "NIL", "ACTION_UP", "0" * 5000, "1e999", [], {}, [[]], [None], {"": None}, [0] * 5000, [[0] * 64] * 64,
]  # fmt: skip
"""Values to put in the place of any other."""
BYTES = [b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"NaN", b"1e999", b"9" * 5000, b"[" * 200_000, b'{"a":' * 50_000, b"\n", b"\\u0000", b'"', b"\xed\xa0\x80"]  # fmt: skip
"""Pieces to put anywhere in a text."""


@dataclass(frozen=True)
class Reader:
    """A function that reads data of strangers."""

    read: Read
    errors: tuple[type[Exception], ...]  #: that it promises
    samples: Callable[[], list[bytes]]  #: valid data
    changes: tuple[Change, ...]
    name: str = "data"  #: of the file
    is_shown: bool = True  #: whether the messages of its errors must be printable, since they are shown as they are


def _bytes(data: bytes, rng: random.Random) -> bytes:
    """Change some bytes, cut a piece out, repeat one, or put one in."""
    place = rng.randrange(len(data) + 1)
    end = min(len(data), place + rng.choice([1, 1, 4, 100]))
    kind = rng.randrange(5)
    if kind == 0:
        return data[:place] + bytes(byte ^ 1 << rng.randrange(8) for byte in data[place:end]) + data[end:]
    if kind == 1:
        return data[:place]
    if kind == 2:
        return data[:place] + data[end:]
    if kind == 3:
        return data[:end] + data[place:end] * rng.choice([1, 100]) + data[end:]
    return data[:place] + rng.choice(BYTES) + data[place:]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every list or dictionary in a value, with each of its keys."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def _changed_value(value: Any, rng: random.Random) -> Any:
    """A value of JSON with another value, without one, or with one twice."""
    places = list(_places(value))
    if not places or rng.random() < 0.05:
        return rng.choice(VALUES)
    around, key = rng.choice(places)
    kind = rng.randrange(4)
    if kind == 0:
        del around[key]
    elif kind == 1:
        _, other_key = other = rng.choice(places)
        around[key] = json.loads(json.dumps(other[0][other_key]))
    else:
        around[key] = rng.choice(VALUES)
    return value


def _json(data: bytes, rng: random.Random) -> bytes:
    """Change a value of a JSON text, or of one of its lines."""
    with contextlib.suppress(ValueError, RecursionError):
        return json.dumps(_changed_value(json.loads(data), rng)).encode(errors="surrogatepass")
    lines = data.splitlines()
    if lines:
        place = rng.randrange(len(lines))
        with contextlib.suppress(ValueError, RecursionError):
            lines[place] = json.dumps(_changed_value(json.loads(lines[place]), rng)).encode(errors="surrogatepass")
    return b"\n".join(lines)


def _toml(data: bytes, rng: random.Random) -> bytes:
    """Change a value of a TOML text."""
    with contextlib.suppress(ValueError, RecursionError):
        changed = _changed_value(tomllib.loads(data.decode()), rng)
        if isinstance(changed, dict):
            return "".join(f"{json.dumps(key)} = {_toml_value(value)}\n" for key, value in changed.items()).encode()
    return _bytes(data, rng)


def _toml_value(value: Any) -> str:
    """A value as TOML, which has no null and writes tables in its own way."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps("" if value is None else value)


def _zip(data: bytes, rng: random.Random) -> bytes:
    """An archive with one more entry, of a hostile kind."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as made:
        made.writestr("agent.py", "x = 1\n")
        name = rng.choice(["../a", "/a", "a/../../b", "a\\b", "C:a", "agent.py", "AGENT.py", "x" * 5000, "a/" * 300, "\u202e", "a\nb", ".", "d/", "con"])  # fmt: skip
        entry = zipfile.ZipInfo(name)
        entry.external_attr = rng.choice([0, 0o120777, 0o020666, 0o010644, 0o104755]) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        with contextlib.suppress(ValueError, UnicodeError):
            made.writestr(entry, rng.choice([b"", b"/etc/passwd", bytes(1 << 20), b"x"]))
    return _bytes(target.getvalue(), rng) if rng.random() < 0.5 else target.getvalue()


def _database(data: bytes, rng: random.Random) -> bytes:
    """A store with another value in one of its rows, which may be JSON."""
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        file.write(data)
        file.flush()
        try:
            connection = sqlite3.connect(file.name, isolation_level=None)
            with contextlib.closing(connection):
                tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
                table = rng.choice(tables)
                columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
                column = rng.choice(columns)
                rows = connection.execute(f'SELECT "{column}" FROM "{table}"').fetchall()
                value = rng.choice(rows)[0] if rows else None
                connection.execute("PRAGMA ignore_check_constraints = 1")
                connection.execute(f'UPDATE "{table}" SET "{column}" = ?', (_cell(value, rng),))
        except (sqlite3.Error, IndexError, OverflowError, UnicodeError):
            return _bytes(data, rng)
        return Path(file.name).read_bytes()


def _cell(value: Any, rng: random.Random) -> Any:
    if isinstance(value, str) and value[:1] in ("{", "[") and rng.random() < 0.8:
        return _json(value.encode(), rng).decode(errors="replace")
    if isinstance(value, bytes) and rng.random() < 0.5:
        return _bytes(value, rng)
    choice = rng.choice(VALUES)
    return choice if isinstance(choice, str | int | float | None) else json.dumps(choice)


def _replays() -> list[bytes]:
    folder = Path(games.path("aliens")).parents[1]
    return [path.read_bytes() for path in sorted(folder.glob("*/replays/*.json"))[:20:4]]


def _verify(path: Path) -> object:
    played = replay.read(path)
    return replay.verify(played, replay.find_board(played))


def _archive() -> list[bytes]:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as made:
        made.writestr("agent.py", "from vgdl.controllers import Controller\n")
        made.writestr("data/weights.bin", bytes(range(256)) * 20)
    return [target.getvalue()]


def _unpack(path: Path) -> object:
    with tempfile.TemporaryDirectory() as folder:
        return archive.unpack(archive.read(path), Path(folder))


def _frame(action: int, **more: Any) -> dict[str, Any]:
    frame = [[[0] * 64] * 64]
    asked = {"id": action, "data": {"game_id": "g", "x": 3, "y": 4}, "reasoning": None}
    facts = {"game_id": "g", "guid": "1", "frame": frame, "state": "NOT_FINISHED", "levels_completed": 0}
    return {"timestamp": "2026-01-01T00:00:00", "data": {**facts, "action_input": asked, "full_reset": False, **more}}


def _lines(values: list[Any]) -> bytes:
    return "\n".join(map(json.dumps, values)).encode()


_PLAY = {"game": "aliens", "level": 0, "seed": 1, "player": 0, "steps": [{"action": "NIL", "state": {"tick": 0}, "score": 0.0}] * 3}  # fmt: skip
_LOG = {
    "metadata": {"stageId": "s", "stageName": "S", "blackStrategy": "a", "whiteStrategy": "b", "blackScore": 1,
                 "whiteScore": 2, "winner": 2, "timestamp": "", "gameLength": 1},
    "initialBoard": [[0] * 8] * 8,
    "moves": [{"player": 1, "position": {"row": 2, "col": 3}, "capturedCount": 1, "boardAfter": [[0] * 8] * 8,
               "timeSpent": 3}],
    "analysisData": {},
}  # fmt: skip
_TEXT_LOG = b"Game started: a(B) vs b(W) on Stage: Standard\na(B): d3\nb(W): c3\nGame over: a 4 - b 1\n"


def _pickled() -> list[bytes]:
    """Pickles of a state, an observation of a controller and a board."""
    board = vgdl.load("aliens").board(level=0)
    state = board.start(seed=1)
    return [pickle.dumps(state), pickle.dumps(board), pickle.dumps(board.tables.anonymous()), state.to_bytes()]


class _OurUnpickler(pickle.Unpickler):
    """Finds classes of this package only, so that a damaged pickle runs nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if module.split(".")[0] not in ("vgdl", "numpy", "collections", "pathlib") and name != "getattr":
            raise pickle.UnpicklingError(f"{module}.{name} is not ours")
        return super().find_class(module, name)


def _unpickle(path: Path) -> object:
    """Restore a state, and play it on if it is one."""
    data = path.read_bytes()
    if data.startswith(b"vgdl"):
        found: Any = StateObservation.from_bytes(vgdl.load("aliens").board(level=0).tables, data)
    else:
        found = _OurUnpickler(io.BytesIO(data)).load()
    if isinstance(found, StateObservation):
        for _ in range(3):
            found.advance(0)
        found.random_rollout(20, seed=1)
    return found


def _models() -> list[bytes]:
    return [
        b'[small]\nendpoint = "http://localhost:1/v1"\nmodel = "m"\nprice = "2.5/10"\ntimeout = 100\n'
        b'[small.headers]\nX-A = "b"\n[small.extra_body]\ntop_k = 5\n'
    ]


def _planning_store() -> list[bytes]:
    """A store of the planning track with a play."""
    toy = find_set(str(Path(__file__).parents[1] / "competition" / "toy"))
    plan = Plan((registry.find("random"),), toy, (1,), 1, Rules(), Restrictions(), 5)
    boards = Boards(plan)
    (fixture,) = fixtures(plan, boards)
    player = PlayerResult(fixture.names[0], Outcome.WON, 1.0)
    result = PlayResult(*fixture.place, 7, "ab" * 16, 3, (player,))
    moves = (("LEFT",), (None,), ("USE",))
    record = PlayRecord(0, result, moves, ((1.0, 2.0),), {"level": "bwrap", "core": 0}, 0.1, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        facts = {"track": "planning", **plan.facts()}
        with Store.create(path, facts, TABLES, games=boards.facts(), hashes={}, total=1) as store:
            store.begin_session({"isolation": {"level": "bwrap", "weak": False}, "jobs": 1})
            store.add(*record.rows)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
        return [path.read_bytes()]


def _track_store(name: str) -> Callable[[], list[bytes]]:
    """A store of a track, after a short run."""

    def made() -> list[bytes]:
        import small_stores  # beside this folder

        with tempfile.TemporaryDirectory() as folder:
            return [small_stores.finished(name, Path(folder)).read_bytes()]

    return made


def _look_at_track(path: Path) -> None:
    """Read every row of a store and its results, and write them out."""
    with OpenStore.open(path) as opened:
        for table in opened.track.tables:
            for _ in opened.store.full_rows(table.row):
                pass
        results = opened.track.results_in(opened.store)
        results.print(Console(file=io.StringIO()))
        results.write(str(path.with_suffix(".json")), str(path.with_suffix(".csv")))


def _look(path: Path) -> None:
    """Read what tables and pages show of a store."""
    with opened(path) as store:
        with store.reading("its plan"):
            Plan.from_facts(store.plan)
        store.sessions()
        for number, _ in numbered_plays(store):
            actions(store, number)
            used(store, number)


def _game_facts() -> list[bytes]:
    return [b'clicks = "step"\nnil = 5\n', b"nil = 4\n"]


def _beside_a_game(path: Path) -> object:
    source = games.path("aliens")
    for file in (source, *games.levels("aliens")[:1]):
        (path.parent / file.name).write_bytes(file.read_bytes())
    path.rename(path.with_name("aliens.toml"))
    return from_folder(path.parent)


TEXT = (_bytes, _json, _json)
DATABASE = (_bytes, _database, _database, _database)
READERS = {
    "replay": Reader(_verify, (replay.ReplayError, VGDLError), _replays, TEXT),
    "answer": Reader(
        lambda path: plain_data.decode(path.read_bytes()),
        (plain_data.NotPlain,),
        lambda: [b'{"request": 1, "used_calls": 0, "value": [1, {"a": "b"}]}'],
        TEXT,
    ),
    "archive": Reader(_unpack, (archive.ArchiveError,), _archive, (_bytes, _zip)),
    "othello-log": Reader(
        lambda path: logs.read(path.read_bytes().decode(errors="replace")),
        (logs.LogError,),
        lambda: [json.dumps([_LOG]).encode(), _TEXT_LOG],
        TEXT,
    ),
    "othello-stages": Reader(
        stages.read_stages,
        (CompetitionError,),
        lambda: [json.dumps([stages.to_json(stage) for stage in PUBLIC[:2]]).encode()],
        TEXT,
        "s.json",
    ),
    "arc-recording": Reader(
        recording.read, (CompetitionError,), lambda: [_lines([_frame(0), _frame(6), _frame(1, frame=None)])], TEXT
    ),
    "arc-request": Reader(
        lambda path: (
            protocol.read_opening(facts := protocol.read_object(path.read_bytes())),
            protocol.read_command(6, facts),
        ),
        (protocol.ArcError,),
        lambda: [b'{"game_id": "g", "card_id": "c", "guid": "1", "x": 3, "y": "4", "tags": ["a"], "reasoning": {}}'],
        TEXT,
    ),
    "arc-facts": Reader(_beside_a_game, (UnfitGameError, VGDLError), _game_facts, (_bytes, _toml, _toml), "data"),
    "models": Reader(fields.read_models, (OptionError,), _models, (_bytes, _toml, _toml), "m.toml"),
    "pickle": Reader(_unpickle, (Exception,), _pickled, (_bytes,), is_shown=False),
    "trajectories": Reader(trajectories.read, (ValueError,), lambda: [_lines([_PLAY, _PLAY])], TEXT),
    "scripts": Reader(
        scripted.read_scripts, (ChatError,), lambda: [b'{"aliens": ["answer", "another"], "zelda": ["x"]}'], TEXT
    ),
    "store": Reader(_look, (StoreError,), _planning_store, DATABASE, "s.db"),
}
READERS |= {
    f"{name}-store": Reader(_look_at_track, (CompetitionError,), _track_store(name), DATABASE, "s.db")
    for name in TRACKS
}
"""By what they read. A pickle may raise any error, but neither crash nor hang; those of others are never read at all."""


def case(name: str, number: int, samples: list[bytes]) -> bytes:
    """The data of a case."""
    rng = random.Random(f"{name}/{number}")
    data = rng.choice(samples)
    for _ in range(rng.randint(1, MOST_CHANGES)):
        data = rng.choice(READERS[name].changes)(data, rng)
    return data


def outcome(name: str, data: bytes) -> str:
    """``accepted``, ``refused``, or a description of what must not happen."""
    reader = READERS[name]
    signal.setitimer(signal.ITIMER_PROF, CASE_S)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / reader.name
        path.write_bytes(data)
        try:
            reader.read(path)
        except reader.errors as error:
            text = str(error)
            ugly = [letter for letter in text if not (letter.isprintable() or letter in "\n\t")]
            return f"its message contains {ugly[:3]!r}" if ugly and reader.is_shown else "refused"
        except BaseException as error:
            return f"{type(error).__name__}: {str(error)[:200]!r}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return "accepted"


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"no end within {CASE_S} s of CPU time")


def run(names: Sequence[str], numbers: Iterable[int], until: float) -> tuple[Counter[str], dict[str, str]]:
    """Read cases; returns how often each reader accepted or refused one, and what must not happen, by case."""
    samples = {name: READERS[name].samples() for name in names}
    counts: Counter[str] = Counter()
    failures: dict[str, str] = {}
    signal.signal(signal.SIGPROF, _too_slow)
    for number, name in ((number, name) for number in numbers for name in names):
        if time.monotonic() > until:
            break
        found = outcome(name, case(name, number, samples[name]))
        counts[f"{name} {found}" if found in ("accepted", "refused") else f"{name} failed"] += 1
        if found not in ("accepted", "refused"):
            failures[f"{name}/{number}"] = found
    return counts, failures


def main(arguments: Sequence[str] | None = None) -> int:
    """Run cases; returns 1 if something happened that must not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"some of {', '.join(READERS)}; all by default")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long to run")
    parser.add_argument("--cases", type=int, help="cases of each reader; as many as there is time for by default")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--show", metavar="CASE", help="write the data of a case, as in replay/17, to standard output")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.readers) - set(READERS):
        parser.error(f"there is no reader {', '.join(sorted(unknown))}: choose from {', '.join(READERS)}")
    sys.path.append(str(Path(__file__).parents[1]))
    if chosen.show:
        name, _, number = chosen.show.partition("/")
        sys.stdout.buffer.write(case(name, int(number), READERS[name].samples()))
        return 0
    if chosen.cases is None and chosen.seconds == float("inf"):
        parser.error("say how long to run, by --seconds or --cases")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    numbers = (
        itertools.count(chosen.first) if chosen.cases is None else range(chosen.first, chosen.first + chosen.cases)
    )
    counts, failures = run(chosen.readers or list(READERS), numbers, time.monotonic() + chosen.seconds)
    for name, count in sorted(counts.items()):
        print(f"{count:>9,} {name}")
    for name, found in failures.items():
        print(f"{name}: {found}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
