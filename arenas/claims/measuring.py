"""Measurements: one arm on one seed, each stored as it is made and never made twice.

A measurement's file is named by a hash of what can change it: this package's version, what the arm
is, who its agents are or which source its study has, the seed, and for a study the scale. A claim's
wording or bound changes no measurement, and a changed arm loses none but its own.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymposium import __version__
from gymposium.errors import GymposiumError, StoreError

from .playing import OnFraction, identity, play
from .studies import run_study, source_identity
from .training import method_identity, train

if TYPE_CHECKING:
    from ...scenarios.claim import Arm, ScaleName

_SPOILT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What reading JSON of another shape can raise."""


@dataclass(frozen=True)
class Measurement:
    """What an arm measured on a seed.

    Attributes:
        measures: figures by name, finite; or NaN for what could not be measured on this seed.
        seconds: how long it took.
        commit: of the code that made it, or "".
    """

    measures: Mapping[str, float]
    seconds: float
    commit: str


class Measurer:
    """Measures one arm, keeping what it measures in a folder."""

    def __init__(self, name: str, arm: Arm, scale: ScaleName, folder: Path) -> None:
        """Find out what the arm's measurements depend on.

        Raises:
            UsageError: an agent, method or study that does not exist.
        """
        self.name, self._arm, self._scale, self._folder = name, arm, scale, folder
        self._identity = self._depends_on()

    def _depends_on(self) -> Any:
        arm = self._arm
        if arm.play is not None:
            return identity(arm.play)
        if arm.train is not None:
            return method_identity(arm.train)
        reference = arm.study or ""
        return [reference, source_identity(reference), arm.params, self._scale]

    def _stem(self, seed: int) -> str:
        text = json.dumps([__version__, self._identity, seed], sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', self.name)[:40]}-{seed}-{digest}"

    def path(self, seed: int) -> Path:
        """Where the measurement on ``seed`` is, or will be."""
        return self._folder / "measurements" / f"{self._stem(seed)}.json"

    def stored(self, seed: int) -> Measurement | None:
        """The measurement on ``seed``, if it has been made.

        Raises:
            StoreError: its file is corrupt.
        """
        path = self.path(seed)
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            measures = {
                name: math.nan if value is None else float(value)
                for name, value in data["measures"].items()
            }
            return Measurement(measures, float(data["seconds"]), str(data["commit"]))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(
                f"{path} cannot be read: {error.strerror}; choose another folder with --out"
            ) from None
        except (*_SPOILT, RecursionError) as error:
            raise StoreError(f"{path} is corrupt ({error}): delete it to measure again") from None

    def measure(self, seed: int, commit: str, on_fraction: OnFraction) -> Measurement:
        """Measure on ``seed`` and store it.

        Args:
            seed: everything random derives from it.
            commit: of the running code.
            on_fraction: told of progress.

        Returns:
            The measurement.

        Raises:
            GymposiumError: it failed; nothing is stored but finished matches.
        """
        began = time.monotonic()
        arm, run_folder = self._arm, self._folder / "runs" / self._stem(seed)
        if arm.play is not None:
            found = play(arm.play, seed, run_folder, on_fraction)
        elif arm.train is not None:
            found = train(arm.train, seed, run_folder, on_fraction)
        else:
            found = run_study(arm.study or "", arm.params, seed, self._scale)
        made = Measurement(self._checked(found), time.monotonic() - began, commit)
        self._keep(seed, made)
        return made

    def _checked(self, found: Any) -> dict[str, float]:
        """Measures as plain floats; those that are NaN were not measured."""
        if not isinstance(found, Mapping):
            raise GymposiumError(
                f"the arm {self.name!r} returned no mapping of measures: {found!r:.200}"
            )
        measures: dict[str, float] = {}
        for name, value in found.items():
            try:
                number = float(value)
            except (TypeError, ValueError, OverflowError):
                raise GymposiumError(
                    f"the arm {self.name!r} measured {name} = {value!r:.200}, which is no number"
                ) from None
            if math.isinf(number):
                raise GymposiumError(
                    f"the arm {self.name!r} measured {name} = {number}; keep it finite"
                )
            measures[str(name)] = number
        return measures

    def _keep(self, seed: int, made: Measurement) -> None:
        path = self.path(seed)
        measures = {name: None if math.isnan(it) else it for name, it in made.measures.items()}
        data = {"arm": self.name, "seed": seed, **vars(made), "measures": measures}
        temporary = path.with_suffix(f".{os.getpid()}.part")  # another process may measure it too
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(data, indent=1), encoding="utf-8")
            temporary.replace(path)
        except OSError as error:
            raise StoreError(
                f"{path} cannot be written: {error.strerror}; free some space, or choose another "
                "folder with --out"
            ) from error
