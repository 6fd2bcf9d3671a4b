"""From a spec to an agent: ``resolve`` and the list of agents there are.

One grammar serves command line, YAML and Python (:mod:`.spec_text`). Agents shipped with gymposium
run in this process; code the user names runs in a child process unless it is declared trusted;
Python objects handed over by the caller are the caller's own and run here. Plug-ins come from the
entry-point group ``gymposium.agents``; they are listed without being loaded, so that a broken one
breaks nothing but itself.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple

from gymposium.errors import UnknownName, UsageError
from gymposium.types import Agent, Seat

from ..envs.start_folder import here
from .spec_text import SpecText, parse_spec, query

GROUP = "gymposium.agents"
_RANDOM, _HUMAN = "random", "human"


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent that can be made, any number of times.

    Attributes:
        text: the canonical spec; for live Python objects ``python:<qualname>#<n>``.
        name: what tables show.
        identity: enters match keys: the spec and what it stands for (source or model hash).
        deterministic: equal seeds, equal play.
        isolated: it runs in a child process.
        language: a language model decides.
        factory: makes a fresh instance.
        human: a person decides, and is neither timed nor limited in asking again.
        fits: called with a world's id and a seat before the first match; raises UsageError if
            the agent cannot sit there.
        priced: it is known what its model's tokens cost.
        sendable: its model calls name what answers them, so that a worker process can have them
            made by the process that keeps the budget.
    """

    text: str
    name: str
    identity: str
    deterministic: bool
    isolated: bool
    language: bool
    factory: Callable[[], Agent] = field(repr=False, compare=False)
    human: bool = False
    fits: Callable[[str, Seat], object] | None = field(default=None, repr=False, compare=False)
    priced: bool = False
    sendable: bool = False

    @property
    def waits(self) -> bool:
        """It may wait for something else than this core: users' code, a process, a model."""
        return self.isolated or self.language or parse_spec(self.text).kind in ("file", "module")

    def create(self) -> Agent:
        """A fresh instance, for one seat of one match."""
        return self.factory()


class AgentInfo(NamedTuple):
    """One line of the list of agents; ``worlds`` is empty if it plays any."""

    spec: str
    summary: str
    worlds: tuple[str, ...] = ()


class _Registered(NamedTuple):
    factory: Callable[..., Any]
    summary: str
    worlds: tuple[str, ...]


_registered: dict[str, _Registered] = {}


def resolve(spec: Any, *, root: Path | None = None, trusted: bool = False) -> AgentSpec:
    """Find out who is meant.

    Args:
        spec: a spec string; a mapping with ``spec`` and perhaps ``name``, ``params``, ``trusted``
            (as in YAML); a class, function or instance (see :func:`.agent.as_agent`);
            or an AgentSpec, which is returned.
        root: the folder that relative files are relative to; default: the current one.
        trusted: run the user's code in this process instead of a child.

    Raises:
        UnknownName: no such agent, attribute or parameter; names the nearest.
        UsageError: it cannot be made into an agent.
    """
    if isinstance(spec, AgentSpec):
        return spec
    if isinstance(spec, str):
        return _resolve_text(parse_spec(spec), root or here(), trusted)
    if isinstance(spec, Mapping):
        return _resolve_mapping(spec, root or here(), trusted)
    from .live import live_spec

    return live_spec(spec)


def register_agent(
    name: str,
    factory: Callable[..., Any],
    *,
    summary: str = "",
    worlds: Sequence[str] = (),
) -> None:
    """Give a class or factory a name that specs can use, in this process.

    Args:
        name: without ``:``, ``?`` or ``.py``.
        factory: a class or function; parameters of the spec are its arguments. It is trusted.
        summary: one line for the list.
        worlds: the worlds it can play; empty for any.

    Raises:
        UsageError: the name is taken or is no name.
    """
    if parse_spec(name).kind != "name" or "?" in name or name in (_RANDOM, _HUMAN):
        raise UsageError(f"{name!r} cannot be an agent's name; use letters, digits, '_' and '-'")
    if name in _registered and _registered[name].factory is not factory:
        raise UsageError(f"an agent named {name!r} is registered already; choose another name")
    _registered[name] = _Registered(factory, summary, tuple(worlds))


