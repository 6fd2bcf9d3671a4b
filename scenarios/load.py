"""Scenarios from files and names, and every complaint about them in one sentence.

A complaint names the file, the line, the field, what was found, what is allowed and the nearest
valid spelling. Scenarios that come with the package are found by name through
``importlib.resources``, so they work from a wheel too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeGuard, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from gymposium.errors import UnknownName, UsageError

from .marked_yaml import Place, Source, closest, read_yaml, write_yaml
from .model import Refusal, Scenario, WorldEntry

MadeWorld = TypeVar("MadeWorld")

_WORDING = (
    ("Input should be ", ""),
    ("Tuple should have", "a list with"),
    ("Dictionary should have", "a mapping with"),
    ("String should have", "a text of"),
    ("String should match pattern", "a text that matches"),
)
"""pydantic's words, and those that go on with `allowed:`."""

_OTHER_KINDS = ("claims", "training")
"""Folders of YAML files that are not scenarios (see ``load_claims.py``, ``training.py``)."""


class ScenarioError(UsageError):
    """A scenario that does not fit the model; ``problems`` lists all there is to mend."""

    def __init__(self, problems: list[str]) -> None:
        more = len(problems) - 1
        rest = f" (and {more} more problem{'s' if more > 1 else ''})" if more else ""
        super().__init__(problems[0] + rest)
        self.problems = problems

    def __reduce__(self) -> tuple[Any, ...]:
        return (ScenarioError, (self.problems,))


@dataclass(frozen=True)
class Listed:
    """A scenario that comes with the package: its name, its family (folder) and its file."""

    name: str
    family: str
    file: Traversable

    def load(self) -> Scenario:
        """Read it."""
        shown = f"{self.family}/{self.name}.yaml"
        return parse(self.file.read_bytes(), shown)


def load(
    source: str | Path | Mapping[str, Any] | Scenario, *, worlds: Collection[str] = ()
) -> Scenario:
    """The scenario meant by ``source``.

    Args:
        source: a YAML file, the name of a scenario that comes with the package, a world id, a
            mapping with the fields of a scenario, or a scenario.
        worlds: known world ids; one of them alone is a scenario of that world.

    Returns:
        The validated scenario; the worlds' own parameters are checked by
        :func:`validate_against_registry`.

    Raises:
        UsageError: no such file or name, or the scenario does not fit the model.
    """
    if isinstance(source, Scenario):
        return source
    if isinstance(source, Mapping):
        return validate(dict(source), Source("scenario"))
    text = str(source)
    if isinstance(source, Path) or text.lower().endswith((".yaml", ".yml")):
        return load_file(Path(source))
    if text in (known := named()):
        return known[text].load()
    if _is_world(text, worlds):
        return validate({"name": text.split("?")[0], "world": text}, Source("scenario"))
    if Path(text).is_file():
        return load_file(Path(text))
    raise UnknownName("scenario, file or world", text, [*known, *worlds])


def load_file(path: Path) -> Scenario:
    """Read the scenario in the YAML file ``path``; a missing name is taken from the file's."""
    try:
        with path.open("rb") as file:
            data = file.read(1 << 20)
    except FileNotFoundError:
        known = [entry.name for entry in path.parent.glob("*.y*ml")] if path.parent.is_dir() else []
        where = str(path.parent.absolute())
        raise UnknownName("scenario file", path.name, [*known, *named()], where=where) from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    return parse(data, str(path))


def parse(data: bytes, name: str) -> Scenario:
    """The scenario in the YAML text ``data``; ``name`` is its file's, for messages."""
    value, source = read_yaml(data, name)
    if isinstance(value, dict):
        value = {"name": Path(name).stem, **value}
    return validate(value, source)


def validate(value: Any, source: Source) -> Scenario:
    """Plain data as a scenario.

    Raises:
        ScenarioError: with every problem, each in a sentence that points into ``source``.
    """
    try:
        scenario = Scenario.model_validate(value)
    except ValidationError as error:
        raise ScenarioError(wording(error, source)) from None
    scenario._source = source
    return scenario


