"""Small models under every scheme, in float64 so that equal means equal to rounding."""

import pytest
import torch

from seqpos.nn import Attention, DecoderLM, make_scheme
from seqpos.nn.schemes import SCHEMES

DIM, HEADS, LONGEST, VOCABULARY = 16, 4, 64, 11


def scheme_of(name, **options):
    scheme = make_scheme(name, dim=DIM, num_heads=HEADS, max_positions=LONGEST, **options).double()
    for parameter in scheme.parameters():  # large enough that a lost term shows
        torch.nn.init.normal_(parameter)
    return scheme


def model_of(name, *, layers=2, key_value_heads=None):
    model = DecoderLM(VOCABULARY, dim=DIM, num_layers=layers, num_heads=HEADS, scheme=scheme_of(name)).double()
    for block in model.blocks if key_value_heads else ():
        block.attention = Attention(
            DIM, HEADS, scheme=block.attention.scheme, num_key_value_heads=key_value_heads
        ).double()
    for parameter in model.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.5)
    return model


@pytest.fixture(params=SCHEMES)
def scheme_name(request):
    return request.param


@pytest.fixture
def make_model():
    return model_of


@pytest.fixture
def make():
    return scheme_of


@pytest.fixture
def tokens():
    return torch.randint(VOCABULARY, (3, 9))
