"""People play two generated levels and say which is better: the pages, the play that the site counts, and the votes."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

import generated
import sites
from generated import SIDES
from sites import Visit
from vgdl.competition.tracks.generation import ballots
from vgdl.competition.tracks.generation.plan import Kind
from vgdl.competition.tracks.generation.votes import PLAYED_S, Answer, VoteInvalid, read, strengths_table
from vgdl.competition.web.accounts import User
from vgdl.competition.web.database import Database
from vgdl.competition.web.pages import playing

VOTE = "/tracks/generate/vote/made"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A store with two levels of each of three generators."""
    return generated.store(tmp_path / "made.db", [generated.row(side.generator, side.number) for side in SIDES])


@pytest.fixture(autouse=True)
def quick_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause between two ticks."""
    monkeypatch.setattr(playing, "TICK_S", 0.0)


def voter(database: Database, made: Path, name: str = "Ann") -> Visit:
    sites.user(database, name)
    return sites.visit(database, boards=[made]).sign_in(name)


def addresses(page: str) -> dict[str, str]:
    """The sockets of both sides."""
    return {side: address for address, side in re.findall(r'data-socket="(\S+/(left|right)/\d+/socket)"', page)}


def play(database: Database, client: Any, address: str) -> list[float]:
    """Do nothing until the game is over; returns the seconds that the site told. At most a minute is counted."""
    generated.later(database)  # ticks take no time here
    told: list[float] = []
    with client.websocket_connect(address) as socket:
        socket.send_json({"start": True})
        while "over" not in (news := socket.receive_json()):
            assert "problem" not in news, news
            told += [news["played"]] if "played" in news else []
    return told


def answered(someone: Visit, answer: str = "left", **fields: str) -> Any:
    page = someone.client.get(VOTE).text
    number = re.search(r'name="ballot" value="(\d+)"', page)
    assert number
    return someone.post(VOTE, ballot=number[1], answer=answer, **fields)


def test_a_person_plays_both_sides_and_votes(database: Database, tmp_path: Path) -> None:
    game = generated.GAME.replace("limit=260", "limit=130")
    texts = {"game": game, "levels": [generated.LEVELS[0]], "extra": {}, "wins": [None]}
    made = generated.store(tmp_path / "made.db", [generated.row(name, texts=texts) for name in "ab"])
    someone = voter(database, made)
    page = someone.client.get(VOTE).text
    assert 'id="answers" disabled' in page
    both = addresses(page)
    assert set(both) == {"left", "right"}
    for address in both.values():
        assert play(database, someone.client, address) == [1, 2, 3, 4, 5]
        assert 'id="answers" disabled' in someone.client.get(VOTE).text
        assert play(database, someone.client, address)[-1] > PLAYED_S
    assert 'id="answers" disabled' not in someone.client.get(VOTE).text
    done = answered(someone, "left", consent="on")
    assert (done.status_code, done.url.path) == (200, VOTE)
    assert "Thank you. Left was made by" in done.text
    assert "1 vote so far" in done.text
    results = sites.visit(database, boards=[made]).client.get(f"{VOTE}/strengths").text
    assert "Preferred by people" in results
    assert "100" in results


def test_generators_are_not_told_before_the_vote(database: Database, tmp_path: Path) -> None:
    rows = [generated.row(name) for name in ("first_generator", "other_generator")]
    made = generated.store(tmp_path / "made.db", rows)
    page = voter(database, made).client.get(VOTE).text
    assert "first_generator" not in page
    assert "other_generator" not in page


@pytest.mark.costly
def test_the_server_counts_the_seconds(database: Database, made: Path) -> None:
    someone = voter(database, made)
    both = addresses(someone.client.get(VOTE).text)
    refused = answered(someone, left_s="99", right_s="99")
    assert refused.status_code == 400
    assert "play both sides for at least 10 s" in refused.text
    assert play(database, someone.client, both["left"]) == list(range(1, 11))
    with someone.client.websocket_connect(both["right"]) as socket:
        socket.send_json({"start": True})
        while "over" not in socket.receive_json():
            pass
    refused = answered(someone)
    assert refused.status_code == 400, "another 10 s of play in no time: in a second window"
    assert "play both sides" in refused.text
    play(database, someone.client, both["right"])
    assert answered(someone).status_code == 200


def test_a_pair_is_voted_on_once(database: Database, made: Path) -> None:
    someone = voter(database, made)
    page = someone.client.get(VOTE).text
    for address in addresses(page).values():
        play(database, someone.client, address)
    number = re.findall(r'name="ballot" value="(\d+)"', page)[0]
    assert someone.post(VOTE, ballot=number, answer="both").status_code == 200
    again = someone.post(VOTE, ballot=number, answer="left")
    assert again.status_code == 400
    assert "you have voted on this pair today" in again.text
    row = database.row("SELECT answer FROM ballots WHERE id = ?", int(number))
    assert row == {"answer": "both"}


@pytest.mark.costly
def test_the_ballot_of_another_user_is_none_of_ones_own(database: Database, made: Path) -> None:
    ann, bob = voter(database, made), voter(database, made, "Bob")
    page = ann.client.get(VOTE).text
    address = addresses(page)["left"]
    number = re.findall(r'name="ballot" value="(\d+)"', page)[0]
    bob.client.get(VOTE)
    refused = bob.post(VOTE, ballot=number, answer="left")
    assert refused.status_code == 400
    assert "no longer yours" in refused.text
    for client in (bob.client, sites.visit(database, boards=[made]).client):
        with client.websocket_connect(address) as socket:
            assert "there is no such pair" in socket.receive_json()["problem"]
    assert bob.client.get(address.replace("socket", "start.png")).status_code == 404
    assert ann.client.get(address.replace("socket", "start.png")).content.startswith(b"\x89PNG")


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("place", "status"),
    [("made/0/left/0", 404), ("made/1/up/0", 404), ("made/1/left/7", 404), ("nothing/1/left/0", 404)],
)
def test_what_is_not_there_is_not_found(database: Database, made: Path, place: str, status: int) -> None:
    someone = voter(database, made)
    someone.client.get(VOTE)
    assert someone.client.get(f"/tracks/generate/vote/{place}/start.png").status_code == status
    with someone.client.websocket_connect(f"/tracks/generate/vote/{place}/socket") as socket:
        socket.send_json({"start": True})
        assert "there is no" in socket.receive_json()["problem"]
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()


@pytest.mark.costly
def test_only_users_vote_and_forms_of_other_sites_do_not_count(database: Database, made: Path) -> None:
    visitor = sites.visit(database, boards=[made])
    assert visitor.client.get(VOTE).url.path == "/sign-in"
    assert visitor.client.post(VOTE, data={"ballot": "1", "answer": "left"}, follow_redirects=False).status_code == 303
    someone = voter(database, made)
    someone.client.get(VOTE)
    assert someone.client.post(VOTE, data={"ballot": "1", "answer": "left"}).status_code == 403
    for answer in ("", "LEFT", "left;"):
        assert someone.post(VOTE, ballot="1", answer=answer).status_code == 400


def test_boards_that_cannot_be_voted_on(database: Database, tmp_path: Path) -> None:
    lost = generated.row("b", verified=False)
    refused = generated.row("c", cause="refused", verified=False, texts={})
    made = generated.store(tmp_path / "made.db", [generated.row("a"), lost, refused])
    someone = voter(database, made)
    overview = someone.client.get("/tracks/generate/vote").text
    assert "1 level of 1 generator" in overview
    assert f'href="{VOTE}"' not in overview, "there is no pair"
    assert "You have seen all pairs" in someone.client.get(VOTE).text
    assert someone.client.get("/tracks/generate/vote/other").status_code == 404
    empty = sites.visit(database).client.get("/tracks/generate/vote").text
    assert "nothing to vote on" in empty


def test_a_game_with_several_levels_is_played_level_by_level(database: Database, tmp_path: Path) -> None:
    game = generated.GAME.replace("limit=260", "limit=130")
    texts = {"game": game, "levels": list(generated.LEVELS), "extra": {}, "wins": [None, None]}
    rows = [generated.row(name, subject="-", texts=texts) for name in "ab"]
    made = generated.store(tmp_path / "made.db", rows, kind=Kind.GAMES)
    someone = voter(database, made)
    page = someone.client.get(f"{VOTE}?left=1&right=9").text
    assert "Which game is better?" in page
    both = addresses(page)
    assert both["left"].endswith("/left/1/socket")
    assert both["right"].endswith("/right/0/socket"), "there is no level 9"
    for level in (1, 0):
        play(database, someone.client, both["left"].replace("/1/socket", f"/{level}/socket"))
    row = database.row("SELECT left_s FROM ballots")
    assert row is not None
    assert row["left_s"] >= PLAYED_S, "all levels of a side count together"


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("kind", "subject", "words"),
    [
        (Kind.LEVELS, "aliens", "a level for Aliens. A fleet of aliens"),
        (Kind.LEVELS, "corridor", "a level for corridor."),
        (Kind.RULES, "corridor", "rules for the sprites of corridor"),
        (Kind.GAMES, "-", "Two generators made a game."),
        (Kind.GAMES, "a <b>maze</b>", "a game for this idea: a &lt;b&gt;maze"),
    ],
)
def test_people_are_told_what_both_sides_were_made_for(
    database: Database, tmp_path: Path, kind: Kind, subject: str, words: str
) -> None:
    made = generated.store(tmp_path / "made.db", [generated.row(name, subject=subject) for name in "ab"], kind=kind)
    assert words in voter(database, made).client.get(VOTE).text


@pytest.mark.costly
def test_votes_are_exported_with_consent_only_which_can_be_withdrawn(
    database: Database, made: Path, tmp_path: Path
) -> None:
    contest = contest_of(database, made)
    for number, name in enumerate(("Ann", "Bob")):
        vote(database, contest, sites.user(database, name), consent=number == 0)
    someone = sites.visit(database, boards=[made]).sign_in("Ann")
    (tmp_path / "votes.csv").write_text(someone.client.get(f"{VOTE}/votes.csv").text)
    assert len(read(tmp_path / "votes.csv")) == 1
    assert "Ann" not in (tmp_path / "votes.csv").read_text()
    assert "1 vote of yours" in someone.client.get(f"{VOTE}/strengths").text
    assert someone.post(f"{VOTE}/withdraw", on=f"{VOTE}/strengths").status_code == 200
    assert someone.client.get(f"{VOTE}/votes.csv").text.count("\n") == 1
    assert len(ballots.votes(database, contest)) == 2, "they still count"


def contest_of(database: Database, made: Path) -> str:
    """The key of the contest in a store."""
    sites.user(database, "Olga")
    sites.visit(database, boards=[made]).sign_in("Olga").client.get(VOTE)
    row = database.row("SELECT contest FROM ballots")
    assert row is not None
    database.run("DELETE FROM ballots")
    return str(row["contest"])


def vote(database: Database, contest: str, user: User, answer: Answer = Answer.LEFT, *, consent: bool = True) -> bool:
    """A vote of somebody who has played both sides; False if there is no pair left."""
    known = ballots.current(database, contest, SIDES, user, seed=user.id)
    if known is None:
        return False
    for side in ("left", "right"):
        generated.later(database)
        ballots.add_played(database, known.id, side, PLAYED_S)
    ballots.cast(database, contest, user, known.id, answer, consent=consent)
    return True


def test_all_pairs_of_generators_are_judged_equally_often(database: Database) -> None:
    users = [sites.user(database, f"User {number}x") for number in range(4)]
    for _ in range(3):
        for user in users:
            assert vote(database, "contest", user)
    known = ballots.votes(database, "contest")
    pairs = Counter(frozenset(side.generator for side in one.pair.sides) for one in known)
    assert sorted(pairs.values()) == [4, 4, 4]
    assert len(strengths_table(known).rows) == 3


@pytest.mark.costly
def test_a_user_gets_no_pair_twice_on_a_day(database: Database) -> None:
    ann = sites.user(database)
    count = 0
    while vote(database, "contest", ann):
        count += 1
    assert count == 3 * 4, "each level of a generator with each of another"
    assert vote(database, "another contest", ann)
    database.run("UPDATE ballots SET day = '2000-01-01'")
    assert vote(database, "contest", ann)


@pytest.mark.costly
def test_an_open_ballot_stays_until_it_is_old_or_its_levels_are_gone(database: Database) -> None:
    ann = sites.user(database)
    first = ballots.current(database, "contest", SIDES, ann, 1)
    assert first is not None
    assert ballots.current(database, "contest", SIDES, ann, 2) == first
    others = tuple(side for side in SIDES if side not in first.ballot.pair.sides)
    second = ballots.current(database, "contest", others, ann, 3)
    assert second is not None
    assert second.id != first.id
    database.run("UPDATE ballots SET drawn = drawn - ?", ballots.OPEN_S + 1)
    third = ballots.current(database, "contest", SIDES, ann, 4)
    assert third is not None
    assert third.id != second.id
    with pytest.raises(VoteInvalid, match="no longer yours"):
        ballots.cast(database, "contest", ann, second.id, Answer.LEFT, consent=False)


@pytest.mark.costly
def test_one_vote_per_pair_user_and_day_if_everything_comes_at_once(database: Database) -> None:
    generated.race_for_votes(database)
