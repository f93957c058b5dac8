"""Names that people choose, for accounts and entries: readable, and not to be mistaken for those of others."""

from __future__ import annotations

import unicodedata

_INVISIBLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFFD, 0xFFFD), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Characters without a shape: Default_Ignorable_Code_Point of Unicode, blank ones, and the mark of invalid UTF-8."""

_LOOKALIKES = str.maketrans(
    {
        "а": "a", "в": "b", "е": "e", "і": "i", "ј": "j", "к": "k", "м": "m", "н": "h", "о": "o", "р": "p", "с": "c",
        "ѕ": "s", "т": "t", "у": "y", "х": "x", "һ": "h", "ԁ": "d", "ԛ": "q", "ԝ": "w",
        "α": "a", "β": "b", "ε": "e", "η": "n", "ι": "i", "κ": "k", "μ": "m", "ν": "v", "ο": "o", "ρ": "p", "τ": "t",
        "υ": "y", "χ": "x", "ω": "w", "ı": "i", "ł": "i", "l": "i", "1": "i", "0": "o",
    }
)  # fmt: skip
"""Letters and digits, after case folding, by the Latin letters that they look like."""

MOST_MARKS = 2
"""Maximum number of marks on one letter."""


def normal(name: str) -> str:
    """A name as it is stored: Unicode NFKC, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).split())


def is_readable(name: str) -> bool:
    """Whether a name has a letter or digit, nothing invisible, and no piles of marks."""
    if not name.isprintable() or not any(letter.isalnum() for letter in name):
        return False
    marks = 0
    for letter in name:
        if any(low <= ord(letter) <= high for low, high in _INVISIBLE):
            return False
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks > MOST_MARKS:
            return False
    return True


def outline(name: str) -> str:
    """What a name looks like; two names with the same outline can be mistaken for each other."""
    folded = unicodedata.normalize("NFKD", normal(name).casefold())
    plain = "".join(letter for letter in folded if letter.isalnum())
    return plain.translate(_LOOKALIKES).replace("rn", "m")
