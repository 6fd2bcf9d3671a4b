"""The agent that seats a LangChain model: made where its user's code may run."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from gymposium.errors import UsageError

from ..user_code import load_thing
from .backends.langchain import LangChainBackend
from .llm_agent import LLMAgent

_made: dict[str, LangChainBackend] = {}


class LangChainAgent(LLMAgent):
    """A language agent whose model is made by a user's factory.

    Args:
        target: the user's module, or absolute path of the file.
        attr: a function that makes a model or agent, or one ready made.
        params: the function's arguments.
        identity: all that says which model it is; one is made for each in a process.
        structured: constrain answers where the model supports it.
        options: further arguments of :class:`.llm_agent.LLMAgent`.

    Raises:
        UsageError: what the user named is not a LangChain model or agent.
    """

    language = True

    def __init__(
        self,
        target: str,
        attr: str,
        params: Mapping[str, Any],
        identity: str,
        structured: bool,
        options: Mapping[str, Any],
    ) -> None:
        backend = _made.get(identity)
        if backend is None:
            runnable = _runnable(load_thing(target, attr), params, f"langchain:{target}:{attr}")
            made = LangChainBackend(runnable, structured=structured, identity=identity)
            backend = _made[identity] = made
        super().__init__(backend, **options)


def _runnable(thing: Any, params: Mapping[str, Any], where: str) -> Any:
    if not inspect.isclass(thing) and hasattr(thing, "ainvoke"):
        if params:
            raise UsageError(f"{where} is already made and takes no parameters; name a function")
        return thing
    if not callable(thing):
        raise UsageError(f"{where} is a {type(thing).__name__}, not a function that makes a model")
    return thing(**params)
