"""World ids and what stands behind them: listing, making, and registration with the ecosystem.

An id is ``snake_case-vN``, its version bumped when rules change. Worlds come from this package's
families (one ``register(...)`` in each family's ``__init__``), from installed packages (entry-point
group ``gymposium.worlds``) and from ``register`` at run time. Every door gives the same world:
:func:`make`, ``pettingzoo.make("parallel", "gymposium/<id>")`` and, for worlds of one seat,
``gymnasium.make("gymposium/<CamelCase>-vN")``. This module imports nothing heavy, so that a
listing is quick; worlds are imported when they are made.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from gymposium.errors import GymposiumError, UnknownName, UsageError

from .import_hook import after_import
from .own_module import is_place
from .world_spec import WorldSpec as WorldSpec

if TYPE_CHECKING:
    from .world import RuleWorld

FAMILIES = (
    "bandits",
    "common_ground",
    "dilemmas",
    "markets",
    "markov_games",
    "peer_review",
    "preferences",
    "rooms",
    "social",
    "societies",
    "text_worlds",
    "trees",
    "visual",
)
"""The folders of this room whose ``__init__`` registers worlds."""

ENTRY_POINTS = "gymposium.worlds"
NAMESPACE = "gymposium"
Api = Literal["native", "world", "parallel", "aec", "gymnasium"]


_specs: dict[str, WorldSpec] = {}
_broken: dict[str, str] = {}
_families_loaded = False
_plugins_loaded = False


def register(spec: WorldSpec) -> None:
    """Make a world known by its id, in every registry that is already loaded.

    Raises:
        UsageError: another world has this id.
    """
    known = _specs.get(spec.id)
    if known is not None and known != spec:
        raise UsageError(
            f"world id {spec.id!r} is taken by {known.entry_point!r}: "
            "choose another name or a higher version"
        )
    _specs[spec.id] = spec
    if _plugins_loaded:  # registered at run time: the ecosystem's tables exist already
        register_everywhere()


def unregister(id: str) -> None:
    """Forget a world, here and in the other registries. Unknown ids raise UnknownName."""
    found = spec(id)
    del _specs[found.id]
    for registry in _ecosystem_tables():
        for key in (f"{NAMESPACE}/{found.id}", f"{NAMESPACE}/{found.camel}"):
            registry.pop(key, None)


def specs() -> list[WorldSpec]:
    """All known worlds, sorted by name and version; what does not load is left out."""
    _load_families()
    _load_plugins()
    return sorted(_specs.values(), key=lambda spec: (spec.name, spec.version))


def broken_plugins() -> dict[str, str]:
    """Entry points that could not be loaded, by name, each with the reason."""
    _load_plugins()
    return dict(_broken)


def spec(id: str) -> WorldSpec:
    """The world called ``id``; without ``-vN`` the newest version.

    Raises:
        UnknownName: there is none; the message has the nearest names or the versions there are.
    """
    wanted = id.removeprefix(f"{NAMESPACE}/")
    if ":" in wanted:
        return _elsewhere(wanted)
    _load_families()
    if wanted not in _specs:
        _load_plugins()
    if wanted in _specs:
        return _specs[wanted]
    name, _, version = wanted.rpartition("-v")
    if not name or not version.isdigit():
        name, version = wanted, ""
    family = [known for known in specs() if name in (known.name, known.camel.rpartition("-v")[0])]
    if not family:
        raise UnknownName("world", id, _specs)
    if not version:
        return family[-1]
    for known in family:
        if known.version == int(version):
            return known
    raise UnknownName("version of world", id, [known.id for known in family], where="the registry")


def _elsewhere(id: str) -> WorldSpec:
    """A world as ``gymnasium:CartPole-v1`` or ``file.py:Class``; it is not imported for this."""
    from .adapters import ADAPTERS, split

    if is_place(id):
        return WorldSpec(id, id, "a world of one's own", (1, 50), "by parameters", turn_based=False)
    prefix, _ = split(id)
    entry_point, what = ADAPTERS[prefix]
    return WorldSpec(
        id,
        entry_point,
        f"{what}, of {prefix}",
        (1, 50),
        "by parameters",
        turn_based=False,
        deterministic=True,
    )


def world_class(id: str) -> type[RuleWorld]:
    """The class of the world called ``id``."""
    return spec(id).load()


def params_class(id: str) -> type[Any]:
    """The frozen dataclass of a world's parameters: ``<World>Params`` beside the world."""
    cls = world_class(id)
    for base in cls.__mro__:
        found = getattr(sys.modules.get(base.__module__), f"{base.__name__}Params", None)
        if isinstance(found, type) and dataclasses.is_dataclass(found):
            return found
    raise UsageError(f"world {id!r} has no parameters class {cls.__name__}Params in its module")


