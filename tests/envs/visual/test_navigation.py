"""Rules, tasks, words and files of navigation-v0."""

from __future__ import annotations

import json
from collections import deque

import numpy as np
import pytest

from gymposium.envs.registry import make, make_world
from gymposium.envs.visual import navigation_files
from gymposium.envs.visual.floor_plan import STEP, moves_to
from gymposium.envs.visual.floor_plan_view import Body
from gymposium.envs.visual.navigation import ACTIONS, moved
from gymposium.envs.visual.navigation_files import read_tasks, write_tasks
from gymposium.envs.visual.navigation_tasks import (
    COUNT,
    NEAR,
    SETS,
    fixed_numbers,
    instruction,
    task_of,
    try_number,
)
from gymposium.envs.visual.navigation_words import score_direction, seen_words
from gymposium.errors import UnknownName, UsageError

SEAT = "player_0"


def solution(task):
    """A shortest list of moves to within reach of the target, by the rules themselves."""
    start = Body(task.x, task.z, float(task.yaw), 0.0)
    edge, came = deque([start]), {(start.x, start.z): []}
    while edge:
        body = edge.popleft()
        moves = came[body.x, body.z]
        if np.hypot(body.x - task.place[0], body.z - task.place[1]) <= NEAR:
            return moves
        for action in ACTIONS[:4]:
            there, went = moved(task.plan, body, action)
            if went and (there.x, there.z) not in came:
                came[there.x, there.z] = [*moves, action]
                edge.append(there)
    return None


@pytest.mark.parametrize("name", SETS)
def test_each_set_has_sixty_tasks_that_a_walk_of_its_length_solves(name):
    numbers = fixed_numbers(name)
    assert len(set(numbers)) == len(numbers) == COUNT
    least, most = (8, 20) if name == "long_horizon" else (2, 9)
    for number in numbers:
        task = try_number(name, number)
        assert task is not None, number
        walk = moves_to(task.plan, (task.x, task.z), task.place, NEAR, most)
        assert walk is not None, number
        assert least <= walk, number
        assert len(task.plan.rooms) == 1 or name == "long_horizon"


def test_replaying_a_shortest_walk_pays_ten_and_half_a_point_a_turn():
    world = make_world("navigation-v0", size=24)
    for seed in range(4):
        world.reset(seed)
        moves = solution(world.task)
        turns = [moves[i : i + 5] for i in range(0, len(moves), 5)]
        for index, actions in enumerate(turns):
            left = world.step_parsed(actions)
            assert bool(left) == (index + 1 < len(turns))
        outcome = world.outcome
        assert outcome.returns[SEAT] == pytest.approx(10 + 0.5 * len(turns))
        assert outcome.terminated[SEAT]
        assert outcome.metrics["success"] == 1
        assert outcome.metrics["distance"] <= NEAR
        assert outcome.metrics["path"] == pytest.approx(STEP * len(moves))


def test_seeds_go_round_the_test_tasks_and_training_meets_none_of_them():
    world = make_world("navigation-v0", size=16)
    world.reset(3)
    first = world.task
    world.reset(3 + COUNT)
    assert world.task is first
    train = make_world("navigation-v0", size=16, split="train")
    train.reset(3)
    fixed = {task_of("base", number).scene for number in fixed_numbers("base")}
    assert train.task.scene not in fixed


def test_thirty_actions_end_a_match_as_a_limit_does():
    world = make_world("navigation-v0", size=16, most_actions=7)
    world.reset(0)
    assert world.step_parsed(["rotateleft"] * 5)
    assert not world.step_parsed(["rotateleft"] * 5)
    assert world.outcome.truncated[SEAT]
    assert world.outcome.metrics["actions"] == 7


def test_what_was_not_carried_out_is_said_and_counted():
    world = make_world("navigation-v0", size=16)
    world.reset(1)
    turn = None
    for _ in range(4):
        turn = world.step_parsed(["moveback"] * 5)[SEAT]
        if "not carried out" in turn.text:
            break
    assert "The last action was not carried out" in turn.text
    assert world._metrics()["collisions"] > 0


