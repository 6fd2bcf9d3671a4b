"""The town in words: rules, what a resident is told, and the names of actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gymposium.errors import IllegalAction

from .town_rules import NO_DEED, SAYINGS

if TYPE_CHECKING:
    from .town_params import TownParams

PLACES = (
    "the market",
    "the well",
    "the inn",
    "the mill",
    "the bridge",
    "the harbour",
    "the square",
    "the library",
    "the garden",
    "the forge",
    "the tower",
    "the meadow",
)
_DEEDS = ("cooperate", "defect")
_DONE = ("cooperated", "defected")


def labels(params: TownParams) -> tuple[str, ...]:
    """The places, then each deed with each thing to say."""
    deeds = (f"{deed} and {saying}" for deed in _DEEDS for saying in SAYINGS)
    return (*PLACES[: params.places], *deeds)


def refuse_untimely(params: TownParams, action: int, *, meeting: bool) -> None:
    """Raise IllegalAction for a place in a meeting, or a deed outside one."""
    if meeting and action < params.places:
        raise IllegalAction("You are in a meeting: cooperate or defect, and what to say with it.")
    if not meeting and action >= params.places:
        raise IllegalAction(
            f"You are in no meeting: say where to go, {', '.join(PLACES[: params.places])}."
        )


def rules(params: TownParams, seat: str, how_to_answer: str) -> str:
    """All that a newcomer must know."""
    p = params
    both, only_me, only_other, nobody = p.payoffs or p.matrix.ravel().tolist()
    told = (
        "You and the person you meet also tell each other, if you like, whether your latest news "
        "is of somebody good or bad: you may tell the truth (your own opinion), lie (the "
        "opposite) or say nothing. Who does not think ill of you believes you."
    )
    blamed = (
        "a defection counts against whoever does it"
        if p.norm == "image"
        else "a defection counts against whoever does it, unless it is against somebody that the "
        "onlooker thinks ill of"
    )
    return (
        f"You are {seat}, one of {p.people} people in a town with {p.places} places: "
        f"{', '.join(PLACES[: p.places])}. The match lasts {p.hours} hours.\n"
        "Each hour you first say where to go. There you may be paired with one person, at random. "
        "Then both of you at once cooperate or defect: if both cooperate each earns "
        f"{both:g}; if only you do you earn {only_me:g} and the other {only_other:g}; if only the "
        f"other does it is the reverse; if nobody does each earns {nobody:g}.\n{told}\n"
        "People remember how they were treated, and others at the place may watch: "
        f"{blamed}. Many cooperate only with those they do not think ill of; some always "
        "cooperate and some never do. Opinions go from -5 to 5; strangers stand at 0.\n"
        f"Your aim is the highest total for yourself. {how_to_answer}"
    )


def describe(params: TownParams, me: int, seen: Mapping[str, Any], info: Mapping[str, Any]) -> str:
    """What the resident with index ``me`` is told; who is who stands in ``info``."""
    hour = params.hours - round(float(seen["left"][0]) * params.hours) + 1
    lines = [_latest(params, me, seen, info)] if int(seen["did"]) != NO_DEED else []
    phase = int(seen["phase"])
    if phase == 2:
        return "\n".join([*lines, "The match is over."])
    lines.append(f"Hour {hour} of {params.hours}. You are at {PLACES[int(seen['place'])]}.")
    if phase == 0:
        crowd = (
            f"{place} {round(float(share) * params.people)}"
            for place, share in zip(PLACES, seen["crowd"], strict=False)
        )
        lines.append(f"People at each place: {', '.join(crowd)}.")
        lines.append("Where do you go?")
        return "\n".join(lines)
    partner, news = _name(params, me, info, "partner"), _name(params, me, info, "news")
    lines.append(f"You meet {partner}. {_thought('it', int(seen['opinion']))}")
    if seen["news"]:
        thought = _thought(news, int(seen["news_opinion"]))
        lines.append(f"Your news is about {news}. {thought}")
    else:
        lines.append("You have no news for it.")
    lines.append("What do you do, and what do you say?")
    return "\n".join(lines)


def _latest(params: TownParams, me: int, seen: Mapping[str, Any], info: Mapping[str, Any]) -> str:
    did, done = _DONE[int(seen["did"])], _DONE[int(seen["done"])]
    met = _name(params, me, info, "met")
    line = f"At your latest meeting, with {met}, you {did} and it {done}."
    if heard := int(seen["heard"]):
        word = "good" if heard > 0 else "bad"
        line += f" It told you that {_name(params, me, info, 'heard_of')} is {word}."
    return line


def _thought(whom: str, opinion: int) -> str:
    if not opinion:
        return f"You know nothing of {whom}."
    return f"You think {'well' if opinion > 0 else 'ill'} of {whom} ({opinion:+d})."


def _name(params: TownParams, me: int, info: Mapping[str, Any], who: str) -> str:
    person = int(info.get(who, -1))
    if person < 0:
        return "somebody"
    if person == me:
        return "yourself"
    return f"resident_{person}" if person < params.seats else f"person {person}"
