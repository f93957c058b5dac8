"""Competitions of the tracks other than planning: which there are, and what their settings mean.

Nothing here knows a particular track: a track says in ``entering`` how people enter programs into it, and its own
options describe what is played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vgdl.competition import track as tracks
from vgdl.competition.entering import Entering, Programs
from vgdl.competition.errors import CompetitionError
from vgdl.competition.options import OptionError
from vgdl.competition.running import declare
from vgdl.competition.submissions.evaluation import CONTROLLERS
from vgdl.competition.track import Played
from vgdl.registry import Entry

SEED = "seed"
"""The option that a site sets itself."""


@dataclass(frozen=True, slots=True)
class Arranged:
    """A run that is going to be played."""

    plan: Any
    options: dict[str, Any]  #: all options of the track


def enterable() -> list[str]:
    """The names of the tracks besides planning that take entries on a site."""
    found = []
    for name in tracks.names():
        try:
            track = tracks.find(name)
        except tracks.TrackNotFound:  # a package is an arbitrary program
            continue
        if isinstance(track, Played) and track.entering is not None:
            found.append(name)
    return found


def played(name: str) -> Played[Any]:
    """A track that takes entries.

    Raises:
        CompetitionError: there is no such track, or it takes none.
    """
    track = tracks.find(name)
    if not isinstance(track, Played) or track.entering is None:
        raise CompetitionError(
            f"the track {name} takes no entries on a site; those that do: planning, {', '.join(enterable())}"
        )
    return track


def entering(name: str) -> Entering:
    """How people enter a track.

    Raises:
        CompetitionError: they cannot, or there is no such track.
    """
    found = played(name).entering
    assert found is not None
    return found


def programs(name: str) -> Programs:
    """What is sent to competitions of a track, planning included."""
    return CONTROLLERS if name == "planning" else entering(name).programs


def any_programs() -> Programs:
    """What any of the installed tracks takes, for those who do not know of which track a competition is."""
    kinds = [CONTROLLERS, *(entering(name).programs for name in enterable())]
    suffixes = dict.fromkeys(suffix for kind in kinds for suffix in kind.suffixes)
    return Programs("program", tuple(suffixes), "", "what its track says: the competition's page has an example")


def arrange(name: str, settings: Sequence[str], entrants: Sequence[Entry], secret: int, *, isolation: str) -> Arranged:
    """The plan of a run.

    Args:
        name: of the track.
        settings: its options, as ``NAME=VALUE``; of two with one name, the later one counts.
        entrants: who takes part.
        secret: from which all chance derives.
        isolation: level, or ``auto``.

    Raises:
        CompetitionError, EntryNotFound: that cannot be played.
    """
    track = played(name)
    groups = declare(track)
    own = groups.from_settings(settings)
    for word in (SEED, entering(name).option):
        if word in own:
            raise OptionError(f"the option {word} is set by the site")
    options = groups.defaults() | own | {SEED: secret, entering(name).option: list(entrants)}
    options |= {"quiet": True, "jobs": 1, "isolation": isolation}
    track.check(options)
    return Arranged(track.plan(options), options)


def check(name: str, baselines: Sequence[str], settings: Sequence[str], final: Sequence[str]) -> None:
    """Check the settings of a competition.

    Raises:
        CompetitionError, EntryNotFound: they cannot be played; the message says why.
    """
    found = entering(name)
    if not baselines:
        raise OptionError(f"a competition needs at least one bundled {found.programs.noun} to compare entries with")
    entrants = [found.registry.find(one) for one in baselines]
    stand_in = Entry("entry", "entry", entrants[0].location, entrants[0].class_name)
    for chosen in (settings, (*settings, *final)):
        arrange(name, chosen, [*entrants, stand_in], 1, isolation="auto")
