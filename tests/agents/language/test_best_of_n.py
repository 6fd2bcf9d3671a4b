import asyncio
import json

import pytest

import gymposium
from gymposium.agents.language.best_of_n import BestOfN, best_of
from gymposium.agents.language.llm_agent import LLMAgent
from gymposium.errors import UsageError
from gymposium.types import Usage

from .stand_ins import Recording, make_seat, make_turn


def test_answers_over_the_budget_are_rejected():
    long, short = "so then we count them all #### 5", "#### 6"
    assert best_of([long, long, short], 6) == 2
    assert best_of([long, long, short], 50) == 0


def test_the_majority_wins_and_of_it_the_shortest():
    assert best_of(["#### 4", "well now #### 7", "so #### 7"], 50) == 2


def test_none_within_the_budget_gives_the_shortest():
    assert best_of(["a b c #### 1", "a b #### 2", "a b c d #### 1"], 2) == 1


def test_an_answer_without_a_number_has_no_votes():
    assert best_of(["no", "no", "#### 3"], 50) == 2


class Cheap:
    def __init__(self, text):
        self._text = text

    def reset(self, seat, seed):
        self.seed = seed

    def act(self, turn):
        return self._text


def test_it_sits_in_the_world_and_its_minds_draw_apart():
    world = gymposium.make("token_budget_math-v0", api="world", budget=9)
    turn = world.reset(0)["player_0"]
    right = world.problem.answer
    texts = iter([f"{'so ' * 20}#### {right}", f"#### {right}", f"#### {right + 1}"])
    agent = BestOfN(lambda: Cheap(next(texts)), 3, budget=9)
    agent.reset(world.seats["player_0"], 2**63 - 1)
    assert len({mind.seed for mind in agent._minds}) == 3
    reply = asyncio.run(agent.act(turn))
    world.step({"player_0": world.parse("player_0", reply.text, turn.observation, turn.info)})
    assert world.outcome.returns["player_0"] == 1
    agent.end(world.outcome)


def test_every_call_of_every_mind_is_on_the_reply():
    said = [json.dumps({"action": text}) for text in ("a b c d e #### 3", "#### 3")]
    made = iter([Recording([text], usage=lambda _: Usage(5, 7)) for text in said])
    world = gymposium.make("token_budget_math-v0", api="world")
    agent = BestOfN(lambda: LLMAgent(next(made)), 2, budget=5)
    agent.reset(world.seats["player_0"], 0)
    reply = asyncio.run(agent.act(world.reset(0)["player_0"]))
    assert reply.text == "#### 3"
    assert [call.usage.completion_tokens for call in reply.calls] == [7, 7]


def test_the_chosen_reply_is_handed_on_whole_where_the_world_reads_whole_replies():
    said = "<think>The door is to the right.</think><answer>Right</answer>"
    agent = BestOfN(lambda: Cheap(said), 2, budget=50)
    for whole, text in ((True, said), (False, "Right")):
        agent.reset(make_seat(whole_reply=whole), 0)
        assert asyncio.run(agent.act(make_turn(0, "Go."))).text == text


@pytest.mark.parametrize(("n", "budget"), [(0, 5), (65, 5), (True, 5), (2, -1), (2, float("nan"))])
def test_bad_arguments_are_refused(n, budget):
    with pytest.raises(UsageError, match="best of n: "):
        BestOfN(lambda: Cheap(""), n, budget)
