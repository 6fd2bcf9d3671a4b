"""Stand-ins for a language model: deterministic functions of the messages, for tests and timing.

They are not language models and say so: every name begins with ``scripted/``. ``usage`` counts
words separated by white space, not tokens. They answer at once, so that what a benchmark measures
with them is everything *around* the model: prompts, schemas, parsing, accounting and store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any
from zlib import crc32

import orjson

from gymposium.errors import BackendError, UnknownName
from gymposium.types import Usage

from .protocol import Completion

Messages = Sequence[Mapping[str, Any]]
Script = Callable[[Messages, Mapping[str, Any] | None, int], str]

_MASK = (1 << 64) - 1


class Dice:
    """A tiny generator (SplitMix64): a hundred times cheaper to seed than the library's."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def below(self, bound: int) -> int:
        """An integer from 0 to ``bound`` - 1; the bias is far below what a test can see."""
        self._state = state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return (state ^ (state >> 31)) % bound


def sample(schema: Any, dice: Dice, depth: int = 0) -> Any:
    """Some value that fits ``schema``; understands what the worlds' own schemas use."""
    if not isinstance(schema, Mapping) or depth > 16:
        return "…"
    if "enum" in schema:
        return schema["enum"][dice.below(len(schema["enum"]))]
    if "const" in schema:
        return schema["const"]
    for name in ("anyOf", "oneOf"):
        if name in schema:
            return sample(schema[name][dice.below(len(schema[name]))], dice, depth + 1)
    kind = schema.get("type")
    if isinstance(kind, list | tuple):
        return sample({**schema, "type": kind[dice.below(len(kind))]}, dice, depth + 1)
    sampler = _SAMPLERS.get(kind or ("object" if "properties" in schema else "string"))
    return None if sampler is None else sampler(schema, dice, depth)


def _sample_object(schema: Mapping[str, Any], dice: Dice, depth: int) -> dict[str, Any]:
    required = schema.get("required", ())
    return {
        name: sample(part, dice, depth + 1)
        for name, part in schema.get("properties", {}).items()
        if name in required or dice.below(2)
    }


def _sample_array(schema: Mapping[str, Any], dice: Dice, depth: int) -> list[Any]:
    made = [sample(part, dice, depth + 1) for part in schema.get("prefixItems", ())]
    least = max(schema.get("minItems", 0) - len(made), 0)
    spread = max(schema.get("maxItems", least + 2) - len(made) - least, 0)
    items = schema.get("items")
    if isinstance(items, Mapping):
        made += [sample(items, dice, depth + 1) for _ in range(least + dice.below(spread + 1))]
    return made


def _bounds(schema: Mapping[str, Any], spread: float) -> tuple[float, float]:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is None:
        low = 0 if high is None else high - spread
    return low, low + spread if high is None else high


def _sample_integer(schema: Mapping[str, Any], dice: Dice, depth: int) -> int:
    low, high = _bounds(schema, 100)
    least = int(low) + ("exclusiveMinimum" in schema)
    most = int(high) - ("exclusiveMaximum" in schema)
    return least + dice.below(max(most - least + 1, 1))


def _sample_number(schema: Mapping[str, Any], dice: Dice, depth: int) -> float:
    low, high = _bounds(schema, 1.0)
    return low + (high - low) * (dice.below(999) + 1) / 1000


def _sample_string(schema: Mapping[str, Any], dice: Dice, depth: int) -> str:
    text = ("yes", "no", "as you say", "let us see")[dice.below(4)]
    return text.ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength", 400)]


_SAMPLERS: Mapping[str, Callable[[Mapping[str, Any], Dice, int], Any]] = {
    "object": _sample_object,
    "array": _sample_array,
    "integer": _sample_integer,
    "number": _sample_number,
    "string": _sample_string,
    "boolean": lambda schema, dice, depth: bool(dice.below(2)),
    "null": lambda schema, dice, depth: None,
}


def _legal(messages: Messages, schema: Mapping[str, Any] | None, seed: int) -> str:
    """A legal action drawn from the schema."""
    # The question enters too, so that equal seeds in different positions are different draws.
    dice = Dice(seed ^ (crc32(messages[-1]["content"].encode()) << 32))
    return orjson.dumps(sample(schema or {"type": "string"}, dice)).decode()


def _rubbish(messages: Messages, schema: Mapping[str, Any] | None, seed: int) -> str:
    """Nothing anybody could use."""
    return ("", "%$§!", "{{{{", "mumble mumble", '{"action":', "\x00" * 40)[seed % 6]


def _flaky(messages: Messages, schema: Mapping[str, Any] | None, seed: int) -> str:
    """Rubbish at first; legal as soon as it is shown a refused answer."""
    told_off = len(messages) >= 3 and messages[-1]["content"].startswith("That answer cannot")
    return (_legal if told_off else _rubbish)(messages, schema, seed)


def _echo(messages: Messages, schema: Mapping[str, Any] | None, seed: int) -> str:
    """The last message, unchanged."""
    return str(messages[-1]["content"])


_SCRIPTS: Mapping[str, Script] = {
    "legal": _legal,
    "rubbish": _rubbish,
    "flaky": _flaky,
    "echo": _echo,
}
NAMES = (*_SCRIPTS, "fail", "slow-50ms")
"""What can be asked for; ``slow-<n>ms`` takes any number."""


class ScriptedBackend:
    """A deterministic stand-in for a language model.

    Args:
        script: ``legal`` draws a legal action from the schema; ``rubbish`` never makes sense;
            ``flaky`` makes sense when asked again; ``echo`` repeats the question; ``fail`` raises
            BackendError; ``slow-50ms`` is ``legal`` after 50 ms (any number).
    """

    deterministic = True
    trainable = False
    local = True
    context_tokens: int | None = None

    def __init__(self, script: str = "legal") -> None:
        self.name = f"scripted/{script}"
        self._fails = script == "fail"
        self._delay = 0.0
        base = script
        if script.startswith("slow-") and script.endswith("ms") and script[5:-2].isdigit():
            self._delay = int(script[5:-2]) / 1000
            base = "legal"
        if base not in _SCRIPTS and not self._fails:
            raise UnknownName("scripted model", script, NAMES)
        self._script = _SCRIPTS.get(base, _rubbish)

    async def complete(
        self,
        messages: Messages,
        *,
        schema: Mapping[str, Any] | None = None,
        n: int = 1,
        seed: int | None = None,
        logprobs: int = 0,
        temperature: float = 0.7,
        top_p: float = 1.0,
        max_tokens: int = 256,
        timeout: float | None = None,
    ) -> list[Completion]:
        """Answer by script; see :class:`.protocol.ChatBackend`."""
        began = perf_counter()
        if self._fails:
            raise BackendError(f"{self.name}: fails as it was asked to")
        if self._delay:
            async with asyncio.timeout(timeout):
                await asyncio.sleep(self._delay)
        words = 0
        for message in messages:
            words += message["content"].count(" ") + 1
        first = 0 if seed is None else seed
        made = []
        for index in range(n):
            text = self._script(messages, schema, first + index)
            usage = Usage(words, text.count(" ") + 1)
            made.append(Completion(text, usage, "stop", perf_counter() - began))
        return made

    async def close(self) -> None:
        """Nothing to release."""