def change(scenario: Scenario, **fields: Any) -> Scenario:
    """``scenario`` with other top-level fields; complaints in sentences, as for a file."""
    try:
        return scenario.changed(**fields)
    except ValidationError as error:
        raise ScenarioError(wording(error, Source(scenario.name))) from None


def dump(scenario: Scenario) -> str:
    """The scenario as YAML, defaults left out; ``parse`` gives back an equal one."""
    return write_yaml(scenario.model_dump(mode="json", exclude_defaults=True))


def named() -> dict[str, Listed]:
    """The scenarios that come with the package, by name."""
    return dict(_named())


@cache
def _named() -> dict[str, Listed]:
    found = {}
    for family in sorted(resources.files(__package__).iterdir(), key=lambda entry: entry.name):
        if family.name.startswith(("_", ".")) or family.name in _OTHER_KINDS:
            continue
        if not family.is_dir():
            continue
        for file in sorted(family.iterdir(), key=lambda entry: entry.name):
            if file.name.endswith(".yaml"):
                name = file.name.removesuffix(".yaml")
                found[name] = Listed(name, family.name, file)
    return found


def validate_against_registry(
    scenario: Scenario, make_world: Callable[..., MadeWorld]
) -> dict[str, MadeWorld]:
    """Build each world of ``scenario`` once, so that nothing fails after the run has begun.

    Args:
        scenario: what to check.
        make_world: ``envs.registry.make_world``; this room does not import the worlds.

    Returns:
        The worlds by cell name: their ``seats`` are what ``arenas.schedule`` needs.

    Raises:
        UsageError: unknown world, parameter, value, seat or metric, with file, line and field.
    """
    source = scenario._source or Source(scenario.name)
    made = {}
    for index, entry in enumerate(scenario.worlds):
        place: Place = ("worlds", index)
        try:
            world = make_world(entry.id, **entry.params)
        except UsageError as error:
            inner = _guess_place(place, entry, str(error))
            raise ScenarioError([f"{_where(source, inner)}: {error}"]) from error
        seats = list(getattr(world, "seats", ()))
        for seat in entry.roles:
            if seat not in seats:
                raise ScenarioError(
                    [
                        f"{_where(source, (*place, 'roles', seat))}: {entry.id} has no seat "
                        f"{seat!r}; allowed: {', '.join(seats)}{closest(seat, seats)}"
                    ]
                )
        made[entry.name] = world
    _check_metrics(scenario, made, source)
    return made


def _check_metrics(scenario: Scenario, worlds: Mapping[str, Any], source: Source) -> None:
    """Refuse a metric that no world has, if every world says which it has."""
    known: set[str] = set()
    for world in worlds.values():
        names = getattr(world, "metric_names", None)
        if names is None:
            return
        known.update(names() if callable(names) else names)
    for index, metric in enumerate(scenario.metrics):
        if metric not in known:
            allowed = sorted(known)
            raise ScenarioError(
                [
                    f"{_where(source, ('metrics', index))}: no world here has the metric "
                    f"{metric!r}; allowed: {', '.join(allowed)}{closest(metric, allowed)}"
                ]
            )


def _guess_place(place: Place, entry: WorldEntry, message: str) -> Place:
    """The parameter a world complains about, else its parameters, else its id."""
    for name in sorted(entry.params, key=len, reverse=True):
        if f"'{name}'" in message or f" {name}" in message:
            return (*place, "params", name)
    return (*place, "id")


def wording(
    error: ValidationError, source: Source, model: type[BaseModel] = Scenario, at: Place = ()
) -> list[str]:
    """Each problem of a pydantic error as a sentence, in the order of the file's lines.

    Args:
        error: what ``model`` refused.
        source: the file.
        model: the model that was read.
        at: where in the file the model's data begin.

    Returns:
        The sentences.
    """
    problems: list[tuple[int, str]] = []
    details = error.errors(include_url=False)
    for detail in details:
        if detail["type"] == "too_short" and detail["input"] and len(details) > 1:
            continue  # pydantic counts items that were refused one by one as missing
        place = tuple(part for part in detail["loc"] if not str(part).startswith("function-"))
        cause = detail.get("ctx", {}).get("error")
        if isinstance(cause, Refusal):
            place = (*place, *cause.place)
        line = _line(source, (*at, *place))
        sentence = _sentence(detail, place, model)
        problems.append((line, f"{_where(source, (*at, *place))}: {sentence}"))
    return [text for _, text in sorted(problems, key=lambda item: item[0])]


