"""Matches over a Ray cluster: the bytes of one process, and a machine that dies costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gymposium
from gymposium.arenas.executors.choice import Executor
from gymposium.arenas.reporters import Silent
from gymposium.errors import GymposiumError, MissingExtra, UsageError

from ..test_resume import assert_same_run, scenario
from .jobs_for_tests import count_up, dies, fails, names_its_node

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes (each a raylet with a store and workers of its own) on this machine."""
    from ray.cluster_utils import Cluster

    made = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1,
            "object_store_memory": 80_000_000,
            "include_dashboard": False,
        },
    )
    made.second = made.add_node(num_cpus=1, object_store_memory=80_000_000)
    made.wait_for_nodes()
    yield made
    made.shutdown()


def on(cluster: Any) -> Executor:
    return Executor("ray", 0, cluster.address)


def nobody() -> None:
    pass


def test_ray_that_is_not_installed_is_named_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'gymposium\[ray\]'"):
        gymposium.run(scenario(), out=tmp_path / "run", executor="ray")


def test_both_machines_get_work(cluster: Any) -> None:
    told: list[str] = []
    on(cluster).run(names_its_node, range(8), on_told=told.extend, on_interrupt=nobody)
    assert len(set(told)) == 2


def test_a_machine_killed_in_the_middle_costs_nothing_and_changes_nothing(
    cluster: Any, tmp_path: Path, long: tuple[Path, gymposium.Run]
) -> None:
    file, whole = long

    class Killing(Silent):
        left = len(whole.rows) // 4

        def match_done(self, row: Any) -> None:
            self.left -= 1
            if not self.left:
                assert sum(node["Alive"] for node in ray.nodes()) == 2
                cluster.remove_node(cluster.second, allow_graceful=False)

    run = gymposium.run(
        file, out=tmp_path / "run", executor=f"ray:{cluster.address}", progress=Killing()
    )
    assert_same_run(run, whole)
    assert not cluster.second.live_processes()


def test_what_a_job_raises_there_is_raised_here(cluster: Any) -> None:
    with pytest.raises(UsageError, match="not this one"):
        on(cluster).run(fails, ["fail"], on_told=print, on_interrupt=nobody)


def test_everything_told_is_heard_once(cluster: Any) -> None:
    told: list[Any] = []
    on(cluster).run(count_up, range(8), on_told=told.extend, on_interrupt=nobody)
    assert sorted(told) == sorted((n, i) for n in range(8) for i in range(n))


def test_matches_that_kill_every_worker_end_the_run_with_a_sentence(cluster: Any) -> None:
    with pytest.raises(GymposiumError, match="died 4 times in the same matches"):
        on(cluster).run(dies, [2], on_told=print, on_interrupt=nobody)


def test_an_address_without_a_cluster_is_told(tmp_path: Path) -> None:
    with pytest.raises(GymposiumError, match=r"there is no Ray cluster at 127\.0\.0\.1:1"):
        gymposium.run(scenario(), out=tmp_path / "run", executor="ray:127.0.0.1:1")
