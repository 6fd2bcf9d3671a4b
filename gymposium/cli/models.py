"""``gymposium models``: fetch, list, locate and remove the language models that run here."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gymposium.errors import UnknownName

from .output import console, print_json, print_lines, print_table

app = typer.Typer(
    help="Fetch, list, locate and remove the language models that run on this machine.",
)

Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="[gguf|safetensors]",
        help="safetensors: also convert it into a folder that torch and vLLM load.",
    ),
]
Name = Annotated[str, typer.Argument(help="A model's name, as `gymposium models list` shows it.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.callback(invoke_without_command=True)
def models(context: typer.Context, as_json: AsJson = False) -> None:
    """Fetch, list, locate and remove the language models that run on this machine."""
    if context.invoked_subcommand is None:
        list_models(as_json)


@app.command("list")
def list_models(as_json: AsJson = False) -> None:
    """List the models known by name and whether they are on this machine."""
    rows = _rows()
    if as_json:
        print_json(rows)
        return
    print_table(
        ("model", "here", "size", "licence", "what it is"),
        [
            (
                ", ".join([row["name"], *row["aliases"]]),
                "yes" if row["installed"] else "no",
                f"{row['bytes'] / 1e6:.0f} MB",
                row["licence"],
                row["summary"],
            )
            for row in rows
        ],
    )
    if not all(row["installed"] for row in rows):
        print_lines("Fetch one with: gymposium models pull NAME")


@app.command("pull")
def pull_model(name: Name, form: Format = "gguf", as_json: AsJson = False) -> None:
    """Fetch a model, unless it is here already; its checksum is verified."""
    from ..agents.language.models import model_facts, pull
    from ..agents.language.weights import weights_folder

    if form not in ("gguf", "safetensors"):
        raise UnknownName("format", form, ("gguf", "safetensors"))
    facts = model_facts(name)
    waiting = f"fetching {facts.name} ({facts.bytes / 1e6:.0f} MB, {facts.licence}) …"
    with console(stderr=True).status(waiting):
        path = pull(name)
    if form == "safetensors":
        with console(stderr=True).status(f"converting {facts.name} to safetensors …"):
            path = weights_folder(name)
    if as_json:
        print_json({"name": facts.name, "path": str(path)})
    else:
        print(f"{facts.name} is here: {path}")


@app.command("path")
def path_of_model(name: Name, as_json: AsJson = False) -> None:
    """Print the path of a model's file; fails if it is not on this machine."""
    from ..agents.language.models import model_facts, model_file

    path = model_file(name)
    if as_json:
        print_json({"name": model_facts(name).name, "path": str(path)})
    else:
        print(path)


@app.command("remove")
def remove_model(name: Name, as_json: AsJson = False) -> None:
    """Delete a model's file from this machine, and what was converted from it."""
    from ..agents.language.models import model_facts, remove
    from ..agents.language.weights import remove_converted

    converted = remove_converted(name)
    removed = remove(name) or converted
    facts = model_facts(name)
    if as_json:
        print_json({"name": facts.name, "removed": removed})
    else:
        print(f"{facts.name} removed" if removed else f"{facts.name} was not here")


def _rows() -> list[dict[str, Any]]:
    from ..agents.language.models import is_installed, known_models, model_path

    return [
        {
            "name": facts.name,
            "aliases": list(facts.aliases),
            "summary": facts.summary,
            "licence": facts.licence,
            "origin": facts.origin,
            "bytes": facts.bytes,
            "sha256": facts.sha256,
            "installed": is_installed(facts.name),
            "path": str(model_path(facts.name)),
        }
        for facts in known_models().values()
    ]
