"""What a game text means: types, inheritance, values that are ignored, passes that end early, messages, game spaces
(language, 2 to 12)."""

import pickle

import pytest

import vgdl
from semantics.harness import DOWN, LEFT, LOST, NO_WINNER, NONE, RIGHT, UP, WON, game, level, play, start
from semantics.sprites_harness import assert_fatal, messages
from vgdl import Action
from vgdl.trace import record

ALONE = level("A")


def types(sprites: str) -> tuple[str, ...]:
    """Names of the types of a game with these sprites, by number."""
    return tuple(vgdl.loads(game(sprites)).types)


# --- types (7.1 to 7.3) ---


def test_types_are_numbered_as_they_are_visited() -> None:
    """``wall`` 0, ``avatar`` 1, then pre-order (language, 7.1)."""
    sprites = """
    group >
        one > Immovable
        pair >
            two > Immovable
    three > Immovable
    """
    assert types(sprites) == ("wall", "avatar", "group", "one", "pair", "two", "three")


def test_a_name_seen_again_keeps_its_number() -> None:
    """Also ``wall`` and ``avatar`` (language, 7.1)."""
    assert types("one > Immovable\navatar > MovingAvatar\nwall > Immovable\none > Missile\ntwo > Immovable") == (
        "wall",
        "avatar",
        "one",
        "two",
    )


def test_the_last_definition_of_a_type_counts() -> None:
    """It supplies class and parameters (language, 7.2); nothing of the first one is merged in."""
    rules = game("one > Missile orientation=RIGHT\none > Missile speed=2")
    one = play(rules, level("o..A"), ticks=3).only("one")
    assert (one.position, one.orientation, one.speed) == ((0, 0), NONE, 2)


def test_a_game_without_wall_and_avatar_has_both() -> None:
    """Built-in definitions: an Immovable and a MovingAvatar (language, 7.6)."""
    world = play(game("stone > Immovable"), level("A.w"), actions=[Action.RIGHT])
    assert world.only("avatar").position == (10, 0)
    assert world.only("wall").position == (20, 0)


def test_a_line_without_arrow_ends_its_siblings() -> None:
    """That line and what follows in its list, subtrees included, do not exist (language, 7.2)."""
    sprites = """
    one > Immovable
    group >
        two > Immovable
        three Immovable
        four > Immovable
            five > Immovable
    six > Immovable
    """
    assert types(sprites) == ("wall", "avatar", "one", "group", "two", "six")
    with pytest.warns(vgdl.TruncatedGameWarning):
        [warning] = vgdl.loads(game(sprites)).warnings
    assert warning.messages == 0, "the reference says nothing"


def test_the_arrow_may_stand_anywhere() -> None:
    """The ``>`` of a sprite line only marks it as a definition; the last class name wins (language, 2.1)."""
    world = play(game("one Immovable Missile orientation=RIGHT >"), level("o..A"), ticks=2)
    assert world.only("one").position == (10, 0)


# --- classes and parameters down the tree (7.2) ---


def test_the_class_of_an_ancestor_beats_the_own_one() -> None:
    """A Missile below an Immovable stands (language, quirk 4)."""
    rules = game(
        """
        group > Immovable speed=1
            arrow > Missile orientation=RIGHT
        """
    )
    assert play(rules, level("a..A"), ticks=3).only("arrow").position == (0, 0)


def test_an_overridden_class_still_governs_the_children() -> None:
    """The middle's own class is ignored for the middle, and is what its children inherit (language, quirk 4)."""
    rules = game(
        """
        group > Immovable speed=1
            middle > Missile orientation=RIGHT
                leaf >
        """
    )
    assert play(rules, level("l..A"), ticks=3).only("leaf").position == (20, 0)


def test_a_chain_without_class_cannot_be_created() -> None:
    """Defining it is harmless, placing it fatal (language, 7.2)."""
    rules = game("group >\n    leaf > speed=1")
    assert start(rules, ALONE).avatar.position == (0, 0)
    assert_fatal(rules, level("lA"))


