"""Which rules fired in some plays, and which types appeared.

The plays are replayed in a copy of the game with a counter for each line of the InteractionSet; counters change nothing
else. Effects that apply their score only if they did something, such as `killIfOtherHasMore`, are replayed once more
each, with the score as the counter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from vgdl import ontology
from vgdl.core.state import StateObservation
from vgdl.game import Board, Game, loads
from vgdl.judging.description import interaction_lines
from vgdl.judging.plays import Played
from vgdl.language import InteractionLine, VGDLError

MOST_LINES = 400
"""Games with more lines of interactions are not covered: each line costs a counter in each."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often each line fired, and which types were there at some time."""

    fired: Mapping[int, int] = field(default_factory=dict)  #: number of effects by line of the game text
    types: frozenset[str] = frozenset()  #: names of those that were there
    reason: str = ""  #: why rules are not counted; empty if they are

    def __add__(self, other: Coverage) -> Coverage:
        lines = self.fired.keys() | other.fired.keys()
        fired = {line: self.fired.get(line, 0) + other.fired.get(line, 0) for line in sorted(lines)}
        return Coverage(fired, self.types | other.types, self.reason or other.reason)

    @property
    def share(self) -> float:
        """The share of lines that fired; 0 without lines."""
        return sum(map(bool, self.fired.values())) / len(self.fired) if self.fired else 0.0


class Counters:
    """A game with counters, made once for all of its levels."""

    def __init__(self, game: Game) -> None:
        """Prepare copies of the game's text.

        Args:
            game: any game; open parameters have the values that seed 0 draws.
        """
        self.game = game.drawn(0)
        self.lines = interaction_lines(self.game)
        self.reason = ""
        self._counting: Game | None = None
        self._scoring: dict[int, Game] = {}
        if len(self.lines) > MOST_LINES:
            self.reason = f"more than {MOST_LINES} lines of interactions"
            return
        try:
            self._counting = self._loaded(_counting_text(self.game, self.lines))
            for line in self.lines:
                row = ontology.effect(str(line.effect))
                if row is not None and "applyScore" in row.gates and "count" not in row.gates:
                    self._scoring[line.first.at.line] = self._loaded(_scoring_text(self.game, self.lines, line))
        except VGDLError as error:
            self.reason = f"the game with counters cannot be loaded: {error.message}"

    def _loaded(self, text: str) -> Game:
        values = {
            name: placeholder.value
            for name, placeholder in self.game._rules.placeholders.items()
            if placeholder.value is not None
        }
        return loads(text, name=self.game.name, parameters=values)

    def coverage(self, board: Board, plays: Iterable[Played]) -> Coverage:
        """Replay some plays of a level."""
        plays = list(plays)
        seen: set[int] = set()
        for played in plays:
            seen |= _types_seen(board.start(played.seed), played)
        names = frozenset(self.game.types[number] for number in seen)
        if self.reason or self._counting is None:
            return Coverage({}, names, self.reason)
        level = board.level.source.text
        fired = {line.first.at.line: 0 for line in self.lines}
        counting = self._counting.board(_as_text(level))
        for played in plays:
            state = _replayed(counting, played)
            if state.tick != _replayed(board, played).tick:
                return Coverage({}, names, "the game's terminations use its counters")
            offset = len(state.counters) - len(self.lines)
            for place, line in enumerate(self.lines):
                fired[line.first.at.line] += state.counters[offset + place]
        for number, game in self._scoring.items():
            if fired[number]:
                scoring = game.board(_as_text(level))
                fired[number] = sum(int(_replayed(scoring, played).score) for played in plays)
        return Coverage(fired, names)


def _as_text(level: str) -> str:
    return level if level.endswith("\n") else f"{level}\n"


def _replayed(board: Board, played: Played) -> StateObservation:
    state = board.start(played.seed)
    state.rollout(played.actions)
    return state


def _types_seen(state: StateObservation, played: Played) -> set[int]:
    found = {record[1] for record in state._records()}
    for action in played.actions:
        state.advance(action)
        found.update(record[1] for record in state._records())
    return found


# ---------------------------------------------------------------------------------------------- texts


def _counting_text(game: Game, lines: Sequence[InteractionLine]) -> str:
    """The game text with a counter for each line, after the game's own counters."""
    argument = game._description.game.arguments.get("no_counters")
    own = int(argument.value) if argument is not None else 0
    added: dict[int, str] = {}
    for place, line in enumerate(lines):
        given = line.arguments["counter"].value.split(",") if "counter" in line.arguments else []
        values = [*given[:own], *["0"] * (own - len(given))]
        values += ["1" if other == place else "0" for other in range(len(lines))]
        added[line.first.at.line] = "counter=" + ",".join([*values, "0"])  # a list even for a single line
    at = game._description.game.class_name.at.line
    return _with(game, {**added, at: f"no_counters={own + len(lines)}"})


def _scoring_text(game: Game, lines: Sequence[InteractionLine], counted: InteractionLine) -> str:
    """The game text in which only one line scores, a point each time."""
    return _with(game, {line.first.at.line: f"scoreChange={int(line is counted)}" for line in lines})


def _with(game: Game, added: Mapping[int, str]) -> str:
    """The game text with words added to some lines, by number from 1, before any comment."""
    lines = list(game._description.source.lines)
    for number, words in added.items():
        code, hash_mark, comment = lines[number - 1].partition("#")
        lines[number - 1] = f"{code.rstrip()} {words} {hash_mark}{comment}"
    return "\n".join(lines)
