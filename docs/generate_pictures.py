"""Write the pictures of the tracks and their games, ``docs/images/tracks/`` and ``games/``, from fixed seeds.

``python docs/generate_pictures.py`` writes them; ``--check`` writes nothing, and exits with 1 if one is not up to date.
``--windows`` writes those of the window, ``docs/images/window/``, and ``--pages`` those of a competition site and of a
report, ``docs/images/pages/``, by Chromium. Both depend on the fonts of the machine, and are not checked.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import vgdl
from vgdl.competition.tracks.arc.game import bundled
from vgdl.competition.tracks.arc.playable import ArcGame
from vgdl.competition.tracks.arc.testbed import bed_games
from vgdl.controllers import Timer
from vgdl.generation import LEVEL_GENERATORS
from vgdl.generation.interface import LevelTask, Size
from vgdl.render import frame, png
from vgdl.tabletop.othello_stages import PUBLIC, Stage

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 144, 96  #: pixels

Image = NDArray[np.uint8]
Color = tuple[int, int, int]

INK, DARK, LIGHT, GREY = (40, 44, 52), (24, 26, 32), (235, 235, 230), (150, 156, 166)
FELT, WOOD, MAPLE, RED, BLUE, GREEN = (
    (32, 122, 78),
    (128, 84, 52),
    (226, 196, 154),
    (214, 96, 60),
    (82, 150, 220),
    (90, 180, 110),
)
ARC: Sequence[Color] = (
    (255, 255, 255), (204, 204, 204), (153, 153, 153), (102, 102, 102), (51, 51, 51), (0, 0, 0), (229, 58, 163),
    (255, 123, 204), (249, 60, 49), (30, 147, 255), (136, 216, 241), (255, 220, 0), (255, 133, 27), (146, 18, 49),
    (79, 204, 48), (163, 86, 214),
)  # fmt: skip
"""The colours that clients of ARC-AGI-3 show."""


def canvas(color: Color) -> Image:
    """A picture of one colour."""
    return np.full((HEIGHT, WIDTH, 3), color, np.uint8)


def centred(image: Image, background: Color = DARK) -> Image:
    """The middle of a picture, on a background where it is smaller."""
    result = canvas(background)
    rows, columns = min(HEIGHT, len(image)), min(WIDTH, image.shape[1])
    top, left = (len(image) - rows) // 2, (image.shape[1] - columns) // 2
    y, x = (HEIGHT - rows) // 2, (WIDTH - columns) // 2
    result[y : y + rows, x : x + columns] = image[top : top + rows, left : left + columns]
    return result


def disc(image: Image, x: float, y: float, radius: float, color: Color) -> None:
    """Draw a filled circle."""
    rows, columns = np.ogrid[: len(image), : image.shape[1]]
    image[(columns - x) ** 2 + (rows - y) ** 2 <= radius**2] = color


def board(size: int, colors: tuple[Color, Color], side: int) -> Image:
    """A chequered board, or with lines where the two colours are equal."""
    rows, columns = np.indices((size * side, size * side))
    result = np.where(((rows // side + columns // side) % 2)[..., None], *np.array(colors, np.uint8)[::-1, None, None])
    if colors[0] == colors[1]:
        result[(rows % side == 0) | (columns % side == 0)] = INK
    return result.astype(np.uint8)


# ---------------------------------------------------------------------------------------------------------- the tracks


def planning() -> Image:
    """A controller's game."""
    state = vgdl.load("aliens").start(level=0, seed=3)
    state.random_rollout(60, seed=9)
    return centred(frame(state, block=8))


def stage_board(stage: Stage, side: int) -> Image:
    """The start of an Othello stage, with cells of so many pixels."""
    image = board(stage.board_size, (FELT, FELT), side)
    for row, column in stage.initial_blocked:
        image[row * side + 1 : (row + 1) * side, column * side + 1 : (column + 1) * side] = INK
    for cells, color in ((stage.initial_black, DARK), (stage.initial_white, LIGHT)):
        for row, column in cells:
            disc(image, (column + 0.5) * side, (row + 0.5) * side, 0.4 * side, color)
    return image


