"""A small world of a user's own, for tests of what such a world may do: as the source of a file."""

THREE_STEPS = '''
import numpy as np
from gymnasium.spaces import Discrete

from gymposium.envs.world import RuleWorld


class ThreeSteps(RuleWorld):
    """Say a number, three times; a child does as it likes whenever something happens."""

    turn_based = True
    kind = "cooperative"
    fault_rule = "No answer wastes the step."
    horizon = 3
    return_range = (0.0, 3.0)

    def __init__(self, params):
        self.params = params
        self._happens("init")
        self._seat_all(["player_0"], {"player_0": Discrete(8)}, {"player_0": Discrete(2)})

    def _happens(self, what):
        """It is made (init), begun (reset) or played (step)."""

    def _begin(self, rng):
        self._seen = 0
        self._happens("reset")

    def _actors(self):
        return self.possible_seats

    def _play(self, actions):
        self._seen += 1
        self._happens("step")
        return {"player_0": float(actions["player_0"] or 0)}

    def _ended(self):
        return self._seen >= 3, False, "three steps"

    def _observe(self, seat):
        return np.int64(self._seen)

    def _state(self):
        return repr(self._seen).encode()
'''
