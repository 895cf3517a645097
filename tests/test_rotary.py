"""The geometry door against complex multiplication in float64, and against the algebra of rotations."""

import copy
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seqpos import (
    RotaryFrequencies,
    convert_layout,
    inverse_frequencies,
    positions_from_mask,
    positions_from_segments,
    rotary_angles,
    rotate,
    rotation_matrix,
)

LAYOUTS = ["half", "interleaved"]
layouts = st.sampled_from(LAYOUTS)
seeds = st.integers(0, 2**32 - 1)


def pair_indices(pairs, layout):
    """Which two columns pair m is."""
    return [(m, m + pairs) if layout == "half" else (2 * m, 2 * m + 1) for m in range(pairs)]


def turned_by_complex_numbers(x, angles, layout):
    """(a + ib)·e^{iφ} for every pair, in float64; columns beyond the pairs as they are."""
    x, angles = np.asarray(x, np.float64), np.asarray(angles, np.float64)
    lead = np.broadcast_shapes(x.shape[:-1], angles.shape[:-1])
    result = np.broadcast_to(x, (*lead, x.shape[-1])).copy()
    for m, (a, b) in enumerate(pair_indices(angles.shape[-1], layout)):
        z = (x[..., a] + 1j * x[..., b]) * np.exp(1j * angles[..., m])
        result[..., a], result[..., b] = z.real, z.imag
    return result


