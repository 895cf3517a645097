"""Shapes in annotations are enforced while the tests run, so none of them can lie.

They are where pytest is started with `--jaxtyping-packages=seqpos,beartype.beartype`, as the Makefile does; elsewhere
these tests are skipped.
"""

import jaxtyping
import numpy as np
import pytest
import torch

import seqpos
from seqpos.nn import Attention, NoPosition, SinusoidalEmbedding

pytestmark = pytest.mark.skipif(
    not hasattr(seqpos.rotate, "__wrapped__"), reason="annotations are enforced under jaxtyping's import hook alone"
)

WRONG = {
    "angles of another kind": lambda: seqpos.rotate(np.ones(4), np.ones(2, int)),
    "cells of two batches": lambda: seqpos.elman_cell(
        np.ones((2, 3)), np.ones((3, 5)), input_weight=np.ones((5, 3)), hidden_weight=np.ones((5, 5)), bias=np.ones(5)
    ),
    "a table without heads": lambda: seqpos.t5_bias([0], [0], np.ones(32)),
    "float positions": lambda: seqpos.sinusoidal_embedding(np.ones(3), 4),
    "a size that is no integer": lambda: seqpos.inverse_frequencies(8.0),
    "biases of other heads": lambda: seqpos.transformer_xl_scores(
        np.ones((2, 3, 4)),
        np.ones((2, 3, 4)),
        [0, 1, 2],
        [0, 1, 2],
        content_bias=np.ones((2, 4)),
        position_bias=np.ones((1, 4)),
        projection=np.ones((2, 4, 6)),
    ),
    "frequencies with two axes": lambda: seqpos.RotaryFrequencies(np.ones((2, 2))),
    "a module fed with NumPy": lambda: SinusoidalEmbedding(4).embed(np.ones((1, 2, 4)), torch.arange(2)),
    "attention fed with NumPy": lambda: Attention(4, 2, scheme=NoPosition())(np.ones((1, 2, 4))),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_shape_raises(call):
    with pytest.raises(jaxtyping.TypeCheckError):
        call()


def test_a_wrong_result_raises(monkeypatch):
    """Results are checked too, not arguments alone."""
    real = seqpos.relative_positions
    monkeypatch.setattr("seqpos.relative.relative_positions", lambda *positions: real(*positions)[..., :1])
    with pytest.raises(jaxtyping.TypeCheckError, match="return value"):
        seqpos.alibi_bias(np.arange(2), np.arange(2), 2)
