"""Counts the words of the bundled games of the development half again, for the prior of `vgdl.induction`.

python benchmarks/induction_prior.py
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping

from vgdl import games, load, ontology
from vgdl.induction.prior import FILE, Counts
from vgdl.language import parse_file
from vgdl.language.description import InteractionLine, SectionKind, SpriteLine, TerminationLine
from vgdl.ontology.rows import Word

DEVELOPMENT, VALIDATION = "development", "validation"
"""The halves of the bundled games: words are counted in the first one, the other one tells how well a learner does."""


def main() -> None:
    FILE.write_text(json.dumps(counted(development_half()), indent=1) + "\n", encoding="utf-8")


def development_half() -> list[str]:
    """The bundled games for one player whose words are counted."""
    return [name for name in games.names() if load(name).n_players == 1 and half_of(name) == DEVELOPMENT]


def half_of(name: str) -> str:
    """The half of the bundled games that a game is in, by a hash of its name: ``development`` or ``validation``."""
    return (DEVELOPMENT, VALIDATION)[hashlib.sha256(name.encode()).digest()[0] % 2]


def counted(names: Iterable[str]) -> Counts:
    """Count the words and parameters of bundled games."""
    found: dict[str, Counter[str]] = {group: Counter() for group in ("sprite", "effect", "termination", "any")}
    for name in names:
        description, _ = parse_file(games.path(name))
        for entry in description.entries(SectionKind.INTERACTIONS):
            if isinstance(entry, InteractionLine) and entry.effect is not None:
                for _ in entry.seconds:
                    _note(found, "effect", ontology.effect(str(entry.effect)), entry.arguments)
        for entry in description.entries(SectionKind.TERMINATIONS):
            if isinstance(entry, TerminationLine):
                _note(found, "termination", ontology.termination(str(entry.class_name)), entry.arguments)
        for entry in description.entries(SectionKind.SPRITES):
            if isinstance(entry, SpriteLine):
                _count_sprites(found, entry, None, {})
    return {group: dict(sorted(numbers.items())) for group, numbers in sorted(found.items())}


def _count_sprites(
    counts: dict[str, Counter[str]], line: SpriteLine, word: str | None, inherited: Mapping[str, object]
) -> None:
    """Count the types at the leaves below a line, with the class and the parameters that they inherit."""
    word = word if line.class_name is None else str(line.class_name)
    arguments = {**inherited, **line.arguments}
    children = [child for child in line.children if isinstance(child, SpriteLine)]
    for child in children:
        _count_sprites(counts, child, word, arguments)
    if not children and word is not None:
        _note(counts, "sprite", ontology.sprite_class(word), arguments)


def _note(counts: dict[str, Counter[str]], group: str, row: Word | None, arguments: Mapping[str, object]) -> None:
    if row is None:
        return
    known = ontology.parameters(row)
    used = [key for key in arguments if key in known and not known[key].drawing]
    counts[group][row.name] += 1
    counts["any"].update(used)
    counts.setdefault(row.name, Counter()).update(used)


if __name__ == "__main__":
    main()
