"""The input door against the definition written out with math.sin and math.cos, and against its algebra."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqpos import positional_embedding, shift_matrix, sinusoidal_embedding

positions = st.integers(-5000, 5000)
even_dims = st.integers(1, 20).map(lambda half: 2 * half)


def classic(position, d_model, base=10_000):
    """The definition, entry by entry."""
    entries = []
    for n in range(d_model):
        angle = position / base ** (2 * (n // 2) / d_model)
        entries.append(math.cos(angle) if n % 2 else math.sin(angle))
    return np.array(entries)


@given(positions, st.integers(1, 40))
def test_positional_embedding_is_the_classic_definition(position, d_model):
    vector = positional_embedding(position, d_model)
    assert vector.shape == (d_model,) and vector.dtype == np.float64
    # An angle of 5000 is known to 5000 · 2^-53, so its sine to about 1e-12.
    np.testing.assert_allclose(vector, classic(position, d_model), rtol=0, atol=3e-12)


def test_positional_embedding_is_1024_wide_unless_told():
    np.testing.assert_allclose(positional_embedding(3), classic(3, 1024), rtol=0, atol=1e-14)


def test_published_values():
    np.testing.assert_allclose(positional_embedding(1, 4), [0.8414710, 0.5403023, 0.0099998, 0.9999500], atol=5e-8)


@pytest.mark.parametrize(("dim", "sines", "cosines"), [(1, 1, 0), (5, 3, 2), (29, 15, 14)])
@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
def test_an_odd_size_has_one_sine_more(dim, sines, cosines, layout):
    at_zero = sinusoidal_embedding([0], dim, layout=layout)[0]
    assert (at_zero == 0).sum() == sines and (at_zero == 1).sum() == cosines
    columns = sinusoidal_embedding([7], dim, layout=layout)[0]
    expected = classic(7, dim)
    if layout == "concatenated":
        expected = np.concatenate([expected[0::2], expected[1::2]])
    np.testing.assert_allclose(columns, expected, atol=1e-14)


@given(positions, st.integers(1, 40), st.floats(2, 1e6))
def test_layouts_hold_the_same_columns(position, dim, base):
    interleaved = sinusoidal_embedding([position], dim, base=base)[0]
    np.testing.assert_allclose(interleaved, classic(position, dim, base), rtol=0, atol=5e-12)
    concatenated = sinusoidal_embedding([position], dim, base=base, layout="concatenated")[0]
    assert concatenated.tolist() == interleaved[0::2].tolist() + interleaved[1::2].tolist()


@pytest.mark.parametrize("dim", [4, 6, 16])
def test_tensor2tensor_denominator(dim):
    """min_timescale 1, max_timescale base, step log(base)/(dim/2 - 1): written out as tensor2tensor does."""
    step = math.log(10_000.0) / (dim // 2 - 1)
    angles = [[position * math.exp(-m * step) for m in range(dim // 2)] for position in range(50)]
    expected = np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)
    code = sinusoidal_embedding(np.arange(50), dim, layout="concatenated", denominator="dim/2-1")
    np.testing.assert_allclose(code, expected, atol=1e-13)
    paper = sinusoidal_embedding(np.arange(50), dim, layout="concatenated")
    assert not np.allclose(np.sort(code, axis=-1), np.sort(paper, axis=-1)), "it is no permutation of the paper's"


@given(positions, even_dims)
def test_norm_is_the_same_at_every_position(position, dim):
    assert np.linalg.norm(sinusoidal_embedding([position], dim)) == pytest.approx(math.sqrt(dim / 2))


@given(positions, positions, st.integers(-3000, 3000), even_dims)
def test_dot_product_depends_on_the_distance(i, j, shift, dim):
    p = sinusoidal_embedding(np.array([i, j, i + shift, j + shift]), dim)
    expected = sum(math.cos((j - i) * 10_000 ** (-2 * m / dim)) for m in range(dim // 2))
    assert p[0] @ p[1] == pytest.approx(expected, abs=1e-10)
    assert p[2] @ p[3] == pytest.approx(expected, abs=1e-10)


@given(positions, st.integers(-3000, 3000), even_dims, st.floats(2, 1e6))
def test_shift_matrix_moves_every_position(position, offset, dim, base):
    moved = shift_matrix(offset, dim, base=base) @ sinusoidal_embedding(position, dim, base=base)
    np.testing.assert_allclose(moved, classic(position + offset, dim, base), rtol=0, atol=1e-11)


@given(st.integers(-3000, 3000), st.integers(-3000, 3000), even_dims)
def test_shift_matrices_are_orthogonal_and_compose(a, b, dim):
    one, other = shift_matrix(a, dim), shift_matrix(b, dim)
    np.testing.assert_allclose(one.T @ one, np.eye(dim), atol=1e-14)
    np.testing.assert_allclose(one @ other, shift_matrix(a + b, dim), rtol=0, atol=2e-12)


def test_positions_of_any_shape():
    grid = np.arange(-6, 6).reshape(2, 3, 2)
    code = sinusoidal_embedding(grid, 6)
    assert code.shape == (2, 3, 2, 6)
    np.testing.assert_allclose(code[1, 2, 0], classic(grid[1, 2, 0], 6), atol=1e-14)
    assert sinusoidal_embedding([], 6).shape == (0, 6)
    assert sinusoidal_embedding(np.zeros((2, 0), int), 6).shape == (2, 0, 6)


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "int64"])
def test_small_integers_and_an_integer_base_do_not_overflow(dtype):
    code = sinusoidal_embedding(np.array([127], dtype=dtype), 8, base=10_000)
    np.testing.assert_allclose(code[0], classic(127, 8), atol=1e-13)


def test_far_positions_stay_apart():
    """Above 2^24 float32 would merge neighbours."""
    code = sinusoidal_embedding([2**24, 2**24 + 1], 4)
    np.testing.assert_allclose(code[1], classic(2**24 + 1, 4), atol=1e-8)
    assert abs(code[0] - code[1]).max() > 0.1
