"""Reading scenarios: what passes, and how every refusal reads."""

import contextlib
import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.registry import make_world
from gymposium.errors import UnknownName, UsageError
from gymposium.scenarios.load import (
    ScenarioError,
    change,
    dump,
    load,
    load_file,
    parse,
    validate_against_registry,
)
from gymposium.scenarios.marked_yaml import MAX_BYTES, read_yaml, write_yaml
from gymposium.scenarios.model import AgentEntry, Scenario

GOOD = """\
name: good
worlds:
  - id: iterated_matrix-v0
    params: {game: prisoners-dilemma, rounds: 3}
    roles: {player_1: background}
agents:
  - random
  - spec: my_file.py:Mine
    name: mine
    params: {depth: 2}
    trusted: true
background: [scripted:tit_for_tat]
schedule: {kind: focal_x_background, repeats: 4}
time_limit: null
budget: {calls: 10}
"""


def complaints(text, name="x.yaml"):
    with pytest.raises(UsageError) as caught:
        parse(text.encode() if isinstance(text, str) else text, name)
    return getattr(caught.value, "problems", [str(caught.value)])


def test_a_scenario_is_read_with_defaults_and_agents_as_text_or_mapping():
    scenario = parse(GOOD.encode(), "good.yaml")
    assert scenario.worlds[0].name == "iterated_matrix-v0"
    assert scenario.agents[0] == AgentEntry(spec="random")
    assert scenario.agents[0].as_spec() == "random"
    assert scenario.agents[1].as_spec() == {
        "spec": "my_file.py:Mine",
        "name": "mine",
        "params": {"depth": 2},
        "trusted": True,
    }
    assert scenario.time_limit is None
    assert (scenario.seed, scenario.reasks, scenario.schedule.rotate_seats) == (0, 2, True)


def test_the_shorthand_for_one_world_means_the_same():
    short = "name: s\nworld: iterated_matrix-v0\nparams: {rounds: 3}\nroles: {}\n"
    long = "name: s\nworlds: [{id: iterated_matrix-v0, params: {rounds: 3}}]\n"
    assert parse(short.encode(), "s.yaml") == parse(long.encode(), "s.yaml")


