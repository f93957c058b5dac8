"""The secret of a competition that is not over lies outside of its store."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sqlite3
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

import contests
from contests import TOY
from vgdl.competition import cli, sealing, seeds
from vgdl.competition.agents.view import view
from vgdl.competition.running import declare
from vgdl.competition.store import Store
from vgdl.competition.submissions.queue import Outcome, Queue, State
from vgdl.competition.track import OpenStore
from vgdl.competition.tracks.othello.board import BLACK
from vgdl.competition.tracks.othello.games import GameRecord
from vgdl.competition.tracks.othello.store import GameRow
from vgdl.competition.tracks.othello.track import OthelloTrack
from vgdl.competition.tracks.planning.records import TABLES, PlayRow
from vgdl.competition.tracks.planning.runner import Competition, PlayRecord

ARGUMENTS = ["--controllers", "random,onesteplookahead", "--set-dir", str(TOY), "--levels", "1", "--budget", "calls:5", "--quiet"]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of secrets."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "vgdl" / "secrets"


@pytest.fixture
def half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store whose second play was cut short; the other controller has played the same level."""
    play = Competition.play

    def broken(self: Competition, number: int, *cores: int | None) -> PlayRecord:
        if number == 1:
            raise KeyboardInterrupt
        return play(self, number, *cores)

    with monkeypatch.context() as patch:
        patch.setattr(Competition, "play", broken)
        cli.main([*ARGUMENTS, "--store", str(tmp_path / "store.db")])
    return tmp_path / "store.db"


def content(store: Path) -> bytes:
    """All bytes that the store has on the disk."""
    return b"".join(path.read_bytes() for path in sorted(store.parent.glob(f"{store.name}*")) if path.is_file())


def play_of(store: Path) -> Any:
    with contests.read(store) as opened:
        return opened.plan, opened.rows(PlayRow)


def test_the_bytes_of_an_unfinished_store_do_not_give_the_seeds_of_its_games(half: Path) -> None:
    plan, (row,) = play_of(half)
    secret = int(plan["seed"])
    assert row.seed == seeds.derive(secret, "game", "toy", 1, 0)
    assert row.stirring == seeds.derive_key(secret, "stirring", "toy", 1, 0)
    stored = content(half)
    for number in (secret, row.seed):
        size = (number.bit_length() + 7) // 8
        for shown in (
            str(number).encode(),
            b"%x" % number,
            number.to_bytes(size, "big"),
            number.to_bytes(size, "little"),
        ):
            assert shown not in stored
    assert row.stirring.encode() not in stored
    with contextlib.closing(sqlite3.connect(half)) as connection:
        assert {type(cell) for cell in connection.execute("SELECT seed, stirring FROM plays").fetchone()} == {str}


def test_the_bytes_of_an_unfinished_store_do_not_give_generated_stages(tmp_path: Path) -> None:
    """Neither the plan, nor the list of games, nor the log of a game that was played."""
    track = OthelloTrack()
    named = {"systems": ["greedy", "random"], "stages": ["generated:size:1"], "seed": 3}
    planned = track.plan(declare(track).from_python(named))
    (stage,) = planned.stages
    facts = {"track": "othello", **planned.facts()}
    record = GameRecord(stage.id, stage.name, "greedy", "random", stage.board(), (), 3, 1, BLACK)
    row = GameRow.of(planned.fixtures()[0], record, 0.1, 0.0)
    path = tmp_path / "store.db"
    created = Store.create(path, facts, track.tables, games=facts["stages"], secret=planned.secret, sealed=track.sealed)
    with created as store:
        store.add(row)
        stored = content(path)
        assert all(name.encode() not in stored for name in (stage.id, stage.name, "boardSize", "initialPlayer1"))
        (log,) = store.connection.execute("SELECT log FROM othello_games").fetchone()
        with pytest.raises(zlib.error):
            zlib.decompress(log)
    with OpenStore.open(path, read_only=False) as opened:
        assert opened.track.plan_in(opened.store) == planned
        assert opened.store.games == facts["stages"]
        assert opened.store.one(GameRow, number=0).log == row.log
        opened.store.unseal()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        plain = connection.execute("SELECT plan, games, log FROM competition, othello_games").fetchone()
    assert [json.loads(plain[0])["stages"], json.loads(plain[1])] == [facts["stages"]] * 2
    assert json.loads(zlib.decompress(plain[2])) == row.log


