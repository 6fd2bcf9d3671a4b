"""Methods by name: specs, parameters, plug-ins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import pytest

from gymposium.agents import methods
from gymposium.agents.methods import MethodSpec, method_names, register_method, resolve_method
from gymposium.errors import UnknownName, UsageError


@dataclass(frozen=True)
class _Config:
    rate: float = field(default=0.5, metadata={"doc": "how fast"})
    count: int = 3
    mode: Literal["a", "b"] = "a"
    sizes: tuple[int, ...] = (1, 2)
    limit: float | None = None


class Still:
    """A method that learns nothing."""

    Config = _Config

    def __init__(self, config: _Config) -> None:
        self.config = config


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(methods, "_methods", dict(methods._methods))
    register_method(MethodSpec("still", f"{__name__}:Still", "does nothing", extras=()))
    return "still"


def test_parameters_behind_a_name_reach_the_config(still: str) -> None:
    made = resolve_method(f"{still}?rate=1&mode=b&sizes=[4, 5]&limit=2").make()
    assert made.config == _Config(rate=1.0, mode="b", sizes=(4, 5), limit=2.0)  # type: ignore[attr-defined]


def test_a_spec_is_spelt_as_it_is_read(still: str) -> None:
    text = "still?mode=b&rate=0.25"
    assert str(resolve_method(text)) == text
    assert resolve_method(resolve_method(text)) == resolve_method(text)


def test_an_unknown_method_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'fcgrad'"):
        resolve_method("fcgrid")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("rite=1", "unknown parameter 'rite' in the method still: did you mean 'rate'"),
        ("rate=fast", "still: rate must be of type float, got 'fast'"),
        ("count=1.5", "still: count must be of type int, got 1.5"),
        ("count=true", "still: count must be of type int, got True"),
        ("mode=c", "unknown value 'c' in still: mode"),
        ("sizes=4", "still: sizes must be"),
    ],
)
def test_a_wrong_parameter_is_named(still: str, query: str, said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("(", r"\(")):
        resolve_method(f"{still}?{query}").make()


def test_parameters_describe_themselves(still: str) -> None:
    described = resolve_method(still).parameters()
    assert list(described) == ["rate", "count", "mode", "sizes", "limit"]
    assert described["rate"] == {"type": "float", "doc": "how fast", "default": 0.5}


def test_a_name_is_given_once(still: str) -> None:
    with pytest.raises(UsageError, match="registered already"):
        register_method(MethodSpec("still", "elsewhere:Thing"))
    with pytest.raises(UsageError, match="cannot be a method's name"):
        register_method(MethodSpec("a:b", "elsewhere:Thing"))


def test_the_methods_of_the_papers_are_listed() -> None:
    assert {"ippo", "mappo", "fcgrad", "pcgrad", "collective"} <= set(method_names())
    assert all(spec.summary for spec in methods.methods())
