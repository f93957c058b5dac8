"""Lines, the indentation tree and the sections of a text (language, 1 to 4)."""

import threading
from pathlib import Path

import pytest

from vgdl.language import (
    Description,
    InteractionLine,
    Place,
    SectionKind,
    SpriteLine,
    TruncatedGameWarning,
    VGDLError,
    VGDLWarning,
    parse,
    parse_file,
)
from vgdl.language.description import Entry
from vgdl.language.parser import MOST_WARNINGS

GAME = """\
BasicGame square_size=20   # a yard
    SpriteSet
        bird >
            hen > RandomNPC
            fox > Chaser stype=hen
        egg > Immovable

    LevelMapping
        h > hen
    InteractionSet
        fox hen > killBoth
    TerminationSet
        Timeout limit=300
"""


def clean(text: str) -> Description:
    description, warnings = parse(text)
    assert not warnings
    return description


def sprites(description: Description) -> list[Entry]:
    return list(description.entries(SectionKind.SPRITES))


def outline(lines: list[Entry] | tuple[Entry, ...]) -> list[object]:
    """Names of sprites, each followed by the list of its children, if any."""
    result: list[object] = []
    for line in lines:
        assert isinstance(line, SpriteLine)
        result.append(line.name.text)
        if line.children:
            result.append(outline(line.children))
    return result


def fatal(text: str) -> VGDLError:
    with pytest.raises(VGDLError) as caught:
        parse(text)
    return caught.value


def only_warning(text: str) -> tuple[Description, VGDLWarning]:
    description, [warning] = parse(text)
    return description, warning


def test_a_whole_game() -> None:
    description = clean(GAME)
    assert [section.kind for section in description.sections] == [
        SectionKind.SPRITES,
        SectionKind.MAPPING,
        SectionKind.INTERACTIONS,
        SectionKind.TERMINATIONS,
    ]
    assert [section.at for section in description.sections] == [
        Place(2, 5, 9), Place(8, 5, 12), Place(10, 5, 14), Place(12, 5, 14),
    ]  # fmt: skip
    assert outline(sprites(description)) == ["bird", ["hen", "fox"], "egg"]


class TestFiles:
    def test_the_name_of_the_file_is_in_messages(self, tmp_path: Path) -> None:
        path = tmp_path / "yard.txt"
        path.write_text("BasicGame\n SpriteSet\n  fox > speed=\n")
        description, [warning] = parse_file(path)
        assert description.source.name == str(path)
        assert str(warning).startswith(f"{path}:3:9: parameter 'speed='")

    def test_a_file_that_cannot_be_read(self, tmp_path: Path) -> None:
        with pytest.raises(VGDLError, match="cannot be read: No such file"):
            parse_file(tmp_path / "none.txt")

    def test_a_name_that_no_file_can_have(self) -> None:
        with pytest.raises(VGDLError, match="cannot be read"):
            parse_file("a\0b")

    def test_bytes_that_are_not_text(self, tmp_path: Path) -> None:
        path = tmp_path / "binary.txt"
        path.write_bytes(b"Basic\xff\xfeGame")
        assert parse_file(path)[0].game.class_name.text == "Basic\ufffd\ufffdGame"


class TestLines:
    @pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
    def test_terminators(self, end: str) -> None:
        description = clean(GAME.replace("\n", end))
        assert description.source.lines == tuple(GAME.split("\n")[:-1])
        assert outline(sprites(description)) == ["bird", ["hen", "fox"], "egg"]

    def test_no_other_character_ends_a_line(self) -> None:
        assert len(clean("BasicGame\x0b\x0c\x1c\x85\u2028\u2029x=1").source.lines) == 1

    def test_only_the_last_terminator_makes_no_line(self) -> None:
        assert clean("BasicGame\n\n\n").source.lines == ("BasicGame", "", "")

    def test_comment(self) -> None:
        description = clean("BasicGame#a=1 # b\n SpriteSet # >\n  fox > #Missile\n   # hen >\n # \n")
        assert not description.game.arguments
        [fox] = sprites(description)
        assert isinstance(fox, SpriteLine)
        assert fox.class_name is None
        assert fox.is_definition

    @pytest.mark.parametrize("hashes", ["#", "##", "#####"])
    def test_a_line_of_only_hashes_is_fatal(self, hashes: str) -> None:
        error = fatal(f"BasicGame\n{hashes}\n")
        assert error.place == Place(2, 1, len(hashes))

    @pytest.mark.parametrize("line", [" #", "# ", "##x", "\t##"])
    def test_a_line_of_hashes_and_something_else_is_not(self, line: str) -> None:
        assert clean(f"BasicGame\n{line}\n").game == clean("BasicGame\n\n").game

    def test_control_characters_at_the_ends_are_blanks(self) -> None:
        [fox] = sprites(clean("\x00BasicGame\x1f\n \x01\x02SpriteSet \x03\n\x04\t  \x05fox > Missile\x06"))
        assert isinstance(fox, SpriteLine)
        assert fox.name.at == Place(3, 6, 3)
        assert str(fox.class_name) == "Missile"

    def test_blanks_between_words(self) -> None:
        [fox] = sprites(clean("BasicGame\n SpriteSet\n  fox \t\x0b\x0c >  Missile"))
        assert isinstance(fox, SpriteLine)
        assert fox.class_name is not None
        assert fox.class_name.at == Place(3, 14, 7)


