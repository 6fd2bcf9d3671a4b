"""Studies that the tests of claims measure; a file of calls shows what was measured when."""

import os
import sys
from pathlib import Path

import numpy as np


def noisy(params, seed, scale):
    """``mean`` plus noise that the seed decides; notes each call."""
    log = params.get("log")
    if log:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{params['mean']} {seed} {scale}\n")
    if seed == params.get("interrupt_at") and os.environ.get("CLAIMS_TEST_INTERRUPT"):
        raise KeyboardInterrupt
    noise = np.random.default_rng([seed, 7]).normal()
    return {"score": params["mean"] + params.get("spread", 0.1) * noise, "seed": float(seed)}


def broken(params, seed, scale):
    """Raises."""
    raise ZeroDivisionError("no such luck")


def leaving(params, seed, scale):
    """Leaves the program."""
    sys.exit(0)


def never(params, seed, scale):
    """Never measures ``score``."""
    return {"score": float("nan")}


def wrong(params, seed, scale):
    """Returns what the parameters say, fit or not."""
    return eval_free(params["what"])


def eval_free(what):
    """Things a study must not return."""
    return {
        "text": {"score": "high"},
        "list": [1.0],
        "inf": {"score": float("inf")},
        "huge": {"score": 10**400},
    }[what]


def partly(params, seed, scale):
    """Measures ``score`` on every seed but the first."""
    return {"other": 1.0, "score": float("nan") if seed == 0 else seed + 0.5}
