"""The notation of answers: everything that models write around a payload or a move is removed or unified.

Thinking blocks, Markdown, LaTeX, HTML, full-width characters, and odd arrows, dashes and quotes are decoration.
"""

from __future__ import annotations

import html
import re
import unicodedata

MAX_TEXT = 200_000
"""Maximum number of characters read of an answer, counted from its end, where the decision is."""

_THINKING = r"(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad)"
_THOUGHTS = re.compile(rf"\A.*</{_THINKING}>", re.DOTALL)  # up to the last end of a thinking block
_BLOCK = re.compile(rf"<{_THINKING}>.*?</{_THINKING}>", re.DOTALL)
_UNOPENED = re.compile(rf"\A.*?</{_THINKING}>", re.DOTALL)
_UNCLOSED = re.compile(rf"<{_THINKING}>.*", re.DOTALL)
_BRACKETED_THOUGHTS = (("[think]", "[/think]"), ("◁think▷", "◁/think▷"), ("<|begin_of_thought|>", "<|end_of_thought|>"))
_CHANNEL = "<|channel|>final<|message|>"

_ARROWS = re.compile(r"[→⇒↦➔➜➝➞➡⟶⟹⟼►]|[-=–—−]{1,3}>|\\(?:long)?(?:to|rightarrow|mapsto)(?![a-z])")
_FENCES = re.compile(r"^[ \t]*(?:```|~~~)\w*[ \t]*$", re.MULTILINE)
_STRUCK = re.compile(r"~~[^~\n]{0,200}~~")
_TAGS = re.compile(r"</?(?:b|i|u|em|strong|code|pre|p|span|mark|sub|sup|kbd|div|ul|ol|li|h[1-6]|answer)>")
_BREAKS = re.compile(r"<br\s*/?>")
_WRAPPERS = re.compile(
    r"\\(?:text(?:bf|it|tt|rm|sf)?|boxed|fbox|math(?:bf|rm|it|tt|sf|bb|cal)|operatorname|emph|underline|bm|boldsymbol)"
    r"\s*\{([^{}]*)\}"
)
_FRACTIONS = re.compile(r"\\[dt]?frac\s*\{\s*(-?[\d.]+)\s*\}\s*\{\s*([\d.]+)\s*\}")
_ESCAPED_PAIR = re.compile(r"\\\(\s*([^()\\\n]{1,12}?,[^()\\\n]{1,12}?)\s*\\\)(?!\s*->)")
_EMPTY_SETS = re.compile(r"\\(?:emptyset|varnothing)(?![a-z])|[∅⌀]")
_SPACES = re.compile(r"\\(?:[,;:! ]|q?quad(?![a-z])|\\|hspace\{[^{}]*\}|displaystyle(?![a-z]))|(?<=\d)~(?=\S)")
_SIZES = re.compile(r"\\(?:left|right|big[lr]?|bigg[lr]?)(?=[\s()\[\]{}\\|.])")
_APPROXIMATE = re.compile(r"\\approx(?![a-z])")
_TIMES = re.compile(r"\\(?:times|cdot)(?![a-z])")
_ESCAPES = re.compile(r"\\([%#&_{}\[\]()$*\-.>])")
_EMPHASIS = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_DELETED = re.compile(r"[*`$\"“”„«»\u200b-\u200f\u2060\ufeff\ufe0e\ufe0f]")
_CHARACTERS = str.maketrans(
    {"【": "[", "】": "]", "「": "[", "」": "]", "〔": "[", "〕": "]", "『": "[", "』": "]", "〖": "[", "〗": "]",
     "⟨": "(", "⟩": ")", "‘": "'", "’": "'", "ʼ": "'", "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-",
     "∧": ",", "、": ",", "。": ".", "✓": " ", "✔": " ", "✅": " "}
)  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f\u2028\u2029]")
_BLANKS = re.compile(r"[^\S\n]+")


def normalised(text: str) -> str:
    """A text in lower case without thoughts and decoration; its lines are kept."""
    text = text[-MAX_TEXT:].replace("\r\n", "\n").replace("\r", "\n")
    text = _without_thoughts(text.lower())
    text = _STRUCK.sub(" ", _FENCES.sub("", text))
    text = _BREAKS.sub("\n", _TAGS.sub("", html.unescape(text)))
    text = _ARROWS.sub("->", text).translate(_CHARACTERS)  # arrows first: in NFKC, some are no longer whole
    text = unicodedata.normalize("NFKC", text).lower().translate(_CHARACTERS)
    if "\\" in text:
        text = _without_latex(text)
    text = _EMPHASIS.sub(" ", _DELETED.sub("", _EMPTY_SETS.sub(" none ", text)))
    return _BLANKS.sub(" ", _CONTROL.sub(" ", text))


def _without_thoughts(text: str) -> str:
    """Without blocks of thinking, closed or not: what is in an unclosed one is no answer."""
    *_, text = text.rpartition(_CHANNEL)
    for opening, closing in _BRACKETED_THOUGHTS:
        text = text.replace(opening, "<think>").replace(closing, "</think>")
    if thoughts := _THOUGHTS.match(text):  # only there: the time for blocks that never end would be quadratic
        text = _UNOPENED.sub(" ", _BLOCK.sub(" ", thoughts[0])) + text[thoughts.end() :]
    return _UNCLOSED.sub(" ", text)


def _without_latex(text: str) -> str:
    for _ in range(4):  # nested wrappers
        text = _WRAPPERS.sub(r"\1", text)
    text = _SIZES.sub("", _FRACTIONS.sub(r"\1/\2", text))
    text = _EMPTY_SETS.sub(" none ", _APPROXIMATE.sub("≈", _TIMES.sub("*", text)))
    text = _SPACES.sub(" ", _ESCAPED_PAIR.sub(_pair, text))
    text = re.sub(r"\\[\[\](]|\\\)", " ", text)  # the delimiters of formulas
    return _ESCAPES.sub(r"\1", text)


def _pair(match: re.Match[str]) -> str:
    r"""``\(2,2\)`` is a pair with escaped brackets, or a formula that lost its own: a pair in both cases."""
    inner = match[1].strip()
    return f"({inner})" if re.fullmatch(r"[a-h\d]\s*,\s*\d", inner) else f" {inner} "
