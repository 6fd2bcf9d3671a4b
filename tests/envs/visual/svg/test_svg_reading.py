"""SVG from strangers: what draws is drawn, whatever reaches out or never ends is refused."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.visual.svg import reading
from gymposium.envs.visual.svg.icons import document, icons_in, made_up
from gymposium.envs.visual.svg.raster import rasterised
from gymposium.envs.visual.svg.reading import BadDrawing, clean_svg
from gymposium.errors import UsageError

XLINK = "xmlns:xlink='http://www.w3.org/1999/xlink'"


def svg(inside, attributes="viewBox='0 0 10 10'"):
    return f"<svg xmlns='http://www.w3.org/2000/svg' {XLINK} {attributes}>{inside}</svg>"


def test_a_square_covers_the_pixels_it_says_in_the_colour_it_says():
    picture = rasterised(svg("<rect x='5' width='5' height='5' fill='#ff0000'/>"))
    expected = np.full((256, 256, 3), 255, np.uint8)
    expected[:128, 128:, 1:] = 0
    assert (picture == expected).all()


@pytest.mark.parametrize(
    "attributes",
    ["", "width='256' height='256'", "width='256px' height='256px'", "viewBox='0,0,256,256'"],
)
def test_sizes_may_be_left_out_or_written_in_several_ways(attributes):
    shape = "<rect width='128' height='256'/>"
    assert (rasterised(svg(shape, attributes))[:, :128] == 0).all()
    assert (rasterised(f"<svg {attributes}>{shape}</svg>")[:, 128:] == 255).all()


def test_a_wide_drawing_is_fitted_in_and_the_rest_stays_white():
    picture = rasterised(svg("<rect width='20' height='10'/>", "viewBox='0 0 20 10'"))
    assert (picture[64:192] == 0).all()
    assert (picture[:64] == 255).all()


def test_styles_gradients_clips_and_repeated_parts_are_drawn():
    inside = (
        "<defs><linearGradient id='g'><stop stop-color='#00f'/></linearGradient>"
        "<clipPath id='c'><rect width='5' height='10'/></clipPath>"
        "<rect id='r' width='10' height='10' style='fill: url(#g)'/></defs>"
        "<g clip-path='url(#c)'><use xlink:href='#r'/></g>"
    )
    picture = rasterised(svg(inside))
    assert (picture[:, :128] == [0, 0, 255]).all()
    assert (picture[:, 128:] == 255).all()


def test_words_are_left_out():
    with_words = svg("<title>hi</title><text x='1' y='9' font-size='9'>M</text>")
    assert (rasterised(with_words) == 255).all()


HOSTILE = {
    "image": svg("<image href='file:///etc/passwd'/>"),
    "script": svg("<script>1</script>"),
    "foreign": svg("<foreignObject/>"),
    "style": svg("<style>@import 'http://a/b.css';</style>"),
    "filter": svg("<filter id='f'><feTurbulence/></filter>"),
    "pattern": svg("<pattern id='p' width='0.001' height='0.001'/>"),
    "marker": svg("<path marker-end='url(#m)' d='M0 0L1 1'/>"),
    "filter by style": svg("<rect style='filter: blur(90000px)' width='1' height='1'/>"),
    "outer use": svg("<use href='other.svg#a'/>"),
    "outer xlink": svg("<use xlink:href='http://example.org/a.svg#b'/>"),
    "outer paint": svg("<rect fill='url(http://example.org/#a)'/>"),
    "hidden paint": svg("<rect fill='ur\\6c(http://example.org/#a)'/>"),
    "data": svg("<use href='data:image/svg+xml;base64,AAAA'/>"),
    "handler": svg("<rect onclick='x()'/>"),
    "base": svg("<g xml:base='http://example.org/'/>"),
    "entity": "<!DOCTYPE svg [<!ENTITY a 'aa'>]>" + svg("&a;"),
    "outer entity": "<!DOCTYPE svg SYSTEM 'http://example.org/x.dtd'>" + svg(""),
    "stylesheet": "<?xml-stylesheet href='http://example.org/a.css'?>" + svg(""),
    "itself": svg("<g id='a'><use href='#a'/></g>"),
    "each other": svg("<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g>"),
    "mask of itself": svg("<mask id='m'><rect mask='url(#m)'/></mask>"),
    "deep": svg("<g>" * 40 + "</g>" * 40),
    "many": svg("<g/>" * 300),
    "long": svg(" " * 20_000),
    "numbers": svg("<path d='M0 0" + "L1 1" * 3100 + "'/>"),
    "huge": svg("<rect width='1e30' height='1'/>"),
    "no width": svg("", "viewBox='0 0 0 10'"),
    "words for size": svg("", "viewBox='a b c d'"),
    "dashes": svg("<path stroke='#000' stroke-dasharray='0.0001' d='M0 0L90000 90000'/>"),
    "layers": svg("<g opacity='0.5'/>" * 17),
    "html": "<html/>",
    "nothing": "",
    "half": "<svg",
    "two": svg("") + svg(""),
    "null": "\x00",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_reaches_out_or_never_ends_is_refused_in_one_short_sentence(text):
    with pytest.raises(BadDrawing) as refused:
        rasterised(text)
    said = str(refused.value)
    assert 10 < len(said) <= reading.MAX_SAID
    assert "\n" not in said


def test_parts_that_repeat_parts_are_counted_before_they_are_drawn():
    levels = "".join(f"<g id='l{n}'>" + f"<use href='#l{n + 1}'/>" * 8 + "</g>" for n in range(9))
    with pytest.raises(BadDrawing, match="with every <use>"):
        clean_svg(svg(levels + "<rect id='l9' width='1' height='1'/>"))


def test_of_two_parts_with_one_name_the_one_that_is_drawn_is_counted():
    for first, second in (("{}", ""), ("", "{}")):
        levels = []
        for n in range(5):
            inside = f"<use href='#l{n - 1}'/>" * 30 if n else "<rect width='5' height='5'/>"
            levels += [f"<g id='l{n}'>{part.format(inside)}</g>" for part in (first, second)]
        text = svg("".join(levels))
        if first:
            with pytest.raises(BadDrawing, match="with every <use>"):
                clean_svg(text)
        else:
            assert clean_svg(text).count("id=") == 5


# Each of these is within the limits, and makes the rasteriser panic from its release 0.3.1 on.
@pytest.mark.parametrize("side", ["0.001", "0.01"])
@pytest.mark.parametrize(
    "shape",
    [
        "<circle r='1e5'/>",
        "<g transform='scale(1e5)'><circle r='1e5' stroke='red'/></g>",
        "<g transform='scale(1e5)'><g transform='scale(1e5)'><ellipse rx='1e5' ry='9'/></g></g>",
    ],
)
def test_what_the_rasteriser_may_panic_at_is_drawn_or_refused_like_the_rest(side, shape):
    try:
        picture = rasterised(svg(shape, f"viewBox='0 0 {side} {side}'"))
    except BadDrawing as refusal:
        assert "beyond what the rasteriser can draw" in str(refusal)  # noqa: PT017 - one of two
    else:
        assert picture.shape == (256, 256, 3)


def test_a_panic_of_the_rasteriser_is_a_refusal(monkeypatch):
    import resvg_py

    class PanicException(BaseException):
        """What Rust's panics are called, by name alone."""

    def panics(**_):
        raise PanicException("called `Option::unwrap()` on a `None` value")

    monkeypatch.setattr(resvg_py, "svg_to_bytes", panics)
    with pytest.raises(BadDrawing, match="beyond what the rasteriser can draw"):
        rasterised(svg("<rect width='2' height='4.25'/>"))


