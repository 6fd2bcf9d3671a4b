"""The claims of VAGEN: a reader's success by accuracy, and speakers while they learn."""

import numpy as np
import pytest

from gymposium.arenas.analysis.vagen_claims import CURVES, reader, speaker
from gymposium.scenarios.load_claims import load_claims

LAKE = {"shows": "text", "split": "any", "size": 2, "frozen": 1.0, "turns": 2}
METHOD = "token_ppo?num_envs=4&recurrent=8&warm_up=1&minibatches=1&epochs=1"


@pytest.mark.parametrize("world", ["frozen_lake-v0", "sokoban-v0"])
def test_who_reads_rightly_succeeds_always_and_who_never_does_seldom(world):
    params = {"split": "test", "shows": "text"}
    given = {"world": world, "params": params, "accuracies": [0, 1], "matches": 20}
    found = reader(given, 0, "cpu")
    assert found["success at 1"] == found["belief at 1"] == 1
    assert found["success at 0"] < 0.6
    assert found["belief at 0"] < 0.9
    assert reader(given, 0, "cpu") == found != reader(given, 1, "cpu")


def test_a_speakers_measures_are_means_over_its_training():
    params = {**LAKE, "strategy": "world_modeling", "actions_per_turn": 1}
    given = {"method": METHOD, "steps": 16, "world": "frozen_lake-v0", "params": params}
    found = speaker(given, 0, "cpu")
    for name in CURVES:
        quarters = [found[f"{name} {number}"] for number in range(1, 5)]
        assert found[name] == pytest.approx(np.mean(quarters))
        assert found[f"{name}, end"] == quarters[-1]
    assert speaker(given, 0, "cpu") == found


def test_arms_differ_in_what_they_are_compared_by_and_in_nothing_else():
    arms = {name: arm.params for name, arm in load_claims("vagen").arms_at("cpu").items()}
    speakers = [arm for name, arm in arms.items() if not name.startswith("reader")]
    same = [
        {
            **arm,
            "method": arm["method"].partition("&estimator=")[0],
            "params": {
                name: value
                for name, value in arm["params"].items()
                if name not in ("strategy", "belief_rewards")
            },
        }
        for arm in speakers
    ]
    assert all(each == same[0] for each in same)
    assert len({str(arm) for arm in speakers}) == len(speakers)
