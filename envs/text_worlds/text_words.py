"""Text worlds in words: what a seat is told and how its answer is read.

An answer to a call for speech is taken as it stands, cut to what can be said: JSON, orders to the
game master or other people's names in it are talk like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gymnasium import spaces

from gymposium.errors import IllegalAction

from ..markets.money import object_in, speakable
from ..space_parsing import build, parse_space
from ..speech import clean, integers
from ..words import SpaceWords

if TYPE_CHECKING:
    from gymposium.types import Action

NOTHING_ASKED, SPEAK, CHOOSE = range(3)
MAX_NEWS = 4_000
_NUMBER = re.compile(r"\d+")


class TextWords(SpaceWords):
    """The text side of ``TextWorld``."""

    params: Any

    def _about(self, seat: str) -> str:
        """The rules of the game in words, for one seat."""
        raise NotImplementedError

    def rules(self, seat: str) -> str:
        """The game in words, and how to answer."""
        letters = self.params.letters
        # The seat's own name comes last: so do all seats' prompts begin alike, for prefix caches.
        return (
            f"{self._about(seat)}\n"
            "Nothing that is said binds anybody, and only choices are paid. When you are asked to "
            f"speak, answer with what you say, at most {letters} characters; when you are asked to "
            "choose, answer with exactly one of the options.\n"
            f"In the list of seats you are {seat}; in the story you have another name."
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """Scene, what one knows, what is new, and what is asked."""
        parts = [observation["scene"], observation["knows"], observation["news"]]
        parts.append(observation["call"] or "Nothing is asked of you now.")
        if observation["options"]:
            parts.append("Options: " + "; ".join(observation["options"].split("\n")))
        return "\n".join(part for part in parts if part)

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Exactly the options, or a text of limited length."""
        if observation["ask"] == CHOOSE:
            return {"type": "string", "enum": observation["options"].split("\n")}
        return {"type": "string", "maxLength": self.params.letters}

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The option that ``text`` means, or ``text`` as what is said."""
        if not isinstance(text, str):
            raise IllegalAction(f"an answer must be text; got {type(text).__name__}")
        given = object_in(text)
        if given is not None and not (given and set(given) <= {"say", "choose"}):
            given = None  # JSON that is no answer of ours is what is said
        if observation["ask"] == CHOOSE:
            options = observation["options"].split("\n")
            meant = given.get("choose", "") if given else text
            return {"say": "", "choose": _option(options, meant)}
        said = given.get("say", "") if given else _unquoted(text)
        return {"say": speakable(str(said), self.params.letters), "choose": 0}

    def format(self, seat: str, action: Action) -> str:
        """An object, since what is said may be any text."""
        said, chosen = action["say"], int(action["choose"])
        if said or chosen:
            return json.dumps({"say": said} if said else {"choose": chosen})
        return '{"say": "", "choose": 0}'  # silence, or the first option


def counted(number: int, noun: str) -> str:
    """``1 coin``, ``2 coins``."""
    return f"{number} {noun}{'s' * (number != 1)}"


def latest(news: Sequence[str]) -> str:
    """The news in lines, the oldest left out where there are too many."""
    kept: list[str] = []
    room = MAX_NEWS - 40
    for line in reversed(news):
        room -= len(line) + 1
        if room < 0:
            kept.append("(Much else has happened.)")
            break
        kept.append(line)
    return "\n".join(reversed(kept))


def _unquoted(text: str) -> str:
    """What a JSON string says, or the text as it is."""
    if text[:1] == '"' == text[-1:] and len(text) > 1:
        try:
            return str(json.loads(text))
        except ValueError:
            return text
    return text


def _option(options: Sequence[str], meant: Any) -> int:
    """Which option is meant, by name, by number of the list, or by the one number in its name."""
    space = spaces.Discrete(len(options))
    if isinstance(meant, int) and not isinstance(meant, bool):
        return int(build(space, meant))
    if not isinstance(meant, str):
        raise IllegalAction(f"{meant!r:.80} is none of: {'; '.join(options)}")
    try:
        return int(parse_space(space, meant, tuple(options)))
    except IllegalAction:
        amounts = {
            int(found[0]): at for at, it in enumerate(options) if (found := _NUMBER.findall(it))
        }
        named = set(integers(clean(meant)))
        if len(amounts) == len(options) and len(named) == 1 and (it := named.pop()) in amounts:
            return amounts[it]
        raise