def test_a_finished_store_contains_what_reproduces_its_results(half: Path, folder: Path) -> None:
    plan, before = play_of(half)
    assert cli.main(["--resume", str(half), "--quiet"]) == 0
    after, rows = play_of(half)
    assert after == plan
    assert [(row.seed, row.stirring) for row in rows] == [(before[0].seed, before[0].stirring)] * 2
    with contextlib.closing(sqlite3.connect(half)) as connection:
        (text,) = connection.execute("SELECT plan FROM competition").fetchone()
        assert plan["seed"] in text
        assert connection.execute("SELECT seed FROM plays").fetchall() == [(before[0].seed,)] * 2
    assert list(folder.iterdir()) == []


@pytest.mark.costly
def test_a_store_with_its_secret_in_the_clear_is_resumed(half: Path) -> None:
    """As all stores were up to version 0.2."""
    with Store.open(half) as store:
        store.use(TABLES)
        store.unseal()
        plan = store.plan
    assert cli.main(["--resume", str(half), "--quiet"]) == 0
    after, rows = play_of(half)
    assert after == plan
    assert len({(row.seed, row.stirring) for row in rows}) == 1


def test_only_the_user_can_read_the_secret(half: Path, folder: Path) -> None:
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert file.read_text() == play_of(half)[0]["seed"]


def test_on_another_machine_a_sentence_says_what_is_missing(
    half: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (file,) = sealing.folder().iterdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    capsys.readouterr()
    for command in (["--resume", str(half)], ["standings", str(half)]):
        with pytest.raises(SystemExit, match="1"):
            sys.exit(cli.main(command))
        message = " ".join(capsys.readouterr().err.split())
        assert f"the secret of {half} cannot be read" in message
        assert re.search(rf"copy \S*vgdl/secrets/{file.name} from there to {sealing.folder() / file.name}", message)
    sealing.make_folder()
    shutil.move(file, sealing.folder())
    assert cli.main(["--resume", str(half), "--quiet"]) == 0


def test_the_folder_of_secrets_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also from a controller whose package it lies in."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "agent.py").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(package))
    sight = view([package / "agent.py"]).of(str(package / "agent.py"))
    assert str(package) in sight.readable
    assert str(package / "vgdl" / "secrets") in sight.masks


def test_a_place_for_the_secret_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(SystemExit, match="2"):
        cli.main([*ARGUMENTS, "--store", str(tmp_path / "store.db")])
    assert "XDG_STATE_HOME chooses another place" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "store.db").exists() or not content(tmp_path / "store.db")


@pytest.mark.one_case
@pytest.mark.parametrize("text", ["x", "", "-1", str(1 << 128)])
def test_a_damaged_secret_is_an_error(half: Path, text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file,) = folder.iterdir()
    file.write_text(text)
    assert cli.main(["--resume", str(half)]) == 1
    assert f"{file} contains no secret" in " ".join(capsys.readouterr().err.split())


def test_encrypted_values_are_unlike_each_other() -> None:
    seal = sealing.Seal("0" * 32, 5)
    cells = [seal.hide(7) for _ in range(2)]
    assert cells[0] != cells[1]
    assert [seal.show(cell) for cell in cells] == [7, 7]
    assert sealing.Seal("0" * 32, 5).show(seal.hide("key")) == "key"


def test_the_secret_of_a_submission_is_in_the_queue_only_when_it_is_evaluated(tmp_path: Path, folder: Path) -> None:
    with Queue.open_shared(tmp_path / "queue.db", create=True) as queue:
        queue.enter("a", "a.py", "A", b"")
        taken_secrets = []
        for _ in range(2):  # the first worker is killed, as far as the queue can see
            with queue.take() as taken:
                assert taken is not None
                taken_secrets.append(taken.secret)
                assert str(taken.secret).encode() not in content(tmp_path / "queue.db")
                if len(taken_secrets) == 2:
                    queue.finish(1, Outcome(State.EVALUATED, ""))
        assert taken_secrets[0] == taken_secrets[1]
        assert queue.connection.execute("SELECT secret FROM submissions").fetchone() == (str(taken_secrets[0]),)
    assert list(folder.iterdir()) == []