def test_the_picture_is_what_the_body_sees_and_changes_with_it():
    world = make_world("navigation-v0")
    one = world.reset(0)[SEAT]
    two = world.step_parsed(["rotateright"])[SEAT]
    assert one.images[0].shape == (255, 255, 3)
    assert one.images[0].std() > 10
    assert (one.images[0] != two.images[0]).mean() > 0.3
    back = world.step_parsed(["rotateleft"])[SEAT]
    assert (one.images[0] == back.images[0]).all()


def test_the_truth_is_of_before_and_after_all_actions():
    world = make_world("navigation-v0", size=32)
    turn = world.reset(2)[SEAT]
    before = turn.info["state"]
    now = world.step_parsed(["moveback", "rotateright"])[SEAT].info
    assert now["state_before"] == before
    assert now["state"]["direction"] != before["direction"]
    assert len(now["state"]["visible"]) <= 5
    away = [thing["distance"] for thing in before["visible"]]
    assert away == sorted(away)


def test_instructions_say_the_same_by_name_by_use_by_looks_and_within_talk():
    said = {name: instruction(name, "Fridge", "Chair") for name in SETS}
    assert "fridge" in said["base"]
    assert "milk" in said["common_sense"]
    assert "white box" in said["visual_appearance"]
    assert {"fridge", "chair"} <= set(said["complex_instruction"].replace(".", " ").split())
    for name in ("common_sense", "visual_appearance"):
        assert "fridge" not in said[name].lower()
    assert "another room" in said["long_horizon"]


@pytest.mark.parametrize(
    ("text", "direction", "right"),
    [
        ("The fridge is ahead.", "ahead", 1),
        ("The target is straight in front of me, the sofa to the left.", "ahead", 1),
        ("The target is slightly to the left, ahead.", "ahead", 1),
        ("The target is to the left.", "ahead", 0),
        ("The fridge is to my left.", "left", 1),
        ("The fridge is ahead and to the left.", "left", 0),
        ("The fridge is ahead, left, right and behind.", "left", 0),
        ("The fridge is left or right.", "left", 0),
        ("The goal is behind me.", "back", 1),
        ("The fridge is close.", "ahead", 0),
        ("I will go right.", "right", 0),
        ("The sofa is to the right.", "right", 0),
        ("The fridge is not to the right, it is to the left.", "left", 1),
        ("The sofa is on the right. The fridge is on the left.", "left", 1),
        ("", "ahead", 0),
    ],
)
def test_a_belief_is_right_if_it_gives_the_targets_direction_and_no_other(text, direction, right):
    assert score_direction(text, {"target": "Fridge", "direction": direction}) == right


def test_reading_beliefs_takes_any_text():
    rng = np.random.default_rng(0)
    letters = [*"the target is left ahead fridge ,.;\n<>{}(*é", "target ", "left ", "not "]
    for _ in range(200):
        text = "".join(rng.choice(letters, 60))
        assert score_direction(text, {"target": "Fridge", "direction": "left"}) in (0, 1)
    assert score_direction("(" * 100_000, {"target": "Fridge", "direction": "left"}) == 0


def test_what_is_in_view_is_told_in_words():
    told = seen_words([("Fridge", 1.25, 30.2), ("HousePlant", 2.0, -0.1)])
    assert told == (
        "You see the fridge 1.25 m away, 30 degrees to the right; "
        "the house plant 2.00 m away, straight ahead."
    )
    assert "walls" in seen_words([])


HALL = {"rooms": [["living", -5, -5, 5, 5]], "walls": [], "things": []}


def thor_task(**changes):
    """A task as EmbodiedBench writes it, of a scene of AI2-THOR."""
    task = {
        "scene": "FloorPlan11",
        "instruction": "navigate to the Bread in the room and be as close as possible to it",
        "targetObjectType": "Bread",
        "targetObjectIds": "Bread|-00.52|+01.17|-00.03",
        "target_position": {"x": -0.52, "y": 1.17, "z": -0.03},
        "agentPose": {
            "position": {"x": 2.0, "y": 0.9, "z": 1.25},
            "rotation": 270.0,
            "horizon": 0.0,
        },
    }
    return {**task, **changes}


def written(path, *tasks):
    path.write_text(json.dumps({"tasks": [*tasks]}), encoding="utf-8")
    return str(path)


