"""Likeness of pictures, against closed forms and a plain twin of Canny's edges."""

import numpy as np
import pytest

from gymposium.envs.visual.svg.icons import document, made_up
from gymposium.envs.visual.svg.raster import rasterised
from gymposium.envs.visual.svg.scores import (
    DinoCosine,
    FilterCosine,
    FilterLikeness,
    Structure,
    canny,
)
from gymposium.errors import UsageError

ALL = [Structure(), FilterCosine(), FilterLikeness()]
BLANK = np.full((256, 256, 3), 255, np.uint8)


def icon(seed):
    return rasterised(document(made_up(np.random.default_rng(seed))))


@pytest.mark.parametrize("scorer", ALL, ids=lambda scorer: type(scorer).__name__)
def test_scores_are_shares_symmetric_and_one_for_the_same_picture(scorer):
    pictures = [icon(seed) for seed in range(4)]
    for one in pictures:
        assert scorer(one, one) == pytest.approx(1, abs=1e-6)
        for other in pictures:
            assert 0 <= scorer(one, other) <= 1
            assert scorer(one, other) == pytest.approx(scorer(other, one), abs=1e-6)


def test_two_blank_sheets_share_no_edge_but_all_else():
    assert Structure()(BLANK, BLANK) == 0
    assert FilterCosine()(BLANK, BLANK) == pytest.approx(1)
    assert FilterLikeness()(BLANK, BLANK) == 1
    assert FilterLikeness()(BLANK, np.zeros_like(BLANK)) == 0


def test_a_shape_moved_further_is_less_alike():
    def square(at):
        shape = f"<rect x='{at}' y='9' width='6' height='6'/>"
        return rasterised(f"<svg viewBox='0 0 24 24'>{shape}</svg>")

    for scorer in (FilterCosine(), FilterLikeness()):
        found = [scorer(square(2), square(at)) for at in (2, 3, 9, 16)]
        assert found == sorted(found, reverse=True)


def test_the_edges_of_a_square_are_one_line_along_its_border():
    picture = BLANK[:40, :40].copy()
    picture[10:30, 10:30] = 0
    edges = canny(picture)
    assert edges[20].sum() == 2
    assert edges[:, 20].sum() == 2
    assert not edges[12:28, 12:28].any()
    assert not edges[:8].any()


def test_weak_edges_count_only_where_they_touch_strong_ones():
    picture = BLANK[:40, :40].copy()
    picture[:, 20:] = 255 - 30  # a slope of 4 * 30 = 120: weak
    assert not canny(picture).any()
    picture[:5, 20:] = 255 - 80  # 320: strong, at the top
    assert canny(picture)[2:38].any(1).all()


def plain_canny(picture, low=100, high=200):
    """The same, pixel by pixel, with a flood from the strong ones."""
    grey = np.rint(picture.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32))
    height, width = grey.shape
    g = np.pad(grey, 1, mode="edge")
    kernel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    dx, dy = np.zeros_like(grey), np.zeros_like(grey)
    for y in range(height):
        for x in range(width):
            window = g[y : y + 3, x : x + 3]
            dx[y, x], dy[y, x] = (window * kernel).sum(), (window * kernel.T).sum()
    size = np.abs(dx) + np.abs(dy)

    def at(y, x):
        return size[y, x] if 0 <= y < height and 0 <= x < width else 0

    def ridge(y, x):
        slope = np.degrees(np.arctan2(abs(dy[y, x]), abs(dx[y, x])))
        if slope < 22.5:
            step = (0, 1)
        elif slope > 67.5:
            step = (1, 0)
        else:
            step = (1, 1) if dx[y, x] * dy[y, x] >= 0 else (1, -1)
        before, after = at(y - step[0], x - step[1]), at(y + step[0], x + step[1])
        return size[y, x] > before and size[y, x] >= after

    weak = {(y, x) for y in range(height) for x in range(width) if at(y, x) > low and ridge(y, x)}
    queue = [place for place in weak if at(*place) > high]
    found = set(queue)
    while queue:
        y, x = queue.pop()
        for place in ((y + i, x + j) for i in (-1, 0, 1) for j in (-1, 0, 1)):
            if place in weak and place not in found:
                found.add(place)
                queue.append(place)
    edges = np.zeros(grey.shape, bool)
    for place in found:
        edges[place] = True
    return edges


def test_edges_agree_with_a_plain_twin():
    picture = icon(5)[60:130, 60:130]
    noisy = picture - np.random.default_rng(0).integers(0, 40, picture.shape).astype(np.uint8) // 2
    for each in (picture, noisy):
        assert (canny(each) == plain_canny(each)).all()


def test_a_model_on_disk_compares_pictures_too(tmp_path):
    import torch
    import transformers

    torch.manual_seed(0)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "patch_size": 4}
    config = transformers.Dinov2Config(**shape, image_size=64, intermediate_size=16)
    transformers.Dinov2Model(config).save_pretrained(tmp_path)
    scorer = DinoCosine(str(tmp_path))
    assert scorer(icon(1), icon(1)) == pytest.approx(1, abs=1e-6)
    assert scorer(icon(1), icon(2)) < 1
    with pytest.raises(UsageError, match="no model in"):
        DinoCosine(str(tmp_path / "other"))(icon(1), icon(2))
