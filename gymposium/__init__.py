"""gymposium: any agent in any seat of any world, and the one arena that runs them.

Every public name is here and is imported when it is first used, so that ``import gymposium`` costs
next to nothing. Importing it also arranges that our worlds are found by ``gymnasium.make`` and
``pettingzoo.make``, whenever those are imported.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agents.agent import as_agent as as_agent
    from .agents.checks import check_agent as check_agent
    from .agents.registry import register_agent as register_agent
    from .arenas.analysis.audit import audit as audit
    from .arenas.claims.reproduce import reproduce as reproduce
    from .arenas.run import Run as Run
    from .arenas.run import load as load
    from .arenas.run import resume as resume
    from .arenas.run import run as run
    from .arenas.run import run as tournament
    from .arenas.training.run import TrainingRun as TrainingRun
    from .arenas.training.train import resume_training as resume_training
    from .arenas.training.train import train as train
    from .envs.checks import check_env as check_env
    from .envs.registry import WorldSpec as WorldSpec
    from .envs.registry import make as make
    from .envs.registry import register as register
    from .envs.vector import VectorWorld as VectorWorld
    from .envs.vector import make_vec as make_vec
    from .errors import AgentFault as AgentFault
    from .errors import BackendError as BackendError
    from .errors import BudgetSpent as BudgetSpent
    from .errors import GymposiumError as GymposiumError
    from .errors import IllegalAction as IllegalAction
    from .errors import MissingExtra as MissingExtra
    from .errors import PlayerLeft as PlayerLeft
    from .errors import StoreError as StoreError
    from .errors import UnknownName as UnknownName
    from .errors import UsageError as UsageError
    from .scenarios.load import load as load_scenario
    from .scenarios.model import Scenario as Scenario
    from .types import Action as Action
    from .types import Agent as Agent
    from .types import Call as Call
    from .types import Method as Method
    from .types import Outcome as Outcome
    from .types import Progress as Progress
    from .types import Reply as Reply
    from .types import Seat as Seat
    from .types import TrainingTask as TrainingTask
    from .types import Turn as Turn
    from .types import Usage as Usage
    from .types import World as World

__version__ = "0.1.0"

_HOMES = {
    "agents.agent": "as_agent",
    "agents.checks": "check_agent",
    "agents.registry": "register_agent",
    "arenas.analysis.audit": "audit",
    "arenas.claims.reproduce": "reproduce",
    "arenas.run": "Run load resume run",
    "arenas.training.run": "TrainingRun",
    "arenas.training.train": "resume_training train",
    "envs.checks": "check_env",
    "envs.registry": "WorldSpec make register",
    "envs.vector": "VectorWorld make_vec",
    "errors": "AgentFault BackendError BudgetSpent GymposiumError IllegalAction MissingExtra "
    "PlayerLeft StoreError UnknownName UsageError",
    "scenarios.model": "Scenario",
    "types": "Action Agent Call Method Outcome Progress Reply Seat TrainingTask Turn Usage World",
}
# What the block above says to type checkers, for the interpreter: name -> (module, name there).
_WHERE = {name: (home, name) for home, names in _HOMES.items() for name in names.split()} | {
    "load_scenario": ("scenarios.load", "load"),
    "tournament": ("arenas.run", "run"),
}

__all__ = [
    "Action",
    "Agent",
    "AgentFault",
    "BackendError",
    "BudgetSpent",
    "Call",
    "GymposiumError",
    "IllegalAction",
    "Method",
    "MissingExtra",
    "Outcome",
    "PlayerLeft",
    "Progress",
    "Reply",
    "Run",
    "Scenario",
    "Seat",
    "StoreError",
    "TrainingRun",
    "TrainingTask",
    "Turn",
    "UnknownName",
    "Usage",
    "UsageError",
    "VectorWorld",
    "World",
    "WorldSpec",
    "__version__",
    "as_agent",
    "audit",
    "check_agent",
    "check_env",
    "load",
    "load_scenario",
    "make",
    "make_vec",
    "register",
    "register_agent",
    "reproduce",
    "resume",
    "resume_training",
    "run",
    "tournament",
    "train",
]


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, and keep it."""
    if name not in _WHERE:
        raise AttributeError(f"module 'gymposium' has no attribute {name!r}{_hint(name)}")
    module, attribute = _WHERE[name]
    value = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})


def _hint(name: str) -> str:
    from .errors import nearest

    near = nearest(name, _WHERE, count=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _join_the_ecosystem() -> None:
    from .envs.registry import install

    install()


_join_the_ecosystem()
