"""Which kind of backend a model's name asks for, and what that kind can be set to.

``MODEL@https://host/v1`` is a model behind an endpoint, ``transformers/MODEL`` one that torch runs
here, ``vllm/MODEL`` one that vLLM serves here, ``scripted/NAME`` a stand-in; everything else names
a model file of this machine. Settings that cannot change an answer (how many calls at once, how
often to try again) are operational: they are nobody's identity.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from gymposium.errors import UnknownName, UsageError

from .endpoint_answer import FORMS

Kind = Literal["embedded", "openai", "transformers", "vllm", "scripted"]
_ENDPOINT = re.compile(r"(?P<model>.+?)@(?P<url>[a-z]+://.*)", re.S)
_PREFIXES = ("scripted", "transformers", "vllm")
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.A)


class Setting(NamedTuple):
    """One thing a backend can be told.

    Attributes:
        kind: of its value; numbers are positive, a ``Path`` is any text.
        meaning: in words.
        operational: it cannot change an answer.
        choices: the only values, for words.
        least: of a number.
    """

    kind: type
    meaning: str
    operational: bool = False
    choices: tuple[str, ...] = ()
    least: int = 1


SETTINGS: Mapping[Kind, Mapping[str, Setting]] = {
    "embedded": {
        "exact": Setting(bool, "one slot and nothing reused: same prompts and seeds, same answers"),
        "slots": Setting(int, "calls answered at the same time", operational=True),
        "context": Setting(int, "tokens of context per call"),
        "threads": Setting(int, "processor threads", operational=True),
    },
    "openai": {
        "slots": Setting(int, "calls under way at the same time", operational=True),
        "timeout": Setting(float, "seconds for one attempt, connecting included", operational=True),
        "retries": Setting(int, "attempts after the first", operational=True, least=0),
        "rpm": Setting(float, "requests per minute", operational=True),
        "tpm": Setting(float, "tokens per minute", operational=True),
        "key_env": Setting(str, "environment variable that holds the key", operational=True),
        "context": Setting(int, "tokens of context to stay within"),
        "schema": Setting(str, "how answers are constrained", choices=FORMS),
    },
    "transformers": {
        "exact": Setting(bool, "one call at a time: same prompts and seeds, same answers"),
        "slots": Setting(int, "calls answered in one batch", operational=True),
        "context": Setting(int, "tokens of context per call"),
        "threads": Setting(int, "processor threads of torch", operational=True),
        "device": Setting(str, "where torch computes", choices=("cpu", "cuda", "mps")),
        "adapter": Setting(Path, "a LoRA adapter to put on"),
    },
    "vllm": {
        "env": Setting(Path, "virtual environment with vLLM in it", operational=True),
        "context": Setting(int, "tokens of context per call"),
        "slots": Setting(int, "calls under way at the same time", operational=True),
        "timeout": Setting(float, "seconds for one call", operational=True),
        "start": Setting(float, "seconds until the server must be healthy", operational=True),
        "args": Setting(Path, "further arguments of `vllm serve`"),
    },
    "scripted": {},
}
"""What each kind of backend can be given."""


class Endpoint(NamedTuple):
    """A model and where it is served."""

    model: str
    url: str


def kind_of(model: str) -> Kind:
    """Which kind of backend ``model`` asks for."""
    if _ENDPOINT.fullmatch(model):
        return "openai"
    prefix = model.partition("/")[0]
    if model == "scripted" or (prefix != model and prefix in _PREFIXES):
        return prefix  # type: ignore[return-value]
    return "embedded"


def endpoint_of(model: str) -> Endpoint:
    """The two halves of ``MODEL@URL``.

    Raises:
        UsageError: the address is not one, or has a user's name or password in it.
    """
    found = _ENDPOINT.fullmatch(model)
    name, url = (found["model"], found["url"]) if found else (model, "")
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if not fine or any(char.isspace() for char in url):
        raise UsageError(
            f"llm:{name}@…: {url!r} is no address; write e.g. llm:{name}@http://localhost:8000/v1"
        )
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            f"llm:{name}@{parts.hostname}: an address must not carry a password, for it is written "
            "into runs; put the key into a variable and name it with ?key_env="
        )
    return Endpoint(name, url.partition("#")[0].rstrip("/"))


def check_settings(model: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """``params`` with types checked and converted.

    Raises:
        UnknownName: no such setting.
        UsageError: a wrong value.
    """
    known = SETTINGS[kind_of(model)]
    settings: dict[str, Any] = {}
    for name, value in params.items():
        if name not in known:
            raise UnknownName("parameter", name, known, where=f"llm:{model}")
        setting = known[name]
        made = _read(setting, value)
        if made is None:
            raise UsageError(
                f"llm:{model}: {name}={value!r} is not allowed; {name} ({setting.meaning}) is "
                f"{_allowed(setting)}"
            )
        settings[name] = made
    return settings


def outcome_settings(model: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that can change an answer."""
    known = SETTINGS[kind_of(model)]
    return {key: value for key, value in settings.items() if not known[key].operational}


def _read(setting: Setting, value: Any) -> Any:
    """``value`` as the setting takes it, or None."""
    if setting.kind is bool:
        return bool(value) if value in (0, 1) else None
    if setting.kind is str:
        if not isinstance(value, str):
            return None
        fits = value in setting.choices if setting.choices else _VARIABLE.fullmatch(value)
        return value if fits else None
    if setting.kind is Path:
        return str(value) if value not in ("", None) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if setting.kind is int:
        return value if isinstance(value, int) and value >= setting.least else None
    return float(value) if 0 < value < float("inf") else None


def _allowed(setting: Setting) -> str:
    if setting.kind is bool:
        return "0 or 1"
    if setting.kind is str:
        return (
            ", ".join(setting.choices[:-1]) + f" or {setting.choices[-1]}"
            if (setting.choices)
            else "the name of a variable"
        )
    if setting.kind is Path:
        return "some text"
    if setting.kind is float:
        return "a positive number"
    return "a positive whole number" if setting.least else "a whole number, 0 or more"
