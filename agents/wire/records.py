"""Turns, replies, seats and outcomes to JSON and back.

A turn's text, images and schema are written with it: the far side has no world to compute them.
Where both sides know the seat, its action space is left out of each turn: it is most of the bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from gymposium.errors import UsageError
from gymposium.types import NOTHING, Call, Outcome, Reply, Seat, Turn, Usage

from .spaces import space_from_json, space_to_json
from .values import from_json, to_json

T = TypeVar("T")
_SEAT_FIELDS = (
    *("id", "rules", "role", "team", "horizon", "fault_rule", "time_limit"),
    "whole_reply",
)


def turn_to_json(turn: Turn, *, seat: Seat | None = None) -> dict[str, Any]:
    """``turn`` as plain JSON data.

    Args:
        turn: what is asked.
        seat: if the reader has this seat, and the turn's space is the seat's, the space is omitted.

    Returns:
        Data for :func:`turn_from_json`; absent fields have their defaults.
    """
    plain: dict[str, Any] = {
        "seat": turn.seat,
        "step": turn.step,
        "observation": to_json(turn.observation),
        "reward": to_json(turn.reward),
        "text": to_json(turn.text),
    }
    if seat is None or turn.action_space is not seat.action_space:
        plain["action_space"] = space_to_json(turn.action_space)
    if turn.action_mask is not None:
        plain["action_mask"] = to_json(turn.action_mask)
    if turn.info:
        plain["info"] = to_json(turn.info)
    if turn.images:
        plain["images"] = to_json(turn.images)
    if turn.schema:
        plain["schema"] = to_json(turn.schema)
    return plain


def turn_from_json(plain: Any, *, seat: Seat | None = None) -> Turn:
    """The turn that :func:`turn_to_json` wrote.

    Args:
        plain: the data.
        seat: whose action space to use where the turn does not carry its own.

    Raises:
        UsageError: ``plain`` is no turn, or carries no space and no seat is given.
    """
    return _read(plain, "turn", lambda data: _turn(data, seat))


def _turn(plain: Mapping[str, Any], seat: Seat | None) -> Turn:
    if "action_space" in plain:
        space = space_from_json(plain["action_space"])
    elif seat is not None:
        space = seat.action_space
    else:
        raise UsageError("a turn without its action space can only be read with its seat")
    return Turn(
        plain["seat"],
        plain["step"],
        from_json(plain["observation"]),
        from_json(plain["reward"]),
        space,
        from_json(plain.get("action_mask")),
        from_json(plain["info"]) if "info" in plain else NOTHING,
        text=from_json(plain["text"]),
        images=from_json(plain["images"]) if "images" in plain else (),
        schema=from_json(plain["schema"]) if "schema" in plain else NOTHING,
    )


def seat_to_json(seat: Seat) -> dict[str, Any]:
    """``seat`` as plain JSON data, spaces included."""
    return {
        "observation_space": space_to_json(seat.observation_space),
        "action_space": space_to_json(seat.action_space),
        **{name: to_json(getattr(seat, name)) for name in _SEAT_FIELDS},
    }


def seat_from_json(plain: Any) -> Seat:
    """The seat that :func:`seat_to_json` wrote; raises UsageError if it is none."""
    return _read(
        plain,
        "seat",
        lambda data: Seat(
            observation_space=space_from_json(data["observation_space"]),
            action_space=space_from_json(data["action_space"]),
            **{name: from_json(data[name]) for name in _SEAT_FIELDS},
        ),
    )


def reply_to_json(reply: Reply) -> dict[str, Any]:
    """``reply`` as plain JSON data, every model call included."""
    plain: dict[str, Any] = {"action": to_json(reply.action)}
    if reply.text is not None:
        plain["text"] = to_json(reply.text)
    if reply.thought is not None:
        plain["thought"] = to_json(reply.thought)
    if reply.calls:
        plain["calls"] = [_given(call) for call in reply.calls]
    if reply.trace:
        plain["trace"] = to_json(list(reply.trace))
    return plain


def reply_from_json(plain: Any) -> Reply:
    """The reply that :func:`reply_to_json` wrote; raises UsageError if it is none."""
    return _read(
        plain,
        "reply",
        lambda data: Reply(
            action=from_json(data["action"]),
            text=from_json(data.get("text")),
            thought=from_json(data.get("thought")),
            calls=tuple(_call(call) for call in data.get("calls", ())),
            trace=tuple(from_json(list(data.get("trace", ())))),
        ),
    )


def _call(plain: Mapping[str, Any]) -> Call:
    known = {name: from_json(value) for name, value in plain.items()}
    if "usage" in known:
        known["usage"] = Usage(*known["usage"])
    return Call(**known)


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """``outcome`` as plain JSON data."""
    return _given(outcome)


def outcome_from_json(plain: Any) -> Outcome:
    """The outcome that :func:`outcome_to_json` wrote; raises UsageError if it is none."""
    return _read(
        plain,
        "outcome",
        lambda data: Outcome(**{name: from_json(value) for name, value in data.items()}),
    )


def _given(record: Any) -> dict[str, Any]:
    """The fields of a dataclass that say something; empty and None ones are their defaults."""
    values = ((item.name, getattr(record, item.name)) for item in fields(record))
    return {
        name: to_json(value)
        for name, value in values
        if not (value is None or (isinstance(value, Mapping | tuple | list) and not value))
        or name in ("returns", "messages", "prompt_ids", "completion_ids", "logprobs")
    }


def _read(plain: Any, what: str, build: Callable[[Mapping[str, Any]], T]) -> T:
    if not isinstance(plain, Mapping):
        raise UsageError(f"a {what} in JSON is an object, got {type(plain).__name__}")
    try:
        return build(plain)
    except UsageError:
        raise
    except KeyError as error:
        raise UsageError(f"the {what} lacks its field {error}") from error
    except (AttributeError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise UsageError(f"not a {what}: {error}") from error