def test_parameters_are_inherited_and_the_nearest_wins() -> None:
    """All ancestors' parameters, overridden on the way down (language, 7.2)."""
    rules = game(
        """
        group > Missile speed=0.5 orientation=RIGHT
            slow > speed=0.1
                late > cooldown=2
            turned > orientation=DOWN
        """
    )
    world = play(rules, level("l.t.A", "....."), ticks=4)
    late, turned = world.only("late"), world.only("turned")
    assert (late.speed, late.orientation, late.position) == (0.1, RIGHT, (2, 0))
    assert (turned.speed, turned.orientation, turned.position) == (0.5, DOWN, (20, 15))


# --- subtypes (7.3) ---


TREE = """
group > Immovable
    left > Immovable
    right > Immovable
mark > Immovable
"""
TREE_MAPPING = "g > group mark\nl > left mark\nr > right mark"


def test_a_type_stands_for_its_descendants() -> None:
    """An effect on the parent meets the children (language, 7.3)."""
    world = play(game(TREE, "group mark > killSprite", mapping=TREE_MAPPING), level("l.r.A"))
    assert (world.count("left"), world.count("right"), world.count("mark")) == (0, 0, 2)


def test_a_sprite_of_a_parent_type_belongs_to_every_child() -> None:
    """``subtypes`` begins with the ancestors (language, quirk 5)."""
    world = play(game(TREE, "left mark > killSprite", mapping=TREE_MAPPING), level("g.l.r.A"))
    assert (world.count("group"), world.count("left"), world.count("right")) == (0, 0, 1)


def test_a_parent_is_counted_for_every_child() -> None:
    """No ``left`` in the level, but a ``group`` keeps the counter from ending the game (language, 7.3)."""
    ends = "SpriteCounter stype=left limit=0 win=True"
    assert not play(game(TREE, ends=ends, mapping=TREE_MAPPING), level("g.A")).is_over
    assert play(game(TREE, ends=ends, mapping=TREE_MAPPING), level("r.A")).wins == [WON]


# --- values (5) ---


@pytest.mark.parametrize(
    "parameters",
    [
        "cooldown=3.0",
        "cooldown=soon",
        "cooldown=True",
        "speed=fast",
        "speed=True",
        "is_static=1",
        "is_static=yes",
        "only_active=RIGHT",
        "orientation=SIDEWAYS",
        "orientation=1",
        "orientation=right",
        "color=NOPE",
        "color=3",
        "img=7",
        "hidden=1",
        "timeToLive=1.5",
        "singleton=1",
    ],
)
def test_values_of_the_wrong_type_are_silently_ignored(parameters: str) -> None:
    """The field keeps its default, and there is no message (language, 5.1 and quirk 12)."""
    lines = level("ss..A", ".....")
    rules = game(f"shot > Missile {parameters}")
    world = play(rules, lines, ticks=3)
    assert messages(world, lines) == 0
    assert [(shot.position, shot.orientation, shot.speed) for shot in world.all("shot")] == [
        ((0, 0), NONE, 1),
        ((10, 0), NONE, 1),
    ]
    rules = game(f"shot > Missile orientation=DOWN {parameters}")
    if not parameters.startswith("orientation"):
        assert play(rules, lines, ticks=3).positions("shot") == [(0, 20), (10, 20)]


@pytest.mark.parametrize(
    ("value", "speed"),
    [
        ("2", 2),
        ("+2", 2),
        ("-3", -3),
        ("0.25", 0.25),
        (".5", 0.5),
        ("5e-1", 0.5),
        ("0.5d", 0.5),
        ("0.5f", 0.5),
        ("0x1p-2", 0.25),
        ("CONT", 1),
        ("TYPE_MOVABLE", 6),
        ("99999999999", 99999999999),
    ],
)
def test_numbers_of_a_double_field(value: str, speed: float) -> None:
    """Integers, Java's floating-point syntax, and integer constants (language, 5.1 and 5.2)."""
    assert start(game(f"shot > Missile speed={value}"), level("sA")).only("shot").speed == speed


