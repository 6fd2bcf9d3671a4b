"""``trained:`` agents: in tournaments like any other, and refused where they do not belong."""

from __future__ import annotations

import pickle
import shutil

import pytest

import gymposium
from gymposium.agents.registry import resolve
from gymposium.agents.spec_text import parse_spec
from gymposium.agents.trained import TrainedAgent
from gymposium.errors import StoreError, UnknownName, UsageError

from .test_train import small


@pytest.fixture
def run(tmp_path):
    return small(tmp_path / "run", seeds=1, checkpoints={"keep": 9})


def learner(run):
    return run.learners["tabular", 0]


def test_the_newest_checkpoint_is_meant_unless_a_step_or_the_best_is_named(run, tmp_path):
    newest = resolve(f"trained:{learner(run)}")
    assert newest.name == "tabular/seed-0@300"
    assert resolve(f"trained:{learner(run)}@100").name == "tabular/seed-0@100"
    best = resolve(f"trained:{learner(run)}@best")
    measured = run.evaluations.set_index("step")["return"]
    assert measured[int(best.name.rpartition("@")[2])] == measured.max()
    folder = learner(run) / "checkpoints" / "step-000000000300"
    for same in ("run", "run/tabular/seed-0", str(folder)):
        assert resolve(f"trained:{same}", root=tmp_path).identity == newest.identity
    assert resolve(f"trained:{learner(run)}@100").identity != newest.identity


def test_a_run_under_runs_is_found_and_an_at_sign_in_a_folder_is_no_step(run, tmp_path):
    (tmp_path / "runs").mkdir()
    shutil.move(run.path, tmp_path / "runs" / "me@home")
    found = resolve("trained:me@home/tabular/seed-0", root=tmp_path)
    assert found.name == "tabular/seed-0@300"
    assert resolve("trained:me@home/tabular/seed-0@200", root=tmp_path).name.endswith("@200")


def test_specs_are_read_back_as_written():
    for text in ("trained:a/b/seed-0", "trained:a/b@best?seat=player_1", "trained:x.py/seed-0"):
        spec = parse_spec(text)
        assert (spec.kind, str(spec)) == ("trained", text)


def test_it_sits_in_a_tournament_beside_others(run, tmp_path):
    finished = gymposium.run(
        {"name": "meeting", "world": "iterated_matrix-v0", "params": {"rounds": 5}},
        [*run.agents(), "scripted:grim", "random"],
        out=tmp_path / "meeting",
    )
    table = finished.table()
    assert "tabular/seed-0" in set(table["agent"])
    assert all(not seat.faults for row in finished.rows for seat in row.seats)
    assert all(row.deterministic for row in finished.rows)
    again = gymposium.run(
        {"name": "meeting", "world": "iterated_matrix-v0", "params": {"rounds": 5}},
        [*run.agents(), "scripted:grim", "random"],
        out=tmp_path / "again",
    )
    kept = [[seat.return_ for seat in row.seats] for row in finished.rows]
    assert kept == [[seat.return_ for seat in row.seats] for row in again.rows]


def test_a_checkpoint_of_another_world_or_other_spaces_is_refused_before_the_first_match(
    run, tmp_path
):
    spec = f"trained:{learner(run)}"
    with pytest.raises(UsageError, match=r"was trained in iterated_matrix-v0 and cannot play auc"):
        gymposium.run("auction", [spec, "random"], out=tmp_path / "auction")
    longer = {"name": "x", "world": "iterated_matrix-v0", "params": {"rounds": 6}}
    with pytest.raises(UsageError, match=r"trained with the observation space .*'player_\d' has"):
        gymposium.run(longer, [spec], out=tmp_path / "longer")
    for folder in ("auction", "longer"):
        assert gymposium.load(tmp_path / folder).rows == []


