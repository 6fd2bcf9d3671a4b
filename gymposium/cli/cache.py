"""``gymposium cache``: the language models' answers that are kept, and why one was not found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from .output import print_json, print_lines, print_table
from .resume import find_run

app = typer.Typer(
    help="Show, clear and explain the cache of language models' answers.", no_args_is_help=True
)

File = Annotated[
    Path | None, typer.Option("--cache", help="The cache's file (default: one for all runs).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.command("stats")
def stats(cache: File = None, as_json: AsJson = False) -> None:
    """Say how many answers are kept, of which models, and how large the file is."""
    facts = _opened(cache, lambda answers: answers.stats())
    if as_json:
        print_json(facts)
        return
    print_table(
        ("model", "answers", "prompt tokens", "completion tokens"),
        ((row["model"], *(f"{row[name]:,}" for name in _COUNTS)) for row in facts["models"]),
    )
    print_lines(f"{facts['answers']:,} answers, {facts['bytes'] / 1e6:.1f} MB: {facts['path']}")


_COUNTS = ("answers", "prompt_tokens", "completion_tokens")


@app.command("clear")
def clear_cache(cache: File = None, as_json: AsJson = False) -> None:
    """Delete all answers; the next run pays for its own."""
    from ..agents.language.backends.cache import clear, default_path

    freed = clear(cache)
    if as_json:
        print_json({"path": str(cache or default_path()), "bytes_freed": freed})
    else:
        print_lines(f"{freed / 1e6:.1f} MB freed: {cache or default_path()}")


@app.command("explain")
def explain(
    run: Annotated[Path, typer.Argument(help="A run's folder, or its name under runs/.")],
    cache: File = None,
    calls: Annotated[int, typer.Option("--calls", min=1, help="How many calls to look at.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Say why calls of a run were paid for: how each differs from the nearest one kept before."""
    from ..arenas.store import RunFolder

    with RunFolder(find_run(run)) as folder:
        info = folder.info()
    found = _opened(cache, lambda answers: answers.explain(str(info.get("id", "")), most=calls))
    if as_json:
        print_json(found)
        return
    if not found:
        print_lines("no call of this run was paid for and kept")
        return
    fresh = sum(not each["differs"] for each in found)
    if fresh:
        print_lines(f"{fresh} of {len(found)} calls: nothing older to compare with was kept")
    for fields, count in Counter(tuple(e["differs"]) for e in found if e["differs"]).most_common():
        print_lines(f"{count} of {len(found)} calls differ from the nearest one kept before in:")
        example = next(each["differs"] for each in found if tuple(each["differs"]) == fields)
        print_lines("\n".join(f"  {field}: {values}" for field, values in example.items()))


def _opened(path: Path | None, ask: Any) -> Any:
    from ..agents.language.backends.cache import ResponseCache

    answers = ResponseCache(path)
    try:
        return ask(answers)
    finally:
        answers.close()
