"""Amends learnt rules during a play, by what the recorded plays had not shown: new types, and first meetings (13.6)."""

from __future__ import annotations

import itertools
import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from vgdl import Action, Category
from vgdl.competition.tracks.worldmodels.search.contacts import (
    BACK,
    DEAD,
    INTO,
    PUSH,
    REVERSE,
    Meeting,
    meet,
)
from vgdl.competition.tracks.worldmodels.search.hypothesis import (
    EDGE,
    MOVING,
    End,
    Hypothesis,
    Kind,
    Rule,
    Value,
    name_of,
    number_of,
)
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.motion import guess_kinds, possible_kinds
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play
from vgdl.competition.tracks.worldmodels.search.repair import FUTURES, rule_of
from vgdl.competition.tracks.worldmodels.search.verify import Follower
from vgdl.language import VGDLError

Pair = tuple[int, int]
WINDOW = 30  #: last ticks that an amendment must not predict worse
MOST = 16  #: candidates per surprise
PAUSE = 10  #: least number of ticks between guesses of the classes of new types
_TRIED = (BACK, DEAD, PUSH, REVERSE)  #: outcomes that a single meeting shows without doubt


@dataclass(frozen=True)
class Evidence:
    """What recorded plays have shown."""

    types: frozenset[int]  #: types of sprites
    met: frozenset[Pair]  #: ordered pairs of types that met


class Amendments:
    """Corrects the rules about types that meet for the first time, from the outcome of that meeting.

    A wrong guess about a pair that no recorded play showed costs a play otherwise: the controller plans with it again
    and again. Pairs that did meet in recorded plays are left alone, since one more meeting weighs little against those.
    The class of a type that no recorded play showed is guessed from its moves in this play.

    Args:
        rules: the learnt rules.
        evidence: what they were learnt from.
        first: the first observation.
    """

    def __init__(self, rules: Hypothesis, evidence: Evidence, first: Frame) -> None:
        self._evidence = evidence
        self.rules = self._with_strangers(rules, first)
        self._frames: deque[Frame] = deque([first], maxlen=WINDOW + 1)
        self._waiting: deque[Hypothesis] = deque()
        self._tried: dict[str, int] = {}  # candidates by their text, with the tick
        self._ticks, self._next = 0, PAUSE  # ticks of the play, and the one to guess classes in
        self._noted = 0  # the tick with the last surprise that was looked at
        self._follower = Follower(())
        self._loss: float | None = None  # of the present rules in the last ticks before the surprise

    def note(self, action: Action, after: Frame, surprising: bool) -> None:
        """Note an action and the observation after it.

        Args:
            action: the action taken.
            after: the state after it.
            surprising: whether the rules did not predict it.
        """
        before = self._frames[-1] = replace(self._frames[-1], action=action)
        self._frames.append(after)
        self._ticks += 1
        strange = self._ticks >= self._next and self._strange(after)
        if (surprising or strange) and not self._waiting:
            recent = Play(0, "", tuple(self._frames))
            options: Iterable[Hypothesis] = list(self._classes(recent, after))
            if surprising and not options:
                options = itertools.chain(self._candidates(before, after), self._ends(before, after))
            for option in itertools.islice(options, MOST):
                if self._ticks - self._tried.get(option.text(), -WINDOW) >= WINDOW:
                    self._waiting.append(option)
            self._follower, self._loss = Follower([recent]), None
            self._noted = self._ticks

    def improve(self) -> bool:
        """Compare at most one candidate with the rules in the last ticks before the surprise, and that tick.

        Returns:
            Whether it was better, and is now in ``rules``.
        """
        if not self._waiting or self._noted == self._ticks:  # not all of the work in one tick
            return False
        samples = FUTURES if self.rules.has_chance else 1
        if self._loss is None:
            self._loss = self._follower.follow(self.rules, samples=samples).loss
            return False
        option = self._waiting.popleft()
        self._tried[option.text()] = self._ticks
        enough = self._loss - min(samples, 2)  # where there is chance, a fate that no future has counts twice
        try:
            if self._follower.follow(option, samples=samples, enough=enough).loss > enough:
                return False
        except (VGDLError, ValueError):  # an invalid game, or one whose sprites cannot be placed
            return False
        self.rules = option
        self._waiting.clear()
        self._tried.clear()
        return True

    def _with_strangers(self, rules: Hypothesis, shown: Frame) -> Hypothesis:
        """The rules with fear of NPCs that no recorded play showed: they may go anywhere, and kill avatars.

        Recorded plays are no evidence of them, and a first meeting may be the last.
        """
        npcs = shown.arrays[shown.arrays["category"] == Category.NPC]
        avatars = [number for number, kind in rules.kinds.items() if kind.word.endswith("Avatar")]
        for number in sorted(set(npcs["type"].tolist()) - self._evidence.types - rules.kinds.keys()):
            rules = rules.with_kind(number, Kind("RandomNPC"))
            rules = rules.with_rules([*rules.rules, *(Rule(avatar, number, "killSprite") for avatar in avatars)])
        return rules

    def _strange(self, shown: Frame) -> list[int]:
        """The types of a state that no recorded play showed."""
        return sorted(set(shown.arrays["type"].tolist()) - self._evidence.types)

    def _classes(self, recent: Play, after: Frame) -> Iterator[Hypothesis]:
        """Rules in which types that only this play shows have the class of their moves in the last ticks."""
        strange = self._strange(after)
        if strange and self._ticks >= self._next:
            self._next = self._ticks + PAUSE
            lives = Lives([recent])
            guessed = guess_kinds(lives)
            rules = self._with_strangers(self.rules, after)
            known = {number: kind for number, kind in rules.kinds.items() if number in guessed}
            for number in strange:
                paced = _paced(lives, number, after) if lives.category(number) == Category.NPC else []
                for kind in [*possible_kinds(lives, number, {**known, number: guessed[number]}), *paced]:
                    yield rules.with_kind(number, kind)

    def _ends(self, before: Frame, after: Frame) -> Iterator[Hypothesis]:
        """Rules in which a victory needs another type to be gone, too, or is impossible, if the play went on.

        A loss that was expected is not looked at: dangers are often expected where a random move went elsewhere.
        """
        if after.is_over:
            return
        present = set(before.arrays["type"].tolist())
        for end in self.rules.ends:
            others = tuple(other for other in self.rules.ends if other != end)
            given = dict(end.parameters)
            if given.get("win") != "True":
                continue
            counted = number_of(given["stype"]) if end.word == "SpriteCounter" else EDGE
            word = self.rules.kinds[counted].word if counted in self.rules.kinds else None
            for number in sorted(present - {counted}):
                if number in self.rules.kinds and self.rules.kinds[number].word == word:
                    both = ("stype1", name_of(counted)), ("stype2", name_of(number)), ("win", given["win"])
                    yield replace(self.rules, ends=(*others, End("MultiSpriteCounter", both)))
            yield replace(self.rules, ends=others)

    def _candidates(self, before: Frame, after: Frame) -> Iterator[Hypothesis]:
        """Rules in which a pair that met in this tick has the observed outcome, or no effect, or earns no points.

        Points that do not come are dropped even if recorded plays showed them: controllers try for them all the time.
        """
        moving = self.rules.with_rules(rule for rule in self.rules.rules if rule.effect in MOVING)
        table = meet(Follower([Play(0, "", (before, after))]), moving)
        scored = round(after.score - before.score)
        strange = self._strange(after)
        for pair, meetings in table.pairs.items():
            if pair in self._evidence.met or EDGE in pair:
                continue
            others = [rule for rule in self.rules.rules if (rule.first, rule.second) != pair]
            pushes = [k for k, rule in enumerate(others) if rule.effect in MOVING and rule.first == pair[0]]
            guessed = pair[0] in strange and self.rules.kinds[pair[0]].word == "RandomNPC"
            for rule in _rules(pair, meetings):
                stops = rule.effect in ("stepBack", "undoAll")
                if stops and guessed:
                    continue  # nothing is known of its moves
                place = max(pushes, default=-1) + 1 if stops else len(others)
                for score in dict.fromkeys((0, scored)):
                    yield self.rules.with_rules([*others[:place], rule.scoring(score), *others[place:]])
            if len(others) < len(self.rules.rules):
                yield self.rules.with_rules(others)
        known = self.rules.rules
        for paid in (rule for rule in known if rule.score > 0 and table.pairs.get((rule.first, rule.second))):
            yield self.rules.with_rules(rule.scoring(0) if rule == paid else rule for rule in known)


