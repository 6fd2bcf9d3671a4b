"""Specs: the one grammar, what it resolves to, and how it refuses."""

import asyncio
import functools
import sys
from importlib.metadata import EntryPoint

import gymnasium as gym
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gymposium.agents import registry
from gymposium.agents.registry import distinct_names, known_agents, register_agent, resolve
from gymposium.agents.spec_text import parse_spec, query, scalar
from gymposium.errors import UnknownName, UsageError
from gymposium.types import Seat, Turn

from .user_files import GOOD, WORDS

SPACE = gym.spaces.Discrete(3)
SEAT = Seat("a", SPACE, SPACE)
PLAIN = (
    st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.none()
)


def act(spec, text="hello"):
    agent = spec.create()
    agent.reset(SEAT, 7)
    return agent.act(Turn("a", 0, 1, 0.0, SPACE, text=text))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bots.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / "words.py").write_text(WORDS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("random", ("name", "random", "")),
        ("scripted:grim", ("scripted", "grim", "")),
        ("llm:smollm2", ("llm", "smollm2", "")),
        ("llm:org/model:7b?x=1", ("llm", "org/model:7b", "")),
        ("bots.py", ("file", "bots.py", "")),
        ("bots.py:Bot", ("file", "bots.py", "Bot")),
        ("a.py/b.py:Out.In?x=1", ("file", "a.py/b.py", "Out.In")),
        (r"C:\my bots\b.py:Bot", ("file", r"C:\my bots\b.py", "Bot")),
        (r"C:\b.py", ("file", r"C:\b.py", "")),
        ("C:/b.py:Bot?y=2", ("file", "C:/b.py", "Bot")),
        ("package.module:Bot", ("module", "package.module", "Bot")),
        ("happy.python:Bot", ("module", "happy.python", "Bot")),
    ],
)
def test_specs_are_taken_apart(text, parts):
    spec = parse_spec(text)
    assert (spec.kind, spec.target, spec.attr) == parts
    assert str(spec) == text


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("3", 3), ("-0.5", -0.5), ("1e-3", 1e-3), ("true", True), ("null", None), ("", ""),
        ("tit for tat", "tit for tat"), ("[1, b]", [1, "b"]), ("{a: 1}", "{a: 1}"),
        ("2020-01-01", "2020-01-01"), ("'3'", "3"), ("a: b: c", "a: b: c"), ("[", "["),
    ],
)  # fmt: skip
def test_values_are_yaml_scalars(written, meant):
    assert scalar(written) == meant
    assert type(scalar(written)) is type(meant)


