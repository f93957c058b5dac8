"""How a window shows and sounds: one object, shared by all of its screens."""

from __future__ import annotations

from dataclasses import dataclass, field

from vgdl.play.sounds import Sounds
from vgdl.render import Images, Palette


@dataclass(slots=True)
class Settings:
    """What keys can change for all screens of a window."""

    images: Images | None = None  #: a collection to be used instead of our drawings
    palette: Palette = Palette.STANDARD
    sounds: Sounds = field(default_factory=Sounds)

    def switch_palette(self) -> str:
        """Go to the other palette; returns what to tell about it."""
        self.palette = Palette.STANDARD if self.palette is Palette.SAFE else Palette.SAFE
        return "Standard colours" if self.palette is Palette.STANDARD else "Colours for colour-blind people"
