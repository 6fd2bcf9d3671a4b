"""How alike two pictures are: an interface, three exact scorers, and a door for learned ones.

``Structure`` is the overlap of edge maps by Canny (1986), as in Wang et al., VAGEN (2025). The two
others stand in, offline and exactly, for the learned measures of that paper, and do not bear their
names: :class:`FilterCosine` compares the energy of oriented filters at three scales and a coarse
histogram of colours, :class:`FilterLikeness` where these filters answer. :class:`DinoCosine` is the
paper's own, with weights from the user's disk.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from gymposium.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from gymposium.types import Image

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
_GREY = np.array([0.299, 0.587, 0.114], np.float32)


class ImageScorer(Protocol):
    """Says how alike two pictures are, 0 to 1; a picture is like itself with 1."""

    def __call__(self, one: Image, other: Image) -> float:
        """The likeness of two uint8 pictures of one shape ``[H, W, 3]``."""
        ...


class Structure:
    """Intersection over union of the two edge maps; 0 where neither has an edge."""

    def __call__(self, one: Image, other: Image) -> float:
        """As :class:`ImageScorer`, but for a picture without edges, which is like none."""
        mine, theirs = canny(one), canny(other)
        union = int((mine | theirs).sum())
        return float((mine & theirs).sum() / union) if union else 0.0


class FilterCosine:
    """(1 + cosine) / 2 of filter energies and colours."""

    def __call__(self, one: Image, other: Image) -> float:
        """As :class:`ImageScorer`."""
        return (1 + _cosine(_summary(one), _summary(other))) / 2


class FilterLikeness:
    """1 less the mean distance of the normalised filter maps, at least 0."""

    def __call__(self, one: Image, other: Image) -> float:
        """As :class:`ImageScorer`."""
        apart = 0.0
        pairs = list(zip(_maps(one), _maps(other), strict=True))
        for mine, theirs in pairs:
            scale = (np.abs(mine).mean() + np.abs(theirs).mean()) or 1.0
            apart += float(np.abs(mine - theirs).mean() / scale)
        return 1 - min(1.0, apart / len(pairs))


class DinoCosine:
    """(1 + cosine) / 2 of the mean patch features of a DINOv2 model.

    Args:
        folder: where the model's configuration and weights are.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __call__(self, one: Image, other: Image) -> float:
        """As :class:`ImageScorer`."""
        model = _dino(self._folder)
        return (1 + _cosine(_patches(model, one), _patches(model, other))) / 2


def canny(picture: Image, low: float = 100, high: float = 200) -> Array:
    """Edges: Sobel, ridges of the gradient only, and weak ones only beside strong ones.

    Args:
        picture: uint8 ``[H, W, 3]``.
        low: sum of both absolute slopes that an edge has at least.
        high: that it has somewhere along it.

    Returns:
        bool ``[H, W]``.
    """
    from scipy import ndimage

    grey = np.rint(picture.astype(np.float32) @ _GREY)
    padded = np.pad(grey, 1, mode="edge")
    right, down = _sobel(padded)
    size = np.abs(right) + np.abs(down)
    around = np.pad(size, 1)
    steep = np.abs(down) > np.abs(right) * 2.41421356
    flat = np.abs(down) < np.abs(right) * 0.41421356
    diagonal = ~(steep | flat)
    same = (right * down) >= 0
    ridge = np.zeros(size.shape, bool)
    for chosen, dy, dx in (
        (flat, 0, 1),
        (steep, 1, 0),
        (diagonal & same, 1, 1),
        (diagonal & ~same, 1, -1),
    ):
        before, after = _shifted(around, -dy, -dx), _shifted(around, dy, dx)
        ridge |= chosen & (size > before) & (size >= after)
    weak = ridge & (size > low)
    marks, count = ndimage.label(weak, np.ones((3, 3), int))
    strong = np.zeros(count + 1, bool)
    strong[np.unique(marks[ridge & (size > high)])] = True
    strong[0] = False
    found: Array = strong[marks]
    return found


def _sobel(padded: Array) -> tuple[Array, Array]:
    a, b, c = padded[:-2], padded[1:-1], padded[2:]
    smooth = a + 2 * b + c
    slope = c - a
    across = slope[:, :-2] + 2 * slope[:, 1:-1] + slope[:, 2:]
    return smooth[:, 2:] - smooth[:, :-2], across


def _shifted(around: Array, dy: int, dx: int) -> Array:
    height, width = around.shape
    return around[1 + dy : height - 1 + dy, 1 + dx : width - 1 + dx]


def _maps(picture: Image) -> list[Array]:
    """Answers of oriented filters and the colours, at three scales; each ``[K, h, w]``."""
    level = picture.astype(np.float32) / 255
    found = []
    for _ in range(3):
        grey = np.pad(level @ _GREY, 1, mode="edge")
        right, down = _sobel(grey)
        tilted = [
            np.abs(right * c + down * s) for c, s in ((1, 0), (0, 1), (0.7, 0.7), (0.7, -0.7))
        ]
        found.append(np.stack([*tilted, *np.moveaxis(1 - level, -1, 0)]))
        height, width = level.shape[0] // 4 * 4, level.shape[1] // 4 * 4
        level = level[:height, :width].reshape(height // 4, 4, width // 4, 4, 3).mean((1, 3))
    return found


def _summary(picture: Image) -> Array:
    """Energy of every filter in every ninth of the picture, and a histogram of colours."""
    parts = []
    for maps in _maps(picture):
        rows = np.array_split(maps[:4], 3, axis=1)
        energy = [part.mean((1, 2)) for row in rows for part in np.array_split(row, 3, axis=2)]
        parts.append(_unit(np.concatenate(energy)))
    codes = (picture >> 6).reshape(-1, 3).astype(int) @ np.array([16, 4, 1])
    # The root: otherwise the white of the paper outweighs all that is drawn on it.
    parts.append(_unit(np.sqrt(np.bincount(codes, minlength=64).astype(np.float32))))
    return np.concatenate(parts)


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def _cosine(one: Array, other: Array) -> float:
    return float(np.clip(_unit(one).astype(float) @ _unit(other).astype(float), -1, 1))


def _patches(model: Any, picture: Image) -> Array:
    import torch
    from PIL import Image as Pictures

    side = int(model.config.patch_size) * 16
    small = np.asarray(Pictures.fromarray(picture).resize((side, side)), np.float32) / 255
    mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    pixels = torch.as_tensor(((small - mean) / deviation).astype(np.float32).transpose(2, 0, 1))
    with torch.no_grad():
        hidden = model(pixels[None]).last_hidden_state[0, 1:]
    found: Array = hidden.mean(0).numpy()
    return found


@lru_cache(maxsize=1)
def _dino(folder: str) -> Any:
    try:
        from transformers import AutoModel
    except ModuleNotFoundError:
        raise MissingExtra("a learned image scorer", extra="train", module="transformers") from None
    try:
        return AutoModel.from_pretrained(folder, local_files_only=True).eval()
    except (OSError, ValueError) as error:
        raise UsageError(f"svg_reconstruction: no model in {folder}: {error}"[:300]) from None
