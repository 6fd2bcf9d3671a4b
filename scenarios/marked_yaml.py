"""YAML that remembers its lines, and refuses what a scenario file has no business holding.

Plain data only (YAML 1.2 scalars: ``no`` is text, ``12:30`` is text), one document, text keys, no
key twice, and caps on size, depth and on what anchors may grow to. Every value's line is kept, so
that an error found later, by pydantic or by a world, can still point at it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from gymposium.errors import UsageError, nearest

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20
MAX_NODES = 20_000

Place = tuple[str | int, ...]

_TAG = "tag:yaml.org,2002:"
_PLAIN_TAGS = {_TAG + kind for kind in ("str", "int", "float", "bool", "null", "seq", "map")}
_RESOLVERS = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+.0123456789",
    ),
)


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012 - PyYAML's own class variable


class _Dumper(yaml.SafeDumper):
    yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012 - PyYAML's own class variable

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _kind, _pattern, _first in _RESOLVERS:
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(
            _TAG + _kind, re.compile(f"^(?:{_pattern})$"), ["" if c == "\0" else c for c in _first]
        )


def _construct_int(loader: _Loader, node: ScalarNode) -> int:
    text = loader.construct_scalar(node)
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text[2:] if base != 10 else text, base)


def _construct_float(loader: _Loader, node: ScalarNode) -> float:
    return float(
        loader.construct_scalar(node).lower().replace(".inf", "inf").replace(".nan", "nan")
    )


_Loader.add_constructor(_TAG + "int", _construct_int)
_Loader.add_constructor(_TAG + "float", _construct_float)


@dataclass(frozen=True)
class Source:
    """Where a document came from, and on which line each of its values stands.

    Attributes:
        name: the file as the user named it.
        lines: line (from 1) by place, e.g. ``("worlds", 0, "params")``; keys stand for values.
    """

    name: str
    lines: Mapping[Place, int] = field(default_factory=dict)

    def where(self, place: Place) -> str:
        """``file:line`` of the value at ``place``, or of the nearest value that encloses it."""
        while place not in self.lines and place:
            place = place[:-1]
        line = self.lines.get(place)
        return self.name if line is None else f"{self.name}:{line}"


def read_yaml(data: bytes, name: str) -> tuple[Any, Source]:
    """Parse one YAML document of plain data.

    Args:
        data: the file's bytes (UTF-8).
        name: the file as the user named it, for messages.

    Returns:
        The value, and the lines of everything in it.

    Raises:
        UsageError: not YAML, not UTF-8, several documents, a key twice, a tag, too large, too deep.
    """
    if len(data) > MAX_BYTES:
        raise UsageError(f"{name}: {len(data)} bytes; a scenario may have {MAX_BYTES} at most")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name}: byte {error.start} is not UTF-8; save the file as UTF-8"
        ) from None
    try:
        _check_depth(text, name)
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            raise UsageError(f"{name}: the file is empty; a scenario has at least name and worlds")
        lines: dict[Place, int] = {}
        _survey(node, name, lines)
        value = loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark is not None else ""
        problem = " ".join((error.problem or "not YAML").split())
        raise UsageError(f"{name}{line}: {problem}; fix the YAML there") from None
    except (yaml.YAMLError, ValueError) as error:
        problem = " ".join(str(error).split())
        raise UsageError(f"{name}: {problem}; fix the YAML there") from None
    return value, Source(name, lines)


def write_yaml(value: Any) -> str:
    """``value``, plain data, as YAML that :func:`read_yaml` reads back to the same value."""
    made = _dump(value, allow_unicode=True)
    # PyYAML writes these line breaks and marks bare, and then reads them as space or not at all.
    return _dump(value, allow_unicode=False) if set(made) & set("\x85\u2028\u2029\ufeff") else made


def _dump(value: Any, *, allow_unicode: bool) -> str:
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=allow_unicode, width=100
    )
    return text


def _check_depth(text: str, name: str) -> None:
    """Refuse deep nesting before anything recursive sees it: events are read one by one."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                mark = event.start_mark
                line = 0 if mark is None else mark.line + 1
                raise UsageError(
                    f"{name}:{line}: nested deeper than {MAX_DEPTH} levels; flatten it"
                )
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _survey(root: Node, name: str, lines: dict[Place, int]) -> None:
    """Walk the document as it will be after aliases are expanded, noting lines and refusing."""
    count = 0
    todo: list[tuple[Node, Place, int]] = [(root, (), 0)]
    while todo:
        node, place, depth = todo.pop()
        count += 1
        line = node.start_mark.line + 1
        if count > MAX_NODES or depth > 2 * MAX_DEPTH:
            raise UsageError(
                f"{name}:{line}: grows beyond {MAX_NODES} values or {2 * MAX_DEPTH} levels, "
                "anchors expanded; write less, or without anchors"
            )
        if node.tag not in _PLAIN_TAGS:
            tag = node.tag.replace(_TAG, "!!")
            raise UsageError(f"{name}:{line}: tag {tag} is not allowed; use plain values")
        lines.setdefault(place, line)
        if isinstance(node, SequenceNode):
            todo.extend((item, (*place, i), depth + 1) for i, item in enumerate(node.value))
        elif isinstance(node, MappingNode):
            todo.extend(
                (value, (*place, key), depth + 1)
                for key, value in _entries(node, name, place, lines)
            )


def _entries(
    node: MappingNode, name: str, place: Place, lines: dict[Place, int]
) -> Iterator[tuple[str, Node]]:
    first: dict[str, int] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, ScalarNode) or key.tag != _TAG + "str":
            found = key.value if isinstance(key, ScalarNode) else "a collection"
            raise UsageError(f"{name}:{line}: key {found!r} is not text; put it in quotes")
        if key.value in first:
            raise UsageError(
                f"{name}:{line}: key {key.value!r} is there twice (first on line "
                f"{first[key.value]}); keep one"
            )
        first[key.value] = line
        lines[(*place, key.value)] = line
        yield key.value, value


def closest(name: str, known: list[str]) -> str:
    """`` did you mean 'x'?`` or nothing."""
    near = nearest(name, known, count=1)
    return f"; did you mean {near[0]!r}?" if near else ""
