"""The kernel that draws a scene: one ray a pixel, four where things meet, for pictures of rooms.

Instead of asking every ray for every solid, each solid is drawn into the rectangle of pixels that
it can cover, and the nearest is kept. Pixels whose neighbours show something else are asked again
four times, so that edges are smooth at a small part of the cost of asking everywhere.
"""

from __future__ import annotations

import math
from typing import Any

from ..grid.cache import kernel, part

_FAR = 1e30
_TINY = 1e-12


@part
def _sliced(edges: Any, first: int, last: int, o: Any, d: Any) -> Any:
    """How far along a ray a prism is entered: between two heights, on one side of each edge."""
    dz = d[2] if abs(d[2]) > _TINY else _TINY
    near, far = (-o[2] - math.copysign(1.0, dz)) / dz, (-o[2] + math.copysign(1.0, dz)) / dz
    for e in range(first, last):
        speed = edges[e, 0] * d[0] + edges[e, 1] * d[1]
        room = edges[e, 2] - edges[e, 0] * o[0] - edges[e, 1] * o[1]
        if abs(speed) <= _TINY:
            if room < 0.0:
                return _FAR
        elif speed < 0.0:
            near = max(near, room / speed)
        else:
            far = min(far, room / speed)
    return near if 0.0 < near <= far else _FAR


@part
def _hit(
    kind: int, edges: Any, first: int, last: int, ox: float, oy: float, oz: float, dx: float,
    dy: float, dz: float,
) -> Any:  # fmt: skip
    """How far along a ray the unit shape is first entered, or _FAR."""
    if kind == 0:
        dx = dx if abs(dx) > _TINY else _TINY
        dy = dy if abs(dy) > _TINY else _TINY
        dz = dz if abs(dz) > _TINY else _TINY
        ix, iy, iz = 1.0 / dx, 1.0 / dy, 1.0 / dz
        ax, ay, az = abs(ix), abs(iy), abs(iz)
        near = max(-ox * ix - ax, -oy * iy - ay, -oz * iz - az)
        far = min(-ox * ix + ax, -oy * iy + ay, -oz * iz + az)
        return near if 0.0 < near <= far else _FAR
    if kind == 3:
        return _sliced(edges, first, last, (ox, oy, oz), (dx, dy, dz))
    if kind == 2:
        a = dx * dx + dy * dy + dz * dz
        b = ox * dx + oy * dy + oz * dz
        c = ox * ox + oy * oy + oz * oz - 1.0
        root = b * b - a * c
        if root < 0.0:
            return _FAR
        t = (-b - math.sqrt(root)) / a
        return t if t > 0.0 else _FAR
    best = _FAR
    a = dx * dx + dy * dy
    if a > _TINY:
        b = ox * dx + oy * dy
        root = b * b - a * (ox * ox + oy * oy - 1.0)
        if root < 0.0:
            return _FAR
        t = (-b - math.sqrt(root)) / a
        if t > 0.0 and abs(oz + t * dz) <= 1.0:
            best = t
    if abs(dz) > _TINY:
        t = ((1.0 if dz < 0.0 else -1.0) - oz) / dz
        if 0.0 < t < best and (ox + t * dx) ** 2 + (oy + t * dy) ** 2 <= 1.0:
            best = t
    return best


@part
def turned(m: Any, x: float, y: float, z: float) -> Any:
    """A direction as a solid sees it whose ``inverse`` is ``m``."""
    return (
        m[0, 0] * x + m[0, 1] * y + m[0, 2] * z,
        m[1, 0] * x + m[1, 1] * y + m[1, 2] * z,
        m[2, 0] * x + m[2, 1] * y + m[2, 2] * z,
    )


@part
def _ray(
    n: int, inverse: Any, centre: Any, at: Any, way: Any, kind: Any, edges: Any, bounds: Any
) -> Any:
    """How far along the ray from ``at`` solid ``n`` is entered, or _FAR."""
    px, py, pz = at[0] - centre[n, 0], at[1] - centre[n, 1], at[2] - centre[n, 2]
    m = inverse[n]
    ox, oy, oz = turned(m, px, py, pz)
    dx, dy, dz = turned(m, way[0], way[1], way[2])
    first, last = bounds[n, 0], bounds[n, 1]
    return _hit(kind[n], edges, first, last, ox, oy, oz, dx, dy, dz)


