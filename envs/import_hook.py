"""Do something right after a module is imported, whenever that will be.

PettingZoo has no plug-in mechanism, and importing it (or Gymnasium) for everyone who imports us
would cost half a second. So ``import gymposium`` leaves a note on ``sys.meta_path``: the moment
the named module has been executed, the callback runs, and the note removes itself. The
idea is that of PEP 369's post-import hooks, in its smallest form.
"""

from __future__ import annotations

import importlib.util
import logging
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_LOG = logging.getLogger("gymposium.envs")


def after_import(module: str, callback: Callable[[], None]) -> None:
    """Call ``callback`` once, now if ``module`` has been imported, else right after it is.

    A module that is just being imported counts as not imported only if its import began after
    this call; otherwise the callback runs now. An error in the callback is logged, since it must
    not break somebody else's import.
    """
    if module in sys.modules:
        _run(module, callback)
    elif not any(isinstance(f, _Watcher) and f.watches(module, callback) for f in sys.meta_path):
        sys.meta_path.insert(0, _Watcher(module, callback))


def _run(module: str, callback: Callable[[], None]) -> None:
    try:
        callback()
    except Exception:  # noqa: BLE001 - at the plug-in boundary; recorded
        _LOG.warning("could not register worlds with %s", module, exc_info=True)


class _Watcher(MetaPathFinder):
    """Waits for one module; finds it as if it were not there, with a loader that tells."""

    def __init__(self, module: str, callback: Callable[[], None]) -> None:
        self._module = module
        self._callback = callback
        self._searching = False

    def watches(self, module: str, callback: Callable[[], None]) -> bool:
        return self._module == module and self._callback is callback

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._module or self._searching:
            return None
        self._searching = True  # the look-up below comes by here again
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._searching = False
        if spec is None or spec.loader is None:
            return None
        spec.loader = _Telling(spec.loader, self._done)
        return spec

    def _done(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        _run(self._module, self._callback)


class _Telling(Loader):
    """A module's own loader, followed by a callback."""

    def __init__(self, loader: Any, done: Callable[[], None]) -> None:
        self._loader = loader
        self._done = done

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        # The module keeps its own loader: resources and pickling ask for it.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._done()
