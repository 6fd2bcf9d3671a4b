"""Study arms: any function ``(params, seed, scale) -> measures``, named in the claim file.

For what is neither a match nor a training run: planners, closed forms, audits. The function stands
in gymposium or in a module of the user's, and draws everything random from the seed.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from gymposium.errors import GymposiumError, UnknownName, UsageError

from ...envs.start_folder import here, start_folder

Study: TypeAlias = Callable[[Mapping[str, Any], int, str], Mapping[str, float]]


def find_study(reference: str) -> Study:
    """The function called ``package.module:function``.

    Raises:
        UsageError: there is no such module, or importing it fails.
        UnknownName: the module has no such function.
    """
    module_name, _, name = reference.partition(":")
    beside = str(here())
    sys.path.insert(0, beside)  # a study beside the claim file is found, as an agent's module is
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # the plug-in boundary
        why = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        raise UsageError(f"the study {reference!r} cannot be imported: {why}") from error
    finally:
        if beside in sys.path:
            sys.path.remove(beside)
    found = getattr(module, name, None)
    if not callable(found):
        functions = [key for key, value in vars(module).items() if inspect.isfunction(value)]
        raise UnknownName("study", name, functions, where=module_name)
    study: Study = found
    return study


def run_study(
    reference: str, params: Mapping[str, Any], seed: int, scale: str
) -> Mapping[str, float]:
    """Call a study.

    Args:
        reference: ``package.module:function``.
        params: what the claim file gives it.
        seed: everything random derives from it.
        scale: ``smoke``, ``cpu`` or ``full``.

    Returns:
        Its measures, unchecked.

    Raises:
        UsageError: the study cannot be found.
        GymposiumError: the study fails.
    """
    study = find_study(reference)
    try:
        with start_folder():  # a study may go to another folder, as a world may
            return study(dict(params), seed, scale)
    except GymposiumError:
        raise
    except (Exception, SystemExit) as error:  # the plug-in boundary
        raise GymposiumError(
            f"the study {reference} failed at seed {seed}: {type(error).__name__}: {error}"
        ) from error


def source_identity(reference: str) -> str:
    """A hash of the source file that ``reference`` names; an edited study is measured anew."""
    module = inspect.getmodule(find_study(reference))
    file = None if module is None else inspect.getsourcefile(module)
    data = reference.encode() if file is None else Path(file).read_bytes()
    return hashlib.sha256(data).hexdigest()
