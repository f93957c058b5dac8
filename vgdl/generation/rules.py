"""Generators of rules: at random, by templates for classes, and by a genetic algorithm (generation, 5)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from vgdl.controllers.base import Timer
from vgdl.generation.interface import RuleGenerator, Rules, RulesRefused, RulesTask
from vgdl.generation.ruleset import RulesJudgement, effect_parameters, idle_shares, judge_rules
from vgdl.judging.description import EOS, Group, SpriteFacts
from vgdl.judging.plays import Effort, seed_of
from vgdl.language import VGDLError

EFFECTS = (
    "killSprite", "killBoth", "stepBack", "undoAll", "transformTo", "cloneSprite", "spawn", "turnAround",
    "reverseDirection", "flipDirection", "bounceForward", "pullWithIt", "wrapAround", "collectResource",
    "killIfOtherHasMore", "killIfHasLess", "changeResource", "killIfFromAbove", "attractGaze", "killAll",
)  # fmt: skip
"""The effects that generators use."""

AT_EDGES = ("stepBack", "killSprite", "turnAround", "wrapAround")
POPULATION = 50
CROSSOVER = 0.9
MUTATION = 0.1
FINALISTS = 25  #: of the last population, the best of which that passes the last test is returned
QUIET_TESTS = 5
_QUICK = Effort(2, 100, 300)
_SCOUT = Effort(1, 100, 300)
_SCOUTS = ("random", "champion")
_JUDGES = ("donothing", "random", "onesteplookahead", "olets", "champion")


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


class GeneticRules(RuleGenerator):
    """A population of 50, three in four by templates; failures are minimised first, then the value is raised."""

    def generate(self, timer: Timer) -> Rules:
        lines = Lines(self.task)
        population: list[_Individual] = []
        while len(population) < POPULATION and not (timer.exceeded and population):
            make = lines.at_random if len(population) % 4 == 3 else lines.by_templates
            self._add(make(self.generator), population)
        while not timer.exceeded:
            population.sort(key=lambda one: one.fitness, reverse=True)
            parents = population[: max(2, POPULATION // 2)]
            children: list[_Individual] = []
            while len(children) < POPULATION // 2 and not timer.exceeded:
                self._add(self._child(parents, lines), children)
            population = [*parents, *children]
        population.sort(key=lambda one: one.fitness, reverse=True)
        return next((one.rules for one in population[:FINALISTS] if self._is_quiet(one.rules)), population[0].rules)

    def _is_quiet(self, rules: Rules) -> bool:
        """Whether doing nothing is survived in many more plays than the referee looks at."""
        try:
            board = self.task.game(rules).board(self.task.level)
            shares = [idle_shares(board, seed_of("quiet", number)) for number in range(QUIET_TESTS)]
        except (RulesRefused, VGDLError):
            return False
        return all(share == 1.0 for each in shares for share in each.values())

    def _child(self, parents: Sequence[_Individual], lines: Lines) -> Rules:
        one, other = (self.generator.choices(parents, range(len(parents), 0, -1))[0].rules for _ in range(2))
        interactions, terminations = list(one.interactions), list(one.terminations)
        if self.generator.random() < CROSSOVER:
            cut, start = (self.generator.randint(0, len(rules.interactions)) for rules in (one, other))
            interactions = [*one.interactions[:cut], *other.interactions[start:]]
            terminations = [self.generator.choice((one, other)).terminations[place] for place in (0, 1)]
        if self.generator.random() < MUTATION or list(interactions) == list(one.interactions):
            self._mutate(interactions, terminations, lines)
        unique = list(dict.fromkeys(interactions))[:30]
        return Rules(unique or [lines.interaction(self.generator)], terminations)

    def _mutate(self, interactions: list[str], terminations: list[str], lines: Lines) -> None:
        chance = self.generator.random()
        if chance < 0.4 or not interactions:
            interactions.insert(self.generator.randint(0, len(interactions)), lines.interaction(self.generator))
        elif chance < 0.7:
            interactions.pop(self.generator.randrange(len(interactions)))
        elif chance < 0.9:
            interactions[self.generator.randrange(len(interactions))] = lines.interaction(self.generator)
        else:
            terminations[:] = lines.terminations(self.generator)

    def _add(self, rules: Rules, population: list[_Individual]) -> None:
        try:
            game = self.task.game(rules)
        except RulesRefused:
            population.append(_Individual(rules, (0.0, 0.0)))
            return
        seed = seed_of("rules", len(rules.interactions))
        judged = judge_rules(game, self.task.level, seed, _SCOUT, judges=_SCOUTS, meter=self.task.meter)
        if judged.profile is not None and judged.profile.gap > 0:  # worth the plays of all judges
            judged = judge_rules(game, self.task.level, seed, _QUICK, judges=_JUDGES, meter=self.task.meter)
        population.append(_Individual(rules, _fitness(judged)))


@dataclass
class _Individual:
    rules: Rules
    fitness: tuple[float, float]  #: feasibility first, then value


def _fitness(judged: RulesJudgement) -> tuple[float, float]:
    if judged.profile is None:
        return 0.1 + 0.9 * judged.feasibility.mean, 0.0
    progress = 0.2 * max(0.0, judged.profile.gap) + 0.02 * judged.reference_value
    return 1.0, judged.value + progress


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
        wins = [f"SpriteCounter stype={name} win=True" for name in placed] or ["Timeout limit=300 win=True"]
        if generator.random() < 0.1:
            wins = [f"Timeout limit={generator.choice((200, 300))} win=True"]
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
        win = f"SpriteCounter stype={generator.choice(goals)} win=True" if goals else "Timeout limit=300 win=True"
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
        most = max(static, key=lambda sprite: self.counts[sprite.name], default=None)
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
