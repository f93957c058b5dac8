"""Asking through cache and accounts: nothing is paid twice, and no limit is exceeded."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vgdl.competition.chat.accounts import Accounts, LimitReached, Limits, Price
from vgdl.competition.chat.cache import Cache, Mode, NotCached, request_key
from vgdl.competition.chat.model import (
    ChatError,
    EndpointUnreachable,
    Message,
    Reply,
    Sampling,
    TransportError,
)
from vgdl.competition.chat.session import ChatSession, RateLimit

MESSAGES: list[Message] = [{"role": "user", "content": "x" * 20}]  # 11 tokens in the estimate


class Counting:
    """A model that numbers its answers; it fails a given number of times."""

    name = "counting"

    def __init__(self, failures: int = 0) -> None:
        self.calls = 0
        self._failures = failures
        self._lock = threading.Lock()

    def complete(self, messages: Sequence[Message], sampling: Sampling, key: Sequence[str | int]) -> Reply:
        with self._lock:
            self.calls += 1
            if self.calls <= self._failures:
                raise TransportError("away")
            return Reply(f"answer {self.calls}", "stop", 10, 5, self.name, seconds=0.5, retries=1)


def ask(session: ChatSession, model: Counting, turn: int, sampling: Sampling | None = None) -> Reply:
    return session.ask(
        model, MESSAGES, sampling or Sampling(max_tokens=5), version="v1", key=("match", 0, turn), label="pong"
    )


def test_a_repeated_run_asks_nothing(tmp_path: Path) -> None:
    model = Counting()
    for _ in range(2):
        with Cache(tmp_path / "store.db") as cache:
            session = ChatSession(cache)
            replies = [ask(session, model, turn) for turn in range(3)]
            assert [reply.text for reply in replies] == ["answer 1", "answer 2", "answer 3"]
    assert model.calls == 3
    assert session.accounts.total.calls == 0
    assert session.accounts.total.cached == 3


def test_every_parameter_of_a_request_is_part_of_its_identity() -> None:
    plain = request_key("m", MESSAGES, Sampling(), "v1", ("a", 1))
    others = [
        request_key("n", MESSAGES, Sampling(), "v1", ("a", 1)),
        request_key("m", [*MESSAGES, *MESSAGES], Sampling(), "v1", ("a", 1)),
        request_key("m", MESSAGES, Sampling(temperature=1.0), "v1", ("a", 1)),
        request_key("m", MESSAGES, Sampling(), "v2", ("a", 1)),
        request_key("m", MESSAGES, Sampling(), "v1", ("a", "1")),
    ]
    assert len({plain, *others}) == 6
    assert plain == request_key("m", list(MESSAGES), Sampling(), "v1", ["a", 1])


def test_modes_of_the_cache(tmp_path: Path) -> None:
    model, path = Counting(), tmp_path / "replies.db"
    with Cache(path, Mode.OFF) as cache:
        ask(ChatSession(cache), model, 0)
    with Cache(path, Mode.ONLY) as cache, pytest.raises(NotCached):
        ask(ChatSession(cache), model, 0)
    with Cache(path) as cache:
        assert ask(ChatSession(cache), model, 0).text == "answer 2"
    with Cache(path, Mode.REFRESH) as cache:
        assert ask(ChatSession(cache), model, 0).text == "answer 3"
    with Cache(path, Mode.ONLY) as cache:
        reply = ask(ChatSession(cache), model, 0)
    assert (reply.text, reply.cached) == ("answer 3", True)
    assert model.calls == 3


def test_a_file_that_is_not_a_cache_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    path.write_text("no database at all, however long this text may be" * 100)
    with pytest.raises(ChatError, match="cannot be used as a cache"):
        Cache(path)


def test_accounts_add_up_by_model_and_label() -> None:
    session = ChatSession(Cache(None), Accounts(prices={"counting": Price(prompt=2.0, completion=10.0)}))
    model = Counting()
    for turn in (0, 1, 1):
        ask(session, model, turn)
    for usage in (
        session.accounts.total,
        session.accounts.by_player["counting"],
        session.accounts.by_label["counting", "pong"],
    ):
        assert (usage.calls, usage.cached, usage.retries) == (2, 1, 2)
        assert (usage.prompt_tokens, usage.completion_tokens, usage.seconds) == (20, 10, 1.0)
        assert usage.cost == pytest.approx(2 * (10 * 2.0 + 5 * 10.0) / 1e6)


@pytest.mark.parametrize(
    ("limits", "made"),
    [
        (Limits(max_calls=2), 2),
        (Limits(max_tokens=46), 3),  # 15 used per call, 16 set aside before it
        (Limits(max_tokens=45), 2),
        (Limits(max_cost=46e-6), 3),
        (Limits(max_cost=45e-6), 2),
        (Limits(), 5),
    ],
)
def test_limits_stop_before_the_call_that_could_exceed_them(limits: Limits, made: int) -> None:
    session = ChatSession(Cache(None), Accounts(limits, {"counting": Price(1.0, 1.0)}))
    model = Counting()
    for turn in range(made):
        ask(session, model, turn)
    if made < 5:
        with pytest.raises(LimitReached, match="raise it and resume"):
            ask(session, model, made)
    assert ask(session, model, 0).cached  # cached replies are still given
    assert model.calls == made


def test_parallel_calls_do_not_exceed_a_limit_together() -> None:
    session, model = ChatSession(Cache(None), Accounts(Limits(max_calls=10))), Counting()

    def answered(turn: int) -> bool:
        try:
            ask(session, model, turn)
        except LimitReached:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(answered, range(50))) == 10
    assert model.calls == 10


def test_a_lost_call_uses_nothing_and_keeps_nothing() -> None:
    session, model = ChatSession(Cache(None), Accounts(Limits(max_calls=1))), Counting(failures=1)
    with pytest.raises(TransportError):
        ask(session, model, 0)
    assert ask(session, model, 0).text == "answer 2"
    assert session.accounts.total.calls == 1


def test_an_endpoint_that_never_answered_ends_the_run_at_the_third_request() -> None:
    session, model = ChatSession(Cache(None)), Counting(failures=9)
    for _ in range(2):
        with pytest.raises(TransportError):
            ask(session, model, 0)
    with pytest.raises(EndpointUnreachable, match="no reply to the first 3 requests: away"):
        ask(session, model, 0)


def test_an_endpoint_that_has_answered_may_be_away_for_a_while() -> None:
    session, model = ChatSession(Cache(None)), Counting()
    ask(session, model, 0)
    model.calls, model._failures = 0, 5
    for turn in range(1, 6):
        with pytest.raises(TransportError):
            ask(session, model, turn)
    assert ask(session, model, 6).text == "answer 6"


def test_a_rate_limit_lets_calls_wait() -> None:
    now = [0.0]
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    rate = RateLimit(2, clock=lambda: now[0], sleep=sleep)
    for at in (0.0, 10.0, 20.0, 65.0):
        now[0] = max(now[0], at)
        rate.wait()
    assert waits == [40.0, 5.0]
    with pytest.raises(ValueError, match="at least one call"):
        RateLimit(0)