@part
def _noise(a: float, b: float) -> Any:
    """A number from 0 to 1 that looks drawn, the same for equal arguments."""
    value = a * 0.1031 + b * 0.2377
    value -= math.floor(value)
    value *= value + 33.33
    value *= value + value
    return value - math.floor(value)


@part
def _wave(t: float) -> Any:
    """Like the sine of 2 pi t, from parabolas: quicker, and nobody sees it."""
    x = 2.0 * (t - math.floor(t)) - 1.0
    return -4.0 * x * (1.0 - abs(x))


@part
def tone(pattern: int, grain: float, x: float, y: float, z: float, u: float, v: float) -> Any:
    """How bright a pattern is at a point; u and v are its place in the unit shape."""
    if pattern == 1:  # planks along x, laid with staggered ends
        row = math.floor(y / grain)
        length = x / (9.0 * grain) + _noise(row, 3.0)
        tone = 0.90 + 0.16 * _noise(row, math.floor(length))
        tone += 0.03 * _wave(x / grain * 0.3 + 1.5 * _noise(row, 1.0) + 0.5 * (y / grain - row))
        gap = y / grain - row
        return tone * (0.78 if gap < 0.05 or length - math.floor(length) < 0.008 else 1.0)
    if pattern == 2:  # tiles with joints
        i, j = math.floor(x / grain), math.floor(y / grain)
        edge = min(x / grain - i, y / grain - j)
        return 0.80 if edge < 0.03 else (1.0 if (i + j) % 2 else 0.90)
    if pattern == 3:  # wall with a skirting board
        return (
            1.12 if z < 0.09 else (0.80 if z < 0.105 else 0.99 + 0.02 * _noise(u * 50.0, v * 50.0))
        )
    if pattern == 4:  # grain of wood
        wave = _wave(y / grain + 0.25 * _wave(x / grain * 0.13) + z / grain)
        return 0.98 + 0.02 * wave + 0.02 * _wave(y / grain * 3.7 + 0.4 * _wave(x / grain * 0.09))
    if pattern == 7:  # a border
        return 0.72 if max(abs(u), abs(v)) > 0.86 else (1.08 if max(abs(u), abs(v)) > 0.78 else 1.0)
    return 1.0


@part
def pictured(pattern: int, colour: Any, lx: float, ly: float, lz: float) -> tuple[Any, ...]:
    """Red, green and blue of what has colours of its own: backs of books, a window on the sky."""
    if pattern == 6:
        if max(abs(lx), abs(lz)) > 0.9 or min(abs(lx), abs(lz)) < 0.04:
            return 1.25, 1.25, 1.25
        return 0.74 - 0.15 * lz, 1.0 - 0.07 * lz, 1.2
    if abs(ly) <= 0.99:
        return colour[0], colour[1], colour[2]
    shelf = lz * 1.5 - math.floor(lz * 1.5)
    book = math.floor(lx * 9.0 + 3.0 * math.floor(lz * 1.5))
    if _noise(book, 4.0) * 1.4 - 0.5 < shelf - 0.55:
        return 0.30, 0.22, 0.16
    red, green, blue = _noise(book, 1.0), _noise(book, 2.0), _noise(book, 3.0)
    return 0.25 + 0.6 * red, 0.25 + 0.5 * green, 0.25 + 0.55 * blue