class TestTree:
    def test_a_tab_is_one_column(self) -> None:
        text = "BasicGame\n\tSpriteSet\n\t\tbird >\n   hen > Missile\n  \tfox > Missile\n  egg > Missile"
        assert outline(sprites(clean(text))) == ["bird", ["hen", "fox"], "egg"]

    def test_back_to_any_level_above(self) -> None:
        text = "G\n SpriteSet\n  a >\n   b >\n     c >\n   d >\n  e >"
        assert outline(sprites(clean(text))) == ["a", ["b", ["c"], "d"], "e"]

    def test_another_indentation_than_the_first_child_is_odd_but_attached(self) -> None:
        description, warning = only_warning("G\n SpriteSet\n    a >\n  bc >\n")
        assert outline(sprites(description)) == ["a", "bc"]
        assert warning.place == Place(4, 3, 2)
        assert warning.message == "indented by 2, but line 3 of the same block by 4"
        assert warning.expected == ("4 blanks of indentation",)

    def test_it_is_the_first_child_that_counts(self) -> None:
        _, warnings = parse("G\n SpriteSet\n    a >\n  b >\n  c >\n    d >\n")
        assert [warning.place.line for warning in warnings if warning.place] == [4, 5]
        # The last line is a child of "c", whose first child it is.

    @pytest.mark.parametrize("indentation", ["", " "])
    def test_not_deeper_than_the_root_is_dropped(self, indentation: str) -> None:
        description, warning = only_warning(f" G\n  SpriteSet\n   a >\n{indentation}b >\n   c >\n")
        assert outline(sprites(description)) == ["a", "c"]
        assert warning.place == Place(4, len(indentation) + 1, 1)
        assert warning.message == "not indented deeper than the game line (line 1): line ignored"
        assert warning.expected == ("at least 2 blanks of indentation",)

    def test_a_dropped_header_still_switches_the_section(self) -> None:
        description, warnings = parse("G\n SpriteSet\nInteractionSet\n  a b > f")
        assert len(warnings) == 1
        [entry] = sprites(description)
        assert isinstance(entry, InteractionLine)

    def test_a_dropped_line_is_as_absent(self) -> None:
        description, warning = only_warning("G\n SpriteSet\n  a >\n     b > x=\n   c >\n")
        assert outline(sprites(description)) == ["a", ["c"]]
        assert warning.place == Place(4, 10, 2)

    @pytest.mark.parametrize("header", ["InteractionSet", "LevelMapping", "TerminationSet", "ParameterSet"])
    def test_over_indented_lines_outside_the_sprites_are_not_read(self, header: str) -> None:
        text = f"G\n {header}\n  a b > f values=1\n   c d > f values=1\n    d > g values=1\n  e f > f values=1\n"
        description, warning = only_warning(text)
        assert len(list(description.entries(SectionKind(header)))) == 2
        assert isinstance(warning, TruncatedGameWarning)
        assert warning.message == "indented deeper than line 3: this line and 1 more are not read"
        assert (warning.place, warning.messages) == (Place(4, 4, 1), 0)

    def test_a_sprite_line_without_mark_stays_for_the_compiler(self) -> None:
        first, second = sprites(clean("G\n SpriteSet\n  a Missile\n  b > Missile"))
        assert isinstance(first, SpriteLine)
        assert isinstance(second, SpriteLine)
        assert (first.is_definition, second.is_definition) == (False, True)

    @pytest.mark.costly
    def test_ten_thousand_levels(self) -> None:
        depth = 10_000
        text = "G\n SpriteSet\n" + "".join(f"{' ' * (level + 2)}s{level} >\n" for level in range(depth))
        lines = tuple(sprites(clean(text)))
        for level in range(depth):
            [line] = lines
            assert isinstance(line, SpriteLine)
            assert line.name.text == f"s{level}"
            lines = line.children
        assert not lines


