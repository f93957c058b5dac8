"""Endpoints that accept and refuse what providers accept and refuse, as far as their documentation and users say.

These are imitations for tests on the loopback interface: the real providers were not asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from chat.stub import Answer, Script, streamed

USAGE = {"prompt_tokens": 20, "completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 6}}
_PLAIN = {"prompt_tokens": 20, "completion_tokens": 9}


def refused(message: str, parameter: str | None = None, status: int = 400, **more: Any) -> Answer:
    """An error in OpenAI's form."""
    error = {"message": message, "type": "invalid_request_error", "param": parameter, **more}
    return Answer(status=status, body=json.dumps({"error": error}).encode())


def _has_system(body: dict[str, Any]) -> bool:
    return any(message["role"] == "system" for message in body["messages"])


def openai_reasoning(number: int, body: dict[str, Any]) -> Answer:
    """A reasoning model at OpenAI: no ``max_tokens``, no temperature."""
    if "max_tokens" in body:
        return refused(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            "max_tokens",
            code="unsupported_parameter",
        )
    if body.get("temperature", 1) != 1:
        return refused(
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is "
            "supported.",
            "temperature",
            code="unsupported_value",
        )
    return Answer(chunks=streamed("fine", usage=USAGE))


def openai_mini(number: int, body: dict[str, Any]) -> Answer:
    """An older reasoning model at OpenAI: moreover no system role, and no streams."""
    for message in body["messages"]:
        if message["role"] != "user":
            return refused(
                f"Unsupported value: 'messages[0].role' does not support '{message['role']}' with this model.",
                "messages[0].role",
                code="unsupported_value",
            )
    if body.get("stream"):
        return refused(
            "Unsupported value: 'stream' does not support true with this model. Only the default (false) value is "
            "supported.",
            "stream",
            code="unsupported_value",
        )
    if "stream_options" in body:
        return refused("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
    answer = openai_reasoning(number, body)
    return answer if answer.status != 200 else Answer("fine")


def anthropic(number: int, body: dict[str, Any]) -> Answer:
    """Anthropic's compatible endpoint: some models take one of temperature and top_p."""
    if "temperature" in body and "top_p" in body:
        message = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
        error = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
        return Answer(status=400, body=json.dumps(error).encode())
    return Answer(chunks=streamed("fine", usage=_PLAIN))


def google(number: int, body: dict[str, Any]) -> Answer:
    """Google's compatible endpoint: errors in a list, no seed; its open models have no system role."""
    message = ""
    if "seed" in body:
        message = 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'
    elif _has_system(body):
        message = "Developer instruction is not enabled for models/gemma-3-27b-it"
    if message:
        error = {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}
        return Answer(status=400, body=json.dumps([{"error": error}]).encode())
    return Answer(chunks=streamed("fine", usage=_PLAIN))


def vllm(number: int, body: dict[str, Any]) -> Answer:
    """An older vLLM with a Gemma model: errors without ``error``, extra fields forbidden, no system role."""
    message = ""
    if "max_completion_tokens" in body:
        kind = {"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"], "msg": "Extra inputs are not"}
        message = str([kind])
    elif _has_system(body):
        message = "System role not supported"
    if message:
        facts = {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400}
        return Answer(status=400, body=json.dumps(facts).encode())
    return Answer(chunks=streamed("fine", usage=_PLAIN, reasoning_content="hm"))


def llama_cpp(number: int, body: dict[str, Any]) -> Answer:
    """llama.cpp's server: accepts all; an old one reports no usage in streams."""
    return Answer(chunks=streamed("fine"))


def ollama(number: int, body: dict[str, Any]) -> Answer:
    """Ollama: accepts all; thinking comes as ``reasoning``."""
    return Answer(chunks=streamed("fine", usage=_PLAIN, reasoning="hm"))


def mistral(number: int, body: dict[str, Any]) -> Answer:
    """Mistral: 422 for extra fields, named by place; content as a list of parts."""
    if "seed" in body or "stream_options" in body:
        name = "seed" if "seed" in body else "stream_options"
        detail = [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}]
        return Answer(status=422, body=json.dumps({"detail": detail}).encode())
    content = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "fine"}]
    message = {"role": "assistant", "content": content}
    facts = {"model": "m", "choices": [{"message": message, "finish_reason": "stop"}], "usage": _PLAIN}
    return Answer(body=json.dumps(facts).encode())


PROVIDERS: dict[str, tuple[Script, Callable[[dict[str, Any]], bool], tuple[str, ...]]] = {
    "OpenAI, reasoning": (
        openai_reasoning,
        lambda body: "max_completion_tokens" in body and "temperature" not in body,
        ("with max_completion_tokens instead of max_tokens", "without temperature"),
    ),
    "OpenAI, o1-mini": (
        openai_mini,
        lambda body: "stream" not in body and body["messages"][0]["role"] == "user",
        (
            "with instructions as part of the user's message",
            "without stream",
            "with max_completion_tokens instead of max_tokens",
            "without temperature",
        ),
    ),
    "Anthropic": (anthropic, lambda body: "temperature" in body and "top_p" not in body, ("without top_p",)),
    "Google": (
        google,
        lambda body: "seed" not in body,
        ("without seed", "with instructions as part of the user's message"),
    ),
    "vLLM": (
        vllm,
        lambda body: body["messages"][0]["content"].startswith("Be brief."),
        ("with instructions as part of the user's message",),
    ),
    "llama.cpp": (llama_cpp, lambda body: body["stream"] is True, ()),
    "Ollama": (ollama, lambda body: body["stream"] is True, ()),
    "Mistral": (mistral, lambda body: "seed" not in body, ("without seed", "without stream_options")),
}
"""By name: the endpoint, what the request that it accepts looks like, and what the client says that it changed."""
