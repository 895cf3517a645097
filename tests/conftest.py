"""What the tests share: one hypothesis profile, the array libraries, and seeded arrays."""

import array_api_strict
import jaxtyping
import numpy as np
import pytest
import torch
from hypothesis import settings

# Derandomised, so that a failure on one machine is a failure on all; no deadline, because machines differ.
settings.register_profile("seqpos", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("seqpos")

# The arrays are tiny: threads would cost more than they bring.
torch.set_num_threads(1)

KINDS = {"numpy": np.asarray, "torch": torch.as_tensor, "strict": array_api_strict.asarray}


@pytest.fixture(params=sorted(KINDS))
def kind(request):
    """From a NumPy array to one of each library in turn."""
    return KINDS[request.param]


@pytest.fixture
def rng():
    return np.random.default_rng(20170612)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(20170612)


@pytest.fixture
def unchecked():
    """Annotations are not enforced: the package's own checks are met, and a model runs at its usual speed."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", before)
