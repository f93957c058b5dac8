"""Submitted zip files: checked before anything is unpacked, and unpacked into plain files and folders only."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vgdl.competition.errors import CompetitionError, using

MIB = 1 << 20
_ENCRYPTED = 0x1
_APPLE = "__MACOSX/"
"""Folder of macOS metadata in archives; skipped."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError)
"""Errors that ``zipfile`` raises for invalid data: NotImplementedError for unsupported features (a newer version of the
format, patched data), ValueError for offsets outside the file and for names that are not UTF-8."""


class ArchiveError(CompetitionError):
    """An archive is refused; the message says why and what would be accepted."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of an archive."""

    packed_bytes: int = 20 * MIB
    unpacked_bytes: int = 100 * MIB
    files: int = 2000
    ratio: int = 100  #: of unpacked to packed size, beyond the first MiB
    path_bytes: int = 200  #: of a path in UTF-8; file systems limit names to 255


STANDARD = Limits()


def read(path: Path, limits: Limits = STANDARD) -> bytes:
    """Read an archive that passes all checks.

    Raises:
        ArchiveError: it fails a check.
        FileError: it cannot be read.
    """
    if not path.is_file():
        raise ArchiveError(f"there is no file {path}")
    with using(path):
        size = path.stat().st_size
    if size > limits.packed_bytes:
        raise ArchiveError(f"{path.name} has {size / MIB:.1f} MiB; {limits.packed_bytes // MIB} are allowed")
    with using(path):
        data = path.read_bytes()
    members(data, limits)
    return data


def members(data: bytes, limits: Limits = STANDARD) -> list[zipfile.ZipInfo]:
    """List the files of an archive, checking its directory without unpacking anything.

    Raises:
        ArchiveError: it is not a zip file, it is too large when unpacked, or an entry is not a plain file inside it.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except DAMAGED as error:
        if str(error) == "File is not a zip file":  # no directory of an archive was found
            raise ArchiveError("this is not a zip file") from None
        raise ArchiveError(f"this zip file is damaged: {error}") from None
    if len(entries) > limits.files:
        raise ArchiveError(f"the archive has {len(entries)} entries; {limits.files} are allowed")
    for entry in entries:
        _check_entry(entry, limits)
    files = [entry for entry in entries if not (entry.is_dir() or entry.filename.startswith(_APPLE))]
    _check_names(files)
    _check_size(sum(entry.file_size for entry in files), len(data), limits)
    return files


def unpack(data: bytes, folder: Path, limits: Limits = STANDARD) -> Path:
    """Unpack an archive into an empty folder, after all checks.

    Returns:
        The folder with the files; if the archive contains just one folder, as many programs create it, that folder.

    Raises:
        ArchiveError: it fails a check or is damaged.
    """
    files = members(data, limits)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in files:
            target = folder.joinpath(*PurePosixPath(entry.filename).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with archive.open(entry) as packed:
                    content = packed.read(entry.file_size + 1)  # no more than the declared size, whatever it contains
            except DAMAGED as error:
                raise ArchiveError(f"{_shown(entry.filename)} is damaged: {error}") from None
            target.write_bytes(content)
    tops = list(folder.iterdir())
    return tops[0] if len(tops) == 1 and tops[0].is_dir() else folder


def _check_entry(entry: zipfile.ZipInfo, limits: Limits) -> None:
    name = entry.filename
    label = _shown(name)
    path = PurePosixPath(name)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if stat.S_ISLNK(kind):
        raise ArchiveError(f"{label} is a link; put the file itself into the archive")
    if kind and not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise ArchiveError(f"{label} is neither a file nor a folder")
    if path.is_absolute() or (len(name) > 1 and name[1] == ":"):
        raise ArchiveError(f"{label} has an absolute path; paths must be relative to the archive")
    if ".." in path.parts:
        raise ArchiveError(f"{label} leads out of the archive by '..'")
    if "\\" in name or not name.isprintable() or not path.parts:
        raise ArchiveError(f"{label} is not an allowed path: use '/' between names of printable letters")
    if (length := len(name.encode())) > limits.path_bytes:
        raise ArchiveError(f"{label} has a path of {length} bytes; {limits.path_bytes} are allowed")
    if entry.flag_bits & _ENCRYPTED:
        raise ArchiveError(f"{label} is encrypted")
    if entry.compress_type not in _METHODS:
        raise ArchiveError(f"{label} is compressed in an unusual way; make the archive with the usual 'deflate'")


def _check_names(files: list[zipfile.ZipInfo]) -> None:
    """Check that no path occurs twice, or both as a file and as a folder, ignoring case."""
    seen: set[PurePosixPath] = set()
    for entry in files:
        path = PurePosixPath(entry.filename.lower())
        if path in seen:
            raise ArchiveError(f"{_shown(entry.filename)} is in the archive twice")
        seen.add(path)
    for entry in files:
        for folder in PurePosixPath(entry.filename.lower()).parents:
            if folder in seen:
                raise ArchiveError(f"{_shown(str(folder))} is a file and a folder in the archive")


def _check_size(unpacked: int, packed: int, limits: Limits) -> None:
    if unpacked > limits.unpacked_bytes:
        most = limits.unpacked_bytes // MIB
        raise ArchiveError(f"the archive has {unpacked / MIB:.1f} MiB when unpacked; {most} are allowed")
    if unpacked > MIB and unpacked > limits.ratio * packed:
        raise ArchiveError(
            f"the archive grows {unpacked / packed:.0f} times when unpacked, as a zip bomb does; "
            f"{limits.ratio} times are allowed"
        )


def _shown(name: str) -> str:
    """A name from an archive, made printable."""
    return repr(name if len(name) <= 80 else name[:77] + "...")
