"""Names of other programs: the table, the catalogue's own, the nearest, and none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.envs.rooms.catalogue import CATEGORIES, NAMES
from gymposium.envs.rooms.files.foreign import OTHERS, named


@pytest.mark.parametrize(
    ("said", "category"),
    [
        ("King-size Bed", "double_bed"),
        ("Kids Bed", "single_bed"),
        ("Lounge Chair / Cafe Chair / Office Chair", "armchair"),
        ("Bookcase / jewelry Armoire", "bookshelf"),
        ("Corner/Side Table", "side_table"),
        ("corner_side_table", "side_table"),
        ("Sideboard / Side Cabinet / Console Table", "sideboard"),
        ("Footstool / Sofastool / Bed End Stool / Stool", "ottoman"),
        ("Three-Seat / Multi-seat Sofa", "sofa"),
        ("multi_seat_sofa", "sofa"),
        ("Chaise Longue Sofa", "daybed"),
        ("Pendant Lamp", "ceiling_lamp"),
        ("SidetableDeskFactory", "desk"),
        ("TableDiningFactory", "dining_table"),
        ("LargePlantContainerFactory", "plant"),
        ("3542034_CellShelfFactory", "low_shelf"),
    ],
)
def test_names_of_others_are_known(said: str, category: str) -> None:
    assert named(said) == (category, False)


def test_the_nearest_spelling_is_a_guess() -> None:
    assert named("bookshelff") == ("bookshelf", True)
    assert named("night-satnd") == ("nightstand", True)


@pytest.mark.parametrize("said", ["curtain", "AquariumTankFactory", "", "///", "1234", "a" * 101])
def test_what_is_like_nothing_has_no_category(said: str) -> None:
    assert named(said) is None


def test_the_table_leads_to_categories_and_says_nothing_that_the_catalogue_knows() -> None:
    assert set(OTHERS.values()) <= set(CATEGORIES)
    assert not {name.replace(" ", "_") for name in OTHERS} & set(NAMES)


@given(st.text(max_size=120))
def test_any_text_is_named_or_not(said: str) -> None:
    found = named(said)
    assert found is None or found.category in CATEGORIES
