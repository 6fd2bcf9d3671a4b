"""The text side of a world: generic words for any Gymnasium space, which a world may override.

Every world speaks tensors and words (OpenSpiel's observation strings and action strings, taken to
every space): :class:`SpaceWords` derives ``rules``, ``describe``, ``action_schema``, ``parse`` and
``format`` from a seat's spaces, so a world need only name its actions (``action_labels``) to be
playable in plain speech. All are functions of (seat, observation, info) and the parameters alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .space_parsing import parse_space
from .space_words import describe_space, format_space, schema_space

if TYPE_CHECKING:
    from gymposium.types import Action, Image, Space

__all__ = ["SpaceWords", "describe_space", "format_space", "parse_space", "schema_space"]


class SpaceWords:
    """Words for worlds whose seats have Gymnasium spaces; a mixin of ``RuleWorld``.

    A world sets ``_observation_spaces`` and ``_action_spaces`` (by seat) and overrides what it can
    say better. Where there is an action mask, it is expected in ``info["action_mask"]`` too.
    """

    _observation_spaces: Mapping[str, Space]
    _action_spaces: Mapping[str, Space]

    def action_labels(self, seat: str) -> Any:
        """Names of the seat's actions, mirroring its action space; None leaves them numbers.

        A sequence of distinct names for Discrete; for MultiDiscrete and Tuple a sequence of those,
        for Dict a mapping from key.
        """
        return None

    def rules(self, seat: str) -> str:
        """All that a newcomer in ``seat`` must know to play: the class docstring and how to answer.

        Worlds whose parameters change the rules override this.
        """
        doc = inspect.cleandoc(type(self).__doc__ or "")
        return f"{doc}\n\nYou are {seat}. {self.how_to_answer(seat)}".strip()

    def how_to_answer(self, seat: str) -> str:
        """One sentence on the form of a legal answer, for use in rules."""
        space, labels = self._action_spaces[seat], self.action_labels(seat)
        schema = schema_space(space, labels)
        if "enum" in schema:
            return f"Answer with exactly one of: {', '.join(map(str, schema['enum']))}."
        if schema.get("type") == "integer":
            return f"Answer with a whole number from {schema['minimum']} to {schema['maximum']}."
        if schema.get("type") == "string":
            return f"Answer with a text of at most {schema['maxLength']} characters."
        if schema.get("type") == "object":
            return f"Answer with a JSON object with the keys {', '.join(schema['properties'])}."
        return "Answer with JSON."

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The observation as ``seat`` would be told it."""
        return describe_space(self._observation_spaces[seat], observation)

    def images(self, seat: str, observation: Any, info: Mapping[str, Any]) -> tuple[Image, ...]:
        """The observation as pictures; none, unless a world has some."""
        return ()

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """JSON Schema of the text actions that are legal now."""
        return schema_space(
            self._action_spaces[seat], self.action_labels(seat), info.get("action_mask")
        )

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The action that ``text`` means; raises IllegalAction with a sentence that helps."""
        return parse_space(
            self._action_spaces[seat], text, self.action_labels(seat), info.get("action_mask")
        )

    def format(self, seat: str, action: Action) -> str:
        """``action`` in words, such that ``parse`` gives it back."""
        return format_space(self._action_spaces[seat], action, self.action_labels(seat))
