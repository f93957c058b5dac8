"""What a game's rules say, as data: for generators of levels and rules, and for the referee (generation, 2).

`describe` reads a `Game`; `GameDescription.plain` is the same as JSON values. Only leaf types, those without types
below them, can be placed or created as themselves; groups are resolved to their leaf types everywhere but in the rules
as written.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from vgdl import Action, ontology
from vgdl.game import Game
from vgdl.language import InteractionLine, SectionKind
from vgdl.ontology.rows import Refers, What

EOS = "EOS"
"""The name of the edge of the screen in a rule."""

_DEATH = What.KILL | What.REMOVE
_UNDONE = frozenset({"stepBack", "undoAll", "wallStop", "wallBounce", "wallReverse"})


class Group(enum.StrEnum):
    """The six lists of sprites; a sprite is in the first that fits."""

    AVATAR = "avatar"  #: an avatar class, and in some interaction
    NPC = "npc"
    PORTAL = "portal"
    RESOURCE = "resource"
    STATIC = "static"
    MOVING = "moving"


@dataclass(frozen=True, slots=True)
class SpriteFacts:
    """A leaf type."""

    name: str
    class_name: str
    group: Group
    parents: tuple[str, ...]  #: the groups it belongs to, the outermost first
    parameters: Mapping[str, str]  #: as written, inherited ones included
    creates: tuple[str, ...]  #: leaf types that its class creates
    needs: tuple[str, ...]  #: leaf types that its class names otherwise: ammunition, a goal, an exit
    singleton: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """An effect between two names of one line of the InteractionSet."""

    line: int
    first: str  #: a type, a group, or ``EOS``
    second: str
    effect: str
    score: int  #: score change of player 0
    names: tuple[str, ...]  #: types that its parameters name
    text: str  #: the line as written


@dataclass(frozen=True, slots=True)
class Ending:
    """A line of the TerminationSet."""

    line: int
    class_name: str
    types: tuple[str, ...]  #: as written
    limit: int
    win: bool  #: of player 0
    minimum: bool


@dataclass(frozen=True)
class GameDescription:
    """A game's types, rules, terminations and level characters, with what follows from them.

    >>> from vgdl.judging import describe
    >>> description = describe(vgdl.load("sokoban"))
    >>> [sprite.name for sprite in description.sprites], description.actions
    (['floor', 'brick', 'hole', 'box', 'keeper'], ('LEFT', 'RIGHT', 'DOWN', 'UP'))
    """

    name: str
    sprites: tuple[SpriteFacts, ...]
    members: Mapping[str, tuple[str, ...]]  #: leaf types of every name
    rules: tuple[Rule, ...]
    endings: tuple[Ending, ...]
    mapping: Mapping[str, tuple[str, ...]]  #: types per level character
    actions: tuple[str, ...]
    created: frozenset[str]  #: leaf types that may be created during a play
    players: int = 1

    @property
    def plain(self) -> dict[str, Any]:
        """The description as JSON values, with the derived facts."""
        return {
            "name": self.name,
            "sprites": {
                group.value: [
                    asdict(sprite) | {"group": group.value} for sprite in self.sprites if sprite.group is group
                ]
                for group in Group
            },
            "members": {name: list(types) for name, types in self.members.items()},
            "rules": [asdict(rule) for rule in self.rules],
            "terminations": [asdict(ending) for ending in self.endings],
            "mapping": {character: list(types) for character, types in self.mapping.items()},
            "actions": list(self.actions),
            "players": self.players,
            "solid": sorted(self.solid),
            "walls": sorted(self.walls),
            "harmful": sorted(self.harmful),
            "collectable": sorted(self.collectable),
            "goals": sorted(self.goals),
            "spawned": {name: list(makers) for name, makers in self.spawned.items()},
            "priority": dict(self.priority),
            "score_units": list(self.score_units),
        }

    # ---------------------------------------------------------------------------------------------- looking up

    def sprite(self, name: str) -> SpriteFacts:
        """The facts about a leaf type.

        Raises:
            LookupError: there is no such leaf type.
        """
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, SpriteFacts]:
        return {sprite.name: sprite for sprite in self.sprites}

    def leaves(self, names: Iterable[str]) -> frozenset[str]:
        """The leaf types of some names."""
        return frozenset(leaf for name in names for leaf in self.members.get(name, ()))

    def effects(self, first: str, second: str) -> tuple[Rule, ...]:
        """The rules that apply to an ordered pair of leaf types, in the order of the text; EOS is a second type."""
        return self.pairs.get((first, second), ())

    @cached_property
    def pairs(self) -> Mapping[tuple[str, str], tuple[Rule, ...]]:
        """The rules of each ordered pair of leaf types."""
        pairs: dict[tuple[str, str], tuple[Rule, ...]] = {}
        for rule in self.rules:
            for pair in self._pairs_of(rule):
                pairs[pair] = (*pairs.get(pair, ()), rule)
        return pairs

    def _pairs_of(self, rule: Rule) -> Iterator[tuple[str, str]]:
        first, second = (rule.second, EOS) if rule.first == EOS else (rule.first, rule.second)
        for one in self.members.get(first, ()):
            for other in (EOS,) if second == EOS else self.members.get(second, ()):
                yield one, other

    @cached_property
    def avatars(self) -> frozenset[str]:
        """The avatar types that take part in an interaction, or all avatar types if none does."""
        fitting = frozenset(sprite.name for sprite in self.sprites if sprite.group is Group.AVATAR)
        return fitting or frozenset(sprite.name for sprite in self.sprites if _is_avatar(sprite.class_name))

    # ---------------------------------------------------------------------------------------------- derived facts

    @cached_property
    def solid(self) -> frozenset[str]:
        """Types that undo the step of an avatar."""
        return frozenset(
            second
            for (first, second), rules in self.pairs.items()
            if first in self.avatars and second != EOS and any(rule.effect in _UNDONE for rule in rules)
        )

    @cached_property
    def walls(self) -> frozenset[str]:
        """Solid types that stay as they are: static, harmless, in no termination, and changed by no rule."""
        changed = {name for name in self.solid if self._is_changed(name) or self._moves(name)}
        return self.solid - changed - self.harmful - self.goals - self.created

    def _moves(self, name: str) -> bool:
        return self.sprite(name).group is not Group.STATIC or bool(self.sprite(name).creates)

    def _is_changed(self, name: str) -> bool:
        return any(
            (first == name and rule.effect not in _UNDONE)
            or (second == name and self._writes(rule, "second"))
            or name in self.leaves(rule.names)
            for (first, second), rules in self.pairs.items()
            if name in (first, second) or any(rule.names for rule in rules)
            for rule in rules
        )

    @staticmethod
    def _writes(rule: Rule, target: str) -> What:
        row = ontology.effect(rule.effect)
        found = What(0)
        if row is None or row.name == "teleportToExit":  # which kills only where there is no exit
            return found
        parameters = ontology.parameters(row)
        for write in row.writes:
            if write.target != target:
                continue
            is_set = write.when is None or f"{write.when}={not parameters[write.when].default}" in rule.text
            if write.when is None or is_set != bool(parameters[write.when].default):
                found |= write.what
        return found

    @cached_property
    def harmful(self) -> frozenset[str]:
        """Types that may kill an avatar by touching it, or make something that does in that moment."""
        deadly = {
            other
            for (first, second), rules in self.pairs.items()
            for avatar, other, target in ((first, second, "first"), (second, first, "second"))
            if avatar in self.avatars and other != EOS
            and any(self._writes(rule, target) & _DEATH and not self._makes_avatar(rule) for rule in rules)
        }  # fmt: skip
        while True:
            more = {
                other
                for (first, second), rules in self.pairs.items()
                for avatar, other in ((first, second), (second, first))
                if avatar in self.avatars and other != EOS and other not in deadly
                and any(rule.effect.startswith("spawn") and self.leaves(rule.names) & deadly for rule in rules)
            }  # fmt: skip
            if not more:
                return frozenset(deadly - self.avatars)
            deadly |= more

    def _makes_avatar(self, rule: Rule) -> bool:
        return bool(self.leaves(rule.names) & self.avatars)

    @cached_property
    def collectable(self) -> frozenset[str]:
        """Types that die when an avatar touches them, for a resource or a score of at least 0."""
        return frozenset(
            first
            for (first, second), rules in self.pairs.items()
            if second in self.avatars and first not in self.harmful
            and any(self._writes(rule, "first") & _DEATH and rule.score >= 0 for rule in rules)
        )  # fmt: skip

    @cached_property
    def goals(self) -> frozenset[str]:
        """Types named in a termination, avatars aside."""
        return self.leaves(name for ending in self.endings for name in ending.types) - self.avatars

    @cached_property
    def spawned(self) -> Mapping[str, tuple[str, ...]]:
        """The types that may be created, each with the types that create it by their class or by an effect."""
        makers: dict[str, list[str]] = {name: [] for name in sorted(self.created)}
        for sprite in self.sprites:
            for name in sprite.creates:
                makers.setdefault(name, []).append(sprite.name)
        for (first, _), rules in self.pairs.items():
            for rule in rules:
                row = ontology.effect(rule.effect)
                if row is not None and row.creates:
                    for name in (first,) if "first" in row.creates else self.leaves(rule.names):
                        makers.setdefault(name, []).append(first)
        return {name: tuple(dict.fromkeys(found)) for name, found in makers.items()}

    @cached_property
    def stock(self) -> Mapping[str, int]:
        """How many of each resource type the rules ask of an avatar: the greatest ``limit`` that one looks at."""
        wanted: dict[str, int] = {}
        for (first, second), rules in self.pairs.items():
            for rule in rules:
                words = dict(word.split("=", 1) for word in rule.text.split() if word.count("=") == 1)
                if "resource" in words and (first in self.avatars or second in self.avatars):
                    for name in self.leaves((words["resource"],)):
                        wanted[name] = max(wanted.get(name, 0), _number(words.get("limit", "0")))
        return wanted

    @cached_property
    def priority(self) -> Mapping[str, int]:
        """How often each leaf type takes part in a rule or a termination."""
        count = dict.fromkeys((sprite.name for sprite in self.sprites), 0)
        for rule in self.rules:
            for name in self.leaves((rule.first, rule.second, *rule.names)):
                count[name] += 1
        for ending in self.endings:
            for name in self.leaves(ending.types):
                count[name] += 1
        return count

    @cached_property
    def background(self) -> frozenset[str]:
        """Types that take part in nothing: they are only drawn."""
        active = {name for sprite in self.sprites for name in (*sprite.creates, *sprite.needs)}
        return frozenset(
            sprite.name
            for sprite in self.sprites
            if not self.priority[sprite.name] and not sprite.creates and sprite.name not in active
            and not _is_avatar(sprite.class_name)
        )  # fmt: skip

    @cached_property
    def score_units(self) -> tuple[int, int]:
        """The least and the greatest score change of a rule, signs aside; zeros if no rule has any."""
        units = [abs(rule.score) for rule in self.rules if rule.score]
        return (min(units), max(units)) if units else (0, 0)

    @cached_property
    def characters(self) -> Mapping[str, tuple[str, ...]]:
        """The level characters that place sprites, by character, with background types left out."""
        return {
            character: tuple(
                leaf for name in types for leaf in self.members.get(name, ()) if leaf not in self.background
            )
            for character, types in self.mapping.items()
        }

    @cached_property
    def empty(self) -> str:
        """A character that places nothing but background; a blank, which places nothing, if there is none."""
        floors = (
            character
            for character, types in self.characters.items()
            if not types and all(name in self.members for name in self.mapping[character])
        )
        return next(floors, " ")


def describe(game: Game) -> GameDescription:
    """Describe a game; open parameters of a game space have the values that seed 0 draws.

    >>> from vgdl.judging import describe
    >>> describe(vgdl.load("sokoban")).rules[0].text
    'keeper brick > stepBack'
    """
    game = game.drawn(0)
    definitions = game._rules.definitions
    name_of = {number: definition.name for number, definition in definitions.items()}
    leaf_numbers = {number for number in game.order if number in definitions}
    table = game._rules.tables.table["types"]
    rules = tuple(_rules(game, {definition.name for definition in definitions.values()}))
    named = {name for rule in rules for name in (rule.first, rule.second, *rule.names)}
    members = {
        definition.name: tuple(name_of[number] for number in definition.subtypes if number in leaf_numbers)
        for definition in definitions.values()
        if definition.at is not None or definition.name in named  # built-in types count only if the rules name them
    }
    used = {leaf for rule in rules for name in (rule.first, rule.second) for leaf in members.get(name, ())}
    sprites = []
    for number in game.order:
        definition = definitions.get(number)
        if definition is None or definition.row is None or definition.name not in members:
            continue
        creates: list[str] = []
        needs: list[str] = []
        for key, parameter in ontology.parameters(definition.row).items():
            if parameter.refers not in (Refers.SPRITE, Refers.SPRITES) or not definition.settings.get(key):
                continue
            leaves = [
                leaf for name in str(definition.settings[key]).split(",") for leaf in members.get(name.strip(), ())
            ]
            (creates if key in definition.row.creates else needs).extend(leaves)
        row = table[number]
        sprites.append(
            SpriteFacts(
                definition.name,
                definition.class_name or "",
                _group(row, definition.name in used),
                tuple(name_of[ancestor] for ancestor in definition.itypes[:-1] if ancestor in name_of),
                {key: argument.value for key, argument in definition.arguments.items()},
                tuple(dict.fromkeys(creates)),
                tuple(dict.fromkeys(needs)),
                bool(row["singleton"]),
            )
        )
    avatar_classes = [sprite.class_name for sprite in sprites if sprite.group is Group.AVATAR] or [
        sprite.class_name for sprite in sprites if _is_avatar(sprite.class_name)
    ]
    actions = dict.fromkeys(action for name in avatar_classes for action in _actions(name))
    return GameDescription(
        game.name,
        tuple(sprites),
        members,
        rules,
        tuple(_endings(game)),
        dict(game.level_mapping),
        tuple(actions),
        frozenset(name_of[number] for number in game.created if number in leaf_numbers),
        game.n_players,
    )


def _group(row: Any, used: bool) -> Group:
    if row["avatar_object"]:
        return Group.AVATAR if used else Group.MOVING
    if row["is_npc"]:
        return Group.NPC
    if row["portal"]:
        return Group.PORTAL
    if row["is_resource"]:
        return Group.RESOURCE
    return Group.STATIC if row["is_static"] else Group.MOVING


def _is_avatar(class_name: str) -> bool:
    row = ontology.sprite_class(class_name)
    return row is not None and row.avatar


def _actions(class_name: str) -> tuple[str, ...]:
    row = ontology.sprite_class(class_name)
    return tuple(name for name in row.actions if name != Action.NIL.name) if row else ()


def interaction_lines(game: Game) -> list[InteractionLine]:
    """The lines of a game's InteractionSet that are read, in the order of the text."""
    entries = game._description.entries(SectionKind.INTERACTIONS)
    return [line for line in entries if isinstance(line, InteractionLine) and line.effect is not None]


