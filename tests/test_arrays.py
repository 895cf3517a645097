"""Every function on NumPy, torch and the strict array API: one kind in, the same kind and dtype out, one number.

`CALLS` names each public function once, as a call on arrays made by `a`; the test fails if one is missing.
"""

import array_api_strict
import numpy as np
import pytest
import torch

import seqpos
from seqpos import *
from seqpos._arrays import widest_float

RNG = np.random.default_rng(7)
X = RNG.standard_normal((2, 3, 4, 6))
TABLE = RNG.standard_normal((32, 3))
POSITIONS = np.array([[0, 1, 5, 9], [-3, 2, 2, 70]])
HEADS = (RNG.standard_normal((3, 6)), RNG.standard_normal((3, 6)), RNG.standard_normal((3, 6, 8)))
SHAW = RNG.standard_normal((5, 6))
GRU = [RNG.standard_normal(shape) for shape in ((9, 6), (9, 3), (9,), (9,))]
ELMAN = [RNG.standard_normal(shape) for shape in ((3, 6), (3, 3), (3,))]
BAHDANAU = [RNG.standard_normal(shape) for shape in ((5, 6), (5, 6), (5,))]
H = RNG.standard_normal((2, 3, 3))
MASK = np.array([[1, 0, 1, 1], [1, 1, 1, 0]], bool)
OWN = {"positional_embedding", "shift_matrix", "alibi_slopes", "inverse_frequencies", "RotaryFrequencies"}
"""Functions of plain numbers, which give NumPy."""


def named(a, names, arrays):
    return {name: a(array) for name, array in zip(names.split(), arrays, strict=True)}


def gru(a):
    return named(a, "input_weight hidden_weight input_bias hidden_bias", GRU)


CALLS = {
    "additive_attention": lambda a: additive_attention(
        a(X[:, 0, 0]), a(X[:, 0]), mask=a(MASK), **named(a, "query_weight state_weight score_weight", BAHDANAU)
    )[0],
    "alibi_bias": lambda a: alibi_bias(a(POSITIONS), a(POSITIONS), 3),
    "convert_layout": lambda a: convert_layout(a(TABLE), source="half", target="interleaved", num_heads=4),
    "elman_cell": lambda a: elman_cell(a(X[:, :, 0]), a(H), **named(a, "input_weight hidden_weight bias", ELMAN)),
    "gru_cell": lambda a: gru_cell(a(X[:, :, 0]), a(H), **gru(a)),
    "positions_from_mask": lambda a: positions_from_mask(a(MASK)),
    "positions_from_segments": lambda a: positions_from_segments(a(POSITIONS)),
    "relative_positions": lambda a: relative_positions(a(POSITIONS), a(POSITIONS)),
    "rotary_angles": lambda a: rotary_angles(a(POSITIONS), a(np.array([1.0, 0.1]))),
    "rotate": lambda a: rotate(a(X), a(X[0, 0, :, :2]), layout="interleaved"),
    "rotation_matrix": lambda a: rotation_matrix(a(X), layout="interleaved"),
    "shaw_scores": lambda a: shaw_scores(a(X), a(SHAW), a(POSITIONS), a(POSITIONS)),
    "sinusoidal_embedding": lambda a: sinusoidal_embedding(a(POSITIONS), 5, layout="concatenated"),
    "t5_bias": lambda a: t5_bias(a(POSITIONS), a(POSITIONS), a(TABLE)),
    "t5_bucket": lambda a: t5_bucket(a(POSITIONS)),
    "transformer_xl_scores": lambda a: transformer_xl_scores(
        a(X), a(X), a(POSITIONS), a(POSITIONS), **named(a, "content_bias position_bias projection", HEADS)
    ),
    "unroll": lambda a: unroll(lambda x, h: gru_cell(x, h, **gru(a)), a(X), a(H)),
}


def test_no_public_function_is_left_out():
    assert set(CALLS) | OWN == set(seqpos.__all__)


@pytest.mark.parametrize("name", sorted(CALLS))
@pytest.mark.parametrize("make", [torch.as_tensor, array_api_strict.asarray], ids=["torch", "strict"])
def test_same_number_and_kind_in_every_library(name, make):
    expected, result = CALLS[name](np.asarray), CALLS[name](make)
    assert type(expected) is np.ndarray and type(result) is type(make(np.zeros(1)))
    as_numpy = np.asarray(result)
    assert as_numpy.dtype == expected.dtype and as_numpy.shape == expected.shape
    # The libraries sum in different orders and take sines of their own.
    np.testing.assert_allclose(as_numpy, expected, rtol=0, atol=1e-12)


FLOAT_IN = sorted(set(CALLS) - {"alibi_bias", "positions_from_mask", "positions_from_segments", "relative_positions",
                                "rotary_angles", "sinusoidal_embedding", "t5_bucket"})  # fmt: skip


@pytest.mark.parametrize("name", FLOAT_IN)
def test_float32_stays_float32(name, kind):
    def make(array):
        return kind(array.astype(np.float32) if array.dtype == np.float64 else array)

    result = CALLS[name](make)
    assert result.dtype == kind(np.zeros(1, np.float32)).dtype
    np.testing.assert_allclose(np.asarray(result), CALLS[name](np.asarray), rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", ["alibi_bias", "rotary_angles", "sinusoidal_embedding"])
def test_positions_give_float64(name, kind):
    assert CALLS[name](kind).dtype == kind(np.zeros(1, np.float64)).dtype


@pytest.mark.parametrize(
    "name", ["positions_from_mask", "positions_from_segments", "relative_positions", "t5_bucket"]
)
def test_whole_results_are_int64(name, kind):
    assert CALLS[name](kind).dtype == kind(np.zeros(1, np.int64)).dtype


@pytest.mark.parametrize("name", sorted(CALLS))
def test_arguments_are_left_as_they_were(name):
    made = []

    def make(array):
        made.append((array.copy(), array))
        return array

    CALLS[name](make)
    for before, after in made:
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_first_array_that_is_not_numpy_decides(name):
    """Whichever argument it is: one torch tensor among NumPy arrays makes the result torch."""
    count = 0

    def counted(array):
        nonlocal count
        count += 1
        return array

    CALLS[name](counted)
    for chosen in range(count):
        left = iter(range(count))
        if name == "unroll" and chosen > 1:
            break  # its own arguments are two; the rest belongs to the step
        result = CALLS[name](lambda array: torch.as_tensor(array) if next(left, None) == chosen else array)  # noqa: B023
        assert isinstance(result, torch.Tensor), f"array {chosen} of {name}"


def test_plain_numbers_and_lists_give_numpy():
    assert type(sinusoidal_embedding(3, 4)) is np.ndarray
    assert type(relative_positions([1], (2, 3))) is np.ndarray
    assert type(alibi_slopes(4)) is np.ndarray and alibi_slopes(4).dtype == np.float64


def test_a_device_without_float64_gets_float32():
    from array_api_compat import torch as xp

    assert widest_float(xp, torch.device("mps")) == torch.float32
    assert widest_float(xp, torch.device("cpu")) == torch.float64


def test_a_device_is_kept():
    """meta stands in for an accelerator: an array left on the CPU would not combine with it."""
    positions = torch.arange(4, device="meta")
    assert sinusoidal_embedding(positions, 6).device.type == "meta"
    assert rotate(torch.zeros(4, 6, device="meta"), np.zeros((4, 3))).device.type == "meta"
    assert alibi_bias(positions, positions, 6).device.type == "meta"
    assert t5_bias(positions, positions, torch.zeros(32, 2, device="meta")).device.type == "meta"
