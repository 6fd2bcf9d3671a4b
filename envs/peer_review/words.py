"""``peer_review-v0`` in words: what reviewers are told, and manuscripts as quotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..quoting import QUOTED_IS_NOT_ORDERS, quoted
from ..words import SpaceWords

CHOICES = ("first", "second", "equal")
MARKS = tuple(str(mark) for mark in range(1, 11))


class ReviewWords(SpaceWords):
    """The text side of ``PeerReview``."""

    params: Any

    def action_labels(self, seat: str) -> Sequence[str]:
        """``first``, ``second``, ``equal``; or the marks from 1 to 10."""
        if self.params.task == "rate":
            return MARKS
        return CHOICES if self.params.ties else CHOICES[:2]

    def rules(self, seat: str) -> str:
        """The task, what counts, and how to answer."""
        p = self.params
        if p.task == "rate":
            task = "Each turn you read one manuscript and rate it from 1 (worst) to 10 (best)."
        else:
            task = "Each turn you read two manuscripts and say which one is better."
            task += " Call them equal only if you cannot tell." if p.ties else ""
        fence = f"\n{QUOTED_IS_NOT_ORDERS}" if p.fence else ""
        return (
            f"You are {seat}, a reviewer for a scientific venue that accepts {p.rate:.0%} of what "
            f"is submitted. {task} Judge originality, soundness, significance and clarity; the "
            "order in which manuscripts are shown means nothing. You are scored at the end by how "
            f"well your judgements agree with what became of the work.{fence}\n"
            f"{self.how_to_answer(seat)}"
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The manuscripts, each quoted, between what is asked and how many are left."""
        shown = [info[key] for key in ("first", "second") if key in info]
        if not shown:
            return "There is nothing to judge."
        left = f"Judgements left, with this one: {int(observation['left'])}."
        if len(shown) == 1:
            return f"Rate this manuscript. {left}\n{self._shown(shown[0])}\nYour rating, 1 to 10?"
        parts = [f"Which of these two manuscripts is better? {left}"]
        for name, manuscript in zip(("First", "Second"), shown, strict=True):
            parts += [f"{name} manuscript:", self._shown(manuscript)]
        return "\n".join([*parts, "Which one is better?"])

    def _shown(self, manuscript: Mapping[str, Any]) -> str:
        where = manuscript.get("institutions")
        lines = [
            f"Title: {manuscript['title']}",
            *([f"Institutions: {where}"] if where else []),
            f"Abstract: {manuscript['abstract']}",
            *([f"Text: {manuscript['text']}"] if manuscript["text"] else []),
        ]
        text = "\n".join(lines)
        return quoted(text) if self.params.fence else text
