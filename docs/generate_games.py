"""Write the pages of the bundled games, ``docs/games/``: text and pictures from their files and facts.

``python docs/generate_games.py`` writes them; ``--check`` writes nothing and exits with 1 if they are not up to date.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import vgdl
from vgdl import games, ontology, replay
from vgdl.language import MappingLine, SectionKind, SpriteLine, parse_file
from vgdl.ontology.rows import SpriteClass
from vgdl.render import BLOCK, gif, png
from vgdl.render.pictures import Look, picture

DIRECTORY = Path(__file__).resolve().parent / "games"
IMAGES = "images"
THUMBNAIL = 12  #: pixels per cell in the pictures of the index, and in the films: as many as the drawings have
FRAMES = 46  #: at most in an animation; longer plays leave ticks out
FRAME_MS = 100  #: duration of a frame
SEED = 0  #: of the states in the level pictures

_SETS: Mapping[str, str] = {
    "training": "Training",
    "validation": "Validation",
    "test": "Test",
    "two_player": "Two players",
    games.CLICK_SET: "Played with a mouse",
}
_NAMES = tuple(name for set in _SETS for name in games.names(set))
_SCORE_SYSTEMS: Mapping[str, str] = {
    "B": "binary: the score says little more than the result",
    "I": "incremental: many small steps",
    "D": "discontinuous: small steps, and rare large ones",
}
_TERMINATIONS: Mapping[str, str] = {"counters": "counters", "timeout": "timeout", "exit": "exit door"}
_MEANINGS: Mapping[str, str] = {
    "LEFT": "a step to the left",
    "RIGHT": "a step to the right",
    "UP": "a step up",
    "DOWN": "a step down",
}

_INDEX = """\
# The games

The games that come with the framework, generated from their files in `games/`. `vgdl.load("{first}")` loads one by its
name, `.start(level=0)` begins a play. [How good and bad players fare](../results-games.md) in each.
"""


@dataclass(frozen=True, slots=True)
class Sprite:
    """A sprite type that has sprites."""

    name: str
    look: Look
    row: SpriteClass
    stype: str | None  #: the type that it spawns, chases or leads to
    letters: tuple[str, ...]  #: in the levels, perhaps on top of a background


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages, or with ``--check`` compare them; returns the exit code."""
    parser = argparse.ArgumentParser(description="Write the pages of the bundled games.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a page is not up to date")
    if parser.parse_args(arguments).check:
        outdated = sorted(_outdated())
        for name in outdated:
            print(f"docs/games/{name} is not up to date; run docs/generate_games.py", file=sys.stderr)
        return 1 if outdated else 0
    wanted = files()
    for path in _present():
        if _name(path) not in wanted:
            path.unlink()
    for name, content in wanted.items():
        path = DIRECTORY / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return 0


def _outdated() -> Iterator[str]:
    wanted = files()
    present = {_name(path): path.read_bytes() for path in _present()}
    for name in wanted.keys() | present.keys():
        if name not in wanted or name not in present or not _same(name, wanted[name], present[name]):
            yield name


def _present() -> list[Path]:
    return [path for path in DIRECTORY.rglob("*") if path.is_file()]


def _name(path: Path) -> str:
    return path.relative_to(DIRECTORY).as_posix()


def _same(name: str, expected: bytes, present: bytes) -> bool:
    """Whether two files have the same content; pictures can differ in compression, which depends on the zlib."""
    return expected == present or (name.endswith(".png") and _unpacked(expected) == _unpacked(present))


def _unpacked(data: bytes) -> tuple[bytes, bytes]:
    """Header and rows of a picture that ``vgdl.render.png`` wrote: one chunk each, with 12 bytes around its content."""
    header, body = data[:33], data[33:-12]
    try:
        return header, zlib.decompress(body[8:-4])
    except zlib.error:
        return header, body