def test_an_interrupt_while_drawing_is_no_refusal(monkeypatch):
    import resvg_py

    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(resvg_py, "svg_to_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rasterised(svg("<rect width='3' height='4.25'/>"))


def test_a_long_refusal_is_cut():
    assert len(str(BadDrawing("x" * 999))) == reading.MAX_SAID


def test_what_is_drawn_is_a_new_document_of_checked_parts_only():
    made = clean_svg(svg("<!-- a --><g id='&quot;x'><path d='M0 0'/>&lt;b</g>"))
    assert re.findall(r"<(\w+)", made) == ["svg", "g", "path"]
    assert "b<" not in made
    assert clean_svg(made) == made


pieces = st.sampled_from(
    [
        "<svg", "</svg>", "<g>", "</g>", "<path d='", "'/>", "M0 0", "L9 9", "A1 1 0 0 1 5 5",
        " xmlns='http://www.w3.org/2000/svg'", " viewBox='0 0 10 10'", ">", "<use href='#a'/>",
        "<rect id='a' width='1e4' height='-3'/>", "<circle r='1e5'/>", " fill='url(#a)'", "&lt;",
        "<!DOCTYPE", "<![CDATA[", "]]>", "&#0;", "<mask id='a'>", "</mask>", "\x00", "é",
        "<linearGradient id='g' href='#g'/>", "<g transform='scale(1e-5) rotate(1e5)'>",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(pieces, max_size=14), st.booleans())
def test_any_text_is_drawn_or_refused(parts, wrapped):
    text = svg("".join(parts)) if wrapped else "".join(parts)
    try:
        picture = rasterised(text)
    except BadDrawing:
        return
    assert picture.shape == (256, 256, 3)
    assert picture.dtype == np.uint8


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 6))
def test_made_up_icons_are_drawings_with_ink(seed, most):
    primitives = made_up(np.random.default_rng(seed), most=most)
    assert 1 <= len(primitives) <= most
    assert (rasterised(document(primitives)) < 255).any()


def test_a_folder_of_icons_is_read_by_name_and_checked(tmp_path):
    (tmp_path / "b.svg").write_text(svg("<circle r='2'/>"))
    (tmp_path / "a.svg").write_text(svg("<rect width='2' height='2'/>"))
    assert ["rect" in each for each in icons_in(str(tmp_path))] == [True, False]
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.svg").write_text(HOSTILE["script"])
    icons_in.cache_clear()
    with pytest.raises(UsageError, match=r"c\.svg cannot be drawn"):
        icons_in(str(tmp_path))
    with pytest.raises(UsageError, match=r"no \.svg file"):
        icons_in(str(tmp_path / "nowhere"))