def made_here(text: str) -> bool:
    """Whether a canonical spec means something in this process only."""
    return text.startswith("python:") or parse_spec(text).target in _registered


def known_agents() -> list[AgentInfo]:
    """Every agent that has a name: random, bots, models, registered ones, plug-ins."""
    found = [
        AgentInfo(_RANDOM, "uniform over the legal actions"),
        AgentInfo(_HUMAN, "you, at this terminal"),
    ]
    for name, bot in _all_bots().items():
        found.append(
            AgentInfo(f"scripted:{name}", _summary(bot), tuple(getattr(bot, "worlds", ())))
        )
    found += [AgentInfo(text, summary) for text, summary in _models().items()]
    found += [AgentInfo(name, f"a mind: {summary}") for name, summary in _minds().items()]
    found += [AgentInfo(name, r.summary, r.worlds) for name, r in sorted(_registered.items())]
    for name, point in sorted(_plugins().items()):
        found.append(AgentInfo(name, _plugin_summary(point)))
    return found


def distinct_names(specs: Iterable[AgentSpec]) -> list[AgentSpec]:
    """The same agents with names that differ: a repeated one gets its spec, then ``#2``, ``#3``."""
    given = list(specs)
    shared = {s.name for s in given if sum(o.name == s.name for o in given) > 1}
    used: dict[str, int] = {}
    renamed = []
    for spec in given:
        name = spec.text if spec.name in shared else spec.name
        used[name] = used.get(name, 0) + 1
        if used[name] > 1:
            name = f"{name} #{used[name]}"
        renamed.append(dataclasses.replace(spec, name=name))
    return renamed


def _resolve_mapping(entry: Mapping[str, Any], root: Path, trusted: bool) -> AgentSpec:
    allowed = ("spec", "name", "params", "trusted")
    for key in entry:
        if key not in allowed:
            raise UnknownName("field", str(key), allowed, where="an agent's entry")
    text = entry.get("spec")
    if not isinstance(text, str):
        if entry.get("params"):
            raise UsageError("an agent's entry with 'params' needs a spec string in 'spec'")
        spec = resolve(text, root=root, trusted=trusted)
    else:
        parsed = parse_spec(text, entry.get("params") or {})
        spec = _resolve_text(parsed, root, trusted or bool(entry.get("trusted", False)))
    return dataclasses.replace(spec, name=entry["name"]) if entry.get("name") else spec


def _resolve_text(spec: SpecText, root: Path, trusted: bool) -> AgentSpec:
    if spec.kind == "llm":
        return _language_model(spec)
    if spec.kind == "trained":
        from .trained import trained_spec

        return trained_spec(spec, root)
    if spec.kind == "langchain":
        from .langchain_agents import langchain_spec

        return langchain_spec(spec, root, trusted=trusted)
    if spec.kind == "concordia":
        from .concordia_agents import concordia_spec

        return concordia_spec(spec, root, trusted=trusted)
    if spec.kind in ("file", "module"):
        from .user_agents import user_spec

        return user_spec(spec, root, trusted=trusted)
    if spec.kind == "scripted":
        bot = _find_bot(spec.target)
        if bot is None:
            raise UnknownName("agent", spec.bare, _known_names())
        return _own(spec, bot, spec.target)
    if spec.target == _RANDOM:
        from .random_agent import RandomAgent

        return _own(spec, RandomAgent, _RANDOM)
    if spec.target == _HUMAN:
        from .human.person import HumanAgent

        return _own(spec, HumanAgent, _HUMAN)
    if spec.target in _registered:
        return _own(spec, _registered[spec.target].factory, spec.target)
    if spec.target in _minds():
        return _language_model(spec)
    point = _plugins().get(spec.target)
    if point is None:
        raise UnknownName("agent", spec.target, _known_names())
    from .user_agents import user_spec

    module, _, attr = point.value.partition(":")
    inner = SpecText("module", module.strip(), attr.partition("[")[0].strip(), spec.params)
    return dataclasses.replace(
        user_spec(inner, root, trusted=trusted),
        text=str(spec),
        name=spec.target + query(spec.params),
    )