def test_a_file_without_a_name_is_called_after_itself(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("world: iterated_matrix-v0\n", encoding="utf-8")
    assert load_file(path).name == "mine"
    assert load(str(path)) == load_file(path)


def test_a_scenario_goes_through_yaml_json_and_pickle_unchanged():
    scenario = parse(GOOD.encode(), "good.yaml")
    assert parse(dump(scenario).encode(), "again.yaml") == scenario
    assert Scenario.model_validate(json.loads(scenario.model_dump_json())) == scenario
    assert pickle.loads(pickle.dumps(scenario)) == scenario


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sede: 3", "x.yaml:3: sede: unknown field 'sede'; allowed: agents, *seed*"),
        ("schedule: {kind: robin}", "x.yaml:3: schedule.kind: found 'robin'; allowed: round_robin"),
        ("schedule: {repeats: 0}", "x.yaml:3: schedule.repeats: found 0; allowed: greater than"),
        ("schedule: {rounds: 3}", "x.yaml:3: schedule.rounds: rounds are for kind swiss"),
        (
            "schedule: {kind: focal_x_background}",
            "x.yaml:3: schedule.kind: focal_x_background needs",
        ),
        ("seed: -1", "x.yaml:3: seed: found -1; allowed: greater than or equal to 0"),
        ("seed: '3'", "x.yaml:3: seed: found '3'; allowed: a valid integer"),
        ("seed: true", "x.yaml:3: seed: found True; allowed: a valid integer"),
        ("time_limit: 0", "x.yaml:3: time_limit: found 0; allowed: greater than 0"),
        ("time_limit: .inf", "x.yaml:3: time_limit: found inf; allowed: a finite number"),
        ("agents: random", "x.yaml:3: agents: found 'random'; allowed: a list, e.g. [random]"),
        ("agents: [random, 3]", "x.yaml:3: agents[1]: found 3; allowed: a mapping or text"),
        ("agents: [random, random]", "x.yaml:3: agents: 'random' is there twice; give each"),
        ("agents: [{name: x}]", "x.yaml:3: agents[0].spec: this field is missing; it is: random,"),
        (
            "background: [{spec: x, name: random}]\nagents: [random]",
            "x.yaml:3: background: 'random'",
        ),
        ("params: {a: .nan}", "x.yaml:3: params: a is nan; use a finite number or null"),
        ("roles: {p: background}", "x.yaml:3: roles.p: seat 'p' has the role background, but"),
        ("roles: {p: judge}", "x.yaml:3: roles.p: seat 'p' has the role judge, but 'judges' lists"),
        ("roles: {p: jugde}", "x.yaml:3: roles.p: found 'jugde'; allowed: *did you mean 'judge'?*"),
        ("worlds: []", "x.yaml:2: world: 'world' and 'worlds' exclude each other"),
        ("budget: {cals: 3}", "x.yaml:3: budget.cals: *did you mean 'calls'?*"),
    ],
)
def test_a_complaint_names_file_line_field_and_what_is_allowed(line, expected):
    found = complaints(f"name: x\nworld: w-v0\n{line}\n")[0]
    for part in expected.split("*"):
        assert part in found
    assert found.startswith(expected.split("*")[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "x.yaml: the file is empty"),
        ("- 1\n", "x.yaml:1: found [1]; allowed: a mapping"),
        ("name: x\nname: y\n", "x.yaml:2: key 'name' is there twice (first on line 1)"),
        ("a: {b: 1,\n  b: 2}\n", "x.yaml:2: key 'b' is there twice"),
        ("1: x\n", "x.yaml:1: key '1' is not text"),
        ("[1]: x\n", "x.yaml:1: key 'a collection' is not text"),
        ("a: [\n", "x.yaml:2: expected the node content"),
        ("\tname: x\n", "x.yaml:1: found character"),
        ("a: 1\n---\nb: 2\n", "x.yaml:2: but found another document"),
        (
            "a: !!python/object/apply:os.getcwd []\n",
            "x.yaml:1: tag !!python/object/apply:os.getcwd",
        ),
        ("a: !!set {b}\n", "x.yaml:1: tag !!set is not allowed"),
        ("a: {<<: {b: 1}}\nb: *c\n", "x.yaml:2: found undefined alias"),
        ("a: &x [*x]\n", "x.yaml:1: grows beyond"),
        ("[" * 5000, "x.yaml:1: nested deeper than 20 levels"),
        (f"seed: {'9' * 5000}\n", "x.yaml: Exceeds the limit"),
        (b"\xff\xfe", "x.yaml: byte 0 is not UTF-8"),
        (b"#" * (MAX_BYTES + 1), f"x.yaml: {MAX_BYTES + 1} bytes; a scenario may have"),
    ],
)
def test_what_is_not_plain_yaml_is_refused_with_its_line(text, expected):
    assert complaints(text)[0].startswith(expected)


def test_an_anchor_bomb_is_refused_before_it_goes_off():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
    assert "anchors expanded" in complaints("\n".join(lines))[0]


def test_all_problems_are_listed_in_the_order_of_the_file():
    found = complaints("name: x\nsede: 1\nworlds:\n  - id: w\n    paramz: {}\nreasks: -1\n")
    assert [text.split(":")[1] for text in found] == ["2", "5", "6"]
    with pytest.raises(ScenarioError, match=r"and 2 more problems") as caught:
        parse(b"name: x\nsede: 1\nworlds:\n  - id: w\n    paramz: {}\nreasks: -1\n", "x.yaml")
    assert pickle.loads(pickle.dumps(caught.value)).problems == found


def test_two_worlds_of_one_id_need_names():
    assert complaints("name: x\nworlds: [{id: w}, {id: w}]\n") == [
        "x.yaml:2: worlds: 'w' is there twice; give each its own 'name'"
    ]


