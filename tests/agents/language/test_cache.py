import asyncio
import logging
import multiprocessing
import sqlite3

import numpy as np
import pytest

from gymposium.agents.language.backends.cache import Payer, ResponseCache, clear
from gymposium.agents.language.backends.cache_key import FIELDS, differences, key_of, question
from gymposium.agents.language.backends.calls import Scope, ask_model, calling
from gymposium.agents.language.backends.pool import get_backend
from gymposium.agents.language.backends.protocol import Completion
from gymposium.agents.language.backends.scripted import ScriptedBackend
from gymposium.errors import BackendError, StoreError, UsageError
from gymposium.types import Usage

MESSAGES = [{"role": "system", "content": "rules"}, {"role": "user", "content": "turn 1"}]
PARAMETERS = {"n": 1, "logprobs": 0, "temperature": 0.7, "top_p": 1.0, "max_tokens": 64}


def asked(**changes):
    facts = {"model": "m@http://h/v1", "messages": MESSAGES, "schema": {"type": "string"}}
    facts |= {"parameters": PARAMETERS, "sample": 7} | changes
    return question(facts.pop("model"), facts.pop("messages"), **facts)


class Counting:
    """A backend that answers with how often it was asked."""

    name = "counting"
    deterministic = trainable = False
    context_tokens = None

    def __init__(self, delay=0.0):
        self.calls = 0
        self.delay = delay

    async def complete(self, messages, **parameters):
        self.calls += 1
        mine = self.calls
        await asyncio.sleep(self.delay)
        if messages[-1]["content"] == "fail":
            raise BackendError("down")
        return [Completion(f"answer {mine}", Usage(10, 2, 1), seconds=0.5, logprobs=(-0.5,))]


@pytest.fixture
def cache(tmp_path):
    opened = ResponseCache(tmp_path / "answers.sqlite")
    yield opened
    opened.close()


def ask(backend, cache, *texts, payer=Payer(), **parameters):  # noqa: B008 - a named tuple
    """The completions of several questions put at once, in one scope."""

    async def go():
        with calling(Scope(cache=cache, payer=payer)):
            return await asyncio.gather(
                *(
                    ask_model(
                        backend, [{"role": "user", "content": text}], **{"seed": 1, **parameters}
                    )
                    for text in texts
                )
            )

    return [found[0] for found in asyncio.run(go())]


# The key.


def test_the_key_is_frozen():
    """If this fails, every cache in the world has died: bump VERSION only if that is meant."""
    assert key_of(asked()).hex() == "ec46992777918c5929db942fb9eae493"
    cold = asked(parameters={**PARAMETERS, "temperature": 0.0})
    assert key_of(cold).hex() == "f5cef82d3a5a8c005dcc0ed7b6503f8a"
    assert tuple(asked()) == FIELDS


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "other"},
        {"messages": MESSAGES[:1]},
        {"messages": [*MESSAGES, {"role": "user", "content": "x"}]},
        {"schema": None},
        {"parameters": {**PARAMETERS, "temperature": 0.8}},
        {"parameters": {**PARAMETERS, "top_p": 0.9}},
        {"parameters": {**PARAMETERS, "max_tokens": 65}},
        {"parameters": {**PARAMETERS, "n": 2}},
        {"parameters": {**PARAMETERS, "logprobs": 1}},
        {"sample": 8},
    ],
)
def test_whatever_can_change_an_answer_changes_the_key(changes):
    assert key_of(asked(**changes)) != key_of(asked())


def test_at_temperature_0_the_sample_does_not_matter():
    cold = {**PARAMETERS, "temperature": 0.0}
    assert key_of(asked(parameters=cold, sample=1)) == key_of(asked(parameters=cold, sample=2))


def test_the_order_of_keys_does_not_matter_and_pictures_do():
    turned = dict(reversed(PARAMETERS.items()))
    assert key_of(asked(parameters=turned)) == key_of(asked())
    black, white = np.zeros((2, 2, 3), np.uint8), np.full((2, 2, 3), 255, np.uint8)
    keys = {
        key_of(asked(messages=[{"role": "user", "content": "look", "images": (image,)}]))
        for image in (black, white, black.reshape(1, 4, 3), black.copy())
    }
    assert len(keys) == 3


