"""The client of chat endpoints: requests, retries, and secrecy of the key."""

from __future__ import annotations

import gzip
import re
import sys

import pytest

from chat.stub import Answer, endpoint
from vgdl.competition.chat.endpoint import MAX_BYTES, OpenAIChat
from vgdl.competition.chat.model import ChatError, Message, RequestRefused, Sampling, TransportError

pytest.importorskip("openai", reason='needs: pip install "vgdl[llm]"')

MESSAGES: list[Message] = [{"role": "user", "content": "hi"}]
STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
AT_ONCE = {"Retry-After": "0", "Retry-After-Ms": "1"}


def test_a_reply_has_text_and_counts() -> None:
    with endpoint(lambda number, body: Answer("hello")) as served:
        reply = OpenAIChat(served.url, "tiny").complete(MESSAGES, Sampling(max_tokens=5), ())
    assert (reply.text, reply.finish_reason, reply.prompt_tokens, reply.completion_tokens) == ("hello", "stop", 7, 3)
    assert (reply.model, reply.retries, reply.cached, reply.truncated) == ("tiny", 0, False, False)
    assert served.requests == [{"model": "tiny", "messages": MESSAGES, "max_tokens": 5, **STREAMED}]


def test_missing_settings_are_left_to_the_provider() -> None:
    with endpoint(lambda number, body: Answer()) as served:
        model = OpenAIChat(served.url, "m", max_tokens_field="max_completion_tokens", extra_body={"top_k": 1})
        model.complete(MESSAGES, Sampling(max_tokens=9, temperature=0.5, seed=3), ())
    [request] = served.requests
    wanted = {"max_completion_tokens": 9, "temperature": 0.5, "seed": 3, "top_k": 1, **STREAMED}
    assert {name: request[name] for name in request if name not in ("model", "messages")} == wanted


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_lost_requests_are_sent_again(status: int) -> None:
    with endpoint(lambda number, body: Answer("no", status, headers=AT_ONCE) if number < 2 else Answer()) as served:
        reply = OpenAIChat(served.url, "m").complete(MESSAGES, Sampling(), ())
    assert (reply.text, reply.retries, len(served.requests)) == ("hello", 2, 3)


def test_an_unreachable_endpoint_is_a_fault_of_the_transport() -> None:
    with (
        endpoint(lambda number, body: Answer("busy", 500, headers=AT_ONCE)) as served,
        pytest.raises(TransportError, match=r"500.*busy"),
    ):
        OpenAIChat(served.url, "m", retries=2).complete(MESSAGES, Sampling(), ())
    assert len(served.requests) == 3
    with pytest.raises(TransportError):
        OpenAIChat(served.url, "m", retries=0).complete(MESSAGES, Sampling(), ())


def test_a_slow_endpoint_is_a_fault_of_the_transport() -> None:
    with endpoint(lambda number, body: Answer(delay_s=2.0)) as served, pytest.raises(TransportError):
        OpenAIChat(served.url, "m", timeout_s=0.2, retries=0).complete(MESSAGES, Sampling(), ())


def test_a_reply_that_drips_is_given_up() -> None:
    with (
        endpoint(lambda number, body: Answer(pause_s=0.05)) as served,
        pytest.raises(TransportError, match="timed out"),
    ):
        OpenAIChat(served.url, "m", timeout_s=0.5, retries=0).complete(MESSAGES, Sampling(), ())


def test_a_reply_without_end_is_given_up() -> None:
    body = b" " * (MAX_BYTES + 1)
    with endpoint(lambda number, _: Answer(body=body)) as served, pytest.raises(TransportError):
        OpenAIChat(served.url, "m", retries=0).complete(MESSAGES, Sampling(), ())


def test_a_compressed_reply_is_not_expanded() -> None:
    bomb = gzip.compress(b" " * 100_000_000)
    headers = {"Content-Encoding": "gzip"}
    with (
        endpoint(lambda number, _: Answer(body=bomb, headers=headers)) as served,
        pytest.raises(TransportError, match="not a chat completion"),
    ):
        OpenAIChat(served.url, "m", retries=0).complete(MESSAGES, Sampling(), ())


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b'{"choices": []}', b'{"choices": [{"message": 3}]}', b"[" * 100_000, b"\xff"),
        b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": 1e999}}',
    ],
)
def test_a_malformed_body_is_a_fault_of_the_transport(body: bytes) -> None:
    with endpoint(lambda number, _: Answer(body=body)) as served, pytest.raises(TransportError):
        OpenAIChat(served.url, "m", retries=0).complete(MESSAGES, Sampling(), ())


def test_negative_counts_of_tokens_do_not_extend_a_budget() -> None:
    body = b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": -9, "completion_tokens": -1}}'
    with endpoint(lambda number, _: Answer(body=body)) as served:
        reply = OpenAIChat(served.url, "m").complete(MESSAGES, Sampling(), ())
    assert (reply.prompt_tokens, reply.completion_tokens) == (0, 0)


@pytest.mark.parametrize("usage", [b"", b', "usage": null', b', "usage": {}'])
def test_tokens_that_are_not_reported_are_charged_by_the_length_of_the_texts(usage: bytes) -> None:
    text = "x" * 100
    body = b'{"choices": [{"message": {"content": "' + text.encode() + b'"}}]' + usage + b"}"
    with endpoint(lambda number, _: Answer(body=body)) as served:
        reply = OpenAIChat(served.url, "m").complete(MESSAGES, Sampling(), ())
    sent = sum(len(message["content"]) for message in MESSAGES)
    assert (reply.prompt_tokens, reply.completion_tokens) == (sent // 2 + 1, 51)


def test_a_request_is_repeated_after_a_malformed_body() -> None:
    with endpoint(lambda number, _: Answer(body=b"{") if number < 2 else Answer()) as served:
        reply = OpenAIChat(served.url, "m").complete(MESSAGES, Sampling(), ())
    assert (reply.text, reply.retries, len(served.requests)) == ("hello", 2, 3)


def test_a_refused_request_is_not_sent_again() -> None:
    with (
        endpoint(lambda number, body: Answer("no such model", 404)) as served,
        pytest.raises(RequestRefused, match=r"404.*no such model"),
    ):
        OpenAIChat(served.url, "m").complete(MESSAGES, Sampling(), ())
    assert len(served.requests) == 1


def test_no_content_is_an_empty_answer_and_a_cut_one_is_marked() -> None:
    with endpoint(lambda number, body: Answer(None, finish_reason="length")) as served:
        reply = OpenAIChat(served.url, "m").complete(MESSAGES, Sampling(), ())
    assert reply.text == ""
    assert reply.truncated


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "sk-secret-0")
    with endpoint(lambda number, body: Answer("bad key sk-secret-0", 401)) as served:
        model = OpenAIChat(served.url, "m", api_key_env="A_KEY")
        with pytest.raises(RequestRefused) as caught:
            model.complete(MESSAGES, Sampling(), ())
    assert served.keys == ["Bearer sk-secret-0"]
    assert "sk-secret-0" not in f"{caught.value} {caught.value!r} {model!r}"


def test_a_missing_package_is_an_error_that_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ChatError, match=r'pip install "vgdl\[llm\]"'):
        OpenAIChat("http://127.0.0.1:1", "m")


@pytest.mark.parametrize("address", ["localhost", "http://", "http://[::1", "http://host:99999/v1", "http://host:x/v1"])
def test_an_invalid_address_is_refused(address: str) -> None:
    with pytest.raises(ChatError, match=re.escape(f"{address!r} is not an address")):
        OpenAIChat(address, "m")