@cache
def files() -> Mapping[str, bytes]:
    """All pages, pictures and animations: content by path below ``docs/games``, cached."""
    found: dict[str, bytes] = {"index.md": _index().encode()}
    for name in _NAMES:
        found[f"{name}.md"] = _page(name).encode()
        found.update((f"{IMAGES}/{path}", png.encode(image)) for path, image in _images(name))
        found[f"{IMAGES}/{name}/play.gif"] = gif.encode(_film(name), FRAME_MS)
    return found


# Pictures


def _images(name: str) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """The pictures of a game's page, and its thumbnail for the index."""
    game = vgdl.load(name)
    yield f"{name}/thumbnail.png", game.start(level=0, seed=SEED).render(THUMBNAIL)
    for number in range(len(game.levels)):
        yield f"{name}/level{number}.png", game.start(level=number, seed=SEED).render(BLOCK)
    for sprite in _sprites(name):
        if not sprite.look.invisible:
            yield f"{name}/{sprite.name}.png", _portrait(sprite.look)


def _film(name: str) -> Iterator[NDArray[np.uint8]]:
    """The recorded win of the first level, in even steps."""
    play = _recorded(games.levels(name)[0])
    state = replay.find_board(play).start(play.seed)
    step = _step(play)
    yield state.render(THUMBNAIL)
    for number, actions in enumerate(play.actions, start=1):
        replay.advance(state, actions)
        if number % step == 0 or number == len(play.actions):
            yield state.render(THUMBNAIL)


