"""Every effect has a test named after it (effects, 14)."""

import re
from pathlib import Path

from vgdl.ontology.effects import EFFECTS

HERE = Path(__file__).parent


def test_every_effect_has_a_test_named_after_it() -> None:
    """``test_<effect>`` or ``test_<effect>_...`` exists in this folder for each of the 58."""
    tests = " ".join(re.findall(r"def (test_\w+)", "\n".join(path.read_text() for path in HERE.glob("test_*.py"))))
    names = [effect.name for effect in EFFECTS if effect.name not in ("Effect", "TimeEffect")]
    untested = [name for name in names if not re.search(rf"\btest_{name}(_|\b)", tests)]
    assert len(names) == 58
    assert untested == []
