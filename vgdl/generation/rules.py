"""Generators of rules: at random, by templates for classes, and by a genetic algorithm (generation, 5)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from vgdl.controllers.base import Timer
from vgdl.generation.interface import RuleGenerator, Rules, RulesRefused, RulesTask
from vgdl.generation.ruleset import effect_parameters
from vgdl.judging.description import EOS, Group, SpriteFacts

EFFECTS = (
    "killSprite", "killBoth", "stepBack", "undoAll", "transformTo", "cloneSprite", "spawn", "turnAround",
    "reverseDirection", "flipDirection", "bounceForward", "pullWithIt", "wrapAround", "collectResource",
    "killIfOtherHasMore", "killIfHasLess", "changeResource", "killIfFromAbove", "attractGaze", "killAll",
)  # fmt: skip
"""The effects that generators use."""

SURVIVED = (100, 200)
"""Ticks after which survival wins: the referee's plays of 300 ticks end before a limit of 300 is exceeded."""

AT_EDGES = ("stepBack", "killSprite", "turnAround", "wrapAround")


class RandomRules(RuleGenerator):
    """One to ten lines at random, and two terminations; the best-formed of a few draws that the checker accepts."""

    def generate(self, timer: Timer) -> Rules:
        lines = Lines(self.task)
        for _ in range(100):
            rules = lines.at_random(self.generator)
            try:
                self.task.game(rules)
            except RulesRefused:
                continue
            return rules
        return rules


class ConstructiveRules(RuleGenerator):
    """Templates by class: walls stop, harmful sprites kill, resources are collected, doors need them, and so on."""

    def generate(self, timer: Timer) -> Rules:
        return Lines(self.task).by_templates(self.generator)


