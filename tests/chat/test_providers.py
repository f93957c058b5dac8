"""What providers accept and refuse: requests adapt, replies of all forms are read, errors of all forms are shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chat.providers import PROVIDERS, refused
from chat.stub import Answer, Script, endpoint, event, streamed
from vgdl.competition.chat.endpoint import OpenAIChat
from vgdl.competition.chat.fields import Fields
from vgdl.competition.chat.model import Fault, Message, Reply, RequestRefused, Sampling, TransportError

pytest.importorskip("openai", reason='needs: pip install "vgdl[llm]"')

MESSAGES: list[Message] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]
ALL = Sampling(max_tokens=50, temperature=0.5, top_p=0.9, seed=1)
WORDS = "Your organization must be verified to stream this model."


def ask(script: Script, fields: Fields | None = None, sampling: Sampling = ALL, retries: int = 0) -> Reply:
    with endpoint(script) as served:
        model = OpenAIChat(served.url, "m", fields=fields, retries=retries, sleep=lambda seconds: None)
        return model.complete(MESSAGES, sampling, ())


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_request_adapts_to_what_a_provider_accepts(name: str) -> None:
    script, is_accepted, changes = PROVIDERS[name]
    with endpoint(script) as served:
        model = OpenAIChat(served.url, "m", retries=0)
        first = model.complete(MESSAGES, ALL, ())
        asked = len(served.requests)
        second = model.complete(MESSAGES, ALL, ())
    assert (first.text, second.text, first.retries) == ("fine", "fine", 0)
    assert first.without == second.without == changes
    assert is_accepted(served.requests[-1])
    assert len(served.requests) == asked + 1  # what was refused is remembered
    assert asked == 1 + len(changes)


@pytest.mark.parametrize(
    ("name", "tokens"), [("OpenAI, reasoning", (20, 9, 6)), ("Ollama", (20, 9, 0)), ("llama.cpp", (6, 3, 0))]
)
def test_the_usage_of_a_stream_is_in_its_last_part_or_estimated(name: str, tokens: tuple[int, int, int]) -> None:
    reply = ask(PROVIDERS[name][0])
    assert (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens) == tokens


def test_a_stream_may_be_refused_until_an_organisation_is_verified() -> None:
    def script(number: int, body: dict[str, Any]) -> Answer:
        return refused(WORDS, "stream", code="unsupported_value") if body.get("stream") else Answer()

    assert ask(script).without == ("without stream",)


@pytest.mark.parametrize(
    ("script", "fields"),
    [
        (lambda number, body: refused("max_tokens: 99999 > 64000, the maximum for this model"), None),
        (lambda number, body: refused("Unsupported parameter: 'max_tokens'", "max_tokens"), Fields("max_tokens")),
        (lambda number, body: refused("Unknown parameter: 'reasoning_effort'", "reasoning_effort"),
         Fields(reasoning_effort="low")),
        (lambda number, body: refused("Unknown parameter: 'top_k'", "top_k"), Fields(extra_body={"top_k": 1})),
        (lambda number, body: refused("Unsupported value: 'stream'", "stream"), Fields(extra_body={"stream": True})),
    ],
)  # fmt: skip
def test_what_was_asked_for_is_not_given_up(script: Script, fields: Fields | None) -> None:
    asked = 0

    def counting(number: int, body: dict[str, Any]) -> Answer:
        nonlocal asked
        asked += 1
        return script(number, body)

    with pytest.raises(RequestRefused):
        ask(counting, fields)
    assert asked == 1


def test_an_endpoint_that_refuses_both_names_of_the_limit_is_asked_twice() -> None:
    asked: list[bool] = []

    def script(number: int, body: dict[str, Any]) -> Answer:
        asked.append("max_tokens" in body)
        name = "max_tokens" if "max_tokens" in body else "max_completion_tokens"
        return refused(f"Unsupported parameter: '{name}'", name)

    with pytest.raises(RequestRefused, match="max_completion_tokens"):
        ask(script)
    assert asked == [True, False]


def test_fields_of_a_model_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM_KEY", "team-secret-7")
    fields = Fields(
        max_tokens_field="max_completion_tokens",
        reasoning_effort="high",
        system="developer",
        stream=False,
        headers={"X-Team": "Bearer $TEAM_KEY", "X-Plain": "yes"},
        extra_body={"chat_template_kwargs": {"enable_thinking": False}},
    )
    with endpoint(lambda number, body: refused("team-secret-7 has no access", status=403)) as served:
        with pytest.raises(RequestRefused) as caught:
            OpenAIChat(served.url, "m", fields=fields).complete(MESSAGES, Sampling(max_tokens=7), ())
        assert "team-secret-7" not in str(caught.value)
    assert served.requests == [
        {
            "model": "m",
            "messages": [{"role": "developer", "content": "Be brief."}, MESSAGES[1]],
            "max_completion_tokens": 7,
            "reasoning_effort": "high",
            "chat_template_kwargs": {"enable_thinking": False},
        }
    ]
    assert (served.headers[0]["x-team"], served.headers[0]["x-plain"]) == ("Bearer team-secret-7", "yes")


def test_instructions_may_be_part_of_the_first_message() -> None:
    with endpoint(lambda number, body: Answer()) as served:
        OpenAIChat(served.url, "m", fields=Fields(system="user")).complete(MESSAGES, Sampling(), ())
    assert served.requests[0]["messages"] == [{"role": "user", "content": "Be brief.\n\nhi"}]


# ------------------------------------------------------------------------------------------------------------- streams


def test_a_slow_stream_is_waited_for_as_long_as_parts_come() -> None:
    """Each part comes within the time limit, all of them do not."""
    chunks = streamed("a slow answer")
    reply = ask(lambda number, body: Answer(chunks=chunks, pause_s=0.1), Fields(timeout=0.8))
    assert reply.text == "a slow answer"


def test_a_request_whose_answer_does_not_come_is_not_paid_for_again() -> None:
    with endpoint(lambda number, body: Answer(delay_s=1.5)) as served:
        model = OpenAIChat(served.url, "m", timeout_s=0.2, retries=5, sleep=lambda seconds: None)
        with pytest.raises(TransportError, match="not sent again"):
            model.complete(MESSAGES, Sampling(), ())
        assert len(served.requests) == 1


def test_a_stream_that_stops_is_not_paid_for_again() -> None:
    with endpoint(lambda number, body: Answer(chunks=streamed("ab")[:2], pause_s=1.0)) as served:
        model = OpenAIChat(served.url, "m", timeout_s=0.3, retries=5, sleep=lambda seconds: None)
        with pytest.raises(TransportError, match="not sent again"):
            model.complete(MESSAGES, Sampling(), ())
        assert len(served.requests) == 1


@pytest.mark.parametrize(
    "chunks",
    [
        streamed("half", None)[:-1],
        (b"data: {\n\n",),
        (b"data: [1]\n\n",),
        (b"data: " + b"[" * 100_000 + b"\n\n",),
        (b"nothing\n\n",),
        (event(choices=[{"delta": 3}]),),
    ],
)
def test_a_broken_stream_is_a_fault_of_the_transport(chunks: tuple[bytes, ...]) -> None:
    with pytest.raises(TransportError, match="not a chat completion"):
        ask(lambda number, body: Answer(chunks=chunks))


def test_comments_and_other_events_are_passed_over() -> None:
    chunks = (b": OPENROUTER PROCESSING\n\n", b"event: ping\n\n", b"\r\n", *streamed("a\u2028b", None))
    assert ask(lambda number, body: Answer(chunks=chunks)).text == "a\u2028b"


def test_a_lost_connection_is_tried_again() -> None:
    def script(number: int, body: dict[str, Any]) -> Answer:
        return Answer("busy", 503) if number < 2 else Answer(chunks=streamed("fine"))

    waits: list[float] = []
    with endpoint(script) as served:
        reply = OpenAIChat(served.url, "m", sleep=waits.append).complete(MESSAGES, Sampling(), ())
    assert (reply.text, reply.retries) == ("fine", 2)
    assert 0.75 <= waits[0] <= 1.0
    assert 1.5 <= waits[1] <= 2.0


# -------------------------------------------------------------------------------------------------- errors and replies


def whole(message: dict[str, Any], finish_reason: str = "stop", **more: Any) -> Answer:
    facts = {"choices": [{"message": message, "finish_reason": finish_reason}], **more}
    return Answer(body=json.dumps(facts).encode())


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ({"error": {"message": "no credits", "code": 402}}, RequestRefused, "402: no credits"),
        ({"error": {"message": "overloaded", "code": 529}}, TransportError, "529: overloaded"),
        ({"error": "something broke"}, TransportError, "500: something broke"),
        ({"error": {"message": "bad", "code": "429"}}, TransportError, "429: bad"),
    ],
)
def test_an_error_in_a_successful_answer_is_an_error(body: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        ask(lambda number, _: Answer(body=json.dumps(body).encode()))
    with pytest.raises(kind, match=words):
        ask(lambda number, _: Answer(chunks=(*streamed("ab")[:2], event(**body))))


@pytest.mark.parametrize(
    ("answer", "text", "fault"),
    [
        (whole({"content": [{"type": "text", "text": "a"}, "b", {"type": "image_url"}]}), "ab", None),
        (whole({"content": [{"type": "reasoning", "text": "hm"}]}), "", Fault.ONLY_REASONING),
        (whole({"content": None, "reasoning_content": "hm"}, "length"), "", Fault.ONLY_REASONING),
        (whole({"content": ""}, "length"), "", Fault.CUT),
        (whole({"content": "half"}, "MAX_TOKENS"), "half", Fault.CUT),
        (whole({"content": None}, "content_filter"), "", Fault.FILTERED),
        (whole({"content": None, "refusal": "I cannot."}), "I cannot.", None),
        (whole({"content": ""}), "", Fault.EMPTY),
        (whole({"content": "<think>Chosen Move: (0,0)"}, "length"), "<think>Chosen Move: (0,0)", Fault.ONLY_REASONING),
        (Answer(chunks=streamed("", "length", reasoning="hm")), "", Fault.ONLY_REASONING),
    ],
)  # fmt: skip
def test_replies_are_told_by_what_is_wrong_with_them(answer: Answer, text: str, fault: Fault | None) -> None:
    reply = ask(lambda number, body: answer)
    assert (reply.text, reply.fault) == (text, fault)


def _reply(text: str) -> Reply:
    return Reply(text, "stop", 1, 1, "m", 0.0)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("b<think>a", "b"),
        ("<THINKING>a</THINKING>b<think>c</think>d", "bd"),
        ("<think>a", ""),
        ("plain", "plain"),
    ],
)
def test_an_answer_is_what_is_outside_of_thinking_blocks(text: str, answer: str) -> None:
    assert _reply(text).answer == answer


def test_many_thinking_blocks_take_no_time() -> None:
    assert _reply("<think>" * 200_000 + "x").answer == ""
    assert _reply("<think></think>" * 100_000 + "x").answer == "x"


def test_a_reply_never_contains_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-9")
    assert ask(lambda number, body: Answer("your key is sk-secret-9")).text == "your key is ***"


def test_headers_need_their_variables() -> None:
    from vgdl.competition.chat.model import ChatError

    with pytest.raises(ChatError, match="MISSING_KEY is not set"):
        OpenAIChat("http://127.0.0.1:1/v1", "m", fields=Fields(headers={"X-Key": "$MISSING_KEY"}))
