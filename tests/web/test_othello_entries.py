"""Othello on a competition site: systems are uploaded, checked, run in isolation, ranked in rounds, and decided."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sites
from othello_site import LAST, OPTIONS, PROGRAMS, decided_and_opened_again, opened, sent, work
from vgdl.competition.submissions.queue import State
from vgdl.competition.tracks.othello.entering import EXAMPLE, OthelloEntering
from vgdl.competition.tracks.othello.games import Fault
from vgdl.competition.tracks.othello.store import TABLES, Analysis, GameRow
from vgdl.competition.typed import WrongType
from vgdl.competition.web import app, arenas, command, competitions, entries, jobs, organising, runs, undoing
from vgdl.competition.web.database import Database, open_database
from vgdl.competition.web.entries import UploadRefused
from vgdl.competition.web.evaluator import can_isolate
from vgdl.competition.web.limits import TooMany
from vgdl.competition.web.run_pages import RunPages
from vgdl.competition.web.worker import Worker

SCRIPT = """
function analyzeStage(stage, initialBoard, validMoves, api) {
  return (board, player, moves) => moves[moves.length - 1];
}
"""
CRASHES = """
class Crashes:
    def analyze_stage(self, stage, initial_board, valid_moves, api, timer):
        raise ValueError("own trace")
"""
ENDS = """
import os

class Ends:
    def analyze_stage(self, stage, initial_board, valid_moves, api, timer):
        os._exit(3)
"""
IMPORTS = """
from helper import last

class Imports:
    def analyze_stage(self, stage, initial_board, valid_moves, api, timer):
        return last
"""
HANGS = """
import time

class Hangs:
    def analyze_stage(self, stage, initial_board, valid_moves, api, timer):
        time.sleep(3600)
"""


NO_SCRIPTS = importlib.util.find_spec("quickjs") is None


def test_a_stranger_uploads_a_system_and_watches_the_games_of_its_first_round(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = RunPages(database)
    monkeypatch.setattr(app, "RunPages", lambda _: pages)
    opened(database)
    someone = sites.visit(database)
    someone.post("/sign-up", name="Ann", password=sites.PASSWORD)
    form = someone.client.get("/competitions/spring/enter").text
    assert f"A zip, or one {PROGRAMS.files} file" in form
    assert f'accept=".zip,{",".join(PROGRAMS.suffixes)}"' in form
    assert "analyze_stage" in form
    page = someone.upload(LAST, "last.py", name="Last One").url.path
    assert page.startswith("/entries/")
    work(database)
    shown = someone.client.get(page).text
    assert "evaluated" in shown
    assert "of 2 games" in shown
    ranking = sites.visit(database).client.get("/competitions/spring").text
    assert "Round 1, 2 games" in ranking
    assert "Last One" in ranking
    assert "first-legal" in ranking
    reader = sites.visit(database)
    (run,) = runs.every(database, competitions.find(database, "spring"))
    assert "pages with the replays are being written" in reader.client.get(f"/runs/{run.id}/").text
    pages.write(run.id)  # a thread of a served site does
    assert f"/runs/{run.id}/report/" in reader.client.get(f"/runs/{run.id}/").text
    assert "Last One" in reader.client.get(f"/runs/{run.id}/report/").text
    game = reader.client.get(f"/runs/{run.id}/report/games/0.js").text
    assert game.startswith("othello.game(0,")
    assert "Last One" in game
    assert reader.client.get(f"/runs/{run.id}/report/../../../entries").status_code == 404
    pages.close()


@pytest.mark.costly
@pytest.mark.skipif(NO_SCRIPTS, reason="the extra javascript is missing")
def test_a_script_in_javascript_is_an_entry(database: Database) -> None:
    competition = opened(database, options=(*OPTIONS, "api-host=referee"))
    ann, bob = sites.user(database), sites.user(database, "Bob")
    entry = sent(database, ann, competition, SCRIPT, "agent.js")
    wrong = sent(database, bob, competition, "function analyse() {}", "agent.js")
    work(database)
    entry, wrong = entries.get(database, entry.id), entries.get(database, wrong.id)
    assert entry.state is State.EVALUATED, entry.message
    assert (entry.location, entry.class_name) == ("agent.js", "analyzeStage")
    assert entry.counted
    assert wrong.state is State.NOT_IMPORTED
    assert "has no function analyzeStage" in wrong.message


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("source", "words"),
    [(CRASHES, "own trace"), (ENDS, "status 3"), (HANGS, "no strategy on 1 of 1 stages")],
    ids=["crashes", "ends", "hangs"],
)
def test_a_system_that_fails_is_told_why_and_does_not_replace_another(
    database: Database, source: str, words: str
) -> None:
    competition, ann = opened(database), sites.user(database)
    good = sent(database, ann, competition, LAST)
    work(database)
    bad = sent(database, ann, competition, source)
    work(database)
    bad = entries.get(database, bad.id)
    assert bad.state is State.DISQUALIFIED
    assert words in bad.message
    assert not bad.counted
    assert entries.get(database, good.id).counted
    assert len(runs.every(database, competition)) == 1  # the ranked entries are the same: no other round


@pytest.mark.costly
@pytest.mark.skipif(can_isolate("auto").is_weak, reason="files cannot be hidden here")
def test_a_system_sees_neither_the_database_nor_the_files_of_others(database: Database) -> None:
    options = ("stages=generated:1", "analysis=20s", "game=300ms")  # the installed package may lie under /tmp, too
    competition, ann = opened(database, options=options), sites.user(database)
    bob = sites.user(database, "Bob")
    helper = "SECRET = 1\n\n\ndef last(board, player, moves):\n    return moves[-1]\n"
    data = _zip({"agent.py": IMPORTS, "helper.py": helper})
    other = entries.upload(database, bob, competition, "Bobs", entries.checked("agent.zip", data, PROGRAMS))
    (file, *_) = database.files
    spy = f"""
