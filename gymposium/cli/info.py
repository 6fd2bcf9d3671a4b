"""``gymposium info``: everything about one world, scenario, agent or training method."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from . import arguments
from .output import heading, print_json, print_lines, print_table


def info(
    name: str = typer.Argument(
        help="a world id, a scenario's name or file, an agent's spec, or a method"
    ),
    params: list[str] = typer.Option(
        [], "--param", "-p", metavar="KEY=VALUE", help="a world's parameter", show_default=False
    ),
    as_json: bool = arguments.JSON,
) -> None:
    """Show a world's rules, parameters, spaces and a sample turn; or what plays, or learns."""
    kind, found = _find(name, arguments.pairs(params))
    if as_json:
        print_json({"type": kind, **found})
    else:
        _SHOW[kind](found)


def _find(name: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Which of the three ``name`` is, and its facts.

    Raises:
        UnknownName: it is none of them.
    """
    from gymposium.agents.methods import method_names
    from gymposium.envs.own_module import is_place
    from gymposium.envs.registry import spec
    from gymposium.errors import UnknownName
    from gymposium.scenarios.load import named

    if name.partition("?")[0] in method_names():
        return "method", _method(name)
    if name in named() or name.lower().endswith((".yaml", ".yml")):
        return "scenario", _scenario(name)
    agents = _agents()
    if name in agents:
        return "agent", agents[name]
    if is_place(name) and not _is_own_world(name):
        return "agent", _resolved(name)
    try:
        world_id = spec(name).id
    except UnknownName:
        if _is_agent_spec(name):
            return "agent", _resolved(name)
        raise UnknownName(
            "world, scenario, agent or method",
            name,
            [*arguments.known_worlds(), *named(), *agents, *method_names()],
        ) from None
    return "world", _world(world_id, params)


def _agents() -> dict[str, dict[str, Any]]:
    from .listing import agents

    return {entry["spec"]: entry for entry in agents()}


def _is_own_world(name: str) -> bool:
    """Whether ``FILE.py:CLASS`` is a world; what acts is an agent, and is not run to find out."""
    from gymposium.agents.source import find_source
    from gymposium.envs.registry import spec
    from gymposium.envs.world import RuleWorld

    place, _, attribute = name.partition("?")[0].rpartition(":")
    source, *_ = find_source(place, Path.cwd(), file=place.endswith(".py"))
    found = source.find(attribute, place)
    if found is None or found.acts or found.kind != "class":
        return False
    return issubclass(spec(name).load(), RuleWorld)


def _is_agent_spec(name: str) -> bool:
    return ":" in name


def _resolved(name: str) -> dict[str, Any]:
    from gymposium.agents.registry import resolve

    spec = resolve(name)
    return {
        "spec": spec.text,
        "summary": f"plays under the name {spec.name}",
        "worlds": [],
        "deterministic": spec.deterministic,
        "child_process": spec.isolated,
        "language_model": spec.language,
    }


def _method(text: str) -> dict[str, Any]:
    import inspect

    from gymposium.agents.methods import resolve_method

    spec = resolve_method(text)
    spec.config()  # complains about parameters that do not exist
    return {
        "name": spec.name,
        "kind": spec.kind,
        "summary": spec.summary,
        "extras": list(spec.extras),
        "params": dict(spec.params),
        "parameters": spec.parameters(),
        "doc": inspect.getdoc(spec.load()) or "",
    }


def _world(world_id: str, params: Mapping[str, Any]) -> dict[str, Any]:
    from gymposium.envs.registry import make_world, parameters, spec

    facts = spec(world_id)
    world = make_world(world_id, **params)
    turn = next(iter(world.reset(0).values()))
    return {
        "id": facts.id,
        "summary": facts.summary,
        "kind": str(world.kind),
        "turn_based": facts.turn_based,
        "horizon": world.horizon,
        "fault_rule": world.fault_rule,
        "presets": {name: dict(values) for name, values in facts.presets.items()},
        "parameters": parameters(world_id),
        "seats": [
            {
                "id": seat.id,
                "role": seat.role,
                "observation_space": _space(seat.observation_space),
                "action_space": _space(seat.action_space),
                "rules": seat.rules,
            }
            for seat in world.seats.values()
        ],
        "example": {"seat": turn.seat, "text": turn.text, "schema": dict(turn.schema)},
    }


def _scenario(name: str) -> dict[str, Any]:
    from .scenario import planned

    scenario = arguments.chosen_scenario(name)
    try:
        matches: int | None = len(planned(scenario))
    except ImportError:  # an extra that a world needs is not installed
        matches = None
    return {**scenario.model_dump(mode="json"), "matches": matches}


def _space(space: Any) -> str:
    """A space as it is usually written, but for the alphabet of texts, which fills the screen."""
    from gymnasium import spaces

    if isinstance(space, spaces.Text):
        return f"Text({space.min_length}, {space.max_length})"
    if isinstance(space, spaces.Dict):
        return f"Dict({', '.join(f'{key}: {_space(part)}' for key, part in space.items())})"
    if isinstance(space, spaces.Tuple):
        return f"Tuple({', '.join(map(_space, space))})"
    return str(space)


def _show_world(it: Mapping[str, Any]) -> None:
    timing = "one seat at a time" if it["turn_based"] else "all seats at once"
    horizon = f"at most {it['horizon']} steps" if it["horizon"] else "no fixed length"
    print_lines(f"{it['id']}: {it['summary']}\n{it['kind']}; {timing}; {horizon}")
    print_lines(f"no legal answer: {it['fault_rule']}")
    heading("Seats")
    print_table(
        ("seat", "role", "sees", "does"),
        (
            (
                seat["id"],
                seat["role"],
                _short(seat["observation_space"]),
                _short(seat["action_space"]),
            )
            for seat in it["seats"]
        ),
    )
    heading("Parameters (-p key=value)")
    _print_parameters(it["parameters"])
    if it["presets"]:
        heading("Presets")
        print_table(
            ("preset", "parameters"), ((n, json.dumps(v)) for n, v in it["presets"].items())
        )
    _show_rules(it["seats"])
    heading(f"A first turn, as {it['example']['seat']} is told it")
    print_lines(it["example"]["text"])
    heading("What it may answer (JSON Schema)")
    print_lines(json.dumps(it["example"]["schema"], ensure_ascii=False))


def _show_rules(seats: Sequence[Mapping[str, Any]]) -> None:
    """Rules once for all the seats that are told the same."""
    told: dict[str, list[str]] = {}
    for seat in seats:
        told.setdefault(seat["rules"], []).append(seat["id"])
    for rules, ids in told.items():
        heading("Rules" if len(told) == 1 else f"Rules for {', '.join(ids)}")
        print_lines(rules)


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:199]}…"


def _allowed(entry: Mapping[str, Any]) -> str:
    parts = [str(entry[key]) for key in ("range", "choices") if key in entry]
    if "unit" in entry:
        parts.append(str(entry["unit"]))
    return " ".join(parts)


def _show_scenario(it: Mapping[str, Any]) -> None:
    print_lines(f"{it['name']}: {it['description']}")
    heading("Worlds")
    print_table(
        ("cell", "world", "parameters"),
        ((cell["name"], cell["id"], json.dumps(cell["params"])) for cell in it["worlds"]),
    )
    heading("Play")
    agents = [entry if isinstance(entry, str) else entry["spec"] for entry in it["agents"]]
    print_lines(f"agents: {', '.join(agents) or 'none; name them with --agent'}")
    print_lines(f"schedule: {it['schedule']['kind']}, {it['schedule']['repeats']} seed blocks")
    if it["matches"] is not None:
        print_lines(f"matches: {it['matches']}")


def _show_method(it: Mapping[str, Any]) -> None:
    print_lines(f"{it['name']}: {it['summary']}\ntrains {it['kind']}")
    if it["doc"]:
        print_lines("\n" + it["doc"])
    heading(f"Parameters ({it['name']}?key=value)")
    chosen = {
        name: {**entry, "default": it["params"].get(name, entry.get("default"))}
        for name, entry in it["parameters"].items()
    }
    _print_parameters(chosen)


def _print_parameters(parameters: Mapping[str, Mapping[str, Any]]) -> None:
    print_table(
        ("parameter", "type", "default", "allowed", "meaning"),
        (
            (
                name,
                entry.get("type"),
                json.dumps(entry["default"]) if "default" in entry else "(required)",
                _allowed(entry),
                entry.get("doc"),
            )
            for name, entry in parameters.items()
        ),
    )


def _show_agent(it: Mapping[str, Any]) -> None:
    print_lines(f"{it['spec']}: {it['summary']}")
    print_lines(f"plays: {', '.join(it['worlds']) or 'every world'}")
    for key in ("deterministic", "child_process", "language_model"):
        if key in it:
            print_lines(f"{key.replace('_', ' ')}: {'yes' if it[key] else 'no'}")


_SHOW = {
    "world": _show_world,
    "scenario": _show_scenario,
    "agent": _show_agent,
    "method": _show_method,
}
