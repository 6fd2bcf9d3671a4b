"""Exact overlaps: closed forms, and a twin in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.rooms.prisms import (
    Packed,
    Prism,
    area,
    box,
    centroid,
    hull,
    ngon,
    overlap_volume,
    prism,
    separation,
)
from gymposium.errors import UsageError


def cube(x: float) -> Prism:
    return box((x, x + 1), (0, 1), (0, 1))


@pytest.mark.parametrize(("offset", "volume"), [(0.9, 0.1), (0.99, 0.01), (1.0, 0.0), (1.01, 0.0)])
def test_unit_cubes_share_what_their_offset_leaves(offset: float, volume: float) -> None:
    assert overlap_volume(cube(0), cube(offset)) == pytest.approx(volume, abs=1e-12)
    depth, _ = separation(cube(0), cube(offset))
    assert depth == pytest.approx(max(1 - offset, 0), abs=1e-12)


def test_two_squares_turned_by_45_degrees_share_an_octagon() -> None:
    straight = prism(ngon(0, 0, math.sqrt(0.5), sides=4, turn=math.pi / 4), 0, 1)
    turned = prism(ngon(0, 0, math.sqrt(0.5), sides=4), 0, 1)
    assert overlap_volume(straight, turned) == pytest.approx(2 * (math.sqrt(2) - 1))


def test_heights_count_as_shared_and_as_a_way_out() -> None:
    found = Packed([[box((0, 1), (0, 1), (0, 1))], [box((0, 1), (0, 1), (0.9, 2))]]).all_pairs()
    assert found.volume[0, 1] == pytest.approx(0.1)
    assert found.depth[0, 1] == pytest.approx(0.1)
    assert found.push[0, 1, 2] == pytest.approx(1.0)


outlines = st.builds(
    lambda x, y, r, sides, turn, wide: ngon(0, 0, r, sides=sides, turn=turn) * (1, wide) + (x, y),
    st.floats(-1, 1),
    st.floats(-1, 1),
    st.floats(0.1, 1.5),
    st.integers(3, 12),
    st.floats(0, 6),
    st.floats(0.3, 2),
)
prisms = st.builds(
    lambda outline, z, tall: prism(outline, z, z + tall),
    outlines,
    st.floats(-1, 1),
    st.floats(0.1, 2),
)


def plain_area(a: list[tuple[float, float]], b: list[tuple[float, float]]) -> float:
    """The common area from the corners: those of each in the other, and crossings of edges."""

    def within(p: tuple[float, float], poly: list[tuple[float, float]]) -> bool:
        return all(
            (qx - px) * (p[1] - py) - (qy - py) * (p[0] - px) >= -1e-12
            for (px, py), (qx, qy) in zip(poly, [*poly[1:], poly[0]], strict=True)
        )

    points = [p for p in a if within(p, b)] + [p for p in b if within(p, a)]
    for p, q in zip(a, [*a[1:], a[0]], strict=True):
        for r, s in zip(b, [*b[1:], b[0]], strict=True):
            d = (q[0] - p[0]) * (s[1] - r[1]) - (q[1] - p[1]) * (s[0] - r[0])
            if abs(d) > 1e-15:
                t = ((r[0] - p[0]) * (s[1] - r[1]) - (r[1] - p[1]) * (s[0] - r[0])) / d
                u = ((r[0] - p[0]) * (q[1] - p[1]) - (r[1] - p[1]) * (q[0] - p[0])) / d
                if 0 <= t <= 1 and 0 <= u <= 1:
                    points.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
    if len(points) < 3:
        return 0.0
    x, y = (sum(c) / len(points) for c in zip(*points, strict=True))
    points.sort(key=lambda p: math.atan2(p[1] - y, p[0] - x))
    after = [*points[1:], points[0]]
    return sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(points, after, strict=True)) / 2


@settings(max_examples=200, deadline=None)
@given(prisms, prisms)
def test_the_compiled_overlap_equals_its_twin_in_plain_python(a: Prism, b: Prism) -> None:
    tall = max(0.0, min(a.z1, b.z1) - max(a.z0, b.z0))
    plain = tall * plain_area([tuple(p) for p in a.outline], [tuple(p) for p in b.outline])
    assert overlap_volume(a, b) == pytest.approx(plain, abs=1e-7)
    assert overlap_volume(a, b) == pytest.approx(overlap_volume(b, a), abs=1e-12)


@settings(max_examples=200, deadline=None)
@given(prisms, prisms)
def test_the_push_is_the_way_out(a: Prism, b: Prism) -> None:
    depth, (x, y) = separation(a, b)
    if overlap_volume(a, b) == 0:
        return
    assert math.hypot(x, y) == pytest.approx(1)
    assert overlap_volume(a.moved(x * depth, y * depth, 0), b) == pytest.approx(0, abs=1e-9)
    angles = np.linspace(0, 2 * math.pi, 24)
    for angle in angles:  # no shorter way leads out
        way = 0.95 * depth
        moved = a.moved(way * math.cos(angle), way * math.sin(angle), 0)
        assert depth < 1e-6 or overlap_volume(moved, b) > 0


@settings(max_examples=100, deadline=None)
@given(prisms, st.floats(-3, 3), st.floats(-2, 2))
def test_moving_both_changes_nothing(a: Prism, yaw: float, x: float) -> None:
    b = box((0, 1), (0, 1), (0, 1))
    moved = overlap_volume(a.moved(x, 1, 2, yaw), b.moved(x, 1, 2, yaw))
    assert moved == pytest.approx(overlap_volume(a, b), abs=1e-9)


def test_a_body_written_over_its_old_place_is_where_it_was_put() -> None:
    packed = Packed([[cube(0)], [cube(5)], [cube(9)]])
    packed.place(1, [cube(0.5)])
    assert packed.of(1).volume[0].tolist() == pytest.approx([0.5, 0, 0])
    assert packed.all_pairs().volume[0, 1] == pytest.approx(0.5)


def test_areas_centroids_and_hulls_of_known_shapes() -> None:
    triangle = np.array([(0.0, 0.0), (3.0, 0.0), (0.0, 3.0)])
    assert area(triangle) == pytest.approx(4.5)
    assert centroid(triangle) == pytest.approx((1, 1))
    points = [*triangle.tolist(), (1, 1), (0.5, 0.5), (1.5, 1.5)]
    assert sorted(hull(points).tolist()) == sorted(triangle.tolist())


@pytest.mark.parametrize(
    "outline",
    [
        [(0, 0), (1, 0)],
        [(0, 0), (2, 0), (1, 0.1), (1, 2)],
        [(0, 0), (1, 0), (math.nan, 1)],
        [(0, 0), (1, 0), (2, 0)],
    ],
)
def test_an_outline_that_is_none_is_refused(outline: list[tuple[float, float]]) -> None:
    with pytest.raises(UsageError, match="prism"):
        prism(outline, 0, 1)


def test_a_prism_without_height_is_refused() -> None:
    with pytest.raises(UsageError, match="z0 < z1"):
        box((0, 1), (0, 1), (1, 1))
