"""The kernel decorator, and where compiled kernels are kept.

Numba keeps a compiled function as long as the *file it stands in* is unchanged, and so keeps stale
code when a function that it calls changes in another file. Here the folder's name is a hash of all
kernel sources: a change of any of them makes every kernel compile anew.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import caching

ROOM = Path(__file__).parent.parent
_NJIT: Any = numba.njit
_OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False}
FOLDERS = (
    "bandits",
    "common_ground",
    "grid",
    "markov_games",
    "rooms/kernels",
    "scenes",
    "social",
    "visual/kernels",
)
"""The folders of this room that hold kernels."""


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` at its first call, without the interpreter lock, and keep the result.

    Kernels allocate nothing: without Numba's reference counts they are several times as fast.
    """
    compiled: Any = _NJIT(**_OPTIONS)(function)
    if _writable():
        compiled._cache = _Cache(function)  # what njit(cache=True) does, in our own folder
    return compiled


def part(function: Callable[..., Any]) -> Any:
    """Compile ``function`` as a part of the kernels that call it.

    It is always inlined: a call would copy the descriptors of all arrays of the state.
    """
    return _NJIT(**_OPTIONS, forceinline=True)(function)


@functools.cache
def _writable() -> bool:
    """Whether compiled kernels can be kept; where not, each process compiles its own."""
    try:
        Path(folder()).mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder(), os.W_OK)


@functools.cache
def sources_hash() -> str:
    """A hash of every kernel source and of Numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(path for name in FOLDERS for path in (ROOM / name).glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:20]


@functools.cache
def folder() -> str:
    """Where this version's kernels are kept; ``GYMPOSIUM_CACHE`` moves it."""
    import platformdirs

    root = os.environ.get("GYMPOSIUM_CACHE") or platformdirs.user_cache_dir("gymposium")
    return str(Path(root) / "kernels" / sources_hash())


class _Locator:
    """Numba's idea of where a function's machine code lives; it is asked, not inherited from."""

    def __init__(self, function: Any, file: str) -> None:
        self._name = Path(file).stem
        self._line = function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(Path(folder()) / self._name)

    def get_source_stamp(self) -> str:
        return sources_hash()

    def get_disambiguator(self) -> str:
        return str(self._line)

    def ensure_cache_path(self) -> None:
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Locator:
        return cls(function, file)


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc,unused-ignore]
    _locator_classes: Any = (_Locator,)


class _KernelCache(caching.FunctionCache):  # type: ignore[misc,unused-ignore]
    _impl_class = _Implementation


_Cache: Any = _KernelCache
