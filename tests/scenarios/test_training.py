"""Training scenarios: those that come with the package run; what is wrong with one is said."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from gymposium.agents.methods import LANGUAGE, resolve_method
from gymposium.arenas.training.train import checked, train
from gymposium.cli.app import app
from gymposium.envs.registry import specs
from gymposium.errors import UnknownName, UsageError
from gymposium.scenarios.load import ScenarioError, named
from gymposium.scenarios.marked_yaml import read_yaml
from gymposium.scenarios.training import TrainingScenario, load_training, named_training

from ..agents.language.tiny_eyes import idefics3
from ..agents.language.tiny_model import make_tiny_model

NAMES = sorted(named_training())


def test_there_are_at_least_two_and_none_counts_as_a_scenario_of_matches():
    assert len(NAMES) >= 2
    assert not set(NAMES) & set(named())


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_named_like_its_scenario_says_what_it_asks_and_can_be_made(name):
    scenario = load_training(name)
    assert scenario.name == name
    assert 40 <= len(scenario.description) <= 300
    made, methods = checked(scenario)
    assert list(methods) == [entry.label for entry in scenario.methods]
    assert made.evaluation.every == scenario.evaluate_every


def test_no_two_are_equal_up_to_their_names():
    plain = [load_training(name).model_dump(mode="json") for name in NAMES]
    kept = {json.dumps({**it, "name": "", "description": ""}, sort_keys=True) for it in plain}
    assert len(kept) == len(NAMES)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    return str(make_tiny_model(tmp_path_factory.mktemp("tiny"), context=8192))


@pytest.fixture(scope="session")
def tiny_eyes(tmp_path_factory):
    return str(idefics3(tmp_path_factory.mktemp("eyes")))


@pytest.mark.parametrize("name", NAMES)
def test_it_runs(name, tmp_path, tiny_model, tiny_eyes):
    scenario = load_training(name)
    small = {"num_envs": 2, "minibatches": 2, "rollout": 8, "warm_up": 1}
    kinds = {resolve_method(entry.spec).kind for entry in scenario.methods}
    words = LANGUAGE in kinds
    if words:  # another model, here, and two updates of it
        looks = any(entry.params.get("images") for entry in scenario.methods)
        small = {"device": "cpu", "groups": 1, "size": 2, "slots": 8}
        small["model"] = tiny_eyes if looks else tiny_model
        if "params" in scenario.params:  # and one answer each
            inner = {**scenario.params["params"], "rounds": 0, "solo": False}
            scenario = scenario.changed(params={**scenario.params, "params": inner})
    slow = scenario.world == "scene_weaver-v0"  # a step moves furniture
    steps = 4 if kinds & {LANGUAGE, "speakers"} else 16 if slow else 100
    methods = []
    for place, entry in enumerate(scenario.methods):
        known = resolve_method(entry.spec).parameters()
        fitting = {key: value for key, value in small.items() if key in known}
        params = {**entry.params, **fitting}
        if params.get("constrained", True):  # a reply cut off before its end would be a fault
            params |= {"max_tokens": 0, "max_text": 8} if words else {}
        else:
            params["max_tokens"] = 16
        methods.append({"spec": entry.spec, "name": f"m{place}", "params": params})
    run = train(
        scenario.changed(methods=methods),
        seeds=1,
        budget={"steps": steps},
        evaluation={"every": steps // 2, "matches": 1},
        out=tmp_path / "run",
    )
    assert set(run.evaluations["method"]) == {entry["name"] for entry in methods}
    assert (run.evaluations["faults"] == 0).all()
    assert (run.table()["seeds"] == 1).all()


WRONG = """name: x
world: iterated_matrix-v0
methods: [ippo]
budget:
  step: 3
evaluation: {evry: 5}
seeds: many
stop: {margin: -1}
"""


def test_every_problem_is_told_with_its_line_and_the_nearest_field(tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text(WRONG, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_training(file)
    problems = "\n".join(caught.value.problems)
    assert "wrong.yaml:5" in problems
    assert "unknown field 'step'; allowed: seconds, steps; did you mean 'steps'?" in problems
    assert "unknown field 'evry'" in problems
    assert "wrong.yaml:7: seeds" in problems
    assert "margin" in problems
    assert len(caught.value.problems) == 4


def test_whole_numbers_may_have_an_exponent_and_others_are_refused():
    scenario = load_training({"name": "x", "world": "y", "budget": {"steps": 2e6}})
    assert scenario.budget.steps == 2_000_000
    assert type(scenario.budget.steps) is int
    for steps in (2.5, 0, True, "1e6"):
        with pytest.raises(UsageError, match="steps"):
            load_training({"name": "x", "world": "y", "budget": {"steps": steps}})


def test_a_seat_cannot_both_learn_and_have_a_partner():
    with pytest.raises(UsageError, match="'a' cannot both learn"):
        load_training({"name": "x", "world": "y", "seats": ["a"], "partners": {"a": "random"}})


def test_a_world_alone_is_a_scenario_without_methods(tmp_path):
    worlds = [spec.id for spec in specs()]
    assert load_training("iterated_matrix", worlds=worlds).methods == ()
    with pytest.raises(UnknownName, match="did you mean 'iterated_matrix-v0'"):
        load_training("iterated_matrx-v0", worlds=worlds)
    with pytest.raises(UnknownName, match=r"unknown training scenario file 'mine.yaml'"):
        load_training(Path(tmp_path / "mine.yaml"))


def test_it_survives_being_written_down():
    for name in NAMES:
        scenario = load_training(name)
        again = TrainingScenario.model_validate(json.loads(scenario.model_dump_json()))
        assert again == scenario


def test_files_are_validated_by_the_same_command_and_have_a_json_schema(tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text(WRONG, encoding="utf-8")
    shipped = [str(named_training()[name]) for name in NAMES]
    done = CliRunner().invoke(app, ["scenario", "validate", *shipped, str(file)])
    assert done.exit_code == 2
    assert done.output.count(": fine") == len(NAMES)
    assert "did you mean 'steps'?" in done.stderr
    schema = json.loads(CliRunner().invoke(app, ["scenario", "schema", "--training"]).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    for name in NAMES:
        jsonschema.validate(read_yaml(named_training()[name].read_bytes(), name)[0], schema)
