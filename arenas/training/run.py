"""A training run as a folder, and as results: curves, the table, the agents that came of it.

The folder::

    RUN/training.json                     the scenario
    RUN/METHOD/seed-0/progress.csv        what the method measured, moment by moment
                      evaluation.csv      what evaluation matches measured
                      checkpoints/        trained:RUN/METHOD/seed-0@STEP
                      evaluation/         those matches, seat by seat: a run folder
                      tensorboard/        the same curves for TensorBoard
    RUN/report.html                       curves and the table
"""

from __future__ import annotations

import json
import platform
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymposium import __version__
from gymposium.errors import StoreError

from ...agents.trained import FOLDER
from ...envs.start_folder import located
from ...scenarios.training import TrainingScenario, load_training
from .curves import read_rows
from .files import write_json
from .learner import EVALUATION, PROGRESS, STATUS

if TYPE_CHECKING:
    import pandas as pd

FILE = "training.json"
_FORMAT = 1
_UNSAFE = re.compile(r"[^A-Za-z0-9._,=-]+")


class TrainingRun:
    """A training run's folder, as results.

    Attributes:
        path: the folder.
        scenario: what was asked.
        info: plain data about the run (versions, machine, when it began).
    """

    def __init__(self, path: str | Path) -> None:
        """Open for reading.

        Raises:
            StoreError: not a training run, corrupt, or of another version.
        """
        self.path = Path(path)
        self.info = read_info(self.path)
        self.scenario = load_training(self.info["scenario"])

    @property
    def learners(self) -> dict[tuple[str, int], Path]:
        """The folder of each learner, by method and seed, methods in the scenario's order."""
        first, count = self.scenario.seed, self.scenario.seeds
        return {
            (entry.label, seed): learner_folder(self.path, entry.label, seed)
            for entry in self.scenario.methods
            for seed in range(first, first + count)
        }

    @property
    def curves(self) -> pd.DataFrame:
        """What the methods measured while learning: method, seed, step, seconds and figures."""
        return self._frame(PROGRESS)

    @property
    def evaluations(self) -> pd.DataFrame:
        """What evaluation matches measured: method, seed, step and measures."""
        return self._frame(EVALUATION)

    def status(self) -> dict[tuple[str, int], dict[str, Any]]:
        """How each learner stands: ``status``, ``why``, ``step`` and ``seconds``."""
        found = {}
        for key, folder in self.learners.items():
            try:
                found[key] = json.loads((folder / STATUS).read_text(encoding="utf-8"))
            except (OSError, ValueError):
                found[key] = {"status": "waiting", "why": "", "step": 0, "seconds": 0.0}
        return found

    def agents(self) -> list[dict[str, str]]:
        """What was learned, as agents: entries with ``spec`` and ``name`` for ``gymposium.run``."""
        return [
            {"spec": f"trained:{folder}", "name": f"{arm}/seed-{seed}"}
            for (arm, seed), folder in self.learners.items()
            if (folder / FOLDER).is_dir()
        ]

    def table(self, *, confidence: float = 0.95, bootstrap: int = 2000) -> pd.DataFrame:
        """One row a method: the last evaluation of each seed, averaged, with intervals.

        Args:
            confidence: of the intervals.
            bootstrap: replicas over seeds.
        """
        from .table import table

        return table(self, confidence=confidence, bootstrap=bootstrap)

    def report(self) -> Path:
        """Write ``report.html`` into the folder and return its path."""
        from .report import write_training_report

        return write_training_report(self, self.path / "report.html")

    def _frame(self, file: str) -> pd.DataFrame:
        import pandas as pd

        rows = [
            {"method": arm, "seed": seed, **row}
            for (arm, seed), folder in self.learners.items()
            for row in read_rows(folder / file)
        ]
        return pd.DataFrame(rows, columns=None if rows else ["method", "seed", "step"])


def is_training_run(path: Path) -> bool:
    """Whether a folder is one of ours."""
    return (path / FILE).exists()


def learner_folder(run: Path, label: str, seed: int) -> Path:
    """Where the learner of a method's label and a seed keeps its files."""
    return run / safe_name(label) / f"seed-{seed}"


def safe_name(label: str) -> str:
    """A method's label as a folder's name."""
    return _UNSAFE.sub("_", label).strip("._") or "method"


def write_info(
    path: Path, scenario: TrainingScenario, known: Mapping[str, Any] | None = None
) -> None:
    """Write down what a run is; ``known`` is kept of what was there before."""
    info = {
        "format": _FORMAT,
        "version": __version__,
        "python": platform.python_version(),
        "machine": platform.platform(),
        "started": time.time(),
        **(known or {}),
        "scenario": scenario.model_dump(mode="json"),
    }
    try:
        place = located(path)
        place.mkdir(parents=True, exist_ok=True)
        write_json(place / FILE, info)
    except OSError as error:
        raise StoreError(
            f"cannot write {error.filename or path} ({error.strerror}): mend the permissions or "
            "choose another folder with --out"
        ) from error


def read_info(path: Path) -> dict[str, Any]:
    """What :func:`write_info` wrote; raises StoreError as :class:`TrainingRun`."""
    try:
        info: Any = json.loads((located(path) / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StoreError(f"{path} is not a training run: it holds no {FILE}") from None
    except (OSError, ValueError) as error:
        raise StoreError(f"{path / FILE} is corrupt ({error}): restore it, or train anew") from None
    if not isinstance(info, dict) or info.get("format") != _FORMAT:
        raise StoreError(
            f"{path / FILE} was written by another version of gymposium: use the version that "
            "wrote it"
        )
    return info
