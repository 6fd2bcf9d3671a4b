"""Tools that others wrote: whatever they are and do, the room and the match stay whole."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gymposium
from gymposium.envs.rooms.execute import Physics
from gymposium.envs.rooms.layout import layout
from gymposium.envs.rooms.room_types import room_type
from gymposium.envs.rooms.scene import Item, Scene
from gymposium.envs.rooms.tools import toolbox
from gymposium.envs.rooms.tools.calling import call
from gymposium.envs.rooms.tools.card import Card, Edited, Family, Task, Tool
from gymposium.envs.rooms.tools.library import finished
from gymposium.envs.rooms.tools.strangers import checked
from gymposium.errors import UsageError

BEDROOM = room_type("bedroom")
CARD = Card("own", Family.REFINER, "Does something.", ("tests",), (), "none.", "all.")


def task() -> Task:
    return Task(finished("bedroom", 1), BEDROOM, "bedroom", "", None, np.random.default_rng(0))


def tool(act: Callable[[Task], Any] = lambda task: Edited(task.scene, ""), **says: Any) -> Tool:
    """A tool that acts so, and otherwise says what a tool says, but for ``says``."""
    made = {"card": CARD, "act": lambda self, task: act(task), **says}
    return type("Own", (Tool,), made)()  # type: ignore[no-any-return]


def first(change: dict[str, Any]) -> Callable[[Task], Edited]:
    def act(task: Task) -> Edited:
        items = task.scene.items
        return Edited(replace(task.scene, items=(replace(items[0], **change), *items[1:])), "")

    return act


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def throw(error: BaseException) -> Callable[[Task], Any]:
    def act(task: Task) -> Any:
        raise error

    return act


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (throw(RuntimeError("a\nb\x1b[31m")), "own failed: RuntimeError: a b [31m"),
        (throw(SystemExit("bye")), "own failed: SystemExit: bye"),
        (throw(Mute()), "own failed: Mute: it cannot say"),
        (throw(UsageError("not\nnow")), "own refused: not now"),
        (lambda task: None, "not None"),
        (lambda task: "a room", "not 'a room'"),
        (lambda task: (), "it gave no scene"),
        (lambda task: (task.scene,), "it gave no scene"),
        (lambda task: (task.scene, "a", "b"), "it gave no scene"),
        (lambda task: task.scene, "not Scene"),
        (lambda task: Edited(task.scene, None), "what it did must be text"),  # type: ignore[arg-type]
        (lambda task: Edited(replace(task.scene, items=(3,)), ""), "own failed"),  # type: ignore[arg-type]
        (first({"location": (math.nan, 0.0, 0.0)}), "location[0]"),
        (first({"location": (0.0, 0.0)}), "location must be 3 numbers"),
        (first({"location": "abc"}), "location must be 3 numbers"),
        (first({"location": (0.0, None, 0.0)}), "location[1] must be a number"),
        (first({"size": (math.inf, 1.0, 1.0)}), "size[0]"),
        (first({"size": (-1.0, 1.0, 1.0)}), "size[0]"),
        (first({"rotation": "left"}), "rotation must be a number"),
        (first({"category": 7}), "category"),
        (first({"id": "../x"}), "cannot be an id"),
        (first({"relations": (("room",),)}), "relations must be"),
        (first({"relations": (("room", "near"),)}), "relations must be"),
        (first({"relations": 3}), "relations must be"),
        (first({"style": "red"}), "style"),
        (lambda task: Edited(task.scene.with_items(task.scene.items[0]), ""), "ids must differ"),
    ],
)  # fmt: skip
def test_what_is_no_scene_is_a_refusal_in_one_line(act: Callable[[Task], Any], said: str) -> None:
    found = call(tool(act), task())
    assert found.scene is None
    assert said in found.words
    assert found.words.isprintable()


def test_a_tool_that_never_comes_back_has_failed_and_draws_no_number_of_the_match() -> None:
    let_go = threading.Event()

    def act(task: Task) -> Edited:
        task.rng.random(7)
        let_go.wait()
        return Edited(task.scene, "")

    given = task()
    before = given.rng.bit_generator.state
    found = call(tool(act, seconds=0.2), given)
    let_go.set()
    assert found.scene is None
    assert found.overdue
    assert "own failed: nothing came back within 0.2 s; it is at " in found.words
    assert given.rng.bit_generator.state == before


@pytest.mark.parametrize("fails", [False, True])
def test_a_tool_that_comes_back_has_drawn_from_the_numbers_of_the_match(fails: bool) -> None:
    drawn = []

    def act(task: Task) -> Edited:
        drawn.extend(task.rng.random(3).tolist())
        if fails:
            raise RuntimeError("after all")
        return Edited(task.scene, "")

    given, twin = task(), np.random.default_rng(0)
    assert call(tool(act), given).overdue is False
    assert drawn == twin.random(3).tolist()
    assert given.rng.random() == twin.random()


def test_what_never_came_back_is_not_called_again_in_that_match(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import threading\n"
        "from gymposium.envs.rooms.tools.card import Card, Family, Tool\n"
        "class Waits(Tool):\n"
        "    card = Card('waits', Family.REFINER, 'Waits.', (), (), 'none.', 'all.')\n"
        "    seconds = 0.2\n"
        "    called = []\n"
        "    def act(self, task):\n"
        "        self.called.append(task)\n"
        "        threading.Event().wait()\n",
        encoding="utf-8",
    )
    world = gymposium.make(
        "scene_weaver-v0",
        api="world",
        room="hallway",
        shows="text",
        passes=5,
        tools=[f"{tmp_path / 'mine.py'}:Waits"],
    )
    for _ in range(2):  # in the next match it has its chance again
        world.reset(seed=1)
        for number in (0, 13, 13, 12):
            world.step({"player_0": {"tool": number, "ideas": "", "edit": ""}})
        results = [(row["tool"], row["result"]) for row in world.rows]
        assert results == [
            ("init_gpt", "accepted"),
            ("waits", "refused"),
            ("waits", "refused"),
            ("terminate", "accepted"),
        ]
        assert "waits failed: nothing came back within 0.2 s" in world.rows[1]["said"]
        assert world.rows[2]["said"] == "waits refused: an earlier call of it never came back"
    assert len(world._tools[13].called) == 2


def values(make: Callable[[Iterable[float]], Any]) -> Callable[[Task], Edited]:
    def act(task: Task) -> Edited:
        items = [replace(it, location=make(it.location), size=make(it.size)) for it in task.scene]
        return Edited(replace(task.scene, items=items), "")  # type: ignore[arg-type]

    return act


@pytest.mark.parametrize(
    "make", [list, np.array, lambda v: tuple(np.float64(x) for x in v)], ids=["list", "array", "64"]
)
def test_numbers_of_any_kind_become_the_scenes_own(make: Callable[[Iterable[float]], Any]) -> None:
    given = task()
    found = call(tool(values(make)), given)
    assert found.scene == given.scene
    hash(found.scene)  # it is a key where scenes are measured once
    assert all(type(x) is float for item in found.scene for x in (*item.location, *item.size))


def test_other_spellings_of_a_category_become_its_name() -> None:
    def act(task: Task) -> Edited:
        sofa = Item("99_couch", "couch", (1.0, 1.0, 0.0), 0.0, (0.9, 2.0, 0.8))
        return Edited(task.scene.with_items(sofa), "")

    found = call(tool(act), task())
    assert found.scene is not None
    assert found.scene["99_couch"].category == "sofa"


def spoil_item(scene: Scene) -> None:
    object.__setattr__(scene.items[0], "location", (0.0, 0.0, 5.0))


def spoil_scene(scene: Scene) -> None:
    object.__setattr__(scene, "items", ())


def spoil_room(scene: Scene) -> None:
    object.__setattr__(scene.room, "type", "gym")
    object.__setattr__(scene.openings[0], "location", (0.0, 0.0, 0.0))


def spoil_index(scene: Scene) -> None:
    scene.by_id.clear()
    scene.resting.clear()


@pytest.mark.parametrize("spoil", [spoil_item, spoil_scene, spoil_room, spoil_index])
@pytest.mark.parametrize("then", ["raises", "returns nothing"])
def test_a_tool_that_writes_into_the_scene_changes_only_its_copy(
    spoil: Callable[[Scene], None], then: str
) -> None:
    def act(task: Task) -> None:
        spoil(task.scene)
        if then == "raises":
            raise RuntimeError("half way")

    given = task()
    before, names = repr(layout(given.scene, digits=9)), set(given.scene.by_id)
    assert call(tool(act), given).scene is None
    assert repr(layout(given.scene, digits=9)) == before
    assert set(given.scene.by_id) == names


def broken(self: Tool, *_: Any) -> Any:
    raise ZeroDivisionError("oh")


@pytest.mark.parametrize(
    ("says", "named"),
    [
        ({"card": "a card"}, "no Tool with a Card"),
        ({"card": replace(CARD, name="")}, "card.name"),
        ({"card": replace(CARD, name="two words")}, "card.name"),
        ({"card": replace(CARD, name=3)}, "card.name"),  # type: ignore[arg-type]
        ({"card": replace(CARD, family="refiner")}, "Family.REFINER"),  # type: ignore[arg-type]
        ({"card": replace(CARD, cost=-1)}, "card.cost"),
        ({"card": replace(CARD, cost=math.nan)}, "card.cost"),  # type: ignore[arg-type]
        ({"card": replace(CARD, cost="1")}, "card.cost"),  # type: ignore[arg-type]
        ({"card": replace(CARD, weaknesses=None)}, "card.weaknesses"),  # type: ignore[arg-type]
        ({"card": replace(CARD, use_cases="all")}, "card.use_cases"),  # type: ignore[arg-type]
        ({"card": replace(CARD, supported_room_types=("bedrom",))}, "bedroom"),
        ({"physics": "whole"}, "physics"),
        ({"seconds": 0}, "seconds must be a number above 0"),
        ({"seconds": math.inf}, "seconds must be"),
        ({"seconds": "ten"}, "seconds must be"),
        ({"knows": broken}, "knows() fails: ZeroDivisionError"),
        ({"edit_schema": broken}, "edit_schema() fails: ZeroDivisionError"),
        ({"edit_schema": lambda *_: "any"}, "edit_schema() must give a JSON Schema"),
        ({"edit_schema": lambda *_: {"type": "thing"}}, "edit_schema() gives no JSON Schema"),
        ({"edit_schema": lambda *_: {"enum": {1}}}, "edit_schema() gives no JSON Schema"),
        ({"parameters": lambda *_: {"type": "object"}}, "parameters()"),
    ],
)  # fmt: skip
def test_what_is_no_tool_is_refused_before_a_match_with_its_place(
    says: dict[str, Any], named: str
) -> None:
    with pytest.raises(UsageError) as refused:
        checked(tool(**says), "mine.py:Own")
    assert "mine.py:Own" in str(refused.value)
    assert named in str(refused.value)


def test_ours_pass_the_same_look() -> None:
    for kind in toolbox.BUILT_IN:
        assert isinstance(checked(kind, kind.__name__).physics, Physics)


def needs_more(size: int) -> None:
    """No tool."""


@pytest.mark.parametrize("made", [Tool, 3, None, needs_more, type("Odd", (), {})])
def test_what_cannot_be_made_or_is_none_is_a_sentence(made: Any) -> None:
    with pytest.raises(UsageError, match="mine"):
        checked(made, "mine")


def test_a_file_that_ends_python_while_it_is_read_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "leaving.py").write_text("raise SystemExit('I leave')\n", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be loaded: SystemExit: I leave"):
        gymposium.make("scene_weaver-v0", tools=[f"{tmp_path / 'leaving.py'}:Own"])


def test_installed_packages_whatever_they_do_are_told_of_once_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    (tmp_path / "leaving_tools.py").write_text("raise SystemExit('I leave')\n", encoding="utf-8")
    (tmp_path / "good_tools.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    places = {
        "leaves": "leaving_tools:Own",
        "nowhere": "good_tools.there:Own",
        "missing": "good_tools:Nobody",
        "abstract": "good_tools:Tool",
        "good": "good_tools:GOOD",
        "second": "good_tools:GOOD",
        "ours": "good_tools:OURS",
    }
    entries = [EntryPoint(name, place, toolbox.GROUP) for name, place in places.items()]
    monkeypatch.setattr(toolbox, "entry_points", lambda group: entries)
    toolbox._plugins.cache_clear()
    try:
        with pytest.warns(UserWarning, match="left out") as warned:
            names = [it.card.name for it in toolbox.toolbox()]
        assert len(warned) == 1
        assert names[len(toolbox.BUILT_IN) :] == ["own"]
        assert set(toolbox.broken_tools()) == set(places) - {"good"}
        assert all(places[name] in why for name, why in toolbox.broken_tools().items())
    finally:
        toolbox._plugins.cache_clear()
        sys.modules.pop("good_tools", None)


GOOD = tool()
OURS = tool(card=replace(CARD, name="add_gpt"))
