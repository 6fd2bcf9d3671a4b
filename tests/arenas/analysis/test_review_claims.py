from __future__ import annotations

import numpy as np
import pytest

from gymposium.arenas.analysis import review_claims as studies


def test_the_venue_is_as_it_is_said_to_be() -> None:
    year = studies.venue(4000, np.random.default_rng(0))
    assert year.quality.mean() == pytest.approx(0, abs=0.05)
    slope = np.polyfit(year.quality, np.log(year.citations), 1)[0]
    assert slope == pytest.approx(0.9, abs=0.05)  # four standard errors
    shares = np.sort(np.bincount(year.house))[::-1] / 4000
    assert shares[0] / shares[9] == pytest.approx(10**0.9, rel=0.3)
    assert np.corrcoef(year.liking, year.novelty)[0, 1] < -0.2


def test_without_noise_pairs_order_as_the_judge_likes() -> None:
    found = studies.mechanisms({"each": 60, "size": 40, "noise": 0.01}, 0, "cpu")
    assert found["pairs spearman"] > 0.98
    assert abs(studies.mechanisms({"each": 1, "size": 300}, 0, "cpu")["chance spearman"]) < 0.2


def test_equal_seeds_give_equal_measures_and_others_do_not() -> None:
    one, two, three = (studies.mechanisms({"each": 2, "size": 50}, s, "cpu") for s in (1, 1, 2))
    assert one == two != three


def test_a_conference_and_an_audit_report_their_measures() -> None:
    params = {"mechanism": "pairwise", "years": 2, "authors": 30}
    assert {"gini", "novelty_gap"} <= studies.conference(params, 0, "cpu").keys()
    found = studies.reviewer(
        {"agent": "scripted:gullible_reader", "size": 8, "each": 4, "together": 4}, 0, "cpu"
    )
    assert found["rise bare"] > found["rise quoted"]
    assert found["same winner"] == 1.0
