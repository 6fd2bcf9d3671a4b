"""What a match is, as a hash: the key under which the store knows it.

The key hashes what can change the outcome and nothing else; KEY_FIELDS is the written list.
Operational knobs (workers, concurrency, progress, cache, folders) never enter it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import orjson

from gymposium.errors import UsageError

if TYPE_CHECKING:
    from .schedule import MatchSpec

KEY_FIELDS = ("world", "params", "seating", "seed", "fault_rule", "time_limit", "reasks", "copy")


def match_key(
    spec: MatchSpec,
    identities: Mapping[str, str],
    *,
    fault_rule: str,
    reasks: int,
    copy: int = 0,
) -> str:
    """The key of one match: 32 hexadecimal digits.

    Args:
        spec: the match; its world id carries the rules' version.
        identities: agent name -> what the agent is (spec text and hash of its code or model).
        fault_rule: the world's declared fault rule, in words.
        reasks: how often a seat is asked again after an illegal answer.
        copy: tells apart matches of one schedule that are equal in everything else.

    Raises:
        UsageError: the world's parameters are not plain data.
    """
    fields = {
        "world": spec.world,
        "params": dict(spec.params),
        "seating": {seat: identities[agent] for seat, agent in spec.seating.items()},
        "seed": spec.seed,
        "fault_rule": fault_rule,
        "time_limit": spec.time_limit,
        "reasks": reasks,
        "copy": copy,
    }
    try:
        plain = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)
    except TypeError as error:
        raise UsageError(
            f"the parameters of {spec.world} must be plain data (numbers, text, lists, maps): "
            f"{error}"
        ) from None
    return hashlib.blake2b(plain, digest_size=16).hexdigest()


def match_keys(
    specs: Sequence[MatchSpec],
    identities: Mapping[str, str],
    *,
    fault_rules: Mapping[str, str],
    reasks: int,
) -> list[str]:
    """The keys of a schedule, in order; equal matches are told apart by their occurrence.

    Args:
        specs: the schedule.
        identities: agent name -> identity.
        fault_rules: cell -> the fault rule of its world.
        reasks: as in :func:`match_key`.
    """
    seen: dict[str, int] = {}
    keys = []
    for spec in specs:
        rule = fault_rules[spec.cell]
        key = match_key(spec, identities, fault_rule=rule, reasks=reasks)
        copies = seen.get(key, 0)
        seen[key] = copies + 1
        if copies:
            key = match_key(spec, identities, fault_rule=rule, reasks=reasks, copy=copies)
        keys.append(key)
    return keys


def agent_seed(match_seed: int, seat: str) -> int:
    """The seed of the agent in ``seat``: one way, so that it does not give the world's seed away.

    Returns:
        An integer in [0, 2**63).
    """
    digest = hashlib.blake2b(b"%d|agent|%b" % (match_seed, seat.encode()), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1
