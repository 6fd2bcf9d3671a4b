"""Normalised focal returns: the scale, the files that carry it, and that it holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from gymposium.arenas.ratings.metrics import mean_returns, normalised_returns
from gymposium.arenas.rows import MatchRow, SeatRow
from gymposium.arenas.run import run
from gymposium.cli.app import app
from gymposium.scenarios.load import change, named
from gymposium.scenarios.model import Bounds, Scenario

ROOT = Path(__file__).parents[2]
SOCIAL = sorted(name for name, listed in named().items() if listed.family == "social")
every_social = pytest.mark.parametrize("name", SOCIAL)


def row(cell, block, *returns, roles=("focal", "background")):
    seats = tuple(
        SeatRow(f"s{n}", f"agent {n}", roles[n % len(roles)], None, value)
        for n, value in enumerate(returns)
    )
    return MatchRow(f"{cell}{block}", "w-v0", "mixed", cell, block, block, seats)


def test_a_bound_becomes_zero_the_other_one_and_the_background_does_not_count():
    rows = [row("a", 0, 2.0, 99.0), row("a", 1, 6.0, 99.0), row("b", 0, -5.0, 99.0)]
    found = normalised_returns(rows, {"a": (2.0, 6.0), "b": (-10.0, 0.0)})
    values = {(mean.subject, mean.cell): mean.value for mean in found}
    assert values == {
        ("agent 0", "a"): pytest.approx(0.5),
        ("agent 0", "b"): pytest.approx(0.5),
        ("agent 0", None): pytest.approx(0.5),
    }


def test_it_is_an_affine_map_of_the_mean_return_and_of_its_interval():
    rows = [row("a", block, float(block * block), 0.0) for block in range(8)]
    (plain,) = (m for m in mean_returns(rows, seed=3) if m.cell == "a")
    (scaled,) = (m for m in normalised_returns(rows, {"a": (10.0, 30.0)}, seed=3) if m.cell == "a")
    for name in ("value", "low", "high"):
        assert getattr(scaled, name) == pytest.approx((getattr(plain, name) - 10) / 20)


def test_several_focal_seats_count_per_capita_and_cells_without_bounds_not_at_all():
    rows = [row("a", 0, 2.0, 6.0, roles=("focal",)), row("b", 0, 1.0)]
    assert {m.value for m in normalised_returns(rows, {"a": (0.0, 4.0)})} == {0.5, 1.5}
    assert normalised_returns(rows, {}) == []


def test_bounds_must_be_in_order_and_say_where_they_come_from():
    Bounds(low=-1.0, high=0.0, how="measured with care")
    with pytest.raises(ValidationError, match=r"high \(1\) must be above low \(1\)"):
        Bounds(low=1.0, high=1.0, how="measured with care")
    with pytest.raises(ValidationError, match="how"):
        Bounds(low=0.0, high=1.0, how="")


@every_social
def test_every_social_scenario_has_a_background_and_bounds_and_says_how(name):
    scenario = named()[name].load()
    assert scenario.schedule.kind == "focal_x_background"
    for world in scenario.worlds:
        assert "background" in world.roles.values()
        assert world.bounds is not None
        assert "seed blocks" in world.bounds.how


def test_every_social_world_has_a_resident_and_a_visitor_mode():
    focal = {}
    for name in SOCIAL:
        (world,) = named()[name].load().worlds
        focal.setdefault(world.id, set()).add(name.rpartition("-")[2])
    assert set(focal) >= {"clean_up-v0", "harvest-v0", "coins-v0"}
    assert all(modes == {"residents", "visitors"} for modes in focal.values())


def test_the_populations_that_evaluate_are_nowhere_trained_with():
    held_out = {entry.spec for name in SOCIAL for entry in named()[name].load().background}
    for name, listed in named().items():
        scenario = listed.load()
        if listed.family != "social":
            used = {entry.spec for entry in (*scenario.agents, *scenario.background)}
            assert not used & held_out, name
    for file in (ROOT / "scenarios" / "training").rglob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        assert not [spec for spec in held_out if spec in text], file


@every_social
def test_a_random_agent_is_near_zero_and_the_best_bot_near_one(name, tmp_path):
    scenario = named()[name].load()
    (world,) = scenario.worlds
    best = f"scripted:{world.bounds.how.split(' and ')[1].partition(',')[0]}"
    schedule = {**scenario.schedule.model_dump(), "repeats": 2}
    made = change(scenario, agents=["random", best], schedule=schedule, seed=77, time_limit=None)
    finished = run(made, out=tmp_path / "run")
    found = {mean.subject: mean.value for mean in finished.normalised() if mean.cell is None}
    if world.bounds.how.startswith("random"):  # elsewhere the lower bound is worked out
        assert found["random"] == pytest.approx(0, abs=0.4)
        assert found[best] > found["random"] + 0.5
    assert found[best] == pytest.approx(1, abs=0.4)


def test_the_command_line_prints_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scenario = named()["coins-visitors"].load()
    world = {**scenario.worlds[0].model_dump(mode="json"), "params": {"horizon": 20}}
    short = change(
        scenario,
        worlds=[{**world, "name": "here"}, {**world, "name": "there"}],
        agents=["random"],
        schedule={"kind": "focal_x_background", "repeats": 2},
    )
    run(short, out="r")
    said = CliRunner().invoke(app, ["report", "r"]).output
    assert "normalised focal per-capita return" in said
    assert re.search(r"cell by cell:\n  here: random -?\d\.\d\d\n  there: random", said)
    assert isinstance(short, Scenario)