@given(st.integers(1, 40).map(lambda half: 2 * half), st.floats(2, 1e7))
def test_frequencies_are_powers_of_the_base(dim, base):
    theta = inverse_frequencies(dim, base=base)
    assert theta.dtype == np.float64 and theta[0] == 1.0
    np.testing.assert_allclose(theta, [base ** (-2 * m / dim) for m in range(dim // 2)], rtol=1e-13)


def test_an_integer_base_and_a_large_one():
    """Integer powers with a negative exponent fail or give 0 where integers stay integers."""
    np.testing.assert_allclose(inverse_frequencies(4, base=10_000), [1, 0.01], rtol=1e-15)
    np.testing.assert_allclose(inverse_frequencies(4, base=10**18), [1, 1e-9], rtol=1e-13)


def test_a_base_is_not_remembered():
    first = inverse_frequencies(8, base=1e4)
    second = inverse_frequencies(8, base=5e5)
    assert second[1] == pytest.approx(5e5**-0.25) and first[1] == pytest.approx(0.1)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_angles_are_position_times_frequency(dtype):
    positions = np.array([[0, 1], [100, 127]], dtype)
    angles = rotary_angles(positions, inverse_frequencies(6))
    assert angles.shape == (2, 2, 3) and angles.dtype == np.float64
    for index in np.ndindex(2, 2):
        expected = [int(positions[index]) * 10_000 ** (-2 * m / 6) for m in range(3)]
        np.testing.assert_allclose(angles[index], expected, rtol=1e-14)
    assert rotary_angles(-3, [2.0]).tolist() == [-6.0]


def test_angle_of_a_far_position_keeps_its_fraction():
    """Dim 32, position 1857, pair 1: float16 frequencies would give 1045."""
    assert rotary_angles(1857, inverse_frequencies(32))[1] == pytest.approx(1044.2678, abs=1e-4)


@pytest.mark.parametrize("kind_of_frequencies", ["float32", "int"])
def test_frequencies_of_another_type_become_float64(kind_of_frequencies):
    theta = np.array([1, 2], "int64") if kind_of_frequencies == "int" else np.array([1, 0.1], "float32")
    angles = rotary_angles([7], [1, 2] if kind_of_frequencies == "int" else theta)
    assert angles.dtype == np.float64
    assert angles[0].tolist() == [7 * float(f) for f in theta]


@given(seeds, st.integers(0, 5), st.integers(0, 3), layouts)
def test_rotate_is_complex_multiplication(seed, pairs, tail, layout):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((2, 3, 2 * pairs + tail))
    angles = rng.uniform(-50, 50, (3, pairs))
    result = rotate(x, angles, layout=layout)
    np.testing.assert_allclose(result, turned_by_complex_numbers(x, angles, layout), rtol=0, atol=1e-13)
    assert (result[..., 2 * pairs :] == x[..., 2 * pairs :]).all(), "the tail passes unchanged"


@given(seeds, st.integers(1, 5), layouts)
def test_matrix_form_equals_vector_form(seed, pairs, layout):
    rng = np.random.default_rng(seed)
    x, angles = rng.standard_normal((3, 2 * pairs)), rng.uniform(-9, 9, (3, pairs))
    matrix = rotation_matrix(angles, layout=layout)
    assert matrix.shape == (3, 2 * pairs, 2 * pairs)
    np.testing.assert_allclose((matrix @ x[..., None])[..., 0], rotate(x, angles, layout=layout), rtol=0, atol=1e-14)
    np.testing.assert_allclose(matrix.mT @ matrix, np.broadcast_to(np.eye(2 * pairs), matrix.shape), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(matrix), 1, rtol=1e-12)


def test_rotation_matrix_by_hand():
    """Columns are vectors: a quarter turn takes (1, 0) to (0, 1)."""
    quarter, eighth = math.pi / 2, math.pi / 4
    s = math.sqrt(0.5)
    np.testing.assert_allclose(
        rotation_matrix([quarter, eighth], layout="interleaved"),
        [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, s, -s], [0, 0, s, s]],
        atol=1e-15,
    )
    np.testing.assert_allclose(
        rotation_matrix([quarter, eighth], layout="half"),
        [[0, 0, -1, 0], [0, s, 0, -s], [1, 0, 0, 0], [0, s, 0, s]],
        atol=1e-15,
    )


@given(seeds, st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), layouts)
def test_score_depends_on_the_distance_alone(seed, i, j, shift, layout):
    q, k = np.random.default_rng(seed).standard_normal((2, 8))
    theta = inverse_frequencies(8)

    def score(i, j):
        return rotate(q, rotary_angles(i, theta), layout=layout) @ rotate(k, rotary_angles(j, theta), layout=layout)

    # Angles of 2e6 radians are exact to 2e6 · 2^-53.
    assert score(i, j) == pytest.approx(score(i + shift, j + shift), abs=1e-8)
    relative = q @ turned_by_complex_numbers(k, (j - i) * theta, layout)
    assert score(i, j) == pytest.approx(relative, abs=1e-8)


@given(seeds, st.integers(1, 8), layouts)
def test_rotation_keeps_norms_and_undoes_itself(seed, pairs, layout):
    rng = np.random.default_rng(seed)
    x, angles = rng.standard_normal((4, 2 * pairs)), rng.uniform(-9, 9, (4, pairs))
    turned = rotate(x, angles, layout=layout)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-13)
    np.testing.assert_allclose(rotate(turned, -angles, layout=layout), x, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("x_shape", "angles_shape"),
    [((4,), (2,)), ((4,), (3, 2)), ((2, 1, 3, 4), (3, 2)), ((5, 1, 6), (7, 3)), ((2, 4, 3, 8), (2, 1, 3, 2))],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_leading_axes_broadcast(rng, x_shape, angles_shape, layout):
    x, angles = rng.standard_normal(x_shape), rng.uniform(-9, 9, angles_shape)
    expected = turned_by_complex_numbers(x, angles, layout)
    result = rotate(x, angles, layout=layout)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_types_are_rounded_once(layout, dtype):
    """The exact product of the given numbers, rounded once; float32 in between may move a tie by one unit."""
    x = torch.randn(64, 16).to(dtype)
    angles = rotary_angles(torch.arange(64) * 7, inverse_frequencies(16))
    result = rotate(x, angles, layout=layout)
    exact = torch.as_tensor(turned_by_complex_numbers(x.double().numpy(), angles.numpy(), layout))
    assert result.dtype == dtype
    unit = torch.finfo(dtype).eps * exact.abs().clamp(min=1e-3)
    assert ((result.double() - exact).abs() <= 0.5 * unit + 1e-6).all()
    # A product and a sum in the half type itself would miss the nearest number in a quarter of the entries.
    assert (result == exact.to(dtype)).double().mean() > 0.99


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_numpy_small_types_keep_their_type(rng, dtype):
    x, angles = rng.standard_normal((5, 8)).astype(dtype), rng.uniform(-1e4, 1e4, (5, 4))
    result = rotate(x, angles)
    assert result.dtype == dtype
    exact = turned_by_complex_numbers(x, angles, "half")
    np.testing.assert_allclose(result, exact, rtol=0, atol=4 * np.finfo(dtype).eps)


def test_position_257_is_not_position_256_in_bfloat16():
    """bfloat16 cannot hold 257. A float32 call afterwards is unaffected."""
    angles = rotary_angles(torch.arange(300), inverse_frequencies(8))
    turned = rotate(torch.ones(1, 1, 300, 8, dtype=torch.bfloat16), angles, layout="interleaved")
    assert turned[0, 0, 257, :2].tolist() == pytest.approx([1.393, 0.246], abs=0.004)
    after = rotate(torch.ones(1, 1, 300, 8), angles, layout="interleaved")[0, 0, 257, :2]
    expected = [math.cos(257) - math.sin(257), math.cos(257) + math.sin(257)]
    assert after.tolist() == pytest.approx(expected, abs=2e-7)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("make", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])
