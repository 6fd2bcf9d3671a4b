"""The eye of a vision-language model: what it is given beside its tokens.

A processor of Hugging Face's turns a conversation with pictures into tokens, some of which stand
for a picture, and the pictures into numbers. Tokens are kept in rollouts, pictures as the world
drew them; the numbers are made again for each pass, since they may take a hundred times the room.
Where a model counts places in a picture by rows and columns (Qwen2-VL's rotary positions), the
places of all tokens are made here too.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import orjson

from gymposium.errors import BackendError, UsageError

from ..weights import own_folder
from .images import checked

if TYPE_CHECKING:
    import torch

Pictures: TypeAlias = tuple[np.ndarray[Any, Any], ...]
_PROCESSORS = ("processor_config.json", "preprocessor_config.json")
_OF_TOKENS = ("input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids")


def pictures_of(messages: Sequence[Mapping[str, Any]]) -> Pictures:
    """All pictures of a conversation, in order."""
    return tuple(image for message in messages for image in message.get("images", ()))


def sees(model: str) -> bool:
    """Whether ``model`` is the folder of a model that sees.

    Raises:
        UnknownName, UsageError: there is no such model on this machine.
    """
    folder = own_folder(model)
    return folder is not None and _sees(folder)


def _sees(folder: Path) -> bool:
    if not any((folder / name).is_file() for name in _PROCESSORS):
        return False
    try:
        config = orjson.loads((folder / "config.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return False  # loading it will say what is wrong
    return isinstance(config, dict) and "vision_config" in config


class Eye:
    """What reads pictures for a model.

    Args:
        processor: of transformers, with a chat template.
        model: gives places where they are more than counting.

    Attributes:
        token: the id of the token that stands for a picture, or for a part of one.
    """

    def __init__(self, processor: Any, model: Any) -> None:
        self._processor = processor
        self.token = int(processor.image_token_id)
        self._places = getattr(getattr(model, "model", None), "get_rope_index", None)
        marks = {getattr(processor, "image_token", None), *processor.tokenizer.all_special_tokens}
        self._marks = sorted(filter(None, marks), key=len, reverse=True)

    @classmethod
    def load(cls, folder: Path, model: Any) -> Eye:
        """The processor in a model's folder.

        Raises:
            BackendError: it cannot be made.
            UsageError: it has no chat template.
        """
        from transformers import AutoProcessor

        made: Any = AutoProcessor  # it has no types
        try:
            processor = made.from_pretrained(folder, local_files_only=True)
        except Exception as error:  # the backend boundary: named and raised
            why = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
            if importlib.util.find_spec("torchvision") is None:
                why += "; many processors need torchvision, which is not installed here"
            raise BackendError(f"the processor in {folder} cannot be made ({why})") from error
        if getattr(processor, "chat_template", None) is None:
            raise UsageError(f"{folder} is no chat model: its processor has no chat template")
        return cls(processor, model)

    def prompt_ids(self, messages: Sequence[Mapping[str, Any]]) -> list[int]:
        """The tokens of a conversation, pictures being behind the words of their message."""
        parts = [
            {
                "role": each["role"],
                "content": [
                    {"type": "text", "text": self.harmless(each["content"])},
                    *({"type": "image", "image": checked(it)} for it in each.get("images", ())),
                ],
            }
            for each in messages
        ]
        ids = self._processed(parts, add_generation_prompt=True)["input_ids"]
        return [int(each) for each in ids[0]]

    def beside(
        self, ids: torch.Tensor, mask: torch.Tensor | None, pictures: Sequence[Pictures]
    ) -> dict[str, Any]:
        """Further arguments of a pass over prompts that have not been read yet.

        Args:
            ids: int64 ``[rows, tokens]``, replies behind the prompts included.
            mask: 0 at padding; None where there is none.
            pictures: of each row.

        Returns:
            What the processor makes of the pictures; ``position_ids`` where it is the model's own.
        """
        import torch

        made = [self._seen(row) for row in pictures if row]
        if not made:
            return {}
        found = {
            name: _stacked([each[name] for each in made]).to(ids.device)
            for name in made[0]
            if name not in _OF_TOKENS
        }
        kinds = [name for name in ("token_type_ids", "mm_token_type_ids") if name in made[0]]
        shown = (ids == self.token).to(torch.int64) if kinds else ids
        if mask is not None:
            shown = shown * mask
        found |= dict.fromkeys(kinds, shown)
        if self._places is not None:
            found["position_ids"], _ = self._places(
                ids,
                mm_token_type_ids=shown,
                image_grid_thw=found["image_grid_thw"],
                attention_mask=mask,
            )
        return found

    def _seen(self, pictures: Pictures) -> Mapping[str, torch.Tensor]:
        parts = [{"type": "image", "image": checked(picture)} for picture in pictures]
        return self._processed([{"role": "user", "content": parts}])

    def _processed(self, parts: Sequence[Any], **more: Any) -> Mapping[str, torch.Tensor]:
        found: Mapping[str, torch.Tensor] = self._processor.apply_chat_template(
            parts, tokenize=True, return_dict=True, return_tensors="pt", **more
        )
        return found

    def harmless(self, text: str) -> str:
        """The text without what stands for a picture, or for anything else but itself."""
        for mark in self._marks:
            text = text.replace(mark, f"{mark[0]} {mark[1:]}")
        return text


def _stacked(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """One behind the other along the first axis; what is smaller is padded with 0."""
    import torch
    import torch.nn.functional as F

    most = [max(sizes) for sizes in zip(*(it.shape[1:] for it in tensors), strict=True)]
    padded = [
        F.pad(it, [n for a in range(len(most), 0, -1) for n in (0, most[a - 1] - it.shape[a])])
        for it in tensors
    ]
    return torch.cat(padded)
