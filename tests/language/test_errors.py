"""How errors and warnings are printed and pickled."""

import copy
import pickle
import textwrap
import warnings

import pytest

from vgdl.language import Place, Report, VGDLError, VGDLRuntimeError, VGDLWarning, nearest, parse
from vgdl.language.errors import MESSAGE_WIDTH, QUOTE_WIDTH
from vgdl.language.source import source_of


def printed(line: str, place: Place) -> list[str]:
    """The quoted line and the carets below it."""
    _, quote, carets = str(VGDLError("odd", source_of(line), place)).split("\n")
    return [quote, carets]


def test_all_parts() -> None:
    source = source_of("BasicGame\n  SpriteSet\n    fox > Chasr\n", "yard.txt")
    error = VGDLError("unknown class", source, Place(3, 11, 5), ["a", "b", "c"], "Chaser")
    assert str(error) == textwrap.dedent("""\
        yard.txt:3:11: unknown class
                fox > Chasr
                      ^^^^^
        expected a, b or c
        did you mean 'Chaser'?""")


def test_a_warning_of_the_parser() -> None:
    _, [warning] = parse("BasicGame\n\tSpriteSet\n\t\tfox > Chaser speed = 2\n", "yard.txt")
    assert str(warning) == textwrap.dedent("""\
        yard.txt:3:22: parameter '=' has no value: line ignored
              fox > Chaser speed = 2
                                 ^
        expected key=value, without blanks
        did you mean 'speed=2'?""")


def test_the_message_alone() -> None:
    assert str(VGDLError("odd")) == "odd"


def test_without_place() -> None:
    assert str(VGDLError("odd", source_of("a", "yard.txt"))) == "yard.txt: odd"


def test_a_place_behind_the_last_line_quotes_nothing() -> None:
    assert str(VGDLError("odd", source_of("a"), Place(9, 1))) == "<text>:9:1: odd"


def test_a_runtime_error_names_the_tick() -> None:
    error = VGDLRuntimeError("no class", source_of("fox hen > spawn", "yard.txt"), Place(1, 11, 5), tick=31)
    assert str(error).split("\n")[0] == "yard.txt:1:11: no class (tick 31)"
    assert str(VGDLRuntimeError("no class")) == "no class"


def test_a_caret_behind_the_end_of_the_line() -> None:
    assert printed("fox hen", Place(1, 8)) == ["    fox hen", "           ^"]


def test_tabs_do_not_displace_the_caret() -> None:
    assert printed("\tfox\t>", Place(1, 6)) == ["     fox >", "         ^"]


def test_control_characters_are_visible() -> None:
    line = "a\x00\x1b[2J\x7f\x85\u202eb"
    assert printed(line, Place(1, len(line))) == ["    a␀␛[2J␡\ufffd\ufffdb", "             ^"]


def test_control_characters_in_messages_and_names_are_visible() -> None:
    error = VGDLError("odd '\n'", source_of("", "a\x1bb.txt"), expected=["\t"], suggestion="\r")
    assert str(error) == "a␛b.txt: odd '␊'\nexpected  \ndid you mean '␍'?"


@pytest.mark.parametrize("column", [1, 50, 99, 100, 101, 500, 967, 968, 1000])
def test_long_lines_are_clipped_around_the_caret(column: int) -> None:
    line = "".join(chr(ord("a") + index % 26) for index in range(1000))
    quote, carets = printed(line, Place(1, column, 3))
    assert len(quote) <= QUOTE_WIDTH + 4
    assert quote[len(carets) - 3 : len(carets)] == line[column - 1 : column + 2] or column > 997
    assert (quote[4] == "…") == (column > 34)
    assert quote.endswith("…") == (column < 933)


def test_a_long_word_is_underlined_to_the_end_of_the_quote() -> None:
    quote, carets = printed("a" * 1000, Place(1, 1, 1000))
    assert len(quote) == len(carets) == QUOTE_WIDTH + 4


def test_long_messages_are_clipped() -> None:
    error = VGDLError("x" * 10_000)
    assert str(error) == "x" * (MESSAGE_WIDTH - 1) + "…"
    assert len(repr(error)) < MESSAGE_WIDTH + 20


def test_repr_leaves_out_the_text() -> None:
    assert repr(VGDLError("odd", source_of("secret", "yard.txt"), Place(1, 2))) == "VGDLError('yard.txt:1:2: odd')"


SOURCE = source_of("fox > Chasr")


@pytest.mark.parametrize(
    "report",
    [
        VGDLError("odd", SOURCE, Place(1, 7, 5), ["a"], "Chaser"),
        VGDLWarning("odd", SOURCE, Place(1, 7, 5), ["a"], "Chaser", messages=2),
        VGDLRuntimeError("odd", SOURCE, Place(1, 7, 5), ["a"], "Chaser", tick=3),
        VGDLError("odd"),
    ],
)
def test_copies_are_complete(report: Report) -> None:
    for twin in (pickle.loads(pickle.dumps(report)), copy.copy(report), copy.deepcopy(report)):
        assert type(twin) is type(report)
        assert vars(twin) == vars(report)
        assert str(twin) == str(report)


def test_a_warning_as_an_error() -> None:
    warning = VGDLWarning("odd", SOURCE, Place(1, 7, 5), ["a"], "Chaser")
    assert isinstance(warning.as_error(), VGDLError)
    assert str(warning.as_error()) == str(warning)


def test_warnings_are_python_warnings_and_not_errors() -> None:
    with pytest.warns(UserWarning, match="odd"):
        warnings.warn(VGDLWarning("odd"), stacklevel=1)
    assert not isinstance(VGDLWarning("odd"), VGDLError)


class TestNearest:
    KNOWN = ("Chaser", "Missile", "missile", "RandomNPC")

    @pytest.mark.parametrize(
        ("word", "meant"),
        [("Chasr", "Chaser"), ("CHASER", "Chaser"), ("Misile", "Missile"), ("randomnpc", "RandomNPC"), ("xyz", None)],
    )
    def test_suggestions(self, word: str, meant: str | None) -> None:
        assert nearest(word, self.KNOWN) == meant

    def test_endless_words_are_not_compared(self) -> None:
        assert nearest("Chaser" * 1_000_000, self.KNOWN) is None

    def test_nothing_known(self) -> None:
        assert nearest("fox", iter(())) is None
