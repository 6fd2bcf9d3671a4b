"""Other ways to furnish a room, at small scale: what SceneWeaver is compared with."""

from .index import BASELINES as BASELINES
from .index import Baseline as Baseline
from .index import baseline as baseline
