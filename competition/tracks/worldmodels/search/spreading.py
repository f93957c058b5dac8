"""Guesses spreaders: sprites that once, in their second update, make others in the four neighbouring cells."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vgdl.competition.tracks.worldmodels.search.hypothesis import Kind, Rule, name_of
from vgdl.competition.tracks.worldmodels.search.lives import DIRECTIONS, Lives, Point, Track
from vgdl.competition.tracks.worldmodels.search.motion import likely_probability

_AGES = (1, 2)  #: frames from the first one of a spreader to the first one of its children
_RESTING = ("Flicker", "OrientedFlicker", "Passive", "Immovable")  #: classes that spreaders resemble otherwise
_FEWEST = 3  #: least number of spreaders with children, and of failed tries in cells of one type
_SURE = 0.95  #: share of the tries that counts as all


@dataclass
class _Spread:
    """The children that sprites of a type made around them, all at one age."""

    child: int
    parents: int  #: spreaders with children
    hits: Counter[int | None] = field(default_factory=Counter)  #: by the type in the cell; None: nothing
    tries: Counter[int | None] = field(default_factory=Counter)

    @property
    def probability(self) -> float:
        """The probability of spreading in one direction, into a cell in which children do not die at once."""
        hits = self.hits.total()
        tries = sum(count for content, count in self.tries.items() if self.hits[content])
        if hits >= _SURE * tries:
            return 1.0
        return likely_probability(hits, tries)


def spreaders(lives: Lives, kinds: Mapping[int, Kind]) -> dict[int, Kind]:
    """Guess the types that spread, with their class."""
    found: dict[int, Kind] = {}
    for number, kind in kinds.items():
        spread = _spread(lives, number) if kind.word in _RESTING else None
        if spread is not None:
            kept = {key: value for key, value in kind.parameters.items() if key == "limit"}
            chance = {} if spread.probability == 1.0 else {"spreadprob": spread.probability}
            found[number] = Kind("Spreader", {"stype": name_of(spread.child), **chance, **kept})
    return found


def put_out(lives: Lives, kinds: Mapping[int, Kind], rules: Sequence[Rule]) -> list[Rule]:
    """Guess types that kill the children of spreaders at once, which plays never show."""
    known = {(rule.first, rule.second) for rule in rules}
    added: list[Rule] = []
    for number, kind in kinds.items():
        spread = _spread(lives, number) if kind.word == "Spreader" and number in lives.tracks else None
        if spread is not None:
            for other, tries in spread.tries.items():
                never = tries >= _FEWEST and not spread.hits[other] and spread.probability > 0.3
                if other is not None and never and (spread.child, other) not in known:
                    added.append(Rule(spread.child, other, "killSprite"))
    return added


def _spread(lives: Lives, number: int) -> _Spread | None:
    """The children that sprites of a type made around them; None if too few did, or children have other origins."""
    born: dict[tuple[int, int], dict[Point, int]] = defaultdict(dict)
    total: Counter[int] = Counter()
    for kind, tracks in lives.tracks.items():
        if kind != number and kind not in lives.avatars:
            for track in tracks:
                if track.born:
                    born[track.play, track.start][track.places[0]] = kind
                    total[kind] += 1
    made: Counter[tuple[int, int]] = Counter()
    for track in lives.tracks[number]:
        for age in _AGES:
            at = born.get((track.play, track.start + age), {})
            made.update({(at[place], age) for place in _around(lives, track) if place in at})
    for (child, age), parents in made.most_common(1):
        found = _Spread(child, parents)
        for track in lives.tracks[number]:
            _count(lives, track, age, born.get((track.play, track.start + age), {}), found)
        around = sum(found.hits.values())
        if parents >= _FEWEST and around >= 1.5 * parents and around >= 0.6 * total[child]:
            return found
    return None


def _count(lives: Lives, track: Track, age: int, born: Mapping[Point, int], spread: _Spread) -> None:
    """Count the cells in which a sprite made others, and those in which it might have."""
    at = track.start + age
    frames = lives.plays[track.play].frames
    if at >= len(frames) or len(track.places) < age or frames[at].is_over:
        return
    wide, high = frames[at].world_dimension
    before = {place: kind for kind, place in lives.rows[track.play][at - 1].values()}
    for place in _around(lives, track):
        if 0 <= place[0] < wide and 0 <= place[1] < high:
            content = before.get(place)
            spread.tries[content] += 1
            spread.hits[content] += born.get(place) == spread.child


def _around(lives: Lives, track: Track) -> list[Point]:
    x, y = track.places[0]
    block = lives.block[track.play]
    return [(x + dx * block, y + dy * block) for dx, dy in DIRECTIONS]
