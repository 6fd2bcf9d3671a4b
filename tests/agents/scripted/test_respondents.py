"""Respondents answer by the values they are said to have."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gymposium
from gymposium.agents.scripted.respondents import BOTS, CircularRespondent, Citizen, KnownValues
from gymposium.envs.preferences.assembly import Assembly
from gymposium.envs.preferences.outcome import data, outcomes
from gymposium.errors import UsageError

WORLD = "preference_elicitation-v0"


def asked(bot, seed=0, **params):
    """The table of judgements of one match, as arrays."""
    world = gymposium.make(WORLD, api="world", **params)
    bot.reset(world.seats["respondent"], seed)
    turns = world.reset(seed)
    while turns:
        action = bot.act(turns["respondent"])
        turns = world.step({"respondent": None if isinstance(action, str) else action})
    return {k: np.array(v, float) for k, v in world.outcome.tables["judgements"].items()}


def told(outcome, number=0):
    """An outcome as a turn's info has it."""
    known = {name: getattr(outcome, name) for name in outcome.__dataclass_fields__}
    return {**known, "number": number}


def test_every_bot_says_what_it_is_and_plays_its_world_only():
    other = gymposium.make("haggling-v0", api="world")
    for name, bot in BOTS.items():
        assert bot.name == name
        assert bot.summary.endswith(".")
        with pytest.raises(UsageError, match="preference_elicitation-v0 only"):
            bot().reset(next(iter(other.seats.values())), 0)


def test_without_noise_the_answer_is_the_larger_utility():
    bot = KnownValues(noise=0)
    table = asked(bot, budget=200)
    every = [told(it, at) for at, it in enumerate(outcomes("base", size=20))]
    gaps = [
        bot.utility(every[int(a)]) - bot.utility(every[int(b)])
        for a, b in zip(table["first"], table["second"], strict=True)
    ]
    assert (table["answer"] == (np.array(gaps) > 0)).all()


def test_noise_is_logistic():
    bot = KnownValues(noise=0.7)
    one, two = (told(it, at) for at, it in enumerate(outcomes("base", size=20)[:2]))
    gap = bot.utility(one) - bot.utility(two)
    assert bot.chance(one, two) == pytest.approx(1 / (1 + math.exp(-gap / 0.7)))
    assert bot.chance(one, two) + bot.chance(two, one) == pytest.approx(1)


def test_position_alone_decides_if_it_is_worth_most():
    assert asked(KnownValues(position=1e9), budget=60)["answer"].mean() == 1


def test_a_lottery_is_worth_what_is_expected_or_its_worst_or_the_opposite():
    base = outcomes("lotteries", size=20, lotteries=4)
    lottery = told(base[21], 21)
    parts = [KnownValues().utility(told(base[at], at)) for at in lottery["parts"]]
    expected = sum(c * u for c, u in zip(lottery["chances"], parts, strict=True))
    assert KnownValues().utility(lottery) == pytest.approx(expected)
    assert KnownValues(risk="worst").utility(lottery) == min(parts)
    assert KnownValues(risk="reversed").utility(lottery) == pytest.approx(-expected)


def test_amounts_are_worth_the_logarithm_of_their_dollars():
    item = data()["quantities"]["meals"]
    money, meals = (
        [told(it) for it in outcomes("quantities") if it.group == group]
        for group in ("dollars", "meals")
    )
    bot = KnownValues()
    rise = bot.utility(meals[2]) - bot.utility(money[0])
    assert rise == pytest.approx(0.5 * math.log(item["value"] * meals[2]["amount"]))


@pytest.mark.parametrize(("law", "left"), [("exponential", 0.9**10), ("hyperbolic", 0.5)])
def test_ten_months_leave_what_the_law_says(law, left):
    now, *later = (told(it) for it in outcomes("delays", months=(10,)))
    bot = KnownValues(discount=law, rate=0.1)
    worth = [bot.utility(it) for it in later]
    for it, value in zip(later, worth, strict=True):
        assert (value > bot.utility(now)) == (it["amount"] * left > 1000)


def test_a_beginning_is_worth_its_ends_unless_means_do_not_count():
    every = {it.states: told(it) for it in outcomes("stories") if it.group == "exam"}
    bot = KnownValues()
    ends = bot.utility(every["study", "pass"]), bot.utility(every["study", "fail"])
    assert bot.utility(every[("study",)]) == pytest.approx(0.85 * ends[0] + 0.15 * ends[1])
    assert KnownValues(means=0).utility(every[("study",)]) == -1.0


def test_circular_preferences_have_no_best():
    table = asked(CircularRespondent(around=20), asked=[[0, 7], [7, 14], [14, 0], [0, 10], [3, 2]])
    assert table["answer"][[0, 1, 2, 4]].tolist() == [1, 1, 1, 0]


def test_citizens_answer_in_the_assembly_s_shares():
    pair = [[0, 1]] * 4000
    found = asked(Citizen(size=20, draw=2, citizens=5), draw=2, asked=pair)["answer"].mean()
    share = Assembly(outcomes("base", size=20, seed=2), 5, 2).shares(0, 1)
    assert found == pytest.approx(float(share), abs=0.03)


def test_who_refuses_gives_no_answer():
    assert np.isnan(asked(KnownValues(refuse=1), budget=6)["answer"]).all()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: KnownValues(risk="none"), "risk"),
        (lambda: KnownValues(discount="linear"), "discount"),
        (lambda: KnownValues(noise=-1), "noise"),
        (lambda: CircularRespondent(around=2), "around"),
        (lambda: asked(KnownValues(size=5), budget=60), "size and draw"),
        (lambda: asked(Citizen(size=5), budget=60), "size and draw"),
    ],
)
def test_what_cannot_be_is_refused(make, told):
    with pytest.raises(UsageError, match=told):
        make()
