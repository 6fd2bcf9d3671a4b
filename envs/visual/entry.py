"""A value in a stranger's file that knows where it stands, so that refusals can name the place."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """A value of JSON and where it was found.

    Every method raises ValueError with a sentence that names the place.

    Attributes:
        value: the value.
        place: its path in the file, such as ``agentPose.position.x``.
    """

    value: Any
    place: str = ""

    def part(self, name: str) -> Entry:
        """The entry ``name`` of an object."""
        if not isinstance(self.value, Mapping):
            raise ValueError(f"{self._called} must be an object with {name!r}, not {self.shown}")
        if name not in self.value:
            raise ValueError(f"{self._inside(name)} is missing")
        return Entry(self.value[name], self._inside(name))

    def parts(self, most: int) -> list[Entry]:
        """The entries of a list of up to ``most``."""
        if not isinstance(self.value, list):
            raise ValueError(f"{self._called} must be a list, not {self.shown}")
        if len(self.value) > most:
            raise ValueError(f"{self._called} has {len(self.value)} entries, more than {most}")
        return [Entry(it, f"{self.place}[{index}]") for index, it in enumerate(self.value)]

    def number(self, most: float) -> float:
        """A number within ``±most``."""
        value = self.value
        right = isinstance(value, int | float) and not isinstance(value, bool)
        if not right or not abs(value) <= most or math.isnan(value):
            raise ValueError(f"{self._called} must be a number within ±{most:g}, not {self.shown}")
        return float(value)

    def text(self) -> str:
        """Text that is not blank."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise ValueError(f"{self._called} must be text, not {self.shown}")
        return self.value

    @property
    def _called(self) -> str:
        return self.place or "it"

    @property
    def shown(self) -> str:
        """The value in a message."""
        return f"{json.dumps(self.value):.40}"  # as the file has it

    def _inside(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name
