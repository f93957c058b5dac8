"""The store keeps every finished play, through kills and disk failures."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import contests
from contests import TOY
from vgdl.competition import cli, store
from vgdl.competition.agents.freezer import tree
from vgdl.competition.files import replacing
from vgdl.competition.store import Store, StoreDamaged, StoreError
from vgdl.competition.table import COLUMN, Table
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.records import TABLES, Outcome, actions, isolation_of, plays, used
from vgdl.competition.tracks.planning.runner import PlayRecord

COMMAND = [sys.executable, "-P", "-m", "vgdl.competition.cli"]
ARGUMENTS = ["--set", str(TOY), "--seed", "7", "--budget", "calls:60", "--repeats", "4", "--quiet"]
CONTROLLERS = ["--controllers", "random,onesteplookahead"]
PLAYS = 24
SEEKER = """
import os
from vgdl import Action
from vgdl.controllers import Controller

class Seeker(Controller):
    def act(self, state, timer):
        for folder, _, files in os.walk(os.path.dirname(__file__)):
            for file in files:
                if file != "seeker.py" and os.path.getsize(os.path.join(folder, file)):
                    raise RuntimeError("found " + os.path.join(folder, file))
        return Action.RIGHT
"""


@pytest.fixture(scope="module")
def record() -> PlayRecord:
    """A record of a play that ended in an error."""
    return contests.play(contests.plan("RaisesInAct"), "rlimits")


def competition(path: Path) -> subprocess.Popen[str]:
    """A runner that fills a store."""
    command = [*COMMAND, *ARGUMENTS, *CONTROLLERS, "--store", str(path), "--isolation", "rlimits"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def count(path: Path) -> int:
    """The number of plays in a store that another process is writing; 0 if there is none yet."""
    try:
        with contests.read(path) as looked_at:
            return len(contests.done(looked_at))
    except (StoreError, sqlite3.Error):
        return 0


def wait_for(path: Path, plays: int) -> None:
    deadline = time.monotonic() + 60
    while count(path) < plays and time.monotonic() < deadline:
        time.sleep(0.01)


def table(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The final tables of a store, as printed."""
    capsys.readouterr()
    assert cli.main(["standings", str(path)]) == 0
    return capsys.readouterr().out


