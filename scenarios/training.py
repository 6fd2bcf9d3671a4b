"""A training scenario: which methods learn in which world, on how many seeds, how far, as data.

Files of this kind live in ``scenarios/training/``. All methods of one scenario get the same seeds,
the same budget and the same evaluation matches, so that their curves can be compared seed by seed.
As in ``model.py``, there is no behaviour here: names of methods, agents and worlds stay text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import (
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    ValidationError,
    field_validator,
    model_validator,
)

from gymposium.errors import UnknownName, UsageError

from .load import ScenarioError, _is_world, wording
from .marked_yaml import Source, read_yaml
from .model import MAX_SEED, Name, Part, Refusal, SpecText, _as_tuple, _plain, _refuse_twins


def _whole(value: Any) -> Any:
    """``1e6`` is a whole number too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Steps: TypeAlias = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=10**15)]


class MethodEntry(Part):
    """One training method: a spec (``fcgrad?beta=0.7``), or a mapping when there is more to say."""

    spec: SpecText = Field(description="a method's name; ?key=value sets parameters")
    name: Name | None = Field(
        default=None, description="what tables and folders call it; default: the spec"
    )
    params: dict[str, JsonValue] = Field(
        default={}, description="parameters, as after ? in the spec"
    )

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return {"spec": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: GetJsonSchemaHandler) -> Any:
        schema = handler.resolve_ref_schema(handler(core_schema))
        mapping = dict(schema)
        schema.clear()
        schema.update(title="MethodEntry", anyOf=[{"type": "string", "minLength": 1}, mapping])
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


class TrainingBudget(Part):
    """How far each method learns on each seed; reaching either limit ends it."""

    steps: Steps = Field(default=100_000, description="steps, as the method counts them")
    seconds: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="seconds of learning, resumed ones included",
    )


class Evaluation(Part):
    """Matches that measure what has been learned; the same seeds for every method and moment."""

    every: Steps | None = Field(default=None, description="steps between; default: a tenth of all")
    matches: int = Field(default=4, ge=1, le=10_000, description="matches each time")
    partners: dict[str, SpecText] | None = Field(
        default=None,
        description="who sits in the seats that do not learn; default: the same as while learning",
    )
    time_limit: float | None = Field(
        default=30.0, gt=0, allow_inf_nan=False, description="seconds per turn; null: none"
    )
    record: bool = Field(default=False, description="keep transcripts of the matches")


class Stop(Part):
    """End early when a measure of the evaluation no longer improves."""

    measure: Name = Field(default="return", description="a column of evaluation.csv")
    patience: int = Field(default=5, ge=1, description="evaluations without improvement")
    margin: float = Field(
        default=0.0, ge=0, allow_inf_nan=False, description="improvement that counts as one"
    )
    lower_is_better: bool = Field(default=False, description="the measure is to fall, not to rise")


class Checkpoints(Part):
    """What is kept of a learner's past."""

    every: Steps | None = Field(
        default=None, description="steps between; default: at each evaluation"
    )
    keep: int = Field(default=3, ge=1, le=10_000, description="newest kept; the best one always is")