class TestSections:
    def test_the_first_line_must_be_a_game_line(self) -> None:
        error = fatal("# yard\nSpriteSet\n  a >\n")
        assert error.place == Place(2, 1, 9)
        assert error.expected == ("a game line like 'BasicGame'",)

    @pytest.mark.parametrize("text", ["", "\n\n", "  # nothing\n", "\x00\x01"])
    def test_an_empty_text_is_fatal(self, text: str) -> None:
        assert fatal(text).message == "the text is empty"

    @pytest.mark.parametrize("rest", ["", " SpriteSet\n"])
    def test_without_a_readable_game_line_the_error_is_about_that(self, rest: str) -> None:
        error = fatal(f"BasicGame square_size=\n{rest}")
        assert error.place == Place(1, 11, 12)
        assert error.message.startswith("parameter 'square_size=' has no value")

    def test_after_a_dropped_game_line_the_next_is_the_root(self) -> None:
        description, warning = only_warning("BasicGame a=\nBasicGame\n SpriteSet")
        assert warning.place == Place(1, 11, 2)
        assert description.game.class_name.at.line == 2

    def test_a_second_line_before_the_first_section_is_fatal(self) -> None:
        error = fatal("BasicGame\n  SpritesSet\n    a >\n")
        assert error.place == Place(2, 3, 10)
        assert error.suggestion == "SpriteSet"

    def test_unless_it_is_not_indented(self) -> None:
        description, warning = only_warning("BasicGame\nBasicGame x=1\n SpriteSet\n  a >")
        assert warning.place == Place(2, 1, 9)
        assert outline(sprites(description)) == ["a"]

    @pytest.mark.parametrize(
        ("header", "kind"),
        [
            ("interactionSET", SectionKind.INTERACTIONS),
            ("Interactions", SectionKind.INTERACTIONS),
            ("InteractionSet:", SectionKind.INTERACTIONS),
            ("IntractionSet", SectionKind.INTERACTIONS),
            ("Terminationset", SectionKind.TERMINATIONS),
            ("LevelMap", SectionKind.MAPPING),
            ("level_mapping", SectionKind.MAPPING),
        ],
    )
    @pytest.mark.parametrize(
        "above", ["TerminationSet\n  Timeout", "InteractionSet\n  a a > f", "LevelMapping\n  x > a"]
    )
    def test_a_misspelt_header_is_reported_once_wherever_it_stands(
        self, header: str, kind: SectionKind, above: str
    ) -> None:
        lines = {
            SectionKind.INTERACTIONS: "  a b > f\n  b a > g\n",
            SectionKind.TERMINATIONS: "  Timeout limit=1\n  SpriteCounter limit=0\n",
            SectionKind.MAPPING: "  y > a\n  z > a b\n",
        }
        description, warning = only_warning(f"G\n SpriteSet\n  a >\n {above}\n {header}\n{lines[kind]}")
        assert len(description.sections) == 2
        assert isinstance(warning, TruncatedGameWarning)
        assert warning.place == Place(6, 2, len(header))
        assert warning.suggestion == kind.value
        [unread] = description.unread
        assert (unread.kind, len(unread.entries)) == (kind, 2)

    def test_a_header_as_shallow_as_the_game_line_begins_no_section(self) -> None:
        description, warning = only_warning("G\n SpriteSet\n  a >\nTerminationSet\n  Timeout\n")
        assert (
            warning.message
            == "TerminationSet is not indented deeper than the game line (line 1): the section is not read"
        )
        assert warning.messages == 1, "the reference says that it does not fit into the tree"
        assert [section.kind for section in description.unread] == [SectionKind.TERMINATIONS]

    def test_a_text_whose_headers_are_all_as_shallow_as_the_game_line_is_refused_at_the_first(self) -> None:
        error = fatal("G\nSpriteSet\n  a >\nInteractionSet\n  a b > f\n")
        assert error.place == Place(2, 1, 9)
        assert error.message.startswith("SpriteSet is not indented deeper than the game line (line 1)")

    def test_mistakes_in_a_section_that_is_not_read_are_found(self) -> None:
        _, warnings = parse("G\n SpriteSet\n  a >\n Interactions\n  a b > f x=\n  a b > g\n")
        assert [(warning.place.line if warning.place else 0, warning.messages) for warning in warnings] == [
            (4, 1),
            (5, 0),
        ]

    def test_unknown_sections_are_not_read(self) -> None:
        description, warning = only_warning("G\n SpriteSet\n  a >\n Colours\n  b >\n TerminationSet\n  Timeout\n")
        assert [section.kind for section in description.sections] == [SectionKind.SPRITES, SectionKind.TERMINATIONS]
        assert outline(sprites(description)) == ["a"]
        assert warning.message == "'Colours' is not the header of a section: this line and 1 more are not read"

    def test_an_entry_as_shallow_as_its_header_is_not_read(self) -> None:
        description, warning = only_warning("G\n SpriteSet\n a >\n b >\n")
        assert not sprites(description)
        assert warning.message == "indented no deeper than SpriteSet (line 2): this line and 1 more are not read"

    def test_lines_whose_indentation_mixes_tabs_and_blanks_are_reported_once(self) -> None:
        _, warning = only_warning("G\n SpriteSet\n    a >\n\t\tb >\n\t\tc >\n")
        assert warning.message.endswith("expands tabs), and 1 more like this")
        assert warning.messages == 2, "the reference logs one for each"

    def test_several_sections_of_a_kind(self) -> None:
        description = clean("G\n SpriteSet\n  a >\n LevelMapping\n  x > a\n SpriteSet\n  b >\n")
        assert len(description.sections) == 3
        assert outline(sprites(description)) == ["a", "b"]

    def test_a_header_with_more_words_does_not_switch_but_is_a_section(self) -> None:
        description = clean("G\n TerminationSet\n  Timeout\n SpriteSet here\n  a >\n")
        assert [section.kind for section in description.sections] == [SectionKind.TERMINATIONS, SectionKind.SPRITES]
        [entry] = sprites(description)
        assert not isinstance(entry, SpriteLine)

    def test_a_header_too_deep_is_an_entry_of_the_section_above(self) -> None:
        description, [warning] = parse("G\n SpriteSet\n  InteractionSet\n    a b > f\n")
        header, *_ = sprites(description)
        assert isinstance(header, InteractionLine)
        assert header.first.text == "InteractionSet"
        assert warning.message == "InteractionSet begins no section: it is indented deeper than line 2"
        assert warning.messages == 0, "the reference says nothing"

    def test_a_tab_before_a_header_is_reported_as_such(self) -> None:
        _, [warning] = parse("G\n\tSpriteSet\n    a > Missile\n  LevelMapping\n    x > a\n")
        assert warning.message == (
            "LevelMapping begins no section: it is indented deeper than line 2 "
            "(a tab counts as one blank; vgdl-check --fix expands tabs)"
        )
        assert warning.messages == 1, "the reference says that it does not fit into its block"

    def test_no_sections(self) -> None:
        assert clean("BasicGame").sections == ()


