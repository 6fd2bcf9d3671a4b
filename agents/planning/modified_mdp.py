"""Acting where actions may be modified: exact solutions of small Modified-Action MDPs.

Langlois and Everitt, How RL Agents Behave When Their Actions Are Modified (2021): what is carried
out is drawn from ``P_A(executed | state, chosen)``. Whoever plans as if it were not so can lose by
it (Nath and Krishnaswamy, NeurIPS 2025, theorem 3.2); the two plans and what each is worth are
found here by value iteration over the true and over the imagined dynamics.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class ModifiedMDP(NamedTuple):
    """S states and A actions.

    Attributes:
        reward: ``[S, A]``, of the action that is carried out.
        transition: ``[S, A, S]``, after it; rows may sum to less than 1, the rest being the end.
        modification: ``[S, A, A]``, chances of what is carried out, given what was chosen.
        gamma: discount.
    """

    reward: Array
    transition: Array
    modification: Array
    gamma: float = 1.0

    def executed(self) -> ModifiedMDP:
        """The same choices with their true consequences, and nothing left to modify."""
        return ModifiedMDP(
            np.einsum("sab,sb->sa", self.modification, self.reward),
            np.einsum("sab,sbt->sat", self.modification, self.transition),
            self._unmodified(),
            self.gamma,
        )

    def optimal(self) -> Array:
        """The best choice in each state, int ``[S]``."""
        true = self.executed()
        best: Array = true._values(true.reward.shape[0]).argmax(1)
        return best

    def ignoring(self) -> Array:
        """The choice of one who plans as if all were carried out as chosen, int ``[S]``."""
        best: Array = self._values(self.reward.shape[0]).argmax(1)
        return best

    def worth(self, policy: Array) -> Array:
        """What choices ``[S]`` are truly worth from each state, ``[S]``."""
        true = self.executed()
        rows = np.arange(len(policy))
        step = np.eye(len(policy)) - self.gamma * true.transition[rows, policy]
        return np.linalg.solve(step, true.reward[rows, policy])

    def _unmodified(self) -> Array:
        states, actions = self.reward.shape
        return np.broadcast_to(np.eye(actions), (states, actions, actions))

    def _values(self, states: int) -> Array:
        values = np.zeros(states)
        for _ in range(_MOST):
            choices = self.reward + self.gamma * self.transition @ values
            new = choices.max(1)
            if np.abs(new - values).max() < 1e-12:
                break
            values = new
        return np.asarray(self.reward + self.gamma * self.transition @ values)


_MOST = 100_000