class TrainingScenario(Part):
    """Methods that learn in a world."""

    name: Name = Field(description="short name; names the run folder")
    description: str = Field(default="", description="one or two sentences on what is asked here")
    world: SpecText = Field(
        description="a world id, e.g. iterated_matrix-v0; `gymposium list worlds`"
    )
    params: dict[str, JsonValue] = Field(default={}, description="the world's parameters")
    methods: Annotated[tuple[MethodEntry, ...], BeforeValidator(_as_tuple)] = Field(
        default=(), description="who learns; `gymposium list methods`"
    )
    seeds: int = Field(default=1, ge=1, le=10_000, description="learners of each method")
    seed: int = Field(default=0, ge=0, le=MAX_SEED - 10_000, description="the first seed")
    seats: Annotated[tuple[Name, ...], BeforeValidator(_as_tuple)] = Field(
        default=(), description="the seats that learn; default: all but the partners'"
    )
    partners: dict[str, SpecText] = Field(
        default={}, description="agents in seats that do not learn: seat id -> agent spec"
    )
    budget: TrainingBudget = Field(default=TrainingBudget(), description="how far to go")
    evaluation: Evaluation = Field(default=Evaluation(), description="how learning is measured")
    stop: Stop | None = Field(default=None, description="when to end early; default: never")
    checkpoints: Checkpoints = Field(default=Checkpoints(), description="what is kept")
    threads: int = Field(
        default=1,
        ge=1,
        le=1024,
        description="threads of one learner; part of the scenario, since sums of floating-point "
        "numbers depend on it",
    )

    @field_validator("params")
    @classmethod
    def _json_params(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        _plain(value)
        return value

    @model_validator(mode="after")
    def _hangs_together(self) -> TrainingScenario:
        _refuse_twins(("methods",), [entry.label for entry in self.methods])
        _refuse_twins(("seats",), self.seats)
        for seat in self.seats:
            if seat in self.partners:
                raise Refusal(
                    ("partners", seat), f"seat {seat!r} cannot both learn and have a partner in it"
                )
        return self

    @property
    def evaluate_every(self) -> int:
        """Steps between evaluations."""
        return self.evaluation.every or max(1, self.budget.steps // 10)

    def changed(self, **fields: Any) -> TrainingScenario:
        """A copy with other top-level fields, validated again; complaints in sentences."""
        return _validate({**self.model_dump(mode="json"), **fields}, Source(self.name))


def load_training(
    source: str | Path | Mapping[str, Any] | TrainingScenario, *, worlds: Collection[str] = ()
) -> TrainingScenario:
    """The training scenario meant by ``source``.

    Args:
        source: a YAML file, the name of one that comes with the package, a world id, a mapping
            with the fields of one, or a TrainingScenario.
        worlds: known world ids; one of them alone is a scenario that names no method yet.

    Raises:
        UsageError: no such file or name, or it does not fit the model.
    """
    if isinstance(source, TrainingScenario):
        return source
    if isinstance(source, Mapping):
        return _validate(dict(source), Source("training scenario"))
    text = str(source)
    known = named_training()
    if isinstance(source, Path) or text.lower().endswith((".yaml", ".yml")):
        return _parse(_read(Path(source)), text)
    if text in known:
        return _parse(known[text].read_bytes(), f"training/{text}.yaml")
    if _is_world(text, worlds):
        return _validate({"name": text, "world": text}, Source("training scenario"))
    raise UnknownName("training scenario, file or world", text, [*known, *worlds])


def is_training_file(path: Path) -> bool:
    """Whether a YAML file, if it is one, names methods that learn."""
    try:
        value, _ = read_yaml(path.read_bytes(), str(path))
    except (OSError, UsageError):
        return False
    return isinstance(value, dict) and "methods" in value


def named_training() -> dict[str, Traversable]:
    """The training scenarios that come with the package, by name."""
    return dict(_named())


@cache
def _named() -> dict[str, Traversable]:
    folder = resources.files(__package__) / "training"
    if not folder.is_dir():
        return {}
    files = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return {file.name.removesuffix(".yaml"): file for file in files if file.name.endswith(".yaml")}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        near = [entry.name for entry in path.parent.glob("*.y*ml")] if path.parent.is_dir() else []
        known = [*near, *named_training()]
        where = str(path.parent.absolute())
        raise UnknownName("training scenario file", path.name, known, where=where) from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}; check the path") from None


def _parse(data: bytes, name: str) -> TrainingScenario:
    value, source = read_yaml(data, name)
    if isinstance(value, dict):
        value = {"name": Path(name).stem, **value}
    return _validate(value, source)


def _validate(value: Any, source: Source) -> TrainingScenario:
    try:
        return TrainingScenario.model_validate(value)
    except ValidationError as error:
        raise ScenarioError(wording(error, source, TrainingScenario)) from None
