"""A small claim file of study arms, and its studies on the path."""

import sys
from pathlib import Path

import pytest

FILE = """\
title: Is more more?
paper: {title: T, authors: A, venue: V, year: 2025, link: "https://example.org/t"}
common: {study: "studies_for_tests:noisy", params: {spread: 0.1}}
arms:
  low: {params: {mean: 1.0}, level: 0}
  high: {params: {mean: 2.0}, level: 4}
scales:
  smoke: {seeds: 2}
  cpu: {seeds: 6}
  full: {seeds: 9, arms: {high: {params: {mean: 3.0}}}}
claims:
  - name: more
    sentence: High scores more than low.
    compare: difference
    metric: score
    arm: high
    versus: low
    paper: {value: 1.0, where: Table 1}
  - name: steep
    sentence: The score rises with the level.
    compare: slope
    metric: score
    expect: below
    paper: {text: about a quarter}
"""


@pytest.fixture(autouse=True)
def studies(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent)
    yield
    sys.modules.pop("studies_for_tests", None)


@pytest.fixture
def claim_file(tmp_path):
    """Write the file, with replacements, and return its path."""

    def write(*changes):
        text = FILE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "more.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write
