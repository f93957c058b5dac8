"""A damaged or forged store gives a clear error, or the data that is still valid."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import contests
from vgdl.competition import cli
from vgdl.competition.store import StoreError
from vgdl.competition.submissions.queue import Queue
from vgdl.competition.tracks.planning.plan import Boards, Plan, fixtures
from vgdl.competition.tracks.planning.records import (
    Outcome,
    PlayerResult,
    PlayResult,
    actions,
    isolation_of,
    numbered_plays,
    used,
)
from vgdl.competition.tracks.planning.runner import PlayRecord

pytestmark = pytest.mark.one_case

PLAYS = 6
FLIPS = 150
CUTS = 40


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a few plays and a submission, in one file."""
    path = tmp_path_factory.mktemp("stores") / "whole.db"
    plan = contests.plan("random", "onesteplookahead", levels=None)
    boards = Boards(plan)
    planned = fixtures(plan, boards)[:PLAYS]
    with contests.new_store(path, plan, PLAYS) as store:
        store.begin_session({})
        for fixture in planned:
            player = PlayerResult(fixture.names[0], Outcome.WON, 1.0)
            result = PlayResult(*fixture.place, 7, "ab" * 16, 3, (player,))
            actions = (("LEFT",), (None,), ("USE",))
            isolation = {"level": "bwrap", "cpu times": "perf", "core": 0}
            store.add(*PlayRecord(fixture.number, result, actions, ((1.0, 2.0),), isolation, 0.1, 0.0).rows)
    with Queue.open_shared(path) as queue:
        queue.enter("sent", "agent.py", "Agent", b"PK")
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    return path


def look(path: Path) -> str:
    """Read everything; returns the message of the error, if any."""
    try:
        with contests.read(path) as store:
            assert store.total >= 0
            with store.reading("its plan"):
                Plan.from_facts(store.plan)
            assert isinstance(store.games, list)
            store.sessions()
            isolation_of(store)[0]
            for number, result in numbered_plays(store):
                actions(store, number)
                for player in range(len(result.players)):
                    used(store, number, player)
        with Queue.open_shared(path) as queue:
            queue.all()
            with queue.take() as taken:
                assert taken is None or taken.archive is not None
    except StoreError as error:
        assert str(error).isprintable()
        return str(error)
    return ""


def damaged(whole: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Stores with some bits flipped, and some that were cut off."""
    generator = random.Random(16)
    data = whole.read_bytes()
    for number in range(FLIPS):
        changed = bytearray(data)
        for _ in range(generator.choice((1, 4, 64))):
            changed[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
        path = folder / f"flipped-{number}.db"
        path.write_bytes(changed)
        yield path.name, path
    for number in range(CUTS):
        path = folder / f"cut-{number}.db"
        path.write_bytes(data[: generator.randrange(len(data))])
        yield path.name, path


def test_a_whole_store_is_read(whole: Path, tmp_path: Path) -> None:
    shutil.copy(whole, tmp_path / "copy.db")
    assert look(tmp_path / "copy.db") == ""


def test_flipped_bits_and_truncated_files_are_reported_as_damage(whole: Path, tmp_path: Path) -> None:
    messages = {name: look(path) for name, path in damaged(whole, tmp_path)}
    assert sum(map(bool, messages.values())) > (FLIPS + CUTS) / 5


def change(script: str, *values: object) -> Callable[[sqlite3.Connection], Any]:
    return lambda connection: connection.execute(script, values)


def drop(table: str, column: str) -> Callable[[sqlite3.Connection], Any]:
    return change(f"ALTER TABLE {table} DROP COLUMN {column}")


WRONG_JSON = ["", "{", "[]", "null", "1", '"text"', '{"a": 1}', "[" * 100_000, '[{"name": 1}]', "NaN"]
COLUMNS = {
    "competition": ["plan", "games", "plays"],
    "sessions": ["facts"],
    "plays": ["game", "level", "seed", "stirring", "ticks", "game_error", "actions", "isolation"],
    "players": ["controller", "outcome", "score", "cause", "details", "late_answers", "used"],
    "submissions": ["name", "file", "state", "sha256", "archive", "secret"],
}
VALUES = ["text", b"\xff\xfe", -1, 1e300, 2**62, "\x1b[2J"]
CHANGES = {
    **{f"without {table}": change(f"DROP TABLE {table}") for table in COLUMNS},
    **{f"without {table}.{column}": drop(table, column) for table, columns in COLUMNS.items() for column in columns},
    **{
        f"{table}.{column} = {value!r:.12}": change(f"UPDATE {table} SET {column} = ?", value)
        for table, columns in COLUMNS.items()
        for column in columns
        for value in VALUES
    },
    **{
        f"{table}.{column} = {text:.12}": change(f"UPDATE {table} SET {column} = ?", text)
        for table, column in [
            ("competition", "plan"),
            ("competition", "games"),
            ("sessions", "facts"),
            ("plays", "isolation"),
        ]
        for text in WRONG_JSON
    },
    "the newest format of all": change("PRAGMA user_version = 99"),
    "the oldest format": change("PRAGMA user_version = 1"),
    "another program's": change("PRAGMA application_id = 1"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_modified_store_is_read_or_refused(name: str, whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.db"
    shutil.copy(whole, path)
    with sqlite3.connect(path) as connection:
        CHANGES[name](connection)
    connection.close()
    message = look(path)
    if name.startswith("without") and "submissions" not in name:
        assert "damaged" in message


def test_a_plan_with_a_wrong_type_is_refused(whole: Path, tmp_path: Path) -> None:
    with sqlite3.connect(whole) as connection:
        (text,) = connection.execute("SELECT plan FROM competition").fetchone()
    connection.close()
    plan = json.loads(text)
    values: list[Any] = [None, 1.5, "text", [1], [[]], {"a": []}, True]
    for name in plan:
        for value in values:
            if type(value) is type(plan[name]) or (name == "levels" and value in (None, [1])):
                continue
            path = tmp_path / "changed.db"
            shutil.copy(whole, path)
            with sqlite3.connect(path) as connection:
                connection.execute("UPDATE competition SET plan = ?", [json.dumps({**plan, name: value})])
            connection.close()
            assert "its plan cannot be read" in look(path), (name, value)


@pytest.mark.parametrize(
    "command", [["standings"], ["report", "--out", "site"], ["--resume"], ["submissions", "--store"]]
)
def test_every_command_reports_a_damaged_store_in_a_sentence(
    command: list[str], whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    data = bytearray(whole.read_bytes())
    data[200:] = bytes(len(data) - 200)
    Path("damaged.db").write_bytes(data)
    try:
        status = cli.main([*command, "damaged.db"])
    except SystemExit as ended:
        status = int(str(ended.code))
    assert status in (1, 2)
    printed = capsys.readouterr().err
    assert "damaged.db" in printed
    assert "Traceback" not in printed
