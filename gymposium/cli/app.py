"""The root command: mounts every verb."""

from __future__ import annotations

import typer

from . import (
    audit,
    cache,
    check,
    doctor,
    export,
    info,
    listing,
    play,
    rate,
    replay,
    report,
    reproduce,
    resume,
    rooms,
    run,
    scenario,
    tournament,
    train,
)
from . import models as models_verb
from .guard import GuardedGroup

app = typer.Typer(
    name="gymposium",
    cls=GuardedGroup,
    help="Any agent in any seat of any world, and the one arena that runs and rates them.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from gymposium import __version__

        print(f"gymposium {__version__}")
        raise typer.Exit


@app.callback()
def root(
    debug: bool = typer.Option(
        False, "--debug", help="show tracebacks (anywhere on the line; also GYMPOSIUM_DEBUG=1)"
    ),
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="print the version and exit"
    ),
) -> None:
    """Any agent in any seat of any world, and the one arena that runs and rates them."""


app.command("list")(listing.list_things)
app.command("info")(info.info)
app.command("play")(play.play)
app.command("run")(run.run)
app.command("tournament")(tournament.tournament)
app.command("train")(train.train)
app.command("resume")(resume.resume)
app.command("audit")(audit.audit)
app.command("report")(report.report)
app.command("export")(export.export)
app.command("reproduce")(reproduce.reproduce)
app.command("rate")(rate.rate)
app.command("replay")(replay.replay)
app.add_typer(models_verb.app, name="models")
app.add_typer(cache.app, name="cache")
app.add_typer(scenario.app, name="scenario")
app.add_typer(check.app, name="check")
app.add_typer(rooms.app, name="rooms")
app.command("doctor")(doctor.doctor)
