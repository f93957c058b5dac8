"""Sets of rules for given sprites: names by lot, putting rules and sprites together, and judging the game they make.

The reference hides names from generators of rules, so that only classes, parameters and the level say what a sprite is
for; `rules_task` does the same (generation, 4).
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vgdl import Action, ontology
from vgdl.core.state import Meter
from vgdl.game import Board, Game, loads
from vgdl.generation.interface import Rules, RulesRefused, RulesTask
from vgdl.judging.coverage import Counters, Coverage
from vgdl.judging.description import describe
from vgdl.judging.feasibility import IDLE_SEEDS, IDLE_TICKS, Feasibility
from vgdl.judging.plays import JUDGES, Effort, seed_of
from vgdl.judging.profile import Profile, profile, rule_value
from vgdl.language import SectionKind, SpriteLine, VGDLError, VGDLRuntimeError

EFFORT = Effort(plays=3, calls=1000, ticks=300)
"""What the specification gives the judges of rules."""

MOST_LINES = 100  #: of interactions or terminations
LONGEST_LINE = 400  #: characters
MOST_MESSAGES = 25
CONSTRAINTS: Mapping[str, str] = {
    "endings": "a termination wins and one loses",
    "idle": "doing nothing for 40 ticks neither ends the game nor kills the avatar, in any of 10 plays",
    "messages": "at most 25 messages are logged in 40 ticks",
}
_HEADERS = frozenset(kind.value for kind in SectionKind)
_WORD = re.compile(r"[A-Za-z_]\w*")


def rules_task(game: Game, level: str, seed: int, meter: Meter | None = None) -> tuple[RulesTask, Mapping[str, str]]:
    """The sprites of a game and a level as a task, with names by lot.

    >>> from vgdl.generation import rules_task
    >>> task, names = rules_task(vgdl.load("sokoban"), "xxxxx\\nxA$ox\\nxxxxx\\n", seed=1)
    >>> names
    {'sprite_2': 'floor', 'sprite_3': 'brick', 'sprite_4': 'hole', 'sprite_0': 'box', 'sprite_1': 'keeper'}

    Args:
        game: whose rules are to be replaced.
        level: text.
        seed: of the names.
        meter: counts the forward model calls of the task.

    Returns:
        The task, and the game's names by those in the task.
    """
    game = game.drawn(0)
    lines = [line for line in game._description.entries(SectionKind.SPRITES) if isinstance(line, SpriteLine)]
    names = [line.name.text for line in _all(lines)]
    numbers = list(range(len(names)))
    random.Random(seed).shuffle(numbers)
    new = {name: f"sprite_{number}" for name, number in zip(names, numbers, strict=True)}
    text = "\n".join(_scrambled(line, new) for line in _section_lines(game))
    bare = loads(f"BasicGame\n{text}\n    InteractionSet\n    TerminationSet\n", name="sprites")
    task = RulesTask(text, describe(bare), level, meter or Meter())
    return task, {replaced: name for name, replaced in new.items()}


def _all(lines: Sequence[SpriteLine]) -> list[SpriteLine]:
    found = []
    for line in lines:
        found.append(line)
        found += _all([child for child in line.children if isinstance(child, SpriteLine)])
    return found


def _section_lines(game: Game) -> list[str]:
    """The lines of the SpriteSet and the LevelMapping, with their headers, without comments."""
    sections = game._description.sections
    source = game._description.source.lines
    kept = []
    for section in sections:
        if section.kind not in (SectionKind.SPRITES, SectionKind.MAPPING):
            continue
        later = [other.at.line for other in sections if other.at.line > section.at.line]
        for line in source[section.at.line - 1 : min(later, default=len(source) + 1) - 1]:
            code = line.partition("#")[0].rstrip() if section.kind is SectionKind.SPRITES else line.rstrip()
            if code.strip():
                kept.append(code)
    return kept


def _scrambled(line: str, new: Mapping[str, str]) -> str:
    """A line with new names of sprites, and without pictures, which would tell what they are."""
    head, arrow, rest = line.partition(">")
    if not arrow:
        return line
    if head.strip() in new:
        head = head.replace(head.strip(), new[head.strip()])
    words = [word for word in rest.split() if not word.startswith(("img=", "shrinkfactor="))]
    return f"{head}> " + " ".join(_renamed(word, new) for word in words)


def _renamed(word: str, new: Mapping[str, str]) -> str:
    key, equals, value = word.rpartition("=")
    return key + equals + _WORD.sub(lambda match: new.get(match[0], match[0]), value)


def compose(sprites: str, rules: Rules, name: str = "rules") -> Game:
    """The game of some sprites and rules.

    Raises:
        RulesRefused: the rules are not lines of text, or the checker has an error or a warning about them.
    """
    lines = [*map(_line, _listed(rules.interactions)), "    TerminationSet", *map(_line, _listed(rules.terminations))]
    body = _grouped(sprites, rules.groups)
    try:
        game = loads("\n".join(["BasicGame", body, "    InteractionSet", *lines, ""]), name=name)
    except VGDLError as error:
        raise RulesRefused(str(error)) from None
    for warning in game.warnings:
        raise RulesRefused(str(warning))
    return game


def _listed(lines: Sequence[str]) -> Sequence[str]:
    if isinstance(lines, str) or not isinstance(lines, Sequence):
        raise RulesRefused(f"expected a list of lines, got {lines!r:.60}")
    if len(lines) > MOST_LINES:
        raise RulesRefused(f"{len(lines)} lines are too many: expected at most {MOST_LINES}")
    return lines


def _line(text: object) -> str:
    if not isinstance(text, str) or not text.strip():
        raise RulesRefused(f"expected a line of text, got {text!r:.60}")
    line = text.strip()
    if len(line) > LONGEST_LINE or not line.isprintable():
        raise RulesRefused(f"{line!r:.60} is not a line of at most {LONGEST_LINE} printable characters")
    if line.split()[0] in _HEADERS:
        raise RulesRefused(f"{line!r:.60} begins a section: expected a rule")
    return f"        {line}"


def _grouped(sprites: str, groups: Mapping[str, Sequence[str]]) -> str:
    """The sprites with some of them below new groups."""
    lines = sprites.split("\n")
    for group, members in groups.items():
        if not _WORD.fullmatch(group) or any(line.split(">")[0].strip() == group for line in lines):
            raise RulesRefused(f"{group!r:.60} cannot be the name of a group: expected a new word")
        moved = []
        for member in members:
            places = [k for k, line in enumerate(lines) if ">" in line and line.split(">")[0].strip() == member]
            indent = len(lines[places[0]]) - len(lines[places[0]].lstrip()) if places else -1
            following = lines[places[0] + 1] if places and places[0] + 1 < len(lines) else ""
            if indent != 8 or len(following) - len(following.lstrip()) > 8:
                raise RulesRefused(f"{member!r:.60} cannot join {group}: expected a sprite outside of all groups")
            moved.append(f"    {lines.pop(places[0])}")
        header = next(k for k, line in enumerate(lines) if line.strip() == SectionKind.SPRITES.value)
        lines[header + 1 : header + 1] = [f"        {group} >", *moved]
    return "\n".join(lines)


@dataclass(frozen=True)
class RulesJudgement:
    """What the judges found out about a set of rules."""

    feasibility: Feasibility
    profile: Profile | None  #: None unless it is feasible
    coverage: Coverage
    pairs: int  #: different ordered pairs whose rules fired

    @property
    def depth(self) -> float:
        """Skill depth; 0 for rules that are not feasible."""
        return self.profile.depth if self.profile is not None else 0.0

    @property
    def value(self) -> float:
        """What generators are ranked by: skill depth, with the share of rules that fired as a tenth."""
        return 0.9 * self.depth + 0.1 * self.coverage.share if self.profile is not None else 0.0

    @property
    def reference_value(self) -> float:
        """The reference's values of scores and pairs, as a mean."""
        return (self.profile.score_value + rule_value(self.pairs)) / 2 if self.profile is not None else 0.0


