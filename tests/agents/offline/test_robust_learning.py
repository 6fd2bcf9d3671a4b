"""What is made of data: models, penalties, the nine algorithms, and agents that play them."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import gymposium
from gymposium.agents.methods import resolve_method
from gymposium.agents.offline.minari_files import write_minari
from gymposium.agents.offline.policy_table import PolicyTable
from gymposium.agents.offline.records import collect, sample_evenly, sample_triples
from gymposium.agents.offline.robust_learning import ALGORITHMS, Recipe, empirical, learn
from gymposium.agents.planning.robust.evaluation import quality
from gymposium.agents.planning.robust.model import Penalty, estimate, known, theory_constant
from gymposium.agents.planning.robust.value_iteration import Doubt, both, solve
from gymposium.agents.registry import resolve
from gymposium.envs import registry
from gymposium.envs.markov_games.games import MarkovGame, dirichlet
from gymposium.errors import UnknownName, UsageError
from gymposium.types import TrainingTask

WORLD = {"game": "dirichlet", "states": 4, "horizon": 6}


def game(seed: int = 0) -> MarkovGame:
    return dirichlet((4, 2, 3), 6, np.random.default_rng(seed))


def test_models_are_frequencies_and_unseen_triples_are_uniform_and_pay_nothing() -> None:
    data = sample_triples(game(), 12, 0)
    model = estimate(data)
    counts = np.zeros((4, 2, 3), int)
    for s, a, b in zip(data.state, data.row, data.column, strict=True):
        counts[s, a, b] += 1
    assert (model.counts[0] == counts).all()
    assert (counts == 0).any()
    assert (model.transitions[0][counts == 0] == 0.25).all()
    assert (model.rewards[0][counts == 0] == 0).all()
    assert model.transitions.sum(-1) == pytest.approx(1)
    assert model.rewards[0][counts > 0] == pytest.approx(game().reward(0)[counts > 0])


def test_a_model_by_steps_counts_each_step_alone() -> None:
    data = collect(game(), 50, 0)
    by_steps = estimate(data, homogeneous=False)
    assert by_steps.transitions.shape == (6, 4, 2, 3, 4)
    assert (by_steps.counts.sum((1, 2, 3)) == 50).all()
    assert (by_steps.counts.sum(0) == estimate(data).counts[0]).all()


def test_with_much_data_the_model_is_the_game() -> None:
    model = estimate(sample_evenly(game(), 40_000, 0))
    assert model.transitions == pytest.approx(game().transitions, abs=0.015)
    assert model.rewards == pytest.approx(game().rewards)


def test_the_penalty_falls_with_visits_between_its_two_bounds() -> None:
    kernel = np.broadcast_to(game().kernel(0)[0, 0, 0], (1, 1, 40, 4))
    visits = np.arange(40)[None, None]
    value = np.array([0.0, 1.0, 4.0, 2.0])
    beta = Penalty(0.3)(kernel, visits, value, 6.0)[0, 0]
    assert beta[0] == 6.0
    assert (np.diff(beta) <= 1e-12).all()
    assert (beta[1:] >= np.minimum(6.0, 2 * 0.3 * 6 / visits[0, 0, 1:]) - 1e-12).all()
    assert beta.max() <= 6.0
    flat = Penalty(0.3)(kernel, visits, np.full(4, 2.0), 6.0)[0, 0]
    assert flat[1:] == pytest.approx(np.minimum(6.0, 2 * 0.3 * 6 / visits[0, 0, 1:]))
    assert Penalty(0.3, "zero")(kernel, visits, value, 6.0)[0, 0, 0] == 0.0
    assert theory_constant(100, 6) == pytest.approx(np.log(6000))


def test_the_theorys_constant_is_vacuous_on_small_data() -> None:
    data = collect(game(), 20, 0)
    kernel, _, counts, _ = estimate(data).at(0)
    beta = Penalty(theory_constant(20, 6))(kernel, counts, np.linspace(0, 5, 4), 6.0)
    assert (beta == 6.0).mean() > 0.8


@pytest.mark.parametrize(("constant", "unseen"), [(-1.0, "full"), (float("nan"), "full")])
def test_a_penalty_below_nought_is_refused(constant: float, unseen: str) -> None:
    with pytest.raises(UsageError, match="from 0 up"):
        Penalty(constant, unseen)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("homogeneous", [True, False])
def test_every_algorithm_gives_distributions(algorithm: str, homogeneous: bool) -> None:
    recipe = Recipe(algorithm, "pess", both(0.2), homogeneous=homogeneous)
    made = learn(collect(game(), 30, 0), recipe)
    assert made.max.shape == (6, 4, 2)
    assert made.min.shape == (6, 4, 3)
    for table in made:
        assert table.sum(-1) == pytest.approx(1)
        assert table.min() >= 0


@pytest.mark.parametrize(
    ("algorithm", "mode", "doubt"),
    [
        ("rtz_vi_lcb", "pess", both(0.2)),
        ("rtz_vi", "bimatrix", both(0.2)),
        ("dr_nvi", "paper", both(0.2)),
        ("vi_lcb_game", "paper", Doubt()),
        ("p2m2po", "paper", both(0.2)),
    ],
)
def test_with_much_data_each_reaches_what_it_aims_at(
    algorithm: str, mode: str, doubt: Doubt
) -> None:
    data = sample_evenly(game(), 100_000, 0)
    found = quality(game(), learn(data, Recipe(algorithm, mode, doubt, confidence=0.0)), doubt)
    pess = algorithm in ("rtz_vi_lcb", "p2m2po")
    assert (found.security if pess else found.gap) < 0.02


def test_the_baselines_are_special_cases_of_the_method() -> None:
    data = collect(game(), 30, 0)

    def made(algorithm: str, doubt: Doubt, constant: float) -> np.ndarray:
        return learn(data, Recipe(algorithm, "paper", doubt, Penalty(constant))).max

    assert (made("rtz_vi", both(0.2), 0.01) == made("rtz_vi_lcb", both(0.2), 0.0)).all()
    assert (made("vi_lcb_game", both(0.2), 0.01) == made("rtz_vi_lcb", Doubt(), 0.01)).all()
    assert (made("vi_game", both(0.2), 0.01) == made("rtz_vi_lcb", Doubt(), 0.0)).all()


def test_double_pessimism_is_a_larger_radius() -> None:
    data = sample_evenly(game(), 400, 0)
    wider = both(0.2 + (4 / 400) ** 0.5)
    expected = solve(estimate(data), wider, mode="pess").policies
    made = learn(data, Recipe("p2m2po", "paper", both(0.2)))
    assert made.max == pytest.approx(expected.max)
    assert made.min == pytest.approx(expected.min)


def test_alone_against_a_fixed_opponent_a_player_finds_the_robust_optimum() -> None:
    data = collect(game(), 20_000, 0)
    made = learn(data, Recipe("drvi_lcb", doubt=both(0.2), penalty=Penalty(0.0)))
    assert set(np.unique(made.max)) == {0.0, 1.0}
    model, fixed = estimate(data), empirical(data)
    value = np.zeros(4)
    for step in reversed(range(6)):
        q = model.rewards[0] + both(0.2).low(model.transitions[0], value)
        gains = np.einsum("sab,sb->sa", q, fixed.min[step])
        assert (made.max[step].argmax(1) == gains.argmax(1)).all()
        value = gains.max(1)


def test_cloning_copies_frequencies_and_is_uniform_where_nothing_was_seen() -> None:
    data = sample_triples(game(), 5, 0)
    made = empirical(data)
    unseen = np.setdiff1d(np.arange(4), data.state)
    assert len(unseen)
    assert (made.max[:, unseen] == 0.5).all()
    state = data.state[0]
    share = np.mean(data.row[data.state == state] == 0)
    assert made.max[0, state, 0] == pytest.approx(share)


def test_misspelt_recipes_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="rtz_vi_lcb"):
        Recipe("rtz_vi_lbc")
    with pytest.raises(UnknownName, match="pess"):
        Recipe(mode="pes")
    with pytest.raises(UsageError, match="use divergence tv"):
        Recipe("p2m2po", doubt=both(0.1, "kl"))


def trained(spec: str, steps: int = 600, **params: object) -> object:
    method = resolve_method(spec).make()
    task = TrainingTask(registry.spec("robust_zero_sum").id, {**WORLD, **params}, seed=1)
    object.__setattr__(task, "budget", {"steps": steps})
    return method, list(method.train(task))


def test_the_method_makes_better_policies_of_more_data_and_resumes_bit_for_bit() -> None:
    method, moments = trained("offline_robust?penalty=0.0001", 30_000)
    assert [one.step for one in moments] == [3000 * k for k in range(1, 11)]
    assert moments[-1].metrics["security"] < moments[0].metrics["security"]
    fresh = resolve_method("offline_robust").make()
    fresh.load_state_dict(pickle.loads(pickle.dumps(method.state_dict())))
    ours, theirs = method.agents()["max"], fresh.agents()["max"]
    assert (ours._policy == theirs._policy).all()


@pytest.mark.parametrize("spec", ["offline_robust?source=generative", "offline_robust?mode=paper"])
def test_the_method_stops_at_its_budget(spec: str) -> None:
    assert trained(spec, 600)[1][-1].step == 600


def test_the_method_learns_from_a_minari_data_set(tmp_path: object) -> None:
    played = registry.make_world("robust_zero_sum-v0", **WORLD).game
    folder = write_minari(tmp_path / "game-v0", collect(played, 10, 0))
    assert trained(f"offline_robust?data={folder}")[1][-1].step == 60
    with pytest.raises(UsageError, match="the world has"):
        trained(f"offline_robust?data={folder}", states=5)


def test_the_method_refuses_other_worlds_and_partners() -> None:
    method = resolve_method("offline_robust").make()
    with pytest.raises(UsageError, match="learns both seats"):
        next(method.train(TrainingTask("iterated_matrix-v0")))
    with pytest.raises(UsageError, match="1 partners"):
        next(method.train(TrainingTask("robust_zero_sum-v0", partners={"max": "random"})))
    with pytest.raises(UsageError, match="learned nothing"):
        method.agents()
    for spec in ("offline_robust?radius=-1", "offline_robust?source=some"):
        with pytest.raises(UsageError):
            resolve_method(spec).make()


def test_bots_play_what_was_planned_in_either_seat() -> None:
    run = gymposium.run(
        {
            "name": "meeting",
            "world": "robust_zero_sum-v0",
            "params": WORLD,
            "schedule": {"repeats": 3},
        },
        ["scripted:robust_planner?radius=0", "scripted:offline_robust?episodes=5", "random"],
    )
    table = run.table()
    assert (table["faults"] == 0).all()
    json.dumps(table["agent"].tolist())


def test_a_planner_that_is_told_nothing_says_so() -> None:
    world = registry.make_world("robust_zero_sum-v0", known_game=False)
    agent = resolve("scripted:robust_planner").create()
    turn = world.reset(0)["max"]
    agent.reset(world.seats["max"], 0)
    with pytest.raises(UsageError, match="this world tells none"):
        agent.act(turn)


def test_a_table_of_another_game_is_refused() -> None:
    world = registry.make_world("robust_zero_sum-v0")
    with pytest.raises(UsageError, match="4 states and 3 actions"):
        PolicyTable(np.ones((6, 4, 3)) / 3).reset(world.seats["max"], 0)


def test_tables_play_their_distribution() -> None:
    world = registry.make_world("robust_zero_sum-v0", states=1, horizon=1)
    agent = PolicyTable(np.array([[[0.2, 0.8]]]))
    played = []
    for seed in range(2000):
        agent.reset(world.seats["max"], seed)
        played.append(agent.act(world.reset(seed)["max"]))
    assert np.mean(played) == pytest.approx(0.8, abs=0.03)


def test_the_known_game_is_a_model_without_penalty() -> None:
    plain = solve(known(game()), both(0.1), mode="pess")
    assert (solve(known(game()), both(0.1), Penalty(5.0), mode="pess").plus == plain.plus).all()
