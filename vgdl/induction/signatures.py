"""What each row of the ontology can show from outside: derived from what it writes and creates.

A token is a role and a change: who is affected (the first or second sprite of a meeting, a type that a parameter names,
any other) and what becomes of the sprite. The rows declare what a word writes, since the compiler needs to know it; how
a sprite of a class is observed is found by making one. So a word that is added to the ontology has a signature at once;
nothing in this module names one.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Set

import numpy as np

import vgdl
from vgdl import Category, ontology
from vgdl.induction.hypothesis import SPARE, Rule, Value
from vgdl.language import VGDLError
from vgdl.ontology.rows import Effect, Kind, Lookup, Parameter, Refers, SpriteClass, Termination, What

FIRST, SECOND, NAMED, OTHER = "first", "second", "named", "other"
"""Roles of the sprites that an effect changes; NAMED: those of a type that a parameter names."""
GONE, BACK, MOVED, NEW, RESOURCES, HEALTH, SCORE = "gone", "back", "moved", "new", "resources", "health", "score"
"""Changes; BACK: the sprite is where it was, although it was to move."""

Token = tuple[str, str]  #: a role and a change

_SHOWN: tuple[tuple[What, tuple[str, ...]], ...] = (
    (What.KILL | What.REMOVE, (GONE,)),
    (What.RESTORE, (BACK,)),
    (What.RECT | What.ORIENTATION | What.PUSH | What.SPEED | What.GRAVITY | What.ROTATION | What.INNER, (MOVED, BACK)),
    (What.HEALTH, (HEALTH, GONE)),
    (What.RESOURCES, (RESOURCES,)),
    (What.SPAWN_TYPE, (NEW,)),
)
_ROLES = {"first": FIRST, "second": SECOND, "all": OTHER, "self": FIRST}


@functools.cache
def own_parameters(row: Effect | SpriteClass | Termination) -> tuple[Parameter, ...]:
    """The parameters that a row and its parents declare, apart from those that all words of its group share."""
    found = {p.name: p for above in reversed(ontology.lineage(row)[:-1]) for p in above.parameters}
    return tuple(p for p in found.values() if not p.internal and not p.drawing and p.kind is not Kind.OPAQUE)


@functools.cache
def effect_signature(row: Effect, on: frozenset[str] | None = None) -> frozenset[Token]:
    """What an effect can show; the score alone, if it changes no sprite.

    Args:
        row: the effect.
        on: those of its switches that are on; None: each may be.
    """
    found: set[Token] = set()
    for write in row.writes:
        if on is not None and write.when is not None and write.when not in on:
            continue
        role = _ROLES.get(write.target, NAMED)
        roles = (FIRST, SECOND, OTHER) if role == OTHER else (role,)
        found |= {(r, change) for r in roles for change in changes_of(write.what)}
    found |= {(FIRST if created == "first" else NAMED, NEW) for created in row.creates}
    return frozenset(found or {(OTHER, SCORE)})


def changed_by(rule: Rule, change: str) -> frozenset[int]:
    """The types that meet by a rule of whose sprites its effect can show a change."""
    roles = ((FIRST, rule.first), (SECOND, rule.second))
    return frozenset(kind for role, kind in roles if kind >= 0 and (role, change) in effect_signature(rule.row))


def changes_of(what: What) -> frozenset[str]:
    """The changes that a write shows."""
    return frozenset(change for flag, changes in _SHOWN if what & flag for change in changes)


@functools.cache
def class_signature(row: SpriteClass) -> frozenset[str]:
    """What the sprites of a class do by themselves: move, make others, die.

    A class that is oriented and not static moves by drifting in its direction, whatever its own update does.
    """
    found = {change for write in row.writes for change in changes_of(write.what)}
    if row.creates:
        found.add(NEW)
    known = ontology.parameters(row)
    if known["is_oriented"].default and not known["is_static"].default:
        found |= {MOVED, BACK}
    if row.time_to_live:
        found.add(GONE)
    return frozenset(found)


@functools.cache
def categories() -> Mapping[str, Mapping[int, str]]:
    """The categories in which the sprites of each class are observed; found by making sprites.

    Each comes with the name of the switch that the line has to turn for it, which is empty for the usual category.
    """
    found: dict[str, dict[int, str]] = {}
    for row in ontology.ALL_SPRITE_CLASSES:
        switches = [name for name in labels() if not row.avatar and not ontology.parameters(row)[name].default]
        for name, line in (("", ""), *((name, f" {name}=True") for name in switches)):
            category = _category(row, line)
            if category is not None:
                found.setdefault(row.name, {}).setdefault(category, name)
    return found


@functools.cache
def labels() -> tuple[str, ...]:
    """The switches, usually off, that say in which category sprites are observed; resources also need a limit."""
    plain = next(row for row in ontology.ALL_SPRITE_CLASSES if not row.avatar and is_inert(row))
    shared = ontology.parameters(plain).values()
    off = [p.name for p in shared if p.kind is Kind.BOOL and not p.internal and not p.default]
    usual = {None, Category.RESOURCE, _category(plain, "")}
    return tuple(name for name in off if _category(plain, f" {name}=True") not in usual)


def _category(row: SpriteClass, line: str) -> int | None:
    """The observed category of a class with these parameters; None if the engine refuses it, or it is hidden."""
    named = [p.name for p in ontology.parameters(row).values() if not p.internal and p.refers in _NAMING]
    avatar = "" if row.avatar else "        b > MovingAvatar\n"
    text = (
        "BasicGame obs=d\n    SpriteSet\n        c > Resource limit=9\n        d > Immovable\n"
        f"{avatar}        a > {row.name}{''.join(f' {name}=c' for name in named)}{line}\n"
        "    LevelMapping\n        a > a\n    InteractionSet\n    TerminationSet\n        Timeout limit=9\n"
    )
    try:
        state = vgdl.loads(text).board("a\n").start(0)
    except VGDLError:
        return None
    arrays = state.arrays
    rows = np.flatnonzero(arrays["type"] == state.game.types.index("a"))
    return int(arrays["category"][rows[0]]) if len(rows) else None


_NAMING = (Refers.SPRITE, Refers.SPRITES)


def is_inert(row: SpriteClass) -> bool:
    """Whether sprites of a class do nothing by themselves."""
    return class_signature(row) <= {GONE}


def fits_observed(row: SpriteClass, categories_seen: Set[int], actions: Set[str] | None) -> bool:
    """Whether sprites of a class are observed in one of these categories, and have these actions if they are avatars.

    What an avatar makes is observed in a category of its own, which says nothing about the class.
    """
    possible = categories().get(row.name)
    if not possible or row.avatar != (actions is not None):
        return False
    if actions is not None:
        return set(row.actions) - {"NIL"} == actions
    return not categories_seen - {Category.FROM_AVATAR} or bool(possible.keys() & categories_seen)


def needed_types(row: SpriteClass) -> dict[str, Value]:
    """The parameters that name types without which no sprite of a class can be made, each with a spare one."""
    return {p.name: SPARE for p in own_parameters(row) if p.refers in _NAMING and p.lookup is Lookup.UNCHECKED}


def switched(row: SpriteClass, categories_seen: Set[int]) -> dict[str, Value]:
    """The parameter that a class needs for its sprites to be observed in one of these categories, if any."""
    possible = categories()[row.name]
    if not categories_seen - {Category.FROM_AVATAR}:
        return {}
    names = [name for category, name in sorted(possible.items()) if category in categories_seen]
    return {} if not names or "" in names else {names[0]: True}
