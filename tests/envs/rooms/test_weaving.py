"""Weaving: steps are graded and taken back; a room is worth its grades less the costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from gymposium.envs.rooms import weaving
from gymposium.envs.rooms.grades import Grades
from gymposium.envs.rooms.metrics import Metrics
from gymposium.envs.rooms.room_types import room_type
from gymposium.envs.rooms.scene import Item, Scene
from gymposium.envs.rooms.tools.card import Card, Edited, Family, Task, Tool
from gymposium.envs.rooms.weaving import Costs, Limits, Standing, Weaving, standing

from .samples import FLOOR, furnished, room


class Fill(Tool):
    """Puts as many plants into the room as its ideas say."""

    card = Card("fill", Family.INITIALISER, "Fills.", ("tests",), (), "exact.", "dull.")

    def act(self, task: Task) -> Edited:
        return Edited(plants(task.scene, int(task.ideas)), "filled.")


class Refill(Fill):
    """The same, later."""

    card = replace(Fill.card, name="refill", family=Family.REFINER)


def plants(scene: Scene, count: int) -> Scene:
    made = (
        Item(f"{n}_plant", "plant", (0.5 + n % 10, 0.5 + n // 10, 0), 0.0, (0.2, 0.2, 0.5), FLOOR)
        for n in range(count)
    )
    return replace(scene, items=tuple(made))


def graded_by_count(scene: Scene, costs: Costs) -> Standing:
    """A judge for whom the sum of grades is the number of things."""
    quarter = len(scene) / 4
    figures = Metrics(len(scene), 0, 0, 0.0, 1.0, 1.0, 0.0)
    return Standing(scene, Grades(quarter, quarter, quarter, quarter), figures, len(scene) / 40)


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Weaving:
    monkeypatch.setattr(weaving, "standing", graded_by_count)
    empty = Scene(room(12.0, 6.0))
    return Weaving(room_type("bedroom"), "bedroom", (Fill(), Refill()), empty, Limits())


def attempts(loop: Weaving, *counts: int) -> list[str]:
    rng = np.random.default_rng(0)
    for count in counts:
        loop.attempt(int(loop.step > 0), str(count), "", rng)
    return [row["result"] for row in loop.rows]


@pytest.mark.parametrize(
    ("totals", "last"),
    [
        ((7,), "rolled back"),
        ((8,), "accepted"),
        ((30, 25), "rolled back"),
        ((30, 26), "accepted"),
        ((30, 40), "accepted"),
    ],
)
def test_a_step_is_taken_back_by_its_sum_of_grades(
    loop: Weaving, totals: Sequence[int], last: str
) -> None:
    assert attempts(loop, *totals)[-1] == last


def test_a_step_taken_back_leaves_the_room_and_is_tried_three_times(loop: Weaving) -> None:
    assert attempts(loop, 30, 20, 10, 0) == ["accepted", *["rolled back"] * 3]
    assert len(loop.now.scene) == 30
    assert (loop.step, loop.tried) == (2, 0)


def test_the_third_first_scene_stands_whatever_it_is(loop: Weaving) -> None:
    assert attempts(loop, 1, 2, 3) == ["rolled back", "rolled back", "accepted"]
    assert len(loop.now.scene) == 3


def test_rewards_sum_to_the_worth_of_the_room(loop: Weaving) -> None:
    rng = np.random.default_rng(0)
    earned = [loop.attempt(0, "20", "", rng), loop.attempt(1, "30", "", rng)]
    earned.append(loop.attempt(1, "12", "", rng))
    assert earned == pytest.approx([0.5, 0.25, 0.0])


def test_worth_is_the_mean_grade_less_the_costs() -> None:
    scene = furnished().moved("6_wardrobe", (3.0, 5.5, 0.0)).moved("4_desk", (1.0, 2.5, 0.0))
    found = standing(scene, Costs(0.1, 0.2, 0.3))
    figures = found.metrics
    assert figures.outside == 1
    assert figures.collisions > 0
    unstable = round(figures.objects * (1 - figures.stable_share))
    costs = 0.1 * figures.outside + 0.2 * figures.collisions + 0.3 * unstable
    assert found.worth == pytest.approx(found.grades.total / 40 - costs)


def test_an_empty_room_is_worth_nothing_and_a_bed_alone_little() -> None:
    empty = standing(Scene(room()), Costs())
    assert (empty.metrics.objects, empty.metrics.collisions) == (0, 0)
    assert (empty.grades.function, empty.worth) == (0, 0)
    bed = standing(Scene(room(), (), (furnished()["1_bed"],)), Costs())
    assert bed.grades.function <= 5
    assert bed.grades.completion < 5
