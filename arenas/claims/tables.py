"""The documentation's tables of results: Markdown between markers, generated from the JSON files.

A page asks for a table by two comments, and whatever stands between them is replaced:

    <!-- results: axelrod-reciprocity.cpu -->
    <!-- end of results -->

``<!-- results: all -->`` asks for one line per result, and ``<!-- curves: vagen.cpu success -->``
for learning curves: a line per arm that measured ``success 1``, ``success 2``, and so on, beside
the paper's figure. A test compares the pages with the files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from gymposium.errors import StoreError, UnknownName

from ...scenarios.load_claims import load_claims
from ..report.figures import plain
from .plot import draw
from .results import ClaimResult, Result, read_result
from .statistics import estimate
from .verdicts import VERDICTS

RESULTS = "results"
"""The folder of committed results, below the folder of the pages."""

_MARKED = re.compile(
    r"(<!-- (?:results: (\S+)|curves: (\S+) (\S+)) -->\n)(.*?)(<!-- end of results -->)", re.S
)


def committed(docs: Path) -> dict[str, Result]:
    """The results in ``docs/results``, by ``paper.scale``, in the order of their names.

    Raises:
        StoreError: one of the files is not a result.
    """
    files = sorted((docs / RESULTS).glob("*.json"))
    return {file.name.removesuffix(".json"): _kept(file) for file in files}


def _kept(file: Path) -> Result:
    """A result that can be shown: the file may be JSON of another shape."""
    result = read_result(file)
    try:
        table_of(result, ""), draw(result), overview({"": result}, "")
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise StoreError(
            f"{file} is not a result of this version ({error}): run the claims again"
        ) from None
    return result


def update(docs: Path) -> list[Path]:
    """Write the tables into all pages of ``docs`` (and ``docs.md``), and the pictures.

    Args:
        docs: the folder of the claims' pages, e.g. ``docs/claims``.

    Returns:
        The files that have changed.

    Raises:
        StoreError: a file cannot be read or written.
        UnknownName: a page asks for a result that is not there.
    """
    results = committed(docs)
    wanted = {docs / RESULTS / f"{key}.svg": draw(result) for key, result in results.items()}
    for page in [docs.with_suffix(".md"), *sorted(docs.glob("*.md"))]:
        if page.is_file():
            wanted[page] = filled(page.read_text(encoding="utf-8"), results, page, docs)
    changed = []
    for path, text in wanted.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            try:
                path.write_text(text, encoding="utf-8", newline="\n")
            except OSError as error:
                raise StoreError(f"{path} cannot be written: {error.strerror}") from error
            changed.append(path)
    return changed


def filled(text: str, results: Mapping[str, Result], page: Path, docs: Path) -> str:
    """``text`` with the tables it asks for; arguments and errors as for :func:`update`."""
    below = "" if page.parent == docs else f"{docs.name}/"

    def fill(asked: re.Match[str]) -> str:
        key = asked[2] or asked[3]
        if key == "all":
            table = overview(results, below)
        elif key not in results:
            raise UnknownName("result", key, [*results, "all"], where=str(page))
        elif asked[3]:
            table = curves(results[key], asked[4])
        else:
            table = table_of(results[key], f"{below}{RESULTS}/{key}.svg")
        return f"{asked[1]}\n{table}\n{asked[6]}"

    return _MARKED.sub(fill, text)


def overview(results: Mapping[str, Result], below: str) -> str:
    """One line per result: the paper, the scale, how many claims came out how."""
    lines = ["| paper | scale | seeds | claims |", "|---|---|---|---|"]
    for result in results.values():
        name = f"[{_cell(result.paper['title'])}]({below}{result.name}.md)"
        lines.append(f"| {name} | {result.scale} | {len(result.seeds)} | {tally(result)} |")
    return "\n".join(lines) + "\n"


def curves(result: Result, metric: str) -> str:
    """How a measure went along the training, arm by arm, beside the paper's figures.

    Args:
        result: its arms have measured ``METRIC 1``, ``METRIC 2``, … along equal parts.
        metric: its name.
    """
    arms = load_claims(result.name).arms_at("cpu")
    found = {
        arm: along
        for arm, measures in result.measures.items()
        if (
            along := [
                measures[f"{metric} {n}"] for n in range(1, 100) if f"{metric} {n}" in measures
            ]
        )
    }
    parts = max(map(len, found.values()), default=0)
    lines = [
        f"| arm | paper | {' | '.join(f'part {n} of {parts}' for n in range(1, parts + 1))} |",
        f"|---|---|{'---|' * parts}",
    ]
    for arm, along in found.items():
        values = [estimate("value", [np.array(seeds, float)]) for seeds in along]
        cells = [f"{number(each.value)} {spread(each.low, each.high)}" for each in values]
        lines.append(f"| {_cell(arm)} | {_cell(arms[arm].paper) or '–'} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def tally(result: Result) -> str:
    """How many claims have which verdict."""
    counts = Counter(claim.verdict for claim in result.claims)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])


def table_of(result: Result, picture: str) -> str:
    """The table of one result, with its picture and where the figures come from."""
    level = f"{100 * result.confidence:g} %"
    lines = [
        f"| claim | expected | paper | ours ({level} interval) | verdict |",
        "|---|---|---|---|---|",
        *(_row(claim) for claim in result.claims),
        "",
        f"![The claims: ours with {level} intervals beside the paper's figures]({picture})",
        "",
        *(
            f"- *{_cell(claim.name)}*: {_cell(claim.note)}."
            for claim in result.claims
            if claim.note
        ),
        "",
        _origin(result),
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def _row(claim: ClaimResult) -> str:
    verdict = f"**{claim.verdict}**"
    ours = f"{number(claim.value)} {spread(claim.low, claim.high)}"
    said = f"**{_cell(claim.name)}.** {_cell(claim.sentence)} *{_cell(claim.about)}*"
    paper = f"{_cell(claim.paper)} ({_cell(claim.where)})"
    return f"| {said} | {_cell(claim.expect)} | {paper} | {ours} | {verdict} |"


def _origin(result: Result) -> str:
    origin = result.origin
    machine, versions = origin["machine"], origin["versions"]
    packages = ", ".join(f"{name} {version}" for name, version in versions.items())
    commits = ", ".join(f"`{commit}`" for commit in origin["commits"]) or "no commit known"
    return (
        f"Scale `{result.scale}`, seeds {_range(result.seeds)}, {origin['date']}, {commits}; "
        f"{origin['seconds']:,.0f} s of measuring on {machine['cores']} cores "
        f"({machine['processor']}, {machine['system']} {machine['architecture']}); {packages}."
    )


def _range(seeds: Sequence[int]) -> str:
    return f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else str(seeds[0])


def number(value: float | None) -> str:
    """A figure with four significant digits, or a dash."""
    if value is None:
        return "–"
    text = f"{value:.4g}" if 1e-3 <= abs(value) < 1e5 or value == 0 else f"{value:.3e}"
    return text.replace("-", "−")


def spread(low: float | None, high: float | None) -> str:
    """An interval in brackets, or words that say there is none."""
    if low is None or high is None:
        return "(no interval)"
    return f"[{number(low)}, {number(high)}]"


def _cell(text: str) -> str:
    """Words that cannot break a table or bring in markup."""
    flat = " ".join(plain(text, 600).split())
    return re.sub(r"([\\|*_`<>\[\]])", r"\\\1", flat)