@pytest.mark.parametrize(
    ("value", "orientation"),
    [
        ("UP", UP),
        ("DDOWN", DOWN),
        ("DLEFT", LEFT),
        ("RIGHT", RIGHT),
        ("NIL", (-1, -1)),
        ("DNIL", (-1, -1)),
        ("NONE", NONE),
    ],
)
def test_directions_have_two_names(value: str, orientation: tuple[float, float]) -> None:
    """Plain and D-prefixed spelling are equivalent (language, 5.2)."""
    assert start(game(f"shot > Missile orientation={value}"), level("sA")).only("shot").orientation == orientation


@pytest.mark.parametrize("value", ["true", "True", "TRUE", "tRuE"])
def test_booleans_in_any_case(value: str) -> None:
    """``true``/``false`` in any case (language, 5.1)."""
    rules = game(f"shot > Missile orientation=RIGHT is_static={value}")
    assert play(rules, level("s..A"), ticks=3).only("shot").position == (0, 0)


def test_a_name_that_looks_like_a_number_names_nothing() -> None:
    """``stype=7`` is an integer and does not fit a name: missing, which is fatal for a Chaser (language, 5.1)."""
    assert_fatal(game("7 > Immovable\ncat > Chaser stype=7"), level("c.A"))


def test_a_name_that_is_a_constant_names_nothing() -> None:
    """A sprite named GOLD cannot be an ``stype`` (language, 5.1)."""
    assert_fatal(game("GOLD > Immovable\ncat > Chaser stype=GOLD"), level("c.A"))
    assert start(game("Gold > Immovable\ncat > Chaser stype=Gold"), level("c.A")).count("cat") == 1


def test_field_names_are_case_sensitive() -> None:
    """Another case is an unknown field: a message, and no effect (language, 5.1)."""
    world = start(game("shot > Missile Speed=2"), level("sA"))
    assert world.only("shot").speed == 1
    assert messages(world, level("sA")) == 1


def test_the_first_two_pieces_of_a_parameter_count() -> None:
    """``a=b=c`` gives a→b; the later of two duplicates wins (language, 2.1)."""
    assert start(game("shot > Missile speed=3=4"), level("sA")).only("shot").speed == 3
    assert start(game("shot > Missile speed=3 speed=4"), level("sA")).only("shot").speed == 4


# --- passes that end early (4.5) ---


WINS = "SpriteCounter stype=stone limit=0 win=True"


@pytest.mark.parametrize(
    "line",
    [
        "avatar stone > vanish",
        "avatar nobody > killSprite",
        "avatar > killSprite",
        "avatar",
        "avatar stone > transformTo stype=nobody",
        "avatar stone > transformTo",
    ],
)
def test_a_bad_interaction_discards_the_rest_of_the_file(line: str) -> None:
    """What stands before it holds; later interactions and the terminations are gone; one message (4.5, 8.1)."""
    effects = f"stone mark > killSprite\n{line}\nrock mark > killSprite"
    rules = game("stone > Immovable\nrock > Immovable\nmark > Immovable", effects, WINS, mapping="x > stone rock mark")
    world = play(rules, level("xA"))
    assert (world.count("stone"), world.count("rock")) == (0, 1)
    assert not world.is_over
    assert messages(world, level("xA")) == 1


def test_an_edge_rule_of_an_unknown_sprite_is_fatal_in_the_first_tick() -> None:
    """The pass aborts after -1 has entered the list of edge types, which the event phase looks up (8.1)."""
    world = start(game("stone > Immovable", "nobody EOS > killSprite", WINS), ALONE)
    assert messages(world, ALONE) == 1
    assert world.wait(1).crashed


