"""The templates beside this file: escaped, strict, and in one style, as every page of ours is."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from . import figures
from .charts import WIDTH
from .learning import PLOT_HEIGHT, PLOT_WIDTH

if TYPE_CHECKING:
    from jinja2 import Template


def template(name: str) -> Template:
    """The template called ``name``; ``f`` (figures), sizes and ``style`` are there in all of them.

    Whatever is put into it is escaped, and a name that nobody gave is an error.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_read),
    )
    environment.globals |= {
        "f": figures,
        "width": round(WIDTH),
        "plot": (round(PLOT_WIDTH), round(PLOT_HEIGHT)),
        # Our own file, the only text that is not escaped.
        "style": Markup(_read("page.css")),
    }
    return environment.get_template(name)


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