def in_namespace(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script as the root of a user namespace, with mounts of its own."""
    command = ["unshare", "-Urm", "sh", "-ec", script, "sh", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


CAN_MOUNT = shutil.which("unshare") is not None and in_namespace("mount -t tmpfs none /mnt").returncode == 0
needs_mounts = pytest.mark.skipif(not CAN_MOUNT, reason="needs user namespaces that may mount")


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of an undisturbed competition."""
    path = tmp_path_factory.mktemp("whole") / "whole.db"
    process = competition(path)
    process.communicate(timeout=120)
    assert process.returncode == 0
    return path


@pytest.mark.parametrize(
    "words",
    [["standings"], ["report", "--out", "site"], ["--resume"], ["submissions", "--store"], ["worker", "--store"]],
)
def test_a_folder_is_not_taken_for_a_store(
    words: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = cli.main([*words, str(tmp_path)])
    except SystemExit as exit_:
        status = 2 if exit_.code == 2 else 0
    assert status != 0
    assert f"{tmp_path} is a folder" in capsys.readouterr().err


def test_standings_do_not_overwrite_the_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "final.db"
    planned = contests.plan("random")
    with contests.new_store(path, planned):
        pass
    before = path.read_bytes()
    with pytest.raises(SystemExit):
        cli.main(["standings", str(path), "--csv", str(path)])
    assert "two options name the file" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.costly
@pytest.mark.parametrize("kills", [pytest.param((1,), marks=pytest.mark.everything), (3, 9, 14)])
def test_a_competition_killed_at_any_moment_ends_with_the_same_table(
    kills: Sequence[int], uninterrupted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The runner is killed repeatedly, with its controllers' processes every other time."""
    path = tmp_path / "cut.db"
    process = competition(path)
    for number, least in enumerate(kills):
        wait_for(path, least)
        time.sleep(0.03 * number)
        victims = [process.pid] if number % 2 else [*_below(process.pid), process.pid]
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        process.communicate()
        held = count(path)
        assert least <= held < PLAYS
        again = [*COMMAND, "--resume", str(path), "--isolation", "rlimits", "--quiet"]
        process = subprocess.Popen(again, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.communicate(timeout=120)
    assert process.returncode == 0
    assert table(path, capsys) == table(uninterrupted, capsys).replace(str(uninterrupted), str(path))
    with contests.read(path) as cut, contests.read(uninterrupted) as whole:
        assert plays(cut) == plays(whole)
        assert [actions(cut, n) for n in range(PLAYS)] == [actions(whole, n) for n in range(PLAYS)]
        assert len(cut.sessions()) == len(kills) + 1


def _below(pid: int) -> list[int]:
    return [process for process in tree(pid) if process != pid]


@pytest.mark.skipif(sys.platform == "win32", reason="no locks")
def test_a_store_that_a_killed_runner_s_child_still_holds_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.db"
    Store.create(path, {}).close()
    with path.open("r+b") as held:
        assert store.try_lock(held)
        monkeypatch.setattr(time, "sleep", lambda _: held.close())
        Store.open(path).close()


@pytest.mark.costly
def test_a_second_runner_is_refused_and_the_first_one_continues(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    first = competition(path)
    wait_for(path, 1)
    first.send_signal(signal.SIGSTOP)  # so that it is not over before the second one gives up
    second = subprocess.run([*COMMAND, "--resume", str(path)], capture_output=True, text=True, check=False)
    first.send_signal(signal.SIGCONT)
    assert second.returncode == 1
    assert "another vgdl-compete is writing" in second.stderr
    assert "Traceback" not in second.stderr
    first.communicate(timeout=120)
    assert first.returncode == 0
    assert count(path) == PLAYS


@pytest.mark.costly
@needs_mounts
def test_a_full_disk_is_an_error_and_stored_plays_stay(tmp_path: Path) -> None:
    """The disk fits some of the plays; with more space, the rest is played."""
    command = " ".join(COMMAND)
    script = f"""
        mount -t tmpfs -o size=140k none "$1"
        {command} {" ".join([*ARGUMENTS, *CONTROLLERS])} --repeats 40 --isolation rlimits --store "$1/full.db" || echo "status $?"
        mount -o remount,size=20m "$1"
        {command} standings "$1/full.db" --json "$1/before.json" > /dev/null
        cp "$1/before.json" "$2"
        timeout -s INT 4 {command} --resume "$1/full.db" --isolation rlimits --quiet > /dev/null || true
        {command} standings "$1/full.db" --json "$2/after.json" > /dev/null
    """
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    disk.mkdir()
    kept.mkdir()
    done = in_namespace(script, str(disk), str(kept))
    assert "status 1" in done.stdout
    assert "the disk is full" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    before, after = (json.loads((kept / f"{name}.json").read_text()) for name in ("before", "after"))
    assert 0 < len(before["plays"]) < 240
    assert len(after["plays"]) > len(before["plays"])
    assert [play for play in after["plays"] if play in before["plays"]] == before["plays"]


@pytest.mark.costly
@needs_mounts
def test_a_read_only_folder_is_an_error(tmp_path: Path) -> None:
    script = f"""
        mount -t tmpfs none "$1"
        mount -o remount,ro "$1"
        {" ".join([*COMMAND, *ARGUMENTS, *CONTROLLERS])} --store "$1/new.db"
    """
    refused = in_namespace(script, str(tmp_path))
    assert refused.returncode == 1
    assert "cannot write" in refused.stderr
    assert "Read-only" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.costly
@needs_mounts
def test_a_store_in_a_read_only_folder_can_be_read(uninterrupted: Path, tmp_path: Path) -> None:
    script = f"""
        mkdir "$1/disk"
        mount -t tmpfs none "$1/disk"
        cp "$2" "$1/disk/spring.db"
        mount -o remount,ro "$1/disk"
        {" ".join(COMMAND)} standings "$1/disk/spring.db"
        {" ".join(COMMAND)} report "$1/disk/spring.db" --out "$1/site"
    """
    done = in_namespace(script, str(tmp_path), str(uninterrupted))
    assert done.returncode == 0, done.stderr
    assert "OneStepLookAhead" in done.stdout
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.costly
def test_a_limit_on_file_size_is_an_error_and_stored_plays_stay(tmp_path: Path) -> None:
    path = tmp_path / "limited.db"
    command = [*COMMAND, *ARGUMENTS, *CONTROLLERS, "--repeats", "40", "--isolation", "rlimits", "--store", str(path)]
    script = f"ulimit -f 120; exec {' '.join(command)}"
    broken = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert broken.returncode == 1
    assert "cannot use the store" in broken.stderr
    assert "Traceback" not in broken.stderr
    assert 0 < count(path) < 240


def test_stored_plays_are_complete_and_exact(record: PlayRecord, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    planned = contests.plan("RaisesInAct")
    with contests.new_store(path, planned) as fresh:
        fresh.begin_session({"jobs": 1})
        fresh.add(*record.rows)
    with contests.read(path) as again:
        (result,) = plays(again)
        assert result == record.result
        assert result.players[0].outcome is Outcome.DISQUALIFIED
        assert "ZeroDivisionError" in result.players[0].details
        assert Plan.from_facts(again.plan) == planned
        assert contests.done(again) == {0}
        assert actions(again, 0) == [list(tick) for tick in record.actions]
        assert used(again, 0) == [round(used, 4) for used in record.used[0]]
        assert isolation_of(again)[0] == {f"rlimits, CPU times by {record.isolation['cpu times']}": 1}
        (session,) = again.sessions()
        assert {"machine", "versions", "jobs", "began"} <= set(session)


def test_a_play_is_stored_atomically(record: PlayRecord, tmp_path: Path) -> None:
    with contests.new_store(tmp_path / "a.db", contests.plan("random")) as fresh:
        broken = replace(record.rows[1], fixture=99)
        with pytest.raises(StoreError, match="UNIQUE"):
            fresh.add(*record.rows, broken, broken)
        assert contests.done(fresh) == set()
        fresh.add(*record.rows)
        with pytest.raises(StoreError, match="UNIQUE"):
            fresh.add(*record.rows)
        assert len(plays(fresh)) == 1


def test_an_existing_store_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    contests.new_store(path, contests.plan("random")).close()
    with pytest.raises(StoreError, match="--resume"):
        contests.new_store(path, contests.plan("random"))


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to be taken for one" * 30])
def test_a_file_that_is_not_a_store_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="not a results store"):
        Store.open(path)
    with pytest.raises(StoreError, match="there is no file"):
        Store.open(tmp_path / "b.db")


def test_another_program_s_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StoreError, match="not a results store"):
        Store.open(path)


def test_a_store_of_a_later_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    with monkeypatch.context() as later:
        later.setattr(store, "SCHEMA", (*store.SCHEMA, "CREATE TABLE more (x)"))
        contests.new_store(path, contests.plan("random")).close()
    with pytest.raises(StoreError, match="later version"):
        Store.open(path)


def test_a_store_of_an_earlier_version_is_brought_up_to_date(
    record: PlayRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    with contests.new_store(path, contests.plan("random")) as old:
        old.add(*record.rows)
    monkeypatch.setattr(store, "SCHEMA", (*store.SCHEMA, "CREATE TABLE more (x); CREATE INDEX x ON more (x)"))
    with Store.open(path) as new:
        new.use(TABLES)
        assert plays(new) == [record.result]
    with sqlite3.connect(path) as looked_at:
        assert looked_at.execute("PRAGMA user_version").fetchone() == (store.OLDEST_FORMAT + len(store.SCHEMA) - 1,)


def test_a_store_of_an_unsupported_old_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    contests.new_store(path, contests.plan("random")).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(StoreError, match="earlier version"):
        Store.open(path)


def test_an_invalid_plan_leaves_no_store(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    for arguments in (["--jobs", "1000"], ["--games", "nothing"]):
        with pytest.raises(SystemExit):
            cli.main([*CONTROLLERS, "--set", str(TOY), "--quiet", "--store", str(path), *arguments])
        assert not path.exists()


def test_controllers_cannot_see_the_store_and_the_replays_beside_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A controller that finds files of the running competition reports them and is disqualified."""
    if all(level.is_weak for level in contests.working_levels()):
        pytest.skip("no level of isolation that hides anything works here")
    (tmp_path / "seeker.py").write_text(SEEKER)
    arguments: list[Any] = ["--set", TOY, "--controllers", f"{tmp_path}/seeker.py:Seeker", "--budget", "calls:9"]
    arguments += ["--store", tmp_path / "a.db", "--replays", tmp_path / "replays", "--json", tmp_path / "a.json"]
    assert cli.main([*map(str, arguments), "--quiet"]) == 0
    plays = json.loads((tmp_path / "a.json").read_text())["plays"]
    assert [play["players"][0]["details"] for play in plays] == [""] * 3


def test_changed_games_and_controllers_are_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games, agent, path = tmp_path / "games", tmp_path / "agent.py", tmp_path / "a.db"
    shutil.copytree(TOY, games)
    agent.write_text("from vgdl.controllers.entries.random_controller import Random\nclass Mine(Random): pass\n")
    arguments: list[Any] = [
        "--set-dir",
        games,
        "--controllers",
        f"{agent}:Mine",
        "--levels",
        "1",
        "--budget",
        "calls:9",
    ]
    assert cli.main([*map(str, arguments), "--quiet", "--store", str(path)]) == 0
    agent.write_text(agent.read_text() + "# changed\n")
    assert cli.main(["--resume", str(path), "--quiet"]) == 1
    assert "the file of Mine has changed" in capsys.readouterr().err
    (games / "toy_lvl1.txt").write_text((games / "toy_lvl1.txt").read_text().replace("x", "."))
    assert cli.main(["--resume", str(path), "--quiet"]) == 1
    assert "the games are no longer those" in capsys.readouterr().err


def test_a_missing_store_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main(["--resume", str(tmp_path / "a.db")])
    assert exit_.value.code == 2
    assert "there is no file" in capsys.readouterr().err


def test_options_of_the_plan_cannot_be_given_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.db"
    contests.new_store(path, contests.plan("random")).close()
    with pytest.raises(SystemExit):
        cli.main(["--resume", str(path), "--budget", "10ms"])
    assert "already fixes --budget; omit it" in " ".join(capsys.readouterr().err.split())


@dataclass(frozen=True)
class NumberRow:
    """A row of which a field is called otherwise than its column."""

    number: int
    log_facts: str | None = field(default=None, metadata={COLUMN: "told"})


def test_a_renamed_field_keeps_its_column(tmp_path: Path) -> None:
    tables = [Table("numbers", NumberRow, "number")]
    with Store.create(tmp_path / "numbers.db", {"track": "counting"}, tables) as store:
        store.add(NumberRow(1, "one"), NumberRow(2))
        store.put(NumberRow(2, "two"))
        assert store.rows(NumberRow, log_facts="two") == [NumberRow(2, "two")]
    with contextlib.closing(sqlite3.connect(tmp_path / "numbers.db")) as connection:
        assert connection.execute("SELECT told FROM numbers ORDER BY number").fetchall() == [("one",), ("two",)]


def test_a_store_of_version_0_2_is_read_and_continued(record: PlayRecord, tmp_path: Path) -> None:
    """It names no track, and lacks the columns and the rules that came later."""
    path = tmp_path / "old.db"
    planned = contests.plan("RaisesInAct")
    with contests.new_store(path, planned, 2) as store:
        store.add(*record.rows)
        facts = planned.facts()
        for name in ("strict", "failures_rank"):
            del facts["rules"][name]
        with store.writing() as connection:
            connection.execute("UPDATE competition SET plan = ?", [json.dumps(facts)])
            for column in ("session", "finished", "invalid_answers"):
                connection.execute(f"ALTER TABLE players DROP COLUMN {column}")
    with contests.read(path) as old:
        assert old.track == "planning"
        assert Plan.from_facts(old.plan) == planned
        assert plays(old) == [record.result]
    with contests.read(path, read_only=False) as old:
        old.add(*(replace(row, fixture=1) for row in record.rows))
        assert plays(old) == [record.result] * 2


@pytest.mark.parametrize("error", [AttributeError("'int' object has no attribute 'strip'"), ZeroDivisionError("float")])
def test_values_of_a_wrong_type_are_a_damaged_store(error: Exception) -> None:
    with Store.create(None, {}, ()) as opened, pytest.raises(StoreDamaged), opened.reading("its plan"):
        raise error


def test_a_name_that_cannot_be_encoded_is_written_escaped(tmp_path: Path) -> None:
    with replacing(tmp_path / "names.csv") as file:
        file.write("a\ud800b")
    assert (tmp_path / "names.csv").read_text(encoding="utf-8") == r"a\ud800b"
