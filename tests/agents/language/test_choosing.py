import asyncio
import math
from collections import Counter

import numpy as np
import pytest

from gymposium.agents.language.answer_schema import answer_schema
from gymposium.agents.language.backends.choosing import Choosing, legal_answers
from gymposium.agents.language.backends.openai import OpenAIBackend
from gymposium.agents.language.backends.pool import get_backend
from gymposium.agents.language.backends.protocol import Scored
from gymposium.agents.language.backends.transformers import TransformersBackend
from gymposium.agents.language.llm_agent import LLMAgent
from gymposium.agents.registry import resolve
from gymposium.errors import BackendError, UsageError
from gymposium.types import Usage

from .http_server import completion, send, serving
from .stand_ins import SCHEMA, Recording, make_seat, make_turn, play


def whole(action):
    return answer_schema(action, think=False, max_text=None).schema


class Scoring(Recording):
    """Finds answers as likely as it was told."""

    def __init__(self, **likelihoods):
        super().__init__()
        self.likelihoods = likelihoods

    async def score(self, messages, choices, *, timeout=None):
        value = [np.log(self.likelihoods[text.split('"')[3]]) / 2 for text in choices]
        return [Scored(t, (1, 2), (v, v), Usage(5, 2)) for t, v in zip(choices, value, strict=True)]


def chosen(backend, n=1, **parameters):
    found = asyncio.run(backend.complete([], schema=whole(SCHEMA), n=n, **parameters))
    return [each.text for each in found]


def test_choices_are_drawn_in_proportion_to_their_likelihood():
    backend = Choosing(Scoring(cooperate=0.03, defect=0.01))
    counts = Counter(chosen(backend, 4000, seed=0, temperature=1.0))
    assert counts['{"action":"cooperate"}'] / 4000 == pytest.approx(0.75, abs=0.025)
    # At half the temperature likelihoods are squared.
    counts = Counter(chosen(backend, 4000, seed=0, temperature=0.5))
    assert counts['{"action":"cooperate"}'] / 4000 == pytest.approx(0.9, abs=0.02)


def test_at_temperature_zero_and_in_a_small_nucleus_the_likeliest_wins():
    backend = Choosing(Scoring(cooperate=0.3, defect=0.4))
    assert set(chosen(backend, 20, seed=1, temperature=0)) == {'{"action":"defect"}'}
    assert set(chosen(backend, 20, seed=1, top_p=0.5)) == {'{"action":"defect"}'}


def test_all_choices_and_their_scores_are_kept_in_the_trace():
    agent = LLMAgent(Choosing(Scoring(cooperate=0.3, defect=0.1)), think=False)
    agent.reset(make_seat(), 0)
    (reply,) = play(agent, [make_turn(0, "Round 1.")])
    (event,) = reply.trace
    assert event["choices"] == ['{"action":"cooperate"}', '{"action":"defect"}']
    np.testing.assert_allclose(np.exp(event["logprobs"]), [0.3, 0.1])
    assert reply.calls[0].usage == (10, 4, 0)


@pytest.mark.parametrize(
    ("action", "answers"),
    [
        (SCHEMA, ['{"action":"cooperate"}', '{"action":"defect"}']),
        ({"type": "integer", "minimum": 1, "maximum": 3}, [f'{{"action":{n}}}' for n in (1, 2, 3)]),
        ({"type": "boolean"}, ['{"action":true}', '{"action":false}']),
        ({"const": 4}, ['{"action":4}']),
        ({"type": "integer", "minimum": 1, "maximum": 300}, []),
        ({"type": "string"}, []),
        ({"type": "object", "properties": {"a": SCHEMA}}, []),
    ],
)
def test_legal_answers_are_listed_where_they_are_few(action, answers):
    assert legal_answers(whole(action)) == answers


def test_what_cannot_be_listed_is_written():
    backend = Choosing(Scoring())
    found = asyncio.run(backend.complete([], schema=whole({"type": "string"}), seed=3))
    assert found[0].text == '{"action":"cooperate"}'  # what the recording says
    assert not found[0].trace


def test_a_model_that_cannot_score_is_refused(tiny_model):
    with pytest.raises(BackendError, match="cannot tell how likely"):
        Choosing(Recording())
    with pytest.raises(UsageError, match="llm:transformers/legal would"):
        resolve("llm:scripted/legal?choose=likelihood")
    with pytest.raises(UsageError, match="leaves no room for think=1"):
        resolve(f"llm:transformers/{tiny_model}?choose=likelihood&think=1")


