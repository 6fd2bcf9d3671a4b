from importlib import resources

import pytest
import yaml

from gymposium.agents.language.agent_spec import llm_agent_spec
from gymposium.agents.language.backends.prices import money, price_of
from gymposium.errors import UsageError
from gymposium.types import Usage

MINI = "gpt-4o-mini@https://api.openai.com/v1"


class Remote:
    def __init__(self, name):
        self.name = name


@pytest.fixture
def own(tmp_path, monkeypatch):
    def write(text):
        file = tmp_path / "prices.yaml"
        file.write_text(text, encoding="utf-8")
        monkeypatch.setenv("GYMPOSIUM_PRICES", str(file))

    return write


def test_the_shipped_list_says_where_and_when_it_comes_from():
    text = resources.files("gymposium.agents.language").joinpath("prices.yaml").read_text("utf-8")
    data = yaml.safe_load(text)
    assert data["source"].startswith("https://")
    assert data["date"].year >= 2026


def test_money_by_hand():
    # 700 fresh and 300 cached prompt tokens, 100 answered: 0.15, 0.075 and 0.60 a million.
    paid = money(Remote(MINI), Usage(1000, 100, 300))
    assert paid == pytest.approx((700 * 0.15 + 300 * 0.075 + 100 * 0.60) / 1e6)


def test_what_is_not_listed_is_unknown_and_what_is_local_is_free():
    assert money(Remote("gpt-4o-mini@https://elsewhere.example/v1"), Usage(1, 1)) is None
    assert money(Remote("new-model@https://api.openai.com/v1"), Usage(1, 1)) is None
    local = Remote("anything")
    local.local = True
    assert money(local, Usage(10**9, 10**9)) == 0.0


def test_the_users_own_list_adds_and_replaces_single_entries(own):
    own(
        """
        hosts:
          api.openai.com: {gpt-4o-mini: {input: 1, output: 2}}
          localhost:8000: {"*": {input: 0, output: 0}}
        """
    )
    assert price_of(MINI) == (1.0, 2.0, 1.0)
    assert price_of("gpt-4o@https://api.openai.com/v1").input == 2.5
    assert price_of("whatever@http://localhost:8000/v1") == (0, 0, 0)
    assert price_of("whatever@http://localhost:8001/v1") is None


@pytest.mark.parametrize(
    "text",
    [
        "just words",
        "hosts: [1]",
        "hosts: {h: {m: {input: 1}}}",
        "hosts: {h: {m: {input: -1, output: 1}}}",
        "hosts: {h: {m: {input: 1, output: 1, ouput: 2}}}",
        "hosts: {h: {m: {input: .nan, output: 1}}}",
        "hosts: {h: ",
    ],
)
def test_a_list_that_cannot_be_read_is_said_before_anything_is_asked(own, text):
    own(text)
    with pytest.raises(UsageError, match=r"prices\.yaml is not a list of prices"):
        llm_agent_spec(MINI)


def test_a_list_that_is_named_and_missing_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("GYMPOSIUM_PRICES", str(tmp_path / "none.yaml"))
    with pytest.raises(UsageError, match="GYMPOSIUM_PRICES"):
        price_of(MINI)


def test_a_spec_knows_whether_its_tokens_have_a_price():
    assert llm_agent_spec(MINI).priced
    assert llm_agent_spec("scripted/legal").priced
    assert not llm_agent_spec("m@http://localhost:8000/v1").priced
