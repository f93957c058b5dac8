"""How value texts are read and stored (language, 5.1 and 5.2)."""

from __future__ import annotations

import math
import random
import struct

import pytest

from vgdl.ontology.constants import CONSTANTS, Form, Value
from vgdl.ontology.rows import Kind
from vgdl.ontology.values import convert, store

#: A value of each form, and how each kind of field holds it: the storing table of language 5.1.
EXAMPLES = {
    Form.INTEGER: Value(Form.INTEGER, 7),
    Form.DOUBLE: Value(Form.DOUBLE, 2.5),
    Form.BOOLEAN: Value(Form.BOOLEAN, True),
    Form.TEXT: Value(Form.TEXT, "box"),
    Form.DIRECTION: Value(Form.DIRECTION, (0.0, 1.0)),
    Form.COLOR: Value(Form.COLOR, (1, 2, 3)),
    Form.LIST: Value(Form.LIST, None),
}
STORED: dict[tuple[Kind, Form], object] = {
    (Kind.INT, Form.INTEGER): 7,
    (Kind.FLOAT, Form.INTEGER): 7.0,
    (Kind.DOUBLE, Form.INTEGER): 7.0,
    (Kind.DOUBLE, Form.DOUBLE): 2.5,
    (Kind.BOOL, Form.BOOLEAN): True,
    (Kind.TEXT, Form.TEXT): "box",
    (Kind.DIRECTION, Form.DIRECTION): (0.0, 1.0),
    (Kind.COLOR, Form.COLOR): (1, 2, 3),
}


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("form", Form)
def test_the_storing_table(kind: Kind, form: Form) -> None:
    stored = store(kind, EXAMPLES[form])
    expected = STORED.get((kind, form))
    assert stored == expected
    assert type(stored) is type(expected)


def test_false_and_zero_are_stored_not_ignored() -> None:
    assert store(Kind.BOOL, convert("is_static", "false")) is False
    assert store(Kind.INT, convert("limit", "0")) == 0


@pytest.mark.parametrize("text", ["0", "7", "+5", "-3", "007", "-0", "2147483647", "-2147483648", "0" * 5000 + "9"])
def test_integers(text: str) -> None:
    assert convert("limit", text) == Value(Form.INTEGER, int(text.replace("0" * 5000, "")))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("-.25", -0.25),
        ("1e3", 1000.0),
        ("1E-3", 0.001),
        ("1d", 1.0),
        ("2f", 2.0),
        ("0.1f", 0.1),
        ("2.5e1D", 25.0),
        ("2147483648", 2147483648.0),
        ("-2147483649", -2147483649.0),
        ("0x1p4", 16.0),
        ("-0x1.8p1", -3.0),
        ("0x.8P+1f", 1.0),
        ("0xA.p0", 10.0),
        ("1e999", math.inf),
        ("-0x1p99999", -math.inf),
        ("0x1p-99999", 0.0),
        ("Infinity", math.inf),
        ("+Infinity", math.inf),
        ("-Infinity", -math.inf),
    ],
)
def test_doubles(text: str, number: float) -> None:
    assert convert("speed", text) == Value(Form.DOUBLE, number)


def test_not_a_number() -> None:
    value = convert("speed", "NaN")
    assert value.form is Form.DOUBLE
    assert isinstance(value.content, float)
    assert math.isnan(value.content)


@pytest.mark.parametrize(
    "text",
    ["1,0", "1.2.3", "e3", ".", "1_000", "0x10", "0x.p1", "inf", "nan", "NaNd", "--1", "1l", "1fd", "", "-", "1 "],
)
def test_anything_but_a_number_is_text(text: str) -> None:
    assert convert("limit", text) == Value(Form.TEXT, text)


@pytest.mark.parametrize("text", ["true", "True", "TRUE", "tRuE", "false", "False"])
def test_truth_values_in_any_case(text: str) -> None:
    assert convert("is_static", text) == Value(Form.BOOLEAN, text.lower() == "true")


@pytest.mark.parametrize("key", ["win", "hidden", "invisible", "WIN", "Hidden"])
def test_flag_lists_keep_truth_values_as_text(key: str) -> None:
    assert convert(key, "True") == Value(Form.TEXT, "True")
    assert convert(key, "1") == Value(Form.INTEGER, 1)


