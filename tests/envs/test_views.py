"""The PettingZoo and Gymnasium views: seeds, masks, silence, and illegal answers explained."""

from __future__ import annotations

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check

from gymposium.envs import registry
from gymposium.envs.sameness import same
from gymposium.envs.views.aec import AecView
from gymposium.envs.views.gymnasium import GymnasiumView
from gymposium.envs.views.parallel import ParallelView
from gymposium.errors import IllegalAction, UsageError

from .tiny_worlds import Guess


def matrix(api="parallel", **params):
    return registry.make("iterated_matrix-v0", api=api, **params)


def test_gymnasiums_own_checker_passes_a_world_of_one_seat():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gymnasium_check(GymnasiumView(Guess(), render_mode="ansi"))


def test_gymnasium_view_is_the_same_match_as_the_world():
    world, view = Guess(), GymnasiumView(Guess())
    turn = world.reset(5)["guesser"]
    observation, info = view.reset(seed=5)
    assert same(observation, turn.observation)
    for action in (0, 1, 2):
        turns = world.step({"guesser": action})
        observation, reward, terminated, truncated, info = view.step(action)
        assert reward == world.rewards["guesser"]
        assert (terminated, truncated) == world.ended
        if not turns:
            break
        assert same(observation, turns["guesser"].observation)
        assert same(info["action_mask"], turns["guesser"].action_mask)


def test_an_illegal_answer_is_explained_and_costs_what_the_fault_rule_says():
    view = GymnasiumView(Guess())
    view.reset(seed=1)
    hidden = view.world._hidden
    wrong = (hidden + 1) % 5
    view.step(wrong)
    _, reward, _, _, info = view.step(wrong)
    assert reward == -1.0
    assert "was just tried" in info["illegal"]
    _, reward, _, _, info = view.step(None)
    assert reward == -1.0
    assert "no legal answer" in info["illegal"]
    _, _, _, _, info = view.step(hidden)
    assert "illegal" not in info


def test_an_action_outside_its_space_is_an_error_everywhere():
    for api in ("parallel", "aec"):
        view = matrix(api)
        view.reset(seed=0)
        with pytest.raises(IllegalAction, match="not an action of player_0"):
            view.step({"player_0": 7, "player_1": 0} if api == "parallel" else 7)
    view = GymnasiumView(Guess())
    view.reset(seed=0)
    with pytest.raises(IllegalAction):
        view.step(99)


def test_many_seats_do_not_fit_gymnasium():
    with pytest.raises(UsageError, match="api='parallel'"):
        matrix("gymnasium")


@pytest.mark.parametrize("api", ["parallel", "aec"])
def test_a_view_refuses_to_step_or_render_before_reset_and_to_step_after_the_end(api):
    view = matrix(api, rounds=1, render_mode="ansi")
    with pytest.raises(UsageError, match=r"call reset\(\)"):
        view.step({} if api == "parallel" else 0)
    with pytest.raises(UsageError, match=r"call reset\(\)"):
        view.render()
    view.reset(seed=0)
    for _ in range(1 if api == "parallel" else 2):
        view.step({"player_0": 0, "player_1": 1} if api == "parallel" else 0)
    if api == "aec":
        for _ in range(2):
            view.step(None)
    assert view.agents == []
    assert view.render() == view.render()
    with pytest.raises(UsageError, match="is over"):
        view.step({} if api == "parallel" else 0)
    view.close()


def test_simultaneous_seats_do_not_see_each_others_answers_in_aec():
    view = matrix("aec")
    view.reset(seed=0)
    before = view.observe("player_1")
    view.step(1)
    assert view.agent_selection == "player_1"
    assert same(view.observe("player_1"), before)
    assert view.rewards == {"player_0": 0, "player_1": 0}
    view.step(0)
    assert view.rewards == {"player_0": 5.0, "player_1": 0.0}
    assert view.last()[1] == 5.0


