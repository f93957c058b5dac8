"""Any text parses or raises `VGDLError`, in linear time."""

import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile import mutations
from vgdl.language import VGDLError, VGDLWarning, parse, read_level

GAME = """\
GameSpace key_handler=Pulse square_size=30   # a yard at night
\tSpriteSet
\t\tgrass > Immovable img=grass hidden=true
\t\tanimal > physicstype=GRID
\t\t\tfox > Chaser stype=hen cooldown=4 orientation=LEFT
\t\t\then > RandomNPC speed=0.25 cons=2
\t\tavatar > ShootAvatar stype=stone rotateInPlace=false

\t\tstone > Missile speed=PACE singleton=true
\tLevelMapping
\t\tf > grass fox
\t\tA > grass avatar
\tInteractionSet
\t\tfox hen avatar > stepBack
\t\tstone EOS > killSprite
\t\tfox stone > killBoth scoreChange=2
\t\then TIME > spawn stype=hen timer=50 repeating=True
\tTerminationSet
\t\tSpriteCounter stype=fox limit=0 win=True
\t\tTimeout limit=1000 win=False
\tParameterSet
\t\tPACE > values=0.1:0.1:1.0 string=pace
"""
MUTANTS = 2000
MEGABYTES = 10
MOST_WORK = 8.0  #: of an ordinary character's time; quadratic work would take a thousand times as much


def check_warnings(text: str) -> list[VGDLWarning] | None:
    """The warnings, or None for a fatal error; asserts that both can be printed and that places lie in the text."""
    try:
        _, warnings = parse(text)
    except VGDLError as error:
        assert str(error)
        return None
    for warning in warnings:
        assert warning.source is not None
        assert warning.place is None or warning.place.line <= len(warning.source.lines)
        assert str(warning)
    return warnings


def test_the_undamaged_game() -> None:
    assert check_warnings(GAME) == []


def test_mutants() -> None:
    outcomes = {"fatal": 0, "odd": 0, "clean": 0}
    for label, text in mutations.many_mutations(GAME, MUTANTS, seed=1):
        try:
            warnings = check_warnings(text)
        except Exception as error:
            raise AssertionError(f"mutant {label} of the game:\n{text!r}") from error
        outcomes["fatal" if warnings is None else "odd" if warnings else "clean"] += 1
    # If one of these is rare, the mutations do not test much.
    assert min(outcomes.values()) > MUTANTS // 50, outcomes


def test_mutants_can_be_made_again() -> None:
    assert list(mutations.many_mutations(GAME, 20, seed=2)) == list(mutations.many_mutations(GAME, 20, seed=2))


@pytest.mark.parametrize("kind", mutations.KINDS, ids=lambda kind: kind.__name__)
def test_each_kind_of_mutation_changes_texts_and_survives_an_empty_one(kind: mutations.Mutation) -> None:
    rng = random.Random(3)
    assert any(kind(GAME, rng) != GAME for _ in range(10))
    for _ in range(10):
        kind("", rng)


def test_truncated_anywhere() -> None:
    for end in range(len(GAME)):
        check_warnings(GAME[:end])


@given(st.text())
def test_any_text(text: str) -> None:
    check_warnings(text)


@given(st.lists(st.sampled_from([*mutations.WORDS, "\n", "\n ", "\n  ", "\n\t", " ", "fox", "#", "\x00"]), max_size=60))
def test_any_words(words: list[str]) -> None:
    check_warnings("BasicGame\n " + " ".join(words))


@given(st.binary())
def test_binary(data: bytes) -> None:
    text = data.decode("utf-8", errors="replace")
    check_warnings(text)
    check_warnings("BasicGame\n SpriteSet\n  " + text)


@given(st.text())
def test_levels_of_any_text(text: str) -> None:
    try:
        level = read_level(text)
    except VGDLError:
        assert not text
        return
    assert all(len(level.cell(row, column)) == 1 for row in range(level.height) for column in range(level.width))


SIZE = MEGABYTES * 1_000_000
HEAD = "BasicGame\n SpriteSet\n  "


def noise(size: int) -> str:
    return random.Random(4).randbytes(size).decode("latin-1").replace("\n#\n", "\n")


#: Of about `SIZE` characters, unless a shorter text is as good a test.
HUGE: dict[str, Callable[[], str]] = {
    "nulls": lambda: "\0" * SIZE,
    "hashes": lambda: "#" * SIZE,
    "empty lines": lambda: "\n" * SIZE,
    "blanks": lambda: HEAD + " " * SIZE + "fox >",
    "one word": lambda: "a" * SIZE,
    "one long value": lambda: HEAD + "fox > a=" + "a" * SIZE,
    "equals signs": lambda: HEAD + "fox > " + "=" * SIZE,
    "no value": lambda: HEAD + "fox > " + "a" * SIZE + "=",
    "a value of many pieces": lambda: HEAD + "fox > " + "a=" * (SIZE // 2) + "a",
    "noise": lambda: noise(SIZE),
    "noise in a section": lambda: HEAD + noise(SIZE // 10),
    "dropped lines": lambda: HEAD + "fox > a=\n  " * 100_000,
    "marks": lambda: HEAD + "> " * 300_000,
    "ever deeper": lambda: HEAD + "".join(" " * depth + "a >\n" for depth in range(4000)),
}


def cpu_time(text: str) -> float:
    start = time.process_time()
    check_warnings(text)
    return time.process_time() - start


@pytest.fixture(scope="module")
def ordinary_time() -> float:
    """CPU time of a million characters of ordinary lines, in seconds."""
    return cpu_time(HEAD + "fox > Immovable color=RED\n  " * (1_000_000 // 28))


@pytest.mark.costly
@pytest.mark.parametrize("label", HUGE)
def test_huge_texts_take_linear_time(label: str, ordinary_time: float) -> None:
    text = HUGE[label]()
    assert cpu_time(text) < MOST_WORK * ordinary_time * max(1.0, len(text) / 1e6)
