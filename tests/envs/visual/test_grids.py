"""Sokoban and FrozenLake: rules against plain twins, lists, oracles of the paper's brief."""

from __future__ import annotations

import numpy as np
import pytest

import gymposium
from gymposium.envs import registry
from gymposium.envs.visual import grid_beliefs, sokoban_lists
from gymposium.envs.visual.boards import FrozenLakeBoard
from gymposium.envs.visual.reasoned_turns import SEAT
from gymposium.envs.visual.replies import written
from gymposium.envs.visual.sokoban import solved_within
from gymposium.envs.visual.strategies import STRATEGIES
from gymposium.errors import UnknownName, UsageError
from tests.oracles import sokoban_twin as twin

MOVES = ("Up", "Down", "Left", "Right")
SOKOBANS = [{}, {"split": "test"}, {"split": "any", "size": 8}, {"split": "any", "boxes": 2}]
LAKES = [{}, {"split": "test", "frozen": 0.6}, {"split": "any", "size": 7}]
CASES = [
    *(("sokoban-v0", twin.push, params) for params in SOKOBANS),
    *(("frozen_lake-v0", twin.walk, params) for params in LAKES),
]
every_grid = pytest.mark.parametrize("id", ["sokoban-v0", "frozen_lake-v0"])


def grid(id, **params):
    return registry.make_world(id, **params)


def rows_of(world):
    return world.drawing(world.codes).splitlines()


@pytest.mark.parametrize(("id", "step", "params"), CASES)
def test_every_move_is_the_twins(id, step, params):
    world, rng = grid(id, control="move", turns=20, **params), np.random.default_rng(0)
    for seed in range(12):
        turns = world.reset(seed)
        rows = rows_of(world)
        while turns:
            move = int(rng.integers(4))
            turns = world.step({SEAT: move})
            rows, reward, over = step(rows, MOVES[move])
            assert rows_of(world) == rows
            assert world.rewards[SEAT] == pytest.approx(reward, abs=1e-6)
            assert world.ended[0] == over


@every_grid
@pytest.mark.parametrize("split", ["train", "test", "any"])
def test_a_row_of_a_batch_is_the_single_world(id, split):
    batch = gymposium.make_vec(id, 6, split=split, autoreset="next_step")
    world = grid(id, split=split, control="move", shows="codes")
    seen, _ = batch.reset(4)
    rng = np.random.default_rng(1)
    singles = [world.reset(int(seed))[SEAT].observation for seed in batch.seeds]
    assert (seen[:, 0] == np.array(singles)).all()
    actions = rng.integers(4, size=(40, 6, 1))
    courses = [(*batch.step(moves), batch.seeds.copy()) for moves in actions]
    turns = world.reset(int(courses[0][5][2]))
    for moves, (seen, rewards, over, late, _, seeds) in zip(actions, courses, strict=True):
        if not turns:  # the row began anew in this step
            turns = world.reset(int(seeds[2]))
            assert not rewards[2]
        else:
            turns = world.step({SEAT: int(moves[2, 0])})
            assert rewards[2, 0] == np.float32(world.rewards[SEAT])
            assert (over[2, 0], late[2, 0]) == world.ended
        assert (seen[2, 0, ..., 0] == world.codes).all()


@every_grid
def test_a_batch_in_same_step_mode_tells_the_end_of_each_match(id):
    batch = gymposium.make_vec(id, 50, autoreset="same_step")
    batch.reset(0)
    rng = np.random.default_rng(2)
    total = np.zeros(50)
    for _ in range(12):
        seen, rewards, over, late, infos = batch.step(rng.integers(4, size=(50, 1)))
        total += rewards[:, 0]
        ended = (over | late)[:, 0]
        if ended.any():
            assert (infos["_episode_returns"] == ended).all()
            assert infos["episode_returns"][ended, 0] == pytest.approx(total[ended], abs=1e-4)
            assert (infos["metric_success"][ended] <= over[ended, 0]).all()
            assert (infos["final_obs"][~ended] == seen[~ended]).all()
            total[ended] = 0
    planes = batch.planes(seen)
    each = np.arange(1, batch.num_planes + 1)[:, None, None]
    assert ((planes * each).sum(-3) == seen[..., 0]).all()
    assert planes.shape == (50, 1, batch.num_planes, *seen.shape[2:4])
    assert batch.rgb(seen).shape == (50, 1, 8 * seen.shape[2], 8 * seen.shape[3], 3)


