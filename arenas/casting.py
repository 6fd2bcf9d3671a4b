"""Who plays: a scenario's agents, or those given in their place, found and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..agents.registry import AgentSpec
    from ..scenarios.model import Scenario


def seat_agents(
    scenario: Scenario, agents: Sequence[Any] | None, *, trusted: bool | frozenset[str] = False
) -> tuple[Scenario, dict[str, AgentSpec]]:
    """Find out who plays.

    Args:
        scenario: its own agents play unless others are given.
        agents: specs or live Python objects that replace ``scenario.agents``; a world's own extra
            agents, the background and the judges stay.
        trusted: run users' agents in this process: all, or those of these names.

    Returns:
        The scenario with these agents written into it, and every agent in it by name.

    Raises:
        UsageError: an agent that cannot be made.
    """
    from ..agents.registry import resolve
    from ..scenarios.load import change

    live: dict[str, AgentSpec] = {}
    if agents is not None:
        entries: list[Any] = []
        for agent in agents:
            if isinstance(agent, str | Mapping):
                entries.append(agent)
            else:
                spec = resolve(agent)
                live[spec.text] = spec
                taken = any(name == spec.name for name in map(_name_of, entries))
                entries.append(spec.text if taken else {"spec": spec.text, "name": spec.name})
        scenario = change(scenario, agents=entries)
    everyone = [
        *scenario.agents,
        *scenario.background,
        *scenario.judges,
        *(entry for world in scenario.worlds for entry in world.agents),
    ]
    found: dict[str, AgentSpec] = {}
    for entry in everyone:
        name = entry.label
        if name not in found:
            mine = trusted if isinstance(trusted, bool) else name in trusted
            found[name] = live.get(entry.spec) or resolve(entry.as_spec(), trusted=mine)
    return scenario, found


def _name_of(entry: Any) -> str:
    return str(entry.get("name") or entry["spec"]) if isinstance(entry, Mapping) else str(entry)
