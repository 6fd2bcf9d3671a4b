"""SVG from strangers: what is read of it, what is refused, and a clean copy of the rest.

A drawing is data, but SVG can also load files, run scripts and grow without end. So a document is
parsed without a DTD, held to the elements that draw, to references within itself and to limits, and
then written anew: the rasteriser sees nothing that was not checked. Every refusal is one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from gymposium.errors import GymposiumError

MAX_CHARACTERS = 20_000
MAX_ELEMENTS = 256
"""Elements of a document, as written."""
MAX_DRAWN = 1024
"""Elements once every ``use``, clip and mask is put in its place."""
MAX_DEPTH = 16
MAX_NUMBERS = 6_000
"""Numbers as drawn: most are corners of a path."""
LARGEST = 1e5
"""The largest number."""
MAX_LAYERS = 16
"""Clips, masks and opacities as drawn: each is a picture of its own on the way."""
MAX_DASHES = 20_000
MAX_SAID = 160
"""Characters of a refusal."""

_SHAPES = "circle ellipse line path polygon polyline rect"
_DRAWN = frozenset(
    f"clipPath defs desc g linearGradient mask radialGradient stop svg symbol title use {_SHAPES}"
    " text tspan".split()
)
_WRITTEN = frozenset(["desc", "text", "title", "tspan"])
"""Elements of words, which are left out: how a font looks is not the document's to say."""
_NAME = re.compile(r"[A-Za-z][\w-]*")
_REFERENCE = re.compile(r"url\(\s*['\"]?#([\w.-]{1,64})['\"]?\s*\)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_LAYERS = ("clip-path", "mask", "opacity")
_HREFS = ("href", "xlink:href")
_LEFT_OUT = ("xmlns", "xml:space", "xml:lang", "data-", "aria-", "version", "class")


class BadDrawing(GymposiumError):
    """A text is no SVG that is drawn here; the message says why in a sentence."""

    def __init__(self, why: str) -> None:
        super().__init__(why if len(why) <= MAX_SAID else f"{why[: MAX_SAID - 1]}…")


@dataclass
class Element:
    """One element of a drawing: its name, its attributes, and the elements in it."""

    name: str
    attributes: Mapping[str, str]
    inside: list[Element] = field(default_factory=list)

    def all(self) -> Iterator[Element]:
        """This element and all within, in the order of the document."""
        yield self
        for each in self.inside:
            yield from each.all()


def clean_svg(text: str, size: int = 256) -> str:
    """The drawing in ``text``, checked and written anew.

    Args:
        text: one SVG document; anything at all.
        size: width and height it is drawn at; another shape is fitted in.

    Returns:
        A document of ``size`` times ``size``, with nothing but shapes, groups and gradients.

    Raises:
        BadDrawing: it is no SVG, refers to anything outside itself, or is beyond a limit.
    """
    root = _parsed(text)
    if root.name != "svg":
        raise BadDrawing(f"the document is not SVG: it begins with <{root.name}>")
    elements = list(root.all())
    box = _view_box(root.attributes, size)
    named = {e.attributes["id"]: e for e in elements if "id" in e.attributes}
    _refuse_large(elements)
    _cost(root, named, {}, set())
    kept = {k: v for k, v in root.attributes.items() if k not in ("width", "height", "viewBox")}
    frame = {**kept, "width": str(size), "height": str(size), "viewBox": box}
    for name in ("x", "y"):
        frame.pop(name, None)
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return _written(Element("svg", frame, root.inside), f" {spaces}")


def _parsed(text: str) -> Element:
    """The document as elements, without its words."""
    if len(text) > MAX_CHARACTERS:
        raise BadDrawing(f"the document is longer than {MAX_CHARACTERS} characters")
    parser = expat.ParserCreate()
    top = Element("", {})
    open_, count, taken = [top], 0, set[str]()

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MAX_ELEMENTS:
            raise BadDrawing(f"the document has more than {MAX_ELEMENTS} elements")
        if len(open_) > MAX_DEPTH:
            raise BadDrawing(f"elements are nested deeper than {MAX_DEPTH}")
        if name not in _DRAWN:
            raise BadDrawing(f"<{name}> is not drawn here: use shapes, paths, groups, gradients")
        told = dict(_checked(name, attributes))
        # Of two with one name the first is drawn: the other must not be weighed in its place.
        if told.get("id") in taken:
            del told["id"]
        taken.add(told.get("id", ""))
        made = Element(name, told)
        if name not in _WRITTEN:
            open_[-1].inside.append(made)
        open_.append(made)

    def refuse(*_: Any) -> None:
        raise BadDrawing("a DOCTYPE, an entity or a processing instruction is not read")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_.pop()
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ProcessingInstructionHandler = refuse
    try:
        parser.Parse(text.strip().encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise BadDrawing(f"the document is not well formed: {what}, line {error.lineno}") from None
    return top.inside[0] if top.inside else Element("text", {})


def _checked(name: str, attributes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Attributes that may stay, and those of ``style`` as attributes; refuses what reaches out."""
    told = dict(attributes)
    for part in told.pop("style", "").split(";"):
        key, colon, value = part.partition(":")
        if colon:
            told[key.strip()] = value.replace("!important", "").strip()
    for key, value in told.items():
        if key.startswith(_LEFT_OUT):
            continue
        if key in _HREFS:
            if not re.fullmatch(r"#[\w.-]{1,64}", value):
                raise BadDrawing(f"<{name}> refers to something outside the document")
        elif key.lower().startswith("on"):
            raise BadDrawing(f"<{name}> has a script in {key}")
        elif not _NAME.fullmatch(key) or key in ("filter", "base") or key.startswith("marker"):
            raise BadDrawing(f"the attribute {key} of <{name}> is not drawn here")
        if "url" in value.lower() and not _REFERENCE.fullmatch(_after_url(value)):
            raise BadDrawing(f"{key} of <{name}> refers to something outside the document")
        if "\\" in value or "@" in value or "var(" in value:
            raise BadDrawing(f"{key} of <{name}> is not read: it has an escape or a rule in it")
        yield key, value


def _after_url(value: str) -> str:
    """``url(#a)`` of ``url(#a) none``: a paint may name what to do without it."""
    return re.sub(r"\)\s+[\w#]+\s*\Z", ")", value.strip())


def _view_box(attributes: Mapping[str, str], size: int) -> str:
    told = attributes.get("viewBox")
    if told is None:
        sides = [attributes.get(side, str(size)) for side in ("width", "height")]
        told = " ".join(["0", "0", *(side.removesuffix("px") for side in sides)])
    numbers = re.split(r"[\s,]+", told.strip())
    if len(numbers) != 4 or not all(_NUMBER.fullmatch(number) for number in numbers):
        raise BadDrawing("the viewBox (or width and height) is not made of plain numbers")
    left, top, width, height = map(float, numbers)
    if not (0 < width <= LARGEST and 0 < height <= LARGEST) or min(width, height) < 1e-3:
        raise BadDrawing(f"the viewBox must be between 0.001 and {LARGEST:g} wide and high")
    return f"{left:g} {top:g} {width:g} {height:g}"


class _Cost(NamedTuple):
    """What it takes to draw an element with all that is in it and all it refers to."""

    elements: int = 0
    layers: int = 0
    numbers: int = 0

    def plus(self, other: _Cost) -> _Cost:
        """The sum; refuses what is beyond a limit, before it can grow any further."""
        made = _Cost(*(a + b for a, b in zip(self, other, strict=True)))
        for name, most in (
            ("elements", MAX_DRAWN),
            ("layers", MAX_LAYERS),
            ("numbers", MAX_NUMBERS),
        ):
            if getattr(made, name) > most:
                raise BadDrawing(f"with every <use> in place there are more than {most} {name}")
        return made


def _numbers(element: Element) -> Iterator[tuple[str, list[float]]]:
    for key, value in element.attributes.items():
        if key not in ("id", *_HREFS) and not value.startswith("#"):  # a name, or a colour
            yield key, [abs(float(found)) for found in _NUMBER.findall(value)]


def _refuse_large(elements: list[Element]) -> None:
    """Numbers too large, and dashes too fine for the longest way there can be."""
    count, largest, period = 0, 0.0, 0.0
    for element in elements:
        for key, numbers in _numbers(element):
            count += len(numbers)
            largest = max(largest, *numbers, 0.0)
            whole = float(sum(numbers))
            if key == "stroke-dasharray" and whole:
                period = min(period or whole, whole)
                if "%" in element.attributes[key]:
                    raise BadDrawing("dashes must be given in plain numbers")
    if largest > LARGEST:
        raise BadDrawing(f"a number is larger than {LARGEST:g}")
    if period and count * largest / period > MAX_DASHES:
        raise BadDrawing("the dashes are too fine for the drawing's size")


def _cost(
    element: Element, named: Mapping[str, Element], known: dict[int, _Cost], above: set[int]
) -> _Cost:
    """What an element costs; each is worked out once, however often it is used."""
    me = id(element)
    if me in known:
        return known[me]
    if me in above:
        raise BadDrawing(f"<{element.name}> refers to itself")
    above.add(me)
    layers = sum(element.attributes.get(name, "none") != "none" for name in _LAYERS)
    total = _Cost().plus(_Cost(1, layers, sum(len(numbers) for _, numbers in _numbers(element))))
    below = list(element.inside)
    for key, value in element.attributes.items():
        hit = _REFERENCE.match(value)
        target = value[1:] if key in _HREFS else hit[1] if hit else None
        if target is not None and target in named:
            below.append(named[target])
    for each in below:
        total = total.plus(_cost(each, named, known, above))
    above.discard(me)
    known[me] = total
    return total


def _written(element: Element, more: str = "") -> str:
    attributes = "".join(f" {k}={quoteattr(v)}" for k, v in element.attributes.items())
    inside = "".join(_written(each) for each in element.inside)
    return f"<{element.name}{more}{attributes}>{inside}</{element.name}>"
