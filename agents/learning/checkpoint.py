"""Policies as plain data and tensors: the part of a method's state that an agent needs to play.

The files are :mod:`agents.checkpoints`' business. A state with policies in it can be turned into
agents without building the worlds, the optimiser and the rest that training goes on with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from gymposium.errors import UsageError

from ..wire import space_from_json, space_to_json
from .networks import Network, NetworkSpec
from .policy import Policy


def policies_to_state(policies: Mapping[str, Policy]) -> dict[str, Any]:
    """Policies by seat as plain data and tensors; seats that share a policy share its tensors."""
    distinct = list({id(policy): policy for policy in policies.values()}.values())
    index = {id(policy): i for i, policy in enumerate(distinct)}
    return {
        "seats": {seat: index[id(policy)] for seat, policy in policies.items()},
        "policies": [_describe(policy) for policy in distinct],
    }


def policies_from_state(state: Mapping[str, Any]) -> dict[str, Policy]:
    """The policies that :func:`policies_to_state` wrote, by seat.

    Raises:
        UsageError: the state is not of that shape, or weights in it are no numbers.
    """
    try:
        made = [_policy(entry) for entry in state["policies"]]
        return {seat: made[i] for seat, i in state["seats"].items()}
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise UsageError(f"the saved policies do not fit this version: {error!r}") from error


def _describe(policy: Policy) -> dict[str, Any]:
    network = policy.network
    return {
        "network": dict(network.spec.__dict__),
        "observation_space": space_to_json(policy.observation_space),
        "action_space": space_to_json(policy.action_space),
        "world": policy.world,
        "greedy": policy.greedy,
        "tensors": {name: tensor.detach() for name, tensor in network.parameters.items()},
        "table": network.table,
    }


def _policy(entry: Mapping[str, Any]) -> Policy:
    tensors = {name: torch.as_tensor(found) for name, found in entry["tensors"].items()}
    for name, tensor in tensors.items():
        if not bool(tensor.isfinite().all()):
            raise UsageError(
                f"the saved policy's weights {name} hold nan or infinite numbers, so it cannot "
                "play: choose an earlier checkpoint"
            )
    table = entry["table"]
    spec = dict(entry["network"])
    return Policy(
        Network(
            NetworkSpec(**{**spec, "shape": tuple(spec["shape"])}),
            tensors,
            None if table is None else torch.as_tensor(table),
        ),
        space_from_json(entry["observation_space"]),
        space_from_json(entry["action_space"]),
        entry["world"],
        entry.get("greedy", False),
    )
