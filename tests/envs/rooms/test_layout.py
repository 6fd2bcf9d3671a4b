"""Layout documents: there and back, and the refusal of what is none."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.rooms.layout import layout, scene_of, scene_of_text
from gymposium.errors import UsageError

from .samples import furnished, random_edit


def document(**changes: Any) -> dict[str, Any]:
    chair = {"location": [1, 1, 0], "rotation": 0, "size": [0.5, 0.5, 0.9], "parent": []}
    return {"roomsize": [4, 3], "objects": {"1_chair": {**chair, **changes}}}


def test_a_scene_survives_its_document_within_5_mm() -> None:
    for seed in range(20):
        scene = random_edit(furnished(), np.random.default_rng(seed))
        again = scene_of(json.loads(json.dumps(layout(scene))))
        assert [item.id for item in again] == [item.id for item in scene]
        assert again.openings[0].id == scene.openings[0].id
        for old, new in zip(scene, again, strict=True):
            assert new.location == pytest.approx(old.location, abs=0.005001)
            assert new.size == pytest.approx(old.size, abs=0.005001)
            assert abs(math.remainder(new.rotation - old.rotation, 2 * math.pi)) <= 0.005001
            assert set(new.relations) == set(old.relations)
            assert (new.category, new.style) == (old.category, old.style)


def test_more_digits_keep_more() -> None:
    scene = furnished()
    again = scene_of_text(json.dumps(layout(scene, digits=6)))
    for old, new in zip(scene, again, strict=True):
        assert new.location == pytest.approx(old.location, abs=1e-6)


def test_the_category_is_read_from_the_id_and_angles_as_a_triple() -> None:
    scene = scene_of({**document(rotation=[0, 0, 7.0]), "roomtype": "office"})
    item = scene["1_chair"]
    assert item.category == "chair"
    assert item.rotation == pytest.approx(7 - 2 * math.pi)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"location": [math.nan, 0, 0]}, r"objects\.1_chair\.location\[0\]"),
        ({"location": [math.inf, 0, 0]}, r"objects\.1_chair\.location\[0\]"),
        ({"location": [0, 0]}, r"objects\.1_chair\.location"),
        ({"location": "0,0,0"}, r"objects\.1_chair\.location"),
        ({"size": [0.5, -0.5, 1]}, r"objects\.1_chair\.size\[1\]"),
        ({"size": [0.5, 0.5, 1e9]}, r"objects\.1_chair\.size\[2\]"),
        ({"size": [10**400, 0.5, 1]}, r"objects\.1_chair\.size\[0\]"),
        ({"size": [0.5, 0.5, True]}, r"objects\.1_chair\.size\[2\]"),
        ({"rotation": "east"}, r"objects\.1_chair\.rotation"),
        ({"rotation": [0.3, 0, 0]}, r"objects\.1_chair\.rotation"),
        ({"category": "spaceship"}, r"objects\.1_chair\.category"),
        ({"category": 7}, r"objects\.1_chair\.category"),
        ({"style": -1}, r"objects\.1_chair\.style"),
        ({"parent": [["9_bed", "ontop"]]}, r"objects\.1_chair\.parent\[0\]"),
        ({"parent": [["1_chair", "ontop"]]}, r"objects\.1_chair\.parent\[0\]"),
        ({"parent": [["room", "ontop"]]}, r"objects\.1_chair\.parent\[0\]"),
        ({"parent": [["room", "sleeps_in"]]}, r"objects\.1_chair\.parent\[0\]"),
        ({"parent": [["room", 3]]}, r"objects\.1_chair\.parent\[0\]"),
        ({"parent": [["room"]]}, r"objects\.1_chair\.parent\[0\]"),
        ({"parent": [["room", "on_floor"]] * 9}, r"objects\.1_chair\.parent"),
        ({"parent": {"room": "on_floor"}}, r"objects\.1_chair\.parent"),
    ],
)
def test_a_wrong_field_is_refused_by_name(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(UsageError, match=field):
        scene_of(document(**changes))


@pytest.mark.parametrize(
    "name", ["../etc/passwd", "a/b", "a b", "", "room", "x" * 65, "..", "a\n", "<b>", "é", "-x"]
)
def test_an_id_that_could_be_a_path_or_a_tag_is_refused(name: str) -> None:
    chair = document()["objects"]["1_chair"]
    with pytest.raises(UsageError, match="id"):
        scene_of({"roomsize": [4, 3], "objects": {name: {**chair, "category": "chair"}}})


def test_supports_and_other_relations_in_a_circle_are_refused() -> None:
    box = {**document()["objects"]["1_chair"], "category": "storage_box"}
    for kind in ("ontop", "front_against"):
        ring = {f"{n}_b": {**box, "parent": [[f"{(n + 1) % 3}_b", kind]]} for n in range(3)}
        with pytest.raises(UsageError, match=r"objects\.\d_b\.parent.*back to itself"):
            scene_of({"roomsize": [4, 3], "objects": ring})


def test_a_long_chain_is_no_circle() -> None:
    box = {**document()["objects"]["1_chair"], "category": "storage_box"}
    chain = {f"{n}_b": {**box, "parent": [[f"{n + 1}_b", "ontop"]]} for n in range(400)}
    chain["400_b"] = box
    assert len(scene_of({"roomsize": [4, 3], "objects": chain})) == 401


def test_resting_on_two_things_is_refused() -> None:
    things = {f"{n}_table": {**document()["objects"]["1_chair"]} for n in range(3)}
    things["0_table"]["parent"] = [["1_table", "ontop"], ["2_table", "on"]]
    with pytest.raises(UsageError, match=r"objects\.0_table\.parent"):
        scene_of({"roomsize": [4, 3], "objects": things})


def test_ten_thousand_objects_are_refused() -> None:
    chair = document()["objects"]["1_chair"]
    with pytest.raises(UsageError, match=r"objects holds 10,000 entries"):
        scene_of({"roomsize": [4, 3], "objects": {f"{n}_chair": chair for n in range(10_000)}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a JSON"),
        ('{"roomsize": [4, NaN], "objects": {}}', r"^roomsize\[1\] is NaN; numbers must be finite"),
        ('{"objects": {"1_a": {"rotation": -Infinity}}}', r"^objects.1_a.rotation is -Infinity"),
        ('[{"a": 1}, {"a": [0, Infinity]}]', r"^\[1\].a\[1\] is Infinity"),
        ("NaN", "^the layout is NaN"),
        ('{"Infinity": "NaN", "objects": {}}', "roomsize"),
        ("[" * 900 + "NaN" + "]" * 900, r"\[0\]\[0.* is NaN"),
        ('{"roomsize": [4, 3], "objects": {"1_chair": {}, "1_chair": {}}}', "twice"),
        ("[" * 100_000, "not a JSON"),
        ('{"roomsize": [1' + "0" * 5000 + ', 3], "objects": {}}', "not a JSON"),
        ("[]", "the layout must be an object"),
        ('{"objects": {}}', "roomsize"),
        ('{"roomsize": [4, 3]}', "objects"),
        ('{"roomsize": [0, 3], "objects": {}}', r"roomsize\[0\]"),
        ('{"roomsize": [4, 3], "roomtype": "../x", "objects": {}}', "roomtype"),
        ('{"roomsize": [4, 3], "objects": {}, "structure": {"a": {"kind": "hole"}}}', "kind"),
        (" " * 2_000_001, "characters"),
    ],
)
def test_a_text_that_is_no_layout_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        scene_of_text(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=8,
)
fields = st.sampled_from(["location", "rotation", "size", "parent", "category", "style"])


def refused(value: object) -> str | None:
    """The sentence with which a document is refused; None if it is taken."""
    try:
        scene_of(value)
    except UsageError as error:
        return str(error)
    return None


@settings(max_examples=300, deadline=None)
@given(fields, json_values)
def test_any_value_in_any_field_is_taken_or_refused_in_a_sentence(field: str, value: Any) -> None:
    refusal = refused(document(**{field: value}))
    assert refusal is None or "1_chair" in refusal


@settings(max_examples=200, deadline=None)
@given(json_values | st.fixed_dictionaries({"roomsize": json_values, "objects": json_values}))
def test_any_document_is_taken_or_refused_in_a_sentence(value: Any) -> None:
    refusal = refused(value)
    assert refusal is None or len(refusal) < 300
