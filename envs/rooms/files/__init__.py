"""Rooms as files: glTF to look at, URDF and SDF to simulate, layouts and boxes to exchange."""

from .imported import Imported as Imported
from .reading import read as read
from .writing import FORMATS as FORMATS
from .writing import write as write
