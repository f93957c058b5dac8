"""What holds for every track: stores that say what they are, one command line, one API, work that grows linearly."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import small_stores
import vgdl.competition
from small_stores import NEEDS, SMALL, arc_store, options_of
from vgdl.competition import cli, running, track
from vgdl.competition.errors import CompetitionError
from vgdl.competition.options import OptionError
from vgdl.competition.results import Results, TableNotFound
from vgdl.competition.store import Store
from vgdl.competition.track import OpenStore, Played, TrackNotFound

EXAMPLE = Path(__file__).parents[2] / "examples" / "guessing_track"

BUNDLED = [point.name for point in entry_points(group="vgdl.tracks") if point.dist and point.dist.name == "vgdl"]
PLAYED = [name for name in BUNDLED if isinstance(track.find(name), Played)]

COMMANDS = {
    "standings": ["standings", "{store}", "--json", "{folder}/all.json", "--csv", "{folder}/all.csv"],
    "report": ["report", "{store}", "--out", "{folder}/site", "--quiet"],
    "resume": ["--resume", "{store}", "--quiet"],
}
"""What can be done with every store; ``--resume`` only with those of plays."""


def commands_of(name: str) -> list[str]:
    return [command for command in COMMANDS if command != "resume" or name in PLAYED]


def run(command: str, store: Path, folder: Path) -> int:
    """Run one of the commands in this process; returns its exit status."""
    words = [word.format(store=store, folder=folder) for word in COMMANDS[command]]
    try:
        return cli.main(words)
    except SystemExit as ended:
        return int(str(ended.code))


@contextlib.contextmanager
def opened(name: str, path: Path | None) -> Iterator[tuple[Store, Any, Any]]:
    """The store, the work and the setting of a short run, before the first unit."""
    found = track.find(name)
    assert isinstance(found, Played)
    groups = running.declare(found)
    given = {"quiet": True, **options_of(name), **({"store": str(path)} if path else {})}
    with contextlib.ExitStack() as stack:
        yield running._open(found, groups, groups.from_python(given), Console(stderr=True), stack)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A finished store per track, made when it is first asked for."""
    folder = tmp_path_factory.mktemp("stores")

    class Stores(dict[str, Path]):
        def __missing__(self, name: str) -> Path:
            return self.setdefault(name, small_stores.finished(name, folder))

    return Stores()


# -------------------------------------------------------------------------------------------------------- registry


def test_every_bundled_track_is_an_entry_point_and_is_tested_here() -> None:
    assert {"planning", "othello", "gamebot", "arc", "tabletop", "worldmodels", "learning"} <= set(BUNDLED)
    assert set(PLAYED) == set(SMALL)


def test_the_help_names_every_command_and_track(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    shown = capsys.readouterr().out
    assert [name for name in ("standings", "report", *BUNDLED) if f"compete {name} " not in shown] == []


def test_an_unknown_track_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["othelo"])
    assert "did you mean 'othello'?" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------------------- stores


