"""Training methods by name: ``resolve_method("fcgrad?beta=0.7").make()``.

A method is how agents are made (:class:`gymposium.types.Method`). Its spec is a name, with
parameters behind it in the same grammar as an agent's (:mod:`.spec_text`). The entry point of a
method is a class with an attribute ``Config``, a frozen dataclass whose fields are the parameters
(each field's ``metadata["doc"]`` says what it is), and a constructor that takes one such config.
Methods come from this package, from :func:`register_method` and from installed packages (the
entry-point group ``gymposium.methods``); none is imported before it is asked for.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from gymposium.errors import MissingExtra, UnknownName, UsageError
from gymposium.types import Method

from .spec_text import parse_spec, query

GROUP = "gymposium.methods"
LANGUAGE = "language models"
"""The kind of methods whose agents are language models."""
_NAME = re.compile(r"[A-Za-z][\w-]*")
_EXTRA_MODULES = {"train": ("torch", "safetensors"), "llm": ("xllamacpp",)}


@dataclass(frozen=True)
class MethodSpec:
    """A training method and the parameters it is to be made with.

    Attributes:
        name: what ``--method`` says.
        entry_point: ``module:Class``; the class has ``Config`` and takes one.
        summary: one line for the list.
        extras: extras of this package that it needs.
        kind: what it trains: ``policies`` (networks that act in any world) or another word.
        params: values for fields of the config; the rest keep their defaults.
    """

    name: str
    entry_point: str
    summary: str = ""
    extras: tuple[str, ...] = ("train",)
    kind: str = "policies"
    params: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name + query(self.params)

    def load(self) -> type[Any]:
        """Import the method's class.

        Raises:
            MissingExtra: what it needs is not installed.
            UsageError: the class does not exist.
        """
        for extra in self.extras:
            for module in _EXTRA_MODULES.get(extra, ()):
                if importlib.util.find_spec(module) is None:
                    raise MissingExtra(f"the method {self.name!r}", extra=extra, module=module)
        module, _, name = self.entry_point.partition(":")
        try:
            return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]
        except (ImportError, AttributeError) as error:
            raise UsageError(
                f"the method {self.name!r} cannot be loaded from {self.entry_point!r}: {error}"
            ) from error

    def config(self) -> Any:
        """The config these parameters give, checked.

        Raises:
            UnknownName: there is no such parameter.
            UsageError: a value is not of the field's type, or not allowed.
        """
        cls = self.load().Config
        hints = typing.get_type_hints(cls)
        known = {item.name for item in dataclasses.fields(cls) if item.init}
        values = {}
        for name, value in self.params.items():
            if name not in known:
                raise UnknownName("parameter", name, known, where=f"the method {self.name}")
            values[name] = _fitting(value, hints[name], f"{self.name}: {name}")
        return cls(**values)

    def make(self) -> Method:
        """A fresh method, untrained. Raises as :meth:`load` and :meth:`config`."""
        config = self.config()
        return self.load()(config)  # type: ignore[no-any-return]

    def parameters(self) -> dict[str, dict[str, Any]]:
        """``{name: {type, default, doc, …}}`` of every field of the config, in order."""
        described = {}
        for item in dataclasses.fields(self.load().Config):
            if item.init:
                entry = {"type": str(item.type), **item.metadata}
                if item.default is not dataclasses.MISSING:
                    entry["default"] = item.default
                described[item.name] = entry
        return described


_OURS = "gymposium.agents.learning"
_CURRICULA = f"{_OURS}.curriculum.curricula"
_TOGETHER = f"{_OURS}.collaboration.collaborator"
_WORDS = "gymposium.agents.language.finetuning"
_methods: dict[str, MethodSpec] = {
    spec.name: spec
    for spec in (
        MethodSpec("ippo", f"{_OURS}.ppo:PPO", "PPO, every agent for its own reward"),
        MethodSpec(
            "token_ppo",
            f"{_OURS}.speaking.token_ppo:TokenPPO",
            "PPO over the tokens of replies, with reasoning about state in words",
            kind="speakers",
        ),
        MethodSpec("mappo", f"{_OURS}.mappo:MAPPO", "PPO with a critic that sees the whole state"),
        MethodSpec(
            "collective", f"{_OURS}.reward_shaping:Collective", "PPO for the mean of all rewards"
        ),
        MethodSpec("vdn", f"{_OURS}.vdn:VDN", "the team's value as the sum of its members' own"),
        MethodSpec(
            "inequity_aversion",
            f"{_OURS}.reward_shaping:InequityAversion",
            "PPO that dislikes earning less, or more, than others",
        ),
        MethodSpec(
            "svo",
            f"{_OURS}.reward_shaping:SocialValueOrientation",
            "PPO that holds the ratio of others' reward to its own at an angle",
        ),
        MethodSpec(
            "gifting",
            f"{_OURS}.reward_shaping:Gifting",
            "PPO that keeps a share of its reward and gives the rest to the others",
        ),
        MethodSpec(
            "weighted",
            f"{_OURS}.conflict:Weighted",
            "weighted sum of the individual and the collective policy gradient",
        ),
        MethodSpec(
            "pcgrad", f"{_OURS}.conflict:PCGrad", "conflicting gradients project each other"
        ),
        MethodSpec(
            "cagrad",
            f"{_OURS}.conflict:CAGrad",
            "the step that helps the worse served objective most",
        ),
        MethodSpec("aga", f"{_OURS}.aga:AgA", "altruistic gradient adjustment, second order"),
        MethodSpec(
            "fcgrad",
            f"{_OURS}.conflict:FCGrad",
            "in conflict, raise the lower objective without hurting the other",
        ),
        MethodSpec(
            "offline_robust",
            "gymposium.agents.offline.method:OfflineRobust",
            "both seats of a Markov game from recorded data: RTZ-VI-LCB and its rivals",
            extras=(),
        ),
        MethodSpec(
            "q_learning",
            f"{_OURS}.q_learning:QLearning",
            "a table of values, for worlds small enough to have one",
            extras=(),
        ),
        MethodSpec(
            "tool_bandit",
            f"{_OURS}.tool_bandit:ToolBandit",
            "which tool mends which fault of a room, begun at the scripted planner's trust",
            extras=(),
            kind="planners",
        ),
        MethodSpec(
            "icr",
            f"{_TOGETHER}:ICR",
            "PPO from a cloned start, held to mind advice only where that pays",
            kind="collaborators",
        ),
        MethodSpec(
            "ppo_collaborator",
            f"{_TOGETHER}:Collaborator",
            "PPO from the same cloned start",
            kind="collaborators",
        ),
        MethodSpec(
            "pso_intent",
            f"{_TOGETHER}:PathSpecific",
            "PPO on what the policy does when it is told that advice is useless",
            kind="collaborators",
        ),
        MethodSpec(
            "bc",
            f"{_TOGETHER}:Cloning",
            "behaviour cloning of a scripted expert",
            kind="collaborators",
        ),
        MethodSpec(
            "dpo",
            f"{_TOGETHER}:DPO",
            "direct preference optimisation of a cloned policy",
            kind="collaborators",
        ),
        MethodSpec(
            "ipo",
            f"{_TOGETHER}:IPO",
            "identity preference optimisation of a cloned policy",
            kind="collaborators",
        ),
        MethodSpec(
            "curltrac",
            f"{_CURRICULA}:CuRLTraCMethod",
            "under the tightest budget at which the policy still earns enough",
            extras=(),
            kind="curricula",
        ),
        MethodSpec(
            "target_budget",
            f"{_CURRICULA}:TargetMethod",
            "under the deployment budget from the start",
            extras=(),
            kind="curricula",
        ),
        MethodSpec(
            "unconstrained",
            f"{_CURRICULA}:UnconstrainedMethod",
            "without a budget",
            extras=(),
            kind="curricula",
        ),
        MethodSpec(
            "iid_budgets",
            f"{_CURRICULA}:IIDMethod",
            "under budgets at random",
            extras=(),
            kind="curricula",
        ),
        MethodSpec(
            "exp_schedule",
            f"{_CURRICULA}:ExpScheduleMethod",
            "under budgets that fall exponentially",
            extras=(),
            kind="curricula",
        ),
        MethodSpec(
            "linear_schedule",
            f"{_CURRICULA}:LinearMethod",
            "under budgets that fall in a straight line",
            extras=(),
            kind="curricula",
        ),
        MethodSpec(
            "procurl_target",
            f"{_CURRICULA}:ProCuRLTargetMethod",
            "under budgets of middling difficulty near the target",
            extras=(),
            kind="curricula",
        ),
        MethodSpec(
            "llm_sft",
            f"{_WORDS}.imitation:Supervised",
            "a language model learns to say what an expert does, or what a file says",
            kind=LANGUAGE,
        ),
        MethodSpec(
            "llm_dpo",
            f"{_WORDS}.imitation:PreferenceTuning",
            "a language model learns from pairs of answers: DPO, IPO, hinge, SimPO",
            kind=LANGUAGE,
        ),
        MethodSpec(
            "llm_grpo",
            f"{_WORDS}.rewards:GRPO",
            "a language model learns from matches that began alike",
            kind=LANGUAGE,
        ),
        MethodSpec(
            "llm_ppo",
            f"{_WORDS}.rewards:PPOTokens",
            "a language model learns by PPO, token by token",
            kind=LANGUAGE,
        ),
        MethodSpec(
            "llm_icr",
            f"{_WORDS}.rewards:ICRTokens",
            "the same, held to mind advice only where that pays",
            kind=LANGUAGE,
        ),
        MethodSpec(
            "llm_budgets",
            f"{_WORDS}.budgets:Budgets",
            "llm_grpo under budgets that a teacher of a curriculum chooses",
            kind=LANGUAGE,
        ),
    )
}


def register_method(spec: MethodSpec) -> None:
    """Make a method known by its name, in this process.

    Raises:
        UsageError: another method has this name, or it is no name.
    """
    if not _NAME.fullmatch(spec.name):
        raise UsageError(f"{spec.name!r} cannot be a method's name; use letters, digits and '_'")
    if _methods.get(spec.name, spec) != spec:
        raise UsageError(f"a method named {spec.name!r} is registered already; choose another name")
    _methods[spec.name] = spec


def methods() -> list[MethodSpec]:
    """Every known method, by name; plug-ins are listed without being loaded."""
    plugins = [_plugin(point) for name, point in _plugins().items() if name not in _methods]
    return sorted([*_methods.values(), *plugins], key=lambda spec: spec.name)


def method_names() -> list[str]:
    """The names that ``resolve_method`` knows, sorted."""
    return sorted({*_methods, *_plugins()})


def resolve_method(text: str | MethodSpec) -> MethodSpec:
    """Find out which method is meant, and with which parameters.

    Args:
        text: ``name`` or ``name?key=value&key=value``; a MethodSpec is returned as it is.

    Raises:
        UnknownName: no such method; names the nearest.
        UsageError: the text is misspelt.
    """
    if isinstance(text, MethodSpec):
        return text
    spec = parse_spec(text)
    if spec.kind == "name" and spec.target in _methods:
        return dataclasses.replace(_methods[spec.target], params=dict(spec.params))
    point = _plugins().get(spec.target)
    if point is None:
        raise UnknownName("method", spec.bare, method_names())
    return dataclasses.replace(_plugin(point), params=dict(spec.params))


def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _plugin(point: EntryPoint) -> MethodSpec:
    package = point.dist.name if point.dist else "?"
    return MethodSpec(point.name, point.value, f"plug-in of {package}", extras=())


def _fitting(value: Any, hint: Any, where: str) -> Any:
    """``value`` as the field's type; whole numbers pass as floats, lists as tuples."""
    allowed = typing.get_args(hint) or (hint,)
    if typing.get_origin(hint) is typing.Literal:
        if value not in allowed:
            raise UnknownName("value", str(value), map(str, allowed), where=where)
        return value
    if any(typing.get_origin(kind) is tuple for kind in (hint, *allowed)):
        if isinstance(value, list | tuple):
            return tuple(value)
    elif float in allowed and type(value) is int:
        return float(value)
    elif type(value) in allowed or Any in allowed:
        return value
    if value is None and type(None) in allowed:
        return value
    wanted = getattr(hint, "__name__", str(hint))
    raise UsageError(f"the method {where} must be of type {wanted}, got {value!r}")
