"""The curricula by name: each a teacher and the parameters it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from .method import Curriculum, CurriculumConfig
from .teachers import (
    IID,
    CuRLTraC,
    ExpSchedule,
    Linear,
    ProCuRLTarget,
    Target,
    Teacher,
    Unconstrained,
)


@dataclass(frozen=True)
class TrialConfig(CurriculumConfig):
    """Parameters of curricula whose teacher looks at the student."""

    trials: int = field(default=8, metadata={"doc": "M, episodes for each choice", "low": 1})


@dataclass(frozen=True)
class CuRLTraCConfig(TrialConfig):
    """Parameters of CuRLTraC."""

    beta: float = field(default=0.5, metadata={"doc": "the least mean return on the trials"})
    search: Literal["bisect", "exact"] = field(
        default="bisect", metadata={"doc": "halve the span, or take the order statistic"}
    )
    plain: bool = field(
        default=False, metadata={"doc": "the paper's own update: no baseline, whatever it says"}
    )
    hysteresis: float = field(
        default=0.0, metadata={"doc": "how far below beta before the budget loosens", "low": 0}
    )
    tighten_if_stalled: int = field(
        default=0, metadata={"doc": "choices of one budget until a tighter one; 0: never", "low": 0}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.plain:
            object.__setattr__(self, "baseline", "none")


class CuRLTraCMethod(Curriculum):
    """The tightest budget at which the student still earns enough."""

    Config: ClassVar[type[CurriculumConfig]] = CuRLTraCConfig
    config: CuRLTraCConfig

    def make_teacher(self) -> Teacher:
        """CuRLTraC."""
        config = self.config
        return CuRLTraC(
            config.trials,
            config.beta,
            exactly=config.search == "exact",
            hysteresis=config.hysteresis,
            tighten_if_stalled=config.tighten_if_stalled,
        )


class TargetMethod(Curriculum):
    """The deployment budget from the start."""

    def make_teacher(self) -> Teacher:
        """Target."""
        return Target()


class UnconstrainedMethod(Curriculum):
    """No budget at all."""

    def make_teacher(self) -> Teacher:
        """Unconstrained."""
        return Unconstrained()


class IIDMethod(Curriculum):
    """Budgets at random."""

    def make_teacher(self) -> Teacher:
        """IID."""
        return IID()


@dataclass(frozen=True)
class ExpScheduleConfig(CurriculumConfig):
    """Parameters of the exponential schedule."""

    decay: float = field(
        default=0.25, metadata={"doc": "tau as a share of the training", "low": 1e-6}
    )


class ExpScheduleMethod(Curriculum):
    """Budgets that fall exponentially over the training."""

    Config: ClassVar[type[CurriculumConfig]] = ExpScheduleConfig
    config: ExpScheduleConfig

    def make_teacher(self) -> Teacher:
        """The exponential schedule."""
        return ExpSchedule(self.config.decay)


@dataclass(frozen=True)
class LinearConfig(CurriculumConfig):
    """Parameters of the linear schedule."""

    end: float = field(
        default=0.5,
        metadata={
            "doc": "share of the training at which the target is reached",
            "low": 1e-6,
            "high": 1,
        },
    )


class LinearMethod(Curriculum):
    """Budgets that fall in a straight line."""

    Config: ClassVar[type[CurriculumConfig]] = LinearConfig
    config: LinearConfig

    def make_teacher(self) -> Teacher:
        """The linear schedule."""
        return Linear(self.config.end)


@dataclass(frozen=True)
class ProCuRLTargetConfig(TrialConfig):
    """Parameters of ProCuRL-Target."""

    sharpness: float = field(default=50.0, metadata={"doc": "of the softmax over scores", "low": 0})
    pool: int = field(default=1000, metadata={"doc": "budgets to choose from", "low": 2})
    most: float = field(default=1.0, metadata={"doc": "the highest return there is", "low": 1e-9})


class ProCuRLTargetMethod(Curriculum):
    """Budgets neither too easy nor too hard, near the target."""

    Config: ClassVar[type[CurriculumConfig]] = ProCuRLTargetConfig
    config: ProCuRLTargetConfig

    def make_teacher(self) -> Teacher:
        """ProCuRL-Target."""
        config = self.config
        return ProCuRLTarget(config.trials, config.sharpness, config.pool, config.most)