def test_tasks_of_ai2_thor_are_played_in_a_room_furnished_about_them(tmp_path):
    file = written(tmp_path / "base.json", thor_task(), thor_task(targetObjectType="Spatula"))
    world = make_world("navigation-v0", file=file, size=24)
    turn = world.reset(0)[SEAT]
    assert "navigate to the Bread" in turn.text
    assert turn.info["state"]["distance"] == pytest.approx(np.hypot(2.52, 1.28), abs=0.01)
    assert turn.info["state"]["direction"] == "ahead"
    assert world.task.plan == read_tasks(file)[1].plan  # one scene, one room
    world.step_parsed(solution(world.task)[:5])
    assert world.outcome.metrics["success"] == 1
    world.reset(1)
    assert world.task.target == "Spatula"


def test_turns_are_degrees_or_three_of_them_and_a_plan_of_ones_own_is_walked(tmp_path):
    pose = {**thor_task()["agentPose"], "rotation": {"x": 0, "y": 90.0, "z": 0}}
    thing = {"type": "Bread", "x": -0.52, "z": -0.03, "yaw": 0, "y": 0.8}
    plan = {**HALL, "things": [thing]}
    strange = thor_task(agentPose=pose, floor_plan=plan, instruction="Go\nto \u2603 <b>it</b>")
    file = written(tmp_path / "own.json", strange)
    world = make_world("navigation-v0", file=file, size=24)
    turn = world.reset(0)[SEAT]
    assert "Instruction: Go to ? <b>it</b>\n" in turn.text
    assert world.seats[SEAT].observation_space.contains(turn.observation)
    assert turn.info["state"]["direction"] == "back"
    assert [it.type for it in world.task.plan.things] == ["Bread"]


def test_our_tasks_are_written_in_the_same_form_and_read_back(tmp_path):
    tasks = [task_of("long_horizon", number) for number in fixed_numbers("long_horizon")[:2]]
    write_tasks(tasks, tmp_path / "ours.json")
    assert list(read_tasks(str(tmp_path / "ours.json"))) == tasks


def posed(**changes):
    return thor_task(agentPose={**thor_task()["agentPose"], **changes})


def planned(**changes):
    return thor_task(floor_plan={**HALL, **changes})


BED = {"type": "Bed", "x": 0, "z": 0, "yaw": 0, "y": 0}


@pytest.mark.parametrize(
    ("task", "says"),
    [
        (None, "must be an object with 'agentPose', not null"),
        ([], "must be an object with 'agentPose', not []"),
        ({}, "agentPose is missing"),
        (thor_task(agentPose=5), "agentPose must be an object with 'rotation', not 5"),
        (thor_task(agentPose={}), "agentPose.rotation is missing"),
        (posed(position=[1, 2, 3]), "agentPose.position must be an object with 'x', not [1, 2, 3]"),
        (posed(rotation=None), "agentPose.rotation must be a number within ±1000, not null"),
        (posed(rotation={"x": 0}), "agentPose.rotation.y is missing"),
        (posed(rotation=float("inf")), "agentPose.rotation must be a number"),
        (posed(horizon="down"), 'agentPose.horizon must be a number within ±1000, not "down"'),
        (posed(horizon=95), "agentPose.horizon must be between -90 and 90, not 95"),
        (thor_task(target_position={"x": "far", "z": 0}), "target_position.x must be a number"),
        (thor_task(target_position={"x": True, "z": 0}), "target_position.x must be a number"),
        (thor_task(target_position={"x": 1e9, "z": 0}), "target_position.x must be a number"),
        (thor_task(target_position={"x": float("nan"), "z": 0}), "not NaN"),
        (thor_task(target_position={"x": 100, "z": 0}), "target_position: the starts and targets"),
        (thor_task(target_position={"x": 29, "z": 29}), "target_position: from (2.0, 1.25) no 60"),
        (thor_task(target_position={"x": 2, "z": 1}, targetObjectType="Bed"), "in a wall or a"),
        (thor_task(scene=5), "scene must be text, not 5"),
        (thor_task(instruction=[1]), "instruction must be text, not [1]"),
        (thor_task(targetObjectType=" "), "targetObjectType must be text"),
        (thor_task(floor_plan=5), "floor_plan must be an object with 'rooms', not 5"),
        (planned(rooms=[]), "floor_plan.rooms is empty"),
        (planned(rooms=[[]]), "floor_plan.rooms[0] must be one of kitchen"),
        (planned(rooms=[["attic", 0, 0, 3, 3]]), "floor_plan.rooms[0][0] must be one of kitchen"),
        (planned(rooms=[["kitchen", 0, 0, 0, 0]]), "floor_plan.rooms[0]: "),
        (planned(walls=5), "floor_plan.walls must be a list, not 5"),
        (planned(walls=[[1, 2]]), "floor_plan.walls[0] must have x0, z0, x1, z1, not [1, 2]"),
        (planned(walls=[[1.5, 1, 2.5, 2]]), "agentPose.position: (2.0, 1.25) is in a wall"),
        (planned(things=[5]), "floor_plan.things[0] must be an object with 'type', not 5"),
        (planned(things=[{"type": "Bed"}]), "floor_plan.things[0].yaw is missing"),
        (planned(things=[{**BED, "x": 1e99}]), "floor_plan.things[0].x must be a number"),
        (planned(things=[{**BED, "type": "a b"}]), "floor_plan.things[0].type must be a word"),
        (planned(things=[{**BED, "yaw": 45}]), "floor_plan.things[0].yaw must be 0, 90, 180"),
        (planned(things=[BED] * 2000), "floor_plan.things has 2000 entries, more than 1000"),
    ],
)
def test_a_file_that_does_not_do_is_refused_with_the_place_in_it(tmp_path, task, says):
    file = written(tmp_path / "bad.json", thor_task(scene="FloorPlan12"), task)
    with pytest.raises(UsageError) as refused:
        read_tasks(file)
    assert str(refused.value).startswith(f"{file}: task 1: ")
    assert says in str(refused.value)


