"""Letters that a manuscript's markup hides from readers: white, tiny, moved off the page.

What is hidden ends where the element or group that hides it ends, so elements within elements are
counted, as a browser or TeX does; what is never closed hides all that follows. Style sheets are not
worked out. Both searches look at each character a bounded number of times.
"""

from __future__ import annotations

import re

_WHITE = (
    r"(?:(?:ghost|floral|antique)?white\w{0,8}\b|snow\b|ivory\b|transparent\b"
    r"|\#(?:f[\da-f]){3}(?:[\da-f]{2})?\b|\#fff[\da-f]?\b|\#(?:[\da-f]{3}0|[\da-f]{6}00)\b"
    r"|rgba?\(\s*2[45]\d[\s,]{1,4}2[45]\d[\s,]{1,4}2[45]\d"
    r"|(?:rgb|hsl)a\([^()]{1,40}[,/]\s*0?\.?0*\s*\)|hsla?\([^()]{1,40}[\s,](?:9[5-9]|100)%)"
)
_UNSEEN = re.compile(
    rf"(?<![-\w])color\s*[:=]\s*[\"']?\s*{_WHITE}"
    r"|font-size\s*:\s*(?:0*\.[0-2]|0+(?![.\d])|[0-3](?:\.\d+)?\s*(?:px|pt)\b|\d%)"
    r"|display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0?\.?0\d*(?![.\d])"
    r"|(?:left|right|top|bottom|text-indent|margin(?:-\w+)?)\s*:\s*-\d{3,}"
    r"|clip(?:-path)?\s*:\s*(?:rect|inset|circle)\(\s*(?:0|[5-9]\d%|100%)"
    r"|(?<![-:\w])(?<!: )hidden\b",
    re.I,
)
_TAG = re.compile(r"<(/?)(\w{1,10})\b([^<>]{0,1000})>")
_VOID = {"br", "hr", "img", "input", "meta", "link", "wbr", "area", "col"}
# In TeX: whether what is hidden is an argument, or all that follows in the group.
_TEX = re.compile(
    r"\\(?:(?P<argument>textcolor|[hv]?phantom)|(?P<rest>color|fontsize))\b"
    r"\s*(?:\[\w{1,10}\]\s*)?(?P<value>\{[^{}]{0,60}\})?",
)
_TEX_WHITE = re.compile(
    r"\{\s*(?:white.*|(?:1(?:\.0*)?|\.9\d*|0\.9\d*)(?:\s*,\s*(?:1(?:\.0*)?|0?\.9\d*))*"
    r"|(?:f[\da-f]){3}|2[45]\d(?:\s*,\s*2[45]\d){2}|0(?:\.0*)?(?:\s*,\s*0(?:\.0*)?){3})\s*\}",
    re.I,
)
_TEX_TINY = re.compile(r"\{\s*(?:0*\.\d+|[0-3](?:\.\d+)?)\s*(?:pt)?\s*\}")
_BRACE = re.compile(r"(?<!\\)[{}]")


def without_unseen_elements(text: str) -> tuple[str, int]:
    """HTML without elements whose own style hides them, and how many those were."""
    kept, at, name, depth, times = [], 0, "", 0, 0
    for tag in _TAG.finditer(text):
        closes, called, rest = tag[1] == "/", tag[2].lower(), tag[3]
        alone = called in _VOID or rest.rstrip().endswith("/")
        if depth:
            if called == name and not alone:
                depth += -1 if closes else 1
            if depth == 0:
                at = tag.end()
        elif not closes and not alone and _UNSEEN.search(rest):
            kept.append(text[at : tag.start()])
            name, depth, times = called, 1, times + 1
    if not depth:
        kept.append(text[at:])
    return " ".join(kept) if times else text, times


def without_unseen_groups(text: str) -> tuple[str, int]:
    """TeX without white, tiny and phantom letters, and how many times there were any."""
    kept, at, times = [], 0, 0
    while (hit := _next_hidden(text, at)) is not None:
        start, end = hit
        kept.append(text[at:start])
        at, times = end, times + 1
    kept.append(text[at:])
    return " ".join(kept) if times else text, times


def _next_hidden(text: str, at: int) -> tuple[int, int] | None:
    for command in _TEX.finditer(text, at):
        value = command["value"]
        if command["argument"] == "textcolor":
            if value and _TEX_WHITE.fullmatch(value):
                return command.start(), _argument_end(text, command.end())
        elif command["argument"]:
            return command.start(), _argument_end(text, command.end("argument"))
        elif value and (_TEX_TINY if command["rest"] == "fontsize" else _TEX_WHITE).fullmatch(
            value
        ):
            return command.start(), _group_end(text, command.end(), 1, keep=1)
    return None


def _argument_end(text: str, at: int) -> int:
    """Where an argument that begins at ``at`` ends: after its group, or after one line."""
    opened = re.compile(r"\s*\{").match(text, at)
    if opened:
        return _group_end(text, opened.end(), 1)
    line = text.find("\n", at)
    return len(text) if line < 0 else line


def _group_end(text: str, at: int, depth: int, *, keep: int = 0) -> int:
    """Where ``depth`` open groups are closed; ``keep`` characters of the last brace stay."""
    for brace in _BRACE.finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end() - keep
    return len(text)
