"""A user's own module, by file or by dotted name: where worlds and models outside packages are.

``FILE.py`` is looked for from where the command was started. Either kind is imported once, under a
name by which copies of its classes are found again, and may import what lies beside it.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from gymposium.errors import GymposiumError

from .start_folder import here, located
from .whereabouts import placed, told

_GUESTS = {("gymnasium", "Env"), ("pettingzoo", "ParallelEnv"), ("pettingzoo", "AECEnv")}


def is_place(id: str) -> bool:
    """Whether a world's id is ``FILE.py:CLASS`` or ``PACKAGE.MODULE:CLASS``."""
    return ":" in id and "." in id.partition(":")[0]


def guest_prefix(cls: type) -> str:
    """The prefix under which another library's environment is played; "" if it is none."""
    for base in cls.__mro__:
        library = base.__module__.partition(".")[0]
        if (library, base.__name__) in _GUESTS:
            return library
    return ""


def module_at(place: str) -> ModuleType:
    """The module in a file, or of a name.

    Raises:
        FileNotFoundError: there is no such file.
        Exception: whatever importing it raises.
    """
    if not place.endswith(".py"):
        _find_beside(here())
        return importlib.import_module(place)
    path = located(Path(place).expanduser()).resolve()
    name = f"gymposium_file_{hashlib.blake2b(str(path).encode(), digest_size=8).hexdigest()}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"there is no file {place}")
    _find_beside(path.parent)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def import_failure(error: BaseException) -> str:
    """Why :func:`module_at` could not import what is there, in words, with the line."""
    known = isinstance(error, ImportError | OSError | GymposiumError)
    return placed(f"{error!s:.300}", error) if known else told(error)


def _find_beside(folder: Path) -> None:
    if str(folder) not in sys.path:  # last, so that nothing installed is hidden by it
        sys.path.append(str(folder))
