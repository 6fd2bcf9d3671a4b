"""A page per world: its docstring, with tables from its parameters and spaces.

What a world's author wrote by hand in ``docs/worlds/NAME.md`` (examples, mostly) is taken into the
page after the first paragraph, so that nothing needs to be said twice.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from prose import code, folded, sections, table, to_markdown
from space_tables import parts

from gymposium.agents.registry import known_agents
from gymposium.envs.registry import WorldSpec, make_world, parameters, world_class

_PLACED = ("", "What it is", "Parameters", "Metrics", "Source", "Versions")


def world_page(spec: WorldSpec, written: str = "") -> str:
    """The page.

    Args:
        spec: the world.
        written: Markdown written by hand, beginning with a heading; or "".
    """
    doc = sections(sys.modules[world_class(spec.id).__module__].__doc__ or spec.summary)
    world = make_world(spec.id)
    title, _, rest = doc[""].partition("\n")
    lead = "\n\n".join(filter(None, (rest.strip(), doc.get("What it is", ""))))
    body = re.sub(r"\A\s*# .*\n", "", written).strip()
    pieces = [
        f"# {title.partition(':')[0].rstrip('.')} (`{spec.id}`)",
        f"{spec.summary.rstrip('.')}.",
        f"![A match, half way](pictures/{spec.name}.png){{ .world }}",
        _facts(spec, world),
        lead,
        body,
        *(f"## {name}\n\n{text}" for name, text in doc.items() if name not in _PLACED and text),
        _spaces(world),
        _parameters(spec, doc.get("Parameters", "")),
        f"## Metrics\n\n{doc['Metrics']}" if doc.get("Metrics") else "",
        _bots(spec),
        _words(world),
        *(f"## {name}\n\n{doc[name]}" for name in ("Source", "Versions") if doc.get(name)),
    ]
    return "\n\n".join(piece for piece in pieces if piece) + "\n"


def _facts(spec: WorldSpec, world: Any) -> str:
    low, high = spec.seats
    view = "Gymnasium" if high == 1 else "AEC" if spec.turn_based else "Parallel"
    rows = [
        ("seats", f"{low}" if low == high else f"{low} to {high}"),
        ("kind", spec.kind.replace("_", "-")),
        ("timing", "one seat at a time" if spec.turn_based else "all at once"),
        ("native view", view),
        ("steps at most", world.horizon or "not bounded"),
        ("no legal answer", to_markdown(world.fault_rule)),
        ("tags", ", ".join(spec.tags)),
    ]
    return table(("", ""), [(f"**{name}**", value) for name, value in rows if value])


def _spaces(world: Any) -> str:
    """Observation and action spaces of the default world, seats that share them together."""
    groups: dict[str, tuple[list[str], Any]] = {}
    for seat in world.seats.values():
        key = f"{seat.observation_space} {seat.action_space}"
        groups.setdefault(key, ([], seat))[0].append(seat.id)
    pieces = ["## Spaces\n\nWith the default parameters, read from the world itself."]
    for ids, seat in groups.values():
        if len(groups) > 1:
            pieces.append(f"### {', '.join(map(code, ids))}")
        for name, space in (("observation", seat.observation_space), ("action", seat.action_space)):
            rows = [
                (code(part.place) if part.place else "the whole", *map(str, part[1:]))
                for part in parts(space)
            ]
            pieces.append(table((name, "space", "shape", "dtype", "values"), rows))
    return "\n\n".join(pieces)


def _parameters(spec: WorldSpec, text: str) -> str:
    rows = [
        (
            code(name),
            code(entry.get("type", "")),
            code(json.dumps(entry["default"])) if "default" in entry else "required",
            _allowed(entry),
            to_markdown(str(entry.get("doc", ""))),
        )
        for name, entry in parameters(spec.id).items()
    ]
    presets = [(code(name), code(json.dumps(dict(it)))) for name, it in spec.presets.items()]
    said = "" if text.startswith("See `") else text
    pieces = [
        said,
        table(("parameter", "type", "default", "allowed", "meaning"), rows),
        "Presets are sets of parameters to copy:" if presets else "",
        table(("preset", "parameters"), presets),
    ]
    return "\n\n".join(["## Parameters", *filter(None, pieces)]) if rows else ""


def _allowed(entry: Mapping[str, Any]) -> str:
    found = [entry[key] for key in ("range", "choices") if key in entry]
    said = [
        ", ".join(map(str, it)) if isinstance(it, list | tuple) and len(it) != 2 else _range(it)
        for it in found
    ]
    return " ".join([*said, *([str(entry["unit"])] if "unit" in entry else [])])


def _range(it: Any) -> str:
    if isinstance(it, list | tuple):
        return f"{it[0]} to {it[1]}" if isinstance(it[0], int | float) else ", ".join(it)
    return str(it)


def _bots(spec: WorldSpec) -> str:
    rows = [
        (code(info.spec), to_markdown(info.summary))
        for info in known_agents()
        if spec.id in info.worlds
    ]
    return f"## Bots\n\n{table(('spec', 'what it does'), rows)}" if rows else ""


def _words(world: Any) -> str:
    """What a newcomer is told, and a first turn."""
    turn = next(iter(world.reset(0).values()))
    return "\n\n".join(["## As it is told to a player", *_told(world, turn)])


def _told(world: Any, turn: Any) -> Iterator[str]:
    yield folded(f"The rules, for {turn.seat}", world.seats[turn.seat].rules)
    yield folded("A first turn", turn.text)
    schema = json.dumps(dict(turn.schema), ensure_ascii=False, indent=1)
    yield folded("What may be answered (JSON Schema)", schema)
