"""The prior: the length of a text in bits, by a grammar over the rows of the ontology.

The frequencies of words and parameters are counted in the development half of the bundled games, so that the other half
can tell how well a learner does in games that it has never seen. They are stored in ``counts.json``, which
``benchmarks/induction_prior.py`` writes. A word that no bundled game uses, such as one that was added since, costs as
much as one that was counted half a time (the Krichevsky-Trofimov estimate).
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping
from pathlib import Path

from vgdl import ontology
from vgdl.induction.hypothesis import CLOCK, Hypothesis, Kind, Line, Rule, Value, numbers_in
from vgdl.induction.signatures import labels
from vgdl.ontology.rows import Kind as FieldKind
from vgdl.ontology.rows import Parameter, Refers, Word

FILE = Path(__file__).with_name("counts.json")
_UNSEEN = 0.5  #: the count of a word that was never counted (Krichevsky-Trofimov)
_DIRECTIONS = 4
_TIMED = 7.0  #: bits of the two parameters of a line that runs in every tick: a bit for each, and their values
_CENTS = 100  #: fractions are described in hundredths

_ROWS: Mapping[str, tuple[Word, ...]] = {
    "sprite": ontology.ALL_SPRITE_CLASSES,
    "effect": ontology.ALL_EFFECTS,
    "termination": ontology.ALL_TERMINATIONS,
}
Counts = Mapping[str, Mapping[str, int]]


@functools.cache
def counts() -> Counts:
    """How often the counted games use each word, and each parameter of a word.

    Keys: ``sprite``, ``effect`` and ``termination`` for words, ``<word>`` for the parameters of a word and ``any`` for
    those of all words.
    """
    loaded: Counts = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded


def bits(hypothesis: Hypothesis) -> float:
    """The length of a hypothesis in bits. A rule that differs from another one in types only may refer to that one."""
    types = len(hypothesis.kinds)
    own = sum(kind_bits(kind, types, like=kind in hypothesis.kinds[:k]) for k, kind in enumerate(hypothesis.kinds))
    pair, rules = math.log2(types + 1), 0.0
    seen: set[object] = set()
    for rule in hypothesis.rules:
        whole = 2 * pair + line_bits("effect", rule, types) + _TIMED * (rule.second == CLOCK)
        for differing, shapes in _shapes(rule):
            if not seen.isdisjoint(shapes):
                whole = min(whole, differing * pair + 1 + math.log2(len(hypothesis.rules)))
            seen |= shapes
        rules += whole
    ends = sum(line_bits("termination", end, types) for end in hypothesis.ends)
    return own + rules + ends + len(hypothesis.order) * pair


def kind_bits(kind: Kind, types: int, *, like: bool = False) -> float:
    """The length of a line of the SpriteSet; ``like``: another type has the same class, to which it may refer."""
    whole = line_bits("sprite", kind, types)
    return min(whole, 1 + math.log2(types)) if like else whole


@functools.lru_cache(maxsize=1 << 14)
def _shapes(rule: Rule) -> tuple[tuple[int, frozenset[object]], ...]:
    """What a rule shares with others that differ from it in a type, and in those that parameters name, too."""
    pair = tuple(enumerate((rule.first, rule.second)))
    masked = tuple((key, "" if numbers_in(value) else value) for key, value in rule.parameters)
    named = sum(bool(value == "") for _, value in masked)
    shapes = ((1, rule.parameters), (1 + named, masked))[: 1 + bool(named)]
    return tuple((differing, frozenset((rule.word, given, *place) for place in pair)) for differing, given in shapes)


@functools.lru_cache(maxsize=1 << 14)
def line_bits(group: str, line: Line, types: int) -> float:
    """The length of a word with its parameters, in a game with so many types."""
    row = row_of(group, line.word)
    known = ontology.parameters(row)
    shown = labels() if group == "sprite" else ()  # these are observed, so they take no bits
    given = [(known[key], value) for key, value in line.parameters if key in known and key not in shown]
    named = [parameter_bits(group, row, p) for p, _ in given]
    values = [value_bits(p, value, types) for p, value in given]
    return word_bits(group, line.word) + sum(named) + sum(values) + 1


def row_of(group: str, word: str) -> Word:
    """The row of a word of one group: ``sprite``, ``effect`` or ``termination``."""
    find = {"sprite": ontology.sprite_class, "effect": ontology.effect, "termination": ontology.termination}[group]
    row = find(word)
    if row is None:
        raise ValueError(f"no {group} named {word!r}")
    return row


def word_bits(group: str, word: str) -> float:
    """The length of a word: how rare it is among those of its group."""
    seen = counts()[group]
    total = sum(seen.values()) + _UNSEEN * len(_ROWS[group])
    return -math.log2((seen.get(word, 0) + _UNSEEN) / total)


def parameter_bits(group: str, row: Word, parameter: Parameter) -> float:
    """The length of the mention of a parameter; a required one costs nothing."""
    seen = counts().get(row.name, {})
    used = counts()[group].get(row.name, 0)
    own = _UNSEEN if any(p.name == parameter.name for p in row.parameters) else _UNSEEN / 2
    return -math.log2((seen.get(parameter.name, 0) + own) / (used + 1))


def value_bits(parameter: Parameter, value: Value, types: int) -> float:
    """The length of a value, by the kind of its parameter."""
    if parameter.refers in (Refers.SPRITE, Refers.SPRITES):
        return math.log2(types + 1) * max(1, len(numbers_in(value)))
    if parameter.kind is FieldKind.DIRECTION:
        return math.log2(_DIRECTIONS)
    if parameter.kind is FieldKind.BOOL or parameter.refers is Refers.FLAGS:
        return 1.0
    if parameter.refers is Refers.EFFECT:
        return word_bits("effect", str(value))
    try:
        number = float(value)
    except ValueError:
        return 8.0 * len(str(value))
    if number == int(number):
        return _integer_bits(int(number))
    return _integer_bits(round(number * _CENTS)) + 1


def _integer_bits(number: int) -> float:
    """The length of an integer in Elias's gamma code, with a sign."""
    return 2 * math.floor(math.log2(abs(number) + 1)) + 2


def largest_like(number: int) -> int:
    """The largest integer that is described in as many bits as a positive one."""
    return int((2 << int(math.log2(number + 1))) - 2)
