"""The pages of ``docs`` are true: code on them runs, and behaves as they say.

Python blocks are run, page by page, each page in a namespace of its own. The VGDL examples of ``specification/index.md`` carry a
name behind the word ``vgdl``; the test of that name plays them and asserts what the page says. Cython blocks are
quotations of the core.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path

import pytest

from semantics.harness import LOST, NO_WINNER, WON, World, game, level, start
from vgdl import Action
from vgdl.controllers.entries.champion import Champion

PROJECT = Path(__file__).resolve().parents[1]
DOCS = PROJECT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), DOCS / "specification" / "index.md"])
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<kind>\w*) ?(?P<name>\S*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    kind: str
    name: str
    text: str
    line: int  # of the page, where its text begins


def blocks(page: Path, kind: str) -> Iterator[Block]:
    """The blocks of one language on a page."""
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        if found["kind"] == kind:
            code = re.sub(f"^{found['indent']}", "", found["text"], flags=re.MULTILINE)
            yield Block(kind, found["name"], code, text.count("\n", 0, found.start("text")) + 1)


EXAMPLES = {block.name: block.text for block in blocks(DOCS / "specification" / "index.md", "vgdl")}


# ------------------------------------------------------------------------------------------------------------ all pages


@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page, "python"))], ids=lambda page: page.stem)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in one module, in an empty folder, without a warning about any line."""
    monkeypatch.chdir(tmp_path)
    module = type(sys)(f"docs_{page.stem}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DeprecationWarning)
        for block in blocks(page, "python"):
            padded = "\n" * (block.line - 1) + block.text  # so tracebacks show the page's lines
            exec(compile(padded, str(page), "exec"), module.__dict__)
    assert [str(each.message) for each in caught if each.filename == str(page)] == []


@pytest.mark.parametrize(
    "page", [*PAGES, PROJECT / "CONTRIBUTING.md", PROJECT / "README.md"], ids=lambda page: page.stem
)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [target for target in _LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_page_of_the_champion_lists_all_its_keywords() -> None:
    page = (DOCS / "champion.md").read_text(encoding="utf-8")
    section = page.partition("## Switching parts off\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    parameters = signature(Champion).parameters.items()
    assert listed == {name for name, each in parameters if each.kind is Parameter.KEYWORD_ONLY} - {"seed"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_cython_blocks_are_quoted_from_the_core(page: Path) -> None:
    core = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted((PROJECT / "vgdl" / "core").rglob("*.p[xy][dx]"))
    )
    assert [block.text for block in blocks(page, "cython") if block.text not in core] == []


# ------------------------------------------------------------------------------------------------ examples of the tick


def world(
    name: str, rows: tuple[str, ...], sprites: str = "", effects: str = "", options: str = "", **more: str
) -> World:
    """A game of an example and of what the example takes for granted, on a level."""
    return start(text(EXAMPLES[name], sprites, effects, options, **more), level(*rows))


def text(example: str, sprites: str = "", effects: str = "", options: str = "", mapping: str = "") -> str:
    """A game text. A line with one word before ``>`` is a sprite, with several an interaction, without ``>`` an end."""
    parts: dict[str, list[str]] = {"sprites": sprites.splitlines(), "effects": [], "ends": []}
    for line in example.splitlines():
        words = line.partition(">")[0].split()
        parts["ends" if ">" not in line else "sprites" if len(words) == 1 else "effects"].append(line)
    parts["effects"] += effects.splitlines()
    joined = {part: "\n".join(lines) for part, lines in parts.items()}
    return game(joined["sprites"], joined["effects"], joined["ends"], options=options, mapping=mapping)


def swapped(example: str) -> str:
    """An example with its two lines the other way round."""
    return "".join(reversed(example.splitlines(keepends=True)))


def x_of(play: World, name: str, ticks: int) -> list[int | None]:
    """The cell of the only sprite of a type after each tick; None while it does not exist."""
    seen: list[int | None] = []
    for _ in range(ticks):
        play.wait(1)
        seen.append(play.only(name).x // 10 if play.count(name) else None)
    return seen


def test_every_example_has_its_test() -> None:
    tested = {
        name.removeprefix("test_example_").replace("_", "-") for name in globals() if name.startswith("test_example_")
    }
    assert tested == set(EXAMPLES)


def test_example_birth() -> None:
    rows = ("h....", "A....")
    assert x_of(world("birth", rows), "bee", 4) == [0, 0, 1, 2]
    assert x_of(start(text(swapped(EXAMPLES["birth"])), level(*rows)), "bee", 4) == [0, 1, 2, 3]


def test_example_cooldown() -> None:
    assert x_of(world("cooldown", ("s....", "A....")), "snail", 9) == [0, 0, 1, 1, 1, 2, 2, 2, 3]


def test_example_lifetime() -> None:
    """Both meet the box in the tick of their death: the third and the second."""
    play = world(
        "lifetime", ("x.y", "A.."), "box > Immovable",
        "box flash > addHealthPoints scoreChange=1\nbox spark > addHealthPoints scoreChange=10",
        mapping="x > box flash\ny > box spark",
    )  # fmt: skip
    counts = [(play.wait(1).count("flash"), play.count("spark"), play.score) for _ in range(4)]
    assert counts == [(1, 1, 11), (1, 0, 22), (0, 0, 23), (0, 0, 23)]


def test_example_size() -> None:
    play = world("size", ("b..d", "A..."))
    assert (play.only("bar").rect, play.only("dot").rect) == ((0, 0, 20, 10), (30, 0, 10, 10))


def test_example_pairs() -> None:
    play = world(
        "pairs", ("x", "A"), "box > Passive\nkey > Immovable\nlock > Immovable", mapping="x > box key lock"
    ).wait(1)
    assert play.only("box").speed == 4


BOMB = "bomb > Passive\nbox > Passive"


def test_example_dead_partner() -> None:
    play = world("dead-partner", ("x", "A"), BOMB, mapping="x > wall bomb box").wait(1)
    assert (play.count("bomb"), play.count("box")) == (0, 0)


def test_example_dead_first() -> None:
    play = world("dead-first", ("x", "A"), BOMB, mapping="x > wall bomb box").wait(1)
    assert (play.count("bomb"), play.count("box")) == (0, 1)


def test_example_dead_avatar() -> None:
    """The first coin is over the body in tick 1, the second in tick 2; the player's key moves nothing."""
    sprites = "spike > Immovable\ncoin > Missile orientation=RIGHT"
    play = world("dead-avatar", ("ccx..",), sprites, mapping="x > spike avatar")
    seen = []
    for action in (Action.NIL, Action.RIGHT, Action.RIGHT, Action.RIGHT):
        play.advance(action)
        seen.append((play.score, play.avatar.disabled, play.avatar.x))
    assert seen == [(0, True, 20), (1, True, 20), (2, True, 20), (2, True, 20)]


def test_example_groups() -> None:
    play = world("groups", ("xf...",), mapping="x > avatar fruit").wait(3)
    assert play.positions("fruit") == [(10, 0)]


def test_example_edges() -> None:
    """In tick 1 the bird leaves the screen by a cell, at speed 1."""
    play = world("edges", ("A.b",), "bird > Missile orientation=RIGHT").wait(2)
    bird = play.only("bird")
    assert (bird.orientation, bird.speed, play.score) == ((1.0, 0.0), 0.25, 2)


def test_example_undo() -> None:
    rows, box = ("Abw",), "box > Passive"
    play = world("undo", rows, box).advance(Action.RIGHT)
    assert (play.avatar.x, play.only("box").x) == (0, 10)
    stepping_back = text(EXAMPLES["undo"].replace("undoAll", "stepBack"), box)
    play = start(stepping_back, level(*rows)).advance(Action.RIGHT)
    assert (play.avatar.x, play.only("box").x) == (10, 10)


def test_example_singleton() -> None:
    play = world("singleton", ("x",), "gem > Immovable singleton=True", mapping="x > avatar gem").wait(1)
    assert (play.count("gem"), play.score) == (0, 1)


def test_example_attempt() -> None:
    play = world("attempt", ("x",), "box > Immovable", mapping="x > avatar box").wait(1)
    assert (play.count("box"), play.score) == (1, 1)


def test_example_players() -> None:
    two = "avatar > MovingAvatar\n    red >\n    blue >\ncoin > Immovable"
    rows = ("xb",)
    play = world("players", rows, two, options="no_players=2", mapping="x > red coin").wait(1)
    assert (play.scores, play.wins) == ([1, 1], [WON, LOST])
    listed = EXAMPLES["players"].replace("scoreChange=1", "scoreChange=1,0").replace("win=True", "win=True,True")
    play = start(text(listed, two, options="no_players=2", mapping="x > red coin"), level(*rows)).wait(1)
    assert (play.scores, play.wins) == ([1, 0], [WON, WON])


def test_example_timers() -> None:
    play = world("timers", ("b.c", "A.."), "box > Immovable\ncrate > Immovable")
    assert [(play.wait(1).count("box"), play.count("crate")) for _ in range(4)] == [(0, 1), (0, 1), (0, 1), (0, 0)]


def test_example_ties() -> None:
    sprites, effect = "coin > Immovable", "coin avatar > killSprite"
    play = world("ties", ("x",), sprites, effect, mapping="x > avatar coin").wait(1)
    assert (play.wins, play.final_scores) == ([WON], [1])
    lost = text(swapped(EXAMPLES["ties"]), sprites, effect, mapping="x > avatar coin")
    assert start(lost, level("x")).wait(1).wins == [LOST]


def test_example_messages() -> None:
    play = world("messages", ("x",), "box > Immovable", mapping="x > avatar box").wait(25)
    assert (play.messages, play.is_over) == (25, False)
    play.wait(1)
    assert (play.is_over, play.wins) == (True, [NO_WINNER])
