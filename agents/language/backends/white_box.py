"""A language model as torch sees it: weights, gradients, log-probabilities, KV cache, adapters.

What trains, explains or rewires a language model needs more than its answers; this is the one small
object that gives it. Prompts are lists of token ids, made from messages by the model's own chat
template. Nothing is drawn from torch's global generator, and gradients flow wherever the caller
has not turned them off. Adapters follow Hu et al., "LoRA: Low-Rank Adaptation of Large Language
Models" (2021), through the peft library.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymposium.errors import BackendError, GymposiumError, MissingExtra, UsageError

from ...checkpoints import FACTS, read_checkpoint
from ..weights import quiet, weights_folder
from .seeing import Eye, Pictures, pictures_of, sees

if TYPE_CHECKING:
    import torch

Messages = Sequence[Mapping[str, Any]]


class WhiteBox:
    """A causal language model with everything in reach, or one that sees, too.

    Attributes:
        model: the transformers model (a peft model once it has an adapter), in ``eval`` mode.
        tokenizer: its tokenizer, with a chat template.
        stops: ids of the tokens that end an answer.
        context: most tokens of a prompt with its completion.
        eye: what reads pictures for it; None if it is blind.
    """

    def __init__(self, model: Any, tokenizer: Any, eye: Eye | None = None) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.eye = eye
        stops = model.generation_config.eos_token_id
        stops = [*(stops if isinstance(stops, list) else [stops]), tokenizer.eos_token_id]
        self.stops = frozenset(int(each) for each in stops if each is not None)
        self.context = int(getattr(self.facts, "max_position_embeddings", 2048))
        # transformers has renamed the argument; the object is the same.
        named = "cache" in inspect.signature(model.forward).parameters
        self._cache_name = "cache" if named else "past_key_values"

    @classmethod
    def load(
        cls,
        source: str,
        *,
        device: str = "cpu",
        adapter: str | None = None,
        precision: str = "float32",
    ) -> WhiteBox:
        """Load a model.

        Args:
            source: a known name (``smollm2``), a GGUF file, or a folder in Hugging Face's layout.
            device: as torch names it.
            adapter: the folder of a LoRA adapter, or None; its numbers are always float32.
            precision: of the model's own weights, as torch names it: float32 or bfloat16.

        Raises:
            UnknownName, UsageError: there is no such model or adapter on this machine.
            MissingExtra: torch or transformers is not installed.
            BackendError: it cannot be loaded.
        """
        try:
            import torch
            from transformers import (
                AutoModelForCausalLM,
                AutoModelForImageTextToText,
                AutoTokenizer,
            )
        except ModuleNotFoundError as error:
            missing = error.name or "transformers"
            raise MissingExtra("a white-box model", extra="train", module=missing) from error
        folder = weights_folder(source)
        kind: Any = AutoModelForImageTextToText if sees(source) else AutoModelForCausalLM
        try:
            with quiet():
                tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
                model: Any = kind.from_pretrained(
                    folder, dtype=getattr(torch, precision), local_files_only=True
                )
                eye = Eye.load(folder, model) if sees(source) else None
                white_box = cls(model.to(device).eval(), tokenizer, eye)
        except GymposiumError:
            raise
        except Exception as error:  # the backend boundary: named and raised
            raise BackendError(f"{folder} cannot be loaded ({_first_line(error)})") from error
        if eye is None and tokenizer.chat_template is None:
            raise UsageError(f"{folder} is no chat model: its tokenizer has no chat template")
        if adapter is not None:
            white_box.load_adapter(adapter)
        return white_box

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        found: torch.device = next(self.model.parameters()).device
        return found

    @property
    def facts(self) -> Any:
        """Sizes of the part that reads and writes tokens: a configuration of transformers'."""
        return self.model.config.get_text_config()

    def forward(self, ids: torch.Tensor, *, cache: Any = None, **more: Any) -> Any:
        """One pass of the model.

        Args:
            ids: int64 [rows, tokens], what comes after ``cache``.
            cache: a KV cache, which is extended; None for none.
            more: further arguments of the model (``attention_mask``, ``use_cache``, …), and
                what :meth:`beside` gave.

        Returns:
            transformers' output: ``logits`` [rows, tokens, vocabulary], and a cache, for
            :meth:`cache_of`.
        """
        if cache is not None:
            more[self._cache_name] = cache
        if self.eye is not None and "position_ids" not in more:
            # Some that see would go on counting where an earlier pass, of another prompt, ended.
            known = 0 if cache is None else int(cache.get_seq_length())
            more["position_ids"] = ids.new_ones(ids.shape).cumsum(-1) - 1 + known
        return self.model(input_ids=ids, **more)

    def cache_of(self, output: Any) -> Any:
        """The KV cache that a pass with ``use_cache=True`` gave."""
        return getattr(output, self._cache_name)

    def prompt_ids(self, messages: Messages) -> list[int]:
        """The tokens of a conversation, up to where the model's answer begins.

        Args:
            messages: ``role`` and ``content``, oldest first; perhaps ``images``.

        Raises:
            UsageError: there are pictures, and the model is blind.
        """
        if self.eye is not None:
            return self.eye.prompt_ids(messages)
        if pictures_of(messages):
            raise UsageError("the model cannot see: it takes words only")
        plain = [{"role": each["role"], "content": each["content"]} for each in messages]
        encoded = self.tokenizer.apply_chat_template(
            plain, add_generation_prompt=True, return_dict=True
        )
        return [int(each) for each in encoded["input_ids"]]

    def beside(
        self, ids: torch.Tensor, mask: torch.Tensor | None, pictures: Sequence[Pictures]
    ) -> dict[str, Any]:
        """What a pass is given for the pictures of its rows; see :meth:`.Eye.beside`."""
        found = {} if self.eye is None else self.eye.beside(ids, mask, pictures)
        return {
            name: it.to(self.model.dtype) if it.is_floating_point() else it
            for name, it in found.items()
        }

    def completion_ids(self, text: str, *, end: bool = True) -> list[int]:
        """The tokens of an answer, with the one that ends it if ``end``."""
        if self.eye is not None:
            text = self.eye.harmless(text)
        ids = [int(each) for each in self.tokenizer.encode(text, add_special_tokens=False)]
        return [*ids, int(self.tokenizer.eos_token_id)] if end else ids

    def logprobs(
        self, prompt: Sequence[int], completion: Sequence[int], *, cache: Any = None
    ) -> torch.Tensor:
        """Log-probability of each token of a given completion, with gradients.

        Args:
            prompt: token ids, at least one.
            completion: token ids.
            cache: what :meth:`prefill` gave for this prompt; copied, so that it can serve again.

        Returns:
            float32 [tokens of the completion]; their sum is the completion's log-likelihood.
        """
        return self.logprobs_batch(prompt, [completion], cache=cache)[0]

    def logprobs_batch(
        self,
        prompt: Sequence[int],
        completions: Sequence[Sequence[int]],
        *,
        cache: Any = None,
        pictures: Pictures = (),
    ) -> list[torch.Tensor]:
        """As :meth:`logprobs`, of several completions of one prompt in one pass.

        Args:
            prompt: token ids, at least one.
            completions: token ids.
            cache: of this prompt; it has seen the pictures already.
            pictures: that the prompt shows, where there is no cache.

        Returns:
            One tensor for each completion, as long as that completion.
        """
        import torch

        if not prompt:
            raise UsageError("log-probabilities need a prompt of at least one token")
        longest = max((len(each) for each in completions), default=0)
        if longest == 0:
            return [torch.zeros(0, device=self.device) for _ in completions]
        # The prompt's last token predicts the first of the completion; what is cached ends before.
        known = 0 if cache is None else len(prompt) - 1
        rows = [[*prompt[known:], *each, *[0] * (longest - len(each))] for each in completions]
        ids = torch.tensor(rows, device=self.device)
        # Padding stands at the end, where no real token looks: no mask is needed.
        past = None if cache is None else self.copies(cache, known, len(rows))
        more = {} if past is not None else self.beside(ids[:, :-1], None, [pictures] * len(rows))
        logits = self.forward(ids[:, :-1], cache=past, use_cache=past is not None, **more).logits
        start = len(prompt) - 1 - known
        picked = torch.log_softmax(logits[:, start:].float(), -1).gather(
            2, ids[:, start + 1 :, None]
        )
        return [row[: len(each), 0] for row, each in zip(picked, completions, strict=True)]

    def prefill(self, prompt: Sequence[int]) -> Any:
        """The KV cache of a prompt: transformers' own object, one row, ``len(prompt)`` positions.

        Its layers hold keys and values [1, heads, tokens, features]; edit, cut, or hand it on.
        """
        import torch

        ids = torch.tensor([list(prompt)], device=self.device)
        with torch.no_grad():
            return self.cache_of(self.forward(ids, use_cache=True, logits_to_keep=1))

    @staticmethod
    def copies(cache: Any, length: int, rows: int) -> Any:
        """A cache of ``rows`` equal rows with the first ``length`` positions of ``cache``'s one."""
        from transformers import DynamicCache

        copied = DynamicCache()
        for index, layer in enumerate(cache.layers):
            keys, values = (
                each[:, :, :length].expand(rows, -1, -1, -1) for each in (layer.keys, layer.values)
            )
            copied.update(keys, values, index)
        return copied

    def add_adapter(
        self, *, rank: int = 8, alpha: float = 16.0, seed: int = 0, last: int = 0, **more: Any
    ) -> Any:
        """Freeze the weights and put a trainable LoRA adapter on the attention and MLP layers.

        An eye stays as it is: the adapter is on what reads and writes tokens.

        Args:
            rank: of the update matrices.
            alpha: their scale is ``alpha / rank``.
            seed: of their first values; the adapter changes nothing until it is trained.
            last: on how many of the last layers; 0 is all of them.
            more: further fields of ``peft.LoraConfig``.

        Returns:
            The model, whose trainable parameters are the adapter's alone.
        """
        import torch

        peft = _peft()
        if last or self.eye is not None:
            count = int(self.facts.num_hidden_layers)
            first = max(0, count - last) if last else 0
            where = tuple(f".layers.{number}." for number in range(first, count))
            told = set(self.model.get_decoder().modules())  # an eye has layers too
            more["target_modules"] = [
                name
                for name, part in self.model.named_modules()
                if isinstance(part, torch.nn.Linear)
                and part in told
                and any(it in f".{name}" for it in where)
            ]
        config = peft.LoraConfig(
            **{"r": rank, "lora_alpha": alpha, "target_modules": "all-linear",
               "lora_dropout": 0.0, "task_type": "CAUSAL_LM", **more}
        )  # fmt: skip
        with torch.random.fork_rng(devices=[]):  # peft knows no generator but the global one
            torch.manual_seed(seed)
            self.model = peft.get_peft_model(self.model, config).eval()
        return self.model

    def load_adapter(self, folder: str) -> Any:
        """Put a saved adapter on, for playing.

        Args:
            folder: peft's, or a checkpoint of a method that fine-tunes language models.

        Raises:
            UsageError: it holds none, or one that does not fit.
        """
        if Path(folder, FACTS).is_file():
            return self._load_checkpoint(Path(folder))
        if not Path(folder, "adapter_config.json").is_file():
            raise UsageError(f"{folder} is no adapter: it has no adapter_config.json")
        try:
            with quiet():
                self.model = _peft().PeftModel.from_pretrained(self.model, folder).eval()
        except (RuntimeError, ValueError, KeyError) as error:
            raise UsageError(
                f"the adapter {folder} does not fit the model ({_first_line(error)})"
            ) from error
        return self.model

    def _load_checkpoint(self, folder: Path) -> Any:
        """Put the adapter of a checkpoint on."""
        state = read_checkpoint(folder).state().get("adapted")
        if state is None:
            raise UsageError(f"{folder} is a checkpoint, but not of a language model")
        facts = state["facts"]
        self.add_adapter(rank=facts["rank"], alpha=facts["alpha"], last=facts.get("last", 0))
        for name, parameter in self.model.named_parameters():
            if parameter.requires_grad:
                found = state["now"].get(name)
                if found is None or found.shape != parameter.shape:
                    raise UsageError(f"the adapter {folder} does not fit the model ({name})")
                parameter.data.copy_(found)
        return self.model

    def save_adapter(self, folder: str | Path) -> None:
        """Write the adapter as safetensors, for ``llm:transformers/MODEL?adapter=FOLDER``."""
        if not hasattr(self.model, "peft_config"):
            raise UsageError("the model has no adapter to save; add_adapter() puts one on")
        self.model.save_pretrained(folder)


def _peft() -> Any:
    try:
        import peft
    except ModuleNotFoundError as error:
        raise MissingExtra("a LoRA adapter", extra="train", module="peft") from error
    return peft


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
