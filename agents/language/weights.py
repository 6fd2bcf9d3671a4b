"""A model's weights as a folder of safetensors: what torch and vLLM load, made from the GGUF file.

Reading a GGUF file with transformers takes most of a minute, since its word list is unpacked in
Python; so it is read once and the result kept among the models, under the digest of the file it was
made from. Nothing is lost: the quantised numbers are written out in float32, at four bytes each.
A folder of the user's own, in the layout of Hugging Face, is used as it stands.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

from gymposium.errors import BackendError, MissingExtra, UnknownName, UsageError

from ...envs.start_folder import located
from .models import model_digest, model_facts, model_file, models_folder, sentences_for_disk

_NEEDED = "config.json"
_BYTES_PER_QUANTISED = 7  # float32 against the four to five bits of the usual quantised file


def weights_folder(model: str) -> Path:
    """The folder ``model``'s safetensors are in, made from its GGUF file at the first request.

    Args:
        model: a known name, the path of a GGUF file, or a folder in the layout of Hugging Face.

    Raises:
        UnknownName: neither a known name nor a folder.
        UsageError: the model's file is not on this machine.
        MissingExtra: there is nothing to convert it with.
        BackendError: the file cannot be converted, or there is no room.
    """
    own = own_folder(model)
    if own is not None:
        return own
    source = model_file(model)
    folder = converted_folder(model)
    if not (folder / _NEEDED).exists():
        _convert(source, folder)
    return folder


def require_libraries(model: str, *, torch: bool) -> None:
    """Raise MissingExtra now if ``model`` could not be loaded, or converted, later.

    Args:
        model: as for :func:`weights_folder`.
        torch: it is to be run by torch here, and not only handed on as a folder.
    """
    if not torch and (own_folder(model) or (converted_folder(model) / _NEEDED).exists()):
        return
    for module in ("torch", "transformers", "accelerate", "gguf", "llguidance"):
        if importlib.util.find_spec(module) is None:
            raise MissingExtra("a model's weights", extra="train", module=module)


def own_folder(model: str) -> Path | None:
    """``model`` as a folder of the user's, or None if it is a name or a GGUF file.

    Raises:
        UsageError: a folder without a model in it, or a path that does not exist.
    """
    path = located(Path(model).expanduser())
    if (path / _NEEDED).is_file():
        return path
    if path.is_dir():
        raise UsageError(f"{model} is no model folder: it has no {_NEEDED}")
    if model.endswith(".gguf"):
        return None
    try:
        model_facts(model)
    except UnknownName:
        if "/" not in model and "\\" not in model:
            raise
        raise UsageError(f"there is no model folder {model}; check the path") from None
    return None


def converted_folder(model: str) -> Path:
    """Where the safetensors made from ``model``'s GGUF file are or would be."""
    return models_folder() / f"{model_facts(model).name}-{model_digest(model)[:12]}"


def weights_digest(model: str, *, adapter: bool = False) -> str:
    """What makes it the same model: the sha256 of the GGUF file, or of a folder's files.

    Args:
        model: as for :func:`weights_folder`.
        adapter: it is the folder of an adapter.

    Raises:
        UsageError: there is no such folder.
    """
    own = located(Path(model).expanduser()) if adapter else own_folder(model)
    if own is None:
        return model_digest(model)
    if not own.is_dir():
        raise UsageError(f"there is no adapter folder {own}; check the path")
    files = [file for file in sorted(own.iterdir()) if file.is_file()]
    facts = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return _digest_of(str(own), tuple(facts))


@cache
def _digest_of(folder: str, facts: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for name, size, _ in facts:
        digest.update(f"{name} {size}\n".encode())
        with Path(folder, name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def remove_converted(model: str) -> bool:
    """Delete what was made from ``model``'s GGUF file; False if there was nothing."""
    folder = converted_folder(model)
    there = folder.exists()
    with sentences_for_disk(folder.parent):
        if there:
            shutil.rmtree(folder)
    return there


def _convert(source: Path, folder: Path) -> None:
    import filelock

    _require_room(source, folder.parent)
    with (
        sentences_for_disk(folder.parent),
        filelock.FileLock(folder.parent / f".{folder.name}.lock"),
    ):
        if (folder / _NEEDED).exists():  # another process was quicker
            return
        # The lock is ours, so whatever an interrupted conversion left behind belongs to nobody.
        for left in folder.parent.glob(f".{folder.name}-*"):
            shutil.rmtree(left, ignore_errors=True)
        prefix = f".{folder.name}-"
        with tempfile.TemporaryDirectory(prefix=prefix, dir=folder.parent) as workshop:
            made = Path(workshop, "model")
            _write(source, made)
            made.replace(folder)


def _require_room(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    needed, free = _BYTES_PER_QUANTISED * source.stat().st_size, shutil.disk_usage(folder).free
    if free < needed:
        raise BackendError(
            f"converting {source.name} needs {needed >> 20} MiB in {folder}, where {free >> 20} "
            "MiB are free; make room or set GYMPOSIUM_CACHE to another disk"
        )


def _write(source: Path, target: Path) -> None:
    try:
        import accelerate  # noqa: F401 - transformers reads GGUF files only with it
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ModuleNotFoundError as error:
        missing = error.name or "transformers"
        raise MissingExtra("a model's weights", extra="train", module=missing) from error
    where = {"pretrained_model_name_or_path": str(source.parent), "gguf_file": source.name}
    try:
        # One of its progress bars cannot be turned off otherwise.
        with quiet(), redirect_stderr(StringIO()):
            tokenizer = AutoTokenizer.from_pretrained(**where)
            model: Any = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
            # Written as an ordinary model: it is not quantised any more.
            model.hf_quantizer = None
            del model.config.quantization_config
            model.save_pretrained(target)
            tokenizer.save_pretrained(target)
    except OSError:
        raise
    except Exception as error:  # the backend boundary: named and raised
        why = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
        raise BackendError(f"{source} cannot be converted to safetensors ({why})") from error


@contextmanager
def quiet() -> Iterator[None]:
    """Inside, transformers draws no progress bars and says nothing but errors."""
    from transformers.utils import logging

    said: Any = logging  # it has no types
    level, bars = said.get_verbosity(), said.is_progress_bar_enabled()
    said.set_verbosity_error()
    said.disable_progress_bar()
    try:
        yield
    finally:
        said.set_verbosity(level)
        if bars:
            said.enable_progress_bar()
