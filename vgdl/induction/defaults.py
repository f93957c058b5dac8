"""What a text says of types as long as nothing is known of them: the least active class that they may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vgdl import Category, ontology
from vgdl.induction import prior
from vgdl.induction.evidence import Evidence
from vgdl.induction.hypothesis import Hypothesis, Kind
from vgdl.induction.prior import largest_like
from vgdl.induction.signatures import class_signature, fits_observed, needed_types, switched


def completed(hypothesis: Hypothesis, evidence: Evidence, types: int = 0) -> Hypothesis:
    """The hypothesis with a class for every type seen, and for so many types: the shortest one of its category."""
    kinds = list(hypothesis.kinds)
    seen = _categories(evidence)
    for number in range(len(kinds), max(types, evidence.types)):
        kinds.append(default_kind(seen.get(number), evidence.actions.get(number)))
    for number, actions in evidence.actions.items():  # a type that turned out to be an avatar
        if not kinds[number].row.avatar:
            kinds[number] = default_kind(Category.AVATAR, actions)
    return with_room(replace(hypothesis, kinds=tuple(kinds), square_size=_square_size(evidence)), evidence)


def _categories(evidence: Evidence) -> Mapping[int, int]:
    """The category in which each type was first observed."""
    found: dict[int, int] = {}
    for play in evidence.plays:
        for frame in play.frames:
            for kind, category in zip(frame.arrays["type"].tolist(), frame.arrays["category"].tolist(), strict=True):
                found.setdefault(kind, category)
    return found


def with_room(hypothesis: Hypothesis, evidence: Evidence) -> Hypothesis:
    """The hypothesis with limits of resources that are no smaller than the amounts that were held.

    With lower ones, no rule that changes amounts does anything, so none would be found.
    """
    kinds = list(hypothesis.kinds)
    for number, amounts in evidence.held.items():
        known = ontology.parameters(kinds[number].row)
        if "limit" in known and known["is_resource"].default:
            limit = dict(kinds[number].parameters).get("limit", known["limit"].default)
            if max(amounts) > limit:
                kinds[number] = kinds[number].but("limit", largest_like(max(amounts)))
    return hypothesis if tuple(kinds) == hypothesis.kinds else replace(hypothesis, kinds=tuple(kinds))


def default_kind(category: int | None, actions: set[str] | None) -> Kind:
    """The least active class, among these the most frequent one, that is observed in a category.

    Of avatars, it also has these actions. Types that its parameters must name are spare ones. Where no class fits, as
    of a type that looks like an avatar and is none, the category is ignored, then the actions as well.
    """
    seen = set() if category is None else {category}
    for categories, known in ((seen, actions), (set(), actions), (set(), None)):
        rows = [row for row in ontology.ALL_SPRITE_CLASSES if fits_observed(row, categories, known)]
        if rows:
            break
    given = {row: {**needed_types(row), **switched(row, seen)} for row in rows}
    row = min(rows, key=lambda row: (len(class_signature(row)), len(given[row]), prior.word_bits("sprite", row.name)))
    return Kind(row.name, tuple(sorted(given[row].items())))


def _square_size(evidence: Evidence) -> int | None:
    """The number of pixels per cell that the game sets; None if it is the engine's default."""
    for play in evidence.plays:
        frame = play.frames[0]
        columns, rows = (size // frame.block_size for size in frame.world_dimension)
        if frame.block_size != max(2, 800 // max(columns, rows)):
            return frame.block_size
    return None
