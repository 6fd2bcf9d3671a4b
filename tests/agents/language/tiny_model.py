"""A language model of a few thousand weights, drawn at random: everything of one but its sense."""

import random

WORDS = (
    "cooperate", "defect", "action", "round", "fox", "game", "answer", "you", "play", "the", "a",
    "of", "and", "say", "it", "yes", "no",
)  # fmt: skip
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def make_tiny_model(folder, *, seed=0, context=1024):
    """Write the model to ``folder``, in the layout of Hugging Face."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    tokens = Tokenizer(models.BPE())
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    shuffled = random.Random(seed)
    tokens.train_from_iterator(
        (" ".join(shuffled.sample(WORDS, 6)) + ' {"action":"' for _ in range(200)), trainer
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tokens, bos_token="<|im_start|>", eos_token="<|im_end|>",
        pad_token="<|im_end|>", chat_template=TEMPLATE,
    )  # fmt: skip
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=48, intermediate_size=96, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=context,
        bos_token_id=1, eos_token_id=2, pad_token_id=2, initializer_range=0.3,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
