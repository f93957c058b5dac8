"""Sounds of a play, synthesised with NumPy. No sound device is opened until they are switched on."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cache

import numpy as np
import pygame
from numpy.typing import NDArray

from vgdl import Action, Winner
from vgdl.play.match import Match

RATE = 22050  #: samples per second
_VOLUME = 0.25  #: peak amplitude, 1 being full scale
_FADE_S = 0.004  #: at both ends of a note, to avoid clicks


class Sound(enum.Enum):
    """The events that have a sound."""

    WON = "won"
    LOST = "lost"
    HURT = "hurt"  #: the score or the health went down
    SCORED = "scored"
    USED = "used"  #: the use key went down


_NOTES: dict[Sound, tuple[tuple[float, float], ...]] = {
    Sound.WON: ((523.3, 0.1), (659.3, 0.1), (784.0, 0.1), (1046.5, 0.3)),
    Sound.LOST: ((392.0, 0.15), (329.6, 0.15), (261.6, 0.15), (196.0, 0.4)),
    Sound.HURT: ((185.0, 0.06), (139.0, 0.12)),
    Sound.SCORED: ((880.0, 0.05), (1318.5, 0.1)),
    Sound.USED: ((440.0, 0.03), (330.0, 0.04)),
}
"""Frequencies in Hz and lengths in seconds, one note after another."""


@cache
def samples(sound: Sound) -> NDArray[np.int16]:
    """The samples of a sound at ``RATE``, one channel."""
    return np.concatenate([_note(frequency, seconds) for frequency, seconds in _NOTES[sound]])


def _note(frequency: float, seconds: float) -> NDArray[np.int16]:
    """A triangle wave with exponential decay."""
    time = np.arange(round(RATE * seconds)) / RATE
    wave = 4 * np.abs((frequency * time + 0.25) % 1 - 0.5) - 1
    fade = np.minimum(1, np.minimum(time, time[::-1]) / _FADE_S)
    loudness = _VOLUME * np.exp(-2 * time / seconds) * fade
    made: NDArray[np.int16] = (np.iinfo(np.int16).max * loudness * wave).astype(np.int16)
    return made


class Sounds:
    """Plays sounds once they are switched on, if there is a sound device."""

    def __init__(self) -> None:
        """Sounds are off at first."""
        self.on = False
        self._loaded: dict[Sound, pygame.mixer.Sound] = {}

    def switch(self) -> str:
        """Switch sounds on or off; returns a message for the user."""
        if self.on:
            self.on = False
            return "Sounds off"
        try:
            if not pygame.mixer.get_init():
                pygame.mixer.init(RATE, -16, 1, 512, allowedchanges=0)
            self._loaded = {sound: pygame.mixer.Sound(buffer=samples(sound).tobytes()) for sound in Sound}
        except pygame.error as error:
            return f"No sounds: {error}"
        self.on = True
        return "Sounds on"

    def play(self, sound: Sound | None) -> None:
        """Play a sound if sounds are on."""
        if self.on and sound is not None:
            self._loaded[sound].play()


@dataclass(frozen=True, slots=True)
class Moment:
    """The facts whose change from tick to tick has a sound."""

    score: float
    health: int
    uses: bool
    won: bool
    over: bool

    @classmethod
    def of(cls, match: Match) -> Moment:
        """The facts of a match now: of the people who play, or of all players if there are none."""
        people = [number for number, player in enumerate(match.players) if player.is_person]
        heard = people or range(len(match.players))
        state = match.state
        last = match.actions[-1] if match.actions else ()
        return cls(
            score=sum(state.scores[number] for number in heard),
            health=sum(avatar.health for number in heard if (avatar := state.avatars[number]) is not None),
            uses=any(last[number] is Action.USE for number in heard if number < len(last)),
            won=any(state.winners[number] is Winner.PLAYER_WINS for number in heard),
            over=state.is_over,
        )


def heard(before: Moment, after: Moment) -> Sound | None:
    """The sound of a tick: that of its most important event."""
    if after.over and not before.over:
        return Sound.WON if after.won else Sound.LOST
    if after.score < before.score or after.health < before.health:
        return Sound.HURT
    if after.score > before.score:
        return Sound.SCORED
    return Sound.USED if after.uses and not before.uses else None