@pytest.mark.parametrize("line", ["Never limit=3", "SpriteCounter limit=0", "SpriteCounter stype=nobody"])
def test_a_bad_termination_discards_the_rest_of_the_file(line: str) -> None:
    """Terminations before it hold, those after it are gone; one message (language, 4.5 and 9)."""
    world = play(game("stone > Immovable", ends=f"{line}\n{WINS}"), ALONE)
    assert not world.is_over
    assert messages(world, ALONE) == 1
    assert play(game("stone > Immovable", ends=f"{WINS}\n{line}"), ALONE).wins == [WON]


def test_interactions_need_the_sprites_before_them() -> None:
    """SpriteSet must precede InteractionSet; otherwise the pass aborts there (language, 4)."""
    text = """BasicGame square_size=10
    InteractionSet
        avatar stone > killSprite
    SpriteSet
        stone > Immovable
    LevelMapping
        s > stone
    """
    with pytest.raises(vgdl.VGDLError):
        vgdl.loads(text).start(level=level("sA"), seed=7)


def test_the_main_pass_compares_section_names_exactly() -> None:
    """Another case switches the section while reading; its block is then ignored without a message (4.4)."""
    text = game("stone > Immovable", ends=WINS).replace("TerminationSet", "terminationset")
    world = play(text, ALONE)
    assert not world.is_over
    assert messages(world, ALONE) == 0


# --- messages (12) ---


def test_a_dropped_line_is_one_message() -> None:
    """``key=`` drops its line; blanks around ``=`` do so, too (language, 2.1 and 2.6)."""
    world = start(game("one > Immovable speed=\ntwo > Immovable speed = 2\nsix > Immovable"), ALONE)
    assert world.game.types == ("wall", "avatar", "six")
    assert messages(world, ALONE) == 2


def test_a_line_indented_otherwise_is_attached_with_a_message() -> None:
    """Children's indentations must match (language, 3): here the second child of the group stands further left."""
    sprites = "group >\n        one > Immovable\n    two > Immovable"
    world = start(game(sprites), ALONE)
    assert world.game.types == ("wall", "avatar", "group", "one", "two")
    assert messages(world, ALONE) == 1
    assert world.game.board(ALONE).warnings == ()


def test_unknown_fields_of_the_game_line_count_twice() -> None:
    """The line is processed twice (language, 6)."""
    assert messages(start(game("stone > Immovable", options="colour=RED"), ALONE), ALONE) == 2


def test_unknown_fields_of_effects_and_terminations_count_once() -> None:
    """Except on TIME lines and with addTimer, where they are silent; twice for transformIfCount (5.1 and 12)."""
    sprites = "stone > Immovable"

    def counted(effects: str = "", ends: str = "") -> int:
        return messages(start(game(sprites, effects, ends), ALONE), ALONE)

    assert counted("avatar stone > killSprite size=3") == 1
    assert counted("avatar stone wall > killSprite size=3") == 1
    assert counted("avatar TIME > killSprite size=3 timer=5") == 0
    assert counted("TIME avatar > killSprite size=3 timer=5") == 0
    assert counted("avatar stone > addTimer timer=4 ftype=killAll stype=stone size=3") == 0
    assert counted("avatar stone > transformIfCount stype=stone stypeCount=stone size=3") == 2
    assert counted(ends="Timeout limit=9 size=3") == 1


def test_more_than_25_messages_end_the_game_in_its_first_tick() -> None:
    """25 are still allowed; the game ends without a winner, after the terminations were looked at (engine, 7.8)."""
    for count, over in [(25, False), (26, True)]:
        lines = level("A" + "?" * count)
        world = play(game("stone > Immovable"), lines)
        assert messages(world, lines) == count
        assert world.is_over is over
        assert world.wins == [NO_WINNER]
    world = play(game("stone > Immovable", ends=WINS), level("A" + "?" * 26))
    assert world.wins == [WON]