class Lines:
    """Lines of rules for some sprites."""

    def __init__(self, task: RulesTask) -> None:
        """Sort the sprites that the level has or that sprites create."""
        description = task.description
        characters = set(task.level) - {"\n"}
        placed = {name for character in characters for name in description.characters.get(character, ())}
        placed |= {
            name
            for character in characters
            for name in self._mapped(description.mapping.get(character, ()), description.members)
        }
        for _ in description.sprites:
            placed |= {made for sprite in description.sprites if sprite.name in placed for made in sprite.creates}
        self.sprites = [sprite for sprite in description.sprites if sprite.name in placed]
        self.avatars = [s for s in self.sprites if s.name in description.avatars] or self.sprites[-1:]
        counts = {s.name: 0 for s in self.sprites}
        for character in task.level:
            for name in self._mapped(description.mapping.get(character, ()), description.members):
                counts[name] = counts.get(name, 0) + 1
        self.counts = counts
        rows = task.level.splitlines()
        edge = [*rows[0], *rows[-1], *(end for row in rows[1:-1] for end in (row[:1], row[-1:]))]
        self.at_edge = Counter(
            name
            for character in edge
            for name in self._mapped(description.mapping.get(character, ()), description.members)
        )
        avatars = {sprite.name for sprite in self.avatars}
        beneath = [
            types for types in description.mapping.values() if avatars & set(self._mapped(types, description.members))
        ]
        # what lies beneath an avatar is floor: it takes part in nothing
        self.floor = {
            sprite.name
            for sprite in self.sprites
            if sprite.group is Group.STATIC
            and ("hidden" in sprite.parameters or any(sprite.name in types for types in beneath))
        }
        self.others = [s for s in self.sprites if s not in self.avatars and s.name not in self.floor]

    @staticmethod
    def _mapped(names: Sequence[str], members: object) -> list[str]:
        assert isinstance(members, dict)
        return [leaf for name in names for leaf in members.get(name, ())]

    # ---------------------------------------------------------------------------------------------- at random

    def at_random(self, generator: random.Random) -> Rules:
        """One to ten random lines."""
        number = generator.randint(1, 10)
        return Rules([self.interaction(generator) for _ in range(number)], self.terminations(generator))

    def interaction(self, generator: random.Random) -> str:
        """A random line."""
        names = [sprite.name for sprite in (*self.others, *self.avatars)]
        first = generator.choice(names)
        if generator.random() < 0.15:
            return f"{first} {EOS} > {generator.choice(AT_EDGES)}"
        effect = generator.choice(EFFECTS)
        words = [f"{first} {generator.choice(names)} > {effect}"]
        words += [f"{key}={self._named(key, generator)}" for key in effect_parameters(effect)]
        if effect.startswith(("killIfOther", "killIfHas", "changeResource")):
            words.append(f"{'value' if effect == 'changeResource' else 'limit'}={generator.randint(1, 3)}")
        if generator.random() < 0.5:
            words.append(f"scoreChange={generator.choice((-1, 1, 1, 2, 5))}")
        return " ".join(words)

    def _named(self, key: str, generator: random.Random) -> str:
        resources = [sprite.name for sprite in self.others if sprite.group is Group.RESOURCE]
        names = [sprite.name for sprite in self.others] or [self.avatars[0].name]
        return generator.choice(resources if key == "resource" and resources else names)

    def terminations(self, generator: random.Random) -> list[str]:
        """A termination that wins, and one that loses, in this order."""
        placed = [sprite.name for sprite in self.others if self.counts[sprite.name]]
        wins = [f"SpriteCounter stype={name} win=True" for name in placed]
        if not wins or generator.random() < 0.1:
            wins = [f"Timeout limit={generator.choice(SURVIVED)} win=True"]
        loses = [f"SpriteCounter stype={self.avatars[0].name} win=False", "Timeout limit=500 win=False"]
        return [generator.choice(wins), loses[generator.random() < 0.2]]

    # ---------------------------------------------------------------------------------------------- templates

    def by_templates(self, generator: random.Random) -> Rules:
        """Rules that suit the classes of the sprites; which sprites are walls, dangers and prizes is drawn."""
        avatar = self.avatars[0].name
        walls, dangers, prizes, doors, boxes = self._roles(generator)
        lines = [f"{one.name} {EOS} > stepBack" for one in self.avatars]
        for sprite in self.others:
            if sprite.group in (Group.NPC, Group.MOVING):
                dies = sprite.class_name == "Missile" or any(sprite.name in s.creates for s in self.sprites)
                lines.append(f"{sprite.name} {EOS} > {'killSprite' if dies else 'turnAround'}")
        for wall in walls:
            for sprite in (*self.avatars, *(s for s in self.others if s.group is Group.NPC)):
                lines.append(f"{sprite.name} {wall.name} > stepBack")
            lines += [f"{box.name} {wall.name} > undoAll" for box in boxes]
        lines += [f"{box.name} {avatar} > bounceForward" for box in boxes]
        shots = [name for one in self.avatars for name in one.creates]
        for shot in shots:
            for danger in dangers:
                lines.append(f"{danger.name} {shot} > killSprite scoreChange=2")
            lines += [f"{shot} {wall.name} > killSprite" for wall in walls]
            if generator.random() < 0.5:
                lines += [f"{prize.name} {shot} > killSprite scoreChange=1" for prize in prizes]
        for danger in dangers:
            lines.append(f"{avatar} {danger.name} > killSprite scoreChange=-1")
        resources = [prize for prize in prizes if prize.group is Group.RESOURCE]
        for prize in prizes:
            effect = "collectResource" if prize in resources else "killSprite"
            lines.append(f"{prize.name} {avatar} > {effect} scoreChange=1")
        for door in doors:
            if resources:
                limit = max(1, min(self.counts[resources[0].name], int(resources[0].parameters.get("limit", "2")), 3))
                lines.append(
                    f"{door.name} {avatar} > killIfOtherHasMore "
                    f"resource={resources[0].name} limit={limit} scoreChange=2"
                )
                lines.append(f"{avatar} {door.name} > stepBack")
            else:
                lines.append(f"{door.name} {avatar} > killSprite scoreChange=2")
        return Rules(list(dict.fromkeys(lines)), self._ends(doors, prizes, dangers, shots, generator))

    def _ends(
        self, doors: Sequence[SpriteFacts], prizes: Sequence[SpriteFacts], dangers: Sequence[SpriteFacts],
        shots: Sequence[str], generator: random.Random,
    ) -> list[str]:  # fmt: skip
        goals = [door.name for door in doors if self.counts[door.name]]
        goals = goals or [prize.name for prize in prizes if self.counts[prize.name]]
        if shots and (not goals or generator.random() < 0.3):
            goals = [danger.name for danger in dangers if self.counts[danger.name]] or goals
        win = f"SpriteCounter stype={generator.choice(goals)} win=True" if goals else ""
        if not goals or (dangers and generator.random() < 0.1):
            win = f"Timeout limit={generator.choice(SURVIVED)} win=True"
        lose = f"SpriteCounter stype={self.avatars[0].name} win=False" if dangers else "Timeout limit=300 win=False"
        return [win, lose]

    def _roles(self, generator: random.Random) -> tuple[list[SpriteFacts], ...]:
        """Walls, dangers, prizes, doors and boxes."""
        walls: list[SpriteFacts] = []
        dangers: list[SpriteFacts] = []
        prizes: list[SpriteFacts] = []
        doors: list[SpriteFacts] = []
        boxes: list[SpriteFacts] = []
        static = [s for s in self.others if s.group in (Group.STATIC, Group.PORTAL) and not s.creates]
        most = max(static, key=lambda one: (self.at_edge[one.name], self.counts[one.name]), default=None)
        if generator.random() < 0.1:
            most = None
        made_by_avatar = {name for one in self.avatars for name in one.creates}
        for sprite in self.others:
            if sprite.name in made_by_avatar:
                continue
            if sprite is most:
                walls.append(sprite)
            elif sprite.group is Group.RESOURCE:
                prizes.append(sprite)
            elif sprite.group is Group.PORTAL or sprite.class_name == "Door":
                (dangers if sprite.creates else doors).append(sprite)
            elif sprite.group is Group.NPC:
                (dangers if generator.random() < 0.8 else prizes).append(sprite)
            elif sprite.class_name == "Passive":
                (boxes if generator.random() < 0.7 else prizes).append(sprite)
            elif sprite.group is Group.MOVING:
                dangers.append(sprite)
            else:
                generator.choice((dangers, prizes, prizes, doors)).append(sprite)
        return walls, dangers, prizes, doors, boxes
