"""The kernels of a scene under a sky: what each pixel is made of, and how much light reaches it."""

from __future__ import annotations

from typing import Any

from ..grid.cache import kernel
from .rays import normal, pictured, sunlit, tone, turned


@kernel
def surfaces(
    kind: Any, centre: Any, inverse: Any, edges: Any, bounds: Any, colour: Any, pattern: Any,
    grain: Any, eye: Any, axes: Any, zoom: float, depth: Any, seen: Any, paint: Any, place: Any,
    facing: Any,
) -> None:  # fmt: skip
    """Colour, place and normal of what each pixel shows, each ``[height, width, 3]``, in float32.

    The scene, the camera, ``depth`` and ``seen`` are as for :func:`.rays.find`.
    """
    height, width = seen.shape
    for y in range(height):
        for x in range(width):
            n = seen[y, x]
            if n < 0:
                continue
            t = depth[y, x]
            u, v = (x + 0.5 - 0.5 * width) / zoom, (0.5 * height - y - 0.5) / zoom
            px = eye[0] + t * (axes[0, 0] + u * axes[1, 0] + v * axes[2, 0])
            py = eye[1] + t * (axes[0, 1] + u * axes[1, 1] + v * axes[2, 1])
            pz = eye[2] + t * (axes[0, 2] + u * axes[1, 2] + v * axes[2, 2])
            place[y, x, 0], place[y, x, 1], place[y, x, 2] = px, py, pz
            lx, ly, lz = turned(inverse[n], px - centre[n, 0], py - centre[n, 1], pz - centre[n, 2])
            nx, ny, nz = normal(inverse, kind, edges, bounds, n, lx, ly, lz)
            facing[y, x, 0], facing[y, x, 1], facing[y, x, 2] = nx, ny, nz
            if pattern[n] == 5 or pattern[n] == 6:
                r, g, b = pictured(pattern[n], colour[n], lx, ly, lz)
                paint[y, x, 0], paint[y, x, 1], paint[y, x, 2] = r, g, b
                continue
            shade = tone(pattern[n], grain[n], px, py, pz, lx, ly)
            for channel in range(3):
                paint[y, x, channel] = shade * colour[n, channel]


@kernel
def gather(
    place: Any, facing: Any, way: Any, tint: Any, shine: Any, corner: Any, across: Any,
    pitch: float, light: Any,
) -> None:  # fmt: skip
    """Add to ``light``, float32 ``[M, 3]``, what comes from one direction to M points.

    ``place`` and ``facing``, float32 ``[M, 3]``, are where they are and how they are turned;
    ``way`` is the unit vector towards the light, ``tint`` its colour and strength, ``shine`` its
    map of shadows with corner, axes and pitch as for :func:`.rays.cover`.
    """
    for n in range(len(place)):
        slant = facing[n, 0] * way[0] + facing[n, 1] * way[1] + facing[n, 2] * way[2]
        if slant <= 0.0:
            continue
        slack = 0.8 + 1.2 / max(slant, 0.15)
        share = slant * sunlit(
            shine, corner, across, pitch, slack, place[n, 0], place[n, 1], place[n, 2]
        )
        if share > 0.0:
            for channel in range(3):
                light[n, channel] += share * tint[channel]
