"""The process-wide random generators, looked at and never moved: no world or agent may draw there.

Whoever draws from them changes what everything else in the process draws, and is not reproducible.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np


def global_state() -> dict[str, bytes | str]:
    """Where they are, by name: ``random``, ``numpy.random`` and, once it is loaded, ``torch``."""
    legacy: Any = np.random.get_state()  # noqa: NPY002 - only looked at
    state: dict[str, bytes | str] = {
        "random": repr(random.getstate()),
        "numpy.random": legacy[1].tobytes() + repr(legacy[2:]).encode(),
    }
    torch: Any = sys.modules.get("torch")
    generator = getattr(torch, "default_generator", None)
    if generator is not None:
        state["torch"] = generator.get_state().numpy().tobytes()
    return state


def moved(before: dict[str, bytes | str]) -> str:
    """The generators that have moved since ``before``, by name and in words; "" for none."""
    now = global_state()
    return " and ".join(name for name, state in before.items() if now[name] != state)