def _own(spec: SpecText, factory: Callable[..., Any], name: str) -> AgentSpec:
    """A shipped or registered agent: code of this process."""
    from .user_code import bind

    made = bind(factory, spec.params, where=spec.bare)
    # A bot whose behaviour changes says so by its version; all else may be edited freely.
    version = getattr(factory, "version", 1)
    return AgentSpec(
        text=str(spec),
        name=name + query(spec.params),
        identity=f"{spec}@{version}",
        deterministic=bool(getattr(factory, "deterministic", False)),
        isolated=False,
        language=bool(getattr(factory, "language", False)),
        factory=made,
        human=bool(getattr(factory, "human", False)),
        fits=_in_own_seats(spec.bare, tuple(getattr(factory, "seats", ()))),
    )


def _in_own_seats(name: str, seats: tuple[str, ...]) -> Callable[[str, Seat], None] | None:
    """What refuses every seat but a bot's own; None if it sits anywhere."""

    def fits(world: str, seat: Seat) -> None:
        if seat.id not in seats:
            raise UsageError(
                f"{name} sits in the seat {' or '.join(seats)} only, not in {seat.id!r} of {world}"
            )

    return fits if seats else None


def _language_model(spec: SpecText) -> AgentSpec:
    from .language.agent_spec import llm_agent_spec, mind_spec

    resolved = llm_agent_spec if spec.kind == "llm" else mind_spec
    found = resolved(spec.target, spec.params)
    return AgentSpec(
        text=str(spec),
        name=found.name,
        identity=found.identity,
        deterministic=found.deterministic,
        isolated=False,
        language=True,
        factory=found.factory,
        priced=found.priced,
        sendable=True,
    )


def _families() -> list[str]:
    from . import scripted

    return sorted(module.name for module in pkgutil.iter_modules(scripted.__path__))


def _bots(family: str) -> Mapping[str, type]:
    module = importlib.import_module(f".scripted.{family}", __package__)
    return getattr(module, "BOTS", {})


def _find_bot(name: str) -> type | None:
    """The bot of that name; families after the one that has it are not imported."""
    return next((bots[name] for family in _families() if name in (bots := _bots(family))), None)


def _all_bots() -> dict[str, type]:
    return dict(sorted(item for family in _families() for item in _bots(family).items()))


def _models() -> Mapping[str, str]:
    from .language.agent_spec import llm_models

    return {f"llm:{name}": summary for name, summary in llm_models().items()}


def _minds() -> Mapping[str, str]:
    from .language.agent_spec import known_minds

    return known_minds()


def _known_names() -> list[str]:
    bots = [f"scripted:{name}" for name in _all_bots()]
    return [_RANDOM, _HUMAN, *bots, *_models(), *_minds(), *_registered, *_plugins()]


def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _plugin_summary(point: EntryPoint) -> str:
    """Its docstring's first line, read from the source: nothing of a plug-in runs to list it."""
    from .source import find_module, read_source

    package = point.dist.name if point.dist else "?"
    module, _, attr = point.value.partition(":")
    try:
        definition = read_source(find_module(module.strip()), module).find(attr, module)
    except UsageError as error:
        return f"broken plug-in of {package}: {error}"
    said = definition.summary if definition else ""
    return said or f"plug-in of {package}"


def _summary(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def source_hash(thing: Any) -> str:
    """sha256 of an object's source text, or of its name where the source is not to be had."""
    target = thing if inspect.isclass(thing) or inspect.isroutine(thing) else type(thing)
    try:
        text = inspect.getsource(target)
    except (OSError, TypeError):
        text = f"{target.__module__}.{target.__qualname__}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
