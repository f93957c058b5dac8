"""Names of accounts and entries: invisible ones, and ones that look like those of others."""

from __future__ import annotations

import pytest

import sites
from vgdl.competition.web import accounts, entries, names
from vgdl.competition.web.accounts import AccountError
from vgdl.competition.web.database import Database
from vgdl.competition.web.entries import UploadRefused


@pytest.mark.parametrize(
    "name", ["\u3164\u3164", "A\u200bnn", "\u2800\u2800", "A\u0300\u0301\u0302\u0303", "--", "A\ufe0fn", "\u115f\u1160"]
)
def test_names_that_cannot_be_read_are_refused(database: Database, name: str) -> None:
    assert not names.is_readable(name)
    with pytest.raises(AccountError):
        accounts.sign_up(database, name, sites.PASSWORD)


@pytest.mark.parametrize("name", ["Zoë", "李小龙", "Алёна", "Müller & Co", "Team 7", "नमस्ते"])
def test_names_of_all_languages_are_welcome(database: Database, name: str) -> None:
    assert accounts.sign_up(database, name, sites.PASSWORD).name == name


@pytest.mark.parametrize("name", ["Оlga", "ОLGА", "0lga", "O l g a", "OIga", "Ólga"])
def test_an_account_is_not_called_like_another_one(database: Database, name: str) -> None:
    sites.user(database, "Olga")
    with pytest.raises(AccountError, match="is taken"):
        accounts.sign_up(database, name, sites.PASSWORD)


@pytest.mark.parametrize("name", ["RANDOM", "Rаndom", "R a n d o m", "Ｒandom"])
def test_an_entry_is_not_called_like_a_baseline(database: Database, name: str) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    with pytest.raises(UploadRefused, match="looks like it"):
        sites.sent(database, ann, competition, name=name)


def test_the_entries_of_a_user_may_share_a_name(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    for _ in range(2):
        assert sites.sent(database, ann, competition, name="Mine").name == "Mine"
    assert len(entries.history(database, ann)) == 2
