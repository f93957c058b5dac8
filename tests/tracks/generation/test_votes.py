"""Votes of people: which pairs are shown, which votes count, and the strengths that follow."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from vgdl.competition.tracks.generation.votes import (
    Answer,
    Pair,
    Side,
    Vote,
    VoteInvalid,
    check,
    draw_pair,
    export,
    read,
    strengths,
    strengths_table,
)
from vgdl.competition.tracks.generation.votes_command import main

DAY = date(2026, 5, 1)
SIDES = [Side(generator, game, number) for generator in "abc" for game in ("x", "y") for number in (0, 1)]


def vote(user: str, pair: Pair, answer: Answer = Answer.LEFT) -> Vote:
    return Vote(user, DAY, pair, answer, 12.0, 15.0, True)


def test_all_pairs_of_generators_are_judged_equally_often() -> None:
    votes: list[Vote] = []
    for number in range(30):
        pair = draw_pair(SIDES, votes, number)
        assert pair is not None
        assert pair.left.subject == pair.right.subject
        votes.append(vote(f"user {number}", pair))
    count = Counter(frozenset((one.pair.left.generator, one.pair.right.generator)) for one in votes)
    assert set(count.values()) == {10}
    assert len({one.pair.left.generator for one in votes}) == 3  # nobody is always on the same side


def test_nobody_gets_a_pair_twice_on_a_day() -> None:
    votes: list[Vote] = []
    while (pair := draw_pair(SIDES, votes, len(votes), "ann", DAY)) is not None:
        check(vote("ann", pair), votes)
        votes.append(vote("ann", pair))
    assert len(votes) == 3 * 2 * 4
    with pytest.raises(VoteInvalid, match="today"):
        check(vote("ann", votes[0].pair), votes)
    check(replace(votes[0], day=date(2026, 5, 2)), votes)


def test_both_sides_must_have_been_played() -> None:
    one = vote("ann", Pair(SIDES[0], SIDES[4]))
    with pytest.raises(VoteInvalid, match="at least 10 s"):
        check(replace(one, right_s=9.9), [])


def test_the_generator_that_is_preferred_is_stronger() -> None:
    votes: list[Vote] = []
    for number in range(40):
        pair = draw_pair(SIDES, votes, number)
        assert pair is not None
        better = min(pair.left.generator, pair.right.generator)
        answer = Answer.LEFT if pair.left.generator == better else Answer.RIGHT
        votes.append(vote(f"user {number % 8}", pair, Answer.BOTH if number % 10 == 0 else answer))
    found = strengths(votes)
    assert [row.generator for row in found] == ["a", "b", "c"]
    assert all(row.low <= row.points <= row.high for row in found)
    assert found[0].preferred > 0.8 > found[2].preferred
    assert strengths(votes[::-1]) == found


def test_the_votes_of_one_user_have_no_interval() -> None:
    table = strengths_table([vote("ann", Pair(SIDES[0], SIDES[4]))])
    assert [(row["generator"], row["low"], row["high"]) for row in table.rows] == [("a", None, None), ("b", None, None)]
    assert table.texts()[0][2] == "–"


def test_only_votes_with_consent_are_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    votes = [vote(name, Pair(SIDES[0], SIDES[4])) for name in ("ann", "bob", "eve")]
    votes[1] = replace(votes[1], consent=False)
    assert export(votes, tmp_path / "votes.csv") == 2
    text = (tmp_path / "votes.csv").read_text()
    assert "bob" not in text
    assert "ann" not in text
    again = read(tmp_path / "votes.csv")
    assert [(one.pair, one.answer) for one in again] == [(votes[0].pair, Answer.LEFT)] * 2
    assert main([str(tmp_path / "votes.csv")]) == 0
    assert "preferred" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ["user\nann\n", "user,day,subject,left,left_number,right,right_number,answer\n1,x,,,,,,\n"]
)
def test_files_that_are_no_votes_are_refused_with_their_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text(text)
    with pytest.raises(VoteInvalid, match="line 2 is no vote"):
        read(tmp_path / "votes.csv")
    with pytest.raises(SystemExit):
        main([str(tmp_path / "missing.csv")])