def test_messages_of_parsing_and_of_the_level_add_up() -> None:
    """13 unknown fields of an effect and 13 unmapped characters (language, 12)."""
    fields = " ".join(f"extra{number}=1" for number in range(13))
    world = start(game("stone > Immovable", f"avatar stone > killSprite {fields}"), level("A" + "?" * 13))
    assert not world.is_over
    assert world.wait(1).is_over


# --- game spaces (10) ---


def space(parameters: str, sprites: str, effects: str = "", ends: str = "") -> str:
    """A game space with these parameters."""
    text = game(sprites, effects, ends, mapping="s > shot\nm > mark").replace("BasicGame", "GameSpace", 1)
    lines = "\n".join(f"        {line.strip()}" for line in parameters.strip().splitlines())
    return f"{text}    ParameterSet\n{lines}\n"


def test_names_stand_for_their_values_in_sprites() -> None:
    """``value=`` fixes them: an integer, a double, a boolean (language, 10)."""
    parameters = """
    COOL > values=1:1:9 string=Cooldown value=2
    FAST > values=0.1:0.1:1.0 string=Speed value=0.5
    STILL > values=True:False string=Static value=false
    """
    rules = space(parameters, "shot > Missile orientation=RIGHT cooldown=COOL speed=FAST is_static=STILL")
    world = start(rules, level("s..A"))
    assert [world.wait(1).only("shot").x for _ in range(4)] == [0, 5, 5, 10]


def test_names_stand_for_their_values_in_effects_and_terminations() -> None:
    """Each comma piece that equals a name is replaced (language, 10)."""
    parameters = """
    POINTS > values=1:1:9 value=4
    END > values=1:1:9 value=2
    """
    rules = space(
        parameters,
        "shot > Immovable\nmark > Immovable\navatar > MovingAvatar",
        "shot mark > killSprite scoreChange=POINTS,7",
        "Timeout limit=END",
    ).replace("s > shot", "s > shot mark")
    world = start(rules, level("s.A")).wait(1)
    assert world.score == 4
    assert not world.wait(1).is_over
    assert world.wait(1).wins == [LOST]


def test_a_double_is_no_integer() -> None:
    """A double-valued parameter given to an int field is ignored (language, 10)."""
    rules = space("COOL > values=1.0:1.0:9.0 value=3", "shot > Missile orientation=RIGHT cooldown=COOL")
    assert play(rules, level("s..A"), ticks=3).only("shot").x == 20


def test_singleton_is_read_before_the_names_are() -> None:
    """``singleton=NAME`` never takes effect (language, quirk 15)."""
    rules = space("ONE > values=True:False value=true", "shot > Immovable singleton=ONE")
    assert start(rules, level("ssA")).count("shot") == 2


def test_a_boolean_value_is_read_in_any_case() -> None:
    """It is parsed as the kind and printed again, as ``true`` (language, 10)."""
    rules = space("STILL > values=True:False value=TRUE", "shot > Missile orientation=RIGHT is_static=STILL")
    assert play(rules, level("s..A"), ticks=3).only("shot").x == 0


def test_a_game_space_rewrites_every_list_without_the_empty_pieces_at_its_end() -> None:
    """``4,`` is split and rejoined as ``4`` (language, 10 and 5.3), a number, which the text field ignores (5.1)."""
    sprites, effects = "shot > Immovable\nmark > Immovable", "shot mark > killSprite counter=4,"
    spaced = space("COOL > values=1:1:9 value=2", sprites, effects).replace("square_size=10", "no_counters=1", 1)
    plain = game(sprites, effects, options="no_counters=1")
    assert [play(rules.replace("s > shot", "s > shot mark"), level("s.A")).counters for rules in (spaced, plain)] == [
        [0],
        [4],
    ]


