"""Every category, at several sizes and styles: disjoint parts that fill the size, free surfaces."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs.rooms.catalogue import CATEGORIES, Mount, category, find, model
from gymposium.envs.rooms.prisms import Packed, box
from gymposium.envs.rooms.room_types import find_room_type, room_type, room_types
from gymposium.errors import UnknownName


def test_there_are_sixty_categories_of_every_mount_and_twelve_types_of_room() -> None:
    assert len(CATEGORIES) >= 60
    assert {row.mount for row in CATEGORIES.values()} == set(Mount)
    assert len(room_types()) >= 12


@pytest.mark.parametrize("name", sorted(CATEGORIES))
def test_a_thing_fills_its_size_with_disjoint_parts_and_its_surfaces_are_free(name: str) -> None:
    row = CATEGORIES[name]
    mixed = (row.low[0], row.high[1], row.middle[2])
    double = (2 * row.high[0], 0.5 * row.low[1], 1.5 * row.high[2])
    for style, size in enumerate((row.low, row.middle, row.high, mixed, double)):
        built = model(name, size, style)
        corners = np.concatenate([part.outline for part in built.parts])
        half = np.array(size[:2]) / 2
        assert corners.min(axis=0) == pytest.approx(-half)
        assert corners.max(axis=0) == pytest.approx(half)
        assert min(part.z0 for part in built.parts) == pytest.approx(0)
        assert max(part.z1 for part in built.parts) == pytest.approx(size[2])
        assert Packed([[part] for part in built.parts]).all_pairs().volume.max() < 1e-9
        for surface in built.surfaces:
            (x, y), (dx, dy) = surface.centre, surface.size
            spans = (x - dx / 2, x + dx / 2), (y - dy / 2, y + dy / 2)
            above = box(*spans, (surface.z, surface.z + surface.headroom))
            below = box(*spans, (surface.z - 0.001, surface.z))
            found = Packed([built.parts, [above], [below]]).all_pairs().volume[0]
            assert found[1] < 1e-9, "something stands on the surface already"
            assert found[2] > 0.85 * below.volume, "there is nothing under the surface"


def test_style_changes_looks_and_nothing_else() -> None:
    row = category("sofa")
    looks = {tuple(part.colour for part in model("sofa", row.middle, s).parts) for s in range(8)}
    assert len(looks) > 3
    assert model("sofa", row.middle, 3) is model("sofa", row.middle, 3)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("couch", "sofa"),
        ("Night Stand", "nightstand"),
        ("TVStandFactory", "tv_stand"),
        ("large round dining table", "dining_table"),
        ("12_office_chairs", "office_chair"),
        ("quasar", None),
    ],
)
def test_words_from_elsewhere_find_their_category(words: str, name: str | None) -> None:
    assert find(words) == name


def test_an_unknown_category_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="wardrobe"):
        category("wardrobes")


@pytest.mark.parametrize("name", sorted(room_types()))
def test_a_type_of_room_speaks_only_of_the_catalogue(name: str) -> None:
    kind = room_type(name)
    named = set(kind.plausible).union(*(role.categories for role in kind.required))
    named.update(w.parent for wish in kind.wishes for w in wish.where if w.parent != "room")
    assert named <= set(CATEGORIES)
    wished = {wish.category for wish in kind.wishes}
    for role in kind.required:
        assert role.categories & wished, f"nothing of the grammar can be the {role.name}"


def test_a_request_names_its_room() -> None:
    assert find_room_type("a bedroom for two with a reading corner") == "bedroom"
    assert find_room_type("Design me a kids' bedroom, please") == "children_room"
    assert find_room_type("a cafe with a bar") == "restaurant"
    assert find_room_type("something nice") is None
