"""Records in the Minari format, so that data sets can be shared with other offline learners.

One Minari data set holds the game as its recorder saw it: the observation is the state (Discrete),
the action is the pair of both players' actions (MultiDiscrete), the reward is what ``max`` gets.
Episodes may begin at any step: ``infos["step"]`` says at which, and where it is missing they begin
at 0. Files are Arrow files, one folder an episode. A data set written into
``$MINARI_DATASETS_PATH/NAME`` is found by ``minari.load_dataset(NAME)``.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from gymposium.errors import MissingExtra, StoreError, UsageError

from .records import COLUMNS, Records

DATA = "data"
"""The folder inside a data set's that Minari keeps everything in."""


def write_minari(folder: str | Path, data: Records, *, name: str = "", behaviour: str = "") -> Path:
    """Write records as a Minari data set.

    Args:
        folder: to be made; its last part should look like ``name-v0``.
        data: whole episodes, or single transitions (each an episode of one step).
        name: the data set's id; default: the folder's last part.
        behaviour: what recorded it, kept as Minari's ``algorithm_name``.

    Returns:
        The folder.

    Raises:
        MissingExtra: Minari or PyArrow is not installed.
        StoreError: there is a data set already, or the disk refuses.
    """
    minari = _minari()
    folder = Path(folder).resolve()  # Minari mistakes relative paths
    if (folder / DATA).exists():
        raise StoreError(f"{folder} holds a data set already: choose another folder")
    states, rows, columns = data.size
    try:
        (folder / DATA).mkdir(parents=True)
        storage = minari.storage.MinariStorage.new(
            folder / DATA,
            observation_space=spaces.Discrete(states),
            action_space=spaces.MultiDiscrete([rows, columns]),
            data_format="arrow",
        )
        storage.update_episodes(_buffers(minari, data))
        storage.update_metadata(
            {
                "dataset_id": name or folder.name,
                "algorithm_name": behaviour,
                "minari_version": minari.version,
                "horizon": data.horizon,
            }
        )
    except OSError as error:
        raise StoreError(f"the data set {folder} cannot be written: {error.strerror}") from error
    return folder


def read_minari(folder: str | Path, *, horizon: int | None = None) -> Records:
    """Read a Minari data set of a two-player game.

    Args:
        folder: of the data set, or its ``data`` folder.
        horizon: of the game; default: what was recorded with it, else the longest episode.

    Raises:
        MissingExtra: Minari or PyArrow is not installed.
        UsageError: there is none, its spaces are not a state and a pair of actions, it is empty,
            or it holds what no game has (:class:`.records.Records`).
    """
    minari = _minari()
    path = Path(folder).resolve()
    path = path / DATA if (path / DATA).is_dir() else path
    try:
        storage = minari.storage.MinariStorage.read(path)
    except (ValueError, AssertionError, KeyError) as error:
        raise UsageError(f"{folder} holds no Minari data set ({error}): check the path") from None
    seen, done = storage.observation_space, storage.action_space
    if not isinstance(seen, spaces.Discrete) or not (
        isinstance(done, spaces.MultiDiscrete) and done.shape == (2,)
    ):
        raise UsageError(
            f"{folder} has observations {seen} and actions {done}; a two-player game needs a "
            "Discrete state and MultiDiscrete([A, B]) actions"
        )
    if not storage.total_episodes:
        raise UsageError(f"{folder}: the data set is empty: it holds no episode")
    episodes = list(storage.get_episodes(range(storage.total_episodes)))
    parts = zip(*map(_columns, episodes), strict=True)
    columns = dict(zip(COLUMNS, map(np.concatenate, parts), strict=True))
    longest = int(columns["step"].max()) + 1
    known = storage.metadata.get("horizon")
    size = (int(seen.n), int(done.nvec[0]), int(done.nvec[1]))
    return Records(**columns, size=size, horizon=horizon or int(known or longest))


class _Minari:
    """The parts of Minari that are used."""

    def __init__(self) -> None:
        for module in ("minari", "pyarrow"):
            if importlib.util.find_spec(module) is None:
                raise MissingExtra("a data set in Minari's format", extra="offline", module=module)
        self.storage: Any = importlib.import_module("minari.dataset.minari_storage")
        self.buffer: Any = importlib.import_module("minari.data_collector.episode_buffer")
        self.version: str = importlib.import_module("minari").__version__


def _minari() -> _Minari:
    return _Minari()


def _buffers(minari: _Minari, data: Records) -> Any:
    edges = np.flatnonzero(np.diff(data.episode)) + 1
    for rows in np.split(np.arange(len(data)), edges):
        last = rows[-1]
        actions = np.stack([data.row[rows], data.column[rows]], axis=1)
        steps = np.append(data.step[rows], data.step[last] + 1)
        yield minari.buffer.EpisodeBuffer(
            observations=np.append(data.state[rows], data.after[last]),
            actions=actions,
            rewards=data.reward[rows].tolist(),
            terminations=[False] * len(rows),
            truncations=[False] * (len(rows) - 1) + [True],
            infos={"step": steps[:, None]},  # Minari keeps arrays of one dimension or more
        )


def _columns(episode: dict[str, Any]) -> tuple[np.ndarray[Any, Any], ...]:
    """In the order of ``COLUMNS``."""
    states = np.asarray(episode["observations"], np.int64)
    actions = np.asarray(episode["actions"], np.int64).reshape(-1, 2)
    count = len(actions)
    steps = np.asarray(episode["infos"].get("step", np.arange(count)), np.int64).ravel()[:count]
    rewards = np.asarray(episode["rewards"], np.float64)
    number = np.full(count, int(episode["id"]))
    return steps, states[:-1], actions[:, 0], actions[:, 1], rewards, states[1:], number