def judge_rules(
    game: Game,
    level: str,
    seed: int,
    effort: Effort = EFFORT,
    *,
    judges: Sequence[str] = JUDGES,
    meter: Meter | None = None,
) -> RulesJudgement:
    """Judge a game that was made for one level.

    Args:
        game: as `compose` makes it.
        level: text.
        seed: of all plays.
        effort: of the judges.
        judges: who plays, the weakest first.
        meter: counts the calls of the forward model.
    """
    feasibility, board = rules_feasibility(game, level, seed, meter=meter)
    if board is None or not feasibility.is_feasible:
        return RulesJudgement(feasibility, None, Coverage(), 0)
    found = profile(board, effort, seed, judges, meter=meter)
    coverage = Counters(game).coverage(board, found.plays)
    fired = {line for line, number in coverage.fired.items() if number}
    pairs = {(rule.first, rule.second) for rule in describe(game).rules if rule.line in fired}
    return RulesJudgement(feasibility, found, coverage, len(pairs))


def rules_feasibility(
    game: Game, level: str, seed: int, *, meter: Meter | None = None
) -> tuple[Feasibility, Board | None]:
    """The constraints of a set of rules, and the game on its level; None if it cannot be built there."""
    wins = {ending.win for ending in describe(game).endings}
    shares = {"endings": len(wins & {True, False}) / 2, "idle": 0.0, "messages": 0.0}
    try:
        board = game.board(level if level.endswith("\n") else f"{level}\n")
        shares |= idle_shares(board, seed, meter=meter)
    except (VGDLError, VGDLRuntimeError):
        return Feasibility(shares), None
    return Feasibility(shares), board


def idle_shares(board: Board, seed: int, *, meter: Meter | None = None) -> dict[str, float]:
    """The shares of plays that doing nothing survives, and of those with few messages."""
    unharmed = quiet = 0
    for number in range(IDLE_SEEDS):
        state = board.start(seed_of("idle", seed, number))
        state.meter = meter
        state.rollout([Action.NIL] * IDLE_TICKS)
        avatar = state.avatars[0]
        unharmed += not state.is_over and avatar is not None and avatar.is_alive
        quiet += state.messages <= MOST_MESSAGES and not state.error
    return {"idle": unharmed / IDLE_SEEDS, "messages": quiet / IDLE_SEEDS}


def effect_parameters(name: str) -> list[str]:
    """The parameters of an effect that must name a sprite."""
    from vgdl.ontology.rows import Lookup, Refers

    row = ontology.effect(name)
    assert row is not None
    return [
        key
        for key, parameter in ontology.parameters(row).items()
        if parameter.refers is Refers.SPRITE and parameter.lookup in (Lookup.REQUIRED, Lookup.UNCHECKED)
    ]
