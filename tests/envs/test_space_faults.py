"""A wrong action of a space with parts is told by the part at fault, and briefly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import Space, spaces

import gymposium
from gymposium.envs.space_faults import fault
from gymposium.errors import IllegalAction

CALL = spaces.Dict({"ideas": spaces.Text(5, min_length=0), "tool": spaces.Discrete(3)})
NESTED = spaces.Dict({"inner": CALL, "where": spaces.Box(0, 1, (2,))})


@pytest.mark.parametrize(
    ("space", "action", "named"),
    [
        (CALL, 3, "dictionary with the keys 'ideas', 'tool'"),
        (CALL, None, "dictionary"),
        (CALL, ["tool"], "dictionary"),
        (CALL, {"tool": 1}, "lacks 'ideas'"),
        (CALL, {"tool": 1, "ideas": "", "edit": 2}, "no key 'edit'"),
        (CALL, {"tool": 1, "ideas": "", 7: 2}, "no key 7"),
        (CALL, {"tool": 9, "ideas": ""}, "'tool': it must be of Discrete(3), not 9"),
        (CALL, {"tool": 1.0, "ideas": ""}, "'tool'"),
        (CALL, {"tool": 1, "ideas": None}, "'ideas': it must be text of 0 to 5 characters"),
        (CALL, {"tool": 1, "ideas": "abcdef"}, "which 6 are not"),
        (CALL, {"tool": 1, "ideas": "é"}, "without 'é'"),
        (CALL, {"tool": 1, "ideas": "x" * 10**6}, "which 1000000 are not"),
        (NESTED, {"inner": {"tool": 1}, "where": np.zeros(2, np.float32)}, "'inner': it lacks"),
        (NESTED, {"inner": {"tool": 1, "ideas": ""}, "where": np.ones(3)}, "'where': it must be"),
        (spaces.Discrete(3), 3, "Discrete(3)"),
    ],
)  # fmt: skip
def test_the_sentence_names_the_part_and_what_it_must_be(
    space: Space[Any], action: Any, named: str
) -> None:
    assert not space.contains(action)
    said = fault(space, action)
    assert named in said
    assert len(said) < 250


@pytest.mark.parametrize("api", ["world", "gymnasium"])
def test_worlds_say_it_at_every_door(api: Any) -> None:
    world = gymposium.make("scene_weaver-v0", api=api, shows="text")
    world.reset(seed=1)
    wrong = {"tool": 0, "ideas": 5, "edit": ""}
    with pytest.raises(IllegalAction, match="'ideas': it must be text") as refused:
        world.step({"player_0": wrong} if api == "world" else wrong)
    assert len(str(refused.value)) < 400
