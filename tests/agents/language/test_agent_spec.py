import pickle

import pytest

from gymposium.agents.language.agent_spec import AGENT_PARAMETERS, llm_agent_spec, llm_models
from gymposium.agents.language.backends.pool import close_all, get_backend
from gymposium.agents.language.llm_agent import LLMAgent
from gymposium.errors import UnknownName, UsageError


def test_each_call_of_the_factory_makes_a_fresh_agent_on_one_shared_backend():
    spec = llm_agent_spec("scripted/legal")
    first, second = spec.factory(), spec.factory()
    assert isinstance(first, LLMAgent)
    assert first is not second
    assert first._backend is second._backend


def test_a_stand_in_says_so_and_is_deterministic():
    spec = llm_agent_spec("scripted/legal")
    assert spec.name == "scripted/legal"
    assert "stand-in" in spec.identity
    assert spec.deterministic


def test_what_changes_play_changes_the_identity_and_nothing_else_does(smollm2):
    plain = llm_agent_spec(smollm2).identity
    for change in ({"temperature": 0.1}, {"think": 1}, {"persona": "x"}, {"exact": 1}):
        assert llm_agent_spec(smollm2, change).identity != plain
    for knob in ({"slots": 2}, {"threads": 1}):
        assert llm_agent_spec(smollm2, knob).identity == plain
    assert llm_agent_spec("smollm2-135m").identity == plain
    assert "b179c9523d0e" in plain


def test_only_the_exact_model_is_deterministic(smollm2):
    assert not llm_agent_spec(smollm2).deterministic
    assert llm_agent_spec(smollm2, {"exact": 1}).deterministic


def test_a_misspelt_parameter_or_model_names_the_nearest(smollm2):
    with pytest.raises(UnknownName, match="did you mean 'temperature'"):
        llm_agent_spec("scripted/legal", {"temprature": 1})
    with pytest.raises(UnknownName, match="did you mean 'context'"):
        llm_agent_spec(smollm2, {"contxt": 1})
    with pytest.raises(UnknownName, match="smollm2"):
        llm_agent_spec("smollm3")
    with pytest.raises(UnknownName, match="did you mean 'rubbish'"):
        llm_agent_spec("scripted/rubish")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("temperature", -1),
        ("temperature", "hot"),
        ("temperature", True),
        ("top_p", 0),
        ("max_tokens", 0),
        ("max_tokens", 1.5),
        ("memory_tokens", -1),
        ("think", "maybe"),
        ("max_text", 0),
        ("persona", ["a"]),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(key, value):
    with pytest.raises(UsageError, match=AGENT_PARAMETERS[key][:12]):
        llm_agent_spec("scripted/legal", {key: value})


@pytest.mark.parametrize("settings", [{"slots": 0}, {"exact": 2}, {"context": "big"}])
def test_a_wrong_setting_is_refused(smollm2, settings):
    with pytest.raises(UsageError, match="is not allowed"):
        llm_agent_spec(smollm2, settings)


def test_a_missing_model_names_the_command_that_fetches_it(tmp_path, monkeypatch):
    monkeypatch.setenv("GYMPOSIUM_CACHE", str(tmp_path))
    with pytest.raises(UsageError, match="gymposium models pull smollm2-135m"):
        llm_agent_spec("smollm2")
    with pytest.raises(UsageError, match="no model file"):
        llm_agent_spec("/nowhere/x.gguf")


def test_a_model_file_of_ones_own_is_known_by_its_content(smollm2, tmp_path):
    own = tmp_path / "own.gguf"
    own.write_bytes(b"one")
    first = llm_agent_spec(str(own))
    own.write_bytes(b"other")
    assert llm_agent_spec(str(own)).identity != first.identity
    assert first.name == "own"


def test_equal_requests_share_a_backend_until_it_is_closed():
    backend = get_backend("scripted/echo")
    assert get_backend("scripted/echo") is backend
    assert get_backend("scripted/legal") is not backend
    close_all()
    assert get_backend("scripted/echo") is not backend


def test_the_models_listed_can_be_resolved(smollm2):
    for name in llm_models():
        assert llm_agent_spec(name).name == name


def test_errors_survive_the_way_between_processes():
    with pytest.raises(UnknownName) as caught:
        llm_agent_spec("smolm2")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_model_behind_an_endpoint_is_named_by_both():
    spec = llm_agent_spec(
        "org/some-model@http://localhost:8000/v1/", {"temperature": 0.2, "rpm": 5}
    )
    assert spec.name == "org/some-model"
    assert spec.identity.startswith("llm:org/some-model@http://localhost:8000/v1|endpoint|")
    assert "0.2" in spec.identity
    assert not spec.deterministic


def test_how_patiently_an_endpoint_is_asked_is_not_identity(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-1")
    plain = llm_agent_spec("m@http://localhost:8000/v1").identity
    patient = {"timeout": 5, "retries": 0, "slots": 3, "rpm": 9, "tpm": 9.5, "key_env": "MY_KEY"}
    assert llm_agent_spec("m@http://localhost:8000/v1", patient).identity == plain
    assert llm_agent_spec("m@http://localhost:8000/v1", {"schema": "none"}).identity != plain
    assert llm_agent_spec("m@http://localhost:8001/v1").identity != plain


@pytest.mark.parametrize(
    ("model", "params", "words"),
    [
        ("m@ftp://host/v1", {}, "no address"),
        ("m@http://", {}, "no address"),
        ("m@http://host:99999/v1", {}, "no address"),
        ("m@https://me:secret@host/v1", {}, "must not carry a password"),
        ("m@http://host/v1", {"timeout": 0}, "positive number"),
        ("m@http://host/v1", {"retries": -1}, "whole number, 0 or more"),
        ("m@http://host/v1", {"schema": "tight"}, "strict, loose, object or none"),
        ("m@http://host/v1", {"key_env": "sk-not a name"}, "name of a variable"),
        ("m@http://host/v1", {"tempreature": 1}, "did you mean 'temperature'"),
        ("m@http://host/v1", {"threads": 1}, "unknown parameter"),
    ],
)
def test_what_an_endpoint_cannot_be_is_said_before_anything_is_asked(model, params, words):
    with pytest.raises(UsageError, match=words) as caught:
        llm_agent_spec(model, params)
    assert "secret" not in str(caught.value)
