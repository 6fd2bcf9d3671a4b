"""What tokens cost, in US dollars: data with a date, and the user's own on top.

``prices.yaml`` beside the language agents lists what providers charged on the day it names; a file
of the same shape in the user's configuration folder, or named by ``GYMPOSIUM_PRICES``, replaces
single entries. Prices belong to a host: the same model costs something else elsewhere. What runs on
this machine costs nothing; what is not listed is unknown, and never taken for free.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from gymposium.errors import UsageError
from gymposium.types import Usage


class Price(NamedTuple):
    """US dollars for a million tokens.

    Attributes:
        input: of prompts.
        output: of completions.
        cached: of prompt tokens the provider had cached.
    """

    input: float
    output: float
    cached: float


def money(backend: Any, usage: Usage) -> float | None:
    """What ``usage`` of a backend costs; None if its price is not known."""
    if getattr(backend, "local", False):
        return 0.0
    price = price_of(backend.name)
    if price is None:
        return None
    fresh = max(0, usage.prompt_tokens - usage.cached_tokens)
    return (
        fresh * price.input
        + usage.cached_tokens * price.cached
        + usage.completion_tokens * price.output
    ) / 1e6


def price_of(name: str) -> Price | None:
    """The price of ``MODEL@URL``; None if it is not listed.

    Dated names (``gpt-4o-2024-11-20``) are priced only if they are listed themselves.

    Raises:
        UsageError: the user's file of prices cannot be read.
    """
    model, _, url = name.partition("@")
    hosts = _prices(_own_file())
    parts = urlsplit(url)
    for host in (parts.netloc, parts.hostname or ""):
        listed = hosts.get(host, {})
        if model in listed or "*" in listed:
            return listed.get(model) or listed["*"]
    return None


def own_file() -> Path:
    """Where the user's own prices are looked for."""
    import platformdirs

    named = os.environ.get("GYMPOSIUM_PRICES")
    return Path(named) if named else Path(platformdirs.user_config_dir("gymposium"), "prices.yaml")


def _own_file() -> tuple[str, int]:
    """The file and when it changed: what the prices read from it depend on."""
    path = own_file()
    try:
        return str(path), path.stat().st_mtime_ns
    except OSError:
        if "GYMPOSIUM_PRICES" in os.environ:
            raise UsageError(f"GYMPOSIUM_PRICES names {path}, which cannot be read") from None
        return "", 0


@cache
def _prices(own: tuple[str, int]) -> Mapping[str, Mapping[str, Price]]:
    shipped = resources.files("gymposium.agents.language").joinpath("prices.yaml")
    hosts = _read(shipped.read_text(encoding="utf-8"), "prices.yaml")
    if own[0]:
        for host, models in _read(Path(own[0]).read_text(encoding="utf-8"), own[0]).items():
            hosts[host] = {**hosts.get(host, {}), **models}
    return hosts


def _read(text: str, where: str) -> dict[str, dict[str, Price]]:
    import yaml

    try:
        data = yaml.safe_load(text) or {}
        return {
            str(host): {str(model): _price(entry) for model, entry in models.items()}
            for host, models in data["hosts"].items()
        }
    except (yaml.YAMLError, TypeError, KeyError, AttributeError, ValueError) as error:
        raise UsageError(
            f"{where} is not a list of prices ({' '.join(str(error).split())[:120]}): write hosts: "
            "{HOST: {MODEL: {input: 0.15, output: 0.6}}}, dollars for a million tokens"
        ) from None


def _price(entry: Mapping[str, Any]) -> Price:
    if unknown := set(entry) - {*Price._fields}:
        raise ValueError(f"no price is called {unknown.pop()!r}")
    made = Price(float(entry["input"]), float(entry["output"]), float(entry.get("cached", -1)))
    made = made if "cached" in entry else made._replace(cached=made.input)
    if not all(0 <= price < float("inf") for price in made):
        raise ValueError("a price must be a number, 0 or more")
    return made
