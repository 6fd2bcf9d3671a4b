"""One backend per model and settings in a process, shared by every agent that asks for it.

A model is loaded once however many matches use it, from any thread or event loop; runs and worker
processes share one in the machine's model server (:mod:`.shared`). Whatever is open when the
interpreter ends is closed in an orderly way. A forked child starts with an empty pool: the threads
of its parent's servers do not exist in it.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....envs.start_folder import located
from ..models import model_digest, model_facts, model_file
from ..weights import own_folder, weights_digest
from .calls import current_scope
from .embedded import EmbeddedBackend
from .protocol import ChatBackend
from .scripted import ScriptedBackend
from .settings import check_settings, endpoint_of, kind_of
from .shared import SharedBackend, in_worker

_LOCAL = ("embedded", "transformers")
"""Kinds that load a model's weights into the process that asks."""


@dataclass(slots=True)
class _Opened:
    """A backend, by what it was asked for, and the same in the machine's model server."""

    backend: ChatBackend
    model: str
    settings: Mapping[str, Any]
    shared: SharedBackend | None = None


_lock = threading.Lock()
_open: dict[tuple[Any, ...], _Opened] = {}
_inherited: list[ChatBackend] = []  # kept alive on purpose, see _after_fork


def get_backend(model: str, params: Mapping[str, Any] | None = None) -> ChatBackend:
    """The backend of a model, made at the first request; loading waits for the first call.

    In a run's matches, and in worker processes, a model of this machine is loaded by the machine's
    one model server, unless this process has loaded it.

    Args:
        model: ``smollm2``, another known name, the path of a GGUF file, ``MODEL@https://host/v1``,
            ``transformers/MODEL``, ``vllm/MODEL`` or ``scripted/NAME``.
        params: settings of its kind (:data:`.settings.SETTINGS`).

    Returns:
        The same object for equal arguments, until it is closed.

    Raises:
        UnknownName: no such model or setting.
        UsageError: the model's file is not on this machine, or a setting has a wrong value.
        MissingExtra: what the backend needs is not installed.
    """
    settings = check_settings(model, params or {})
    key = (_canonical(model), tuple(sorted(settings.items())), _digest(model, settings))
    with _lock:
        opened = _open.get(key)
        if opened is None:
            opened = _open[key] = _Opened(_make(model, settings), model, settings)
        if kind_of(model) not in _LOCAL or not (current_scope().shared or in_worker()):
            return opened.backend
        if getattr(opened.backend, "loaded", False):
            return opened.backend
        if opened.shared is None:
            opened.shared = SharedBackend(opened.backend, _absolute(model), _anywhere(settings))
        return opened.shared


def called(backend: ChatBackend) -> tuple[str, Mapping[str, Any]] | None:
    """The arguments by which :func:`get_backend` gave ``backend``; None if it did not."""
    with _lock:
        for opened in _open.values():
            if backend is opened.backend or backend is opened.shared:
                return opened.model, opened.settings
    return None


def _absolute(model: str) -> str:
    place, slash, source = model.rpartition("transformers/")
    own = own_folder(source) if slash else None
    if own is not None or model.endswith(".gguf"):
        source = str(located(own or source))
    return f"{place}{slash}{source}"


def _anywhere(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that mean the same whatever folder a process works in."""
    made = dict(settings)
    if "adapter" in made:
        made["adapter"] = str(located(Path(made["adapter"]).expanduser()))
    return made


def _canonical(model: str) -> str:
    kind = kind_of(model)
    if kind == "openai":
        return "@".join(endpoint_of(model))
    if kind in ("transformers", "vllm"):
        source = model.partition("/")[2]
        return f"{kind}/{own_folder(source) or model_file(source)}"
    return model if kind == "scripted" else str(model_file(model))


def _digest(model: str, settings: Mapping[str, Any]) -> str:
    """What the model's files hold now: a file that was replaced is another model."""
    kind = kind_of(model)
    if kind in ("scripted", "openai"):
        return ""
    if kind == "embedded":
        return model_digest(model)
    found = weights_digest(model.partition("/")[2])
    if "adapter" in settings:
        found += f"|{weights_digest(settings['adapter'], adapter=True)}"
    return found


def _make(model: str, settings: Mapping[str, Any]) -> ChatBackend:
    kind = kind_of(model)
    if kind == "scripted":
        return ScriptedBackend(model.partition("/")[2] or "legal")
    if kind == "openai":
        from .openai import OpenAIBackend

        return OpenAIBackend(*endpoint_of(model), **settings)
    if kind in ("transformers", "vllm"):
        return _of_weights(model, settings)
    name = model_facts(model).name
    identity = f"{name}|{_digest(model, settings)}"
    return EmbeddedBackend(name, model_file(model), identity=identity, **settings)


def _of_weights(model: str, settings: Mapping[str, Any]) -> ChatBackend:
    kind, _, source = model.partition("/")
    own = own_folder(source)
    name = f"{kind}/{own.resolve().name if own else model_facts(source).name}"
    identity = f"{name}|{_digest(model, settings)}"
    if kind == "vllm":
        from .vllm import VLLMBackend

        return VLLMBackend(name, source, identity=identity, **settings)
    from .transformers import TransformersBackend

    return TransformersBackend(name, source, identity=identity, **settings)


async def leave_loop() -> None:
    """Close what open backends hold for the running event loop; its end is near."""
    with _lock:
        backends = _all()
    for backend in backends:
        leave: Callable[[], Awaitable[None]] | None = getattr(backend, "leave_loop", None)
        if leave is not None:
            await leave()


def _all() -> list[ChatBackend]:
    both = ((opened.backend, opened.shared) for opened in _open.values())
    return [backend for pair in both for backend in pair if backend is not None]


def close_all() -> None:
    """Close every open backend; a later ``get_backend`` makes new ones. Callable from anywhere."""
    with _lock:
        backends = _all()
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
    _inherited.extend(_all())
    _open.clear()


# Runs after the pools' threads have been joined, so no call can be under way any more.
atexit.register(close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
