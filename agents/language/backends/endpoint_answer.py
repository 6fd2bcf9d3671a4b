"""What is asked of a chat-completions endpoint, and what is made of its answer.

Endpoints differ in what they take. A request begins with everything asked for; what a server says
it does not know is left out or renamed, and remembered (:class:`Dialect`), as long as that cannot
change what is sampled from: the grammar of the answer, the seed, the name of the token limit.
Temperature and nucleus are never dropped in silence. An answer is anything at all until it has been
read here: malformed, it is :class:`.retry.Trouble` with a sentence, never a traceback.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import orjson

from gymposium.types import Usage

from .images import with_images
from .protocol import Completion
from .retry import Trouble

FORMS = ("strict", "loose", "object", "none")
"""How an answer's JSON is asked for: an exact schema, a schema, any JSON, nothing."""
LETTERS = "ABCDEFGHIJKLMNOPQRST"
MAX_TEXT = 100_000
"""Characters kept of one answer."""
_MOST_TOOLS = 32
_MOST_TOKENS = 1 << 31
_ABOUT_FORM = ("response_format", "json_schema", "json_object", "schema", "grammar", "guided")


@dataclass(slots=True)
class Dialect:
    """What one endpoint has been found to understand.

    Attributes:
        form: index into FORMS.
        limit: what it calls the token limit.
        left_out: parameters it does not know.
    """

    form: int = 0
    limit: str = "max_tokens"
    left_out: set[str] = field(default_factory=set)

    def learn(self, sent: Mapping[str, Any], said: str) -> bool:
        """Change what its refusal of ``sent`` asks for; False if there is nothing to change."""
        said = said.lower()
        if self.limit in sent and "max_completion_tokens" in said and self.limit == "max_tokens":
            self.limit = "max_completion_tokens"
            return True
        if "response_format" in sent and any(word in said for word in _ABOUT_FORM):
            self.form = max(self.form, FORMS.index(_form_of(sent)) + 1)
            return True
        if "seed" in sent and "seed" in said:
            self.left_out.add("seed")
            return True
        return False


def request(
    model: str,
    messages: Sequence[Mapping[str, Any]],
    dialect: Dialect,
    *,
    schema: Mapping[str, Any] | None,
    n: int,
    seed: int | None,
    logprobs: int,
    temperature: float,
    top_p: float,
    max_tokens: int,
) -> dict[str, Any]:
    """The body of one call."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [with_images(m) if "images" in m else dict(m) for m in messages],
        "temperature": temperature,
        "top_p": top_p,
        dialect.limit: max_tokens,
    }
    if n > 1:
        body["n"] = n
    if seed is not None and "seed" not in dialect.left_out:
        body["seed"] = seed
    if logprobs:
        body |= {"logprobs": True, "top_logprobs": logprobs}
    if schema is not None:
        form = FORMS[dialect.form]
        if form in ("strict", "loose"):
            named = {"name": "answer", "schema": schema, "strict": form == "strict"}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif form == "object":
            body["response_format"] = {"type": "json_object"}
    return body


def _form_of(body: Mapping[str, Any]) -> str:
    asked = body["response_format"]
    if asked["type"] == "json_object":
        return "object"
    return "strict" if asked["json_schema"]["strict"] else "loose"


def completions(content: bytes, kind: str, *, estimate: int) -> list[Completion]:
    """The answers in a response's body; the first carries the usage of all.

    Args:
        content: the body.
        kind: its content type, for the sentence if it cannot be read.
        estimate: tokens of the prompt, used if the endpoint does not count.

    Raises:
        Trouble: it is no chat completion.
    """
    data = parsed(content, kind)
    try:
        if not data.get("choices") and "error" in data:
            raise Trouble(f"answered with an error ({words_of(data)})", again=True)
        made = [_completion(choice) for choice in data["choices"]]
        usage = _usage(data.get("usage"), made, estimate)
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError):
        made = []
    if not made:
        raise Trouble("answered with JSON that is not a chat completion", again=True)
    return [made[0]._replace(usage=usage), *made[1:]]


def parsed(content: bytes, kind: str) -> Any:
    """A body's JSON; raises Trouble if it is none."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        # A model cut off inside an emoji leaves half a surrogate pair, which only this one reads.
        with suppress(ValueError, RecursionError):
            return json.loads(content.decode("utf-8", "replace"))
        if "html" in kind or content.lstrip()[:1] == b"<":
            raise Trouble(
                "answered with a web page: is the address right? It usually ends in /v1",
                again=False,
            ) from None
        said = f" ({kind.partition(';')[0][:40]})" if kind and "json" not in kind else ""
        raise Trouble(f"answered with something that is not JSON{said}", again=True) from None


def is_filtered(code: str) -> bool:
    """Whether an error's code means that the provider will not have the subject talked about."""
    return code in ("content_filter", "content_policy_violation")


