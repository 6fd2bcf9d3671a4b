import tempfile
from pathlib import Path

import pytest

import gymposium
from gymposium.agents.language.minds.families import families
from gymposium.agents.language.minds.mind import Mind
from gymposium.agents.registry import known_agents, resolve
from gymposium.errors import UnknownName, UsageError

MIND_FILE = '''
"""An agent of a user's."""
from gymposium.agents.language.minds import Goal, Mind, Part, Plan, Question, Recall


class Polite(Part):
    def begin(self, seat):
        return "You say please."


class MyAgent(Mind):
    """Thinks of the others first."""

    def __init__(self, model: str = "smollm2") -> None:
        parts = [Goal("to do well."), Polite(), Recall(), Question("What do others want?"), Plan()]
        super().__init__(model, parts)
'''
WORLDS = {
    "iterated_matrix-v0": {"rounds": 2},
    "haggling-v0": {},
    "clean_up-v0": {"map": "clean_up_mini", "agents": 2, "horizon": 3},
    "pub_coordination-v0": {"players": 2, "stubborn": 0, "games": 1},
    "text_haggling-v0": {"players": 2},
    "labor_action-v0": {"workers": 2},
    "reality_show-v0": {"players": 2},
    "state_formation-v0": {"years": 1},
}


def played(world, agents, out):
    entry = {"id": world, "params": WORLDS.get(world, {})}
    once = {"rotate_seats": False, "self_play": False}
    scenario = gymposium.Scenario(name="minds", worlds=[entry], schedule=once)
    run = gymposium.run(scenario, agents=agents, out=out, cache=False)
    assert all(not seat.faults for row in run.rows for seat in row.seats)
    return run


def replies(run):
    """Of the first match, in the order they were given."""
    steps = run.transcript(run.rows[0].key)
    return [reply for step in steps for reply in step.get("replies", {}).values()]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", families())
def test_every_mind_plays_any_world_without_a_fault(name, world, tmp_path):
    spec = f"{name}?model=scripted/legal"
    made = replies(played(world, [spec, "random"], tmp_path / "run"))
    thinking = [reply for reply in made if "calls" in reply]
    assert thinking
    assert all(reply["trace"] for reply in thinking)


def test_equal_seeds_give_equal_matches(tmp_path):
    spec = "rational?model=scripted/legal&memory_tokens=80"
    agents = [spec, "basic?model=scripted/legal"]
    first, second = (
        replies(played("iterated_matrix-v0", agents, tmp_path / f"{n}")) for n in range(2)
    )
    assert first == second
    assert len(first) > 2


def test_a_mind_named_alone_thinks_with_the_embedded_model(smollm2):
    alone, named = resolve("rational"), resolve("llm:smollm2?mind=rational")
    assert alone.identity == named.identity
    assert (alone.name, named.name) == ("rational", "rational(smollm2)")
    assert alone.language
    assert isinstance(alone.create(), Mind)
    assert resolve("llm:smollm2").identity != alone.identity


def test_its_parts_and_the_kind_of_its_memory_are_its_identity():
    identities = {resolve(f"{name}?model=scripted/legal").identity for name in families()}
    assert len(identities) == len(families())
    assert '"memory":"embeddings"' in resolve("basic?model=scripted/legal").identity


def test_minds_are_listed_with_what_they_do():
    listed = {info.spec: info.summary for info in known_agents()}
    assert set(families()) <= set(listed)
    assert listed["rational"].startswith("a mind: ")


def test_the_page_on_minds_tells_of_each():
    page = (Path(__file__).parents[4] / "docs" / "minds.md").read_text(encoding="utf-8")
    for name, mind in families().items():
        assert f"| `{name}` | {mind.summary} |" in page


def test_what_is_misspelt_is_said_before_a_match():
    with pytest.raises(UnknownName, match="'rational'"):
        resolve("llm:scripted/legal?mind=rationl")
    with pytest.raises(UnknownName, match="'rational'"):
        resolve("rationl")
    with pytest.raises(UnknownName, match="temperature"):
        resolve("rational?model=scripted/legal&temprature=1")
    with pytest.raises(UsageError, match="from 0 to 2"):
        resolve("rational?model=scripted/legal&temperature=3")


def test_a_user_puts_a_mind_together_in_a_file_and_it_plays_in_a_process_of_its_own(tmp_path):
    file = tmp_path / "my_agent.py"
    file.write_text(MIND_FILE)
    spec = f"{file}?model=scripted/legal"
    assert resolve(spec).isolated
    assert resolve(spec).language
    assert resolve(f"{file}:MyAgent").name == "MyAgent"
    run = played("iterated_matrix-v0", [spec, "rational?model=scripted/legal"], tmp_path / "run")
    # What the others want, a plan, the move; in later turns the plan stands.
    assert [len(reply["calls"]) for reply in replies(run)[:4]] == [3, 3, 2, 3]


@pytest.fixture
def own_server(monkeypatch):
    """A model server of this test's own: what others ask of a shared one takes its slots."""
    with tempfile.TemporaryDirectory(prefix="g") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield


def test_smollm2_thinks_and_moves_and_finds_most_of_each_prompt_computed(
    smollm2, own_server, tmp_path
):
    run = played("iterated_matrix-v0", ["rational", "random"], tmp_path / "run")
    thinking = [reply for reply in replies(run) if "calls" in reply]
    usages = [call["usage"]["$tuple"] for reply in thinking for call in reply["calls"]]
    assert len(usages) == 2 * 3  # situation, what is best, the move
    asked, _, known = map(sum, zip(*usages, strict=True))
    assert known / asked >= 0.6
    assert max(tokens for tokens, _, _ in usages) <= 900
