import pytest

from gymposium.agents.language.backends.pool import close_all
from gymposium.agents.language.models import is_installed, pull

from .stand_ins import RULES, make_seat
from .tiny_model import make_tiny_model


@pytest.fixture
def seat():
    return make_seat(rules=RULES)


@pytest.fixture(scope="session")
def smollm2():
    """The real model, in the cache; CI pulls it first, and so does this where it is missing."""
    if not is_installed("smollm2"):
        pull("smollm2")
    yield "smollm2"
    close_all()


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """A folder with a model of a few thousand random weights."""
    return make_tiny_model(tmp_path_factory.mktemp("tiny"))
