"""What ``scenarios/claims/robust-zero-sum.yaml`` measures, as study functions.

Each takes ``(params, seed, scale)`` and returns measures. The claims are those of Li et al.,
Sample-Efficient Tabular Self-Play for Offline Robust Reinforcement Learning (NeurIPS 2025), on
games drawn as the published code draws them and on sparser ones of our own; all measures are exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...agents.offline.records import Records, collect, sample_evenly, sample_triples
from ...agents.offline.robust_learning import Recipe, learn
from ...agents.planning.robust.evaluation import quality
from ...agents.planning.robust.model import Penalty, known
from ...agents.planning.robust.value_iteration import MODES, Doubt, both, solve
from ...envs.markov_games.games import GENERATORS, MarkovGame, perturbed

METHODS: dict[str, dict[str, Any]] = {
    "LCB": {"algorithm": "rtz_vi_lcb", "mode": "paper"},
    "VI": {"algorithm": "rtz_vi", "mode": "paper"},
    "pess": {"algorithm": "rtz_vi_lcb", "mode": "pess"},
    "bimatrix": {"algorithm": "rtz_vi_lcb", "mode": "bimatrix"},
    "non-robust": {"algorithm": "vi_lcb_game"},
    "P2M2PO": {"algorithm": "p2m2po"},
    "DR-NVI": {"algorithm": "dr_nvi"},
    "alone": {"algorithm": "drvi_lcb"},
    "cloned": {"algorithm": "behaviour_cloning"},
    "uniform": {"algorithm": "uniform"},
}


def learned(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """Every method on one drawn game and one data set: ``METHOD MEASURE``.

    ``params``: ``game`` (a generator), ``size`` ([S, A, B]), ``horizon``, ``radius``, ``samples``,
    ``data`` (``perturbed``, ``uniform``, ``skewed``, ``even``, ``episodes``), ``methods``,
    ``constant`` and ``unseen`` of the penalty (a constant of ``theory`` is log(n / 0.1)).
    """
    rng = np.random.default_rng(seed)
    game = GENERATORS[params["game"]](params["size"], params["horizon"], rng)
    data = _recorded(game, params, seed, rng)
    constant = params.get("constant", 0.001)
    if constant == "theory":
        constant = math.log(params["samples"] / 0.1)
    doubt, penalty = both(params["radius"]), Penalty(constant, params.get("unseen", "zero"))
    found: dict[str, float] = {}
    for name in params["methods"]:
        recipe = Recipe(doubt=doubt, penalty=penalty, **METHODS[name])
        found.update(_measured(name, game, learn(data, recipe), doubt))
    return found


def infinite(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """The three modes with the true kernel: ``MODE MEASURE``.

    ``params``: ``game``, ``size``, ``horizon``, ``radius``.
    """
    rng = np.random.default_rng(seed)
    game = GENERATORS[params["game"]](params["size"], params["horizon"], rng)
    doubt = both(params["radius"])
    found: dict[str, float] = {}
    for mode in MODES:
        made = solve(known(game), doubt, mode=mode).policies
        found.update(_measured(mode, game, made, doubt))
    plain = solve(known(game), Doubt()).policies
    return {**found, **_measured("non-robust", game, plain, doubt)}


def _recorded(
    game: MarkovGame, params: Mapping[str, Any], seed: int, rng: np.random.Generator
) -> Records:
    count, source = int(params["samples"]), params["data"]
    if source == "perturbed":
        return sample_triples(perturbed(game, params["radius"], rng), count, seed)
    if source == "skewed":
        size = tuple(params["size"])
        weights = rng.dirichlet(np.full(math.prod(size), 0.3)).reshape(size)
        return sample_triples(game, count, seed, weights)
    if source == "even":
        return sample_evenly(game, max(1, count // math.prod(params["size"])), seed)
    if source == "episodes":
        return collect(game, max(1, count // game.horizon), seed)
    return sample_triples(game, count, seed)


def _measured(name: str, game: MarkovGame, policies: Any, doubt: Doubt) -> Mapping[str, float]:
    found = quality(game, policies, doubt)
    return {
        f"{name} gap": found.gap,
        f"{name} log gap": math.log(max(found.gap, 1e-12)),
        f"{name} security": found.security,
        f"{name} nominal error": found.nominal_error,
        f"{name} log nominal error": math.log(max(found.nominal_error, 1e-12)),
        f"{name} exploitability": found.exploitability,
    }