def test_a_policy_for_one_seat_plays_another_only_when_told_to(tmp_path):
    run = small(tmp_path / "run", partners={"player_1": "random"})
    spec = f"trained:{learner(run)}"
    scenario = {"name": "x", "world": "iterated_matrix-v0", "params": {"rounds": 5}}
    finished = gymposium.run(scenario, [spec, "random"], out=tmp_path / "one")
    # A single policy is meant for every seat.
    assert all(not seat.faults for row in finished.rows for seat in row.seats)
    both = small(tmp_path / "both")
    spec = f"trained:{learner(both)}?seat=player_1"
    seated = resolve(spec)
    agent = seated.create()
    world = gymposium.make("iterated_matrix-v0", api="world", rounds=5)
    agent.reset(world.seats["player_0"], 0)
    method = agent._method
    assert (agent._mind.logits == method.logits["player_1"]).all()
    with pytest.raises(UnknownName, match=r"unknown policy 'player_7'"):
        resolve(f"trained:{learner(both)}?seat=player_7")


def test_a_seat_nobody_learned_is_refused_with_a_remedy(run):
    from dataclasses import replace

    world = gymposium.make("iterated_matrix-v0", api="world", rounds=5)
    seat = replace(world.seats["player_0"], id="player_9", role="guest")
    with pytest.raises(UsageError, match=r"no policy for the seat 'player_9'.*\?seat=player_0"):
        resolve(f"trained:{learner(run)}").create().reset(seat, 0)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("trained:rum", UnknownName, "unknown training run 'rum'.*'run'"),
        ("trained:run/tabular/seed-0@150", UnknownName, "unknown step '150'.*did you mean '100'"),
        ("trained:run/tabular/seed-0@last", UnknownName, "unknown step 'last'"),
        ("trained:run/tabular/seed-0?sead=x", UnknownName, "unknown parameter 'sead'.*'seat'"),
        ("trained:empty", StoreError, "holds no checkpoint"),
        ("trained:", UsageError, "names nothing after 'trained:'"),
    ],
)
def test_what_does_not_exist_is_said_with_the_nearest(run, tmp_path, text, error, words):
    (tmp_path / "empty").mkdir()
    with pytest.raises(error, match=words):
        resolve(text, root=tmp_path)


def test_several_learners_in_a_folder_must_be_told_apart(tmp_path):
    small(tmp_path / "run", seeds=2)
    with pytest.raises(UsageError, match="several learners: add one of tabular/seed-0, tabular/se"):
        resolve("trained:run", root=tmp_path)


def test_a_damaged_checkpoint_is_refused_when_it_is_named(run):
    file = learner(run) / "checkpoints" / "step-000000000300" / "policy.safetensors"
    file.write_bytes(file.read_bytes()[:-1] + b"\x00\x01")
    with pytest.raises(StoreError, match="is damaged"):
        resolve(f"trained:{learner(run)}")


def test_a_state_the_method_cannot_take_is_told_as_damage(run):
    file = learner(run) / "checkpoints" / "step-000000000300" / "method.json"
    file.write_text(file.read_text().replace('"baseline"', '"bassline"'))
    with pytest.raises(StoreError, match="tabular cannot go on from its state"):
        resolve(f"trained:{learner(run)}").create()


def test_a_method_that_is_not_installed_is_named(run, monkeypatch):
    from gymposium.agents import methods

    monkeypatch.delitem(methods._methods, "tabular")
    with pytest.raises(UnknownName, match=r"unknown method 'tabular'"):
        resolve(f"trained:{learner(run)}")


def test_a_run_of_trained_agents_can_be_resumed_and_notices_another_policy(run, tmp_path):
    scenario = {"name": "x", "world": "iterated_matrix-v0", "params": {"rounds": 5}}
    spec = f"trained:{learner(run)}"
    gymposium.run(scenario, [spec, "random"], out=tmp_path / "match")
    assert gymposium.resume(tmp_path / "match").rows
    gymposium.resume_training(run.path, budget={"steps": 400})
    with pytest.raises(UsageError, match="has changed since the run began"):
        gymposium.resume(tmp_path / "match")


def test_the_class_can_be_used_by_itself(run):
    agent = TrainedAgent(learner(run) / "checkpoints" / "step-000000000300", seat="player_0")
    world = gymposium.make("iterated_matrix-v0", api="world", rounds=5)
    turns = world.reset(0)
    acts = []
    for _ in range(2):
        agent.reset(world.seats["player_1"], 3)
        acts.append([agent.act(turns["player_1"]) for _ in range(20)])
    assert acts[0] == acts[1]
    assert pickle.dumps(acts)
