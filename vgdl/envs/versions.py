"""Version numbers of environments: when ``vgdl/Aliens-v0`` becomes ``vgdl/Aliens-v1``.

Results for the same id must be comparable across releases. So the version number of a game is one higher than in the
last release if anything relevant to a learner has changed since: the behaviour of the game (its fingerprint, see
`vgdl.fingerprint`), or the interface of its environment (spaces, actions, observations). Drawings, and with them
``rgb`` observations, may change without a new number.

``versions.toml`` records what environments show now and the ids of the last release. After an intended change,
``python -m vgdl.envs --update`` writes the former; for a release, ``--release NAME`` writes both.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from vgdl import fingerprint, games

DATA = Path(__file__).with_name("versions.toml")
STEPS = 10  #: length of the plays whose observations are hashed
MODES = ("grid", "sprites", "text")

_HEADER = """\
# What the environment of each game shows now, as a digest, and the ids of the last release: see vgdl/envs/versions.py.
# Written by `python -m vgdl.envs --update` and `python -m vgdl.envs --release NAME`."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The inputs of an environment's number."""

    behaviour: str | None  #: fingerprint of the game
    shown: str | None  #: digest of what the environment shows


@dataclass(frozen=True, slots=True)
class Versions:
    """The contents of ``versions.toml``, all by game."""

    shown: Mapping[str, str]  #: digest of what the environment shows now
    release: str  #: name of the last release; empty if there was none
    released: Mapping[str, tuple[int, Facts]]  #: version numbers in that release, and the facts they stood for

    def number(self, game: str, behaviour: str | None) -> int:
        """The version number of a game whose fingerprint is ``behaviour``; 0 for a new game."""
        if game not in self.released:
            return 0
        last, facts = self.released[game]
        return last + (facts != Facts(behaviour, self.shown.get(game)))


def read(path: Path = DATA) -> Versions:
    """Read the contents of ``versions.toml``."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    last = data["last"]
    released = {game: (number, Facts(*facts)) for game, (number, *facts) in last["games"].items()}
    return Versions(data["shown"], last["release"], released)


def write(versions: Versions, path: Path = DATA) -> None:
    """Replace ``versions.toml``."""
    lines = [_HEADER, "", "[shown]"]
    lines += [f'{game} = "{digest}"' for game, digest in sorted(versions.shown.items())]
    lines += [
        "",
        "[last]",
        f'release = "{versions.release}"',
        "",
        "[last.games]  # number, fingerprint, what was shown",
    ]
    for game, (number, facts) in sorted(versions.released.items()):
        lines.append(f'{game} = [{number}, "{facts.behaviour}", "{facts.shown}"]')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@cache
def version(game: str) -> int:
    """The version number in the id of a bundled game."""
    return read().number(game, fingerprint.read_plan().expected.get(game))


def release(name: str, shown: Mapping[str, str]) -> Versions:
    """The contents of the file after a release with the current ids."""
    now = Versions(shown, name, read().released)
    behaviour = fingerprint.read_plan().expected
    return Versions(
        shown, name, {game: (now.number(game, behaviour[game]), Facts(behaviour[game], shown[game])) for game in shown}
    )


def digests() -> dict[str, str]:
    """For each one-player game, a digest of its environment: spaces, actions, and observations of a short play."""
    return {game: _digest(game) for game in games.names() if game not in games.names("two_player")}


def _digest(game: str) -> str:
    from vgdl.envs.single import VGDLEnv

    digest = hashlib.blake2b(digest_size=fingerprint.BITS // 8)
    for mode in MODES:
        env = VGDLEnv(game, observation=mode)
        digest.update(repr((mode, env.observation_space, env.get_action_meanings())).encode())
        observation, _ = env.reset(seed=1)
        for step in range(STEPS):
            for part in observation.values() if isinstance(observation, dict) else [observation]:
                digest.update(part.encode() if isinstance(part, str) else np.asarray(part).tobytes())
            observation, *_ = env.step(step % len(env.actions))
    return digest.hexdigest()