@part
def normal(
    inverse: Any, kind: Any, edges: Any, bounds: Any, n: int, lx: float, ly: float, lz: float
) -> tuple[Any, ...]:
    """The normal, in the scene, of solid n where its unit shape is met at (lx, ly, lz)."""
    if kind[n] == 0:
        ax, ay, az = abs(lx), abs(ly), abs(lz)
        most = max(ax, ay, az)
        nx = math.copysign(1.0, lx) if ax == most else 0.0
        ny = math.copysign(1.0, ly) if ay == most and ax < most else 0.0
        nz = math.copysign(1.0, lz) if az == most and ax < most and ay < most else 0.0
    elif kind[n] == 2:
        nx, ny, nz = lx, ly, lz
    elif abs(lz) > 0.9999:
        nx, ny, nz = 0.0, 0.0, math.copysign(1.0, lz)
    elif kind[n] == 3:
        best = -_FAR
        nx = ny = nz = 0.0
        for e in range(bounds[n, 0], bounds[n, 1]):
            out = edges[e, 0] * lx + edges[e, 1] * ly - edges[e, 2]
            if out > best:
                best, nx, ny = out, edges[e, 0], edges[e, 1]
    else:
        nx, ny, nz = lx, ly, 0.0
    m = inverse[n]
    x = m[0, 0] * nx + m[1, 0] * ny + m[2, 0] * nz
    y = m[0, 1] * nx + m[1, 1] * ny + m[2, 1] * nz
    z = m[0, 2] * nx + m[1, 2] * ny + m[2, 2] * nz
    size = math.sqrt(x * x + y * y + z * z)
    return x / size, y / size, z / size


@kernel
def find(
    kind: Any, centre: Any, inverse: Any, edges: Any, bounds: Any, spans: Any, eye: Any, axes: Any,
    zoom: float, depth: Any, seen: Any,
) -> None:  # fmt: skip
    """Which solid each pixel shows, and how far along its ray.

    ``kind`` to ``bounds`` are the scene's; ``spans``, int64 ``[N, 4]``, the pixels
    each solid may cover (left, top, right, bottom, half open). The camera is at ``eye`` (float64
    ``[3]``); ``axes`` (``[3, 3]``) has ahead, right and up as rows, and ``zoom`` is pixels to a
    unit at a distance of one. Filled are ``depth``, float64 ``[height, width]``, and ``seen``,
    int64, -1 for nothing.
    """
    height, width = seen.shape
    for y in range(height):
        for x in range(width):
            depth[y, x] = _FAR
            seen[y, x] = -1
    for n in range(len(kind)):
        m = inverse[n]
        px, py, pz = eye[0] - centre[n, 0], eye[1] - centre[n, 1], eye[2] - centre[n, 2]
        ox, oy, oz = turned(m, px, py, pz)
        ax, ay, az = turned(m, axes[0, 0], axes[0, 1], axes[0, 2])
        rx, ry, rz = turned(m, axes[1, 0], axes[1, 1], axes[1, 2])
        ux, uy, uz = turned(m, axes[2, 0], axes[2, 1], axes[2, 2])
        shape, first, last = kind[n], bounds[n, 0], bounds[n, 1]
        for y in range(spans[n, 1], spans[n, 3]):
            v = (0.5 * height - y - 0.5) / zoom
            bx, by, bz = ax + v * ux, ay + v * uy, az + v * uz
            for x in range(spans[n, 0], spans[n, 2]):
                u = (x + 0.5 - 0.5 * width) / zoom
                t = _hit(
                    shape, edges, first, last, ox, oy, oz, bx + u * rx, by + u * ry, bz + u * rz
                )
                if t < depth[y, x]:
                    depth[y, x] = t
                    seen[y, x] = n


