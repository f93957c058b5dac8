"""How a model at an endpoint is asked: address, key, prices, limits, and the fields of its requests.

A description is a table, as in a `models file <read_models>`_ and in ``--model-option``; it is plain data without keys,
which plans store and results show.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from vgdl.competition import typed
from vgdl.competition.addresses import is_http_address
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.chat.accounts import Limits, Price
from vgdl.competition.options import OptionError
from vgdl.language import suggestion

KEY_ENV = "OPENAI_API_KEY"
"""The environment variable that holds the key, unless another one is named."""

TIMEOUT_S = 300.0
"""Seconds without a sign of life from an endpoint after which a request counts as lost."""

ROLES = ("system", "developer", "user")
"""Roles of instructions; ``user`` puts them at the head of the first message, for models without a system role."""

LIMIT_FIELDS = ("max_tokens", "max_completion_tokens")
"""Names of the field that limits the tokens of a reply."""

_SECRET = re.compile(r"authorization|api[-_]?key|cookie|secret|password|(?:^|[-_])token$", re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_MANAGED = ("model", "messages", *LIMIT_FIELDS)


class FieldInvalid(ValueError):
    """A field of a model has an unusable value."""

    def __init__(self, path: Sequence[str], message: str) -> None:
        super().__init__(f"{'.'.join(path)}: {message}")
        self.path = tuple(path)
        self.message = message


@dataclass(frozen=True, slots=True)
class Fields:
    """What the requests to a model contain, besides messages and sampling."""

    max_tokens_field: str = ""  #: one of `LIMIT_FIELDS`; empty: the first, or the second where the first is refused
    reasoning_effort: str = ""  #: for example ``low``; empty: the provider's default
    system: str = "system"  #: one of `ROLES`
    stream: bool = True  #: whether replies come in parts, so that a long one is not taken for a lost one
    timeout: float = TIMEOUT_S  #: seconds without data; of a reply that is not streamed, for the whole of it
    headers: Mapping[str, str] = field(default_factory=dict)  #: further headers; ``$NAME`` stands for a variable
    extra_body: Mapping[str, Any] = field(default_factory=dict)  #: further fields of the body

    def resolved_headers(self) -> dict[str, str]:
        """The headers with the values of environment variables, which are secrets.

        Raises:
            FieldInvalid: a variable is not set.
        """
        return {name: _VARIABLE.sub(partial(_value, name), text) for name, text in self.headers.items()}

    def secrets(self) -> list[str]:
        """The values of the environment variables that headers name."""
        return [_value(name, found) for name, text in self.headers.items() for found in _VARIABLE.finditer(text)]


def _value(header: str, reference: re.Match[str]) -> str:
    variable = reference[1] or reference[2]
    value = os.environ.get(variable)
    if value is None:
        raise FieldInvalid(("headers", header), f"the environment variable {variable} is not set")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model behind an OpenAI-compatible endpoint. It has the name of the key's variable, not the key."""

    url: str = ""
    model: str = ""  #: the model's name there
    key_env: str = KEY_ENV
    price: Price | None = None  #: None if it is unknown
    limits: Limits = field(default_factory=Limits)  #: of this player in a session
    fields: Fields = field(default_factory=Fields)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Restore it from ``dataclasses.asdict``; what earlier versions did not have gets its default.

        Raises:
            WrongType: the facts do not describe one.
        """
        return typed.read(cls, facts, "endpoint")

    def shown(self) -> dict[str, Any]:
        """What results say about it, without what has its default."""
        plain, default = asdict(self), asdict(Endpoint())
        fields = {name: value for name, value in plain["fields"].items() if value != default["fields"][name]}
        limits = {name: value for name, value in plain["limits"].items() if value is not None}
        return {
            "url": self.url,
            "model": self.model,
            "key_env": self.key_env,
            "price": plain["price"],
            "limits": limits,
            "fields": fields,
        }


def endpoint_of(table: Mapping[str, Any]) -> Endpoint:
    """Read the description of a model.

    Raises:
        FieldInvalid: a field is unknown, missing or has an unusable value; its path says which.
    """
    names = ("endpoint", "model", "key_env", "price", "limits", *_FIELD_KINDS)
    for name in table:
        if name not in names:
            hint = "; a key is never written down: key_env names its environment variable" if "key" in name else ""
            raise FieldInvalid((name,), f"there is no such field{hint or suggestion(name, names)}")
    url, model = _text(table, "endpoint"), _text(table, "model")
    for name, value in (("endpoint", url), ("model", model)):
        if not value:
            raise FieldInvalid((name,), "it is missing")
    check_address(url)
    key_env = _text(table, "key_env") or KEY_ENV
    check_variable(key_env)
    fields = {name: kind(table[name], name) for name, kind in _FIELD_KINDS.items() if name in table}
    return Endpoint(
        url=url,
        model=model,
        key_env=key_env,
        price=_price(table["price"]) if "price" in table else None,
        limits=_limits(table.get("limits", {})),
        fields=Fields(**fields),
    )


def check_address(url: str) -> None:
    """Check the address of an endpoint, which is stored and shown.

    Raises:
        FieldInvalid: it is none, or it could contain a key.
    """
    if not is_http_address(url):
        raise FieldInvalid(("endpoint",), f"{url!r:.200} is not an address: expected one like https://host/v1")
    parts = urlsplit(url)
    if parts.username is not None or parts.query:
        reason = "addresses are stored and shown, so they must not contain user names, passwords or queries"
        raise FieldInvalid(("endpoint",), f"{reason}; use key_env and headers")


def check_variable(name: str) -> None:
    """Check the name of a key's environment variable; what may be a key itself is not shown.

    Raises:
        FieldInvalid: it is no name.
    """
    if not re.fullmatch(r"[A-Za-z_]\w{0,63}", name) or (not name.isupper() and name not in os.environ):
        reason = "expected the name of an environment variable that is set, for example OPENAI_API_KEY, not a key"
        raise FieldInvalid(("key_env",), reason)


def _text(table: Mapping[str, Any], name: str) -> str:
    value = table.get(name, "")
    if not isinstance(value, str):
        raise FieldInvalid((name,), f"expected a text, not {value!r:.60}")
    return value


def _price(value: object) -> Price:
    try:
        return Price.parse(value if isinstance(value, str) else "")
    except ValueError as error:
        raise FieldInvalid(("price",), str(error)) from None


def _limits(value: object) -> Limits:
    names = ("calls", "tokens", "cost")
    if not isinstance(value, dict):
        raise FieldInvalid(("limits",), f"expected a table of {', '.join(names)}, not {value!r:.60}")
    for name, number in value.items():
        if name not in names:
            raise FieldInvalid(("limits", name), f"there is no such limit{suggestion(name, names)}")
        is_number = isinstance(number, int if name != "cost" else int | float) and not isinstance(number, bool)
        if not is_number or not 0 < number < math.inf:
            kind = "positive number" if name == "cost" else "positive whole number"
            raise FieldInvalid(("limits", name), f"expected a {kind}, not {number!r:.60}")
    return Limits(**{f"max_{name}": number for name, number in value.items()})


def _one_of(*known: str) -> Any:
    def parse(value: object, name: str) -> str:
        if value not in known:
            raise FieldInvalid((name,), f"expected {' or '.join(known)}, not {value!r:.60}")
        return str(value)

    return parse


def _effort(value: object, name: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"\w{1,30}", value):
        raise FieldInvalid((name,), f"expected a word such as low, medium or high, not {value!r:.60}")
    return value


def _switch(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise FieldInvalid((name,), f"expected true or false, not {value!r:.60}")
    return value


def _seconds(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 86_400:
        raise FieldInvalid((name,), f"expected seconds, more than 0 and at most 86400, not {value!r:.60}")
    return float(value)


def _headers(value: object, name: str) -> dict[str, str]:
    if not isinstance(value, dict):
        raise FieldInvalid((name,), f"expected a table of texts, not {value!r:.60}")
    for header, text in value.items():
        if not isinstance(text, str) or not (header.isascii() and text.isprintable()):
            raise FieldInvalid((name, header), "expected a text of one line")
        _check_secret((name, header), text)
    return dict(value)


def _body(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FieldInvalid((name,), f"expected a table, not {value!r:.60}")
    for key in _MANAGED:
        if key in value:
            raise FieldInvalid((name, key), "the request has this field already")
    _check_plain((name,), value)
    return dict(value)


def _check_plain(path: tuple[str, ...], value: object) -> None:
    """Check that a value is JSON without secrets."""
    if isinstance(value, dict):
        for key, item in value.items():
            if re.search(r"authorization|api[-_]?key|secret|password", key, re.IGNORECASE):
                raise FieldInvalid((*path, key), "fields are stored and shown, so they must not contain keys")
            _check_plain((*path, key), item)
    elif isinstance(value, list):
        for item in value:
            _check_plain(path, item)
    elif not isinstance(value, str | int | float | bool) or (isinstance(value, float) and not math.isfinite(value)):
        raise FieldInvalid(path, "expected texts, numbers, true, false, lists and tables")


def _check_secret(path: tuple[str, ...], text: str) -> None:
    if _SECRET.search(path[-1]) and not _VARIABLE.search(text):
        reason = "headers are stored and shown: name an environment variable in place of a key"
        raise FieldInvalid(path, f'{reason}, for example "$MY_KEY"')


_FIELD_KINDS = {
    "max_tokens_field": _one_of(*LIMIT_FIELDS),
    "reasoning_effort": _effort,
    "system": _one_of(*ROLES),
    "stream": _switch,
    "timeout": _seconds,
    "headers": _headers,
    "extra_body": _body,
}


def read_models(path: Path) -> dict[str, dict[str, Any]]:
    """Read a models file: TOML with a table per model, whose title is the model's name in tables.

    Raises:
        OptionError: the file cannot be read, or a value cannot be used; the message has its line.
    """
    try:
        text = path.read_text(encoding="utf-8")
        found = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"the models file {path} cannot be read: {error}") from None
    except (ValueError, RecursionError) as error:  # not TOML, a number with too many digits, or nested too deeply
        raise OptionError(printable(f"{path} is not TOML: {error}")) from None
    for name, table in found.items():
        if not isinstance(table, dict):
            where = _line(text, (name,))
            raise OptionError(printable(f"{path}, line {where}: expected a table per model, such as [{name}]"))
        try:
            endpoint_of(table)
        except FieldInvalid as error:
            where = _line(text, (name, *error.path))
            raise OptionError(printable(f"{path}, line {where}: {name}.{error}")) from None
    return found


def _line(text: str, path: Sequence[str]) -> int:
    """The line of a TOML file that sets a value; that of its table if the value is missing."""
    table: tuple[str, ...] = ()
    best, depth = 1, 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[([^\[\]]+)\]", line):
            table = _parts(header[1])
            here = table
        elif key := re.match(r"\s*([\w.\"' -]+?)\s*=", line):
            here = (*table, *_parts(key[1]))
        else:
            continue
        common = len(here) if tuple(path[: len(here)]) == here else 0
        if common > depth:
            best, depth = number, common
    return best


def _parts(key: str) -> tuple[str, ...]:
    """The parts of a dotted key."""
    return tuple(part.strip().strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.]+", key))


def with_option(tables: Mapping[str, dict[str, Any]], text: str) -> dict[str, dict[str, Any]]:
    """The descriptions of models with one value of ``--model-option NAME.FIELD=VALUE`` set; a value is TOML, or a text.

    Raises:
        OptionError: the text has another form, or there is no such model.
    """
    target, equals, value = text.partition("=")
    name = max((name for name in tables if target.startswith(f"{name}.")), key=len, default="")
    if not equals or not name:
        known = ", ".join(tables) or "none"
        hint = f"the models of this run are {known}"
        raise OptionError(f"--model-option expects NAME.FIELD=VALUE, not {target!r:.80}; {hint}")
    path = target.removeprefix(f"{name}.").split(".")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        parsed = value
    return {**tables, name: _set(tables[name], path, parsed)}


def _set(table: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    """A copy of nested tables with one value set."""
    if len(path) == 1:
        return {**table, path[0]: value}
    inner = table.get(path[0], {})
    return {**table, path[0]: _set(inner if isinstance(inner, dict) else {}, path[1:], value)}
