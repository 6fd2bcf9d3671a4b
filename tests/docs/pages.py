"""The pages under test, taken apart: blocks, links, commands and names.

Which blocks are what:

- ``python``: each is complete in itself and runs in a namespace of its own. The blocks of one page
  run in order in one temporary directory. A block that begins with ``# some_file.py`` is also
  written to that file, for the blocks and commands after it to use.
- ``yaml``: the same, without running; one with ``world``, ``worlds`` or ``agents`` is a scenario.
- ``text`` right after a ``python`` block: exactly what that block prints.
- ``sh``: commands that are carried out, in the same directory, and succeed.
- a block without a language, and code within a line: ``gymposium`` commands in it are only parsed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_FILE = re.compile(r"# ([\w/-]+\.(?:py|yaml))\n")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`]+)`")
_DOTTED = re.compile(r"\bgymposium(?:\.[A-Za-z_]\w*)+")


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Attributes:
        language: the word after the fence, or "".
        text: what it holds.
        line: of the page, counted from 1, on which its text begins.
        shown: the ``text`` block that follows it at once, or None.
    """

    language: str
    text: str
    line: int
    shown: str | None = None

    @property
    def file(self) -> str | None:
        """The file it says it is."""
        named = _FILE.match(self.text)
        return named[1] if named else None


@cache
def blocks(page: str) -> tuple[Block, ...]:
    """The fenced blocks of a page, in order."""
    source = (ROOT / page).read_text(encoding="utf-8")
    found: list[Block] = []
    end = -1
    for hit in _FENCE.finditer(source):
        block = Block(hit[1], hit[2], source.count("\n", 0, hit.start(2)) + 1)
        if block.language == "text" and found and not source[end : hit.start()].strip():
            last = found[-1]
            found[-1] = Block(last.language, last.text, last.line, block.text)
        found.append(block)
        end = hit.end()
    return tuple(found)


def prose(page: str) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))


def links(page: str) -> list[str]:
    """Where the page's links and images lead, those out of the repository left out."""
    targets = _LINK.findall(prose(page))
    return [target for target in targets if not re.match(r"[a-z]+:|#", target)]


def commands(page: str) -> list[str]:
    """Every ``gymposium …`` command line of a page, in blocks and within lines."""
    lines = [
        line.removeprefix("$ ").partition("  #")[0].strip()
        for block in blocks(page)
        if block.language in ("", "sh")
        for line in block.text.splitlines()
    ]
    lines += [" ".join(code.split()) for code in _CODE.findall(prose(page))]
    return [line for line in lines if line.startswith("gymposium ")]


def dotted_names(page: str) -> list[str]:
    """Every ``gymposium.x.y`` in the code of a page."""
    code = [block.text for block in blocks(page) if block.language in ("", "python", "sh", "text")]
    return sorted(set(_DOTTED.findall("\n".join([*code, *_CODE.findall(prose(page))]))))
