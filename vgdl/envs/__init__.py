"""VGDL games as environments of Gymnasium: ``import vgdl.envs`` registers them.

``gymnasium.make("vgdl/Aliens-v0", level=0)`` makes a bundled one-player game, ``gymnasium.make("vgdl/VGDL-v0",
game=path, level=...)`` any; ``gymnasium.make_vec`` gives many plays that the compiled core steps together. Games for
two are in `vgdl.envs.parallel`, for PettingZoo.
"""

from __future__ import annotations

try:
    import gymnasium  # noqa: F401
except ImportError as error:
    raise ImportError("vgdl.envs needs Gymnasium: pip install 'vgdl[gym]'") from error

from vgdl.envs.registration import env_id, env_ids, make, register
from vgdl.envs.single import Snapshot, VGDLEnv
from vgdl.envs.vector import VGDLVectorEnv

__all__ = ["Snapshot", "VGDLEnv", "VGDLVectorEnv", "env_id", "env_ids", "make", "register"]

register()
