"""Sine, cosine and arc tangent of the reference's virtual machine, bit for bit (sprites, 13.19), without the C library."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import vgdl.core
from semantics.harness import game, level, play
from vgdl import Action
from vgdl.core.rules.trigonometry import values

N = 1_000_000
Floats = NDArray[np.float64]

#: results of the reference's virtual machine (OpenJDK 17): each one differs from that of a common C library
RECORDED = [
    ("sine", (-3.6444951978314677,), 0.48197073771731985),
    ("sine", (5.122741492368114,), -0.9169802512718256),
    ("sine", (-12.146616403333319,), 0.40753601355102975),
    ("cosine", (2.57251973251309,), -0.8424008947927889),
    ("cosine", (14.337721649728401,), -0.1992129515358901),
    ("cosine", (-11.951840044014105,), 0.8170441983370899),
    ("arc_tangent", (0.9987502603949663, -0.04997916927067833), 1.6207963267948968),
    ("arc_tangent", (-1.0, -1e-17), -1.5707963267948968),
    ("arc_tangent", (3.0, -2.0), 2.1587989303424644),
    ("arc_tangent", (1e300, -1.0), 1.5707963267948968),
]

#: BLAKE2b of its results for all `arguments`
DIGESTS = {"sine": "ffbf667c95619b45", "cosine": "f53a92c1e44d5765", "arc_tangent": "7b4b534786d49db0"}


MATHEMATICS = {
    "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "cosh", "exp", "exp2", "expm1", "fabs", "floor", "fma",
    "fmod", "frexp", "hypot", "ldexp", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint",
    "lround", "modf", "nearbyint", "pow", "remainder", "rint", "round", "scalbn", "sin", "sincos", "sinh", "sqrt",
    "tan", "tanh", "tgamma", "trunc",
}  # fmt: skip


def spread(n: int, salt: int) -> Floats:
    """Numbers from 0 to 1 that are the same on every machine."""
    mixed = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(salt)
    mixed ^= mixed >> np.uint64(31)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def arguments(function: str) -> tuple[Floats, Floats | None]:
    """A million arguments: near 0 and far from it, of very different sizes for two."""
    if function == "arc_tangent":
        ys, xs = (spread(N, 3) - 0.5) * 8.0, (spread(N, 4) - 0.5) * 8.0
        ys[::3] *= 2.0**-20
        xs[::5] *= 2.0**-40
        return ys, xs
    angles = (spread(N, 1) - 0.5) * 180_000.0
    angles[: N // 2] = (spread(N // 2, 2) - 0.5) * 32.0
    return angles, None


def value(function: str, *numbers: float) -> float:
    return float(values(function, *(np.array([number]) for number in numbers))[0])  # type: ignore[arg-type]


@pytest.mark.parametrize(("function", "numbers", "result"), RECORDED)
def test_recorded_results(function: str, numbers: tuple[float, ...], result: float) -> None:
    assert value(function, *numbers) == result


@pytest.mark.parametrize("function", DIGESTS)
def test_a_million_recorded_results(function: str) -> None:
    results = values(function, *arguments(function))  # type: ignore[arg-type]
    assert hashlib.blake2b(results.astype("<f8").tobytes(), digest_size=8).hexdigest() == DIGESTS[function]


def test_large_angles_are_reduced_exactly() -> None:
    """The double nearest to a multiple of pi/2, and the largest one: from a computation with 1,200 bits."""
    assert value("cosine", 6381956970095103.0 * 2.0**797) == pytest.approx(-4.68716592425462761112e-19, rel=1e-15)
    assert value("sine", 1.7976931348623157e308) == pytest.approx(0.004961954789184062, rel=1e-15)
    angles = spread(100_000, 5) * 1e7
    assert np.abs(values("sine", angles) ** 2 + values("cosine", angles) ** 2 - 1).max() < 1e-15


@pytest.mark.parametrize("y", [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf])
@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf])
def test_arc_tangent_on_the_axes_and_diagonals(y: float, x: float) -> None:
    """As IEEE 754 and the reference define them, signs of zero included."""
    assert np.array([value("arc_tangent", y, x)]).tobytes() == np.arctan2([y], [x]).tobytes()


def test_what_is_no_number_has_no_angle() -> None:
    for function in ("sine", "cosine"):
        assert np.isnan([value(function, number) for number in (np.nan, np.inf, -np.inf)]).all()
    assert np.isnan([value("arc_tangent", np.nan, 1.0), value("arc_tangent", 1.0, np.nan)]).all()
    assert np.signbit(value("sine", -0.0))


def test_modulus_is_exact() -> None:
    dividends = (spread(10_000, 6) - 0.5) * 2.0 ** np.arange(-40, 960, 0.1)[:10_000]
    divisors = np.full(10_000, 6.283185307179586)
    assert (values("modulus", dividends, divisors) == np.fmod(dividends, divisors)).all()
    assert np.isnan(value("modulus", np.inf, 2.0))


def test_an_aimed_avatar_turns_by_the_last_bits_of_its_thrust() -> None:
    """With continuous physics, a press of DOWN is a push that its own thrust takes back, but for rounding."""
    rules = game("avatar > AimedAvatar stype=shot physicstype=CONT angle_diff=0.05\nshot > Missile")
    avatar = play(rules, level("....", ".A..", "...."), actions=[Action.DOWN]).avatar
    assert avatar.orientation == (0.9785497849867489, 0.2060104810498419)
    assert avatar.speed == 5.389157964038493e-16


def test_the_engine_calls_no_function_of_the_mathematical_library() -> None:
    """Square roots and absolute values are instructions, exact on every machine."""
    listing = shutil.which("nm")
    objects = sorted(Path(vgdl.core.__file__).parent.rglob("*.so"))
    if listing is None or not objects:
        pytest.skip("needs nm, and objects in ELF")
    mathematics = MATHEMATICS | {f"{name}f" for name in MATHEMATICS}
    for path in objects:
        lines = subprocess.run(
            [listing, "-D", "--undefined-only", path], capture_output=True, text=True, check=True
        ).stdout
        called = {line.split()[-1].partition("@")[0] for line in lines.splitlines()}
        assert not called & mathematics, path.name
