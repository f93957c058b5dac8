"""Pictures, colours and sounds of a window: one object shared by all of its screens."""

from __future__ import annotations

from dataclasses import dataclass, field

from vgdl.play.sounds import Sounds
from vgdl.render import Images, Palette


@dataclass(slots=True)
class Settings:
    """Settings of a window, which keys can change."""

    images: Images | None = None  #: a collection that takes precedence over the bundled drawings
    palette: Palette = Palette.STANDARD
    sounds: Sounds = field(default_factory=Sounds)

    def switch_palette(self) -> str:
        """Switch to the other palette; returns a message for the user."""
        self.palette = Palette.STANDARD if self.palette is Palette.SAFE else Palette.SAFE
        return "Standard colours" if self.palette is Palette.STANDARD else "Colours for colour-blind people"
