"""A stored match plays again exactly, and says so when it cannot."""

from __future__ import annotations

import orjson
import pytest
import zstandard

from gymposium.arenas.run import load, run
from gymposium.arenas.store import RunFolder
from gymposium.arenas.viewer.live import watched
from gymposium.arenas.viewer.replay import find_match, replay
from gymposium.envs import registry
from gymposium.errors import StoreError, UnknownName, UsageError
from gymposium.scenarios.model import Scenario


class Album:
    """A screen that keeps what it is shown, and leaves after ``stay`` scenes."""

    def __init__(self, stay=10**9):
        self.scenes, self.stay, self.ended = [], stay, 0

    def show(self, scene):
        self.scenes.append(scene)
        return len(self.scenes) < self.stay

    def end(self):
        self.ended += 1


def scenario(world="iterated_matrix-v0", repeats=1, agents=("random",), **params):
    return Scenario(
        name="watched",
        worlds=[{"id": world, "params": params}],
        agents=list(agents),
        schedule={"repeats": repeats},
        time_limit=None,
    )


def lines_of(finished):
    return [
        [(line.action, line.reward, line.total) for line in scene.seats]
        for scene in finished.scenes
    ]


@pytest.mark.parametrize("id", [spec.id for spec in registry.specs()])
def test_a_replay_shows_every_scene_that_was_shown_live(id, tmp_path):
    live = Album()
    # Long worlds have a preset for tests; a match on a grid is a thousand steps else.
    short = registry.spec(id).presets.get("short", {})
    if getattr(registry.params_class(id), "horizon", 0) == 1000:
        short = {"horizon": 100}
    made = scenario(id, **short)
    finished = run(made, out=tmp_path / "run", recorder=watched(lambda header: [live]))
    again = Album()
    steps = replay(finished, screens=[again])
    assert steps == len(live.scenes) - 1
    assert [scene.picture.tobytes() for scene in again.scenes] == [
        scene.picture.tobytes() for scene in live.scenes
    ]
    assert [scene.seats for scene in again.scenes] == [scene.seats for scene in live.scenes]
    assert [scene.reason for scene in again.scenes] == [scene.reason for scene in live.scenes]
    assert (live.ended, again.ended) == (1, 1)


def test_totals_add_up_to_the_stored_returns(tmp_path):
    album = Album()
    finished = run(
        scenario(agents=["scripted:alternator", "scripted:tit_for_tat"], rounds=5),
        out=tmp_path / "run",
    )
    replay(finished, screens=[album])
    seats = finished.rows[0].seats
    for number, seat in enumerate(seats):
        earned = [scene.seats[number].reward for scene in album.scenes]
        assert sum(earned) == album.scenes[-1].seats[number].total == seat.return_
        assert album.scenes[3].seats[number].total == sum(earned[:4])
    assert album.scenes[0].seats[0].action == ""
    assert album.scenes[1].seats[0].action == "cooperate"
    assert album.scenes[-1].reason == finished.rows[0].reason


def test_watching_changes_nothing_that_is_stored(tmp_path):
    plain = run(scenario(repeats=2), out=tmp_path / "plain")
    seen = run(scenario(repeats=2), out=tmp_path / "seen", recorder=watched(lambda _: [Album()]))
    assert [row.key for row in plain.rows] == [row.key for row in seen.rows]
    for row in plain.rows:
        assert plain.transcript(row.key) == seen.transcript(row.key)


def test_a_replay_ends_when_its_viewers_have_left(tmp_path):
    finished = run(scenario(rounds=10), out=tmp_path / "run")
    first, second = Album(stay=2), Album(stay=4)
    replay(finished, screens=[first, second])
    assert [len(first.scenes), len(second.scenes)] == [2, 4]
    assert (first.ended, second.ended) == (1, 1)


def test_a_match_goes_on_when_its_viewer_has_left(tmp_path):
    album = Album(stay=2)
    finished = run(scenario(rounds=10), out=tmp_path / "run", recorder=watched(lambda _: [album]))
    assert len(album.scenes) == 2
    assert replay(finished) == 10


def changed_record(finished, change):
    """Rewrite the first match's record."""
    row = finished.rows[0]
    with RunFolder(finished.path) as folder:
        path = folder.transcript_path(row.key)
    lines = [dict(line) for line in finished.transcript(row.key)]
    change(lines)
    path.write_bytes(zstandard.compress(b"\n".join(map(orjson.dumps, lines))))


def test_a_changed_action_is_found_out_at_the_next_step(tmp_path):
    finished = run(scenario(agents=["scripted:always_cooperate"], rounds=6), out=tmp_path / "run")

    def defect(lines):
        lines[3]["replies"]["player_0"] = {"action": 1}

    changed_record(finished, defect)
    with pytest.raises(StoreError, match="the state at step 3 is not the recorded one"):
        replay(finished)


def test_a_changed_last_step_is_found_out_at_the_end(tmp_path):
    finished = run(scenario(agents=["scripted:always_cooperate"], rounds=4), out=tmp_path / "run")

    def defect(lines):
        lines[-2]["replies"]["player_1"] = {"action": 1}

    changed_record(finished, defect)
    with pytest.raises(StoreError, match="step 4"):
        replay(finished)


def test_matches_are_found_by_number_key_and_start_of_key(tmp_path):
    finished = run(scenario(repeats=3), out=tmp_path / "run")
    keys = [row.key for row in finished.rows]
    assert find_match(finished, "2").key == keys[1]
    assert find_match(finished, keys[2]).key == keys[2]
    assert find_match(finished, keys[0][:12]).key == keys[0]
    for wanted in ("0", "99", "no such key", ""):
        with pytest.raises(UnknownName, match=r"1 to \d+, or the start of a key"):
            find_match(finished, wanted)


def test_a_run_without_matches_says_so(tmp_path):
    with RunFolder(tmp_path / "run", write=True, create=True) as folder:
        folder.set_info(status="running")
    with pytest.raises(UsageError, match="no finished match"):
        find_match(load(tmp_path / "run"), "1")