def _completion(choice: Mapping[str, Any]) -> Completion:
    message = choice["message"]
    text, reason = message.get("content"), choice.get("finish_reason")
    if isinstance(text, list):  # some servers answer in parts, as they are asked
        text = "".join(str(part.get("text", "")) for part in text)
    if text is None or text == "":
        refusal = message.get("refusal")
        text, reason = (str(refusal), "refusal") if refusal else ("", reason)
    tools = _tool_calls(message)
    if not text and len(tools) == 1:  # some models answer by calling a tool that nobody offered
        text = tools[0]["arguments"]
    told = (choice.get("logprobs") or {}).get("content") or ()
    logs = tuple(float(token["logprob"]) for token in told)
    return Completion(
        text=_clean(str(text)[:MAX_TEXT]),
        finish_reason=str(reason or "stop")[:40],
        logprobs=logs if logs and all(map(math.isfinite, logs)) else None,
        trace=tools,
    )


def first_letters(content: bytes, kind: str, count: int, *, estimate: int) -> list[Completion]:
    """How likely each of the first ``count`` letters began the answer.

    Returns:
        A completion for each letter, with one log-probability; the first with the usage. A letter
        that is not among the tokens told of is taken to be as likely as the least of them.

    Raises:
        Trouble: it is no chat completion, or does not tell of the letters.
    """
    usage = completions(content, kind, estimate=estimate)[0].usage
    shares = dict.fromkeys(LETTERS[:count], 0.0)
    least = 1.0
    with suppress(TypeError, KeyError, ValueError, AttributeError, IndexError):
        logs = parsed(content, kind)["choices"][0]["logprobs"]["content"][0]
        for token in logs["top_logprobs"]:
            share = math.exp(min(float(token["logprob"]), 0.0))
            least = min(least, share)
            if (letter := str(token["token"]).strip()) in shares and math.isfinite(share):
                shares[letter] += share
    if not any(shares.values()):
        raise Trouble(
            "does not tell the log-probabilities of the letters it was asked for: leave out "
            "choose=likelihood",
            again=False,
        )
    usages = (usage, *[Usage()] * (count - 1))
    return [
        Completion(letter, spent, logprobs=(math.log(max(share or least, 1e-300)),))
        for (letter, share), spent in zip(shares.items(), usages, strict=True)
    ]


def lettered(messages: Sequence[Mapping[str, Any]], choices: Sequence[str]) -> list[dict[str, Any]]:
    """The messages with the choices as lettered options at their end."""
    lines = (f"{letter}) {choice}" for letter, choice in zip(LETTERS, choices, strict=False))
    words = "\n".join(["Your options:", *lines, "Answer with the letter of one option only."])
    last = messages[-1]
    return [*map(dict, messages[:-1]), {**last, "content": f"{last['content']}\n\n{words}"}]


def _tool_calls(message: Mapping[str, Any]) -> tuple[dict[str, str], ...]:
    """The tools an answer calls, arguments as the model wrote them."""
    found = []
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        name, arguments = (str(function.get(key) or "") for key in ("name", "arguments"))
        found.append(
            {
                "kind": "tool_call",
                "name": _clean(name[:100]),
                "arguments": _clean(arguments[:MAX_TEXT]),
            }
        )
    return tuple(found[:_MOST_TOOLS])


def _clean(text: str) -> str:
    # JSON can hold half a surrogate pair; nothing that writes UTF-8 can.
    return text.encode("utf-8", "replace").decode()


def _usage(said: Any, made: Sequence[Completion], estimate: int) -> Usage:
    """What the endpoint counted; without counts that can be true, four characters are a token."""
    guess = Usage(estimate, sum(len(each.text) // 4 + 1 for each in made))
    if not isinstance(said, Mapping) or "prompt_tokens" not in said:
        return guess
    details = said.get("prompt_tokens_details") or {}
    counts = (
        said["prompt_tokens"],
        said.get("completion_tokens") or 0,
        details.get("cached_tokens") or 0,
    )
    fine = all(0 <= count <= _MOST_TOKENS for count in counts)
    return Usage(*map(int, counts)) if fine else guess


def words_of(data: Any) -> str:
    """What an error body says, in at most 300 characters of one line."""
    said: Any = data
    for _ in range(3):
        if not isinstance(said, Mapping):
            break
        said = said.get("error") or said.get("message") or said.get("detail") or dict(said) or ""
        if isinstance(said, Mapping) and "message" not in said and "error" not in said:
            break
    if isinstance(said, bytes):
        said = said.decode("utf-8", "replace")
    line = " ".join(str(said).split())
    return "".join(char if char.isprintable() else "\ufffd" for char in line)[:300] or "no reason"


def code_of(data: Any) -> str:
    """The error's machine-readable code, or ""."""
    error = data.get("error", data) if isinstance(data, Mapping) else None
    code = error.get("code") or error.get("type") if isinstance(error, Mapping) else None
    return str(code or "")