def test_the_file_holds_the_first_seeds_that_five_moves_solve():
    made, kept = sokoban_lists.computed(), sokoban_lists.kept()
    assert (made.train == kept.train).all()
    assert (made.test == kept.test).all()
    assert (len(kept.train), len(kept.test)) == (10_000, 128)


def test_all_rooms_of_the_lists_are_solved_by_five_moves_and_tests_are_new():
    train, test = sokoban_lists.pool("train"), sokoban_lists.pool("test")
    for pool in (train, test):
        best = sokoban_lists.optima(pool)
        assert best.min() >= 1
        assert best.max() <= 5
    rooms = {room.tobytes() for room in test}
    assert len(rooms) == 128
    assert not rooms & {room.tobytes() for room in train}


@pytest.mark.parametrize("params", [{"split": "test", "level": 5}, {"split": "any", "size": 8}])
def test_the_solver_agrees_with_a_plain_one(params):
    world = grid("sokoban-v0", **params)
    for seed in range(10):
        world.reset(seed)
        best = twin.solution(rows_of(world), twin.push)
        if world.params.size == 6:
            assert solved_within(world.codes, 99) == len(best)
            assert solved_within(world.codes, len(best) - 1) == -1
        else:
            assert best  # made by playing backwards: never without a way


@pytest.mark.parametrize("strategy", ["no_think", "free_think"])
def test_a_shortest_solution_earns_eleven_less_its_moves_and_the_formats(strategy):
    world = grid("sokoban-v0", split="test", strategy=strategy)
    for seed in range(20):
        turns = world.reset(seed)
        moves = twin.solution(rows_of(world), twin.push)
        count = 0
        while turns:
            turns = world.step_parsed(moves[3 * count : 3 * count + 3])
            count += 1
        assert count == -(-len(moves) // 3)
        expected = 10 + 1 - 0.1 * len(moves) + 0.5 * count
        assert world.outcome.returns[SEAT] == pytest.approx(expected, abs=1e-5)
        assert world.outcome.metrics["success"] == 1


def test_walking_there_and_back_changes_nothing_but_the_cost():
    world = grid("sokoban-v0", control="move", split="any", turns=30)
    rng, checked = np.random.default_rng(3), 0
    for seed in range(30):
        world.reset(seed)
        before, boxes = rows_of(world), world.state_of(world.codes)["box"]
        move = int(rng.integers(4))
        world.step({SEAT: move})
        if world.state_of(world.codes)["box"] == boxes and rows_of(world) != before:
            checked += 1
            world.step({SEAT: move ^ 1})
            assert rows_of(world) == before
        elif rows_of(world) == before:  # a push into a wall, or a wall
            assert world.rewards[SEAT] == -0.1
    assert checked > 5


def test_boxes_targets_and_walls_are_as_many_at_the_end_and_parity_alternates():
    world = grid("sokoban-v0", control="move", split="any", boxes=2, turns=30)
    rng = np.random.default_rng(4)
    for seed in range(10):
        turns = world.reset(seed)
        start = world.state_of(world.codes)
        parity = sum(start["player"])
        while turns:
            before = world.state_of(world.codes)["player"]
            turns = world.step({SEAT: int(rng.integers(4))})
            state = world.state_of(world.codes)
            parity += state["player"] != before
            assert (sum(state["player"]) - parity) % 2 == 0
            assert state["target"] == start["target"]
            assert len(state["box"]) == 2


def test_the_gift_in_one_turn_is_worth_ten_and_a_half():
    world, found = grid("frozen_lake-v0", strategy="free_think", split="test"), 0
    for seed in range(20):
        world.reset(seed)
        moves = twin.solution(rows_of(world), twin.walk)
        if len(moves) <= 3:
            found += 1
            assert world.step_parsed(moves) == {}
            assert world.outcome.returns[SEAT] == 10.5
    assert found > 5


@pytest.mark.parametrize(("moves", "share"), [(9, 0.206), (3, 0.112)])
def test_a_random_walker_reaches_the_gift_as_often_as_the_brief_says(moves, share):
    lakes, rng = 40_000, np.random.default_rng(5)
    board = FrozenLakeBoard(lakes, size=4, frozen=0.8, slippery=False, first=0, count=0)
    board.begin(rng.integers(2**63, size=lakes).astype(np.uint64), np.ones(lakes, np.bool_))
    idle, won = np.zeros(lakes, np.bool_), np.zeros(lakes, np.bool_)
    for _ in range(moves):
        over, done = board.play(rng.integers(4, size=lakes), idle, np.zeros(lakes, np.float32))
        won |= done
        idle |= over
    assert won.mean() == pytest.approx(share, abs=0.01)


def test_slips_go_to_either_side_as_often_as_ahead():
    lakes = 30_000
    board = FrozenLakeBoard(lakes, size=3, frozen=1.0, slippery=True, first=0, count=0)
    board.begin(np.arange(lakes, dtype=np.uint64), np.ones(lakes, np.bool_))
    middle = board.lakes.player == 4
    board.play(np.zeros(lakes, np.int64), np.zeros(lakes, np.bool_), np.zeros(lakes, np.float32))
    after = board.lakes.player[middle]
    shares = [np.mean(after == cell) for cell in (1, 3, 5)]
    assert sum(shares) == 1
    assert shares == pytest.approx([1 / 3] * 3, abs=0.025)


def test_lakes_follow_from_their_number_whatever_the_seed():
    first = [grid("frozen_lake-v0", split="train", level=n) for n in range(12)]
    second = [grid("frozen_lake-v0", split="test", level=n) for n in range(12)]
    drawn = set()
    for world in first + second:
        world.reset(0)
        rows = rows_of(world)
        world.reset(9)
        assert rows_of(world) == rows
        drawn.add("".join(rows))
    assert len(drawn) >= 22


def listed_lakes(first, count):
    found = []
    for number in range(first, first + count):
        board = FrozenLakeBoard(1, size=4, frozen=0.8, slippery=False, first=number, count=1)
        board.begin(np.ones(1, np.uint64), np.ones(1, np.bool_))
        found.append(bytes(board.grid[0]))
    return found


def crossed(lake):
    """Whether a plain search finds a way from the player to the gift."""
    hole, gift, player = 1, 2, 3
    seen, edge = {lake.index(player)}, [lake.index(player)]
    while edge:
        row, column = divmod(edge.pop(), 4)
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < 4 and 0 <= c < 4 and 4 * r + c not in seen and lake[4 * r + c] != hole:
                seen.add(4 * r + c)
                edge.append(4 * r + c)
    return lake.index(gift) in seen


def test_every_lake_of_the_lists_can_be_crossed_and_as_many_are_in_both_as_the_page_says():
    train, test = listed_lakes(0, 10_000), listed_lakes(10_000, 128)
    world = grid("frozen_lake-v0", split="test", level=5)
    world.reset(0)
    assert bytes(world.codes.ravel()) == test[5]
    assert all(crossed(lake) for lake in {*train, *test})
    assert len(set(test)) == 128
    assert len({*train} & {*test}) == 16


@every_grid
@pytest.mark.parametrize("representation", ["natural", "structured", "symbolic"])
def test_a_true_belief_scores_one_in_every_representation_and_state(id, representation):
    world = grid(id, control="move", turns=10, split="any", representation=representation)
    rng = np.random.default_rng(6)
    for seed in range(25):
        turns = world.reset(seed)
        while turns:
            state = world.state_of(world.codes)
            said = grid_beliefs.told(state, representation)
            assert world._score(said, state) == 1.0, said
            wrong = {**state, "target": [[9, 9]], "player": [0, 0], "map": ["P__", "___", "__O"]}
            assert world._score(grid_beliefs.told(wrong, representation), state) <= 1.0
            turns = world.step({SEAT: int(rng.integers(4))})


@every_grid
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("form", ["tags", "json"])
def test_the_worked_example_is_of_the_format_it_teaches(id, strategy, form):
    world = grid(id, strategy=strategy, form=form)
    turn = world.reset(0)[SEAT]
    example = world.seats[SEAT].rules.partition("For example:\n")[2]
    assert "..." not in example
    world.step({SEAT: world.parse(SEAT, example, turn.observation, turn.info)})
    assert world._last["turn_metrics"]["format_correct"]


@every_grid
@pytest.mark.parametrize("representation", ["natural", "structured", "symbolic"])
def test_the_beliefs_of_the_worked_example_are_true_of_it(id, representation):
    world = grid(id, representation=representation)
    module = __import__(type(world).__module__, fromlist=["_BEFORE"])
    parts, moves = world._examples()
    step = twin.push if id == "sokoban-v0" else twin.walk
    rows = list(module._BEFORE)
    for move in moves:
        rows = step(rows, move)[0]
    assert rows == list(module._AFTER)
    for name, drawn in (("observation", module._BEFORE), ("prediction", module._AFTER)):
        codes = np.array([[world.symbols.index(mark) for mark in row] for row in drawn])
        assert world._score(parts[name], world.state_of(codes)) == 1.0


def test_with_legacy_a_player_on_a_target_hides_it_and_ice_is_said_to_be_slippery():
    drawings = {}
    for legacy in (False, True):
        world = grid("sokoban-v0", split="any", legacy=legacy, shows="text")
        codes = np.array([[0, 0, 0], [0, 6, 0]], np.uint8)
        state = world.state_of(codes)
        drawings[legacy] = (world.drawing(codes), state["target"])
        assert ("S player" in world.seats[SEAT].rules) != legacy
    assert drawings == {False: ("###\n#S#", [[1, 1]]), True: ("###\n#P#", [])}
    assert "The ice is slippery" in grid("frozen_lake-v0", legacy=True).seats[SEAT].rules


@every_grid
def test_the_picture_shows_the_state_and_nothing_but_it(id):
    world = grid(id, shows="both")
    pictures = {}
    for seed in range(6):
        turn = world.reset(seed)[SEAT]
        (image,) = turn.images
        assert image.shape == (300, 300, 3)
        pictures.setdefault("\n".join(rows_of(world)), image)
        assert (pictures["\n".join(rows_of(world))] == image).all()
        cell = 300 // len(rows_of(world))
        tiles = {}
        for y, row in enumerate(rows_of(world)):
            for x, mark in enumerate(row):
                tile = image[y * cell : y * cell + cell, x * cell : x * cell + cell].tobytes()
                assert tiles.setdefault(mark, tile) == tile
        assert len(set(tiles.values())) == len(tiles)


def test_a_reply_reports_what_it_came_to():
    world = grid("sokoban-v0", split="test", level=0)
    turn = world.reset(0)[SEAT]
    state = turn.info["state"]
    move = twin.solution(state["map"], twin.push)[0]
    after = {"player": [0, 0], "map": twin.push(state["map"], move)[0]}
    parts = {"observation": grid_beliefs.told(state, "natural"), "prediction": "no idea"}
    turn = world.step({SEAT: written("world_modeling", [move], parts)})[SEAT]
    assert turn.info["state_before"] == state
    assert turn.info["state"]["map"] == after["map"]
    assert turn.info["said"]["prediction"] == "no idea"
    assert turn.info["turn_metrics"]["grounding_reward"] == 1.0
    assert turn.info["turn_metrics"]["worldmodeling_reward"] == 0.0
    assert turn.info["traj_metrics"] == {"success": False}


@pytest.mark.parametrize(
    ("id", "params", "error", "says"),
    [
        ("sokoban-v0", {"size": 8}, UsageError, "split='any'"),
        ("sokoban-v0", {"split": "any", "boxes": 4, "size": 12}, UsageError, "too many states"),
        ("sokoban-v0", {"split": "exam"}, UnknownName, "exam"),
        ("sokoban-v0", {"split": "test", "level": 128}, UsageError, "0 to 127"),
        ("sokoban-v0", {"split": "any", "level": 1}, UsageError, "level is of a list"),
        ("sokoban-v0", {"shows": "codes"}, UsageError, "control='move'"),
        ("sokoban-v0", {"control": "mind"}, UnknownName, "mind"),
        ("sokoban-v0", {"pixels": 5}, UsageError, "pixels"),
        ("frozen_lake-v0", {"frozen": 0.1}, UsageError, "frozen"),
        ("frozen_lake-v0", {"size": 1}, UsageError, "size"),
    ],
)
def test_parameters_are_checked(id, params, error, says):
    with pytest.raises(error, match=says):
        grid(id, **params)


@every_grid
def test_learners_can_convolve_the_codes_of_a_batch_by_looking_them_up(id):
    from gymposium.agents.learning.lookup import code_table

    batch = gymposium.make_vec(id, 2)
    table = code_table(batch.planes, batch.single_observation_space.shape)
    assert table is not None
    assert table.shape == (1, 256, batch.num_planes)
