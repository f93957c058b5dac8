"""The JSON of the ARC-AGI-3 HTTP API: validation of requests, and the form of answers and errors (arc, 2)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeGuard

from vgdl.competition.agents.plain_data import MAX_DEPTH, printable
from vgdl.competition.tracks.arc.frame import CLICK, RESET, SIZE, Frame

ACTIONS = ("RESET", *(f"ACTION{number}" for number in range(1, 8)))
"""Names of the actions in the URLs, by their ids."""

MAX_BODY = 1 << 17
"""Maximum bytes of a request; the largest valid one has 16,384 bytes of ``reasoning`` as a string of escapes."""

MAX_OPAQUE = MAX_REASONING = 16_384
"""Maximum bytes of ``opaque`` and ``reasoning`` as compact JSON."""

MAX_TEXT = 2048
"""Maximum characters of a source URL, of an id or of a tag."""

MAX_TAGS = 64


class ArcError(Exception):
    """A request that cannot be served.

    Attributes:
        status: status of the HTTP answer.
        code: one of the error codes of the official server, or ``RATE_LIMIT_EXCEEDED``.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(printable(message, 400))
        self.status = status
        self.code = code

    def facts(self) -> dict[str, str]:
        """The body of the answer."""
        return {"error": self.code, "message": str(self)}


def invalid(message: str) -> ArcError:
    """An error for a request that breaks the rules of the API."""
    return ArcError(400, "VALIDATION_ERROR", message)


def not_found(message: str, status: int = 400) -> ArcError:
    """An error for a request about something that does not exist."""
    return ArcError(status, "SERVER_ERROR", message)


def not_started(game_id: str) -> ArcError:
    """An error for an action where only RESET is valid."""
    return ArcError(
        400,
        "GAME_NOT_STARTED_ERROR",
        f"game {game_id} is available but has not been started, send RESET to begin playing",
    )


