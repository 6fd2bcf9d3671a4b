"""What a request forbids stays away, whichever tool furnishes by rule."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs import registry
from gymposium.envs.rooms.tools.ideas import forbidden

FORBIDDING = [
    ("a bedroom without a bed", {"double_bed", "single_bed"}),
    ("a bedroom with no double bed", {"double_bed"}),
    ("an office, no chairs", {"chair", "office_chair"}),
    ("an office without a bookshelf", {"bookshelf"}),
    ("a living room without any lamp", {"table_lamp", "floor_lamp", "ceiling_lamp", "desk_lamp"}),
]


@pytest.mark.parametrize(("request_", "never"), FORBIDDING)
def test_a_bare_noun_forbids_all_of_its_kind_and_a_name_only_itself(
    request_: str, never: set[str]
) -> None:
    assert forbidden(request_) >= never
    assert ("single_bed" in forbidden(request_)) == ("single_bed" in never)


def test_what_is_asked_for_by_name_is_not_forbidden_with_its_kind() -> None:
    found = forbidden("a bedroom without a lamp but with a floor lamp")
    assert "table_lamp" in found
    assert "floor_lamp" not in found
    assert not forbidden("a bedroom for two with a reading corner")


@pytest.mark.parametrize(("request_", "never"), FORBIDDING)
@pytest.mark.parametrize("seed", [0, 1])
def test_no_tool_that_furnishes_by_rule_brings_what_the_request_forbids(
    request_: str, never: set[str], seed: int
) -> None:
    made = registry.make_world("scene_weaver-v0", room=request_, shows="text", passes=3, steps=8)
    names = made.action_labels("player_0")["tool"]
    turns, rng = made.reset(seed), np.random.default_rng(seed)
    calls = ["init_gpt", "add_gpt", "add_rule", "add_gpt", "add_rule", "add_gpt"]
    for name in calls:
        if name not in turns["player_0"].info["offered"]:
            continue
        ideas = str(rng.choice(["", "much of the floor is empty"]))
        turns = made.step({"player_0": {"tool": names.index(name), "ideas": ideas, "edit": ""}})
    there = {item.category for item in made.scene}
    assert len(there) > 3
    assert not there & never
