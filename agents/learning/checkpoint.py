"""What training leaves on disk: text that can be read and tensors that cannot run code.

A folder holds ``method.json`` and ``policy.safetensors`` (the policies, by seat), and, where
training is to go on, ``state.json`` and ``state.safetensors`` (a method's ``state_dict``). Nothing
is pickled. A state is any nesting of dicts, lists, arrays, tensors, numbers, text and None.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

from gymposium.errors import StoreError, UnknownName

from ..wire import space_from_json, space_to_json
from .networks import Network, NetworkSpec
from .policy import Policy

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
FORMAT = 1
_ARRAY = "__array__"


def save_policies(
    folder: Path, policies: Mapping[str, Policy], about: Mapping[str, Any] | None = None
) -> None:
    """Write policies, by seat.

    Args:
        folder: made if need be.
        policies: seats that share one policy object share its tensors on disk.
        about: plain data to keep beside them (method, task, step).
    """
    folder.mkdir(parents=True, exist_ok=True)
    distinct = list({id(policy): policy for policy in policies.values()}.values())
    index = {id(policy): i for i, policy in enumerate(distinct)}
    tensors = {
        f"{i}/{name}": array
        for i, policy in enumerate(distinct)
        for name, array in _tensors(policy).items()
    }
    plain = {
        "format": FORMAT,
        "about": dict(about or {}),
        "seats": {seat: index[id(policy)] for seat, policy in policies.items()},
        "policies": [_describe(policy) for policy in distinct],
    }
    _write(folder, "method.json", "policy.safetensors", plain, tensors)


def load_policies(folder: Path) -> dict[str, Policy]:
    """The policies of a folder, by seat.

    Raises:
        StoreError: there are none, they are damaged, or of a newer format.
    """
    plain, tensors = _read(folder, "method.json", "policy.safetensors")
    try:
        made = [
            _policy(entry, {k: v for k, v in tensors.items() if k.startswith(f"{i}/")})
            for i, entry in enumerate(plain["policies"])
        ]
        return {seat: made[i] for seat, i in plain["seats"].items()}
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise StoreError(f"{folder / 'method.json'} is damaged: {error!r}") from error


def load_policy(folder: Path, seat: str | None = None) -> Policy:
    """One seat's policy; without a seat the first.

    Raises:
        UnknownName: no policy of that seat was trained.
        StoreError: as :func:`load_policies`.
    """
    policies = load_policies(folder)
    if seat is None:
        return next(iter(policies.values()))
    if seat not in policies:
        raise UnknownName("trained seat", seat, policies, where=str(folder))
    return policies[seat]


def about(folder: Path) -> dict[str, Any]:
    """What was kept beside the policies. Raises StoreError as :func:`load_policies`."""
    plain, _ = _read(folder, "method.json", None)
    return dict(plain["about"])


def save_state(folder: Path, state: Mapping[str, Any]) -> None:
    """Write a method's ``state_dict``."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Array] = {}
    plain = {"format": FORMAT, "state": _take_out(state, arrays)}
    _write(folder, "state.json", "state.safetensors", plain, arrays)


def load_state(folder: Path) -> dict[str, Any]:
    """The state that :func:`save_state` wrote; tensors come back as arrays.

    Raises:
        StoreError: there is none, it is damaged, or of a newer format.
    """
    plain, arrays = _read(folder, "state.json", "state.safetensors")
    try:
        return dict(_put_back(plain["state"], arrays))
    except (KeyError, TypeError) as error:
        raise StoreError(f"{folder / 'state.json'} is damaged: {error!r}") from error


def _tensors(policy: Policy) -> dict[str, Array]:
    found = {name: t.detach().numpy() for name, t in policy.network.parameters.items()}
    if policy.network.table is not None:
        found["table"] = policy.network.table.numpy()
    return found


def _describe(policy: Policy) -> dict[str, Any]:
    return {
        "network": dict(policy.network.spec.__dict__),
        "observation_space": space_to_json(policy.observation_space),
        "action_space": space_to_json(policy.action_space),
        "world": policy.world,
    }


def _policy(entry: Mapping[str, Any], arrays: Mapping[str, Array]) -> Policy:
    spec = dict(entry["network"])
    spec["shape"] = tuple(spec["shape"])
    tensors = {name.partition("/")[2]: torch.from_numpy(a.copy()) for name, a in arrays.items()}
    table = tensors.pop("table", None)
    return Policy(
        Network(NetworkSpec(**spec), tensors, table),
        space_from_json(entry["observation_space"]),
        space_from_json(entry["action_space"]),
        entry["world"],
    )


def _take_out(value: Any, arrays: dict[str, Array]) -> Any:
    """``value`` as JSON data, its arrays moved into ``arrays``."""
    if isinstance(value, torch.Tensor):
        value = value.detach().numpy()
    if isinstance(value, np.ndarray):
        name = str(len(arrays))
        arrays[name] = value
        return {_ARRAY: name}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _take_out(item, arrays) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_take_out(item, arrays) for item in value]
    return value


def _put_back(plain: Any, arrays: Mapping[str, Array]) -> Any:
    if isinstance(plain, dict):
        if set(plain) == {_ARRAY}:
            return arrays[plain[_ARRAY]]
        return {key: _put_back(item, arrays) for key, item in plain.items()}
    if isinstance(plain, list):
        return [_put_back(item, arrays) for item in plain]
    return plain


def _write(
    folder: Path, text: str, binary: str, plain: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    save_file({k: np.ascontiguousarray(a) for k, a in arrays.items()}, folder / binary)
    (folder / text).write_text(json.dumps(plain, indent=1), encoding="utf-8")


def _read(folder: Path, text: str, binary: str | None) -> tuple[Any, dict[str, Array]]:
    path = folder / text
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        arrays = load_file(folder / binary) if binary else {}
    except FileNotFoundError as error:
        raise StoreError(
            f"there is no checkpoint in {folder}: {error.filename} is missing"
        ) from None
    except Exception as error:  # a damaged file raises whatever its reader raises
        raise StoreError(f"the checkpoint in {folder} cannot be read: {error}") from error
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        found = plain.get("format") if isinstance(plain, dict) else None
        raise StoreError(
            f"{path} is of checkpoint format {found!r}; this version reads format {FORMAT}"
        )
    return plain, arrays
