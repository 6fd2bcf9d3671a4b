"""A trained policy, and the ordinary agent that plays it.

A :class:`Policy` is one mind's network with the two spaces it was trained for. A
:class:`PolicyAgent` sits in one seat of one match: its recurrent state is fresh at the match's
start and its draws come from the seed it is given. ``act_batch`` plays many matches in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import torch

from gymposium.errors import UsageError
from gymposium.types import Action, Seat, Turn

from ..wire import space_to_json
from .deciding import ActionLayout, Noise
from .encoding import encoder
from .networks import Network

if TYPE_CHECKING:
    from gymposium.types import Space

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Policy:
    """What is kept of training.

    Attributes:
        network: a stack of one, without critics.
        observation_space, action_space: of the seats it can sit in.
        world: the id it was trained in, for messages.
        greedy: take the likeliest action instead of drawing one.
    """

    network: Network
    observation_space: Space
    action_space: Space
    world: str
    greedy: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "layout", ActionLayout(self.action_space))
        object.__setattr__(self, "encode", encoder(self.observation_space).encode)

    layout: ActionLayout = None  # type: ignore[assignment]
    encode: Any = None

    def check(self, seat: Seat) -> None:
        """Raise UsageError, naming the difference, unless the seat is one it was trained for."""
        for what in ("observation_space", "action_space"):
            trained, found = getattr(self, what), getattr(seat, what)
            if space_to_json(trained) != space_to_json(found):
                raise UsageError(
                    f"the policy trained in {self.world} cannot sit in {seat.id}: its "
                    f"{what.replace('_', ' ')} is {_short(trained)}, the seat's is "
                    f"{_short(found)}; train one in this world with these parameters"
                )


class Mind(NamedTuple):
    """What a policy carries through one match: its generator and its recurrent state."""

    rng: np.random.Generator
    hidden: torch.Tensor | None = None


class PolicyAgent:
    """Plays a policy in one seat of one match."""

    deterministic: ClassVar[bool] = True

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._mind = Mind(np.random.default_rng(0))

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match: nothing remembered, fresh draws.

        Raises:
            UsageError: the seat's spaces are not those it was trained for.
        """
        self.policy.check(seat)
        self._mind = self.start(seed)

    def act(self, turn: Turn) -> Action:
        """An action drawn from the policy, within the mask."""
        actions, minds = self.act_batch([turn.observation], [self._mind], [turn.action_mask])
        self._mind = minds[0]
        return actions[0]

    def start(self, seed: int) -> Mind:
        """The state at the start of a match, for ``act_batch``."""
        return Mind(np.random.default_rng(seed))

    def act_batch(
        self, observations: Sequence[Any], states: Sequence[Mind], masks: Sequence[Any]
    ) -> tuple[list[Action], list[Mind]]:
        """Act in many matches at once.

        Args:
            observations: an element of the observation space for each match.
            states: from ``start`` or the previous call, one a match.
            masks: an action mask or None for each.

        Returns:
            The actions and the states to hand in next time. A match's draws depend on its own
            state alone, never on which matches share the batch.
        """
        policy = self.policy
        layout, network = policy.layout, policy.network
        seen = np.stack([policy.encode(item) for item in observations])[:, None]
        hidden = None
        if network.spec.recurrent:
            blank = torch.zeros(1, network.spec.recurrent)
            kept = [blank if mind.hidden is None else mind.hidden for mind in states]
            hidden = torch.stack(kept, 1)
        said = network.act(seen, hidden)
        mask = None
        if any(item is not None for item in masks):
            mask = np.stack([layout.mask(item) for item in masks])
        log_std = network.log_std[0].detach().numpy() if layout.amounts else _NO_AMOUNTS
        drawn = layout.draw(said.logits[0].numpy(), log_std, mask, self._noise(states))
        actions = [layout.action(*row) for row in zip(drawn.choices, drawn.amounts, strict=True)]
        minds = list(states)
        if said.hidden is not None:
            minds = [Mind(m.rng, said.hidden[:, i]) for i, m in enumerate(states)]
        return actions, minds

    def _noise(self, minds: Sequence[Mind]) -> Noise | None:
        if self.policy.greedy:
            return None
        each = [self.policy.layout.noise(mind.rng) for mind in minds]
        return Noise(np.stack([n.uniform for n in each]), np.stack([n.normal for n in each]))


_NO_AMOUNTS = np.zeros(0, np.float32)


def _short(space: Space) -> str:
    text = str(space)
    return text if len(text) < 120 else text[:117] + "…"
