"""``gymposium list``: the worlds, agents, scenarios, models, methods and ratings there are."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import typer

from . import arguments
from .output import heading, print_json, print_table


class Kind(StrEnum):
    """What can be listed."""

    worlds = "worlds"
    agents = "agents"
    scenarios = "scenarios"
    models = "models"
    methods = "methods"
    ratings = "ratings"


def list_things(
    kind: Kind | None = typer.Argument(None, help="what to list (default: everything)"),
    as_json: bool = arguments.JSON,
) -> None:
    """List worlds, agents, scenarios, models, methods and ratings."""
    kinds = [kind] if kind is not None else list(Kind)
    found = {each.value: _LISTINGS[each]() for each in kinds}
    if as_json:
        print_json(found[kind.value] if kind is not None else found)
        return
    for name, entries in found.items():
        if kind is None:
            heading(name)
        columns, cells = _COLUMNS[Kind(name)]
        print_table(columns, (cells(entry) for entry in entries))
    _warn_of_broken_plugins()


def worlds() -> list[dict[str, Any]]:
    """Each world as plain data."""
    from gymposium.envs.registry import specs

    return [
        {
            "id": spec.id,
            "summary": spec.summary,
            "seats": list(spec.seats),
            "kind": spec.kind,
            "turn_based": spec.turn_based,
            "presets": sorted(spec.presets),
            "tags": list(spec.tags),
            "extras": list(spec.extras),
            "since": spec.since,
        }
        for spec in specs()
    ]


def agents() -> list[dict[str, Any]]:
    """Each known agent as plain data."""
    from gymposium.agents.registry import known_agents

    return [
        {"spec": agent.spec, "summary": agent.summary, "worlds": list(agent.worlds)}
        for agent in known_agents()
    ]


def scenarios() -> list[dict[str, Any]]:
    """Each scenario that comes with the package as plain data."""
    from gymposium.scenarios.load import named

    found = []
    for listed in named().values():
        its = listed.load()
        found.append(
            {
                "name": listed.name,
                "family": listed.family,
                "description": its.description,
                "worlds": [entry.id for entry in its.worlds],
                "agents": [entry.label for entry in its.agents],
                "schedule": its.schedule.kind,
            }
        )
    return found


def models() -> list[dict[str, Any]]:
    """Each language model that has a name here."""
    from .models import _rows

    return _rows()


def ratings() -> list[dict[str, Any]]:
    """Each rating as plain data."""
    from gymposium.arenas.ratings.registry import RATINGS

    return [
        {
            "name": spec.name,
            "summary": spec.summary,
            "unit": spec.unit,
            "compares": spec.compares,
            "kinds": sorted(spec.kinds),
            "sides": list(spec.sides),
            "needs": spec.complete,
            "anchors": spec.anchors,
        }
        for spec in RATINGS.values()
    ]


def methods() -> list[dict[str, Any]]:
    """Each training method as plain data."""
    from gymposium.agents.methods import methods

    return [
        {"name": spec.name, "kind": spec.kind, "summary": spec.summary, "extras": list(spec.extras)}
        for spec in methods()
    ]


def _seats(bounds: list[int]) -> str:
    low, high = bounds
    return str(low) if low == high else f"{low}–{high}"


_LISTINGS: dict[Kind, Callable[[], list[dict[str, Any]]]] = {
    Kind.worlds: worlds,
    Kind.agents: agents,
    Kind.scenarios: scenarios,
    Kind.models: models,
    Kind.methods: methods,
    Kind.ratings: ratings,
}

_COLUMNS: dict[Kind, tuple[tuple[str, ...], Callable[[dict[str, Any]], tuple[object, ...]]]] = {
    Kind.methods: (
        ("method", "trains", "how"),
        lambda it: (it["name"], it["kind"], it["summary"]),
    ),
    Kind.worlds: (
        ("world", "seats", "kind", "what it is"),
        lambda it: (it["id"], _seats(it["seats"]), it["kind"], it["summary"]),
    ),
    Kind.agents: (
        ("agent", "plays", "what it does"),
        lambda it: (it["spec"], ", ".join(it["worlds"]) or "every world", it["summary"]),
    ),
    Kind.scenarios: (
        ("scenario", "family", "worlds", "what it asks"),
        lambda it: (
            it["name"],
            it["family"],
            ", ".join(dict.fromkeys(it["worlds"])),
            it["description"],
        ),
    ),
    Kind.models: (
        ("model", "here", "what it is"),
        lambda it: (it["name"], "yes" if it["installed"] else "no", it["summary"]),
    ),
    Kind.ratings: (
        ("rating", "compares", "what it is"),
        lambda it: (it["name"], it["compares"], it["summary"]),
    ),
}


def _warn_of_broken_plugins() -> None:
    from gymposium.envs.registry import broken_plugins

    from .guard import say

    for name, reason in broken_plugins().items():
        say(f"the installed plug-in {name!r} could not be loaded and is left out: {reason}")
