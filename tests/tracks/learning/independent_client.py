"""A second client of the wire protocol, written from the specification alone (learning, 5), as a program of its own.

It needs the standard library only, and shares no code with the server or with the other client of the tests. Like the
clients of the reference, it reads every message into a fixed set of fields of fixed types; a field that it does not
know, that is missing, or that has another type is an error. Run as a program, it prints its answers.
"""

from __future__ import annotations

import json
import random
import socket
import struct
import sys
import threading
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

ACTIONS = ("ACTION_UP", "ACTION_DOWN", "ACTION_LEFT", "ACTION_RIGHT", "ACTION_USE", "ACTION_NIL")
WINNERS = ("PLAYER_WINS", "PLAYER_LOSES", "NO_WINNER", "PLAYER_DISQ")
PHASES = ("INIT", "ACT", "END", "ABORT")
LISTS = (
    "NPCPositions", "immovablePositions", "movablePositions", "resourcesPositions", "portalsPositions",
    "fromAvatarSpritesPositions",
)  # fmt: skip


class ProtocolError(Exception):
    """The server did not keep to the protocol."""


# ---------------------------------------------------------------------------------------------------------- types

Check = Callable[[Any], None]


def _need(holds: bool, value: Any) -> None:
    if not holds:
        raise ProtocolError(f"unexpected value {value!r:.200}")


def number(value: Any) -> None:
    """A Java double or float."""
    _need(isinstance(value, int | float) and not isinstance(value, bool), value)


def integer(value: Any) -> None:
    """A Java int."""
    _need(isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**31, value)


def truth(value: Any) -> None:
    """A Java boolean."""
    _need(isinstance(value, bool), value)


def one_of(*words: str) -> Check:
    """A Java enum."""
    return lambda value: _need(isinstance(value, str) and value in words, value)


def list_of(check: Check, length: int | None = None) -> Check:
    """A Java array or list."""

    def checked(value: Any) -> None:
        _need(isinstance(value, list) and length in (None, len(value)), value)
        for each in value:
            check(each)

    return checked


def point(value: Any) -> None:
    """A position of an observation."""
    record(value, {"x": number, "y": number}, {})


def observation(value: Any) -> None:
    """A sprite."""
    fields: dict[str, Check] = {"category": integer, "itype": integer, "obsID": integer}
    record(value, fields | {"position": point, "reference": point, "sqDist": number}, {})


def amounts(value: Any) -> None:
    """A map from types to amounts."""
    _need(isinstance(value, dict), value)
    for kind, amount in value.items():
        _need(kind.isdecimal(), kind)
        integer(amount)


def signed_byte(value: Any) -> None:
    """A Java byte."""
    integer(value)
    _need(-128 <= value <= 127, value)


def record(value: Any, required: Mapping[str, Check], optional: Mapping[str, Check]) -> None:
    """An object with known fields; null is never written."""
    _need(isinstance(value, dict), value)
    if missing := required.keys() - value.keys():
        raise ProtocolError(f"fields are missing: {sorted(missing)}")
    if unknown := value.keys() - required.keys() - optional.keys():
        raise ProtocolError(f"unknown fields: {sorted(unknown)}")
    for name, part in value.items():
        try:
            (required.get(name) or optional[name])(part)
        except ProtocolError as error:
            raise ProtocolError(f"{name}: {error}") from None


OUTCOME: dict[str, Check] = {
    "phase": one_of(*PHASES),
    "availableActions": list_of(one_of(*ACTIONS)),
    "gameScore": number,
    "gameTick": integer,
    "gameWinner": one_of(*WINNERS),
    "isGameOver": truth,
}
PICTURE: dict[str, Check] = {"imageArray": list_of(signed_byte)}
STATE: dict[str, Check] = {
    "isValidation": truth,
    "worldDimension": list_of(number, 2),
    "blockSize": integer,
    "noOfPlayers": integer,
    "avatarSpeed": number,
    "avatarHealthPoints": integer,
    "avatarMaxHealthPoints": integer,
    "avatarLimitHealthPoints": integer,
    "isAvatarAlive": truth,
    "avatarResources": amounts,
    "observationGrid": list_of(list_of(list_of(observation))),
    "observationGridNum": integer,
    "observationGridMaxRow": integer,
    "observationGridMaxCol": integer,
    **{f"{name}{part}": integer for name in LISTS for part in ("Num", "MaxRow")},
}
NULLABLE: dict[str, Check] = {
    "avatarOrientation": list_of(number, 2),
    "avatarPosition": list_of(number, 2),
    "avatarLastAction": one_of(*ACTIONS, "ACTION_ESCAPE"),
    "avatarType": integer,
    **{name: list_of(list_of(observation)) for name in LISTS},
}


def check_object(value: Any, form: str) -> None:
    """Check an observation of a form: its fields, their types, and the sizes beside the arrays.

    Raises:
        ProtocolError: something is not as the protocol has it.
    """
    required = dict(OUTCOME)
    if form != "IMAGE":
        required |= STATE
    if form != "JSON":
        required |= PICTURE
    record(value, required, NULLABLE if form != "IMAGE" else {})
    if form != "JSON":
        check_picture(bytes(byte & 255 for byte in value["imageArray"]), value.get("worldDimension"))
    if form != "IMAGE":
        fill_arrays(value)


