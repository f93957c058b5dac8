"""Numbers on command lines: what is too large, negative or no number is refused in a sentence, by every command."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

import pytest

from vgdl import cli, option_types
from vgdl.competition import commands, track

WORDS = [
    *([verb] for verb in cli.VERBS),
    ["check", "--play"],
    *(["compete", name] for name in (*commands.names(), *track.names())),
    *(["compete", name, word] for name in track.names() for word in track.find(name).commands),
]
"""Every command, also those of tracks."""

HOSTILE = ["", "-1", "-" + "9" * 5000, "9" * 5000, "nan", "inf", "-inf", "1e999", "0x10", "1_000", "½", "five"]


class Captured(Exception):
    """The parser of a command, which is about to parse."""


def actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The options and arguments of a parser and of those below it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from actions(below)
        else:
            yield action


@pytest.fixture
def parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        raise Captured(parser)

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse)


@pytest.mark.usefixtures("parsers")
@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_no_command_takes_a_number_that_is_too_large_negative_or_none(words: list[str]) -> None:
    with pytest.raises(Captured) as caught:
        cli.main(words)
    (parser,) = caught.value.args
    for action in actions(parser):
        name = "/".join(action.option_strings) or action.dest
        assert action.type not in (int, float), name
        if action.type is None:
            continue
        for text in HOSTILE:
            try:
                value = action.type(text)  # type: ignore[operator]
            except argparse.ArgumentTypeError as error:
                assert len(str(error)) < 300, name
            except ValueError:
                assert action.choices, name  # which the message names
            else:
                if isinstance(value, int | float):
                    assert math.isfinite(value), (name, text)
                    assert abs(value) <= 2**128, (name, text)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (option_types.positive, "0", "'0' is not a number of 1 or more"),
        (option_types.positive, "1000000001", "1000000001 is more than 1000000000"),
        (option_types.count, "-1", "'-1' is not a whole number of 0 or more"),
        (option_types.whole(2, 5), "6", "'6' is not a number from 2 to 5"),
        (option_types.amount, "nan", "'nan' is not a number of 0 or more"),
        (option_types.amount, "-0.5", "'-0.5' is not a number of 0 or more"),
        (option_types.above_zero(60.0, "minutes"), "0", "'0' is not a number of minutes above 0 and up to 60"),
    ],
)
def test_a_number_beyond_a_limit_is_answered_with_the_limit(kind: Any, text: str, message: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        kind(text)
    assert str(caught.value) == message


def test_numbers_within_the_limits_are_read() -> None:
    assert option_types.positive("1000000000") == 10**9
    assert option_types.count("0") == 0
    assert option_types.whole(-3, 5)("-3") == -3
    assert option_types.amount("1e3") == 1000.0
    assert option_types.above_zero(60.0, "minutes")("0.5") == 0.5
    assert option_types.seed("-9223372036854775808") == -(2**63)
