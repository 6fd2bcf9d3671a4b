"""A claim file: what a paper says, and the experiment that would show it, as data.

Arms are measured on paired seeds; each claim compares arms by one metric and states which way the
paper says it goes. Claims as data follow the tracked benchmarks of CleanRL (Huang et al. 2022,
JMLR 23) and the registered reports of other sciences: what would count is written down before it
is run. ``load_claims.py`` reads the files; ``arenas/claims`` measures, compares and judges.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BeforeValidator, Field, JsonValue, PrivateAttr, model_validator

from .model import Name, Part, Refusal, Scenario, _as_tuple, _plain
from .training import TrainingScenario

ScaleName: TypeAlias = Literal["smoke", "cpu", "full"]
Comparison: TypeAlias = Literal["value", "difference", "ratio", "slope", "equivalence"]

SCALES: tuple[ScaleName, ...] = get_args(ScaleName)

Number: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
ArmBody: TypeAlias = dict[str, JsonValue]


def _plain_mapping(value: Any) -> Any:
    _plain(value)
    return value


Params: TypeAlias = Annotated[dict[str, JsonValue], BeforeValidator(_plain_mapping)]


class Paper(Part):
    """What is being reproduced."""

    title: Name = Field(description="the paper's title")
    authors: str = Field(description="as they are cited")
    venue: str = Field(description="where it appeared")
    year: int = Field(ge=1900, le=2100, description="when it appeared")
    link: str = Field(pattern=r"^https?://\S+$", description="where it can be read")


class Arm(Part):
    """One condition: agents in matches, a method that trains, or a study; measured seed by seed."""

    play: Scenario | None = Field(
        default=None, description="agents in matches: the fields of a scenario"
    )
    train: TrainingScenario | None = Field(
        default=None,
        description="a method that learns: 'method' and the fields of a training scenario",
    )
    study: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z_]\w*(\.\w+)*:[A-Za-z_]\w*$",
        description="package.module:function, called with (params, seed, scale)",
    )
    params: Params = Field(default={}, description="the study's parameters")
    level: Number | None = Field(
        default=None, description="where the arm stands on the axis of a slope"
    )
    paper: str = Field(default="", description="the paper's figure of this arm, as it prints it")

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, value: Any) -> Any:
        """Give scenarios a name, and a training scenario its one method."""
        made = dict(value) if isinstance(value, dict) else {}
        for kind in ("play", "train"):
            if not isinstance(body := made.get(kind), dict):
                continue
            for field in ("seed", "seeds"):
                if field in body:
                    raise Refusal((kind, field), "the seeds are the scale's; leave this out")
            made[kind] = {"name": "arm", **body}
        if isinstance(body := made.get("train"), dict):
            if "methods" in body or "method" not in body:
                raise Refusal(("train",), "an arm trains one 'method'")
            rest = {key: item for key, item in body.items() if key != "method"}
            made["train"] = {**rest, "methods": [body["method"]]}
        return made or value

    @model_validator(mode="after")
    def _one_kind(self) -> Arm:
        kinds = [name for name in ("play", "train", "study") if getattr(self, name) is not None]
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none"
            raise Refusal((), f"an arm has exactly one of play, train and study; found {found}")
        if self.params and self.study is None:
            raise Refusal(("params",), "'params' is for a study; put it inside play or train")
        return self

    @property
    def kind(self) -> str:
        """``play``, ``train`` or ``study``."""
        return "play" if self.play else "train" if self.train else "study"


class Figure(Part):
    """What the paper reports, and where."""

    value: Number | None = Field(default=None, description="the figure, if it is a number")
    text: str = Field(default="", max_length=200, description="the figure in words")
    where: str = Field(
        default="derived",
        min_length=1,
        max_length=200,
        description="section, table or figure of the paper; or derived",
    )

    @model_validator(mode="after")
    def _says_something(self) -> Figure:
        if self.value is None and not self.text:
            raise Refusal((), "the paper's figure needs a 'value' or a 'text'")
        return self

    @property
    def shown(self) -> str:
        """The figure as readers see it."""
        return self.text or f"{self.value:g}"


class Claim(Part):
    """One sentence that can turn out not to be so.

    The estimate is, over seeds: ``value``: the metric in ``arm``; ``difference``: in ``arm`` minus
    in ``versus``; ``ratio``: mean in ``arm`` over mean in ``versus``; ``slope``: of the metric on
    the arms' levels; ``equivalence``: as difference, claimed to lie within ``margin`` of 0.
    """

    name: Name = Field(description="short name, for tables")
    sentence: str = Field(min_length=10, max_length=500, description="what the paper says")
    compare: Comparison = Field(description="what is estimated")
    metric: Name = Field(description="a measure that the arms report, e.g. return.tit_for_tat")
    arm: Name | None = Field(default=None, description="the arm the claim is about")
    versus: Name | None = Field(
        default=None, description="the arm it is compared with; default: the same arm"
    )
    versus_metric: Name | None = Field(
        default=None, description="the measure it is compared with; default: the same metric"
    )
    arms: Annotated[tuple[Name, ...], BeforeValidator(_as_tuple)] = Field(
        default=(), description="of a slope: the arms, each with a level; default: all that have"
    )
    expect: Literal["above", "below"] = Field(
        default="above", description="the side of the bound on which the claim lies"
    )
    bound: Number | None = Field(
        default=None, description="default: 0, for a ratio 1; a value needs one"
    )
    margin: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="of an equivalence"
    )
    worth: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="the smallest distance from the bound that would matter",
    )
    paper: Figure = Field(description="what the paper reports, and where")

    @model_validator(mode="after")
    def _hangs_together(self) -> Claim:
        slope, equal = self.compare == "slope", self.compare == "equivalence"
        if slope == (self.arm is not None):
            raise Refusal(("arm",), "a slope has 'arms', every other comparison has 'arm'")
        if (slope or self.compare == "value") and (self.versus or self.versus_metric):
            raise Refusal(("versus",), f"a {self.compare} is not compared with another arm")
        if self.compare in ("difference", "ratio", "equivalence") and (
            (self.versus or self.arm) == self.arm
            and (self.versus_metric or self.metric) == self.metric
        ):
            raise Refusal(("versus",), f"a {self.compare} needs 'versus' or 'versus_metric'")
        if equal != (self.margin is not None):
            raise Refusal(("margin",), "'margin' is for an equivalence, which needs it")
        if self.compare == "value" and self.bound is None:
            raise Refusal(("bound",), "a value needs a 'bound' to lie above or below")
        if equal and (self.bound is not None or self.worth is not None):
            raise Refusal(("bound",), "an equivalence has a 'margin' only")
        return self

    @property
    def threshold(self) -> float:
        """The bound, its default put in."""
        return self.bound if self.bound is not None else 1.0 if self.compare == "ratio" else 0.0

    def sides(self) -> list[tuple[str, str]]:
        """(arm, metric) of what is compared; a slope's arms are listed by the file."""
        if self.arm is None:
            return [(arm, self.metric) for arm in self.arms]
        if self.compare == "value":
            return [(self.arm, self.metric)]
        other = (self.versus or self.arm, self.versus_metric or self.metric)
        return [(self.arm, self.metric), other]


