"""How one line is read (language, 2.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vgdl.language import (
    InteractionLine,
    MappingLine,
    ParameterLine,
    Place,
    SectionKind,
    SpriteLine,
    TerminationLine,
    VGDLWarning,
    parse,
    records,
)
from vgdl.language.description import Argument, Arguments, Entry


def entries(header: str, *lines: str) -> tuple[list[Entry], list[VGDLWarning]]:
    """The entries of a section, whose first line is line 3 of the text; entries are indented by 4."""
    description, warnings = parse("\n".join(["BasicGame", f"  {header}", *(f"    {line}" for line in lines)]))
    return list(description.entries(SectionKind(header))), warnings


def sprite(line: str) -> SpriteLine:
    [entry], warnings = entries("SpriteSet", line)
    assert isinstance(entry, SpriteLine)
    assert not warnings
    return entry


def interaction(line: str) -> InteractionLine:
    [entry], warnings = entries("InteractionSet", line)
    assert isinstance(entry, InteractionLine)
    assert not warnings
    return entry


def mapping(line: str) -> MappingLine:
    [entry], warnings = entries("LevelMapping", line)
    assert isinstance(entry, MappingLine)
    assert not warnings
    return entry


def dropped(header: str, line: str) -> VGDLWarning:
    """The one warning for a line that does not survive."""
    found, [warning] = entries(header, line)
    assert not found
    assert warning.messages == 1
    assert warning.place is not None
    assert warning.place.line == 3
    return warning


def values(arguments: Arguments) -> dict[str, str]:
    return {key: argument.value for key, argument in arguments.items()}


class TestGameLine:
    def test_class_and_parameters(self) -> None:
        game = parse("BasicGame key_handler=Pulse no_players=2")[0].game
        assert game.class_name.text == "BasicGame"
        assert game.class_name.at == Place(1, 1, 9)
        assert values(game.arguments) == {"key_handler": "Pulse", "no_players": "2"}

    def test_other_words_are_ignored(self) -> None:
        description, warnings = parse("Any > thing a=1 else")
        assert description.game.class_name.text == "Any"
        assert values(description.game.arguments) == {"a": "1"}
        assert not warnings


class TestArguments:
    def test_places_of_key_and_value(self) -> None:
        argument = sprite("fox > speed=0.25").arguments["speed"]
        assert argument == Argument("speed", "0.25", Place(3, 11, 5), Place(3, 17, 4))

    def test_pieces_behind_a_second_equals_sign_are_ignored(self) -> None:
        assert values(sprite("fox > a=b=c").arguments) == {"a": "b"}

    def test_empty_key(self) -> None:
        assert values(sprite("fox > =x").arguments) == {"": "x"}

    def test_empty_value_between_equals_signs(self) -> None:
        assert values(sprite("fox > a==b").arguments) == {"a": ""}

    def test_a_later_duplicate_takes_the_place_of_the_earlier(self) -> None:
        arguments = sprite("fox > a=1 b=2 a=3").arguments
        assert list(values(arguments).items()) == [("a", "3"), ("b", "2")]
        assert arguments["a"].value_at.column == 21

    @pytest.mark.parametrize("header", ["SpriteSet", "TerminationSet", "ParameterSet"])
    @pytest.mark.parametrize("word", ["key=", "=", "==", "key=="])
    def test_no_value_drops_the_line(self, header: str, word: str) -> None:
        warning = dropped(header, f"fox > values=1:1:2 {word}")
        assert warning.place == Place(3, 24, len(word))
        assert warning.message == f"parameter '{word}' has no value: line ignored"
        assert warning.expected == ("key=value, without blanks",)
        assert warning.suggestion is None

    @pytest.mark.parametrize(("written", "column"), [("speed= 3", 11), ("speed = 3", 17)])
    def test_blanks_around_equals_drop_the_line(self, written: str, column: int) -> None:
        warning = dropped("SpriteSet", f"fox > {written}")
        assert warning.place is not None
        assert warning.place.column == column
        assert warning.suggestion == "speed=3"

    def test_blank_before_equals_only_makes_a_class_and_an_empty_key(self) -> None:
        fox = sprite("fox > speed =3")
        assert str(fox.class_name) == "speed"
        assert values(fox.arguments) == {"": "3"}

    def test_no_suggestion_from_the_mark(self) -> None:
        assert dropped("SpriteSet", "fox a= > Immovable").suggestion is None

    def test_unicode_blanks_are_no_blanks(self) -> None:
        warning = dropped("SpriteSet", "fox > \xa0=")
        assert warning.place == Place(3, 11, 2)


class TestSpriteLine:
    def test_definition(self) -> None:
        fox = sprite("fox > Missile")
        assert (fox.name.text, fox.name.at) == ("fox", Place(3, 5, 3))
        assert fox.class_name is not None
        assert (fox.class_name.text, fox.class_name.at) == ("Missile", Place(3, 11, 7))
        assert fox.is_definition

    def test_without_mark_it_is_not_a_definition(self) -> None:
        fox = sprite("fox Missile")
        assert not fox.is_definition
        assert str(fox.class_name) == "Missile"

    def test_without_class(self) -> None:
        assert sprite("fox >").class_name is None

    def test_the_last_class_wins(self) -> None:
        assert str(sprite("fox > Missile speed=1 Bomber").class_name) == "Bomber"

    def test_the_mark_may_stand_anywhere(self) -> None:
        assert sprite("fox Missile speed=1 >").is_definition

    @pytest.mark.parametrize("word", [">>", ">x", "x>", "->"])
    def test_only_a_lone_mark_is_one(self, word: str) -> None:
        fox = sprite(f"fox {word}")
        assert not fox.is_definition
        assert str(fox.class_name) == word

    @pytest.mark.parametrize("name", [">", "a=b", "a=", "(a,b)", "a\x01b"])
    def test_the_first_word_is_the_name_whatever_it_is(self, name: str) -> None:
        fox = sprite(f"{name} Missile")
        assert fox.name.text == name
        assert not fox.is_definition
        assert not fox.arguments


class TestInteractionLine:
    def test_all_parts(self) -> None:
        line = interaction("fox hen egg > killSprite scoreChange=2")
        assert line.first.text == "fox"
        assert [(name.text, name.at.column) for name in line.seconds] == [("hen", 9), ("egg", 13)]
        assert line.effect is not None
        assert (line.effect.text, line.effect.at) == ("killSprite", Place(3, 19, 10))
        assert values(line.arguments) == {"scoreChange": "2"}
        assert line.is_definition

    def test_text_is_the_line_without_comment_and_outer_blanks(self) -> None:
        assert interaction("fox  hen\t> killSprite  # bite").text == "fox  hen\t> killSprite"

    def test_one_word_is_a_header(self) -> None:
        line = interaction("fox")
        assert (line.first.text, line.seconds, line.effect, line.is_definition) == ("fox", (), None, False)

    def test_no_second_object(self) -> None:
        line = interaction("fox > killSprite")
        assert line.seconds == ()
        assert line.is_definition

    def test_before_the_mark_equals_means_nothing(self) -> None:
        line = interaction("fox a=b c= > killSprite")
        assert [name.text for name in line.seconds] == ["a=b", "c="]
        assert not line.arguments

    def test_the_effect_may_follow_parameters_and_the_last_one_wins(self) -> None:
        assert str(interaction("fox hen > a=1 stepBack > b=2 killSprite c=3").effect) == "killSprite"

    def test_the_first_word_is_an_object_even_if_it_is_the_mark(self) -> None:
        line = interaction("> hen > killSprite")
        assert line.first.text == ">"
        assert [name.text for name in line.seconds] == ["hen"]

    def test_without_mark_it_is_dropped(self) -> None:
        warning = dropped("InteractionSet", "fox hen killSprite")
        assert warning.place == Place(3, 23)
        assert warning.message == "interaction without '>': line ignored"
        assert warning.expected == ("'>' and the name of an effect",)

    @pytest.mark.parametrize("line", ["fox hen >", "fox hen > a=1", "fox >", "fox hen > > >"])
    def test_without_effect_it_is_dropped(self, line: str) -> None:
        warning = dropped("InteractionSet", line)
        assert warning.place == Place(3, len(line) + 5)
        assert warning.message == "interaction without an effect: line ignored"
        assert warning.expected == ("the name of an effect",)

    def test_a_parameter_without_value_drops_it(self) -> None:
        assert dropped("InteractionSet", "fox hen > killSprite a=").place == Place(3, 26, 2)


class TestMappingLine:
    def test_character_and_names(self) -> None:
        line = mapping("f > grass fox")
        assert line.character == "f"
        assert [(name.text, name.at) for name in line.names] == [("grass", Place(3, 9, 5)), ("fox", Place(3, 15, 3))]
        assert line.at == Place(3, 5, 1)

    def test_the_rest_of_the_first_word_is_ignored(self) -> None:
        assert mapping("fox > grass").character == "f"

    def test_the_second_word_is_skipped_whatever_it_is(self) -> None:
        assert [name.text for name in mapping("f grass fox a= >").names] == ["fox", "a=", ">"]

    def test_two_words_map_to_nothing(self) -> None:
        line = mapping("f >")
        assert (line.character, line.names) == ("f", ())

    def test_one_word_has_no_character(self) -> None:
        line = mapping("f")
        assert (line.character, line.names) == (None, ())


class TestTerminationLine:
    def test_class_and_parameters_others_ignored(self) -> None:
        [entry], warnings = entries("TerminationSet", "Timeout > limit=9 foo win=True")
        assert isinstance(entry, TerminationLine)
        assert entry.class_name.text == "Timeout"
        assert values(entry.arguments) == {"limit": "9", "win": "True"}
        assert not warnings

    def test_one_word(self) -> None:
        [entry], warnings = entries("TerminationSet", "Timeout")
        assert isinstance(entry, TerminationLine)
        assert not entry.arguments
        assert not warnings


class TestParameterLine:
    def test_name_and_parameters(self) -> None:
        [entry], warnings = entries("ParameterSet", "PACE > values=0.1:0.1:1.0 string=pace")
        assert isinstance(entry, ParameterLine)
        assert entry.name.text == "PACE"
        assert values(entry.arguments) == {"values": "0.1:0.1:1.0", "string": "pace"}
        assert not warnings

    def test_without_any_parameter_it_is_kept(self) -> None:
        [entry], warnings = entries("ParameterSet", "PACE > pace")
        assert isinstance(entry, ParameterLine)
        assert not entry.arguments
        assert not warnings

    def test_parameters_but_no_values_drop_it(self) -> None:
        warning = dropped("ParameterSet", "PACE > string=pace")
        assert warning.place == Place(3, 5, 4)
        assert warning.message == "parameter 'PACE' has no values: line ignored"


def plain_arguments(words: list[str]) -> dict[str, str] | None:
    """The table of the specification once more, by splitting; None if the line is dropped."""
    arguments = {}
    for word in words:
        if "=" in word:
            if not word.partition("=")[2].strip("="):
                return None
            key, value = word.split("=")[:2]
            arguments[key] = value
    return arguments


def plain_record(header: str, words: list[str]) -> object:
    """The contents of a line, without places; None if it is dropped."""
    first, *rest = words
    if header == "LevelMapping":
        return (first[0], rest[1:]) if rest else (None, [])
    seconds: list[str] = []
    if header == "InteractionSet" and rest:
        if ">" not in rest:
            return None
        seconds, rest = rest[: rest.index(">")], rest[rest.index(">") :]
    arguments = plain_arguments(rest)
    others = [word for word in rest if "=" not in word and word != ">"]
    if arguments is None:
        return None
    if header == "ParameterSet":
        return None if arguments and "values" not in arguments else (first, arguments)
    if header == "TerminationSet":
        return first, arguments
    if header == "InteractionSet" and rest and not others:
        return None
    last = others[-1] if others else None
    return first, seconds, last, arguments, ">" in rest


def record_without_places(entry: Entry) -> object:
    match entry:
        case MappingLine(character, names):
            return character, [name.text for name in names]
        case SpriteLine(name, class_name, arguments, is_definition):
            return name.text, [], class_name and class_name.text, values(arguments), is_definition
        case InteractionLine(name, seconds, effect, arguments, is_definition):
            objects = [second.text for second in seconds]
            return name.text, objects, effect and effect.text, values(arguments), is_definition
        case TerminationLine(name, arguments) | ParameterLine(name, arguments):
            return name.text, values(arguments)


@given(
    st.sampled_from([kind.value for kind in SectionKind]),
    st.lists(st.text("ab>=", min_size=1, max_size=4) | st.sampled_from([">", "values=1"]), min_size=1, max_size=6),
    st.sampled_from([" ", "\t", " \f\v "]),
)
def test_any_line_reads_as_by_plain_splitting(header: str, words: list[str], blank: str) -> None:
    found, warnings = entries(header, blank.join(words))
    expected = plain_record(header, words)
    assert [record_without_places(entry) for entry in found] == ([] if expected is None else [expected])
    assert len(warnings) == (expected is None)


@given(st.lists(st.text("ab>=\xa0\x01", min_size=1, max_size=4).filter(lambda word: word.strip("\x01")), min_size=1))
def test_places_cut_the_words_out_of_the_line(words: list[str]) -> None:
    line = "  " + "  ".join(words) + " x"
    found, _ = entries("LevelMapping", line)
    for entry in found:
        assert isinstance(entry, MappingLine)
        for name in entry.names:
            start = name.at.column - 5
            assert line[start : start + name.at.length] == name.text


def test_the_parser_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = sprite("fox > Immovable")
    monkeypatch.delattr(records, "Lark")
    assert sprite("fox > Immovable") == first
