"""The secrets of competitions that are not over: kept apart from their stores, whose bytes then reveal no game to come.

The secret of a competition lies in a file of its own, which only its user may read, in the user's folder of states
(``~/.local/state/vgdl/secrets``, or ``$XDG_STATE_HOME/vgdl/secrets``). This folder is hidden from every agent. The
store names the file, and has encrypted what a track declares as secret: generated games, and the seeds of finished
plays, since other agents play the same games later. When the competition is over, the store gets the secret, and the
file is removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vgdl.competition.errors import FileError
from vgdl.folders import state_folder

PREFIX = "sealed:"
"""What encrypted cells and references to secrets begin with."""

_BINARY_PREFIX = PREFIX.encode()
_NONCE = 16  # bytes
_REFERENCE = re.compile(PREFIX + r"([0-9a-f]{32})")


def folder() -> Path:
    """The folder of secrets."""
    return state_folder() / "secrets"


@dataclass(frozen=True, slots=True)
class Seal:
    """A secret outside of its store, and what it encrypts there."""

    identity: str  #: of the file
    secret: int  #: 128 bits

    @property
    def reference(self) -> str:
        """What the store has in place of the secret."""
        return PREFIX + self.identity

    @property
    def path(self) -> Path:
        """The file with the secret."""
        return folder() / self.identity

    def hide(self, value: Any) -> str | bytes:
        """Encrypt a JSON-compatible value as text, or bytes as bytes."""
        nonce = secrets.token_bytes(_NONCE)
        if isinstance(value, bytes):
            return _BINARY_PREFIX + nonce + self._combined(nonce, value)
        return PREFIX + (nonce + self._combined(nonce, json.dumps(value).encode())).hex()

    def show(self, cell: str | bytes) -> Any:
        """Decrypt a value.

        Raises:
            ValueError: it was not encrypted by this secret.
        """
        data = cell.removeprefix(_BINARY_PREFIX) if isinstance(cell, bytes) else bytes.fromhex(cell[len(PREFIX) :])
        decrypted = self._combined(data[:_NONCE], data[_NONCE:])
        return decrypted if isinstance(cell, bytes) else json.loads(decrypted)

    def remove(self) -> None:
        """Remove the file, once the store has the secret."""
        self.path.unlink(missing_ok=True)

    def _combined(self, nonce: bytes, data: bytes) -> bytes:
        """The data, combined with a stream of bytes that only the secret and the nonce, never used twice, determine."""
        stream = hashlib.shake_256(b"vgdl seal" + self.secret.to_bytes(16, "big") + nonce).digest(len(data))
        return bytes(one ^ other for one, other in zip(data, stream, strict=True))


def make(secret: int) -> Seal:
    """Put a secret into a file of its own.

    Raises:
        FileError: it cannot be written.
    """
    seal = Seal(secrets.token_hex(16), secret)
    try:
        make_folder()
        with open(os.open(seal.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(str(secret))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise FileError(
            f"{error.filename or seal.path}: {error.strerror}. The secret of a competition is kept there until its "
            "end; XDG_STATE_HOME chooses another place"
        ) from None
    return seal


def make_folder() -> None:
    """Create the folder of secrets, so that it can be hidden.

    Raises:
        OSError: it cannot be created.
    """
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)


def is_sealed(value: object) -> bool:
    """Whether a value is encrypted, or a reference to a secret."""
    if isinstance(value, bytes):
        return value.startswith(_BINARY_PREFIX)
    return isinstance(value, str) and value.startswith(PREFIX)


def is_reference(value: object) -> bool:
    """Whether a value refers to a secret, which encrypted ones do not."""
    return isinstance(value, str) and _REFERENCE.fullmatch(value) is not None


def find(reference: str, store: Path | None) -> Seal:
    """The secret that a store refers to.

    Args:
        reference: what the store has in its place.
        store: its file, for the message.

    Raises:
        FileError: there is no such file here.
        ValueError: it is no reference, or the file contains no secret.
    """
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise ValueError(f"{reference!r:.60} does not refer to a secret")
    path = folder() / match[1]
    try:
        text = path.read_text(encoding="ascii")
    except OSError as error:
        raise FileError(
            f"the secret of {store} cannot be read: {path}: {error.strerror}. Until a competition is over, its secret "
            "is kept outside of the store, by the user and on the machine that began it: continue it there, or copy "
            f".local/state/vgdl/secrets/{match[1]} from there to {path}"
        ) from None
    if not text.isdecimal() or (secret := int(text)).bit_length() > 128:
        raise ValueError(f"{path} contains no secret")
    return Seal(match[1], secret)
