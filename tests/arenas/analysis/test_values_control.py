"""The study of moving a language model's values, on a tiny model and by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from gymposium.arenas.analysis.values_control import choice, control, told
from gymposium.arenas.judging.judgements import Judgements
from gymposium.envs.preferences.assembly import Assembly
from gymposium.envs.preferences.outcome import outcomes

from ...agents.language.tiny_model import make_tiny_model

EVERY = outcomes("base", size=12, seed=0)
WHICH = np.array([7, 2, 11, 4, 0])


def audit(chance_of_first: float | None) -> Mapping[str, float]:
    assembly = Assembly(EVERY, 6, 0)
    first, second = np.nonzero(~np.eye(len(WHICH), dtype=bool))
    shares = assembly.shares(WHICH[first], WHICH[second])
    said = shares if chance_of_first is None else np.full(len(first), chance_of_first)
    return told("x", Judgements.of(len(WHICH), first, second, said), WHICH, assembly)


def test_who_chooses_as_the_assembly_does_is_told_so() -> None:
    found = audit(None)
    assert found["x majority"] == 1
    assert found["x distance"] == pytest.approx(0, abs=1e-12)
    assert found["x recovered"] > 0.95
    assert found["x first"] == pytest.approx(0.5)


def test_who_always_says_the_first_decides_nothing() -> None:
    found = audit(1.0)
    assert np.isnan(found["x majority"])
    assert (found["x first"], found["x confidence"], found["x recovered"]) == (1, 0.5, 0)


def test_a_question_has_both_outcomes_and_the_share_of_the_first() -> None:
    asked = choice(["rain", "sun", "snow"], (2, 0), 0.8)
    assert "A: snow\nB: rain" in asked.messages[-1]["content"]
    assert (asked.options, tuple(asked.targets)) == (("A", "B"), (0.8, pytest.approx(0.2)))


def test_all_four_are_audited_and_training_moves_only_what_is_trained(tmp_path: Path) -> None:
    params = {
        "model": str(make_tiny_model(tmp_path)),
        "questions": 3,
        "audited": 3,
        "layers": 1,
        "rate": 1e-2,
    }
    found = control({**params, "steps": 5}, 0, "cpu")
    assert {name.split()[0] for name in found} == {"before", "prompted", "after", "shuffled"}
    assert found["after distance"] != found["before distance"] != found["prompted distance"]
    assert found == control({**params, "steps": 5}, 0, "cpu")
    still = control({**params, "steps": 0}, 0, "cpu")
    for what in ("majority", "distance", "first"):
        assert still[f"after {what}"] == still[f"before {what}"] == still[f"shuffled {what}"]
