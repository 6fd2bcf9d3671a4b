"""Recorded transitions: what is no data set is refused; each way of recording is what it says."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from gymposium.agents.offline.minari_files import read_minari, write_minari
from gymposium.agents.offline.records import (
    Policies,
    Records,
    collect,
    sample_evenly,
    sample_triples,
    subsample,
    uniform,
)
from gymposium.agents.planning.robust.coverage import occupancy, recorded
from gymposium.envs.markov_games.games import MarkovGame, dirichlet
from gymposium.errors import MissingExtra, StoreError, UsageError

COLUMNS = ("step", "state", "row", "column", "reward", "after", "episode")


def game(seed: int = 0, horizon: int = 6) -> MarkovGame:
    return dirichlet((4, 2, 3), horizon, np.random.default_rng(seed))


def changed(data: Records, **parts: np.ndarray) -> Records:
    return Records(**{**vars(data), **parts})


def test_episodes_follow_the_behaviour_policy_and_the_kernel() -> None:
    played = game()
    rng = np.random.default_rng(1)
    behaviour = Policies(rng.dirichlet([1, 1], (6, 4)), rng.dirichlet([1, 1, 1], (6, 4)))
    data = collect(played, 40_000, 0, behaviour)
    assert recorded(data) == pytest.approx(occupancy(played, behaviour), abs=0.01)
    assert (data.state[1:][data.step[1:] > 0] == data.after[:-1][data.step[1:] > 0]).all()
    assert data.reward == pytest.approx(played.reward(0)[data.state, data.row, data.column])


def test_one_seed_records_the_same_and_another_something_else() -> None:
    assert (collect(game(), 5, 1).after == collect(game(), 5, 1).after).all()
    assert (collect(game(), 5, 1).after != collect(game(), 5, 2).after).any()


def test_triples_are_drawn_as_often_as_their_weights_and_evenly_by_a_generative_model() -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(24)).reshape(4, 2, 3)
    data = sample_triples(game(), 20_000, 0, weights)
    cell = np.ravel_multi_index((data.state, data.row, data.column), (4, 2, 3))
    assert np.bincount(cell, minlength=24) / 20_000 == pytest.approx(weights.ravel(), abs=0.015)
    even = sample_evenly(game(), 7, 0)
    cell = np.ravel_multi_index((even.state, even.row, even.column), (4, 2, 3))
    assert set(np.bincount(cell, minlength=24)) == {7}


def test_next_states_are_drawn_from_the_kernel() -> None:
    even = sample_evenly(game(), 20_000, 0)
    here = (even.state == 1) & (even.row == 0) & (even.column == 2)
    seen = np.bincount(even.after[here], minlength=4) / 20_000
    assert seen == pytest.approx(game().kernel(0)[1, 0, 2], abs=0.015)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: {name: getattr(d, name)[:0] for name in COLUMNS}, "data set is empty"),
        (lambda d: {"reward": np.full(len(d), np.nan)}, "reward of transition 0 is nan"),
        (lambda d: {"reward": np.full(len(d), np.inf)}, "reward of transition 0 is inf"),
        (lambda d: {"state": d.state + 3}, "state must be 30 whole numbers from 0 to 3"),
        (lambda d: {"after": d.after - 1}, "after must be"),
        (lambda d: {"row": d.row[:-1]}, "row must be 30"),
        (lambda d: {"step": d.step + 1}, "step must be 30 whole numbers from 0 to 5"),
    ],
)
def test_what_is_no_data_set_is_refused(change: object, says: str) -> None:
    data = collect(game(), 5, 0)
    with pytest.raises(UsageError, match=says):
        changed(data, **change(data))


def test_no_episodes_are_refused() -> None:
    with pytest.raises(UsageError, match="at least 1 episode"):
        collect(game(), 0, 0)


def test_trimming_keeps_nothing_where_the_auxiliary_half_saw_too_little() -> None:
    data = collect(game(), 200, 0)
    assert 100 * math.log(6 * 4 / 0.1) > 100  # no state and step can be seen often enough
    with pytest.raises(UsageError, match="keeps none of 1200 transitions"):
        subsample(data, 0)


def test_trimming_keeps_at_most_the_lower_bound_of_each_step_and_state() -> None:
    data = collect(game(), 12_000, 0)
    kept = subsample(data, 3, delta=0.1)
    rng = np.random.default_rng(3)
    main = np.isin(data.episode, rng.permutation(np.arange(12_000))[:6000])
    cells = data.step * 4 + data.state
    seen = np.bincount(cells[~main], minlength=24)
    bound = np.maximum(0, seen - 10 * np.sqrt(seen * math.log(24 / 0.1)))
    got = np.bincount(kept.step * 4 + kept.state, minlength=24)
    assert (got == np.minimum(np.floor(bound), np.bincount(cells[main], minlength=24))).all()
    assert got.sum() > 0
    assert np.isin(kept.episode, data.episode[main]).all()


def test_splitting_keeps_half_the_episodes_and_none_keeps_all() -> None:
    data = collect(game(), 20, 0)
    assert subsample(data, 0, how="split").episodes == 10
    assert subsample(data, 0, how="none") is data
    with pytest.raises(UsageError, match="trim, split or none"):
        subsample(data, 0, how="some")


@pytest.mark.parametrize("data", [collect(game(), 4, 0), sample_triples(game(), 9, 0)])
def test_minari_files_give_back_what_was_written(
    data: Records, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = write_minari("here/game-v0", data, behaviour="uniform")
    assert len(read_minari("here/game-v0")) == len(data)
    found = read_minari(folder)
    for name in COLUMNS:
        assert (getattr(found, name) == getattr(data, name)).all(), name
    assert (found.size, found.horizon) == (data.size, data.horizon)
    with pytest.raises(StoreError, match="holds a data set already"):
        write_minari(folder, data)


def test_minari_itself_reads_them(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    import minari

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    data = collect(game(), 3, 0)
    write_minari(tmp_path / "game-v0", data)
    found = minari.load_dataset("game-v0")
    assert (found.total_episodes, found.total_steps) == (3, 18)
    first = next(found.iterate_episodes([0]))
    assert first.rewards == pytest.approx(data.reward[:6])
    assert (first.observations == np.append(data.state[:6], data.after[5])).all()


def test_other_peoples_files_may_lack_the_steps(tmp_path: object) -> None:
    from gymnasium import spaces
    from minari.data_collector.episode_buffer import EpisodeBuffer
    from minari.dataset.minari_storage import MinariStorage

    def store(name: str, seen: spaces.Space, *, episodes: int) -> object:
        storage = MinariStorage.new(
            tmp_path / name, seen, spaces.MultiDiscrete([2, 3]), data_format="arrow"
        )
        one = EpisodeBuffer(
            observations=np.array([0, 3, 1]),
            actions=np.array([[0, 2], [1, 1]]),
            rewards=[0.5, 1.0],
            terminations=[False, False],
            truncations=[False, True],
        )
        storage.update_episodes([one] * episodes)
        return tmp_path / name

    found = read_minari(store("plain", spaces.Discrete(4), episodes=2))
    assert found.step.tolist() == [0, 1, 0, 1]
    assert found.horizon == 2
    with pytest.raises(UsageError, match="empty: it holds no episode"):
        read_minari(store("empty", spaces.Discrete(4), episodes=0))
    with pytest.raises(UsageError, match="needs a Discrete state"):
        read_minari(store("box", spaces.MultiBinary(3), episodes=0))
    with pytest.raises(UsageError, match="no Minari data set"):
        read_minari(tmp_path / "nowhere")


def test_without_minari_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "minari", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"gymposium\[offline\]"):
        read_minari("anywhere")


def test_uniform_policies_sum_to_one() -> None:
    for table in uniform(game()):
        assert table.sum(-1) == pytest.approx(1)