def test_beyond_a_limit_warnings_are_only_counted() -> None:
    surplus = 7
    _, warnings = parse("G\n SpriteSet\n" + "  a > x=\n" * (MOST_WARNINGS + surplus))
    assert len(warnings) == MOST_WARNINGS + 1
    assert [warning.messages for warning in warnings[-2:]] == [1, surplus]
    assert warnings[-1].message == "7 more warnings"
    nested = " LevelMapping\n  SpriteSet\n"  # the reference does not mention it
    _, more = parse("G\n SpriteSet\n" + "  a > x=\n" * MOST_WARNINGS + nested)
    assert (more[-1].message, more[-1].messages) == ("1 more warning", 0)


def test_threads_parse_alike() -> None:
    results: list[Description] = []
    threads = [threading.Thread(target=lambda: results.append(parse(GAME)[0])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [parse(GAME)[0]] * 8


@pytest.mark.parametrize("indentation", [2, 4])
def test_an_interaction_beside_its_header_is_refused_with_its_place(indentation: int) -> None:
    """It would become a section without a name, which is fatal (language, 4.3)."""
    line = " " * indentation + "avatar fox > killSprite"
    text = (
        f"BasicGame\n    SpriteSet\n        fox > Immovable\n    InteractionSet\n        fox EOS > stepBack\n{line}\n"
    )
    with pytest.raises(VGDLError, match="no deeper than the header of its section \\(line 4\\)") as caught:
        parse(text)
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == (6, indentation + 1)
    assert caught.value.suggestion == "        avatar fox > killSprite"