def make_world(id: str, **params: Any) -> RuleWorld:
    """A fresh world in its own shape, the one that the arena plays.

    Args:
        id: a world id.
        **params: its parameters; :func:`parameters` describes them.

    Returns:
        The world, before its first ``reset``.

    Raises:
        UnknownName: no such world or parameter; the message names the nearest.
        UsageError: a value is not allowed.
    """
    found = spec(id)
    if found.foreign:  # what it takes is for the other library to say
        from .adapters.foreign import luck_kept

        with luck_kept():
            return found.load()(**params)
    known = [item.name for item in dataclasses.fields(params_class(found.id))]
    for name in params:
        if name not in known:
            raise UnknownName("parameter", name, known, where=found.id)
    return found.load()(**params)


def make(id: str, *, api: Api = "native", render_mode: str | None = None, **params: Any) -> Any:
    """A world through any door.

    Args:
        id: a world id.
        api: ``world`` (what the arena plays), ``parallel``, ``aec`` (PettingZoo), ``gymnasium``
            (one seat only), or ``native``: gymnasium for one seat, aec for turn-based worlds,
            parallel for the rest.
        render_mode: as in Gymnasium; every world offers ``ansi``.
        **params: the world's parameters.

    Returns:
        A ``ParallelEnv``, ``AECEnv``, ``gymnasium.Env`` or world.

    Raises:
        UnknownName: no such world, api or parameter.
        UsageError: a value is not allowed, or the world has too many seats for this api.
    """
    if api not in typing.get_args(Api):
        raise UnknownName("api", str(api), typing.get_args(Api), where="make")
    world = make_world(id, **params)
    if api == "native":
        api = "gymnasium" if len(world.seats) == 1 else "aec" if world.turn_based else "parallel"
    if api == "world":
        return world
    if api == "parallel":
        from .views.parallel import ParallelView

        return ParallelView(world, render_mode=render_mode)
    if api == "aec":
        from .views.aec import AecView

        return AecView(world, render_mode=render_mode)
    from .views.gymnasium import GymnasiumView

    return GymnasiumView(world, render_mode=render_mode)


def parameters(id: str) -> dict[str, dict[str, Any]]:
    """A world's parameters, JSON-able: ``{name: {type, default, doc, …}}``, in order.

    Whatever else the fields' metadata hold (``unit``, ``range``, ``choices``) is passed on.
    """
    described: dict[str, dict[str, Any]] = {}
    if spec(id).foreign:
        return described
    for item in dataclasses.fields(params_class(id)):
        entry: dict[str, Any] = {"type": _type_name(item.type)}
        if item.default is not dataclasses.MISSING:
            entry["default"] = _jsonable(item.default)
        elif item.default_factory is not dataclasses.MISSING:
            entry["default"] = _jsonable(item.default_factory())
        entry.update({key: _jsonable(value) for key, value in item.metadata.items()})
        entry.setdefault("doc", "")
        described[item.name] = entry
    return described


# The doors of other registries. They hold entry points as text, so nothing is imported early.