def test_a_model_of_random_weights_plays_by_its_likelihoods(tiny_model):
    spec = resolve(f"llm:transformers/{tiny_model}?exact=1&choose=likelihood&temperature=0")
    assert spec.identity != resolve(f"llm:transformers/{tiny_model}?exact=1&temperature=0").identity
    agent = spec.create()
    agent.reset(make_seat(), 0)
    turn = make_turn(0, "Round 1.")
    (reply,) = play(agent, [turn])
    backend = TransformersBackend("tiny", str(tiny_model))
    box = backend.white_box()
    prompt = box.prompt_ids(reply.calls[0].messages)
    best = max(
        legal_answers(whole(SCHEMA)),
        key=lambda text: float(box.logprobs(prompt, box.completion_ids(text)).sum().detach()),
    )
    assert reply.text == best


def told(**likely):
    """An endpoint's answer: how likely each first token was."""
    top = [{"token": token, "logprob": math.log(share)} for token, share in likely.items()]
    body = completion("A", usage=(90, 1, 0))
    first = {"token": "A", "logprob": -1.0, "top_logprobs": top}
    body["choices"][0]["logprobs"] = {"content": [first]}
    return body


def by_letters(body, **parameters):
    """What is picked at an endpoint that answers with ``body``, and what it was sent."""

    async def go(url):
        backend = Choosing(OpenAIBackend("m", url), letters=True)
        messages = [{"role": "user", "content": "Round 1."}]
        parameters.setdefault("schema", whole(SCHEMA))
        found = await backend.complete(messages, seed=1, **parameters)
        await backend.close()
        return found

    async def behave(server, request, writer):
        send(writer, body)

    with serving(behave) as server:
        return asyncio.run(go(server.url)), server.asked


def test_an_endpoint_that_tells_log_probabilities_picks_by_letters():
    body = told(A=0.2, **{" B": 0.5, "B": 0.1, "The": 0.1})
    found, asked = by_letters(body, temperature=0, n=2)
    assert {each.text for each in found} == {'{"action":"defect"}'}
    assert sum((np.array(each.usage) for each in found), np.zeros(3)).tolist() == [90, 1, 0]
    np.testing.assert_allclose(np.exp(found[0].trace[0]["logprobs"]), [0.2, 0.6])
    (sent,) = asked
    assert (sent["max_tokens"], sent["top_logprobs"], sent["temperature"]) == (1, 20, 1.0)
    assert sent["messages"][-1]["content"] == (
        'Round 1.\n\nYour options:\nA) {"action":"cooperate"}\nB) {"action":"defect"}\n'
        "Answer with the letter of one option only."
    )
    only_b, _ = by_letters(told(B=0.5, x=0.01))  # A is as likely as the least that is told of
    np.testing.assert_allclose(np.exp(only_b[0].trace[0]["logprobs"]), [0.01, 0.5])


@pytest.mark.parametrize("body", [completion("A"), told(x=0.5), told(A=float("nan"))])
def test_an_endpoint_that_does_not_tell_of_the_letters_is_refused_with_the_remedy(body):
    with pytest.raises(BackendError, match="leave out choose=likelihood"):
        by_letters(body)


def test_more_options_than_letters_are_answered_in_writing():
    many = {"type": "integer", "minimum": 1, "maximum": 21}
    found, asked = by_letters(completion('{"action": 21}'), schema=whole(many))
    assert found[0].text == '{"action": 21}'
    assert "top_logprobs" not in asked[0]


def test_the_model_in_this_process_scores_as_torch_does(smollm2):
    """Relative to each other: llama.cpp rounds, and may end an answer by another token."""
    messages = [{"role": "user", "content": "Round 1. Do you cooperate, defect or wait?"}]
    choices = [f'{{"action":"{word}"}}' for word in ("cooperate", "defect", "wait")]

    async def score(name):
        backend = get_backend(name)
        return await backend.score(messages, choices)

    ours, theirs = (asyncio.run(score(name)) for name in (smollm2, f"transformers/{smollm2}"))
    assert [each.ids for each in ours] == [each.ids[:-1] for each in theirs]
    sums = [np.array([sum(each.logprobs) for each in found]) for found in (ours, theirs)]
    differences = [each - each.mean() for each in sums]
    np.testing.assert_allclose(*differences, atol=1.0)
    assert np.ptp(sums[1]) > 2.0
