"""The same site on PostgreSQL: a real server is started for these tests where the package is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import generated
import groups
import sites
from othello_site import decided_and_opened_again
from vgdl.competition.web import competitions, copies, entries, jobs, limits, organising, rankings, undoing, upkeep
from vgdl.competition.web.database import Database, DatabaseError, open_database

pytest.importorskip("psycopg")


def _programs() -> Path | None:
    """Where initdb and pg_ctl are; Debian keeps them out of the path."""
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "pg_ctl").exists()), None)


PROGRAMS = _programs()
pytestmark = pytest.mark.skipif(PROGRAMS is None, reason="needs a PostgreSQL server (apt install postgresql)")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of a new server for the tests of this module."""
    assert PROGRAMS is not None
    folder = Path(tempfile.mkdtemp(prefix="vgdl-pg-"))  # its path must be short, and open to the user below
    as_user: list[str] = []
    if os.getuid() == 0:  # PostgreSQL refuses to run as root
        as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        shutil.chown(folder, "nobody", "nogroup")
    data, sockets = folder / "data", folder

    def run(program: str, *arguments: str) -> None:
        subprocess.run([*as_user, str(PROGRAMS / program), *arguments], check=True, capture_output=True, cwd=folder)

    run("initdb", "-D", str(data), "-U", "site", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
    options = f"-c listen_addresses='' -c unix_socket_directories={sockets} -c fsync=off"
    subprocess.run(
        [*as_user, str(PROGRAMS / "pg_ctl"), "-D", str(data), "-w", "-t", "120", "-l", str(folder / "log"), "-o", options, "start"],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
    )  # fmt: skip
    yield f"postgresql://site@/postgres?host={sockets}"
    run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(server: str) -> Iterator[Database]:
    """A new site on it."""
    with open_database(server, create=True) as opened:
        yield opened
        tables = [
            row["tablename"] for row in opened.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        ]
        opened.run(f"DROP TABLE {', '.join(tables)} CASCADE")


@pytest.mark.costly
def test_a_competition_from_the_upload_to_the_decision(postgres: Database) -> None:
    competition, ann = sites.opened(postgres), sites.user(postgres)
    someone = sites.visit(postgres).sign_in("Ann")
    page = someone.upload(sites.RIGHT, "right.py").url.path
    sites.work(postgres)
    assert "won 1 of 1 plays" in someone.client.get(page).text
    assert "event: state" in someone.client.get(f"{page}/events").text
    for path in (
        "/",
        "/queue",
        "/account",
        "/competitions/spring",
        "/competitions/spring/games/toy",
        "/plays/1/",
        "/plays/1/replays/1.js",
    ):
        assert someone.client.get(path).status_code == 200, path
    assert organising.export(postgres, "tests", competition)["plays"]
    organising.close_competition(postgres, "tests", competition)
    for _ in range(2):
        sites.work(postgres)
        upkeep.settle_all(postgres)
    decided = competitions.find(postgres, "spring")
    assert decided.state is competitions.State.DECIDED
    assert rankings.board(postgres, decided, "toy").lines[0].entry.name == "Mine"
    entry = entries.history(postgres, ann)[0]
    assert entries.delete(postgres, ann, entry) > 0


def test_workers_on_many_machines_never_take_the_same_job(postgres: Database, server: str) -> None:
    competition, ann = sites.opened(postgres, per_day=100), sites.user(postgres)
    for number in range(40):
        sites.sent(postgres, ann, competition, name=f"E{number}")
    taken: list[int] = []

    def take_all(name: str) -> None:
        with open_database(server) as own:
            while (job := jobs.take(own, name)) is not None:
                taken.append(job.id)

    threads = [threading.Thread(target=take_all, args=(f"w{at}",)) for at in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == len(set(taken)) == 41


def test_upkeep_and_limits_work_there_too(postgres: Database) -> None:
    competition, ann = sites.opened(postgres), sites.user(postgres)
    entry = sites.sent(postgres, ann, competition)
    for _ in range(2):
        upkeep.tick(postgres)
    postgres.run("UPDATE events SET at = at - 540")
    upkeep.break_silence(postgres)
    assert "still waiting" in entries.events(postgres, entry)[-1]["words"]
    for duty in (upkeep.keep_active, upkeep.refit_ladders, limits.forget_old):
        duty(postgres)
    limit = limits.Limit("1 in 10 seconds", 1, 10.0)
    limits.spend(postgres, limit, "a")
    with pytest.raises(limits.TooMany):
        limits.spend(postgres, limit, "a")


def test_an_address_that_leads_nowhere_is_an_error_without_its_password() -> None:
    with pytest.raises(DatabaseError) as error:
        open_database("postgresql://site:secret-word@127.0.0.1:1/none")
    assert "secret-word" not in str(error.value)


def test_quotas_and_unique_names_hold_if_everything_comes_at_once(postgres: Database) -> None:
    sites.race_for_quotas_and_names(postgres)


def test_the_places_of_a_course_hold_if_all_come_at_once(postgres: Database) -> None:
    sites.race_for_a_course(postgres)


def test_opening_a_decided_competition_again_can_be_undone(postgres: Database) -> None:
    sites.undone_opening(postgres)


def test_copied_code_and_the_queue_work_there_too(postgres: Database) -> None:
    competition = sites.opened(postgres)
    for name in ("Ann", "Bob"):
        sites.sent(postgres, sites.user(postgres, name), competition, sites.RAISES + sites.RIGHT, name)
    postgres.run("UPDATE entries SET state = 'evaluated'")
    copies.refresh(postgres)
    assert len(copies.of_competition(postgres, competition.id)) == 1
    undoing.purge(postgres)
    assert rankings.refresh(postgres, at_once=True) == 1


@pytest.mark.parametrize("check", [groups.shared_entries, groups.full_team, groups.extension, groups.assistant])
def test_teams_assistants_and_extensions_work_there_too(postgres: Database, check: Callable[[Database], None]) -> None:
    check(postgres)


def test_votes_of_people_are_unique_there_too(postgres: Database) -> None:
    generated.race_for_votes(postgres)


@pytest.mark.costly
def test_competitions_of_other_tracks_work_there_too(postgres: Database) -> None:
    decided_and_opened_again(postgres)
