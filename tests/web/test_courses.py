"""A course: its members sign up by one link or from a list, also behind one router."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import sites
from vgdl.competition import cli
from vgdl.competition.web import accounts, courses, limits
from vgdl.competition.web.database import Database


def test_members_of_a_course_sign_up_by_one_link_without_the_limit_of_their_address(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SIGN_UP", limits.Limit("1 new account", 1, 3600))
    sites.user(database, "Olga", accounts.ORGANISER)
    answer = (
        sites.visit(database)
        .sign_in("Olga")
        .post("/organise/course", "/organise", action="link", words="AI 2027", people="3")
    )
    link = "/join/" + answer.text.partition("/join/")[2].partition("<")[0]
    for number in range(3):
        someone = sites.visit(database)
        assert "Sign up for AI 2027" in someone.client.get(link).text
        assert someone.post(link, name="Olga", password=sites.PASSWORD).status_code == 400  # it takes no place
        assert someone.post(link, name=f"Member {number}a", password=sites.PASSWORD).url.path == "/"
        assert f"Member {number}a" in someone.client.get("/account").text
    assert sites.visit(database).client.get(link).status_code == 404
    for name, status in (("Somebody", 200), ("Another", 429)):
        assert sites.visit(database).post("/sign-up", name=name, password=sites.PASSWORD).status_code == status


def test_the_places_of_a_course_hold_if_all_come_at_once(database: Database) -> None:
    sites.race_for_a_course(database)


def test_a_list_of_names_makes_accounts_with_a_link_for_each(database: Database) -> None:
    sites.user(database, "Olga", accounts.ORGANISER)
    olga = sites.visit(database).sign_in("Olga")
    names = "name,email\nAda,ada@example.org\nGrace\n\n"
    rows = list(csv.reader(io.StringIO(olga.post("/organise/course", "/organise", action="names", names=names).text)))
    assert [row[0] for row in rows] == ["name", "Ada", "Grace"]
    link = "/link/" + rows[1][1].partition("/link/")[2]
    assert sites.visit(database).post("/sign-in", name="Ada", password="").status_code == 400
    assert sites.visit(database).post(link, password=sites.PASSWORD).url.path == "/"
    assert sites.visit(database).sign_in("Ada").client.get("/account").status_code == 200
    assert accounts.find_user(database, "Ada").email == "ada@example.org"


@pytest.mark.parametrize(
    ("names", "words"),
    [("Ada\nBob\nAda", "row 3: the name Ada is taken"), ("Ada\nBob,nowhere", "row 2: this is not an e-mail"), ("", "has 0 names")],
)  # fmt: skip
def test_a_list_with_a_fault_creates_no_account(database: Database, names: str, words: str) -> None:
    with pytest.raises(accounts.AccountError, match=words):
        courses.add_people(database, "tests", names)
    assert accounts.users(database) == []


def test_commands_invite_courses(database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = tmp_path / "names.csv"
    names.write_text("Ada\n")
    assert cli.main(["site", "--store", database.address, "add-users", str(names)]) == 0
    assert capsys.readouterr().out.startswith("name,link\r\nAda,/link/")
    assert cli.main(["site", "--store", database.address, "course-link", "AI", "20"]) == 0
    assert "/join/" in capsys.readouterr().out
