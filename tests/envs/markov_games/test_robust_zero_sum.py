"""The world: what is played, what is told, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs import registry
from gymposium.envs.markov_games.games import feared
from gymposium.envs.markov_games.robust_zero_sum import RobustZeroSumParams
from gymposium.errors import UnknownName, UsageError

ID = "robust_zero_sum-v0"
COIN = {"transitions": [[[[0.3, 0.7]]], [[[1.0, 0.0]]]], "rewards": [[[1.0]], [[0.25]]]}


def frequencies(steps: int, **params: object) -> np.ndarray:
    """How often state 1 follows state 0 in a chain without choices."""
    world = registry.make_world(ID, horizon=steps, **{**COIN, **params})
    turns, seen = world.reset(0), []
    while turns:
        seen.append(int(np.argmax(turns["max"].observation[:-1])))
        turns = world.step({"max": 0, "min": 0})
    here = np.array(seen)
    return float(np.mean(here[1:][here[:-1] == 0]))


def test_next_states_come_as_often_as_the_kernel_says() -> None:
    assert frequencies(4000) == pytest.approx(0.7, abs=0.03)


@pytest.mark.parametrize(("kernel", "often"), [("worst_for_max", 0.9), ("worst_for_min", 0.5)])
def test_nature_moves_the_stated_probability_to_the_state_that_harms(
    kernel: str, often: float
) -> None:
    assert frequencies(4000, kernel=kernel, radius=0.2) == pytest.approx(often, abs=0.03)


def test_what_max_gets_is_what_min_pays() -> None:
    world = registry.make_world(ID, fair=False)
    turns, rng = world.reset(3), np.random.default_rng(0)
    while turns:
        turns = world.step({seat: int(rng.integers(2)) for seat in turns})
        assert world.rewards["max"] == -world.rewards["min"]
    assert world.outcome.metrics["paid"] == pytest.approx(world.outcome.returns["max"])


def test_mean_returns_of_fixed_play_are_the_value_of_the_kernel_that_is_played() -> None:
    params = {
        "game": "dirichlet",
        "rows": 1,
        "columns": 1,
        "states": 4,
        "horizon": 10,
        "fair": False,
    }
    for kernel in ("nominal", "worst_for_max", "worst_for_min"):
        world = registry.make_world(ID, kernel=kernel, radius=0.3, **params)
        returns = []
        for seed in range(600):
            world.reset(seed)
            for _ in range(10):
                world.step({"max": 0, "min": 0})
            returns.append(world.outcome.returns["max"])
        radius = 0.0 if kernel == "nominal" else 0.3
        value = feared(world.game, radius, against=kernel.removeprefix("worst_for_"))[0].mean()
        assert np.mean(returns) == pytest.approx(value, abs=4 * np.std(returns) / 600**0.5)


def test_the_nominal_game_is_told_once_and_the_played_kernel_never() -> None:
    world = registry.make_world(ID, kernel="worst_for_max", radius=0.4)
    turns = world.reset(0)
    told = turns["max"].info["game"]
    assert "kernel" not in told
    assert "radius" not in told
    assert (RobustZeroSumParams(**told).build().transitions == world.game.transitions).all()
    assert "game" not in world.step({"max": 0, "min": 0})["max"].info


def test_an_untold_game_is_told_neither_in_info_nor_in_words() -> None:
    turn = registry.make_world(ID, known_game=False).reset(0)["max"]
    assert "game" not in turn.info
    assert turn.text.count("\n") == 0


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({**COIN, "transitions": [[[[0.3, 0.6]]], [[[1.0, 0.0]]]]}, "sum to 0.9"),
        ({**COIN, "rewards": [[[float("nan")]], [[0.2]]]}, "from 0 to 1"),
        ({**COIN, "rewards": [[[1.0]], [[0.2, 0.3]]]}, "nested lists"),
        ({"rewards": COIN["rewards"]}, "belong together"),
        ({"game": "custom"}, "needs transitions"),
        ({"radius": -0.1}, "radius must be a number from 0 up"),
        ({"radius": float("nan")}, "radius must be a number from 0 up"),
        ({"horizon": 0}, "horizon must be a whole number from 1"),
        ({"states": True}, "states must be a whole number"),
        ({"states": 5000, "rows": 5}, "entries; at most"),
        ({"known_game": 1}, "true or false"),
        ({"fair": "yes"}, "true or false"),
        ({"states": 1000, "horizon": 100_000}, "take too long"),
    ],
)
def test_what_makes_no_world_is_refused(params: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        registry.make_world(ID, **params)


def test_misspelt_choices_name_the_nearest() -> None:
    with pytest.raises(UnknownName, match="soccer"):
        registry.make_world(ID, game="socker")
    with pytest.raises(UnknownName, match="worst_for_max"):
        registry.make_world(ID, kernel="worst_for_mx")


def test_fair_rewards_are_the_same_less_the_value_of_the_first_state() -> None:
    worlds = [registry.make_world(ID, fair=fair) for fair in (True, False)]
    rng = np.random.default_rng(0)
    for world in worlds:
        world.reset(5)
    first = int(np.argmax(worlds[0].observe("max")[:-1]))
    while worlds[0].actors():
        actions = {"max": int(rng.integers(2)), "min": int(rng.integers(2))}
        for world in worlds:
            world.step(actions)
    fair, plain = (world.outcome for world in worlds)
    value = feared(worlds[0].game, 0.0)[0, first]
    assert fair.returns["max"] == pytest.approx(plain.returns["max"] - value)
    assert fair.metrics == plain.metrics


def test_at_equilibrium_fair_returns_are_nought_on_average() -> None:
    from gymposium.agents.registry import resolve

    returns = []
    for seed in range(400):
        world = registry.make_world(ID, horizon=10)
        agents = {
            seat: resolve("scripted:robust_planner?radius=0").create() for seat in world.seats
        }
        for seat, agent in agents.items():
            agent.reset(world.seats[seat], seed + (seat == "min"))
        turns = world.reset(seed)
        while turns:
            turns = world.step({seat: agents[seat].act(turn) for seat, turn in turns.items()})
        returns.append(world.outcome.returns["max"])
    assert abs(np.mean(returns)) < 4 * np.std(returns) / 20
