"""The time door against torch's own cells and layers, and additive attention against plain loops."""

import math

import numpy as np
import pytest
import torch

from seqpos import additive_attention, elman_cell, gru_cell, unroll

# Both sides are float64 and differ in the order of their sums alone.
CLOSE = {"rtol": 0, "atol": 1e-13}


def weights(module, *names):
    return [getattr(module, name).detach() for name in names]


TORCH_NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def test_elman_cell_equals_torch():
    cell = torch.nn.RNNCell(3, 5, dtype=torch.float64)
    w, u, b, c = weights(cell, *TORCH_NAMES)
    x, h = torch.randn(4, 3, dtype=torch.float64), torch.randn(4, 5, dtype=torch.float64)
    ours = elman_cell(x, h, input_weight=w, hidden_weight=u, bias=b + c)
    torch.testing.assert_close(ours, cell(x, h).detach(), **CLOSE)


def gru_options(module, suffix=""):
    w, u, b, c = weights(module, *(name + suffix for name in TORCH_NAMES))
    return {"input_weight": w, "hidden_weight": u, "input_bias": b, "hidden_bias": c}


@pytest.mark.parametrize("lead", [(), (4,), (2, 3)])
def test_gru_cell_equals_torch(lead):
    cell = torch.nn.GRUCell(3, 5, dtype=torch.float64)
    x, h = torch.randn(*lead, 3, dtype=torch.float64), torch.randn(*lead, 5, dtype=torch.float64)
    expected = cell(x.reshape(-1, 3), h.reshape(-1, 5)).detach().reshape(*lead, 5)
    torch.testing.assert_close(gru_cell(x, h, **gru_options(cell)), expected, **CLOSE)


def test_gates_saturate_without_overflow():
    """exp of a large number would be inf, and inf/inf NaN."""
    w, b = np.full((3, 1), 1e4), np.zeros(3)
    x, h = np.array([[1.0], [-1.0]]), np.ones((2, 1))
    new = gru_cell(x, h, input_weight=w, hidden_weight=w, input_bias=b, hidden_bias=b)
    assert np.isfinite(new).all() and new[0, 0] == 1.0


def test_unroll_equals_torch_gru():
    layer = torch.nn.GRU(3, 5, batch_first=True, dtype=torch.float64)
    inputs, h = torch.randn(2, 7, 3, dtype=torch.float64), torch.randn(2, 5, dtype=torch.float64)
    options = gru_options(layer, "_l0")
    states = unroll(lambda x, h: gru_cell(x, h, **options), inputs, h)
    expected, last = layer(inputs, h[None])
    torch.testing.assert_close(states, expected.detach(), **CLOSE)
    torch.testing.assert_close(states[:, -1], last[0].detach(), **CLOSE)


def test_gradients_flow_back_through_time():
    layer = torch.nn.GRU(2, 3, batch_first=True, dtype=torch.float64)
    inputs = torch.randn(1, 4, 2, dtype=torch.float64, requires_grad=True)
    w = {name: getattr(layer, torch_name) for name, torch_name in zip(
        ("input_weight", "hidden_weight", "input_bias", "hidden_bias"),
        ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"),
        strict=True,
    )}
    ours = unroll(lambda x, h: gru_cell(x, h, **w), inputs, torch.zeros(1, 3, dtype=torch.float64))
    got = torch.autograd.grad(ours[:, -1].sum(), [inputs, *w.values()])
    expected = torch.autograd.grad(layer(inputs)[0][:, -1].sum(), [inputs, *w.values()])
    for one, other in zip(got, expected, strict=True):
        torch.testing.assert_close(one, other, **CLOSE)


@pytest.mark.parametrize("shape", [(0, 3), (2, 0, 3)])
def test_an_empty_sequence_has_no_states(shape, kind):
    h = kind(np.zeros((*shape[:-2], 5)))
    assert unroll(lambda x, h: h, kind(np.zeros(shape)), h).shape == (*shape[:-1], 5)


def attention_by_hand(query, states, w, u, v, mask):
    """One query; softmax of v·tanh(W query + U state) over the states that the mask leaves."""
    scores = [sum(v * np.tanh(w @ query + u @ state)) for state in states]
    exps = [math.exp(score) if kept else 0.0 for score, kept in zip(scores, mask, strict=True)]
    shares = [e / sum(exps) for e in exps]
    return sum(share * state for share, state in zip(shares, states, strict=True)), shares


@pytest.mark.parametrize("masked", [False, True])
def test_additive_attention_by_hand(rng, kind, masked):
    query, states = rng.standard_normal((3, 4)), rng.standard_normal((3, 5, 6))
    w, u, v = rng.standard_normal((2, 4)), rng.standard_normal((2, 6)), rng.standard_normal(2)
    mask = np.array([[1, 1, 1, 1, 1], [0, 1, 0, 1, 1], [1, 0, 0, 0, 0]], bool) if masked else None
    context, shares = additive_attention(
        kind(query),
        kind(states),
        query_weight=kind(w),
        state_weight=kind(u),
        score_weight=kind(v),
        mask=None if mask is None else kind(mask),
    )
    for row in range(3):
        expected = attention_by_hand(query[row], states[row], w, u, v, mask[row] if masked else [True] * 5)
        np.testing.assert_allclose(np.asarray(context[row, ...]), expected[0], atol=1e-14)
        np.testing.assert_allclose(np.asarray(shares[row, ...]), expected[1], atol=1e-15)


def test_large_scores_do_not_overflow():
    one = np.ones((1, 1))
    context, shares = additive_attention(
        np.ones(1), np.array([[0.0], [1.0]]), query_weight=0 * one, state_weight=one, score_weight=np.array([1e4])
    )
    assert context.tolist() == [1.0] and shares.tolist() == [0.0, 1.0]


def test_mixed_precision_takes_the_wider():
    """torch multiplies no mixed dtypes by itself."""
    x, h = torch.randn(2, 3), torch.randn(2, 5, dtype=torch.float64)
    cell = torch.nn.RNNCell(3, 5, dtype=torch.float64)
    w, u, b, c = weights(cell, *TORCH_NAMES)
    ours = elman_cell(x, h, input_weight=w, hidden_weight=u, bias=b + c)
    torch.testing.assert_close(ours, cell(x.double(), h).detach(), **CLOSE)