def othello() -> Image:
    """A stage with blocked cells."""
    stage = max(PUBLIC, key=lambda stage: len(stage.initial_blocked))
    return centred(stage_board(stage, HEIGHT // stage.board_size), INK)


def arc_frame(game: ArcGame, level: int) -> Image:
    """The first frame of a level of an ARC game, with two pixels for each of its own."""
    layer = np.array(game.begin(level).layer())
    return np.repeat(np.repeat(np.array(ARC, np.uint8)[layer], 2, 0), 2, 1)


def arc() -> Image:
    """The first frame of a level of the test bed."""
    return centred(arc_frame(_named(bed_games(), "locks"), 2)[16:112], DARK)


def gamebot() -> Image:
    """Tic-tac-toe, and an answer with its marked lines."""
    image = canvas(INK)
    side = 24
    image[12 : 12 + 3 * side, 12 : 12 + 3 * side] = board(3, (LIGHT, LIGHT), side)
    for cell, mark in {0: "X", 2: "O", 4: "X", 5: "O", 8: "X"}.items():
        y, x = 12 + (cell // 3 + 0.5) * side, 12 + (cell % 3 + 0.5) * side
        if mark == "O":
            disc(image, x, y, 8, BLUE)
            disc(image, x, y, 5, LIGHT)
        else:
            for step in range(-7, 8):
                disc(image, x + step, y + step, 1.6, RED)
                disc(image, x + step, y - step, 1.6, RED)
    for row, (width, color) in enumerate(((34, GREY), (40, GREY), (26, GREEN), (38, GREY), (30, GREEN), (22, RED))):
        image[18 + 11 * row : 23 + 11 * row, 94 : 94 + width] = color
    return image


def worldmodels() -> Image:
    """The rules of a game as a model writes them, a bar per line, and the game."""
    game = vgdl.load("sokoban")
    image = centred(frame(game.start(level=0, seed=0), block=10))
    image[:, : WIDTH // 2] = INK
    lines = [line for line in game.text.splitlines() if line.strip()][:15]
    for row, line in enumerate(lines):
        left = 4 + (len(line) - len(line.lstrip())) // 2
        color = GREEN if line.rstrip().endswith("Set") else BLUE if ">" in line else GREY
        image[4 + 6 * row : 7 + 6 * row, left : min(left + len(line.strip()), WIDTH // 2 - 4)] = color
    return image


def learning() -> Image:
    """Three ticks of a game, from left to right."""
    state = vgdl.load("frogs").start(level=1, seed=5)
    third = WIDTH // 3
    image = canvas(DARK)
    for number in range(3):
        picture = centred(frame(state, block=8))
        image[:, number * third : (number + 1) * third - 2] = picture[:, third : 2 * third - 2]
        state.random_rollout(12, seed=number)
    return image


def tabletop() -> Image:
    """Checkers."""
    side = HEIGHT // 8
    image = board(8, (WOOD, MAPLE), side)
    for row, column in np.ndindex(8, 8):
        if (row + column) % 2 and row not in (3, 4):
            disc(image, (column + 0.5) * side, (row + 0.5) * side, 0.38 * side, LIGHT if row > 4 else DARK)
    return centred(image, INK)


def generation() -> Image:
    """A generated level."""
    task = LevelTask(vgdl.load("zelda"))
    maker = LEVEL_GENERATORS.load("constructive")(task, Timer(), seed=4)
    level = maker.generate(Size.of(18, 12), Timer(meter=task.meter, budget_calls=200_000))
    return centred(frame(task.play(level), block=8))


TRACKS: Mapping[str, Callable[[], Image]] = {
    track.__name__: track for track in (planning, othello, gamebot, arc, worldmodels, learning, tabletop, generation)
}


def in_a_row(images: Sequence[Image]) -> Image:
    """Pictures side by side, on white."""
    gap = np.full((max(map(len, images)), 16, 3), 255, np.uint8)
    parts: list[Image] = []
    for image in images:
        column = np.full((len(gap), image.shape[1], 3), 255, np.uint8)
        column[: len(image)] = image
        parts += [gap, column] if parts else [column]
    return np.concatenate(parts, 1)


def othello_stages() -> Image:
    """The public stages."""
    return in_a_row([stage_board(stage, 144 // stage.board_size) for stage in PUBLIC])


def arc_games() -> Image:
    """The starts of four bundled games as ARC games."""
    return in_a_row([arc_frame(_named(bundled(), name), 0) for name in ("aliens", "frogs", "sokoban", "zelda")])


def arc_testbed() -> Image:
    """The starts of four games of the test bed."""
    return in_a_row([arc_frame(game, 0) for game in bed_games()[:4]])


def _named(games: Sequence[ArcGame], name: str) -> ArcGame:
    """The first game with a name."""
    return next(game for game in games if game.name == name)


GAMES: Mapping[str, Callable[[], Image]] = {
    "othello": othello_stages,
    "arc": arc_games,
    "arc-testbed": arc_testbed,
}


WINDOWS: Mapping[str, Sequence[str]] = {
    "menu": (),
    "play": ("zelda", "--level", "1"),
    "editor": ("--edit", "caves_lvl0.txt"),
}
"""Pictures of the window, with the arguments of ``vgdl-play``."""


def draw_windows(folder: Path) -> None:
    """Write the pictures of the window, opened without a display."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    import pygame

    from vgdl.play import cli
    from vgdl.play.app import App

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        Path("caves.txt").write_text(vgdl.games.path("boulderdash").read_text(encoding="utf-8"), encoding="utf-8")
        level = vgdl.games.levels("boulderdash")[0].read_text(encoding="utf-8")
        Path("caves_lvl0.txt").write_text(level, encoding="utf-8")
        for name, arguments in WINDOWS.items():
            _, first = cli.plan(arguments)
            app = App("vgdl", (960, 640))
            app.push(first())
            for _ in range(40):
                app.turn(40)
            pygame.image.save(
                pygame.transform.smoothscale(pygame.display.get_surface(), (720, 480)), folder / f"{name}.png"
            )


# ----------------------------------------------------------------------------------------------------------- the pages

CONTROLLERS = ("random", "onesteplookahead", "samplemcts", "olets")
"""The controllers of the site and of the report."""

PAGES: Mapping[str, tuple[str, int]] = {"board": ("/competitions/spring", 800), "play": ("/play/aliens", 940)}
"""Pages of a site, with the heights of their pictures in pixels."""

PAGE_WIDTH, REPORT_HEIGHT, MOST_BYTES = 1200, 750, 150_000
"""Width of all pictures of pages, height of that of the report, and the maximum size of a file."""


def draw_pages(folder: Path, chromium: str) -> None:
    """Write the pictures of a competition site and of a report, whose plays are real."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        with _served(work / "site.db") as address:
            for page, (path, height) in PAGES.items():
                _screenshot(chromium, work, f"{address}{path}", folder / f"{page}.png", height)
        report = _report(work)
        _screenshot(chromium, work, report.as_uri(), folder / "report.png", REPORT_HEIGHT)


def _screenshot(chromium: str, work: Path, address: str, path: Path, height: int) -> None:
    """Write the picture of a page, in light colours."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={work / 'profile'}"]
    size = f"--window-size={PAGE_WIDTH},{height}"
    command = [chromium, *flags, size, "--virtual-time-budget=5000", f"--screenshot={path}", address]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(
            f"{path.relative_to(ROOT)} has {path.stat().st_size:,} bytes: at most {MOST_BYTES:,} are allowed"
        )


@contextlib.contextmanager
def _served(store: Path) -> Iterator[str]:
    """A site with a competition of bundled controllers, evaluated; its address."""
    from vgdl.competition.web import competitions, organising, rankings
    from vgdl.competition.web.competitions import Role, SetOfGames, Settings
    from vgdl.competition.web.database import open_database
    from vgdl.competition.web.worker import Worker

    games = SetOfGames("training", Role.TRAINING, "training", games=("aliens", "butterflies", "frogs"), levels=(0, 1))
    with open_database(str(store), create=True) as database:
        settings = Settings(sets=(games,), budget="calls:60", baselines=CONTROLLERS)
        made = competitions.create(database, "docs", "spring", "Spring 2027", settings)
        organising.open_competition(database, "docs", made)
        Worker(database, "rlimits", 1).run(wait=False)
        rankings.refresh(database, at_once=True)
    command = [sys.executable, "-P", "-m", "vgdl.competition.cli", "serve", "--store", str(store), "--port", "0"]
    with subprocess.Popen([*command, "--workers", "0"], stdout=subprocess.PIPE, text=True) as site:
        try:
            assert site.stdout is not None
            yield site.stdout.readline().removeprefix("the site is at ").split(" ")[0]
        finally:
            site.terminate()


def _report(work: Path) -> Path:
    """The first page of the report of a small competition."""
    command = [sys.executable, "-P", "-m", "vgdl.competition.cli"]
    store, site = str(work / "plays.db"), work / "report"
    what = ["--controllers", ",".join(CONTROLLERS), "--games", "aliens,butterflies,frogs", "--levels", "0-1"]
    how = ["--budget", "calls:60", "--seed", "1", "--isolation", "rlimits", "--store", store, "--quiet"]
    subprocess.run([*command, *what, *how], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([*command, "report", store, "--out", str(site)], check=True, stdout=subprocess.DEVNULL)
    return site / "index.html"


def main(arguments: Sequence[str]) -> int:
    """Write or check the pictures; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if a picture is not up to date"
    )
    parser.add_argument("--windows", action="store_true", help="write the pictures of the window instead")
    parser.add_argument(
        "--pages", action="store_true", help="write the pictures of a site and of a report instead; needs Chromium"
    )
    chosen = parser.parse_args(arguments)
    if chosen.windows:
        draw_windows(IMAGES / "window")
        return 0
    if chosen.pages:
        chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        if chromium is None:
            parser.error("--pages needs Chromium: there is no chromium, chromium-browser or google-chrome on the PATH")
        draw_pages(IMAGES / "pages", chromium)
        return 0
    stale = []
    drawn = [(f"tracks/{name}.png", draw) for name, draw in TRACKS.items()]
    for place, draw in [*drawn, *((f"games/{name}.png", draw) for name, draw in GAMES.items())]:
        path, content = IMAGES / place, png.encode(draw())
        if not path.is_file() or path.read_bytes() != content:
            stale.append(path)
            if not chosen.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    for path in stale:
        print(f"{path.relative_to(ROOT)}: {'not up to date' if chosen.check else 'written'}")
    return 1 if chosen.check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
