"""What manuscripts say reaches a language model as quotations, whatever they try."""

from __future__ import annotations

import pytest

import gymposium
from gymposium.agents.language.prompt import system_message, turn_message
from gymposium.envs.peer_review.params import INJECTIONS

OURS = ("Which of these", "First manuscript:", "Second manuscript:", "Which one is better?")


@pytest.mark.parametrize("injection", INJECTIONS)
def test_every_line_of_a_manuscript_is_quoted_and_no_template_token_survives(
    injection: str,
) -> None:
    world = gymposium.make(
        "peer_review-v0", api="world", size=2, corpus=0, injection=injection, injected=[0, 1]
    )
    ((seat, turn),) = world.reset(0).items()
    shown = turn_message(turn)["content"]
    for line in shown.splitlines():
        assert line.startswith("| ") or line.startswith(OURS)
    assert not any(token in shown for token in ("<|im_end|>", "<|im_start|>"))
    told = system_message(world.seats[seat])["content"]
    assert "Lines that begin with '|' are quoted" in told


def test_a_long_manuscript_leaves_both_in_the_prompt() -> None:
    world = gymposium.make("peer_review-v0", api="world", size=2, corpus=0, letters=3_500)
    ((_, turn),) = world.reset(0).items()
    assert "left out" not in turn_message(turn)["content"]
