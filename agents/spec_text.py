"""The grammar of agent specs, the same on the command line, in YAML and in Python.

``random`` · ``scripted:NAME`` · ``llm:MODEL`` · ``trained:FOLDER`` · ``FILE.py`` ·
``langchain:`` before one of the next two · ``concordia:PREFAB``, or before one of the next two ·
``FILE.py:ATTR`` · ``package.module:ATTR`` · the name of an entry point, each with
``?key=value&key=value`` behind it. Values are YAML scalars; ``%26`` stands for ``&``. That a file
and an attribute name an agent is how uvicorn and Inspect are told what to load. Windows drive
letters are part of the file's name.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote, unquote

from gymposium.errors import UsageError

Kind = Literal["name", "scripted", "llm", "trained", "langchain", "concordia", "file", "module"]
_PREFIXES = ("scripted", "llm", "trained")

# The first ".py" that ends the text or is followed by ":" or "?": "C:\\bots.py:Mine" has one.
_FILE = re.compile(r"(?P<target>.*?\.py)(?::(?P<attr>[^?]*))?(?:\?(?P<query>.*))?", re.DOTALL)
_ATTR = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?[eE][-+]?\d+")
_ODD = re.compile(r"[^ !#-\[\]-~]")
_PLAIN = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class SpecText:
    """A spec taken apart.

    Attributes:
        kind: which form it has.
        target: the name, model, file or module.
        attr: what to take from the file or module; "" if the file is to have only one agent.
        params: constructor arguments.
    """

    kind: Kind
    target: str
    attr: str
    params: Mapping[str, Any]

    @property
    def bare(self) -> str:
        """The spec without its parameters."""
        if self.kind in _PREFIXES:
            return f"{self.kind}:{self.target}"
        if self.kind in ("langchain", "concordia") and self.attr:
            return f"{self.kind}:{self.target}:{self.attr}"
        if self.kind == "concordia":
            return f"concordia:{self.target}"
        return f"{self.target}:{self.attr}" if self.attr else self.target

    def __str__(self) -> str:
        """The canonical spelling: parameters in alphabetical order, values as YAML reads them."""
        return self.bare + query(self.params)


def query(params: Mapping[str, Any]) -> str:
    """``?a=1&b=x`` for parameters, "" for none; :func:`parse_spec` reads it back."""
    if not params:
        return ""
    return "?" + "&".join(f"{key}={_spell(params[key])}" for key in sorted(params))


def parse_spec(text: str, extra: Mapping[str, Any] | None = None) -> SpecText:
    """Take a spec apart.

    Args:
        text: the spec as a person wrote it.
        extra: parameters given beside it (YAML's ``params``).

    Raises:
        UsageError: it is empty or misspelt; the sentence says where.
    """
    text = text.strip()
    if text.startswith("langchain:"):
        inner = parse_spec(text.removeprefix("langchain:").strip(), extra)
        if inner.kind not in ("file", "module") or not inner.attr:
            raise UsageError(
                f"the agent {text!r} names no model; write langchain:package.module:FACTORY or "
                "langchain:FILE.py:FACTORY"
            )
        return SpecText("langchain", inner.target, inner.attr, inner.params)
    if text.startswith("concordia:"):
        inner = parse_spec(text.removeprefix("concordia:").strip(), extra)
        if inner.kind not in ("name", "module") and not (inner.kind == "file" and inner.attr):
            raise UsageError(
                f"the agent {text!r} names no prefab; write concordia:basic, "
                "concordia:FILE.py:CLASS or concordia:package.module:CLASS"
            )
        return SpecText("concordia", inner.target, inner.attr, inner.params)
    match = _FILE.fullmatch(text)
    if match and not text.startswith("trained:"):
        attr = match["attr"]
        if attr == "":
            raise UsageError(f"the agent {text!r} names nothing after ':'; write FILE.py:CLASS")
        kind, target, attr, written = "file", match["target"], attr or "", match["query"]
    else:
        before, mark, written = text.partition("?")
        written = written if mark else None
        prefix, colon, rest = before.partition(":")
        if not before:
            raise UsageError(
                "an agent's spec is empty; `gymposium list agents` shows what there is"
            )
        if not colon:
            kind, target, attr = "name", before, ""
        elif prefix in _PREFIXES:
            kind, target, attr = prefix, rest, ""
        elif len(prefix) == 1 or "/" in before or "\\" in before:
            raise UsageError(f"the agent {text!r} looks like a file, but does not name a .py file")
        else:
            kind, target, attr = "module", prefix, rest
        if colon and not rest:
            raise UsageError(f"the agent {text!r} names nothing after {prefix + ':'!r}")
    if attr and not _ATTR.fullmatch(attr):
        raise UsageError(f"the agent {text!r}: {attr!r} is not the name of a class or function")
    params = {**_parse_query(text, written), **(extra or {})}
    if "trusted" in params:
        raise UsageError(
            f"the agent {text!r} cannot declare itself trusted: say --trusted on the command "
            "line, trusted=True in Python, or `trusted: true` beside the spec in YAML"
        )
    return SpecText(kind, target, attr, params)  # type: ignore[arg-type]


def _parse_query(text: str, written: str | None) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for part in (written or "").split("&"):
        if not part:
            continue
        key, equals, value = part.partition("=")
        if not equals or not key.isidentifier():
            raise UsageError(f"the agent {text!r}: {part!r} is not of the form key=value")
        if key in params:
            raise UsageError(f"the agent {text!r} gives the parameter {key!r} twice")
        params[key] = scalar(unquote(value))
    return params


def scalar(text: str) -> Any:
    """What ``text`` means as a YAML scalar; lists of scalars pass too, all else stays text."""
    if _NUMBER.fullmatch(text):  # YAML 1.1 takes 1e-3 for text; nobody who writes it does
        return float(text)
    import yaml

    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return text
    if type(value) in _PLAIN:
        # "~", "null" and nothing at all: only the words mean None.
        return value if value is not None or text.strip() else text
    if isinstance(value, list) and all(type(item) in _PLAIN for item in value):
        return value
    return text


def _spell(value: Any) -> str:
    return quote(_yaml(value), safe=" !'()*,-./:;<>@[]^_`{|}~\\\"$+=")


def _escape(match: re.Match[str]) -> str:
    # YAML folds and refuses more characters than JSON does, and knows no surrogate pairs.
    return f"\\U{ord(match[0]):08x}"


def _yaml(value: Any, *, quoted: bool = False) -> str:
    """A spelling that :func:`scalar` reads back as the same value."""
    if isinstance(value, str):
        as_is = not quoted and type(scalar(value)) is str and scalar(value) == value
        return value if as_is else f'"{_ODD.sub(_escape, value)}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(_yaml(item, quoted=True) for item in value)}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{'-' if value < 0 else ''}.{'nan' if value != value else 'inf'}"
    if isinstance(value, float):
        text = repr(value)
        # YAML 1.1 knows an exponent only behind a decimal point.
        return text if "." in text else text.replace("e", ".0e")
    return json.dumps(value)
