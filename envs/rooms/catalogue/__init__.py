"""The catalogue: categories of things as functions from size and style to prisms."""

from .index import CATEGORIES as CATEGORIES
from .index import NAMES as NAMES
from .index import category as category
from .index import find as find
from .index import model as model
from .kit import Model as Model
from .kit import Surface as Surface
from .table import Category as Category
from .table import Mount as Mount
