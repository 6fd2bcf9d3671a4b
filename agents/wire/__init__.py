"""The one lossless JSON form of values, spaces, turns, replies, seats and outcomes.

It serves child processes, the record and whatever speaks to gymposium from outside. Plain JSON
stays what it is; everything JSON cannot say becomes an object with one key that starts with ``$``
(``{"$tuple": [1, 2]}``), so that a reader in any language can follow. The idea of one tagged form
for every space is Gymnasium's ``to_jsonable``, which loses types and bits; this one does not.
"""

from .records import (
    outcome_from_json,
    outcome_to_json,
    reply_from_json,
    reply_to_json,
    seat_from_json,
    seat_to_json,
    turn_from_json,
    turn_to_json,
)
from .spaces import space_from_json, space_to_json
from .values import dumps, from_json, loads, to_json

__all__ = [
    "dumps",
    "from_json",
    "loads",
    "outcome_from_json",
    "outcome_to_json",
    "reply_from_json",
    "reply_to_json",
    "seat_from_json",
    "seat_to_json",
    "space_from_json",
    "space_to_json",
    "to_json",
    "turn_from_json",
    "turn_to_json",
]
