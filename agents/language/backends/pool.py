"""One backend per model and settings in a process, shared by every agent that asks for it.

A model is loaded once however many matches use it, from any thread or event loop. Whatever is open
when the interpreter ends is closed in an orderly way. A forked child starts with an empty pool: the
threads of its parent's servers do not exist in it.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Mapping
from typing import Any

from gymposium.errors import UnknownName, UsageError

from ..models import model_facts, model_file
from .embedded import EmbeddedBackend
from .protocol import ChatBackend
from .scripted import ScriptedBackend

SETTINGS: Mapping[str, tuple[type, str]] = {
    "exact": (bool, "one slot and nothing reused: same prompts and seeds, same answers"),
    "slots": (int, "calls answered at the same time"),
    "context": (int, "tokens of context per call"),
    "threads": (int, "processor threads"),
}
"""What an embedded backend can be given, with its meaning."""
_OPERATIONAL = ("slots", "threads")

_lock = threading.Lock()
_open: dict[tuple[Any, ...], ChatBackend] = {}
_inherited: list[ChatBackend] = []  # kept alive on purpose, see _after_fork


def get_backend(model: str, params: Mapping[str, Any] | None = None) -> ChatBackend:
    """The backend of a model, made at the first request; loading waits for the first call.

    Args:
        model: ``smollm2``, another known name, ``scripted/NAME``, or the path of a GGUF file.
        params: settings from ``SETTINGS``; scripted backends take none.

    Returns:
        The same object for equal arguments, until it is closed.

    Raises:
        UnknownName: no such model or setting.
        UsageError: the model's file is not on this machine, or a setting has a wrong value.
    """
    settings = check_settings(model, params or {})
    key = (_canonical(model), tuple(sorted(settings.items())))
    with _lock:
        backend = _open.get(key)
        if backend is None:
            backend = _open[key] = _make(model, settings)
        return backend


def check_settings(model: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """``params`` with types checked and converted.

    Raises:
        UnknownName: no such setting.
        UsageError: a wrong value.
    """
    if is_scripted(model):
        if params:
            raise UnknownName("parameter", next(iter(params)), (), where=f"llm:{model}")
        return {}
    settings: dict[str, Any] = {}
    for name, value in params.items():
        if name not in SETTINGS:
            raise UnknownName("parameter", name, SETTINGS, where=f"llm:{model}")
        kind, meaning = SETTINGS[name]
        settings[name] = bool(value) if kind is bool and value in (0, 1) else value
        if type(settings[name]) is not kind or (kind is int and value < 1):
            allowed = "0 or 1" if kind is bool else "a positive whole number"
            raise UsageError(
                f"llm:{model}: {name}={value!r} is not allowed; {name} ({meaning}) is {allowed}"
            )
    return settings


def outcome_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that can change an answer; slots and threads are nobody's identity."""
    return {key: value for key, value in settings.items() if key not in _OPERATIONAL}


def is_scripted(model: str) -> bool:
    """Whether ``model`` names a stand-in rather than a language model."""
    return model == "scripted" or model.startswith("scripted/")


def _canonical(model: str) -> str:
    return model if is_scripted(model) else str(model_file(model))


def _make(model: str, settings: Mapping[str, Any]) -> ChatBackend:
    if is_scripted(model):
        return ScriptedBackend(model.partition("/")[2] or "legal")
    return EmbeddedBackend(model_facts(model).name, model_file(model), **settings)


def close_all() -> None:
    """Close every open backend; a later ``get_backend`` makes new ones. Callable from anywhere."""
    with _lock:
        backends = list(_open.values())
        _open.clear()
    for backend in backends:
        _close(backend)


def _close(backend: ChatBackend) -> None:
    release: Callable[[], None] | None = getattr(backend, "release", None)
    if release is not None:
        release()
        return
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(backend.close())
    # Within a running loop there is nothing to wait for: backends without ``release`` hold nothing.


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    # Dropping them would run destructors that wait for threads which exist only in the parent.
    _inherited.extend(_open.values())
    _open.clear()


# Runs after the pools' threads have been joined, so no call can be under way any more.
atexit.register(close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
