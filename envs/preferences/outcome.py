"""Outcomes of the world: plain ones, lotteries, amounts, sums at a time, and beginnings of stories.

The kinds are those of Mazeika et al., Utility Engineering (2025), in our notes: base outcomes,
explicit lotteries over two or three of them in whole percent, quantities of something, 1,000
dollars now against more later, and prefixes of Markov processes. Texts are our own
(``outcomes.yaml``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

ABOUT = ("base", "lotteries", "quantities", "delays", "stories")
NOW = 1000
"""Dollars at once, against which later sums are held."""
MULTIPLES = 10
"""Sums for each delay."""


@dataclass(frozen=True)
class Outcome:
    """Something that may come about.

    Attributes:
        text: what is shown.
        kind: ``base``, ``lottery``, ``quantity``, ``delay`` or ``story``.
        group: the category, item or process.
        worth: to the synthetic citizens and respondents; 0 where it follows from the rest.
        parts: of a lottery, the numbers of base outcomes.
        chances: of a lottery, their probabilities, which sum to 1.
        amount: units, or dollars.
        months: until it comes.
        states: of a story, in order.
    """

    text: str
    kind: str = "base"
    group: str = ""
    worth: float = 0.0
    parts: tuple[int, ...] = ()
    chances: tuple[float, ...] = ()
    amount: float = 0.0
    months: float = 0.0
    states: tuple[str, ...] = ()


@cache
def data() -> Mapping[str, Any]:
    """``outcomes.yaml``."""
    import yaml

    text = files(__package__).joinpath("outcomes.yaml").read_text("utf-8")
    found: Mapping[str, Any] = yaml.safe_load(text)
    return found


def outcomes(
    about: str,
    *,
    texts: Sequence[str] = (),
    size: int = 50,
    lotteries: int = 20,
    months: Sequence[float] = (),
    seed: int = 0,
) -> tuple[Outcome, ...]:
    """The outcomes of a question, numbered as they stand; equal arguments give equal ones.

    Args:
        about: one of ``ABOUT``. Lotteries come after the base outcomes that they are over.
        texts: base outcomes to use in place of ours; their worth is 0.
        size: base outcomes of ours, drawn evenly from the categories.
        lotteries: how many, half of two parts and half of three.
        months: delays.
        seed: of what is drawn.
    """
    if about == "quantities":
        return _quantities()
    if about == "delays":
        return _delays(months)
    if about == "stories":
        return _stories()
    base = tuple(Outcome(text, group="given") for text in texts) or _base(size, seed)
    return base if about == "base" else (*base, *_lotteries(base, lotteries, seed))


def most() -> int:
    """How many base outcomes there are."""
    return sum(len(rows) for rows in data()["outcomes"].values())


def _base(size: int, seed: int) -> tuple[Outcome, ...]:
    rng = np.random.default_rng([seed, 1])
    rounds: list[list[Outcome]] = []
    for group, rows in data()["outcomes"].items():
        for place, at in enumerate(rng.permutation(len(rows)).tolist()):
            while len(rounds) <= place:
                rounds.append([])
            rounds[place].append(Outcome(rows[at][0], group=group, worth=float(rows[at][1])))
    return tuple(it for row in rounds for it in row)[:size]


def _lotteries(base: Sequence[Outcome], number: int, seed: int) -> tuple[Outcome, ...]:
    rng = np.random.default_rng([seed, 2])
    made = []
    for at in range(number):
        parts = rng.permutation(len(base))[: min(2 + at % 2, len(base))].tolist()
        share = rng.uniform(0.01, 0.99, len(parts))
        percent = np.maximum(1, np.round(100 * share / share.sum())).astype(int)
        percent[percent.argmax()] += 100 - percent.sum()
        said = "; ".join(
            f"{chance} % chance: {base[part].text}"
            for part, chance in zip(parts, percent.tolist(), strict=True)
        )
        chances = tuple(float(it) / 100 for it in percent)
        made.append(
            Outcome(f"A lottery. {said}", "lottery", "lottery", parts=tuple(parts), chances=chances)
        )
    return tuple(made)


def _quantities() -> tuple[Outcome, ...]:
    made = []
    for name, item in data()["quantities"].items():
        for amount in item["amounts"]:
            text = item["one"] if amount == 1 else item["many"].format(n=f"{amount:,}")
            made.append(Outcome(text, "quantity", name, float(item["value"]), amount=float(amount)))
    return tuple(made)


def _delays(months: Sequence[float]) -> tuple[Outcome, ...]:
    made = [Outcome(f"You are given {NOW:,} dollars now.", "delay", "now", amount=float(NOW))]
    for delay in months:
        for multiple in np.geomspace(0.5, 30, MULTIPLES):
            dollars = round(NOW * float(multiple), -1)
            when = "in 1 month" if delay == 1 else f"in {delay:g} months"
            text = f"You are given {dollars:,.0f} dollars {when}."
            made.append(Outcome(text, "delay", "later", amount=dollars, months=float(delay)))
    return tuple(made)


def _stories() -> tuple[Outcome, ...]:
    made = []
    for name, process in data()["processes"].items():
        said = process["states"]
        for start in process["start"]:
            made.append(Outcome(said[start], "story", name, states=(start,)))
            made += [
                Outcome(f"{said[start]} → {said[end]}", "story", name, states=(start, end))
                for end in process["next"][start]
            ]
    return tuple(made)
