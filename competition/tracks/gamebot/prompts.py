"""The prompts: rules and questions, fixed per game, player and variant, and identified by a hash of their text."""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any

from vgdl.competition.chat.model import ChatError
from vgdl.competition.tracks.gamebot.task import Task
from vgdl.extras import needs


class Variant(enum.StrEnum):
    """The extent of a prompt."""

    GUIDED = "guided"  #: everything, with strategy and questions
    PLAIN = "plain"  #: rules and formats, and the advice to think step by step; no questions
    BARE = "bare"  #: rules and formats


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt without the position."""

    text: str

    @property
    def version(self) -> str:
        """Hexadecimal digits that change with the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def with_position(self, position: str) -> str:
        """The message to the model."""
        return f"{self.text}\n\n## The position\n{position}\n"


@cache
def _environment() -> Any:
    try:
        import jinja2
    except ImportError:
        raise ChatError(needs("GAMEBoT", "Jinja2", "llm")) from None
    return jinja2.Environment(
        loader=jinja2.PackageLoader("vgdl.competition.tracks.gamebot", "prompts"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # plain text
        trim_blocks=True,
        lstrip_blocks=True,
    )


def prompt(task: Task, player: int, variant: Variant = Variant.GUIDED) -> Prompt:
    """The prompt of a game for a player.

    Raises:
        ChatError: Jinja2 is missing.
    """
    template = _environment().get_template(f"{task.name}.j2")
    text = template.render(
        title=task.title, seat=task.seats[player], player=player, variant=variant.value, **task.prompt_facts()
    )
    lines = [line.rstrip() for line in text.splitlines()]
    kept = [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]
    return Prompt("\n".join(kept).strip())
