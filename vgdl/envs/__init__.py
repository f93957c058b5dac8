"""VGDL games as Gymnasium environments: ``import vgdl.envs`` registers them.

``gymnasium.make("vgdl/Aliens-v0", level=0)`` makes a bundled one-player game, ``gymnasium.make("vgdl/VGDL-v0",
game=path, level=...)`` any one-player game; ``gymnasium.make_vec`` makes many plays that the compiled core steps
together. Two-player games are PettingZoo environments, in `vgdl.envs.parallel`.

>>> import vgdl.envs
>>> vgdl.envs.SETS
{'train': range(0, 3), 'test': range(3, 5)}
"""

from __future__ import annotations

from vgdl.extras import needs

try:
    import gymnasium  # noqa: F401
except ImportError as error:
    raise ImportError(needs("vgdl.envs", "Gymnasium", "gym")) from error

from vgdl.envs.levels import SETS, Episode, Outcome
from vgdl.envs.registration import env_id, env_ids, make, register
from vgdl.envs.single import Snapshot, VGDLEnv
from vgdl.envs.vector import VGDLVectorEnv
from vgdl.envs.video import RecordVideo

__all__ = [
    "SETS",
    "Episode",
    "Outcome",
    "RecordVideo",
    "Snapshot",
    "VGDLEnv",
    "VGDLVectorEnv",
    "env_id",
    "env_ids",
    "make",
    "register",
]

register()
