"""Edits of models: a refusal says where in what the model wrote the fault stands."""

from __future__ import annotations

from typing import Any

import pytest

from gymposium.envs.rooms.tools.edits import changed, with_new
from gymposium.errors import UsageError

from .samples import furnished

DESK = {"category": "desk"}
FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"category": "<script>"}, "category"),
    ({"location": [float("nan"), 0, 0]}, "location[0]"),
    ({"location": [0, 0, 1e308]}, "location[2]"),
    ({"size": [-1, 1, 1]}, "size[0]"),
    ({"rotation": "east"}, "rotation"),
    ({"parent": [["nobody", "ontop"]]}, "parent[0]"),
    ({"parent": [["4_desk", "ontop"], ["4_desk", "on"]]}, "parent"),
]
NAMES: list[Any] = ["../../etc/passwd", "room", "a" * 65, "<b>", "a.b", "objects.x", "1_bed"]


@pytest.mark.parametrize(("fault", "field"), FAULTS)
@pytest.mark.parametrize("named", [{}, {"id": "mine"}])
def test_a_fault_in_what_is_added_is_named_where_it_stands_in_the_edit(
    fault: dict[str, Any], field: str, named: dict[str, Any]
) -> None:
    with pytest.raises(UsageError) as refused:
        with_new(furnished(), [DESK, {**DESK, **named, **fault}])
    assert str(refused.value).startswith(f"edit.objects[1].{field}")


@pytest.mark.parametrize("name", [*NAMES, *(opening.id for opening in furnished().openings)])
def test_a_name_that_cannot_be_is_named_where_it_stands_in_the_edit(name: str) -> None:
    with pytest.raises(UsageError) as refused:
        with_new(furnished(), [DESK, {**DESK, "id": name}])
    assert str(refused.value).startswith("edit.objects[1].id")
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(("fault", "field"), [row for row in FAULTS if "size" in row[0]])
def test_a_fault_in_what_is_changed_is_named_where_it_stands_in_the_edit(
    fault: dict[str, Any], field: str
) -> None:
    with pytest.raises(UsageError) as refused:
        changed(furnished(), [{"id": "1_bed"}, {"id": "4_desk", **fault}])
    assert str(refused.value).startswith(f"edit.objects[1].{field}")