def test_differences_are_named_field_by_field():
    one = asked(parameters={**PARAMETERS, "temperature": 0.2}, sample=9)
    assert differences(one, asked()) == {"temperature": "0.2, not 0.7", "sample": "9, not 7"}
    longer = [MESSAGES[0], {"role": "user", "content": "turn 2"}]
    (place,) = differences(asked(messages=longer), asked())
    assert place == "messages[1] (user) from character 5"
    assert differences(asked(), asked()) == {}


# The file.


def test_an_answer_is_paid_for_once(cache):
    backend = Counting()
    first = ask(backend, cache, "a")[0]
    again = ask(backend, cache, "a")[0]
    assert backend.calls == 1
    assert not first.cached
    assert again == first._replace(cached=True, money=0.0)


def test_other_samples_are_other_answers_and_unseeded_ones_are_never_kept(cache):
    backend = Counting()
    ask(backend, cache, "a", seed=1)
    ask(backend, cache, "a", seed=2)
    ask(backend, cache, "a", seed=None)
    ask(backend, cache, "a", seed=None)
    assert backend.calls == 4
    ask(backend, cache, "a", seed=None, temperature=0.0)
    ask(backend, cache, "a", seed=5, temperature=0.0)
    assert backend.calls == 5


def test_the_same_question_asked_at_once_makes_one_call(cache):
    backend = Counting(delay=0.02)
    found = ask(backend, cache, *["a"] * 20, "b")
    assert backend.calls == 2
    assert len({each.text for each in found[:20]}) == 1
    assert sum(not each.cached for each in found) == 2


def test_a_failed_call_keeps_nothing_and_holds_nobody_up(cache):
    backend = Counting(delay=0.01)

    async def go():
        with calling(Scope(cache=cache)):
            question = [{"role": "user", "content": "fail"}]
            return await asyncio.gather(
                *(ask_model(backend, question, seed=1) for _ in range(3)), return_exceptions=True
            )

    assert [type(each) for each in asyncio.run(go())] == [BackendError] * 3
    assert cache.stats()["answers"] == 0


def test_what_a_match_bought_before_it_was_stopped_is_bought_not_found(cache):
    backend = Counting()
    mine, other = Payer("run", "match"), Payer("run", "another match")
    bought = ask(backend, cache, "a", payer=mine)[0]
    # The match is played again: its own purchase counts once, a second look is a find.
    again, twice = ask(backend, cache, "a", "a", payer=mine)
    assert again == bought
    assert twice.cached
    assert ask(backend, cache, "a", payer=other)[0].cached
    assert backend.calls == 1


def test_a_second_process_finds_what_the_first_one_kept(tmp_path):
    path = str(tmp_path / "answers.sqlite")
    context = multiprocessing.get_context("spawn")
    with context.Pool(3) as pool:
        texts = pool.map(_fill, [path] * 6)
    opened = ResponseCache(path)
    # Who came first decides; whatever a process got, it is what stands in the file.
    assert opened.stats()["answers"] == 40
    kept = {
        key: opened.get(key).completions[0].text
        for (key,) in opened._db.execute("SELECT key FROM answers")
    }
    for found in texts:
        assert found == {key.hex(): text for key, text in kept.items()}
    opened.close()


def _fill(path):
    opened = ResponseCache(path)
    made = {}
    for number in range(40):
        wanted = asked(sample=number)
        mine = [Completion(f"{number} by {multiprocessing.current_process().name}")]
        key = key_of(wanted)
        made[key.hex()] = opened.put(key, wanted, mine, Payer("r", "m"))[0].text
    opened.close()
    return made


def test_stats_count_by_model(cache):
    ask(Counting(), cache, "a", "b")
    stats = cache.stats()
    assert (stats["answers"], stats["models"][0]["model"]) == (2, "counting")
    assert stats["models"][0]["prompt_tokens"] == 20
    assert stats["bytes"] > 0


def test_a_miss_is_explained_by_its_nearest_older_question(cache):
    backend = Counting()
    ask(backend, cache, "a long question about apples", payer=Payer("old", "m"))
    ask(backend, cache, "another thing altogether", payer=Payer("old", "m"))
    ask(backend, cache, "a long question about apples", payer=Payer("new", "m"), temperature=0.1)
    (explained,) = cache.explain("new")
    assert explained["differs"] == {"temperature": "0.1, not 0.7"}
    assert [each["differs"] for each in cache.explain("old")] == [{}, {}]


