"""From ``llm:MODEL?key=value`` to a language agent: parameters checked, identity computed.

Every check happens here, before a match begins: a misspelt parameter or a missing model file is
wrong usage, not something to discover in the middle of a tournament.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import orjson

from gymposium.errors import UnknownName, UsageError

from .backends.choosing import Choosing
from .backends.pool import get_backend
from .backends.prices import price_of
from .backends.seeing import sees
from .backends.settings import (
    SETTINGS,
    Kind,
    check_settings,
    endpoint_of,
    kind_of,
    outcome_settings,
)
from .llm_agent import MEMORY_TOKENS, LLMAgent
from .minds.associative_memory import AssociativeMemory
from .minds.families import DEFAULT_MODEL, families, family
from .minds.mind import Mind
from .models import ModelFacts, known_models, model_digest, model_facts, model_file
from .prompt import LAYOUT
from .weights import own_folder, require_libraries

AGENT_PARAMETERS: Mapping[str, str] = {
    "temperature": "of sampling, from 0 to 2",
    "top_p": "nucleus to sample from, above 0 and at most 1",
    "max_tokens": "where a reply is cut off; the longest legal reply unless given",
    "memory_tokens": "how much of the match is remembered",
    "persona": "who the model is to be, in words put before the rules",
    "think": "1 asks for a short thought before the action",
    "max_text": "longest string in an action, in characters; the world's own limit unless given",
    "images": "1 sends the pictures that a world draws of a turn",
    "choose": "'writing', or 'likelihood': picked from the legal answers by how likely each is",
    "mind": "what it thinks in parts before each move; `gymposium list agents` has the names",
}
"""What a language agent can be given, with its meaning."""

_SCORING: tuple[Kind, ...] = ("transformers", "embedded", "openai", "vllm")
_DEFAULTS: Mapping[str, Any] = {
    "temperature": 0.7,
    "top_p": 1.0,
    "max_tokens": None,
    "memory_tokens": MEMORY_TOKENS,
    "persona": "",
    "think": True,
    "max_text": None,
}


class LLMAgentSpec(NamedTuple):
    """A resolved ``llm:`` specification.

    Attributes:
        factory: makes a fresh agent for one seat of one match.
        identity: all that can change what it does; enters match keys.
        deterministic: equal matches give equal play.
        name: short, for tables; a stand-in says that it is one.
        priced: it is known what its tokens cost.
    """

    factory: Callable[[], LLMAgent]
    identity: str
    deterministic: bool
    name: str
    priced: bool


def llm_agent_spec(model_text: str, params: Mapping[str, Any] | None = None) -> LLMAgentSpec:
    """Resolve what stands behind ``llm:``.

    Args:
        model_text: ``smollm2``, the path of a GGUF file, ``MODEL@https://host/v1``,
            ``transformers/MODEL``, ``vllm/MODEL``, or ``scripted/legal``.
        params: agent parameters (``AGENT_PARAMETERS``) and settings of the model's kind of backend
            (``SETTINGS``).

    Returns:
        The factory and what the arena must know about its agents.

    Raises:
        UnknownName: no such model or parameter.
        UsageError: a wrong value, or the model's file is not on this machine.
    """
    given = dict(params or {})
    known = SETTINGS[kind_of(model_text)]
    settings = {key: given.pop(key) for key in list(given) if key in known}
    where = f"llm:{model_text}"
    for key in given:
        if key not in AGENT_PARAMETERS:
            raise UnknownName("parameter", key, (*AGENT_PARAMETERS, *known), where=where)
    settings = check_settings(model_text, settings)
    model = _model(model_text, settings)
    options = read_parameters(given, where)
    effective = {**_DEFAULTS, **model.advised, **options}
    by_likelihood = effective.get("choose") == "likelihood"
    mind = family(options["mind"], where) if "mind" in options else None
    if by_likelihood or mind:
        # A thought has to be written, and what is picked from is the bare action; a mind has
        # thought before.
        effective["think"] = bool(options.get("think", False))
    _check_abilities(model_text, effective, where)
    told = {**effective, **outcome_settings(model_text, settings), "prompt": LAYOUT}
    if mind:
        told |= {"parts": mind.identity, "memory": AssociativeMemory().by}
    plain = orjson.dumps(told, option=orjson.OPT_SORT_KEYS).decode()
    identity = f"llm:{model.full_name}|{model.digest}|{plain}"

    for key in ("choose", "mind"):
        effective.pop(key, None)

    def factory() -> LLMAgent:
        backend = get_backend(model_text, settings)
        chosen = Choosing(backend, letters=True) if by_likelihood else backend
        return Mind(chosen, mind.build(), **effective) if mind else LLMAgent(chosen, **effective)

    name = f"{options['mind']}({model.name})" if mind else model.name
    return LLMAgentSpec(factory, identity, model.deterministic, name, model.priced)


def mind_spec(name: str, params: Mapping[str, Any]) -> LLMAgentSpec:
    """Resolve a mind that is named alone: ``rational``, ``rational?model=MODEL``.

    Args:
        name: of :func:`.minds.families.families`.
        params: as of :func:`llm_agent_spec`, and ``model``.

    Raises:
        UnknownName, UsageError: as :func:`llm_agent_spec`.
    """
    given = {**params, "mind": name}
    model = given.pop("model", None)
    found = llm_agent_spec(DEFAULT_MODEL if model is None else str(model), given)
    return found if model is not None else found._replace(name=name)


def _check_abilities(text: str, effective: Mapping[str, Any], where: str) -> None:
    """Say now what this kind of backend cannot do."""
    kind = kind_of(text)
    blind = kind == "embedded" or (kind == "transformers" and not sees(text.partition("/")[2]))
    if effective.get("images") and blind:
        raise UsageError(f"{where}: images=1 is not possible: this model cannot see")
    if effective.get("choose") == "likelihood":
        if kind not in _SCORING:
            raise UsageError(
                f"{where}: choose=likelihood is not possible: this backend does not tell how "
                f"likely a given answer is; llm:transformers/{text.rpartition('/')[2]} would"
            )
        if effective["think"]:
            raise UsageError(f"{where}: choose=likelihood leaves no room for think=1")


class _Model(NamedTuple):
    """What is known of a model before it is asked anything."""

    name: str
    full_name: str
    digest: str
    deterministic: bool
    advised: Mapping[str, Any] = {}
    priced: bool = True


def _model(text: str, settings: Mapping[str, Any]) -> _Model:
    """Find the model, so that what is missing is said now and not in the middle of a run."""
    kind = kind_of(text)
    if kind == "scripted":
        stand_in = get_backend(text)
        name = stand_in.name
        return _Model(name, name, "stand-in", stand_in.deterministic, {"think": False})
    if kind == "openai":
        endpoint = endpoint_of(text)
        get_backend(text, settings)
        full_name = "@".join(endpoint)
        priced = price_of(full_name) is not None
        return _Model(endpoint.model, full_name, "endpoint", deterministic=False, priced=priced)
    exact = bool(settings.get("exact", False))
    if kind in ("transformers", "vllm"):
        return _weights(text, settings, exact)
    facts = model_facts(text)
    model_file(text)
    get_backend(text, settings)
    return _Model(_short(facts), facts.name, model_digest(text), exact, facts.agent)


def _weights(text: str, settings: Mapping[str, Any], exact: bool) -> _Model:
    backend = get_backend(text, settings)
    source = text.partition("/")[2]
    facts = None if own_folder(source) else model_facts(source)
    if facts is not None:
        model_file(source)
    require_libraries(source, torch=kind_of(text) == "transformers")
    short = f"{kind_of(text)}/{_short(facts)}" if facts else backend.name
    name, _, digest = str(getattr(backend, "identity", backend.name)).partition("|")
    return _Model(short, name, digest, exact, facts.agent if facts else {})


def llm_models() -> Mapping[str, str]:
    """The model names that can follow ``llm:``, each with one line about it."""
    known = {_short(facts): facts.summary for facts in known_models().values()}
    return {**known, "scripted/legal": "a stand-in that plays legally at random, not a model"}


def known_minds() -> Mapping[str, str]:
    """The names of minds, each with one line about it."""
    return {name: made.summary for name, made in families().items()}


def _short(facts: ModelFacts) -> str:
    return facts.aliases[0] if facts.aliases else facts.name


def read_parameters(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A language agent's parameters, checked and converted.

    Args:
        given: some of ``AGENT_PARAMETERS``.
        where: the spec, for messages.

    Raises:
        UsageError: a wrong value.
    """
    return {key: _checked(key, value, where) for key, value in given.items()}


def _checked(key: str, value: Any, where: str) -> Any:
    """``value`` converted to what the parameter takes, or a sentence on what it takes."""
    made = _read(key, value)
    if made is None:
        raise UsageError(
            f"{where}: {key}={value!r} is not allowed; {key} is {AGENT_PARAMETERS[key]}"
        )
    return made


def _read(key: str, value: Any) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if key == "temperature":
        return float(value) if number and 0 <= value <= 2 else None
    if key == "top_p":
        return float(value) if number and 0 < value <= 1 else None
    if key in ("max_tokens", "memory_tokens", "max_text"):
        whole = number and value == int(value)
        return int(value) if whole and value >= (0 if key == "memory_tokens" else 1) else None
    if key == "choose":
        return value if value in ("writing", "likelihood") else None
    if key in ("think", "images"):
        return bool(value) if value in (0, 1) else None
    return str(value) if isinstance(value, str | int | float) else None