@given(st.dictionaries(st.sampled_from("abc"), PLAIN | st.lists(PLAIN, max_size=3)))
@example({"a": [5e-324, 1e16, "1e-3"], "b": 1e-5})
@settings(max_examples=200, deadline=None)
def test_canonical_specs_read_back_as_the_same_parameters(params):
    assert dict(parse_spec("bots.py:Bot" + query(params)).params) == params


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_spec_or_refused_with_a_sentence(text):
    try:
        parse_spec(text)
    except UsageError as error:
        assert str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("rndom", "did you mean 'random'"),
        ("tit_for_tat", "did you mean 'scripted:tit_for_tat'"),
        ("scripted:tit_for_tatt", "did you mean 'scripted:tit_for_tat'"),
        ("scripted:", "names nothing"),
        ("bots.py:", "names nothing after ':'"),
        ("nowhere.py:Bot", "there is no file nowhere.py"),
        ("bot.py:Bot", "did you mean 'bots.py'"),
        ("bots.py:Bto", "did you mean 'Bot'"),
        ("bots.py:Bot?bia=1", "did you mean 'bias'"),
        ("bots.py:Bot?bias", "not of the form key=value"),
        ("bots.py:Bot?bias=1&bias=2", "twice"),
        ("bots.py:Bot?trusted=1", "cannot declare itself trusted"),
        ("words.py", "several agents|defines no agent|AsyncBot"),
        ("words.py:speaker?prefx=1", "did you mean 'prefix'"),
        ("random?x=1", "takes no parameters"),
        ("no_such_package.bots:Bot", "no module 'no_such_package.bots'"),
        (r"C:\bots", "does not name a .py file"),
    ],
)
def test_a_spec_that_cannot_be_is_refused_with_the_nearest_spelling(folder, text, said):
    if text == "words.py":
        (folder / "words.py").write_text("def a(turn): 0\ndef b(turn): 0\n", encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        resolve(text, root=folder)


def test_a_file_is_not_run_to_look_at_it(folder):
    (folder / "loud.py").write_text(GOOD + "\nraise SystemExit('ran')\n", encoding="utf-8")
    spec = resolve("loud.py:Bot?bias=2", root=folder)
    assert (spec.isolated, spec.deterministic, spec.name) == (True, True, "Bot?bias=2")
    with pytest.raises(UsageError, match="SystemExit: ran"):
        resolve("loud.py:Bot", root=folder, trusted=True)


def test_a_file_with_one_agent_needs_no_name(folder):
    assert resolve("bots.py", root=folder).text == "bots.py:Bot"
    (folder / "one.py").write_text("def player(turn):\n    return 1\n", encoding="utf-8")
    assert act(resolve("one.py", root=folder, trusted=True)) == 1


def test_broken_python_is_refused_with_its_line(folder):
    (folder / "odd.py").write_text("x = 1\ndef f(:\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"odd\.py:2"):
        resolve("odd.py:f", root=folder)


def test_parameters_of_dataclasses_and_inherited_constructors_are_known(folder):
    (folder / "more.py").write_text(
        "from dataclasses import dataclass, field\n"
        "from typing import ClassVar\n"
        "@dataclass\nclass Data:\n    must: int\n    may: float = 1.0\n"
        "    kept: list = field(default_factory=list)\n    n: ClassVar[int] = 3\n"
        "    def act(self, turn): return self.must\n"
        "class Base:\n    def __init__(self, greed=1): pass\n    def act(self, turn): return 0\n"
        "class Sub(Base):\n    deterministic = True\n"
        "class Open(Base):\n    def __init__(self, **more): pass\n",
        encoding="utf-8",
    )
    for text in ("Data?must=1&may=2", "Sub?greed=3", "Open?anything=1"):
        assert resolve(f"more.py:{text}", root=folder, trusted=True).create()
    assert resolve("more.py:Sub", root=folder).deterministic
    for text, said in (
        ("Data", "needs the parameter 'must'"),
        ("Data?must=1&n=2", "unknown parameter 'n'"),
        ("Data?must=1&kpt=2", "did you mean 'kept'"),
        ("Sub?gred=3", "did you mean 'greed'"),
    ):
        with pytest.raises(UsageError, match=said):
            resolve(f"more.py:{text}", root=folder)


def test_identity_follows_the_file_and_the_parameters_but_not_the_folder(folder):
    one = resolve("bots.py:Bot?bias=1", root=folder)
    (folder / "sub").mkdir()
    (folder / "sub" / "bots.py").write_text(GOOD, encoding="utf-8")
    assert resolve("bots.py:Bot?bias=1", root=folder / "sub").identity == one.identity
    assert resolve("bots.py:Bot?bias=2", root=folder).identity != one.identity
    assert resolve("bots.py:Bot?bias=1", root=folder, trusted=True).identity == one.identity
    (folder / "bots.py").write_text(GOOD + "\n", encoding="utf-8")
    assert resolve("bots.py:Bot?bias=1", root=folder).identity != one.identity


def test_parameters_are_written_canonically(folder):
    given = {"spec": "bots.py?bias=1", "params": {"bias": 2}, "name": "mine"}
    spec = resolve(given, root=folder)
    assert (spec.text, spec.name) == ("bots.py:Bot?bias=2", "mine")
    assert resolve("words.py:speaker?prefix=a b", root=folder).text == "words.py:speaker?prefix=a b"


def test_trusted_code_runs_here_and_other_code_in_a_child(folder):
    here = resolve("bots.py:Bot", root=folder, trusted=True)
    declared = resolve({"spec": "bots.py:Bot", "trusted": True}, root=folder)
    there = resolve("bots.py:Bot", root=folder)
    assert (here.isolated, declared.isolated, there.isolated) == (False, False, True)
    assert act(here)["seed"] == 7

    async def play():
        from gymposium.agents.isolation import shutdown

        agent = there.create()
        await agent.reset(SEAT, 7)
        try:
            return await agent.act(Turn("a", 0, 1, 0.0, SPACE, text="hello"))
        finally:
            await agent.close()
            await shutdown()

    assert asyncio.run(play()) == act(here)


def test_modules_are_found_without_importing_them(folder, monkeypatch):
    package = folder / "some_bots"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    (package / "inner.py").write_text(GOOD, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    spec = resolve("some_bots.inner:Bot")
    assert spec.isolated
    assert "some_bots" not in sys.modules
    with pytest.raises(UsageError, match="RuntimeError: imported"):
        resolve("some_bots.inner:Bot", trusted=True)


class Mine:
    deterministic = True

    def __init__(self, start=0):
        self.count = start

    def act(self, turn):
        self.count += 1
        return self.count


def test_live_classes_and_instances_are_fresh_for_each_match():
    for thing, first in ((Mine, 1), (Mine(4), 5), (functools.partial(Mine, start=2), 3)):
        spec = resolve(thing)
        assert [act(spec), act(spec)] == [first, first]
        assert (spec.isolated, spec.deterministic) == (False, True), thing


def test_live_objects_are_told_apart_and_recognised():
    one, two = Mine(1), Mine(2)
    specs = [resolve(one), resolve(two), resolve(one)]
    assert specs[0].text.startswith("python:Mine#")
    assert specs[0].identity == specs[2].identity != specs[1].identity
    assert [spec.name for spec in specs[:2]] == ["Mine", "Mine"]
    assert len({spec.name for spec in distinct_names(specs[:2])}) == 2


def test_a_live_instance_that_cannot_be_copied_is_refused():
    class Stubborn(Mine):
        def __deepcopy__(self, memo):
            raise TypeError("cannot pickle a socket")

    with pytest.raises(UsageError, match=r"cannot be copied for each match.*socket.*class"):
        resolve(Stubborn())
    with pytest.raises(UsageError, match="cannot be an agent"):
        resolve(42)


def test_registered_names_work_like_any_other():
    register_agent("mine_for_tests", Mine, summary="counts", worlds=["x-v0"])
    try:
        assert act(resolve("mine_for_tests?start=3")) == 4
        assert ("mine_for_tests", "counts", ("x-v0",)) in known_agents()
        with pytest.raises(UsageError, match="registered already"):
            register_agent("mine_for_tests", dict)
        with pytest.raises(UnknownName, match="did you mean 'start'"):
            resolve("mine_for_tests?strt=3")
    finally:
        del registry._registered["mine_for_tests"]


@pytest.mark.parametrize("name", ["a:b", "x.py", "random", "", "a?b=1"])
def test_names_that_would_confuse_specs_cannot_be_registered(name):
    with pytest.raises(UsageError):
        register_agent(name, Mine)


def test_plug_ins_are_listed_without_being_loaded_and_a_broken_one_breaks_nothing(
    folder, monkeypatch
):
    monkeypatch.syspath_prepend(str(folder))
    points = [
        EntryPoint("fine_bot", "bots:Bot", registry.GROUP),
        EntryPoint("lost_bot", "no_such_module:Bot", registry.GROUP),
        EntryPoint("odd_bot", "bots:Nobody", registry.GROUP),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    listed = {info.spec: info.summary for info in known_agents()}
    assert listed["fine_bot"] == "Says what it was told."
    assert "broken" in listed["lost_bot"]
    assert "broken" in listed["odd_bot"]
    assert "bots" not in sys.modules
    spec = resolve("fine_bot?bias=1")
    assert (spec.text, spec.isolated) == ("fine_bot?bias=1", True)
    with pytest.raises(UsageError, match="no_such_module"):
        resolve("lost_bot")
    with pytest.raises(UnknownName, match="did you mean 'fine_bot'"):
        resolve("fine_bto")


def test_language_models_are_listed_and_suggested():
    assert "llm:smollm2" in [info.spec for info in known_agents()]
    with pytest.raises(UnknownName, match="did you mean 'llm:smollm2'"):
        resolve("smollm2")


def test_every_known_bot_can_be_made():
    for info in known_agents():
        if info.spec == "random" or info.spec.startswith("scripted:"):
            spec = resolve(info.spec)
            assert spec.deterministic, info.spec
            assert not spec.isolated
            assert info.summary, info.spec
            assert spec.create() is not spec.create()


def test_a_field_that_does_not_exist_is_refused():
    with pytest.raises(UnknownName, match="did you mean 'params'"):
        resolve({"spec": "random", "param": {}})
