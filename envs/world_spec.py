"""What is known of a world without importing it."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gymposium.errors import GymposiumError, UsageError

from .own_module import guest_prefix, import_failure, module_at

if TYPE_CHECKING:
    from .world import RuleWorld

_ID = re.compile(r"(?P<name>[a-z][a-z0-9_]*)-v(?P<version>\d+)")


@dataclass(frozen=True)
class WorldSpec:
    """What is known of a world without importing it.

    Attributes:
        id: ``snake_case-vN``; of other people's worlds ``PREFIX:…``, of a user's own its entry
            point.
        entry_point: ``module:Class`` or ``file.py:Class``; the class takes the world's parameters
            as keywords.
        summary: one line.
        seats: fewest and most seats.
        kind: ``zero_sum``, ``mixed``, ``cooperative`` or ``by parameters``.
        turn_based: at most one seat acts at a time.
        extras: extras of this package that must be installed.
        tags: words to find it by.
        since: the release that brought this version.
        deterministic: for some parameters the seed does not matter.
        presets: named parameter sets.
    """

    id: str
    entry_point: str
    summary: str
    seats: tuple[int, int]
    kind: str
    turn_based: bool
    extras: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: str = "0.1"
    deterministic: bool = False
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if ":" not in self.id and not _ID.fullmatch(self.id):
            raise UsageError(f"world id {self.id!r} must look like 'snake_case-v0'")
        module, _, name = self.entry_point.partition(":")
        if not module or not name:
            raise UsageError(
                f"{self.id}: entry point {self.entry_point!r} must look like 'module:Class'"
            )

    @property
    def name(self) -> str:
        """The id without its version."""
        return self.id.rpartition("-v")[0]

    @property
    def version(self) -> int:
        """The number after ``-v``."""
        return int(self.id.rpartition("-v")[2])

    @property
    def camel(self) -> str:
        """The id in Gymnasium's spelling: ``IteratedMatrix-v0``."""
        words = "".join(word[:1].upper() + word[1:] for word in self.name.split("_"))
        return f"{words}-v{self.version}"

    @property
    def foreign(self) -> bool:
        """Whether it is another library's, to which an adapter opens the door."""
        return ":" in self.id and self.id != self.entry_point

    def load(self) -> type[RuleWorld]:
        """Import the world's class.

        Raises:
            UsageError: the module or the class does not exist, or cannot be imported.
        """
        place, _, name = self.entry_point.rpartition(":")
        where = f"world {self.id!r} cannot be loaded from {self.entry_point!r}"
        try:
            module = module_at(place)
        except GymposiumError:
            raise
        except (Exception, SystemExit) as error:  # the plug-in boundary
            raise UsageError(f"{where}: {import_failure(error)}") from error
        found: Any = getattr(module, name, None)
        if found is None:
            classes = ", ".join(it for it, value in vars(module).items() if isinstance(value, type))
            raise UsageError(f"{where}: {place} has no {name!r}; its classes: {classes:.300}")
        prefix = guest_prefix(found) if isinstance(found, type) else ""
        if prefix:
            raise UsageError(
                f"{where}: it is an environment of {prefix}; name it {prefix}:{self.entry_point}"
            )
        if self.foreign:  # an adapter is told which of the other library's worlds it is to be
            found = functools.partial(found, self.id.partition(":")[2])
        made: type[RuleWorld] = found
        return made