def make_parallel(world_id: str, **params: Any) -> Any:
    """Entry point of ``pettingzoo.make("parallel", …)``."""
    return make(world_id, api="parallel", **params)


def make_aec(world_id: str, **params: Any) -> Any:
    """Entry point of ``pettingzoo.make("aec", …)``."""
    return make(world_id, api="aec", **params)


def make_gymnasium(world_id: str, **params: Any) -> Any:
    """Entry point of ``gymnasium.make``."""
    return make(world_id, api="gymnasium", **params)


def register_everywhere() -> None:
    """Enter our worlds into the registries of those of Gymnasium and PettingZoo that are imported.

    Idempotent and silent; neither is imported for it.
    """
    if "gymnasium.envs.registration" in sys.modules:
        register_gymnasium()
    if "pettingzoo.env_registry.registration" in sys.modules:
        register_pettingzoo()


def register_gymnasium() -> None:
    """Enter the worlds of one seat into Gymnasium's registry; idempotent and silent."""
    from gymnasium.envs.registration import register as enter
    from gymnasium.envs.registration import registry

    for item in specs():
        id = f"{NAMESPACE}/{item.camel}"
        if item.seats[0] == 1 and id not in registry:
            entry_point = "gymposium.envs.registry:make_gymnasium"
            enter(id, entry_point=entry_point, kwargs={"world_id": item.id})


def register_pettingzoo() -> None:
    """Enter the worlds into both of PettingZoo's registries; idempotent and silent."""
    from pettingzoo.env_registry.registration import aec_registry, parallel_registry
    from pettingzoo.env_registry.registration import register as enter

    doors: tuple[tuple[Literal["aec", "parallel"], dict[str, Any]], ...] = (
        ("aec", aec_registry),
        ("parallel", parallel_registry),
    )
    for item in specs():
        id = f"{NAMESPACE}/{item.id}"
        for api, registry in doors:
            if id not in registry:
                entry_point = f"gymposium.envs.registry:make_{api}"
                enter(api, id, entry_point=entry_point, kwargs={"world_id": item.id})


def install() -> None:
    """Arrange that our worlds are in Gymnasium's and PettingZoo's registries once those exist.

    Called by ``import gymposium``: registers at once where they are imported already, else right
    after they will be. Costs microseconds; nothing is imported.
    """
    after_import("gymnasium", register_gymnasium)
    after_import("pettingzoo", register_pettingzoo)


def _ecosystem_tables() -> list[dict[str, Any]]:
    tables: list[dict[str, Any]] = []
    if module := sys.modules.get("gymnasium.envs.registration"):
        tables.append(module.registry)
    if module := sys.modules.get("pettingzoo.env_registry.registration"):
        tables += [module.aec_registry, module.parallel_registry]
    return tables


def _load_families() -> None:
    global _families_loaded
    if not _families_loaded:
        _families_loaded = True
        for family in FAMILIES:
            importlib.import_module(f".{family}", __package__)


def _load_plugins() -> None:
    global _plugins_loaded
    if _plugins_loaded:
        return
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINTS):
        try:
            _take(entry.load())
        except Exception as error:  # noqa: BLE001 - the plug-in boundary: recorded, never raised
            reason = str(error) if isinstance(error, GymposiumError) else repr(error)
            _broken[entry.name] = f"{entry.value}: {reason}"
    _plugins_loaded = True


def _take(offered: WorldSpec | list[WorldSpec] | Callable[[], Any]) -> None:
    """Register what an entry point gave: a spec, several, or a function that returns either."""
    if callable(offered):
        offered = offered()
    for item in offered if isinstance(offered, list | tuple) else [offered]:
        if not isinstance(item, WorldSpec):
            raise UsageError(f"expected a WorldSpec, got {type(item).__name__}")
        register(item)


def _type_name(annotation: Any) -> str:
    if isinstance(annotation, types.UnionType | types.GenericAlias) or annotation is None:
        return str(annotation)
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _jsonable(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