def _paced(lives: Lives, number: int, after: Frame) -> list[Kind]:
    """Classes of an NPC of which a few moves are known: what chases the avatar or moves at random, at their pace.

    An NPC with a cooldown acts in the ticks that are multiples of it.
    """
    moves = [(track, *move) for track in lives.tracks[number] for move in track.moves()]
    if not moves or after.avatar is None:
        return []
    frames = lives.plays[0].frames
    cooldown = math.gcd(*(frames[k + 1].tick for _, k, _, _ in moves))
    step = max(abs(dx) + abs(dy) for _, _, dx, dy in moves)
    pace: dict[str, Value] = {"cooldown": cooldown} if cooldown > 1 else {}
    if step < after.block_size:
        pace["speed"] = round(step / after.block_size, 3)
    return [Kind("Chaser", {"stype": name_of(after.avatar.type), **pace}), Kind("RandomNPC", pace)]


def _rules(pair: Pair, meetings: Sequence[Meeting]) -> Iterator[Rule]:
    """Effects that the outcomes of meetings suggest, the most frequent outcome first."""
    for outcome, _ in Counter(m.outcome for m in meetings).most_common():
        if outcome == BACK:  # what pushed it may have been put back, too
            yield Rule(*pair, "undoAll")
        rule = rule_of(*pair, outcome)
        if rule is not None and (outcome in _TRIED or outcome.startswith(INTO)):
            yield rule
    gained = {kind for m in meetings for kind, amount in m.gained if amount > 0}
    if pair[0] in gained and all(m.outcome == DEAD for m in meetings):
        yield Rule(*pair, "collectResource")
