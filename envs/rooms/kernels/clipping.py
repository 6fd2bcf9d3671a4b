"""Overlap of bodies made of upright prisms: the compiled loop over pairs of bodies and of parts.

A body is a range of parts, a part a convex outline (counter-clockwise) between two heights. The
common area of two outlines comes from clipping one by the edges of the other (Sutherland and
Hodgman, "Reentrant polygon clipping", CACM 17, 1974), their penetration from the separating axes
of all edges. Parts of one body do not overlap, so the volumes of pairs of parts add up.
"""

from __future__ import annotations

from typing import Any

from ...grid.cache import kernel, part


@part
def _clipped_area(points: Any, a: int, a_end: int, b: int, b_end: int, scratch: Any) -> float:
    """The area [m²] that the outlines ``a`` and ``b`` share; ``scratch`` is [2, 64, 2]."""
    count = a_end - a
    for k in range(count):
        scratch[0, k, 0] = points[a + k, 0]
        scratch[0, k, 1] = points[a + k, 1]
    side = 0
    for edge in range(b, b_end):
        after = edge + 1 if edge + 1 < b_end else b
        px, py = points[edge, 0], points[edge, 1]
        ex, ey = points[after, 0] - px, points[after, 1] - py
        kept = 0
        x0, y0 = scratch[side, count - 1, 0], scratch[side, count - 1, 1]
        d0 = ex * (y0 - py) - ey * (x0 - px)
        for k in range(count):
            x1, y1 = scratch[side, k, 0], scratch[side, k, 1]
            d1 = ex * (y1 - py) - ey * (x1 - px)
            if (d0 >= 0.0) != (d1 >= 0.0):
                t = d0 / (d0 - d1)
                scratch[1 - side, kept, 0] = x0 + t * (x1 - x0)
                scratch[1 - side, kept, 1] = y0 + t * (y1 - y0)
                kept += 1
            if d1 >= 0.0:
                scratch[1 - side, kept, 0] = x1
                scratch[1 - side, kept, 1] = y1
                kept += 1
            x0, y0, d0 = x1, y1, d1
        side = 1 - side
        count = kept
        if count < 3:
            return 0.0
    double = 0.0
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        double += scratch[side, k, 0] * scratch[side, after, 1]
        double -= scratch[side, k, 1] * scratch[side, after, 0]
    return 0.5 * double


@part
def _penetration(points: Any, a: int, a_end: int, b: int, b_end: int) -> tuple[float, float, float]:
    """Depth [m] and direction of the shortest push that frees ``a`` of ``b``; depth <= 0: free."""
    best, best_x, best_y = 1e30, 1.0, 0.0
    for which in range(2):
        first, end = (a, a_end) if which == 0 else (b, b_end)
        for edge in range(first, end):
            after = edge + 1 if edge + 1 < end else first
            nx = points[after, 1] - points[edge, 1]
            ny = points[edge, 0] - points[after, 0]
            length = (nx * nx + ny * ny) ** 0.5
            if length < 1e-12:
                continue
            nx, ny = nx / length, ny / length
            if which == 0:  # an outward normal of a: a is pushed the other way
                nx, ny = -nx, -ny
            low, high = 1e30, -1e30
            for k in range(a, a_end):
                low = min(low, nx * points[k, 0] + ny * points[k, 1])
            for k in range(b, b_end):
                high = max(high, nx * points[k, 0] + ny * points[k, 1])
            if high - low < best:
                best, best_x, best_y = high - low, nx, ny
                if best <= 0.0:
                    return best, best_x, best_y
    return best, best_x, best_y


@kernel
def overlaps(
    first: int,
    last: int,
    later_only: bool,
    points: Any,
    starts: Any,
    heights: Any,
    boxes: Any,
    bodies: Any,
    body_boxes: Any,
    scratch: Any,
    volume: Any,
    depth: Any,
    push: Any,
) -> None:
    """Overlap of the bodies ``first .. last-1`` with the others, or with the later ones only.

    Fills row ``i - first``: common volume [m³], depth [m] of the deepest pair of parts (height
    counts as a way out) and ``push`` = (x, y, length) that frees that pair in the plane.
    """
    for i in range(first, last):
        row = i - first
        for j in range(i + 1 if later_only else 0, bodies.shape[0] - 1):
            volume[row, j] = 0.0
            depth[row, j] = 0.0
            push[row, j, 0] = 0.0
            push[row, j, 1] = 0.0
            push[row, j, 2] = 0.0
            if j == i:
                continue
            apart = False
            for axis in range(3):
                if (
                    body_boxes[i, axis] >= body_boxes[j, axis + 3]
                    or body_boxes[j, axis] >= body_boxes[i, axis + 3]
                ):
                    apart = True
            if apart:
                continue
            for p in range(bodies[i], bodies[i + 1]):
                for q in range(bodies[j], bodies[j + 1]):
                    tall = min(heights[p, 1], heights[q, 1]) - max(heights[p, 0], heights[q, 0])
                    if (
                        tall <= 0.0
                        or boxes[p, 0] >= boxes[q, 2]
                        or boxes[q, 0] >= boxes[p, 2]
                        or boxes[p, 1] >= boxes[q, 3]
                        or boxes[q, 1] >= boxes[p, 3]
                    ):
                        continue
                    a, a_end, b, b_end = starts[p], starts[p + 1], starts[q], starts[q + 1]
                    flat, nx, ny = _penetration(points, a, a_end, b, b_end)
                    if flat <= 0.0:
                        continue
                    volume[row, j] += tall * _clipped_area(points, a, a_end, b, b_end, scratch)
                    deep = min(flat, tall)
                    if deep > depth[row, j]:
                        depth[row, j] = deep
                        push[row, j, 0] = nx
                        push[row, j, 1] = ny
                        push[row, j, 2] = flat
