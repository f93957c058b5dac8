"""The stub of the memory layout is what its generator writes, and describes the compiled module."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from vgdl.core.data import layout

PROJECT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(not (PROJECT / ".ci" / "layout_stub.py").is_file(), reason="needs a checkout")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("layout_stub", PROJECT / ".ci" / "layout_stub.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stub_is_up_to_date(generator: ModuleType) -> None:
    text = generator.STUB.read_text(encoding="utf-8")
    assert text == generator.generated(), "run: python .ci/layout_stub.py"


def test_the_stub_has_the_numbers_of_the_compiled_module(generator: ModuleType) -> None:
    body = ast.parse(generator.generated()).body
    enums = {node.name: node.body[1:] for node in body if isinstance(node, ast.ClassDef)}
    assert {"Action", "EffectOp", "Winner"} <= set(enums)
    for name, members in enums.items():
        declared = {member.targets[0].id: ast.literal_eval(member.value) for member in members}  # type: ignore[attr-defined]
        compiled = {member.name: int(member) for member in getattr(layout, name)}
        assert declared == compiled, name


@pytest.mark.parametrize(
    ("header", "module", "said"),
    [
        ("cpdef enum Odd:\n    \"\"\"Odd.\"\"\"\n    ONE, TWO\n", "", "'ONE, TWO' is not understood"),
        ("cpdef enum Odd:\n    ONE\n", "", "has no docstring"),
        ("", "LIMIT = compute()\n", "its type is not known"),
    ],
)  # fmt: skip
def test_what_the_generator_does_not_understand_is_an_error(
    generator: ModuleType, header: str, module: str, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        generator.stub(header, module)
