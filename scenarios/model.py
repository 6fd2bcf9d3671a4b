"""A scenario: an experiment as data, written in YAML and read into these pydantic models.

It names worlds with their parameters, who plays (focal agents, which are rated, and background
agents, which are there to be met: Melting Pot's distinction), how they meet, and with which
seeds and limits. It holds no behaviour: agent specs and world ids stay text here, and are resolved
when a run begins. ``load.py`` reads and writes the files and words the errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

Role: TypeAlias = Literal["focal", "background", "judge"]
ScheduleKind: TypeAlias = Literal[
    "round_robin", "pairs", "self_play", "focal_x_background", "swiss"
]

MAX_SEED = 2**53 - 1
"""Seeds stay exact in JSON, SQLite, data frames and browsers."""

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f]+$")]


SpecText: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=1000, pattern=r"^[^\x00-\x1f]+$")
]


class Refusal(ValueError):
    """A rule between fields is broken; ``place`` is the field to point at."""

    def __init__(self, place: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.place = place


class Part(BaseModel):
    """Base of all parts of a scenario: immutable, and no unknown field passes."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _plain(value: JsonValue, place: str = "") -> None:
    """Refuse what JSON cannot carry; parameters enter match keys as JSON."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{place or 'the value'} is {value}; use a finite number or null")
    if isinstance(value, dict):
        for key, item in value.items():
            _plain(item, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _plain(item, f"{place}[{index}]")


class AgentEntry(Part):
    """One agent: a spec string, or a mapping when there is more to say."""

    spec: SpecText = Field(
        description="random, scripted:NAME, llm:MODEL, FILE.py:ATTR, package.module:ATTR, or a "
        "name that an installed package provides; ?key=value sets parameters"
    )
    name: Name | None = Field(default=None, description="what tables show; default: from the spec")
    params: dict[str, JsonValue] = Field(
        default={}, description="parameters, as after ? in the spec"
    )
    trusted: bool = Field(
        default=False,
        description="run this agent's code in our own process instead of a child process",
    )

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return {"spec": value} if isinstance(value, str) else value

    @model_serializer(mode="wrap")
    def _to_text(self, handler: SerializerFunctionWrapHandler) -> Any:
        if self.name is None and not self.params and not self.trusted:
            return self.spec
        return handler(self)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: GetJsonSchemaHandler) -> Any:
        schema = handler.resolve_ref_schema(handler(core_schema))
        mapping = dict(schema)
        schema.clear()
        schema.update(
            title="AgentEntry",
            anyOf=[{"type": "string", "minLength": 1}, mapping],
        )
        return schema

    @field_validator("params")
    @classmethod
    def _json_params(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        _plain(value)
        return value

    @property
    def label(self) -> str:
        """The name if there is one, else the spec."""
        return self.name or self.spec

    def as_spec(self) -> str | dict[str, Any]:
        """What ``agents.registry.resolve`` takes: the bare spec, or a mapping."""
        if self.name is None and not self.params and not self.trusted:
            return self.spec
        full: dict[str, Any] = {"spec": self.spec, "trusted": self.trusted}
        if self.name is not None:
            full["name"] = self.name
        if self.params:
            full["params"] = dict(self.params)
        return full


AgentEntries: TypeAlias = Annotated[tuple[AgentEntry, ...], BeforeValidator(_as_tuple)]


class Bounds(Part):
    """Between which returns those of a cell lie, for figures that can be compared over cells."""

    low: float = Field(
        allow_inf_nan=False, description="focal per-capita return of a random agent: shown as 0"
    )
    high: float = Field(
        allow_inf_nan=False, description="that of an exploiter, or a bound: shown as 1"
    )
    how: str = Field(min_length=10, description="how they were measured or computed")

    @model_validator(mode="after")
    def _in_order(self) -> Bounds:
        if not self.low < self.high:
            raise Refusal(("high",), f"high ({self.high:g}) must be above low ({self.low:g})")
        return self


class WorldEntry(Part):
    """One world with its parameters: a *cell*, within which agents are compared."""

    id: SpecText = Field(description="a world id, e.g. iterated_matrix-v0; `gymposium list worlds`")
    name: SpecText = Field(
        default="", validate_default=False, description="the cell's name; default: the id"
    )
    params: dict[str, JsonValue] = Field(default={}, description="the world's parameters")
    agents: AgentEntries = Field(
        default=(), description="extra agents that play only in this world"
    )
    roles: dict[str, Role] = Field(
        default={}, description="seats that are not focal: seat id -> background or judge"
    )
    bounds: Bounds | None = Field(
        default=None,
        description="returns that are shown as 0 and as 1, for normalised returns; default: what "
        "the world itself gives as yardsticks, if it does",
    )
    tags: Annotated[tuple[Name, ...], BeforeValidator(_as_tuple)] = Field(
        default=(), description="what the cell asks for, to break normalised returns down by"
    )

    @model_validator(mode="before")
    @classmethod
    def _name_from_id(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and not value.get("name") and "id" in value:
            return {**value, "name": value["id"]}
        return value

    @field_validator("params")
    @classmethod
    def _json_params(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        _plain(value)
        return value


class Schedule(Part):
    """Who meets whom, how often; ``arenas/schedule.py`` says what each kind means."""

    kind: ScheduleKind = Field(
        default="round_robin", description="the way agents are brought together"
    )
    repeats: int = Field(
        default=1,
        ge=1,
        le=1_000_000,
        description="seed blocks: the whole schedule, on new seeds each time",
    )
    rotate_seats: bool = Field(
        default=True, description="every agent sits in every seat equally often"
    )
    self_play: bool | None = Field(
        default=None,
        description="round_robin and pairs: each agent also meets itself; default: in every world "
        "that is not zero-sum",
    )
    rounds: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="swiss only: rounds; default: log2 of the agents, up",
    )
    mix_background: bool = Field(
        default=True,
        description="deal the background agents round their seats; false: each of them fills all "
        "background seats of its matches, as a population of its own",
    )
    max_matches: int = Field(
        default=1000,
        ge=1,
        le=1_000_000,
        description="round_robin with three or more seats: matches per block and world above "
        "which a balanced subset is drawn",
    )


class Limits(Part):
    """Limits on what language models may take; answers from the cache take nothing."""

    calls: int | None = Field(default=None, ge=0, description="language-model calls")
    tokens: int | None = Field(
        default=None, ge=0, description="prompt and completion tokens together"
    )
    seconds: float | None = Field(
        default=None, gt=0, description="wall time of the run; of an agent: of its calls, added up"
    )
    money: float | None = Field(default=None, ge=0, description="US dollars, by the list of prices")


class Budget(Limits):
    """Limits that stop a run cleanly and resumably; they never change an answer."""

    per_agent: Limits = Field(default=Limits(), description="limits for each agent by itself")


def _shorthand_schema(schema: dict[str, Any]) -> None:
    """Let editors accept the one-world shorthand that ``Scenario`` accepts."""
    schema["properties"]["world"] = {
        "type": "string",
        "description": "shorthand for one world: its id; params and roles beside it",
    }
    schema["properties"]["params"] = {"type": "object"}
    schema["properties"]["roles"] = {"type": "object"}
    schema["required"] = [name for name in schema.get("required", []) if name != "worlds"]
    schema["anyOf"] = [{"required": ["worlds"]}, {"required": ["world"]}]


class Scenario(Part):
    """An experiment as data.

    A scenario with a single world may say ``world: ID`` (with ``params`` and ``roles`` beside it)
    instead of ``worlds``.
    """

    model_config = ConfigDict(json_schema_extra=_shorthand_schema)

    name: Name = Field(description="short name; names the run folder")
    description: str = Field(default="", description="one or two sentences on what is asked here")
    worlds: Annotated[tuple[WorldEntry, ...], BeforeValidator(_as_tuple)] = Field(
        min_length=1, description="one cell per entry"
    )
    agents: AgentEntries = Field(
        default=(), description="the agents that are compared, in every world"
    )
    background: AgentEntries = Field(
        default=(), description="agents that fill background seats; unrated"
    )
    judges: AgentEntries = Field(
        default=(), description="agents that fill judge seats; never rated"
    )
    schedule: Schedule = Field(default=Schedule(), description="who meets whom")
    seed: int = Field(default=0, ge=0, le=MAX_SEED, description="everything random derives from it")
    metrics: Annotated[tuple[Name, ...], BeforeValidator(_as_tuple)] = Field(
        default=(), description="world metrics to show"
    )
    rating: Name = Field(
        default="bradley_terry", description="how agents are rated; `gymposium list ratings`"
    )
    time_limit: float | None = Field(
        default=30.0, gt=0, allow_inf_nan=False, description="seconds per turn; null: none"
    )
    budget: Budget = Field(default=Budget(), description="limits that stop the run, resumably")
    reasks: int = Field(
        default=2, ge=0, le=20, description="times a seat is asked again after no answer"
    )

    _source: Any = PrivateAttr(None)

    @model_validator(mode="before")
    @classmethod
    def _one_world(cls, value: Any) -> Any:
        if not isinstance(value, Mapping) or "world" not in value:
            return value
        if "worlds" in value:
            raise Refusal(("world",), "'world' and 'worlds' exclude each other; keep 'worlds'")
        rest = {k: v for k, v in value.items() if k not in ("world", "params", "roles")}
        entry = {k: value[k] for k in ("params", "roles") if k in value}
        return {**rest, "worlds": [{"id": value["world"], **entry}]}

    @model_validator(mode="after")
    def _hangs_together(self) -> Scenario:
        _refuse_twins(("worlds",), [world.name for world in self.worlds])
        everyone: dict[str, AgentEntry] = {}
        for field in ("agents", "background", "judges"):
            entries: tuple[AgentEntry, ...] = getattr(self, field)
            _refuse_twins((field,), [entry.label for entry in entries])
            _refuse_namesakes(everyone, (field,), entries)
        for index, world in enumerate(self.worlds):
            place = ("worlds", index, "agents")
            _refuse_twins(place, [entry.label for entry in (*self.agents, *world.agents)])
            _refuse_namesakes(everyone, place, world.agents)
            self._check_roles(index, world)
        if self.schedule.kind == "focal_x_background" and not self.background:
            raise Refusal(
                ("schedule", "kind"), "focal_x_background needs agents under 'background'"
            )
        if self.schedule.rounds is not None and self.schedule.kind != "swiss":
            raise Refusal(
                ("schedule", "rounds"), f"rounds are for kind swiss, not {self.schedule.kind}"
            )
        return self

    def _check_roles(self, index: int, world: WorldEntry) -> None:
        for seat, role in world.roles.items():
            field = {"background": "background", "judge": "judges"}.get(role)
            if field is not None and not getattr(self, field):
                raise Refusal(
                    ("worlds", index, "roles", seat),
                    f"seat {seat!r} has the role {role}, but {field!r} lists no agent to sit there",
                )

    def __eq__(self, other: object) -> bool:
        """Equal fields; the file it was read from does not matter."""
        return isinstance(other, Scenario) and self.__dict__ == other.__dict__

    @property
    def cells(self) -> tuple[str, ...]:
        """The worlds' names, in order."""
        return tuple(world.name for world in self.worlds)

    def cell(self, name: str) -> WorldEntry:
        """The world entry called ``name``; KeyError if there is none."""
        for world in self.worlds:
            if world.name == name:
                return world
        raise KeyError(name)

    def changed(self, **fields: Any) -> Scenario:
        """A copy with other top-level fields, validated again.

        Args:
            fields: values as YAML would give them (``agents=["random"]``).

        Returns:
            The new scenario; it remembers the file it came from.

        Raises:
            ValidationError: a value does not fit (``load.wording`` says it in a sentence).
        """
        made = Scenario.model_validate({**self.model_dump(mode="json"), **fields})
        made._source = self._source
        return made


def _refuse_twins(place: tuple[str | int, ...], names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise Refusal(place, f"{name!r} is there twice; give each its own 'name'")
        seen.add(name)


def _refuse_namesakes(
    everyone: dict[str, AgentEntry], place: tuple[str | int, ...], entries: Sequence[AgentEntry]
) -> None:
    """Let one agent appear in several lists, but not two agents under one name."""
    for entry in entries:
        if everyone.setdefault(entry.label, entry) != entry:
            raise Refusal(place, f"{entry.label!r} already names another agent; rename one")