@pytest.mark.one_case
@pytest.mark.parametrize("name", BUNDLED)
def test_every_command_reads_a_finished_store(name: str, finished: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "copy.db"
    shutil.copy(finished[name], path)
    assert {command: run(command, path, tmp_path) for command in commands_of(name)} == dict.fromkeys(
        commands_of(name), 0
    )
    facts = json.loads((tmp_path / "all.json").read_text())
    assert facts["track"] == name
    assert facts["complete"]
    assert all(isinstance(rows, list) for rows in facts["tables"].values())
    assert (tmp_path / "all.csv").read_text().count("\n") > 1
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.one_case
@pytest.mark.parametrize("name", PLAYED)
def test_a_store_in_which_nothing_is_finished_yet_says_what_it_is(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "begun.db"
    with opened(name, path) as (store, work, _):
        assert store.track == name
        total = work.total
    assert run("standings", path, tmp_path) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"0 of {total} {track.find(name).noun} are done" in shown
    assert "--resume" in shown, "the advice, which is followed below"
    assert run("report", path, tmp_path) == 0
    assert run("resume", path, tmp_path) == 0
    with OpenStore.open(path) as again:
        assert again.track.results(again.store).complete


def test_an_open_arc_card_is_no_result_yet(tmp_path: Path) -> None:
    arc_store(tmp_path / "arc.db", finished=False)
    assert run("standings", tmp_path / "arc.db", tmp_path) == 0
    assert json.loads((tmp_path / "all.json").read_text())["cards"] == []


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("content", [b"", b"no store at all, but long enough to be taken for one" * 30])
def test_an_empty_or_other_file_is_refused_in_a_sentence(
    command: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(content)
    assert run(command, path, tmp_path) == 1
    said = capsys.readouterr().err
    assert "other.db" in said
    assert "not a results store" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_the_store_of_a_track_that_is_not_installed_names_it(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "chess.db"
    Store.create(path, {"track": "chess"}).close()
    assert run(command, path, tmp_path) in (1, 2)
    said = " ".join(capsys.readouterr().err.split())
    assert "'chess'" in said
    assert "install the package" in said


def columns(path: Path) -> list[tuple[str, str]]:
    """The tables with rows, and their columns."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        filled = [name for name in tables if connection.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone()]
        return [(name, row[1]) for name in filled for row in connection.execute(f'PRAGMA table_info("{name}")')]


@pytest.mark.costly
@pytest.mark.parametrize("name", BUNDLED)
def test_a_damaged_cell_anywhere_is_a_sentence(
    name: str, finished: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A thousand random bytes in every column of every table, and another type."""
    chance = random.Random(4)
    noticed = 0
    for table, column in columns(finished[name]):
        if table.startswith("chat_"):
            continue  # the cache of replies, which only a run reads
        for value in (chance.randbytes(1000), "text"):
            path = tmp_path / "damaged.db"
            shutil.copy(finished[name], path)
            with contextlib.closing(sqlite3.connect(path)) as connection, contextlib.suppress(sqlite3.IntegrityError):
                connection.execute("PRAGMA foreign_keys = OFF")
                connection.execute(f'UPDATE "{table}" SET "{column}" = ?', [value])
                connection.commit()
            for command in commands_of(name):
                status = run(command, path, tmp_path)
                printed = capsys.readouterr().err
                assert status in (0, 1), (table, column, command, printed)
                assert "Traceback" not in printed, (table, column, command)
                assert "usage:" not in printed, (table, column, command)
                noticed += status
    assert noticed > len(columns(finished[name])) / 2, "much damage is noticed"


# ---------------------------------------------------------------------------------------------------- command lines

WRONG = {
    "a store that is not there": (["--resume", "nope.db"], "there is no file nope.db"),
    "a store that is there": (["--store", "there.db"], "there.db exists already"),
    "both": (["--resume", "there.db", "--store", "new.db"], "omit --store"),
    "a fixed option": (["--resume", "there.db", "--seed", "1"], "already fixes --seed; omit it"),
    "no jobs": (["--jobs", "0"], "'0' is not a number of 1 or more"),
    "jobs in words": (["--jobs", "two"], "'two' is not a number of 1 or more"),
    "a seed in words": (["--seed", "x"], "'x' is not a number"),
    "a folder that is not there": (["--json", "no/such/x.json"], "there is no folder for no/such/x.json"),
    "a folder as a file": (["--csv", "."], ". is a folder"),
    "one file for two": (["--store", "new.db", "--csv", "new.db"], "two options name the file new.db"),
    "an option that is not there": (["--nosuch"], "unrecognized arguments: --nosuch"),
    "a misspelt option": (["--stroe=x.db"], "unrecognized arguments: --stroe=x.db (did you mean '--store'?)"),
    "a word that is not there": (["nosuch"], "there is no command 'nosuch'"),
}


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize("wrong", WRONG)
def test_the_same_wrong_command_lines_are_answered_alike(
    name: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With two lines: the usage, and what is wrong; the status is 2."""
    monkeypatch.chdir(tmp_path)
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason='needs: pip install "vgdl[tabletop]"')
    if "there.db" in WRONG[wrong][0]:
        of = track.find(name)
        assert isinstance(of, Played)
        facts = of.plan(running.declare(of).from_python(options_of(name))).facts()
        Store.create(Path("there.db"), {"track": name, **facts}, of.tables).close()
    words, said = WRONG[wrong]
    models = ["--models", "random,mcts"] if name == "gamebot" and "--resume" not in words else []
    with pytest.raises(SystemExit) as ended:
        cli.main([name, *words[:1], *words[1:], *(models if words[0].startswith("-") else [])])
    assert ended.value.code == 2
    usage, error = capsys.readouterr().err.splitlines()
    assert usage.startswith("usage: vgdl-compete")
    assert said in error
    assert not Path("new.db").exists()


def test_a_track_resumes_only_its_own_stores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store.create(tmp_path / "a.db", {"track": "othello"}).close()
    with pytest.raises(SystemExit):
        cli.main(["planning", "--resume", str(tmp_path / "a.db")])
    assert "is a store of another track: vgdl-compete othello --resume " in capsys.readouterr().err


# -------------------------------------------------------------------------------------------------------------- API


def test_results_are_tables_for_a_notebook() -> None:
    results = vgdl.competition.run("planning", **options_of("planning"), jobs=1)
    ranking = results.table("ranking")
    assert ranking.records() == [
        {"place": 1, "controller": "Random", "points": 25, "first_places": 1, "victories": 0, "plays": 1}
    ]
    assert json.loads(ranking.to_json()) == ranking.records()
    assert json.loads(results.to_json())["tables"]["ranking"] == ranking.records()
    assert "<td>Random</td>" in results._repr_html_()
    with pytest.raises(TableNotFound, match="did you mean 'ranking'"):
        results.table("rankin")


def test_results_are_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    results = vgdl.competition.run("planning", **options_of("planning"))
    assert list(results.to_pandas()["controller"]) == ["Random"]
    import io

    assert list(pandas.read_json(io.StringIO(results.table("ranking").to_json()))["points"]) == [25]


def test_names_are_escaped_in_a_notebook() -> None:
    from vgdl.competition.results import Column, ResultTable

    table = ResultTable("t", "<b>", (Column("name"),), [{"name": "<script>"}])
    assert "<script>" not in table._repr_html_()
    assert "<script>" not in Results("x", True, [table])._repr_html_()


def test_a_class_in_a_file_can_be_given_as_such() -> None:
    from vgdl.controllers.entries.random_controller import Random

    given = {**options_of("planning"), "controllers": [Random]}
    assert vgdl.competition.run("planning", **given).table().records()[0]["controller"] == "Random"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"controlers": ["random"]}, "no option 'controlers' \\(did you mean 'controllers'\\?\\)"),
        ({"budget": "40 hours"}, "is not a budget"),
        ({"jobs": 0}, "jobs: '0' is not a number of 1 or more"),
        ({"clock": "sun"}, "clock must be one of"),
    ],
)
def test_wrong_options_of_the_api_are_explained(given: dict[str, Any], said: str) -> None:
    with pytest.raises(CompetitionError, match=said):
        vgdl.competition.run("planning", **{**options_of("planning"), **given})


def test_a_track_that_is_no_run_says_so() -> None:
    with pytest.raises(OptionError, match="is not a run of plays"):
        vgdl.competition.run("arc")
    with pytest.raises(TrackNotFound, match="did you mean 'othello'"):
        vgdl.competition.run("otello")


# ------------------------------------------------------------------------------------------------------ linear work


@pytest.mark.costly
@pytest.mark.parametrize(("name", "option"), [("othello", "repeats"), ("gamebot", "matches")])
def test_the_rows_read_grow_with_the_matches_and_not_with_their_square(name: str, option: str) -> None:
    read = []
    for number in (2, 6):
        found = track.find(name)
        assert isinstance(found, Played)
        groups = running.declare(found)
        chosen = groups.from_python({"quiet": True, **options_of(name), option: number})
        with contextlib.ExitStack() as stack:
            store, work, setting = running._open(found, groups, chosen, Console(stderr=True), stack)
            running.work_through(store, work, setting)
            read.append(store.rows_read)
    assert read[1] <= 3 * read[0] + 10


# ------------------------------------------------------------------------------------------------------ from outside


@pytest.mark.costly
def test_a_track_from_outside_runs_resumes_reports_and_shows(tmp_path: Path) -> None:
    """The example is installed as a package into a new environment, where this one's packages can be seen."""
    pytest.importorskip("setuptools", minversion="70.1")
    pytest.importorskip("jinja2", reason='needs: pip install "vgdl[report]"')
    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    (sites,) = home.glob("lib/*/site-packages")
    visible = [entry for entry in sys.path if entry.endswith("site-packages")]
    (sites / "visible.pth").write_text("".join(f"import site; site.addsitedir({entry!r})\n" for entry in visible))
    shutil.copytree(EXAMPLE, tmp_path / "source")
    python = str(home / "bin" / "python")
    install = [python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    environment = {"PYTHONPATH": ":".join(visible), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    subprocess.run([*install, str(tmp_path / "source")], check=True, env=environment, capture_output=True)

    def compete(*words: str) -> str:
        command = [python, "-P", "-m", "vgdl", "compete", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "programs guess a number" in compete("--help")
    words = ("--rounds", "2", "--seed", "1", "--isolation", "rlimits", "--quiet")
    shown = compete("guessing", *words, "--store", "g.db")
    assert "Bisection" in shown
    assert compete("--resume", "g.db", "--isolation", "rlimits", "--quiet") == shown
    assert compete("standings", "g.db", "--csv", "g.csv") == shown
    assert (tmp_path / "g.csv").read_text().startswith("guesser,round,guesses,failure\n")
    compete("report", "g.db", "--out", "site")
    assert "Bisection, round 0: 500" in (tmp_path / "site" / "index.html").read_text()