@dataclass(frozen=True, slots=True)
class Opening:
    """A client's request for a new card."""

    tags: tuple[str, ...] = ("agent",)
    source_url: str | None = None
    opaque: Any = None  #: any JSON
    competition: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A request to act."""

    action: int  #: 0 for RESET, or 1 to 7
    game_id: str
    guid: str | None = None
    card_id: str | None = None
    x: int | None = None  #: column of a click
    y: int | None = None
    reasoning: Any = None  #: any JSON, unchanged


def read_object(body: bytes) -> dict[str, Any]:
    """Parse the JSON object in a request's body; an empty body is an empty object.

    Raises:
        ArcError: it is not a JSON object.
    """
    if not body.strip():
        return {}
    try:
        value = json.loads(body, parse_float=_finite, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise invalid(f"the request body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise invalid("the request body must be a JSON object")
    return value


def read_opening(facts: dict[str, Any]) -> Opening:
    """Check the body of a request for a new card.

    Raises:
        ArcError: a field has the wrong type, or is too large.
    """
    tags = facts.get("tags") or []
    if not isinstance(tags, list) or not all(_is_text(tag) for tag in tags):
        raise invalid(f"`tags` must be a list of strings of at most {MAX_TEXT} Unicode characters")
    if len(tags) > MAX_TAGS:
        raise invalid(f"there can be at most {MAX_TAGS} `tags`")
    if not {"agent", "human"} & set(tags):
        tags = [*tags, "agent"]
    return Opening(
        tags=tuple(tags),
        source_url=_text(facts, "source_url"),
        opaque=_bounded(facts.get("opaque"), "opaque", MAX_OPAQUE),
        competition=facts.get("competition_mode") is True,
    )


def read_command(action: int, facts: dict[str, Any]) -> Command:
    """Check the body of a command.

    Coordinates may be whole numbers in any form that the official server takes: ``12``, ``12.0`` or ``"12"``.

    Raises:
        ArcError: a field is missing, has the wrong type or is too large.
    """
    game_id, guid = _text(facts, "game_id"), _text(facts, "guid")
    if not game_id:
        raise invalid("missing `game_id` in action data")
    if action != RESET and not guid:
        raise invalid("missing `guid` for any action other than RESET")
    return Command(
        action=action,
        game_id=game_id,
        guid=guid or None,
        card_id=_text(facts, "card_id") or None,
        x=_coordinate(facts, "x") if action == CLICK else None,
        y=_coordinate(facts, "y") if action == CLICK else None,
        reasoning=_bounded(facts.get("reasoning"), "reasoning", MAX_REASONING),
    )


def read_card_id(facts: dict[str, Any]) -> str:
    """The id of the card in a request to close it.

    Raises:
        ArcError: the id is missing.
    """
    card_id = _text(facts, "card_id")
    if not card_id:
        raise invalid("missing `card_id` in action data")
    return card_id


def frame_facts(frame: Frame, command: Command, guid: str) -> dict[str, Any]:
    """The answer to a command, except for its ``frame`` (arc, 2.3)."""
    data: dict[str, Any] = {"game_id": command.game_id}
    if command.action == CLICK:
        data.update(x=command.x, y=command.y)
    return {
        "game_id": command.game_id,
        "guid": guid,
        "state": str(frame.state),
        "levels_completed": frame.levels_completed,
        "win_levels": frame.win_levels,
        "score": frame.levels_completed,  # the names before arcengine 0.9.3
        "win_score": frame.win_levels,
        "action_input": {"id": command.action, "data": data, "reasoning": command.reasoning},
        "full_reset": frame.full_reset,
        "available_actions": list(frame.available_actions),
    }


def frame_text(frame: Frame, command: Command, guid: str) -> bytes:
    """The answer to a command as JSON.

    Most of it is pixels. Texts of rows are cached: a frame has few distinct ones, and most recur in the next frame.
    """
    layers = ",".join(f"[{','.join([_row_text(row.tobytes()) for row in layer])}]" for layer in frame.layers)
    head = json.dumps(frame_facts(frame, command, guid), separators=(",", ":"))
    return f'{head[:-1]},"frame":[{layers}]}}'.encode()


@lru_cache(maxsize=1 << 14)
def _row_text(row: bytes) -> str:
    return f"[{','.join(map(str, row))}]"


def _text(facts: dict[str, Any], name: str) -> str | None:
    value = facts.get(name)
    if value is None:
        return None
    if not _is_text(value):
        raise invalid(f"`{name}` must be a string of at most {MAX_TEXT} Unicode characters")
    return value


def _is_text(value: Any) -> TypeGuard[str]:
    """Whether a value is a string of Unicode characters that is not too long; lone surrogates are no characters."""
    return isinstance(value, str) and len(value) <= MAX_TEXT and not any("\ud800" <= each <= "\udfff" for each in value)


def _bounded(value: Any, name: str, most: int) -> Any:
    level = [value]
    for _ in range(MAX_DEPTH):
        inner = [item for item in level if isinstance(item, list | dict)]
        if not inner:
            break
        level = [each for item in inner for each in (item.values() if isinstance(item, dict) else item)]
    else:
        raise invalid(f"`{name}` is nested more than {MAX_DEPTH} deep")
    if len(json.dumps(value, separators=(",", ":"))) > most:
        raise invalid(f"`{name}` exceeds {most} bytes")
    return value


def _coordinate(facts: dict[str, Any], name: str) -> int:
    value = facts.get(name)
    if value is None:
        raise invalid(f"ACTION6 needs `x` and `y`, whole numbers from 0 to {SIZE - 1}; `{name}` is missing")
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(number, str) and number.strip().isdecimal() and len(number) < 10:
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < SIZE:
        raise invalid(f"`{name}` must be a whole number from 0 to {SIZE - 1}, not {value!r:.40}")
    return number


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text:.40} is beyond the range of numbers")
    return number


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")