def _sentence(detail: Mapping[str, Any], place: Place, model: type[BaseModel]) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        allowed = sorted(_fields(model, place[:-1]))
        name = str(place[-1])
        return f"unknown field {name!r}; allowed: {', '.join(allowed)}{closest(name, allowed)}"
    if kind == "missing":
        return "this field is missing; " + _about(model, place)
    found = _shown(detail["input"])
    if kind == "literal_error":
        allowed = [part.strip(" '") for part in context["expected"].replace(" or ", ",").split(",")]
        near = closest(str(detail["input"]), allowed)
        return f"found {found}; allowed: {', '.join(allowed)}{near}"
    if kind == "value_error":
        return str(context["error"])
    if kind in ("model_type", "dict_type", "dataclass_type"):
        text = " or text" if "AgentEntry" in str(context) else ""
        return f"found {found}; allowed: a mapping{text}"
    if kind == "tuple_type":
        return f"found {found}; allowed: a list, e.g. [{_shown(detail['input'], quote=False)}]"
    message = str(detail["msg"])
    for theirs, ours in _WORDING:
        message = message.replace(theirs, ours)
    return f"found {found}; allowed: {message}"


def _about(model: type[BaseModel], place: Place) -> str:
    info = _fields(model, place[:-1]).get(str(place[-1]))
    return f"it is: {info.description}" if info is not None and info.description else "add it"


def _shown(value: Any, *, quote: bool = True) -> str:
    text = repr(value) if quote else str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _fields(model: type[BaseModel], place: Place) -> Mapping[str, Any]:
    """The fields allowed at ``place`` of ``model``."""
    found: Any = model
    for part in place:
        found = _inside(found, part)
    return found.model_fields if _is_model(found) else _item_fields(found)


def _inside(kind: Any, part: str | int) -> Any:
    """The annotation of what stands at ``part`` of a value annotated as ``kind``."""
    if _is_model(kind):
        field = kind.model_fields.get(str(part))
        return None if field is None else field.annotation
    inner = [arg for arg in get_args(kind) if arg is not Ellipsis]
    if get_origin(kind) in (tuple, dict):
        return inner[-1]
    return next((found for arg in inner if (found := _inside(arg, part)) is not None), None)


def _item_fields(kind: Any) -> Mapping[str, Any]:
    """The fields of the first model that an annotation mentions."""
    models = [arg for arg in get_args(kind) if _is_model(arg)]
    return models[0].model_fields if models else {}


def _is_model(kind: Any) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _in_file(source: Source, place: Place) -> Place:
    """``place`` as it is written: ``worlds[0].params`` may be the shorthand ``params``."""
    for index in range(len(place) - 1):
        outer, rest = place[:index], place[index + 2 :]
        if (
            place[index : index + 2] == ("worlds", 0)
            and (*outer, "worlds") not in source.lines
            and (*outer, "world") in source.lines
        ):
            return (*outer, "world") if not rest or rest[0] in ("id", "name") else (*outer, *rest)
    return place


def _line(source: Source, place: Place) -> int:
    place = _in_file(source, place)
    while place and place not in source.lines:
        place = place[:-1]
    return source.lines.get(place, 0)


def _where(source: Source, place: Place) -> str:
    place = _in_file(source, place)
    path = ""
    for part in place:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    where = source.where(place)
    return f"{where}: {path}" if path else where


def _is_world(text: str, worlds: Collection[str]) -> bool:
    foreign = re.match(r"[a-z]{2,}:[^/\\]", text)  # gymnasium:CartPole-v1
    own = re.fullmatch(r"[^:]*\.[^:]+:\w+", text)  # file.py:Class
    return (
        bool(foreign or own) or text in worlds or text in {it.rpartition("-v")[0] for it in worlds}
    )
