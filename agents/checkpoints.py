"""Checkpoints on disk: what a method has learned so far, whole or not there at all.

A checkpoint is a folder ``step-<n>`` with two files. ``method.json`` says what it is (method and
parameters, world, seats with their spaces, step) and holds the plain part of the method's state;
``policy.safetensors`` holds every array and tensor. Nothing in either can run code, so checkpoints
of strangers are safe to open. A checkpoint is written under another name, flushed to the disk and
then renamed: killed at any instant, a folder holds whole checkpoints only. Equal states give equal
bytes, so that the hash of the two files (:func:`digest`) is the identity of what was learned.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from gymposium.errors import MissingExtra, StoreError, UsageError

from .wire import from_json, to_json

FORMAT = 1
"""The version of the two files' layout."""

_FACTS = ("method", "params", "world", "world_params", "seats", "policies", "deterministic", "step")
FACTS, TENSORS = "method.json", "policy.safetensors"
_NAME = re.compile(r"step-(\d{12,})")
Key = str | int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint that has been read.

    Attributes:
        path: its folder.
        facts: what ``method.json`` says about it (:func:`write_checkpoint`).
        plain: the state without arrays.
        tensors: where in the state each array of ``policy.safetensors`` belongs, and its kind.
        sha256: the hash that ``policy.safetensors`` must have.
    """

    path: Path
    facts: Mapping[str, Any]
    plain: Any
    tensors: tuple[tuple[str, tuple[Key, ...], str], ...]
    sha256: str

    @property
    def step(self) -> int:
        """How far the method had come."""
        return int(self.facts["step"])

    def verify(self) -> None:
        """Raise StoreError unless the arrays are there and as they were written."""
        _read_tensors(self.path, self.sha256)

    def state(self) -> Any:
        """The whole state, as the method gave it.

        Raises:
            StoreError: the arrays are missing or damaged.
        """
        arrays = _load_arrays(self.path, self.sha256)
        found: dict[tuple[Key, ...], Any] = {}
        for name, place, kind in self.tensors:
            if name not in arrays:
                raise damaged(self.path, f"{TENSORS} lacks {name!r}")
            found[place] = _as_torch(arrays[name]) if kind == "torch" else arrays[name]
        return _put_back(self.plain, (), found)


def write_checkpoint(folder: Path, facts: Mapping[str, Any], state: Mapping[str, Any]) -> Path:
    """Write a checkpoint into ``folder`` (``…/checkpoints``), replacing one of the same step.

    Args:
        folder: where the checkpoints of one learner are; made if need be.
        facts: ``method``, ``params``, ``world``, ``world_params``, ``seats`` (id -> spaces),
            ``policies`` (the names in ``agents()``), ``deterministic`` (equal seeds, equal play),
            ``step`` and whatever else is plain data. No times: equal states should give equal
            bytes.
        state: the method's ``state_dict()``: mappings, lists, tuples, numbers, text, bytes, numpy
            arrays and torch tensors, nested.

    Returns:
        The checkpoint's folder.

    Raises:
        UsageError: the state holds something else; the message says where.
        StoreError: full disk and the like.
    """
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    tensors: list[list[Any]] = []
    plain = _take_out(state, (), arrays, tensors)
    target = folder / f"step-{int(facts['step']):012d}"
    part = folder / f".{target.name}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        part.mkdir()
        data = _safetensors().save(arrays)
        _write(part / TENSORS, data)
        content = {
            "format": FORMAT,
            **facts,
            "state": to_json(plain),
            "tensors": tensors,
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        _write(part / FACTS, orjson.dumps(content, option=orjson.OPT_INDENT_2))
        _flush_folder(part)
        remove_checkpoint(target)
        part.rename(target)
        _flush_folder(folder)
    except OSError as error:
        raise StoreError(
            f"the checkpoint {target} cannot be written ({error.strerror}): earlier ones are safe; "
            "make room or mend the permissions, then resume"
        ) from error
    return target


def read_checkpoint(path: Path) -> Checkpoint:
    """Read what a checkpoint says; its arrays are read by :meth:`Checkpoint.state`.

    Raises:
        StoreError: missing, damaged, or written by another version.
    """
    file = path / FACTS
    try:
        content = orjson.loads(file.read_bytes())
    except FileNotFoundError:
        raise StoreError(f"{path} is not a checkpoint: it holds no {FACTS}") from None
    except OSError as error:
        raise StoreError(
            f"{file} cannot be read: {error.strerror}; check its permissions"
        ) from None
    except orjson.JSONDecodeError as error:
        raise damaged(path, f"{FACTS} is not JSON ({error})") from None
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise StoreError(
            f"the checkpoint {path} has format {found}, this version of gymposium reads {FORMAT}: "
            "use the version that wrote it"
        )
    try:
        tensors = tuple((str(n), tuple(place), str(k)) for n, place, k in content.pop("tensors"))
        plain, sha256 = from_json(content.pop("state")), str(content.pop("sha256"))
        for key in _FACTS:
            content[key]
    except (KeyError, TypeError, ValueError, UsageError) as error:
        raise damaged(path, f"{FACTS} does not fit: {error}") from None
    return Checkpoint(path, content, plain, tensors, sha256)


def checkpoints(folder: Path) -> dict[int, Path]:
    """The whole checkpoints in ``folder``, by step, oldest first."""
    if not folder.is_dir():
        return {}
    found = ((_NAME.fullmatch(entry.name), entry) for entry in folder.iterdir())
    return dict(sorted((int(match[1]), entry) for match, entry in found if match))


def remove_checkpoint(path: Path) -> None:
    """Remove a checkpoint; killed on the way, it is gone or whole."""
    if path.exists():
        gone = path.with_name(f".{path.name}.gone")
        path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def digest(path: Path) -> str:
    """sha256 over both files of a checkpoint.

    Raises:
        StoreError: one cannot be read.
    """
    whole = hashlib.sha256()
    for name in (FACTS, TENSORS):
        try:
            whole.update(hashlib.sha256((path / name).read_bytes()).digest())
        except OSError as error:
            raise damaged(path, f"{name}: {error.strerror}") from None
    return whole.hexdigest()


def damaged(path: Path, what: str) -> StoreError:
    """The error for a checkpoint that is not as it was written."""
    return StoreError(
        f"the checkpoint {path} is damaged: {what}; restore it, or choose another step"
    )


def _take_out(
    value: Any, place: tuple[Key, ...], arrays: dict[str, Any], tensors: list[list[Any]]
) -> Any:
    """``value`` with None for every array, which goes into ``arrays``."""
    kind = _kind(value)
    if kind is not None:
        name = "/".join(map(str, place)) or "state"
        if name in arrays:
            name = f"{name}#{len(arrays)}"
        array = value.detach().cpu().numpy() if kind == "torch" else value
        if array.dtype.kind not in "biuf":
            raise UsageError(
                f"the method's state holds an array of {array.dtype} at {name}, which a checkpoint "
                "cannot keep: use numbers or booleans"
            )
        arrays[name] = np.ascontiguousarray(array).reshape(array.shape)
        tensors.append([name, list(place), kind])
        return None
    if isinstance(value, Mapping):
        for key in value:
            if type(key) not in (str, int):
                raise UsageError(
                    f"the method's state has the key {key!r} at {'/'.join(map(str, place))}: keys "
                    "must be text or whole numbers"
                )
        return {k: _take_out(v, (*place, k), arrays, tensors) for k, v in value.items()}
    if isinstance(value, list | tuple):
        items = [_take_out(v, (*place, i), arrays, tensors) for i, v in enumerate(value)]
        return tuple(items) if isinstance(value, tuple) else items
    return value


def _put_back(value: Any, place: tuple[Key, ...], found: Mapping[tuple[Key, ...], Any]) -> Any:
    if value is None:
        return found.get(place)
    if isinstance(value, dict):
        return {key: _put_back(item, (*place, key), found) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = (_put_back(item, (*place, index), found) for index, item in enumerate(value))
        return tuple(items) if isinstance(value, tuple) else list(items)
    return value


def _kind(value: Any) -> str | None:
    if isinstance(value, np.ndarray):
        return "numpy"
    is_torch = type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "detach")
    return "torch" if is_torch else None


def _as_torch(array: np.ndarray[Any, Any]) -> Any:
    try:
        import torch
    except ModuleNotFoundError:
        raise MissingExtra("this checkpoint", extra="train", module="torch") from None
    return torch.from_numpy(array)


def _load_arrays(path: Path, sha256: str) -> dict[str, np.ndarray[Any, Any]]:
    loaded: dict[str, np.ndarray[Any, Any]] = _safetensors().load(_read_tensors(path, sha256))
    # Arrays over a read-only buffer would refuse to be trained on.
    return {name: array.copy() for name, array in loaded.items()}


def _read_tensors(path: Path, sha256: str) -> bytes:
    try:
        data = (path / TENSORS).read_bytes()
    except OSError as error:
        raise damaged(path, f"{TENSORS}: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise damaged(path, f"{TENSORS} is not the file that {FACTS} was written with")
    return data


def _safetensors() -> Any:
    try:
        import safetensors.numpy
    except ModuleNotFoundError:
        raise MissingExtra("a checkpoint", extra="train", module="safetensors") from None
    return safetensors.numpy


def _sweep(folder: Path) -> None:
    """Remove what a killed process left half written or half removed."""
    for entry in _leftovers(folder):
        shutil.rmtree(entry, ignore_errors=True)


def _leftovers(folder: Path) -> Iterator[Path]:
    yield from (e for e in folder.glob(".step-*") if e.name.endswith((".part", ".gone")))


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(path: Path) -> None:
    """Make renames in a folder survive a power cut, where the system offers that."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
