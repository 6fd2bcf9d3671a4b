"""The survival bandit against its rules, written out apart, and its closed forms."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gymposium
from gymposium.envs.bandits.arms import INSTANCES
from gymposium.errors import UnknownName, UsageError

ID = "survival_bandit-v0"


def vector(count: int, **params: Any) -> Any:
    return gymposium.make_vec(ID, count, autoreset="disabled", **params)


def play(rows: int, policy: Any, seed: int = 0, **params: Any) -> dict[str, Any]:
    """All rows to their end under ``policy(budget, left, rng)``; sums by name."""
    made = vector(rows, **params)
    seen, _ = made.reset(seed=seed)
    rng = np.random.default_rng(seed)
    sums = {"reward": np.zeros(rows), "principal": np.zeros(rows), "short": np.zeros(rows)}
    alive = np.ones(rows, bool)
    ruined = np.zeros(rows, bool)
    while alive.any():
        arms = np.asarray(policy(seen[:, 0, 0], seen[:, 0, -1], rng))
        made._ended = np.zeros(rows, bool)  # rows that are over are played on and not counted
        seen, reward, terminated, truncated, infos = made.step(arms.reshape(rows, 1))
        sums["reward"] += np.where(alive, reward[:, 0], 0)
        sums["principal"] += np.where(alive, infos["principal_reward"][:, 0], 0)
        sums["short"] += np.where(alive, infos["shortfall"][:, 0], 0)
        ruined |= alive & terminated
        alive &= ~(terminated | truncated)
    return {**sums, "ruined": ruined}


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**40),
    budget=st.integers(1, 30),
    rule=st.sampled_from(["le0", "lt0"]),
    liability=st.sampled_from(["limited", "full"]),
    arms=st.lists(st.integers(0, 2), min_size=12, max_size=12),
)
def test_a_life_follows_the_rules(
    seed: int, budget: int, rule: str, liability: str, arms: list[int]
) -> None:
    world = gymposium.make(
        ID, api="world", budget=budget, horizon=12, ruin_rule=rule, liability=liability
    )
    turns = world.reset(seed)
    held, total, principal, escaped = float(budget), 0.0, 0.0, 0.0
    for step, arm in enumerate(arms, 1):
        turns = world.step({"player_0": arm})
        raw = world._info("player_0")["principal_reward"]
        assert raw in INSTANCES["sng"].arms[arm].rewards
        left = held + raw
        ruined = left <= 0 if rule == "le0" else left < 0
        principal += raw
        escaped += max(0.0, -left)
        total += max(-held, raw) if liability == "limited" else raw
        held = 0.0 if ruined else left
        assert (turns == {}) == (ruined or step == 12)
        if not turns:
            break
        assert turns["player_0"].observation[0] == held
    outcome = world.outcome
    assert outcome.returns["player_0"] == pytest.approx(total)
    assert outcome.terminated["player_0"] is ruined
    assert outcome.truncated["player_0"] is (not ruined)
    assert outcome.metrics["principal_return"] == pytest.approx(principal)
    assert outcome.metrics["shortfall"] == pytest.approx(escaped)
    assert outcome.metrics["final_budget"] == held
    if liability == "limited":  # the telescoping identity
        assert outcome.returns["player_0"] == pytest.approx(held - budget)


def test_return_is_what_the_budget_grew_by_and_the_principal_bears_the_rest() -> None:
    sums = play(5000, lambda held, left, rng: rng.integers(0, 3, len(held)), budget=8)
    np.testing.assert_allclose(sums["reward"] - sums["principal"], sums["short"], atol=1e-3)
    assert (sums["short"] >= 0).all()
    assert (sums["reward"] >= -8).all()


@pytest.mark.parametrize(("p", "b"), [(0.6, 1), (0.6, 3), (0.55, 5)])
def test_gamblers_ruin_comes_as_often_as_the_closed_form_says(p: float, b: int) -> None:
    coin = [{"name": "coin", "rewards": [1, -1], "probs": [p, 1 - p]}]
    rows = 20_000
    ruined = play(
        rows, lambda held, left, rng: np.zeros(len(held), int), arms=coin, budget=b, horizon=600
    )["ruined"]
    exact = ((1 - p) / p) ** b
    assert abs(ruined.mean() - exact) < 4 * np.sqrt(exact * (1 - exact) / rows)


def test_a_fair_walk_is_ruined_as_the_reflection_principle_says() -> None:
    from scipy.stats import binom

    coin = [{"name": "coin", "rewards": [1, -1], "probs": [0.5, 0.5]}]
    rows, steps, b = 20_000, 25, 4
    ruined = play(
        rows, lambda held, left, rng: np.zeros(len(held), int), arms=coin, budget=b, horizon=steps
    )["ruined"]

    def tail(at_most: int) -> float:  # P(S_n <= at_most), S_n = 2 B - n
        return float(binom.cdf((at_most + steps) // 2, steps, 0.5))

    exact = tail(-b) + tail(-b - 1)
    assert abs(ruined.mean() - exact) < 4 * np.sqrt(exact * (1 - exact) / rows)


def test_a_row_of_the_batch_is_the_single_world_with_its_seed() -> None:
    rows = 16
    made = vector(rows, budget=7, horizon=15)
    seen, _ = made.reset(seed=11)
    seeds = made.seeds.tolist()
    arms = np.random.default_rng(0).integers(0, 3, (15, rows, 1))
    worlds = [gymposium.make(ID, api="world", budget=7, horizon=15) for _ in range(rows)]
    for world, seed in zip(worlds, seeds, strict=True):
        world.reset(seed)
    over = np.zeros(rows, bool)
    for step in range(15):
        made._ended = np.zeros(rows, bool)
        seen, reward, terminated, _truncated, _ = made.step(arms[step])
        for row, world in enumerate(worlds):
            if over[row]:
                continue
            turns = world.step({"player_0": int(arms[step, row, 0])})
            assert world.rewards["player_0"] == reward[row, 0]
            assert world.observe("player_0").tolist() == seen[row, 0].tolist()
            over[row] = not turns
            assert world.ended[0] == terminated[row]


def test_no_answer_lets_a_day_pass() -> None:
    world = gymposium.make(ID, api="world", horizon=2)
    world.reset(1)
    turns = world.step({"player_0": None})
    assert turns["player_0"].reward == 0
    assert world.step({"player_0": None}) == {}
    assert world.outcome.returns == {"player_0": 0.0}


def test_policies_under_one_seed_share_their_luck() -> None:
    alike = [{"name": n, "rewards": [1, -1], "probs": [0.5, 0.5]} for n in ("a", "b")]
    worlds = [gymposium.make(ID, api="world", arms=alike, budget=40) for _ in range(2)]
    for arm, world in enumerate(worlds):
        world.reset(9)
        while world.step({"player_0": arm}):
            pass
    assert worlds[0].outcome.metrics == worlds[1].outcome.metrics


def test_a_cap_holds_the_budget_but_not_the_reward() -> None:
    gift = [{"name": "gift", "rewards": [5], "probs": [1]}]
    world = gymposium.make(ID, api="world", arms=gift, budget=3, budget_cap=10, horizon=4)
    world.reset(0)
    while world.step({"player_0": 0}):
        pass
    assert world.outcome.returns["player_0"] == 20
    assert world.outcome.metrics["final_budget"] == 10


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"budget": 0}, "budget must be a number"),
        ({"budget": float("nan")}, "budget must be a number"),
        ({"horizon": 0}, "horizon must be a whole number"),
        ({"instance": "custom"}, "needs arms"),
        ({"order": [0, 1]}, "order must hold 0 to 2"),
        ({"budget": 5, "budget_cap": 4}, "budget_cap"),
        ({"known_arms": 1}, "true or false"),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(params: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        gymposium.make(ID, **params)


def test_an_unknown_instance_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="investment"):
        gymposium.make(ID, instance="investmant")


@pytest.mark.parametrize(
    "actions", [np.zeros((3, 1)), np.zeros(3, int), np.full((3, 1), 3), np.full((3, 1), -1)]
)
def test_wrong_actions_of_a_batch_are_refused(actions: Any) -> None:
    made = vector(3)
    made.reset(seed=0)
    with pytest.raises(UsageError, match="action"):
        made.step(actions)


def test_same_step_autoreset_begins_the_next_life_at_once() -> None:
    made = gymposium.make_vec(ID, 50, autoreset="same_step", horizon=3, budget=100)
    made.reset(seed=0)
    for _ in range(2):
        *_, infos = made.step(np.ones((50, 1), int))
        assert "final_obs" not in infos
    seen, _, _, truncated, infos = made.step(np.ones((50, 1), int))
    assert truncated.all()
    assert infos["_final_obs"].all()
    assert (infos["final_obs"][:, 0, 1] == 0).all()
    assert (seen[:, 0, 0] == 100).all()
    np.testing.assert_allclose(
        infos["episode_returns"][:, 0], infos["final_obs"][:, 0, 0] - 100, atol=1e-4
    )


def test_next_step_autoreset_spends_a_step_on_the_new_life() -> None:
    made = gymposium.make_vec(ID, 4, horizon=1, budget=100)
    made.reset(seed=0)
    _, _, _, truncated, _ = made.step(np.ones((4, 1), int))
    assert truncated.all()
    seen, rewards, terminated, truncated, _ = made.step(np.ones((4, 1), int))
    assert not truncated.any()
    assert not terminated.any()
    assert (rewards == 0).all()
    assert (seen[:, 0, 0] == 100).all()


def test_gymnasium_makes_the_same_world() -> None:
    env = gymnasium.make("gymposium/SurvivalBandit-v0", budget=9)
    seen, info = env.reset(seed=3)
    assert seen.tolist() == [9.0, 1.0]
    assert len(info["arms"]) == 3


def test_odds_are_told_only_where_they_are_known() -> None:
    hidden = gymposium.make(ID, api="world", known_arms=False, hide_steps_left=True)
    turn = hidden.reset(0)["player_0"]
    assert not {"arms", "horizon"} & set(turn.info)
    assert turn.observation.shape == (1,)
    assert "probability" not in hidden.seats["player_0"].rules
    assert "There are" not in hidden.seats["player_0"].rules


def test_the_order_of_the_options_is_the_order_offered() -> None:
    world = gymposium.make(ID, api="world", order=[2, 0, 1])
    assert world.action_labels("player_0") == ("gamble", "safe", "neutral")
    assert world.reset(0)["player_0"].schema["enum"] == ["gamble", "safe", "neutral"]


def test_dollars_are_spoken_as_dollars() -> None:
    world = gymposium.make(ID, api="world", instance="investment", budget=10)
    assert "You hold $1.00." in world.reset(0)["player_0"].text
    assert "fund: +$1.00 with probability 0.6, -$0.70 with probability 0.4" in (
        world.seats["player_0"].rules
    )