@pytest.mark.parametrize("content", [b"no database, whatever it is called", b"\x00" * 9000])
def test_a_file_that_is_no_cache_is_said_at_once(tmp_path, content):
    path = tmp_path / "answers.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"corrupt or cannot be used.*gymposium cache clear"):
        ResponseCache(path)
    with pytest.raises(UsageError, match="not an answer cache"):
        clear(path)
    assert path.exists()


def test_a_damaged_cache_is_said_or_does_without_and_can_be_cleared(tmp_path, caplog):
    path = tmp_path / "answers.sqlite"
    opened = ResponseCache(path)
    ask(Counting(), opened, *map(str, range(200)))
    opened.close()
    whole = bytearray(path.read_bytes())
    whole[4096:] = b"\xff" * (len(whole) - 4096)  # the header still looks well
    path.write_bytes(whole)
    opened = ResponseCache(path)
    backend = Counting()
    with caplog.at_level(logging.WARNING, logger="gymposium.llm"):
        assert len(ask(backend, opened, *map(str, range(5)))) == 5
    assert backend.calls == 5
    (said,) = [r.getMessage() for r in caplog.records if r.name == "gymposium.llm"]
    assert "goes on without it" in said
    opened.close()
    assert clear(path) > 0
    assert not path.exists()


def test_another_programs_database_is_left_alone(tmp_path):
    path = tmp_path / "mine.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE notes (words TEXT)")
    with pytest.raises(StoreError, match="another program's file"):
        ResponseCache(path)
    with pytest.raises(UsageError):
        clear(path)


def test_a_cache_of_another_version_is_refused(tmp_path):
    path = tmp_path / "answers.sqlite"
    ResponseCache(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")
    with pytest.raises(StoreError, match="another version"):
        ResponseCache(path)


def test_without_a_scope_the_backend_is_simply_asked():
    backend = Counting()
    for _ in range(2):
        asyncio.run(ask_model(backend, MESSAGES, seed=1))
    assert backend.calls == 2


def test_an_embedded_models_answers_are_repeated_exactly_from_the_cache(cache, smollm2):
    backend = get_backend(smollm2)
    first = ask(backend, cache, *"abcd", max_tokens=8)
    again = ask(backend, cache, *"dcba", max_tokens=8)[::-1]
    assert [each.text for each in again] == [each.text for each in first]
    assert all(each.cached for each in again)
    assert not any(each.cached for each in first)
    assert all(each.money == 0.0 for each in first)


def test_what_came_beside_the_text_is_kept_too(tmp_path):
    cache = ResponseCache(tmp_path / "answers.sqlite")
    made = [Completion("b", trace=({"kind": "tool_call", "name": "look"},))]
    key = key_of(asked())
    cache.put(key, asked(), made, Payer())
    assert cache.get(key).completions == made
    cache.close()


def test_half_a_surrogate_pair_that_another_seat_said_can_be_asked_and_kept(cache):
    backend = ScriptedBackend("echo")
    backend.name = "an endpoint"  # stand-ins are not kept
    for _ in range(2):
        (found,) = ask(backend, cache, "h\ud83di")
        assert found.text.encode()
    assert found.cached


@pytest.mark.parametrize("kept", ["[]", "5", '["x"]', "[{}]", "{"])
def test_a_row_that_holds_no_answer_is_said_and_the_run_goes_on_without(tmp_path, caplog, kept):
    opened = ResponseCache(tmp_path / "a.sqlite")
    backend = ScriptedBackend("echo")
    backend.name = "an endpoint"
    ask(backend, opened, "hi")
    opened._db.execute("UPDATE answers SET answer = ?, question = ?", (kept, b"no zstd"))
    with caplog.at_level(logging.WARNING, "gymposium.llm"):
        (found,) = ask(backend, opened, "hi")
    assert not found.cached
    assert "goes on without it" in caplog.text
    with pytest.raises(StoreError, match="a question cannot be read"):
        opened.explain("")
    opened.close()