def fill_arrays(value: dict[str, Any]) -> None:
    """Copy the observations into arrays of the stated sizes, as a client does that allocates before it reads."""
    depth, rows = value["observationGridMaxCol"], value["observationGridMaxRow"]
    grid = [[[None] * depth for _ in range(rows)] for _ in range(value["observationGridNum"])]
    tables = {name: [[None] * value[f"{name}MaxRow"] for _ in range(value[f"{name}Num"])] for name in LISTS}
    try:
        for i, column in enumerate(value["observationGrid"]):
            for j, cell in enumerate(column):
                for k, sprite in enumerate(cell):
                    grid[i][j][k] = sprite
        for name, table in tables.items():
            for i, sprites in enumerate(value.get(name, [])):
                for k, sprite in enumerate(sprites):
                    table[i][k] = sprite
    except IndexError:
        raise ProtocolError("an array is larger than the sizes beside it") from None
    width, height = value["worldDimension"]
    _need((len(grid), rows) == (width // value["blockSize"], height // value["blockSize"]), (len(grid), rows))
    _need(depth == 0 or any(cell[depth - 1] for column in grid for cell in column), depth)


def check_picture(data: bytes, dimension: list[float] | None) -> None:
    """Read a PNG to its end."""
    _need(data[:8] == b"\x89PNG\r\n\x1a\n", data[:8])
    place, names, packed, size = 8, [], b"", (0, 0)
    while place < len(data):
        (length,) = struct.unpack_from(">I", data, place)
        name, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        _need(struct.unpack_from(">I", data, place + 8 + length)[0] == zlib.crc32(name + body), name)
        names.append(name)
        if name == b"IHDR":
            size = struct.unpack_from(">II", body)
        if name == b"IDAT":
            packed += body
        place += 12 + length
    _need(names[0] == b"IHDR" and names[-1] == b"IEND" and len(zlib.decompress(packed)) > size[0] * size[1], names)
    _need(dimension is None or size == tuple(dimension), size)


# --------------------------------------------------------------------------------------------------------- client


@dataclass
class Exchange:
    """A message of the server and what was answered."""

    number: int
    payload: Any  #: START, FINISH, or the fields of an observation
    form: str  #: in which observations were asked for when it arrived
    answer: str | None = None


@dataclass
class IndependentClient:
    """Plays one run. Subclasses choose the words that they answer."""

    address: tuple[str, int]
    line_end: str = "\n"
    form: str = "JSON"  #: named in every answer
    log: list[Exchange] = field(default_factory=list)
    is_closed: bool = False  #: by the server, after FINISH

    def choose(self, message: Any) -> str:
        """The word that answers a message: here, random play that ends the training after its first phase."""
        if message == "START":
            self._draws = random.Random(1)
            return "START_DONE"
        if message["phase"] == "INIT":
            return "INIT_DONE"
        if message["phase"] == "ACT":
            return str(self._draws.choice([*message["availableActions"], "ACTION_NIL"]))
        return "END_VALIDATION" if message.get("isValidation") else "END_TRAINING"

    def write(self, stream: Any, line: str) -> None:
        """Send an answer, a line with its end."""
        stream.write(line)
        stream.flush()

    def run(self) -> IndependentClient:
        """Play until FINISH.

        Raises:
            ProtocolError: the server did not keep to the protocol.
        """
        with (
            socket.create_connection(self.address, timeout=60) as connection,
            connection.makefile("rw", encoding="utf-8", newline="") as stream,
        ):
            form = "JSON"  # what observations contain until an answer says something else
            while line := stream.readline():
                exchange = self._parsed(line, form)
                self.log.append(exchange)
                if exchange.payload == "FINISH":
                    self.is_closed = stream.readline() == ""
                    break
                exchange.answer = self.choose(exchange.payload)
                form = self.form
                self.write(stream, f"{exchange.number}#{exchange.answer}#{form}{self.line_end}")
        return self

    def _parsed(self, line: str, form: str) -> Exchange:
        parts = line.removesuffix("\n").split("#")
        if not line.endswith("\n") or len(parts) != 2:
            raise ProtocolError(f"not a line with one separator: {line!r:.100}")
        if parts[0] != str(len(self.log)):
            raise ProtocolError(f"message {len(self.log)} has the number {parts[0]!r:.20}")
        if parts[1] in ("START", "FINISH"):
            if (parts[1] == "START") is not (not self.log):
                raise ProtocolError(f"{parts[1]} as message {len(self.log)}")
            return Exchange(int(parts[0]), parts[1], form)
        value = json.loads(parts[1])
        check_object(value, form)
        self._check_order(value["phase"])
        return Exchange(int(parts[0]), value, form)

    def _check_order(self, phase: str) -> None:
        """INIT follows START or the end of a play, everything else a tick or INIT."""
        last = self.log[-1].payload
        before = last if isinstance(last, str) else last["phase"]
        _need((phase == "INIT") is (before in ("START", "END", "ABORT")), (before, phase))


class Printing(IndependentClient):
    """Prints every answer before it is sent; at the end of the standard input, it waits for ever."""

    def write(self, stream: Any, line: str) -> None:
        print(line, end="", flush=True)
        if not sys.stdin.readline():
            threading.Event().wait()
        super().write(stream, line)


def main() -> None:
    host, port, form = sys.argv[1:]
    client = Printing((host, int(port)), form=form).run()
    print(client.log[-1].payload, flush=True)


if __name__ == "__main__":
    main()