def test_what_cannot_be_done_is_refused_before_anything_is_furnished(tmp_path, monkeypatch):
    monkeypatch.setattr("gymposium.envs.visual.navigation_files.furnish", None)
    far = [thor_task(target_position={"x": 29, "z": 29})]
    many = [thor_task(target_position={"x": i / 10, "z": 0}) for i in range(101)]
    for tasks in (far, many):
        with pytest.raises(UsageError, match="task 0: "):
            read_tasks(written(tmp_path / f"{len(tasks)}.json", *tasks))


def test_a_scene_is_furnished_once_however_many_tasks_are_of_it(tmp_path, monkeypatch):
    tries = []
    furnish = navigation_files.furnish
    monkeypatch.setattr(
        navigation_files, "furnish", lambda *a, **how: tries.append(how) or furnish(*a, **how)
    )
    read_tasks(written(tmp_path / "one.json", thor_task()))
    once = len(tries)
    read_tasks(written(tmp_path / "many.json", *[thor_task(instruction=f"{i}") for i in range(9)]))
    assert len(tries) == 2 * once


def test_a_scene_may_be_called_anything(tmp_path):
    assert read_tasks(written(tmp_path / "it.json", thor_task(scene="Floor²")))[0].scene == "Floor²"


def test_a_file_is_known_by_its_hash(tmp_path):
    file = written(tmp_path / "base.json", thor_task())
    with pytest.raises(UsageError, match="another file"):
        make_world("navigation-v0", file=file, sha256="0" * 64)
    with pytest.raises(UsageError, match="cannot be read"):
        make_world("navigation-v0", file=str(tmp_path / "none.json"))
    (tmp_path / "no.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(UsageError, match="tasks"):
        make_world("navigation-v0", file=str(tmp_path / "no.json"))


@pytest.mark.parametrize(
    "params", [{"size": 3}, {"view": 200}, {"representation": "symbolic"}, {"sha256": "0"}]
)
def test_values_that_do_not_do_are_refused(params):
    with pytest.raises(UsageError):
        make_world("navigation-v0", **params)


def test_an_unknown_set_names_the_nearest():
    with pytest.raises(UnknownName, match="base"):
        make_world("navigation-v0", tasks="bases")


def test_gymnasium_makes_it_too():
    env = make("navigation-v0", api="gymnasium", size=32)
    observation, info = env.reset(seed=0)
    assert observation["image"].shape == (32, 32, 3)
    assert info["state"]["target"]
