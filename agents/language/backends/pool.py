"""One backend per model and settings in a process, shared by every agent that asks for it.

A model is loaded once however many matches use it, from any thread or event loop; worker processes
share one in the machine's model server (:mod:`.shared`). Whatever is open when the interpreter ends
is closed in an orderly way. A forked child starts with an empty pool: the threads of its parent's
servers do not exist in it.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from ..models import model_digest, model_facts, model_file
from ..weights import own_folder, weights_digest
from .embedded import EmbeddedBackend
from .protocol import ChatBackend
from .scripted import ScriptedBackend
from .settings import check_settings, endpoint_of, kind_of

_lock = threading.Lock()
_open: dict[tuple[Any, ...], ChatBackend] = {}
_inherited: list[ChatBackend] = []  # kept alive on purpose, see _after_fork


def get_backend(model: str, params: Mapping[str, Any] | None = None) -> ChatBackend:
    """The backend of a model, made at the first request; loading waits for the first call.

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
    key = (_canonical(model), tuple(sorted(settings.items())))
    with _lock:
        backend = _open.get(key)
        if backend is None:
            backend = _make(model, settings)
            if kind_of(model) in ("embedded", "transformers"):
                backend = _shared(backend, model, settings)
            _open[key] = backend
        return backend


def _shared(backend: ChatBackend, model: str, settings: Mapping[str, Any]) -> ChatBackend:
    """In a worker process, the same model in the machine's one server; else ``backend``."""
    from .shared import SharedBackend, in_worker

    if not in_worker():
        return backend
    place, slash, source = model.rpartition("transformers/")
    own = own_folder(source) if slash else None
    if own is not None or model.endswith(".gguf"):
        source = str(Path(own or source).absolute())
    absolute = {key: value for key, value in settings.items() if key != "adapter"}
    if "adapter" in settings:
        absolute["adapter"] = str(Path(settings["adapter"]).expanduser().absolute())
    return SharedBackend(backend, f"{place}{slash}{source}", absolute)


def _canonical(model: str) -> str:
    kind = kind_of(model)
    if kind == "openai":
        return "@".join(endpoint_of(model))
    if kind in ("transformers", "vllm"):
        source = model.partition("/")[2]
        return f"{kind}/{own_folder(source) or model_file(source)}"
    return model if kind == "scripted" else str(model_file(model))


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
    identity = f"{name}|{model_digest(model)}"
    return EmbeddedBackend(name, model_file(model), identity=identity, **settings)


def _of_weights(model: str, settings: Mapping[str, Any]) -> ChatBackend:
    kind, _, source = model.partition("/")
    own = own_folder(source)
    name = f"{kind}/{own.resolve().name if own else model_facts(source).name}"
    identity = f"{name}|{weights_digest(source)}"
    if "adapter" in settings:
        identity += f"|{weights_digest(settings['adapter'], adapter=True)}"
    if kind == "vllm":
        from .vllm import VLLMBackend

        return VLLMBackend(name, source, identity=identity, **settings)
    from .transformers import TransformersBackend

    return TransformersBackend(name, source, identity=identity, **settings)


async def leave_loop() -> None:
    """Close what open backends hold for the running event loop; its end is near."""
    with _lock:
        backends = list(_open.values())
    for backend in backends:
        leave: Callable[[], Awaitable[None]] | None = getattr(backend, "leave_loop", None)
        if leave is not None:
            await leave()


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
