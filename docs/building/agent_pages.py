"""A page per family of agents, from the registry and the bots' docstrings."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

from prose import code, sections, table, to_markdown

from gymposium.agents import scripted
from gymposium.agents.human.person import HumanAgent
from gymposium.agents.language.agent_spec import known_minds, llm_models
from gymposium.agents.methods import method_names, resolve_method
from gymposium.agents.random_agent import RandomAgent
from gymposium.errors import UsageError


def agent_pages() -> Iterator[tuple[str, str]]:
    """(file name without ending, Markdown) of every family."""
    yield "baselines", _baselines()
    for module in sorted(pkgutil.iter_modules(scripted.__path__), key=lambda it: it.name):
        family = importlib.import_module(f"{scripted.__name__}.{module.name}")
        if getattr(family, "BOTS", None):
            yield module.name, _family(family)
    yield "language_models", _models()
    yield "training_methods", _methods()


def _doc(thing: Any) -> dict[str, str]:
    return sections(inspect.getdoc(thing) or "")


def _head(doc: dict[str, str]) -> str:
    """A docstring as a page begins: its first line up to a colon, comma, … is the title."""
    first, _, rest = doc[""].partition("\n")
    title, mark, more = re.fullmatch(r"([^:;,]*)([:;,]?)(.*)", first).groups()
    said = f"{more.strip()[:1].upper()}{more.strip()[1:]}" if mark else ""
    return "\n\n".join(filter(None, (f"# {title.strip('. ')}", said, rest.strip())))


def _baselines() -> str:
    pieces = ["# Baselines\n\nTwo agents that can sit in any seat of any world."]
    for spec, agent in (("random", RandomAgent), ("human", HumanAgent)):
        module = inspect.getmodule(agent)
        doc = sections(inspect.getdoc(module) or "")[""]
        pieces.append(f"## `{spec}`\n\n{doc}")
    return "\n\n".join(pieces) + "\n"


def _family(module: Any) -> str:
    pieces = [_head(_doc(module))]
    rows, details = [], []
    for name, bot in module.BOTS.items():
        doc = _doc(bot)
        spec = f"scripted:{name}"
        worlds = [f"[{id}](../worlds/{id.rpartition('-v')[0]}.md)" for id in bot.worlds]
        rows.append((code(spec), doc[""].partition("\n")[0], ", ".join(worlds)))
        details.append(_details(spec, bot, doc))
    pieces.append(table(("spec", "what it does", "worlds"), rows))
    return "\n\n".join([*pieces, *filter(None, details)]) + "\n"


def _details(spec: str, bot: type, doc: dict[str, str]) -> str:
    """What there is to say beyond the first line."""
    more = doc[""].partition("\n")[2].strip()
    parameters = _parameters(bot, doc.get("Args", ""))
    if not more and not parameters:
        return ""
    return "\n\n".join(filter(None, (f"## `{spec}`", more, parameters)))


def _parameters(bot: type, said: str) -> str:
    if bot.__init__ is object.__init__:  # type: ignore[misc]
        return ""
    meanings = dict(re.findall(r"^(\w+): (.*(?:\n +.*)*)", said, re.M))
    rows = [
        (code(name), code(_default(it.default)), meanings.get(name, ""))
        for name, it in inspect.signature(bot).parameters.items()
    ]
    return table(("parameter", "default", "meaning"), rows)


def _default(value: Any) -> Any:
    if value is inspect.Parameter.empty:
        return "required"
    return f"{value:.4g}" if isinstance(value, float) else value


def _models() -> str:
    from gymposium.agents.language import llm_agent

    rows = [(code(f"llm:{name}"), to_markdown(said)) for name, said in llm_models().items()]
    minds = [(code(name), to_markdown(said)) for name, said in known_minds().items()]
    pieces = [
        "# Language models",
        _doc(llm_agent)[""],
        "How to use them: [Agents](../agents.md#language-models).",
        table(("spec", "what plays"), rows),
        "## Minds",
        "Models that think in parts before each move: [Minds](../minds.md).",
        table(("spec", "what it thinks"), minds),
    ]
    return "\n\n".join(pieces) + "\n"


def _methods() -> str:
    specs = [resolve_method(name) for name in method_names()]
    rows = [(code(spec.name), spec.summary, ", ".join(map(code, spec.extras))) for spec in specs]
    found: dict[str, list[tuple[str, str, str]]] = {}
    said: dict[str, str] = {}
    for spec in specs:
        try:
            said[spec.name] = _doc(spec.load())[""]
            found[spec.name] = _config(spec)
        except UsageError as missing:  # not installed here: it stays in the list
            said[spec.name] = str(missing)
    shared = [
        row for row in next(iter(found.values()), []) if all(row in it for it in found.values())
    ]
    head = ("parameter", "default", "meaning")
    pieces = [
        "# Training methods",
        "How agents are made. A method is named with its parameters behind it, as an agent is: "
        "`fcgrad?beta=0.7`.",
        table(("method", "what it is", "extras"), rows),
        "## Parameters of all methods",
        table(head, shared),
    ]
    for name, text in said.items():
        own = [row for row in found.get(name, []) if row not in shared]
        pieces += [f"## `{name}`", text, table(head, own)]
    return "\n\n".join(filter(None, pieces)) + "\n"


def _config(spec: Any) -> list[tuple[str, str, str]]:
    return [
        (code(name), code(entry.get("default", "required")), to_markdown(entry.get("doc", "")))
        for name, entry in spec.parameters().items()
    ]
