"""What organisers see of entries: zips, sources with line numbers, and pairs that share code."""

from __future__ import annotations

import io
import zipfile

import pytest

import sites
from vgdl.competition.web import accounts, competitions, copies, entries, organising
from vgdl.competition.web.database import Database

PROGRAM = """
def best(state, depth):
    if depth == 0 or state.is_over:
        return state.score
    values = []
    for action in state.available_actions:
        future = state.copy()
        future.advance(action)
        values.append(best(future, depth - 1) + 0.5 * len(values))
    return max(values)
"""
RENAMED = "# all mine\n" + PROGRAM.replace("best", "search").replace("future", "later").replace("0.5", "0.75")
OTHER = """
class Table:
    def __init__(self, names):
        self.names = {name: at for at, name in enumerate(names)}
    def find(self, name):
        try:
            return self.names[name]
        except KeyError:
            raise LookupError(name) from None
    def __len__(self):
        return len(self.names)
"""


def test_renaming_hides_no_copy_and_other_programs_share_nothing() -> None:
    known = {1: copies.fingerprints(PROGRAM), 2: copies.fingerprints(RENAMED), 3: copies.fingerprints(OTHER)}
    (pair,) = copies.pairs(known)
    assert (pair.first, pair.second, pair.share) == (1, 2, 1.0)


def test_what_most_entries_share_is_a_template() -> None:
    known = {number: copies.fingerprints(PROGRAM) for number in range(6)}
    assert copies.pairs(known) == []


@pytest.mark.parametrize("text", ["", "x", "'" * 100_000, '"""' * 50_000, "{1}" * 100_000, "\0" * 1000])
def test_any_text_has_fingerprints(text: str) -> None:
    assert len(copies.fingerprints(text)) <= len(text)


def test_organisers_download_entries_see_their_source_and_find_copies(database: Database) -> None:
    sites.user(database, "Olga", accounts.ORGANISER)
    competition = sites.opened(database)
    owners = [sites.user(database, name) for name in ("Ann", "Bob", "Cid")]
    texts = (sites.RIGHT + PROGRAM, sites.RIGHT + RENAMED, OTHER + sites.RAISES)
    sent = [
        sites.sent(database, owner, competition, text, owner.name) for owner, text in zip(owners, texts, strict=True)
    ]
    database.run("UPDATE entries SET state = 'evaluated'")
    copies.refresh(database)
    olga, ann = sites.visit(database).sign_in("Olga").client, sites.visit(database).sign_in("Ann").client
    page = olga.get("/organise/spring/copies").text
    assert page.count('scope="row"') == 1
    assert "Cid" not in page
    source = olga.get(f"/organise/entries/{sent[0].id}/source").text
    assert '<th scope="row">2</th><td><code>from vgdl.controllers import Controller</code>' in source
    with zipfile.ZipFile(io.BytesIO(olga.get("/organise/spring/entries.zip").content)) as made:
        assert len(made.namelist()) == 4
        assert made.read(f"entry-{sent[1].id}-Bob.zip") == entries.zip_of(database, sent[1])
    for path in (f"/organise/entries/{sent[0].id}/source", "/organise/spring/copies", "/organise/spring/entries.zip"):
        assert ann.get(path).status_code == 404
    assert olga.get(f"/entries/{sent[1].id}/archive").content == entries.zip_of(database, sent[1])
    assert ann.get(f"/entries/{sent[1].id}/archive").status_code == 404
    assert "download" in [line["action"] for line in competitions.audit(database)]


@pytest.mark.costly
def test_the_archive_of_the_winners_has_them_in_order(database: Database) -> None:
    sites.user(database, "Olga", accounts.ORGANISER)
    competition = sites.opened(database)
    ann, bob = sites.user(database), sites.user(database, "Bob")
    worse = sites.sent(database, ann, competition, sites.RAISES, "Raises")
    better = sites.sent(database, bob, competition, name="Right")
    sites.work(database)
    file = io.BytesIO()
    organising.write_archives(database, "Olga", competition, file, winners=True)
    with zipfile.ZipFile(file) as made:
        assert made.namelist() == [f"01-entry-{better.id}-Bob.zip", f"02-entry-{worse.id}-Ann.zip", "entries.csv"]
