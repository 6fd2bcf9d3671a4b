"""A text world of a dozen lines, and a way to play any of them by a function."""

from __future__ import annotations

from gymposium.envs.text_worlds.facts import Question
from gymposium.envs.text_worlds.text_world import TextWorld
from gymposium.envs.text_worlds.yardsticks import Yardsticks

FAMILIES = (
    "labor_action-v0",
    "pub_coordination-v0",
    "reality_show-v0",
    "state_formation-v0",
    "text_haggling-v0",
)


class Duel(TextWorld):
    """Two talk at the bridge, a third waits at home; then both choose, and the third is told."""

    id = "duel-v0"
    own_metrics = ()

    def _cast(self):
        self.main = ("left", "right", "home")
        self.horizon, self.return_range = 2 * self.params.talk + 2, (-1.0, 3.0)
        return dict.fromkeys(self.main, "duellist")

    def _story(self, tale):
        tale.enter("At the bridge", ("left", "right"), "The sun rises.")
        yield from tale.talk("Speak, {name}!", rounds=self.params.talk)
        picked = yield from tale.choose("Shoot, {name}?", ("no", "yes"))
        for id in ("left", "right"):
            tale.pay(id, 1.0 - 2 * picked[id])
        tale.tell("You hear a shot." if any(picked.values()) else "All is quiet.", "home")
        yield from tale.ask({"home": Question("What was that?", ("a shot", "nothing"))})

    def _yardsticks(self):
        return Yardsticks(2 / 3, -2 / 3, 0.0, -2 / 3)

    def _about(self, seat):
        return "A duel in which nobody needs to shoot, and a friend who waits at home for news."


def play(world, seed, answer):
    """Play a match by ``answer(seat, turn)``, which gives an action, words or None; its turns."""
    turns, course = world.reset(seed), []
    while turns:
        course.append(dict(turns))
        actions = {}
        for seat, turn in turns.items():
            said = answer(seat, turn)
            if isinstance(said, str):
                said = world.parse(seat, said, turn.observation, turn.info)
            actions[seat] = said
        turns = world.step(actions)
    return course


def options(turn):
    """What can be chosen."""
    return turn.observation["options"].split("\n") if turn.observation["options"] else []