@pytest.mark.parametrize("dim", [6, 9])
def test_out_is_written_and_returned(rng, layout, make, dim):
    data, angles = rng.standard_normal((4, dim)), rng.uniform(-9, 9, (4, 3))
    expected = turned_by_complex_numbers(data, angles, layout)
    x, out = make(data.copy()), make(np.full((4, dim), np.nan))
    assert rotate(x, angles, layout=layout, out=out) is out
    np.testing.assert_allclose(np.asarray(out), expected, atol=1e-14)
    assert (np.asarray(x) == data).all(), "x is left as it was"
    assert rotate(x, angles, layout=layout, out=x) is x
    np.testing.assert_allclose(np.asarray(x), expected, atol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_out_may_overlap_x_in_part(rng, layout):
    memory = rng.standard_normal((5, 4))
    x, out = memory[:4], memory[1:]
    angles = rng.uniform(-9, 9, (4, 2))
    expected = turned_by_complex_numbers(x, angles, layout)
    rotate(x, angles, layout=layout, out=out)
    np.testing.assert_allclose(out, expected, atol=1e-14)


def test_writing_in_place_is_marked_for_autograd():
    """A gradient that needs the overwritten values must fail, not be wrong."""
    y = torch.randn(2, 4, requires_grad=True) * 2
    z = y**2
    rotate(y, torch.ones(2), out=y)
    with pytest.raises(RuntimeError, match="inplace operation"):
        z.sum().backward()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dim", [6, 8])
def test_gradient_is_the_inverse_rotation(layout, dim):
    x = torch.randn(5, dim, dtype=torch.float64, requires_grad=True)
    angles, upstream = torch.randn(5, 3, dtype=torch.float64), torch.randn(5, dim, dtype=torch.float64)
    rotate(x, angles, layout=layout).backward(upstream)
    expected = turned_by_complex_numbers(upstream.numpy(), -angles.numpy(), layout)
    np.testing.assert_allclose(x.grad, expected, atol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_first_and_second_derivatives(layout):
    x = torch.randn(2, 6, dtype=torch.float64, requires_grad=True)
    angles = torch.randn(2, 2, dtype=torch.float64, requires_grad=True)

    def turn(x, angles):
        return rotate(x, angles, layout=layout)

    assert torch.autograd.gradcheck(turn, (x, angles))
    assert torch.autograd.gradgradcheck(turn, (x, angles))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_torch_func(layout):
    x, angles = torch.randn(3, 4, 6, dtype=torch.float64), torch.randn(4, 3, dtype=torch.float64)
    each = torch.func.vmap(lambda row: rotate(row, angles, layout=layout))(x)
    np.testing.assert_allclose(each, turned_by_complex_numbers(x.numpy(), angles.numpy(), layout), atol=1e-14)
    rows = torch.func.vmap(lambda row, a: rotate(row, a, layout=layout), in_dims=(1, 0), out_dims=1)(x, angles)
    np.testing.assert_allclose(rows, each, atol=1e-14)
    gradient = torch.func.grad(lambda row: (rotate(row, angles, layout=layout) ** 2).sum() / 2)(x[0])
    np.testing.assert_allclose(gradient, x[0], atol=1e-14)


@pytest.mark.parametrize("shape", [(0, 4), (2, 3, 0, 4)])
def test_empty_sequences(shape):
    angles = rotary_angles([], inverse_frequencies(4))
    assert rotate(np.zeros(shape), angles).shape == shape
    assert rotate(torch.zeros(shape, dtype=torch.bfloat16), torch.as_tensor(angles)).shape == shape
    assert rotation_matrix(angles).shape == (0, 4, 4)
    assert rotation_matrix([]).shape == (0, 0)


def test_rotary_frequencies_hold_float64():
    held = RotaryFrequencies(np.array([1, 0.5], np.float32), 2)
    assert held.inverse_frequencies.dtype == np.float64 and held.attention_factor == 2.0
    with pytest.raises(AttributeError):
        held.attention_factor = 1.0
    assert copy.deepcopy(held).inverse_frequencies.tolist() == [1, 0.5]


# --- layouts of weights ---


def layout_permutation(num_heads, head_dim, rotary_dim):
    """P of one head: even rows, then odd rows, then the rest; as a matrix for all heads."""
    one = [*range(0, rotary_dim, 2), *range(1, rotary_dim, 2), *range(rotary_dim, head_dim)]
    rows = [head * head_dim + row for head in range(num_heads) for row in one]
    return np.eye(num_heads * head_dim)[rows]


head_shapes = st.integers(1, 4).flatmap(
    lambda heads: st.integers(1, 10).flatmap(
        lambda head_dim: st.tuples(
            st.just(heads), st.just(head_dim), st.integers(0, head_dim // 2).map(lambda half: 2 * half)
        )
    )
)


@given(seeds, head_shapes)
def test_conversion_is_even_rows_then_odd_rows(seed, shape):
    heads, head_dim, rotary_dim = shape
    weight = np.random.default_rng(seed).standard_normal((heads * head_dim, 3))
    p = layout_permutation(*shape)
    options = {"num_heads": heads, "rotary_dim": rotary_dim}
    there = convert_layout(weight, source="interleaved", target="half", **options)
    assert (there == p @ weight).all()
    assert (convert_layout(there, source="half", target="interleaved", **options) == weight).all()
    assert (convert_layout(weight, source="half", target="half", **options) == weight).all()


@given(seeds, st.integers(1, 5))
def test_half_of_permuted_is_permuted_interleaved(seed, pairs):
    rng = np.random.default_rng(seed)
    x, angles = rng.standard_normal(2 * pairs), rng.uniform(-9, 9, pairs)
    p = layout_permutation(1, 2 * pairs, 2 * pairs)
    np.testing.assert_allclose(
        rotate(p @ x, angles, layout="half"), p @ rotate(x, angles, layout="interleaved"), atol=1e-14
    )


@pytest.mark.parametrize("dtype", ["int64", "float16", "bool", "complex64"])
def test_conversion_keeps_any_dtype_and_takes_biases(dtype):
    bias = np.array([0, 1, 1, 0, 1, 1, 0, 0]).astype(dtype)
    converted = convert_layout(bias, source="interleaved", target="half", num_heads=2)
    assert converted.dtype == bias.dtype and converted.tolist() == bias[[0, 2, 1, 3, 4, 6, 5, 7]].tolist()


# --- positions ---


@given(st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=4))
def test_positions_count_real_tokens(mask):
    expected = [[sum(row[:t]) if row[t] else 0 for t in range(6)] for row in mask]
    assert positions_from_mask(mask).tolist() == expected
    assert positions_from_mask(np.array(mask).astype("uint8")).tolist() == expected


def test_left_padding_and_padding_ids():
    assert positions_from_mask([0, 0, 1, 1, 1]).tolist() == [0, 0, 0, 1, 2]
    ids = np.array([1, 1, 5, 3, 6, 7])
    assert positions_from_mask(ids != 1).tolist() == [0, 0, 0, 1, 2, 3]
    assert positions_from_mask([]).tolist() == []
    assert positions_from_mask(np.zeros((2, 0), bool)).shape == (2, 0)


@given(st.lists(st.lists(st.integers(-2, 3), min_size=7, max_size=7), min_size=1, max_size=4))
def test_positions_count_within_each_segment(segments):
    """Brute force; the tokens of a segment need not stand together, and rows do not mix."""
    expected = [[0 if s < 0 else row[:t].count(s) for t, s in enumerate(row)] for row in segments]
    assert positions_from_segments(segments).tolist() == expected
    assert positions_from_segments(np.array(segments)[:, None, :]).tolist() == [[row] for row in expected]


def test_empty_segments():
    assert positions_from_segments([]).tolist() == []
    assert positions_from_segments(np.zeros((3, 0), int)).shape == (3, 0)
