"""What a user of LangChain might name in a spec; the models are LangChain's own fakes."""

import os
import time
from typing import Any

from langchain_core.language_models.fake_chat_models import (
    FakeListChatModel,
    GenericFakeChatModel,
    ParrotFakeChatModel,
)
from langchain_core.messages import AIMessage
from langchain_core.tools import tool


def says(text='{"action":"defect"}', times=1):
    return FakeListChatModel(responses=[text] * times)


ready = FakeListChatModel(responses=['{"action":"cooperate"}'])
number = 3


def parrot():
    return ParrotFakeChatModel()


def failing():
    raise_it = GenericFakeChatModel(messages=iter(()))
    return raise_it


def slow():
    class Slow(FakeListChatModel):
        def _call(self, *args: Any, **kwargs: Any) -> str:
            time.sleep(0.5)
            return "late"

    return Slow(responses=["late"])


def process():
    return FakeListChatModel(responses=[str(os.getpid())])


def counted():
    usage = {
        "input_tokens": 11,
        "output_tokens": 7,
        "total_tokens": 18,
        "input_token_details": {"cache_read": 5},
    }
    answer = AIMessage('{"action":"defect"}', usage_metadata=usage)
    answer.response_metadata = {"finish_reason": "length"}
    return GenericFakeChatModel(messages=iter([answer] * 3))


class Structured(ParrotFakeChatModel):
    """A model that keeps to a schema, as those of large providers do."""

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **_: Any) -> Any:
        from langchain_core.runnables import RunnableLambda

        first = schema["properties"]["action"]["enum"][0]
        return RunnableLambda(
            lambda messages: {
                "raw": AIMessage("raw"), "parsed": {"action": first}, "parsing_error": None
            }
        )  # fmt: skip


@tool
def look_up(player: str) -> str:
    """What a player did last."""
    return f"{player} defected"


def graph():
    """A LangGraph agent that calls a tool before it answers."""
    from langgraph.graph import END, START, MessagesState, StateGraph

    def think(state: MessagesState) -> Any:
        if state["messages"][-1].type == "tool":
            said = AIMessage("Action: defect", usage_metadata=tokens(9, 2))
        else:
            call = {"name": "look_up", "args": {"player": "player_1"}, "id": "1"}
            said = AIMessage("", tool_calls=[call], usage_metadata=tokens(5, 3))
        return {"messages": [said]}

    def use_tools(state: MessagesState) -> Any:
        return {
            "messages": [
                look_up.invoke(state["messages"][-1].tool_calls[0] | {"type": "tool_call"})
            ]
        }

    built = StateGraph(MessagesState)
    built.add_node("think", think)
    built.add_node("tools", use_tools)
    built.add_edge(START, "think")
    built.add_conditional_edges("think", lambda s: "tools" if s["messages"][-1].tool_calls else END)
    built.add_edge("tools", "think")
    return built.compile()


def tokens(prompt, completion):
    total = prompt + completion
    return {"input_tokens": prompt, "output_tokens": completion, "total_tokens": total}


def chain():
    from langchain_core.output_parsers import StrOutputParser

    return ready | StrOutputParser()