def test_parameters_given_by_the_caller() -> None:
    """Running values (language, 10): what the text leaves open."""
    text = space("COOL > values=1:2:7", "shot > Missile orientation=RIGHT cooldown=COOL")
    state = vgdl.loads(text, parameters={"COOL": 3}).start(level=level("s....A"), seed=7)
    for _ in range(3):
        state.advance(Action.NIL)
    (shot,) = (sprite for group in state.movables for sprite in group)
    assert shot.position == (10, 0)


def test_an_open_parameter_takes_one_of_its_points() -> None:
    """min + k * increment (language, 10): 1, 3, 5 or 7."""
    seen = set()
    for seed in range(12):
        text = space("FAST > values=1:2:7", "shot > Missile speed=FAST")
        seen.add(start(text, level("sA"), seed=seed).only("shot").speed)
    assert seen <= {1, 3, 5, 7}
    assert len(seen) > 1


@pytest.mark.parametrize("line", ["SIZE > values=1:2", "SIZE > values=big:small:none", "SIZE > values=yes:no"])
def test_a_parameter_of_no_kind_is_fatal(line: str) -> None:
    """Neither three numbers nor two booleans (language, 10)."""
    with pytest.raises(vgdl.VGDLError):
        vgdl.loads(space(line, "shot > Immovable"))


def test_a_parameter_without_values_is_dropped() -> None:
    """The line is dropped, with a message; the name stands for itself (language, 10 and 2.6)."""
    world = start(space("SIZE > string=big", "shot > Missile speed=SIZE"), level("sA"))
    assert messages(world, level("sA")) == 1
    assert world.only("shot").speed == 1


def test_a_parameter_without_anything_is_inert() -> None:
    """Its substitution text is empty, which leaves the original in place (language, 10)."""
    world = start(space("SIZE >", "shot > Missile speed=SIZE"), level("sA"))
    assert messages(world, level("sA")) == 0
    assert world.only("shot").speed == 1


def test_a_value_in_the_file_is_used_as_written() -> None:
    """``value=`` need not lie on the range (language, 10), also where other parameters are open; the caller's must."""
    parameters = """
    FAST > values=0.1:0.2:0.9 value=0.4
    COOL > values=1:1:1
    """
    rules = space(parameters, "shot > Missile orientation=RIGHT speed=FAST cooldown=COOL")
    assert start(rules, level("s..A")).wait(3).only("shot").x == 8
    for given in ({"FAST": 0.4}, {"COOL": 1}, {}):
        loaded = vgdl.loads(rules, parameters=given)
        state = pickle.loads(pickle.dumps(loaded)).start(level("s..A"), seed=1)
        assert min(record(state)["sprites"])[8] == 0.4  # the speed of the first
    with pytest.raises(vgdl.VGDLError, match=r"'FAST' cannot be 1\.6"):
        vgdl.loads(rules, parameters={"FAST": 1.6})


def test_a_parameter_set_needs_a_game_space() -> None:
    """Entries in a BasicGame are fatal (language, 6)."""
    text = space("SIZE > values=1:1:3", "shot > Immovable").replace("GameSpace", "BasicGame", 1)
    with pytest.raises(vgdl.VGDLError):
        vgdl.loads(text)


# --- classes and fields that do not fit (7.8 and 7.9) ---


def test_an_unknown_class_is_harmless_below_a_known_one() -> None:
    """The ancestor's class takes precedence; what inherits the unknown one cannot be made (language, 7.8)."""
    rules = game(
        """
        group > Immovable
            leaf > Imovable
            middle > Imovable
                twig >
        """
    )
    assert start(rules, level("lA")).count("leaf") == 1
    assert_fatal(rules, level("tA"))


def test_inherited_fields_are_checked_against_the_class_of_the_child() -> None:
    """A Flicker's ``limit`` is unknown to a Missile (language, 7.9)."""
    sprites = """
    group > limit=3
        spark > Flicker
        arrow > Missile
    """
    for lines, count in [(level("sA"), 0), (level("aA"), 1), (level("aasA"), 1)]:
        assert messages(start(game(sprites), lines), lines) == count