def test_values_mean_what_they_say():
    text = "a: no\nb: 12:30\nc: 2020-01-01\nd: 1e3\ne: 010\nf: 0x1F\ng: ~\nh: llm:x?t=0.2\ni: .5\n"
    value, _ = read_yaml(text.encode(), "x")
    assert value == {
        "a": "no",
        "b": "12:30",
        "c": "2020-01-01",
        "d": 1000.0,
        "e": 10,
        "f": 31,
        "g": None,
        "h": "llm:x?t=0.2",
        "i": 0.5,
    }


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
    | st.sampled_from(
        [
            "no",
            "1e3",
            "0o7",
            "12:30",
            "~",
            "null",
            "<<",
            "=",
            "1_000",
            "+1",
            "0x1f",
            "\x85",
            "a\u2028b",
            "\ufeff",
            "\r\n",
            "\x00",
            " x ",
            "…",
        ]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(PLAIN)
def test_any_plain_value_comes_back_from_yaml_the_same(value):
    back, _ = read_yaml(write_yaml({"it": value}).encode(), "x")
    assert back == {"it": value}
    assert repr(back) == repr({"it": value})  # 1 is not 1.0 is not True


AGENTS = st.lists(TEXT, unique=True, max_size=3)


@settings(max_examples=80, deadline=None)
@given(
    name=TEXT,
    params=st.dictionaries(TEXT, PLAIN, max_size=3),
    agents=AGENTS,
    background=AGENTS,
    kind=st.sampled_from(["round_robin", "pairs", "self_play", "swiss"]),
    seed=st.integers(0, 2**53 - 1),
    limit=st.none() | st.floats(0.001, 1e9),
    rotate=st.booleans(),
)
def test_any_scenario_comes_back_from_its_file_the_same(
    name, params, agents, background, kind, seed, limit, rotate
):
    scenario = Scenario.model_validate(
        {
            "name": name,
            "worlds": [{"id": "w-v0", "params": params}],
            "agents": agents,
            "background": background,
            "schedule": {"kind": kind, "rotate_seats": rotate},
            "seed": seed,
            "time_limit": limit,
        }
    )
    assert parse(dump(scenario).encode(), "x.yaml") == scenario


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode()))
def test_no_file_whatever_raises_anything_but_a_usage_error(data):
    with contextlib.suppress(UsageError):
        parse(data, "x.yaml")


def test_names_files_and_world_ids_are_found_and_near_misses_suggested(tmp_path):
    assert load("demo").name == "demo"
    assert load("iterated_matrix-v0", worlds=["iterated_matrix-v0"]).worlds[0].id
    assert load("iterated_matrix", worlds=["iterated_matrix-v0"]).worlds[0].id == "iterated_matrix"
    with pytest.raises(UnknownName, match="did you mean 'prisoners-dilemma'"):
        load("prisoner-dilemma")
    (tmp_path / "mine.yaml").write_text("name: x", encoding="utf-8")
    with pytest.raises(UnknownName, match=r"did you mean 'mine\.yaml'"):
        load(str(tmp_path / "min.yaml"))
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(UsageError, match="cannot be read"):
        load(str(tmp_path / "folder.yaml"))


def test_a_change_is_validated_and_leaves_the_original():
    scenario = load("demo")
    assert change(scenario, seed=5).seed == 5
    assert scenario.seed == 0
    with pytest.raises(ScenarioError, match=r"demo: seed: found -1; allowed"):
        change(scenario, seed=-1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("world: iterated_matrx-v0", "x.yaml:2: world: unknown world 'iterated_matrx-v0'"),
        (
            "world: iterated_matrix-v0\nparams:\n  round: 3",
            "x.yaml:4: params.round: unknown parameter 'round' in iterated_matrix-v0: did you mean "
            "'rounds'",
        ),
        (
            "world: iterated_matrix-v0\nparams:\n  game: chicken\n  rounds: 0",
            "x.yaml:5: params.rounds: iterated_matrix",
        ),
        (
            "worlds:\n  - id: iterated_matrix-v0\n    roles:\n      player_9: background\n"
            "background: [random]",
            "x.yaml:5: worlds[0].roles.player_9: iterated_matrix-v0 has no seat 'player_9'; "
            "allowed: player_0, player_1",
        ),
    ],
)
def test_what_a_world_refuses_is_pointed_at_in_the_file(text, expected):
    scenario = parse(f"name: x\n{text}\n".encode(), "x.yaml")
    with pytest.raises(UsageError) as caught:
        validate_against_registry(scenario, make_world)
    assert str(caught.value).startswith(expected)


def test_a_metric_that_no_world_has_is_refused_where_the_worlds_say_which_they_have():
    class Counted:
        seats = ("a",)
        metric_names = ("efficiency",)

    scenario = parse(b"name: x\nworld: w\nmetrics: [efficienzy]\n", "x.yaml")
    with pytest.raises(UsageError, match=r"x\.yaml:3: metrics\[0\]: .*did you mean 'efficiency'"):
        validate_against_registry(scenario, lambda _id: Counted())
    made = validate_against_registry(
        change(scenario, metrics=["efficiency"]), lambda _id: Counted()
    )
    assert list(made) == ["w"]
