"""Damaged texts for tests, as from a careless author, a broken editor or an attacker.

All draws come from the given generator, so that a failing text can be made again from its seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

Mutation = Callable[[str, random.Random], str]

#: Characters that mean something in a game text, or that often break programs.
CHARACTERS = ">=#,: \t\r\n\x00\x0b\x0c\x1a\x7f\x85\xa0\u2028\u202e\ufeff\U0001f600\udcff().-+0123456789aZ_"
NUMBERS = [
    "0",
    "-1",
    "1",
    "2147483647",
    "-2147483648",
    "4294967296",
    "1e308",
    "1e999",
    "-0.0",
    "0.5",
    "NaN",
    "Infinity",
]
WORDS = [
    ">", "=", "a=", "=a", "a==b", "a=b=c", "#", "EOS", "TIME", "time", "avatar", "wall", "SpriteSet", "InteractionSet",
    "LevelMapping", "TerminationSet", "ParameterSet", "spriteset", "BasicGame", "GameSpace", "Immovable", "killSprite",
    "addTimer", "stype=avatar", "singleton=true", "cooldown=0", "timer=0", "repeating=true", "limit=-1", "prob=2.0",
    "scoreChange=1,2,x", "values=0:0:0", "repeat=99", "speed=1e99", "no_players=9", "square_size=0", "win=,,",
]  # fmt: skip
MOST_CHANGES = 4  #: changes to one text, at most

_LINE_WITH_END = re.compile(r"[^\n]*\n|[^\n]+")
_WORD = re.compile(r"[^ \t\n]+")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


def mutations(text: str, rng: random.Random) -> str:
    """``text`` with one to `MOST_CHANGES` changes of random kinds."""
    for _ in range(rng.randint(1, MOST_CHANGES)):
        text = rng.choice(KINDS)(text, rng)
    return text


def many_mutations(text: str, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """``count`` damaged texts, each with a label from which it can be made again."""
    for number in range(count):
        label = f"{seed}/{number}"
        yield label, mutations(text, random.Random(label))


def delete_line(text: str, rng: random.Random) -> str:
    lines = _lines(text)
    if lines:
        del lines[rng.randrange(len(lines))]
    return "".join(lines)


def duplicate_line(text: str, rng: random.Random) -> str:
    """A copy of a line at another place."""
    lines = _lines(text)
    if lines:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    return "".join(lines)


def swap_lines(text: str, rng: random.Random) -> str:
    lines = _lines(text)
    if lines:
        first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[first], lines[second] = lines[second], lines[first]
    return "".join(lines)


def change_indentation(text: str, rng: random.Random) -> str:
    lines = _lines(text)
    if lines:
        index = rng.randrange(len(lines))
        lines[index] = rng.choice([" ", "\t"]) * rng.randrange(12) + lines[index].lstrip(" \t")
    return "".join(lines)


def change_characters(text: str, rng: random.Random) -> str:
    """Some characters replaced, inserted or removed."""
    characters = list(text)
    for _ in range(rng.randint(1, 5)):
        index = rng.randrange(len(characters) + 1)
        characters[index : index + rng.randrange(2)] = rng.choice(["", rng.choice(CHARACTERS)])
    return "".join(characters)


def swap_words(text: str, rng: random.Random) -> str:
    """Two words, which may stand on different lines."""
    words = list(_WORD.finditer(text))
    if len(words) < 2:
        return text
    first, second = sorted(rng.sample(words, 2), key=re.Match.start)
    between = text[first.end() : second.start()]
    return text[: first.start()] + second[0] + between + first[0] + text[second.end() :]


def change_word(text: str, rng: random.Random) -> str:
    """A word replaced by one with a meaning, perhaps in another place."""
    return _replaced(text, _WORD, rng.choice(WORDS), rng)


def change_number(text: str, rng: random.Random) -> str:
    return _replaced(text, _NUMBER, rng.choice(NUMBERS), rng)


def cut(text: str, rng: random.Random) -> str:
    """The text up to some place, as after a broken transfer."""
    return text[: rng.randrange(len(text) + 1)]


def insert_binary(text: str, rng: random.Random) -> str:
    index = rng.randrange(len(text) + 1)
    return text[:index] + rng.randbytes(rng.randint(1, 64)).decode("latin-1") + text[index:]


KINDS: list[Mutation] = [
    delete_line,
    duplicate_line,
    swap_lines,
    change_indentation,
    change_characters,
    swap_words,
    change_word,
    change_number,
    cut,
    insert_binary,
]


def _lines(text: str) -> list[str]:
    """The lines with their terminators; they always add up to the text."""
    return _LINE_WITH_END.findall(text)


def _replaced(text: str, pattern: re.Pattern[str], new: str, rng: random.Random) -> str:
    places = list(pattern.finditer(text))
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + new + text[place.end() :]