@kernel
def cover(
    kind: Any, centre: Any, inverse: Any, edges: Any, bounds: Any, spans: Any, corner: Any,
    axes: Any, pitch: float, depth: Any,
) -> None:  # fmt: skip
    """How far sunlight gets, on a square map across it.

    ``spans`` are as for :func:`find`, of the map's cells; ``corner``, float64 ``[3]``, is where the
    map's first cell begins, ``axes`` (rows: along the light, and along the map's two sides) and
    ``pitch``, the size of a cell, place the others. Filled is ``depth``, float64 ``[side, side]``.
    """
    side = len(depth)
    for y in range(side):
        for x in range(side):
            depth[y, x] = _FAR
    for n in range(len(kind)):
        m = inverse[n]
        px, py, pz = corner[0] - centre[n, 0], corner[1] - centre[n, 1], corner[2] - centre[n, 2]
        ox, oy, oz = turned(m, px, py, pz)
        ax, ay, az = turned(m, axes[0, 0], axes[0, 1], axes[0, 2])
        rx, ry, rz = turned(m, axes[1, 0], axes[1, 1], axes[1, 2])
        rx, ry, rz = pitch * rx, pitch * ry, pitch * rz
        ux, uy, uz = turned(m, axes[2, 0], axes[2, 1], axes[2, 2])
        ux, uy, uz = pitch * ux, pitch * uy, pitch * uz
        shape, first, last = kind[n], bounds[n, 0], bounds[n, 1]
        for y in range(spans[n, 1], spans[n, 3]):
            v = y + 0.5
            bx, by, bz = ox + v * ux, oy + v * uy, oz + v * uz
            for x in range(spans[n, 0], spans[n, 2]):
                u = x + 0.5
                t = _hit(
                    shape, edges, first, last, bx + u * rx, by + u * ry, bz + u * rz, ax, ay, az
                )
                if t < depth[y, x]:
                    depth[y, x] = t


@part
def sunlit(
    depth: Any, corner: Any, axes: Any, pitch: float, slack: float, x: float, y: float, z: float
) -> Any:
    """The share of the sun that reaches a point, from the four nearest cells of the map."""
    dx, dy, dz = x - corner[0], y - corner[1], z - corner[2]
    away = axes[0, 0] * dx + axes[0, 1] * dy + axes[0, 2] * dz - slack * pitch
    u = (axes[1, 0] * dx + axes[1, 1] * dy + axes[1, 2] * dz) / pitch - 0.5
    v = (axes[2, 0] * dx + axes[2, 1] * dy + axes[2, 2] * dz) / pitch - 0.5
    i, j = math.floor(v), math.floor(u)
    if i < 0 or j < 0 or i + 1 >= len(depth) or j + 1 >= len(depth):
        return 1.0
    a, b = v - i, u - j
    low = (1.0 - b) * (depth[i, j] >= away) + b * (depth[i, j + 1] >= away)
    high = (1.0 - b) * (depth[i + 1, j] >= away) + b * (depth[i + 1, j + 1] >= away)
    return (1.0 - a) * low + a * high


@part
def _occluded(feet: Any, reach: float, x: float, y: float, z: float) -> Any:
    """What is left of the light near the floor beside things that stand on it."""
    left = 1.0
    for k in range(len(feet)):
        dx = max(abs(x - feet[k, 0]) - feet[k, 2], 0.0)
        dy = max(abs(y - feet[k, 1]) - feet[k, 3], 0.0)
        away = dx * dx + dy * dy
        if away < reach * reach and z <= feet[k, 4]:
            near = 1.0 - math.sqrt(away) / reach
            left *= 1.0 - 0.42 * near * near
    return max(left, 0.4)


