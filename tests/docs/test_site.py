"""The site builds without a warning, needs nothing from elsewhere, and its tables are true."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from gymnasium import spaces

import gymposium
from gymposium.agents.methods import method_names
from gymposium.agents.registry import known_agents
from gymposium.arenas.analysis.studies import studies
from gymposium.envs.registry import make_world, parameters, specs

from .pages import ROOT

sys.path.insert(0, str(ROOT / "docs" / "building"))
from prose import cell, sections, to_markdown
from space_tables import parts

WORLDS = [spec for spec in specs() if spec.entry_point.startswith("gymposium.")]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


class Page(HTMLParser):
    """Text of tables, ids, and what a page loads or links to."""

    def __init__(self, source):
        super().__init__()
        self.tables, self.ids, self.loads, self.links = [], set(), [], []
        self._cell = None
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids.add(found.get("id"))
        if tag in ("script", "img", "iframe", "source"):
            self.loads.append(found.get("src") or "")
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preconnect", "preload"):
            self.loads.append(found.get("href") or "")
        if tag == "a":
            self.links.append(found.get("href") or "")
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables:
            self._cell = ""

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self._cell is not None:
            self.tables[-1][-1].append(" ".join(self._cell.split()))
            self._cell = None

    def table(self, *head):
        """Rows of all tables with these first headings."""
        return [
            row for rows in self.tables if rows[0][: len(head)] == list(head) for row in rows[1:]
        ]


def read(site, path):
    return Page((site / path).read_text(encoding="utf-8"))


def test_no_page_loads_anything_from_elsewhere_and_every_anchor_exists(site):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(pages) > 20
    for path, page in pages.items():
        assert [it for it in page.loads if re.match(r"(https?:)?//", it)] == [], path
        for link in page.links:
            target, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link) or path.name == "404.html":
                continue
            there = (path.parent / target).resolve() if target else path
            assert there.exists(), f"{path}: {link}"
            if anchor and there in pages:
                assert anchor in pages[there].ids, f"{path}: {link}"
    for style in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", style.read_text("utf-8")), (
            style
        )


@pytest.mark.parametrize("spec", WORLDS, ids=lambda spec: spec.id)
def test_a_worlds_page_has_its_picture_spaces_parameters_and_bots(site, spec):
    page = read(site, f"worlds/{spec.name}.html")
    assert (site / f"worlds/pictures/{spec.name}.png").read_bytes().startswith(b"\x89PNG")
    world = make_world(spec.id)
    for kind in ("observation", "action"):
        shown = page.table(kind, "space", "shape", "dtype")
        for seat in world.seats.values():
            for leaf in leaves(getattr(seat, f"{kind}_space")):
                assert leaf in [row[:4] for row in shown]
    assert [row[0] for row in page.table("parameter", "type")] == list(parameters(spec.id))
    bots = [info.spec for info in known_agents() if spec.id in info.worlds]
    assert [row[0] for row in page.table("spec", "what it does")] == bots


def leaves(space, place=""):
    """What the table should say of a space, found another way than the page does."""
    if isinstance(space, spaces.Dict):
        return [it for key in space for it in leaves(space[key], f"{place}.{key}".strip("."))]
    if isinstance(space, spaces.Tuple):
        return [it for i, part in enumerate(space) for it in leaves(part, f"{place}[{i}]")]
    element = space.sample()
    array = not isinstance(element, str)
    shape = str(getattr(element, "shape", ())) if array else ""
    dtype = str(element.dtype) if array else ""
    return [[place or "the whole", type(space).__name__, shape, dtype]]


def test_every_agent_and_method_of_this_package_is_on_a_page(site):
    text = "\n".join(path.read_text(encoding="utf-8") for path in site.glob("agents/*.html"))
    for info in known_agents():
        assert f"<code>{info.spec}</code>" in text
    for name in method_names():
        assert f"<code>{name}</code>" in text


def test_every_study_of_this_package_has_a_page_with_its_parameters(site):
    for spec in studies():
        if spec.entry_point.startswith("gymposium."):
            page = read(site, f"studies/{spec.name}.html")
            shown = page.table("parameter", "default")
            assert [row[0] for row in shown] == list(spec.parameters())


def test_every_public_name_is_in_the_api_reference_with_its_docstring(site):
    pages = [read(site, f"api/{path.name}") for path in site.glob("api/*.html")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in site.glob("api/*.html"))
    ids = set().union(*(page.ids for page in pages))
    for name in sorted(set(gymposium.__all__) - {"__version__", "Action"}):
        home, attribute = gymposium._WHERE[name]
        assert f"gymposium.{home}.{attribute}" in ids, name
        doc = inspect.getdoc(getattr(gymposium, name))
        first = re.split(r"[`*.<>&'\"]", doc)[0].strip()
        assert first in text, name


def test_a_docstring_becomes_sections_by_its_headings():
    doc = """A title: and more.

    Rules
        Take ``one`` or :func:`.two`.

        Then stop.

    End
        When a[0] is over.
    """
    assert sections(doc) == {
        "": "A title: and more.",
        "Rules": "Take `one` or `two`.\n\nThen stop.",
        "End": "When a\\[0] is over.",
    }


def test_text_cannot_break_out_of_a_table():
    assert cell("a | b\nc") == "a \\| b c"
    assert to_markdown("see [x](y) and `z[1]` and [2]") == "see [x](y) and `z[1]` and \\[2]"


def test_spaces_are_taken_apart_to_their_leaves():
    space = spaces.Dict(
        {
            "a": spaces.Tuple([spaces.Discrete(3, start=1), spaces.Box(-1, 1, (2, 2))]),
            "t": spaces.Text(5),
            "m": spaces.MultiDiscrete([2, 4]),
            "b": spaces.MultiBinary(3),
        }
    )
    assert [tuple(part) for part in parts(space)] == [
        ("a[0]", "Discrete", "()", "int64", "1 to 3"),
        ("a[1]", "Box", "(2, 2)", "float32", "-1 to 1"),
        ("b", "MultiBinary", "(3,)", "int8", "0 or 1"),
        ("m", "MultiDiscrete", "(2,)", "int64", "0 to 1 … 3"),
        ("t", "Text", "", "", "1 to 5 characters"),
    ]
