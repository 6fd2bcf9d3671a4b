"""Examples from files: conversations and pairs of answers, as ``gymposium export`` writes them.

One JSON object a line. A conversation has ``messages``, of which every ``assistant`` one is an
example; a pair has ``prompt`` (messages), ``chosen`` and ``rejected`` (one message each, or text).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson

from gymposium.errors import UsageError

from ..backends.white_box import WhiteBox
from .tokens import Row

T = TypeVar("T")


class PairRows(NamedTuple):
    """Two replies to one question, the better first."""

    chosen: Row
    rejected: Row


def conversations(path: str, box: WhiteBox) -> list[Row]:
    """Every answer in a file of conversations.

    Raises:
        UsageError: the file cannot be read, or holds something else; names the line.
    """
    return [row for found in _lines(path, lambda line: list(_answers(line, box))) for row in found]


def pairs(path: str, box: WhiteBox) -> list[PairRows]:
    """Every pair in a file of preferences; raises as :func:`conversations`."""

    def read(line: Mapping[str, Any]) -> PairRows:
        prompt = box.prompt_ids(line["prompt"])
        return PairRows(*(Row(prompt, _said(line[name], box)) for name in PairRows._fields))

    return _lines(path, read)


def _answers(line: Mapping[str, Any], box: WhiteBox) -> Iterator[Row]:
    messages = line["messages"]
    for place, message in enumerate(messages):
        if message["role"] == "assistant":
            yield Row(box.prompt_ids(messages[:place]), box.completion_ids(message["content"]))


def _said(answer: Any, box: WhiteBox) -> list[int]:
    text = answer if isinstance(answer, str) else answer[0]["content"]
    return box.completion_ids(str(text))


def _lines(path: str, read: Callable[[Mapping[str, Any]], T]) -> list[T]:
    found: list[T] = []
    try:
        content = Path(path).expanduser().read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    for number, line in enumerate(content, 1):
        if not line.strip():
            continue
        try:
            found.append(read(orjson.loads(line)))
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise UsageError(
                f"{path}, line {number} is no example ({type(error).__name__}: {error}); write the "
                "file with `gymposium export`"
            ) from None
    if not found:
        raise UsageError(f"{path} holds no examples")
    return found