def _rules(game: Game, known: set[str]) -> Iterator[Rule]:
    for line in interaction_lines(game):
        row = ontology.effect(str(line.effect))
        if row is None:
            continue
        arguments = line.arguments
        parameters = ontology.parameters(row)
        named = [
            name.strip()
            for key, argument in arguments.items()
            if key in parameters and parameters[key].refers in (Refers.SPRITE, Refers.SPRITES)
            for name in argument.value.split(",")
        ]
        score = _number(arguments["scoreChange"].value) if "scoreChange" in arguments else 0
        for second in line.seconds:
            first, other = (
                EOS if name.text.upper() == EOS and name.text not in known else name.text
                for name in (line.first, second)
            )
            names = tuple(name for name in named if name in known)
            yield Rule(line.first.at.line, first, other, row.name, score, names, line.text)


def _endings(game: Game) -> Iterator[Ending]:
    for row in game._rules.tables.table["terminations"]:
        types = tuple(game.types[row[key]] for key in ("stype", "stype2", "stype3") if row[key] >= 0)
        name = ending_class(int(row["op"]))
        yield Ending(int(row["line"]), name, types, int(row["limit"]), bool(row["win"][0]), bool(row["minimum"]))


def ending_class(opcode: int) -> str:
    """The name of the termination class with an opcode of the core."""
    from vgdl.core.data.layout import TerminationOp

    wanted = TerminationOp(opcode).name
    return next(row.name for row in ontology.ALL_TERMINATIONS if row.opcode == wanted)


def _number(text: str) -> int:
    try:
        return int(text.split(",")[0])
    except ValueError:
        return 0