@pytest.mark.parametrize("key", ["scoreChange", "scoreChangeIfKilled", "SCORECHANGE"])
@pytest.mark.parametrize("text", ["1", "-2", "0.5", "1,2", "true"])
def test_scores_are_always_text(key: str, text: str) -> None:
    assert convert(key, text) == Value(Form.TEXT, text)


def test_a_constant_comes_before_every_other_rule() -> None:
    assert convert("scoreChange", "GRID") == Value(Form.INTEGER, 0)
    assert convert("win", "UP") == Value(Form.DIRECTION, (0.0, -1.0))
    assert convert("stype", "gold") == Value(Form.TEXT, "gold")
    assert store(Kind.TEXT, convert("stype", "GOLD")) is None


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        ("UP", (0, -1)),
        ("DOWN", (0, 1)),
        ("LEFT", (-1, 0)),
        ("RIGHT", (1, 0)),
        ("NONE", (0, 0)),
        ("NIL", (-1, -1)),
    ],
)
def test_directions_have_two_spellings(name: str, direction: tuple[int, int]) -> None:
    assert convert("orientation", name) == convert("orientation", f"D{name}") == Value(Form.DIRECTION, direction)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("GRID", 0),
        ("CONT", 1),
        ("PHYSICS_NONE", -1),
        ("SCORE_DISQ", -1000),
        ("TYPE_MOVABLE", 6),
        ("NUM_LEARNING_LEVELS", 5),
    ],
)
def test_integer_constants(name: str, number: int) -> None:
    assert convert("physicstype", name) == Value(Form.INTEGER, number)


def test_the_table_of_constants_is_complete() -> None:
    count = {form: sum(value.form is form for value in CONSTANTS.values()) for form in Form}
    assert count == {
        Form.DIRECTION: 12,
        Form.INTEGER: 22,
        Form.COLOR: 21,
        Form.LIST: 4,
        Form.DOUBLE: 0,
        Form.BOOLEAN: 0,
        Form.TEXT: 0,
    }


def test_lists_fit_no_field() -> None:
    for kind in Kind:
        assert store(kind, convert("orientation", "BASEDIRS")) is None


def test_some_well_known_traps() -> None:
    assert store(Kind.INT, convert("cooldown", "1.5")) is None
    assert store(Kind.FLOAT, convert("maxDistance", "40.5")) is None
    assert store(Kind.BOOL, convert("singleton", "1")) is None
    assert store(Kind.TEXT, convert("counter", "1")) is None
    assert store(Kind.TEXT, convert("counter", "1,0")) == "1,0"
    assert store(Kind.TEXT, convert("img", "true")) is None


def test_a_float_field_rounds_to_binary32() -> None:
    assert store(Kind.FLOAT, Value(Form.INTEGER, 16777217)) == 16777216.0


def test_every_integer_comes_back() -> None:
    numbers = random.Random(1)
    for _ in range(1000):
        number = numbers.randrange(-(2**31), 2**31)
        assert store(Kind.INT, convert("value", str(number))) == number
        assert store(Kind.DOUBLE, convert("value", f"{number:+d}")) == float(number)


def test_every_double_comes_back_from_each_of_its_spellings() -> None:
    numbers = random.Random(2)
    for _ in range(1000):
        (number,) = struct.unpack("d", numbers.randbytes(8))
        if math.isfinite(number):
            for text in (repr(number), number.hex(), f"{number!r}d"):
                assert store(Kind.DOUBLE, convert("speed", text)) == number


def test_any_text_is_read_and_fits_at_most_the_kinds_of_its_form() -> None:
    numbers = random.Random(3)
    for _ in range(5000):
        text = "".join(numbers.choices("0123456789+-.eExXpPfFdDnNaAtTrRuU,_", k=numbers.randrange(1, 8)))
        value = convert("stype", text)
        if value.form is Form.TEXT:
            assert value.content == text
        fitting = {kind for kind in Kind if store(kind, value) is not None}
        assert fitting == {kind for kind, form in STORED if form is value.form}
