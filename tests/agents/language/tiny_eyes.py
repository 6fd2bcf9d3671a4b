"""Vision-language models of some ten thousand weights, drawn at random: LLaVA, Idefics3, Qwen2-VL.

The first SmolVLM is an Idefics3. The processor of Qwen2-VL wants torchvision, which the product
does not need: a stand-in does the same with the same image processor.
"""

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    CLIPImageProcessorPil,
    CLIPVisionConfig,
    Idefics3Config,
    Idefics3ForConditionalGeneration,
    Idefics3ImageProcessorPil,
    Idefics3Processor,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen2VLImageProcessorPil,
)

from gymposium.agents.language.backends.seeing import Eye
from gymposium.agents.language.backends.white_box import WhiteBox
from gymposium.envs import registry

TEMPLATE = (
    "{%% for m in messages %%}<|im_start|>{{ m.role }}\n{%% for p in m.content %%}"
    "{%% if p.type == 'image' %%}%s{%% else %%}{{ p.text }}{%% endif %%}{%% endfor %%}<|im_end|>\n"
    "{%% endfor %%}{%% if add_generation_prompt %%}<|im_start|>assistant\n{%% endif %%}"
)
WORDS = dict(
    hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=4096, initializer_range=0.3, bos_token_id=1,
    eos_token_id=2, pad_token_id=0,
)  # fmt: skip


def tokenizer(*special):
    tokens = Tokenizer(models.BPE())
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>", *special],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    lake = registry.make_world("frozen_lake-v0", strategy="no_think", form="json")
    told = [lake.reset(0)["player_0"].text, lake.rules("player_0")]
    tokens.train_from_iterator(told * 20, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokens, bos_token="<|im_start|>", eos_token="<|im_end|>",
        pad_token="<|endoftext|>", additional_special_tokens=list(special),
    )  # fmt: skip


def llava(folder):
    words = tokenizer("<image>")
    processor = LlavaProcessor(
        CLIPImageProcessorPil(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}),
        words, patch_size=14, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=TEMPLATE % "<image>",
    )  # fmt: skip
    eye = CLIPVisionConfig(
        hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        image_size=28, patch_size=14, projection_dim=16, initializer_range=0.3,
    )  # fmt: skip
    config = LlavaConfig(
        vision_config=eye, text_config=LlamaConfig(vocab_size=len(words), **WORDS),
        image_token_index=words.convert_tokens_to_ids("<image>"), vision_feature_layer=-1,
    )  # fmt: skip
    return save(folder, LlavaForConditionalGeneration, config, processor)


def idefics3(folder):
    words = tokenizer("<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>")
    processor = Idefics3Processor(
        Idefics3ImageProcessorPil(
            size={"longest_edge": 32}, max_image_size={"longest_edge": 32}, do_image_splitting=False
        ),
        words, image_seq_len=4, chat_template=TEMPLATE % "<image>",
    )  # fmt: skip
    eye = dict(
        hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        image_size=32, patch_size=8, initializer_range=0.3,
    )  # fmt: skip
    config = Idefics3Config(
        vision_config=eye, text_config=dict(model_type="llama", vocab_size=len(words), **WORDS),
        image_token_id=words.convert_tokens_to_ids("<image>"), scale_factor=2, pad_token_id=0,
    )  # fmt: skip
    return save(folder, Idefics3ForConditionalGeneration, config, processor)


def save(folder, kind, config, processor):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        kind(config).save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


class QwenProcessor:
    """The stand-in."""

    image_token = "<|image_pad|>"
    chat_template = TEMPLATE % "<|vision_start|><|image_pad|><|vision_end|>"

    def __init__(self, words):
        self.tokenizer = words
        self.image_token_id = words.convert_tokens_to_ids(self.image_token)
        self._eye = Qwen2VLImageProcessorPil(
            patch_size=4, merge_size=2, temporal_patch_size=2, min_pixels=64, max_pixels=32 * 32
        )

    def apply_chat_template(self, messages, *, add_generation_prompt=False, **_):
        text = self.tokenizer.apply_chat_template(
            messages, chat_template=self.chat_template, tokenize=False,
            add_generation_prompt=add_generation_prompt,
        )  # fmt: skip
        shown = [part["image"] for m in messages for part in m["content"] if "image" in part]
        made = self._eye(shown, return_tensors="pt") if shown else {}
        before, *behind = text.split(self.image_token)
        for grid, part in zip(made.get("image_grid_thw", ()), behind, strict=True):
            before += self.image_token * (int(grid.prod()) // 4) + part
        ids = torch.tensor([self.tokenizer.encode(before, add_special_tokens=False)])
        kinds = (ids == self.image_token_id).long()
        return {"input_ids": ids, "mm_token_type_ids": kinds, **made}


def qwen():
    words = tokenizer("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
    turn = {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 10000.0}
    eye = dict(
        depth=2, embed_dim=16, hidden_size=32, num_heads=2, mlp_ratio=2, patch_size=4,
        spatial_merge_size=2, temporal_patch_size=2,
    )  # fmt: skip
    ids = {
        f"{name}_token_id": words.convert_tokens_to_ids(f"<|{name}_pad|>")
        for name in ("image", "video")
    }
    config = Qwen2VLConfig(
        vision_config=eye, **ids,
        text_config=dict(vocab_size=len(words), rope_parameters=turn, **WORDS),
        vision_start_token_id=words.convert_tokens_to_ids("<|vision_start|>"),
        vision_end_token_id=words.convert_tokens_to_ids("<|vision_end|>"),
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = Qwen2VLForConditionalGeneration(config).eval()
        with torch.no_grad():  # its own start is near zero in the eye
            for parameter in model.model.visual.parameters():
                parameter.normal_(0, 0.3)
    return WhiteBox(model, words, Eye(QwenProcessor(words), model))