import glob, pathlib

class Spy:
    def analyze_stage(self, stage, initial_board, valid_moves, api, timer):
        files = [path for path in pathlib.Path("/tmp").rglob("helper.py") if path.is_file()]
        found = [str(path) for path in files if "SECR" "ET = 1" in path.read_text()]
        found += [name for name in glob.glob({str(file)!r} + "*")]
        raise ValueError(f"found {{found}}")
"""
    entry = sent(database, ann, competition, spy)
    Worker(database, "auto", 1).run(wait=False)
    entry = entries.get(database, entry.id)
    assert "ValueError: found []" in entry.message, entry.message
    other = entries.get(database, other.id)
    assert other.state is State.EVALUATED, other.message


@pytest.mark.costly
def test_only_owners_see_tracebacks(database: Database) -> None:
    competition, ann = opened(database), sites.user(database)
    sent(database, ann, competition, CRASHES)
    work(database)
    (run,) = runs.every(database, competition)
    with runs.public_store(database, run, None) as store:
        assert "own trace" not in "".join(store.connection.iterdump())
    assert "own trace" not in json.dumps(runs.facts(database, run))
    assert "own trace" in sites.visit(database).sign_in("Ann").client.get("/entries/2").text
    assert "own trace" not in sites.visit(database).client.get("/entries/2").text.partition("Ranked entries")[0]


@pytest.mark.costly
def test_a_zip_bomb_is_refused_and_so_is_an_archive_without_a_system(database: Database) -> None:
    competition, ann = opened(database), sites.user(database)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("agent.js", os.urandom(1 << 20).hex())
    with pytest.raises(UploadRefused, match=r"agent.js has 2.0 MiB when unpacked; 1 are allowed for a program"):
        entries.checked("agent.zip", packed.getvalue(), PROGRAMS)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("agent.js", SCRIPT)
        archive.writestr("data", b"\0" * (20 << 20))
    with pytest.raises(UploadRefused, match="as a zip bomb does"):
        entries.checked("agent.zip", bomb.getvalue(), PROGRAMS)
    with pytest.raises(UploadRefused, match=r"there is no class in agent.py: a system is a class with analyze_stage"):
        entries.checked("agent.py", b"x = 1\n", PROGRAMS)
    with pytest.raises(UploadRefused, match=r"send a zip, or one file that ends in .py"):
        entries.checked("agent.txt", b"x = 1\n", PROGRAMS)
    with pytest.raises(UploadRefused, match="there is no Python file at the top"):
        entries.checked("agent.zip", _zip({"agent.js": SCRIPT}))
    empty = sent(database, ann, competition, "class Nothing:\n    pass\n")
    work(database)
    empty = entries.get(database, empty.id)
    assert empty.state is State.NOT_IMPORTED
    assert "there is no system in agent.py: a class with analyze_stage" in empty.message


@pytest.mark.costly
def test_an_evaluation_is_run_again_and_that_is_undone(database: Database) -> None:
    competition, ann = opened(database), sites.user(database)
    entry = sent(database, ann, competition, LAST)
    work(database)

    def evaluation() -> runs.Run:
        (found,) = (run for run in runs.of_entry(database, entry) if run.phase == jobs.EVALUATION)
        return found

    first = evaluation()
    organising.rerun(database, "Olga", entries.get(database, entry.id))
    assert runs.get(database, first.id) is None
    work(database)
    second = evaluation()
    assert second.id > first.id
    assert entries.get(database, entry.id).state is State.EVALUATED
    (known,) = undoing.possible(database)
    undoing.undo(database, "Olga", known["id"])
    assert evaluation() == first
    assert runs.get(database, second.id) is None


def test_an_organiser_creates_a_competition_from_the_command_line(
    database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    site = ["--store", str(database.files[0]), "create", "cup", "--title", "Cup", "--track", "othello"]
    assert command.main([*site, "--final-option", "stages=generated:2", "--per-day", "2"]) == 0
    made = competitions.find(database, "cup")
    assert made.settings.options == OthelloEntering.options
    assert made.settings.baselines == OthelloEntering.baselines
    assert (made.settings.final_options, made.settings.per_day) == (("stages=generated:2",), 2)
    site[site.index("cup")] = "other"
    with pytest.raises(SystemExit):
        command.main([*site, "--option", "stages=nowhere"])
    assert "there are no stages 'nowhere'" in capsys.readouterr().err


def test_quotas_and_names_are_those_of_all_competitions(database: Database) -> None:
    competition, ann = opened(database, per_day=1), sites.user(database)
    data = entries.checked("agent.py", LAST.encode(), PROGRAMS)
    for name in ("first-legal", "greedy", "G R E E D Y"):  # the track knows its own systems by their names
        with pytest.raises(UploadRefused, match="choose another name"):
            entries.upload(database, ann, competition, name, data)
    entries.upload(database, ann, competition, "Mine", data)
    with pytest.raises(TooMany):
        entries.upload(database, ann, competition, "Mine", data)


@pytest.mark.costly
def test_an_evaluation_that_was_cut_short_goes_on_with_the_next_game(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    competition, ann = opened(database), sites.user(database)
    entry = sent(database, ann, competition, LAST)
    saved = runs.save
    kept: list[str] = []

    def save_then_lose(
        database: Database, job: jobs.Job, worker: str, run: runs.Run, result: object, total: int
    ) -> None:
        if len(kept) == 3:  # two analyses and a game
            database.run("UPDATE jobs SET worker = 'another' WHERE id = ?", job.id)
        saved(database, job, worker, run, result, total)  # type: ignore[arg-type]
        kept.append(result.label)  # type: ignore[attr-defined]

    monkeypatch.setattr(runs, "save", save_then_lose)
    work(database)
    assert len(kept) == 3
    assert entries.get(database, entry.id).state is State.TAKEN
    (row,) = database.rows("SELECT done, total FROM runs")
    assert (row["done"], row["total"]) == (1, 2)
    monkeypatch.setattr(runs, "save", saved)
    database.run("UPDATE jobs SET lease = 0 WHERE state = 'taken'")
    work(database)
    assert entries.get(database, entry.id).state is State.EVALUATED
    evaluation = database.row("SELECT id, done FROM runs WHERE phase = 'evaluation'")
    assert evaluation is not None
    assert evaluation["done"] == 2
    rows = database.rows("SELECT kind FROM run_rows WHERE run_id = ? ORDER BY id", evaluation["id"])
    assert [row["kind"] for row in rows].count("othello_games") == 2
    assert [row["kind"] for row in rows].count("othello_analyses") == 2


@pytest.mark.costly
def test_a_killed_worker_loses_no_result(database: Database) -> None:
    competition = opened(database, options=("stages=generated:2", "analysis=300ms", "game=300ms", "repeats=2"))
    entry = sent(database, sites.user(database), competition, EXAMPLE)
    (file, *_) = database.files
    command = [
        sys.executable,
        "-P",
        "-m",
        "vgdl.competition.cli",
        "worker",
        "--store",
        str(file),
        "--isolation",
        "rlimits",
    ]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL) as process:
        while not (before := _games(file)):
            assert process.poll() is None
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
    before = _games(file)
    database.run("UPDATE jobs SET lease = 0 WHERE state = 'taken'")
    work(database)
    assert entries.get(database, entry.id).state is State.EVALUATED
    after = _games(file)
    assert after[: len(before)] == before
    evaluation = [facts for run, facts in after if run == before[0][0]]
    assert len(evaluation) == len(set(evaluation)) == 8


def _games(file: Path) -> list[tuple[int, bytes]]:
    with open_database(str(file)) as database:
        rows = database.rows("SELECT run_id, facts FROM run_rows WHERE kind = 'othello_games' ORDER BY id")
        return [(row["run_id"], bytes(row["facts"])) for row in rows]


@pytest.mark.costly
def test_a_competition_is_decided_by_a_run_of_its_own_and_can_be_opened_again(database: Database) -> None:
    decided_and_opened_again(database)


@pytest.mark.costly
def test_a_round_follows_when_the_ranked_entries_change(database: Database) -> None:
    competition, ann, bob = opened(database), sites.user(database), sites.user(database, "Bob")
    first = sent(database, ann, competition, LAST)
    second = sent(database, bob, competition, EXAMPLE)
    work(database)
    latest = runs.ranking(database, competition)
    assert latest is not None
    assert {first.id, second.id} < set(latest.entrants)
    entries.delete(database, bob, entries.get(database, second.id))
    assert runs.queue_round(database, competition)
    assert not runs.queue_round(database, competition)  # one is queued
    work(database)
    newest = runs.ranking(database, competition)
    assert newest is not None
    assert newest.id > latest.id
    assert second.id not in newest.entrants
    organising.disqualify(database, "Olga", entries.get(database, first.id), "copied")
    assert not runs.queue_round(database, competition)  # nobody is left to rank


@pytest.mark.costly
def test_an_entry_that_is_deleted_while_a_round_waits_ends_the_round(database: Database) -> None:
    competition, ann, bob = opened(database), sites.user(database), sites.user(database, "Bob")
    sent(database, ann, competition, LAST)
    second = sent(database, bob, competition, EXAMPLE)
    work(database)
    baseline = next(one for one in entries.of_competition(database, competition) if one.is_baseline)
    with database.transaction() as transaction:
        jobs.queue(transaction, competition.id, baseline.id, 0, jobs.ROUND, [jobs.run_of(baseline.id)], database.now())
    job = jobs.take(database, "gone")
    assert job is not None
    assert second.id in runs.begun(database, job).entrants
    entries.delete(database, bob, entries.get(database, second.id))
    database.run("UPDATE jobs SET lease = 0 WHERE state = 'taken'")
    work(database)
    assert not database.rows("SELECT id FROM runs WHERE job_id = ?", job.id)
    runs.queue_round(database, competition)  # unless the worker's upkeep, which is due by the clock, has done so
    work(database)
    newest = runs.ranking(database, competition)
    assert newest is not None
    assert newest.job_id != job.id
    assert second.id not in newest.entrants


@pytest.mark.costly
def test_evaluations_of_entries_that_are_not_ranked_are_their_owners(database: Database) -> None:
    competition, ann = opened(database), sites.user(database)
    entry = sent(database, ann, competition, LAST)
    work(database)
    evaluation = runs.of_entry(database, entry)[-1]
    assert evaluation.phase == jobs.EVALUATION
    sites.user(database, "Bob")
    reader = sites.visit(database).sign_in("Bob").client
    assert reader.get(f"/runs/{evaluation.id}/").status_code == 200
    database.run("UPDATE entries SET counted = 0 WHERE id = ?", entry.id)
    assert reader.get(f"/runs/{evaluation.id}/").status_code == 404
    assert reader.get(f"/runs/{evaluation.id}/report/").status_code == 404
    assert sites.visit(database).sign_in("Ann").client.get(f"/runs/{evaluation.id}/").status_code == 200


def test_organisers_create_othello_competitions_on_the_page_and_are_told_what_is_wrong(database: Database) -> None:
    sites.user(database, "Olga", "organiser")
    olga = sites.visit(database).sign_in("Olga")
    assert "New competition of the track othello" in olga.client.get("/organise").text
    form = {
        "track": "othello", "title": "Cup", "slug": "cup", "options": "stages=generated:1\nanalysis=1s",
        "final_options": "", "baselines": "first-legal, greedy", "per_day": "3", "team_size": "2", "storage_mb": "10",
    }  # fmt: skip
    wrong = olga.post("/organise", on="/organise", **(form | {"options": "stage=generated:1"}))
    assert wrong.status_code == 400
    assert "there is no option &#39;stage&#39;" in wrong.text
    assert "stages" in wrong.text
    assert olga.post("/organise", on="/organise", **form).url.path == "/organise/cup"
    made = competitions.find(database, "cup")
    assert made.settings.options == ("stages=generated:1", "analysis=1s")
    assert made.settings.team_size == 2
    changed = olga.post("/organise/cup/settings", on="/organise/cup/settings", **(form | {"per_day": "7"}))
    assert changed.url.path == "/organise/cup"
    assert competitions.find(database, "cup").settings.per_day == 7
    organising.open_competition(database, "Olga", competitions.find(database, "cup"))
    refused = olga.post("/organise/cup/settings", on="/organise/cup/settings", **(form | {"options": "analysis=2s"}))
    assert "its options decided what plays mean" in refused.text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"options": ("seed=1",)}, "the option seed is set by the site|there is no option"),
        ({"options": ("systems=random",)}, "the option systems is set by the site"),
        ({"options": ("analysis=soon",)}, "is not a time"),
        ({"options": ("logs=/tmp",)}, "there is no option 'logs'"),
        ({"options": ("keep-memory=yes",)}, "keep-memory takes no value"),
        ({"options": ("analysis",)}, "analysis needs a value"),
        ({"baselines": ()}, "at least one bundled system"),
        ({"baselines": ("nobody",)}, "no system is called 'nobody'"),
        ({"track": "gamebot"}, "takes no entries on a site; those that do: planning, othello"),
        ({"final_options": ("stages=nowhere",)}, "there are no stages 'nowhere'"),
    ],
)
def test_settings_that_cannot_be_played_are_refused(database: Database, changes: dict[str, object], words: str) -> None:
    with pytest.raises(Exception, match=words):
        opened(database, **changes)


@pytest.mark.costly
def test_programs_read_the_ranking_and_which_track_it_is(database: Database) -> None:
    competition = opened(database)
    client = sites.visit(database).client
    assert client.get("/api/competitions").json()[0]["track"] == "othello"
    assert client.get("/api/competitions/spring/ranking").json() == {"run": None, "final": False, "ranking": []}
    sent(database, sites.user(database), competition, LAST)
    work(database)
    ranking = client.get("/api/competitions/spring/ranking").json()
    assert {row["system"] for row in ranking["ranking"]} == {"Anns", "first-legal"}
    assert {type(row["P"]) for row in ranking["ranking"]} == {float}


def test_the_page_of_a_track_lists_its_competitions(database: Database) -> None:
    sites.opened(database, "planned")
    opened(database)
    page = sites.visit(database).client.get("/tracks/othello").text
    assert 'href="/competitions/spring"' in page
    assert 'href="/competitions/planned"' not in page


def test_the_tracks_that_take_entries_are_found_by_what_they_say() -> None:
    assert "othello" in arenas.enterable()
    assert set(PROGRAMS.suffixes) <= set(arenas.any_programs().suffixes)
    assert arenas.programs("planning").suffixes == (".py",)


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        (Analysis(0, 1, "a\x1bb", 2.5, "", "", {"depth": [1, 2]}, {"level": "rlimits"}), {"used_ms": "soon"}),
        (GameRow(1, 2, 0, 0, "a", "b", 0, 9, 7, None, "", 1.0, 2.0, (Fault(1, 3, "late", ""),), 1.0, 0.0, 8, 8, {"x": [1]}),
         {"faults": [{"player": 1}]}),
    ],
)  # fmt: skip
def test_rows_are_kept_as_plain_facts_and_checked_when_they_are_read(row: Any, wrong: dict[str, Any]) -> None:
    table = next(table for table in TABLES if table.row is type(row))
    facts = json.loads(json.dumps(table.facts(row)))
    found = table.of_facts(facts)
    assert replace(found, **({"system": row.system} if "system" in facts else {})) == row
    assert "\x1b" not in getattr(found, "system", "")
    with pytest.raises(WrongType):
        table.of_facts(facts | wrong)


def _zip(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()