@part
def _nearest(
    y: int, x: int, seen: Any, kind: Any, centre: Any, inverse: Any, edges: Any, bounds: Any,
    eye: Any, way: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """How far a ray goes, and to which of the solids that the pixel and its neighbours show."""
    t, m = _FAR, -1
    for i in range(max(y - 1, 0), min(y + 2, seen.shape[0])):
        for j in range(max(x - 1, 0), min(x + 2, seen.shape[1])):
            k = seen[i, j]
            if k >= 0 and k != m:
                far = _ray(k, inverse, centre, eye, way, kind, edges, bounds)
                if far < t:
                    t, m = far, k
    return t, m


@part
def _coloured(
    m: int, px: float, py: float, pz: float, kind: Any, centre: Any, inverse: Any, edges: Any,
    bounds: Any, colour: Any, pattern: Any, grain: Any, sun: Any, shade: float, shine: Any,
    corner: Any, across: Any, pitch: float, feet: Any, reach: float,
) -> tuple[Any, ...]:  # fmt: skip
    """Red, green and blue of a point of solid m, in its light."""
    ex, ey, ez = px - centre[m, 0], py - centre[m, 1], pz - centre[m, 2]
    lx, ly, lz = turned(inverse[m], ex, ey, ez)
    nx, ny, nz = normal(inverse, kind, edges, bounds, m, lx, ly, lz)
    facing = nx * sun[0] + ny * sun[1] + nz * sun[2]
    light = 0.68 + 0.10 * abs(nz) + 0.26 * max(facing, 0.0) + 0.05 * nx
    if shade < 1.0 and facing > 0.0:
        slack = 2.0 + 1.5 / max(facing, 0.1)
        lit = sunlit(shine, corner, across, pitch, slack, px, py, pz)
        light *= shade + (1.0 - shade) * lit
    if pz < 0.02 * reach and nz > 0.5:
        light *= _occluded(feet, reach, px, py, pz)
    if pattern[m] == 5 or pattern[m] == 6:
        r, g, b = pictured(pattern[m], colour[m], lx, ly, lz)
        return light * r, light * g, light * b
    light *= tone(pattern[m], grain[m], px, py, pz, lx, ly)
    return light * colour[m, 0], light * colour[m, 1], light * colour[m, 2]


@kernel
def paint(
    kind: Any, centre: Any, inverse: Any, edges: Any, bounds: Any, colour: Any, pattern: Any,
    grain: Any, eye: Any, axes: Any, zoom: float, sun: Any, shade: float, shine: Any, corner: Any,
    across: Any, pitch: float, feet: Any, reach: float, sky: Any, depth: Any, seen: Any, way: Any,
    picture: Any,
) -> None:  # fmt: skip
    """Colour every pixel of ``picture``, uint8 ``[height, width, 3]``.

    Scene and camera are as for :func:`find`, which made ``depth`` and ``seen``. ``sun`` is the unit
    vector towards the light, ``shade`` the share of it in a shadow (1: no shadows), ``shine`` the
    map of :func:`cover` with its ``corner``, axes (``across``) and ``pitch``; ``sky`` is what is
    seen where there is nothing. ``feet``, float64 ``[M, 5]``, stand on the floor (x, y, half
    extents, height) and darken it as far as ``reach``. ``way``, float64 ``[3]``, is room to work.
    """
    height, width = seen.shape
    for y in range(height):
        for x in range(width):
            n = seen[y, x]
            edge = (
                (y > 0 and seen[y - 1, x] != n)
                or (x > 0 and seen[y, x - 1] != n)
                or (y + 1 < height and seen[y + 1, x] != n)
                or (x + 1 < width and seen[y, x + 1] != n)
            )
            samples = 4 if edge else 1
            red = green = blue = 0.0
            for sample in range(samples):
                du = 0.5 if samples == 1 else 0.25 + 0.5 * (sample % 2)
                dv = 0.5 if samples == 1 else 0.25 + 0.5 * (sample // 2)
                u, v = (x + du - 0.5 * width) / zoom, (0.5 * height - y - dv) / zoom
                for a in range(3):
                    way[a] = axes[0, a] + u * axes[1, a] + v * axes[2, a]
                t, m = depth[y, x], n
                if edge:
                    t, m = _nearest(y, x, seen, kind, centre, inverse, edges, bounds, eye, way)
                if m < 0:
                    red, green, blue = red + sky[0], green + sky[1], blue + sky[2]
                    continue
                r, g, b = _coloured(
                    m, eye[0] + t * way[0], eye[1] + t * way[1], eye[2] + t * way[2],
                    kind, centre, inverse, edges, bounds, colour, pattern, grain, sun, shade, shine,
                    corner, across, pitch, feet, reach,
                )  # fmt: skip
                red, green, blue = red + r, green + g, blue + b
            picture[y, x, 0] = min(max(red / samples, 0.0), 1.0) * 255.0
            picture[y, x, 1] = min(max(green / samples, 0.0), 1.0) * 255.0
            picture[y, x, 2] = min(max(blue / samples, 0.0), 1.0) * 255.0