def _step(play: replay.Replay) -> int:
    """Ticks between two frames of an animation."""
    return -(-len(play.actions) // FRAMES)


def _recorded(level: Path) -> replay.Replay:
    return replay.read(level.parent / "replays" / f"{level.stem}.json")


def _portrait(look: Look) -> NDArray[np.uint8]:
    """A sprite in a cell, RGBA; oriented ones face right."""
    shown = picture(look, BLOCK, BLOCK, 0)
    height, width = shown.rgb.shape[0], shown.rgb.shape[1] // 3
    canvas = np.zeros((BLOCK, BLOCK, 4), dtype=np.uint8)
    place = canvas[shown.top : shown.top + height, shown.left : shown.left + width]
    place[..., :3] = shown.rgb.reshape(height, width, 3)
    place[..., 3] = 255 if shown.mask is None else shown.mask.reshape(height, width, 3)[..., 0] * np.uint8(255)
    place[place[..., 3] == 0] = 0
    return canvas


# Pages


def _index() -> str:
    lines = [_INDEX.format(first=_NAMES[0])]
    for set in _SETS:
        if members := games.names(set):
            lines += [f"## {_SETS[set]}", ""]
            lines += ["| game | | score | characters | resources | ends by | actions |", "|---" * 7 + "|"]
            lines += [*map(_index_row, members), ""]
    return "\n".join(lines)


def _index_row(name: str) -> str:
    facts = games.facts(name)
    link = f"[![{facts.title}]({IMAGES}/{name}/thumbnail.png)]({name}.md)"
    cells = [f"[{facts.title}]({name}.md)", link, facts.score_system, _npcs(facts), _yes(facts.resources), _ends(facts)]
    return f"| {' | '.join(cells)} | {facts.actions} |"


def _page(name: str) -> str:
    facts = games.facts(name)
    source = f"../../games/{facts.set}/{name}.txt"
    parts = [
        [f"# {facts.title}", "", facts.rules, "", f"The rules in VGDL: [`{name}.txt`]({source})."],
        [f"![A play]({IMAGES}/{name}/play.gif)", "", _caption(name)],
        ["## Facts", "", *_facts(facts)],
        ["## Actions", "", *_actions(name)],
        ["## Sprites", "", *_sprite_table(name)],
        ["## Levels", "", *_levels(name)],
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _caption(name: str) -> str:
    step = _step(_recorded(games.levels(name)[0]))
    return f"The recorded win of level 0{f', every {step} ticks' if step > 1 else ''}."


def _facts(facts: games.Facts) -> Iterator[str]:
    yield from ("| | |", "|---|---|")
    yield f"| set | {_SETS[facts.set].lower()} |"
    yield f"| score | {facts.score_system}, {_SCORE_SYSTEMS[facts.score_system]} |"
    yield f"| characters | {_npcs(facts)} |"
    yield f"| resources | {_yes(facts.resources)} |"
    yield f"| ends by | {_ends(facts)} |"
    yield f"| actions | {facts.actions} |"


def _actions(name: str) -> Iterator[str]:
    """What each action does, from the class of the avatar."""
    made = dict.fromkeys(f"`{sprite.stype}`" for sprite in _sprites(name) if sprite.look.avatar and sprite.stype)
    used = f"makes a {' or '.join(made)}" if made else "uses what it has"
    yield from ("| action | what the avatar does |", "|---|---|")
    for action in vgdl.load(name).start(level=0, seed=SEED).actions_of(0):
        if action.name != "NIL":  # which only two-player games list
            yield f"| `{action.name}` | {_MEANINGS.get(action.name, used)} |"
    yield "| `NIL` | nothing |"


def _sprite_table(name: str) -> Iterator[str]:
    yield from ("| | name | class | what it does | in levels |", "|---|---|---|---|---|")
    for sprite in _sprites(name):
        page = "avatars" if sprite.row.avatar else "sprites"
        word = f"[`{sprite.row.name}`](../reference/{page}.md#{sprite.row.name.lower()})"
        says = "Makes" if "stype" in sprite.row.creates else "That type is"
        stype = f" {says} `{sprite.stype}`." if sprite.stype else ""
        image = "invisible" if sprite.look.invisible else f"![{sprite.name}]({IMAGES}/{name}/{sprite.name}.png)"
        letters = " ".join(f"`{letter}`" for letter in sprite.letters)
        yield f"| {image} | `{sprite.name}` | {word} | {sprite.row.doc}{stype} | {letters} |"


def _levels(name: str) -> Iterator[str]:
    for number, level in enumerate(games.levels(name)):
        board = vgdl.load(name).board(number)
        text = [f"### Level {number}", "", f"{board.level.width} × {board.level.height} cells. {_won(level)}"]
        yield "\n".join([*text, "", f"![Level {number}]({IMAGES}/{name}/level{number}.png)", ""])


def _won(level: Path) -> str:
    """A sentence about the recorded play of a level."""
    play = _recorded(level)
    link = f"../../games/{level.parent.name}/replays/{level.stem}.json"
    scores = " and ".join(f"{score:g}" for score in play.result.scores)
    return f"[A recorded play]({link}) wins it in {play.result.tick} ticks with {scores} points."


def _sprites(name: str) -> list[Sprite]:
    """The types of a game that have sprites, in the order of its text."""
    description, _ = parse_file(games.path(name))
    letters = [line for line in description.entries(SectionKind.MAPPING) if isinstance(line, MappingLine)]
    looks = {look.name: look for look in vgdl.load(name).looks}
    found = []
    for line, word, stype in _leaves(description.entries(SectionKind.SPRITES), None, None):
        row = ontology.sprite_class(word or "")
        assert row is not None, f"{name}: {line.name} has no class"
        mapped = tuple(entry.character or "" for entry in letters if entry.names[-1].text == line.name.text)
        found.append(Sprite(str(line.name), looks[str(line.name)], row, stype, mapped))
    return found


def _leaves(
    lines: Iterable[object], word: str | None, stype: str | None
) -> Iterator[tuple[SpriteLine, str | None, str | None]]:
    """Each line without children, with its own or inherited class and ``stype``."""
    for line in lines:
        if isinstance(line, SpriteLine):
            own = str(line.class_name) if line.class_name else word
            named = line.arguments["stype"].value if "stype" in line.arguments else stype
            if line.children:
                yield from _leaves(line.children, own, named)
            else:
                yield line, own, named


def _npcs(facts: games.Facts) -> str:
    return ", ".join([*facts.npcs, *["more than one type"] * facts.several_npc_types]) or "none"


def _ends(facts: games.Facts) -> str:
    return ", ".join(_TERMINATIONS[termination] for termination in facts.terminations)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


if __name__ == "__main__":
    sys.exit(main())