class Scale(Part):
    """How much is run: seeds, and changes to the arms (lengths, budgets, parameters)."""

    seeds: int = Field(ge=1, le=100_000, description="seeds 0, 1, … every arm is measured with")
    common: ArmBody = Field(default={}, description="changes to every arm")
    arms: dict[Name, ArmBody] = Field(default={}, description="changes to single arms")


class Scales(Part):
    """The three scales of every claim file."""

    smoke: Scale = Field(description="under a minute: shows only that everything runs")
    cpu: Scale = Field(description="minutes on two cores")
    full: Scale = Field(description="what the owner of a large machine runs")


class ClaimFile(Part):
    """A paper's claims with the arms that test them; :meth:`arms_at` gives the arms of a scale."""

    name: Name = Field(description="the paper's short name; default: the file's")
    title: Name = Field(description="what is asked, in a few words")
    description: str = Field(default="", description="a few sentences on what was rebuilt, and how")
    paper: Paper = Field(description="what is reproduced")
    confidence: float = Field(default=0.95, gt=0.5, lt=1.0, description="of the intervals")
    common: ArmBody = Field(default={}, description="what all arms have in common")
    arms: dict[Name, ArmBody] = Field(
        min_length=1, description="the conditions, by name; each adds to 'common'"
    )
    scales: Scales = Field(description="smoke, cpu and full")
    claims: Annotated[tuple[Claim, ...], BeforeValidator(_as_tuple)] = Field(
        min_length=1, description="what the paper says, one entry a sentence"
    )

    _at: dict[ScaleName, dict[str, Arm]] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _known_arms(self) -> ClaimFile:
        names = [claim.name for claim in self.claims]
        for index, claim in enumerate(self.claims):
            if claim.name in names[:index]:
                raise Refusal(("claims", index, "name"), f"{claim.name!r} is there twice")
            for field, used in (("arm", claim.arm), ("versus", claim.versus)):
                if used is not None and used not in self.arms:
                    raise Refusal(("claims", index, field), _no_arm(used, list(self.arms)))
            for arm in claim.arms:
                if arm not in self.arms:
                    raise Refusal(("claims", index, "arms"), _no_arm(arm, list(self.arms)))
        for scale in SCALES:
            for arm in self.scale(scale).arms:
                if arm not in self.arms:
                    place = ("scales", scale, "arms", arm)
                    raise Refusal(place, _no_arm(arm, list(self.arms)))
        return self

    def scale(self, name: ScaleName) -> Scale:
        """The scale called ``name``."""
        found: Scale = getattr(self.scales, name)
        return found

    def arms_at(self, scale: ScaleName) -> dict[str, Arm]:
        """Every arm as it is run at ``scale``, by name."""
        return dict(self._at[scale])

    def levels(self, claim: Claim, scale: ScaleName) -> dict[str, float]:
        """The arms of a slope with their levels."""
        arms = self._at[scale]
        chosen = claim.arms or tuple(arms)
        return {name: level for name in chosen if (level := arms[name].level) is not None}


def _no_arm(name: str, known: list[str]) -> str:
    from .marked_yaml import closest

    return f"there is no arm {name!r}; allowed: {', '.join(known)}{closest(name, known)}"


def enough_levels(levels: dict[str, float]) -> bool:
    """Whether a slope can be drawn: two levels that differ."""
    return len(set(levels.values())) >= 2 and all(map(math.isfinite, levels.values()))