def test_an_illegal_answer_is_told_in_aec_until_the_world_has_moved_on():
    view = matrix("aec", talk=True)
    view.reset(seed=0)
    view.step({"say": "hi", "move": 1})
    assert "time to speak" in view.infos["player_0"]["illegal"]
    assert "illegal" not in view.infos["player_1"]
    view.step({"say": "hello", "move": 0})
    assert "time to speak" in view.infos["player_0"]["illegal"]
    assert view.last()[0]["heard"] == ("", "hello")
    view.step({"say": "", "move": 1})
    assert "illegal" not in view.infos["player_0"]


def test_in_a_turn_based_world_only_the_actors_action_counts():
    view = registry.make("haggling-v0", api="parallel")
    _, infos = view.reset(seed=3)
    actors = [seat for seat, info in infos.items() if info["acts"]]
    assert len(actors) == 1
    other = next(seat for seat in view.agents if seat not in actors)
    one, two = copy.deepcopy(view), copy.deepcopy(view)
    action = view.action_space(actors[0]).sample(mask=infos[actors[0]].get("action_mask"))
    one.step({actors[0]: action, other: None})
    two.step({actors[0]: action})
    assert one.world.fingerprint() == two.world.fingerprint()


def test_parallel_needs_every_actor_and_knows_its_seats():
    view = matrix()
    view.reset(seed=0)
    with pytest.raises(UsageError, match="player_1"):
        view.step({"player_0": 0})
    with pytest.raises(UsageError, match="not a seat"):
        view.step({"player_0": 0, "player_1": 0, "player_2": 0})


def test_a_given_seed_is_the_episodes_seed_and_later_ones_follow_from_it():
    lengths = []
    for _ in range(2):
        view = matrix(continuation=0.9)
        view.reset(seed=4)
        assert view.world.fingerprint() == matrix_fingerprint(4)
        drawn = [view.world._length]
        for _ in range(6):
            view.reset()
            drawn.append(view.world._length)
        view.reset(seed=4)
        drawn.append(view.world._length)
        lengths.append(drawn)
    assert lengths[0] == lengths[1]
    assert lengths[0][0] == lengths[0][-1]
    assert len(set(lengths[0])) > 2


def matrix_fingerprint(seed):
    world = registry.make_world("iterated_matrix-v0", continuation=0.9)
    world.reset(seed)
    return world.fingerprint()


def test_without_any_seed_episodes_differ_between_views():
    draws = []
    for _ in range(2):
        view = matrix(continuation=0.99, cap=5000)
        view.reset()
        draws.append(view.world._length)
        view.reset()
        draws.append(view.world._length)
    assert len(set(draws)) > 1


@pytest.mark.parametrize("api", ["parallel", "aec"])
def test_a_view_in_mid_episode_can_be_copied_and_pickled(api):
    view = matrix(api, continuation=0.999, cap=5000)
    view.reset(seed=2)
    step = {"player_0": 0, "player_1": 1} if api == "parallel" else 0
    view.step(step)
    for other in (copy.deepcopy(view), pickle.loads(pickle.dumps(view))):
        mine = copy.deepcopy(view)
        for _ in range(2):
            mine.step(step)
            other.step(step)
            assert mine.world.fingerprint() == other.world.fingerprint()
        mine.reset()
        other.reset()
        assert mine.world.fingerprint() == other.world.fingerprint()


@pytest.mark.parametrize("view", [ParallelView, AecView])
def test_pettingzoos_names_are_there(view):
    made = view(registry.make_world("iterated_matrix-v0"))
    made.reset(seed=0)
    assert made.metadata["name"] == "iterated_matrix-v0"
    assert made.metadata["render_modes"] == ["ansi", "rgb_array"]
    assert made.num_agents == made.max_num_agents == 2
    assert made.unwrapped is made
    assert made.render() is None
    assert made.action_space("player_0") is made.action_spaces["player_0"]


def test_gymnasiums_wrappers_work_on_top():
    env = gymnasium.wrappers.TimeLimit(GymnasiumView(Guess(numbers=50)), 2)
    _, info = env.reset(seed=0)
    env.action_space.seed(1)
    for _ in range(2):
        mask = info["action_mask"]
        _, _, terminated, truncated, info = env.step(env.action_space.sample(mask=mask))
    assert terminated or truncated
    assert isinstance(info["action_mask"], np.ndarray)
