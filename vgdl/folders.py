"""The folders in which programs of this package keep files of a user, by the conventions of each system."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def data_folder() -> Path:
    """What the user wants to keep, such as replays."""
    return _folder("XDG_DATA_HOME", ".local/share")


def state_folder() -> Path:
    """What programs need again on this machine, and nowhere else."""
    return _folder("XDG_STATE_HOME", ".local/state")


def _folder(variable: str, usual: str) -> Path:
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Application Support"
    else:
        root = Path(os.environ.get(variable) or Path.home() / usual)
    return root / "vgdl"
