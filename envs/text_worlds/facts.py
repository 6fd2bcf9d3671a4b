"""The facts a text world is made of: people, places, the hour, who is in a scene, what is asked.

Typed, so that rules can be written about them; what seats are told in words is made from these. The
vocabulary (scenes, calls to action, answers of two kinds) is that of Concordia (Vezhnevets et al.,
"Generative agent-based modeling with actions grounded in physical, social, or digital space using
Concordia", 2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from gymposium.errors import UsageError


@dataclass
class Person:
    """Somebody in the story, with or without a seat.

    Attributes:
        id: the seat's id, or what the rules call somebody who has none.
        name: what the others call them; drawn for each match.
        role: what they are in the world: ``elder``, ``boss``, …
        knows: what they alone have before their eyes at every turn.
        owns: their inventory, by what and how much.
    """

    id: str
    name: str
    role: str
    knows: str = ""
    owns: dict[str, float] = field(default_factory=dict)


@dataclass
class Place:
    """Somewhere that people can be."""

    name: str
    open: bool = True


@dataclass
class Clock:
    """When it is: ``Day 2, evening``."""

    unit: str = "Day"
    count: int = 1
    hour: str = ""

    def __str__(self) -> str:
        return f"{self.unit} {self.count}" + (f", {self.hour}" if self.hour else "")


@dataclass(frozen=True)
class Bonds:
    """Relationships between people, as pairs of ids."""

    friends: frozenset[frozenset[str]]

    def between(self, one: str, other: str) -> bool:
        """Whether the two are friends; everybody is their own."""
        return one == other or frozenset((one, other)) in self.friends

    def of(self, one: str, people: Mapping[str, Person]) -> list[Person]:
        """The friends of one, in the order of ``people``."""
        return [them for id, them in people.items() if id != one and self.between(one, id)]


@dataclass(frozen=True)
class Scene:
    """Who is together where, and hears what is said.

    Attributes:
        title: what happens, in a few words.
        present: ids of the people in it.
    """

    title: str
    present: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """What one person is asked.

    Attributes:
        call: the call to action; ``{name}`` stands for whom it is put to.
        options: what can be chosen, all different, a line each; empty asks for free speech.
        otherwise: index of the option that stands for a missing answer; None has one drawn.

    Raises:
        UsageError: the options are not so.
    """

    call: str
    options: tuple[str, ...] = ()
    otherwise: int | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len({*self.options}) < len(self.options) or any(
            not isinstance(it, str) or len(it.splitlines()) != 1 for it in self.options
        ):
            raise UsageError(
                f"{self.call!r:.80}: options must be different texts of one line each, "
                f"got {list(self.options)!r:.200}"
            )

    def to(self, name: str) -> str:
        """The call, by name."""
        return self.call.replace("{name}", name)


@dataclass(frozen=True)
class Speech:
    """Something said in a scene: by whom, to whom, and when (questions answered before)."""

    speaker: str
    hearers: tuple[str, ...]
    text: str
    moment: int


@cache
def words_of(name: str) -> tuple[str, ...]:
    """The lines of one of the word lists that names are drawn from."""
    file = resources.files(__package__).joinpath("lists", f"{name}.txt")
    return tuple(file.read_text(encoding="utf-8").split("\n")[:-1])
