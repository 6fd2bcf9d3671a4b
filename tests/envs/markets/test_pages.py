"""The pages of the market worlds are true: their snippets run and print what stands below them."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
from pathlib import Path

import pytest

from gymposium.envs.markets.auction import AuctionParams
from gymposium.envs.markets.haggling import HagglingParams

PAGES = Path(__file__).parents[3] / "docs" / "worlds"
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.S)


@pytest.mark.parametrize("page", ["haggling", "auction"])
def test_every_snippet_runs_and_prints_what_the_page_shows(page):
    blocks = BLOCK.findall((PAGES / f"{page}.md").read_text(encoding="utf-8"))
    assert len(blocks) == 2
    assert blocks[0][1]
    for source, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(source, page, "exec"), {})  # noqa: S102 - our own page
        assert printed.getvalue()
        if shown:
            assert printed.getvalue() == shown


@pytest.mark.parametrize(
    ("page", "params"), [("haggling", HagglingParams), ("auction", AuctionParams)]
)
def test_a_page_names_every_parameter(page, params):
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    assert [f.name for f in dataclasses.fields(params) if f"`{f.name}`" not in text] == []
