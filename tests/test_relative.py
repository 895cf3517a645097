"""The score door against brute force: plain loops in Python integers and float64, and published code."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqpos import (
    alibi_bias,
    alibi_slopes,
    relative_positions,
    shaw_scores,
    t5_bias,
    t5_bucket,
    transformer_xl_scores,
)

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


def bucket_by_fractions(r, bidirectional, num_buckets, max_distance):
    """T5's bucket with the floor of the logarithm decided by comparing exact powers."""
    offset = 0
    if bidirectional:
        num_buckets //= 2
        offset = num_buckets if r > 0 else 0
        n = abs(r)
    else:
        n = max(-r, 0)
    exact = num_buckets // 2
    if n < exact:
        return offset + n
    ratio, whole, steps = Fraction(n, exact), Fraction(max_distance, exact), num_buckets - exact
    # The largest t with log(ratio)/log(whole) · steps >= t, which is ratio^steps >= whole^t.
    t = 0
    while t < steps - 1 and ratio**steps >= whole ** (t + 1):
        t += 1
    return offset + exact + t


def sinusoid(distance, dim, base):
    """p of one distance, interleaved, entry by entry."""
    angles = [distance / base ** (2 * (n // 2) / dim) for n in range(dim)]
    return np.array([math.cos(a) if n % 2 else math.sin(a) for n, a in enumerate(angles)])


def test_relative_position_is_key_minus_query():
    assert relative_positions([5], [3, 5, 9]).tolist() == [[-2, 0, 4]]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32"])
def test_small_integers_do_not_wrap(dtype):
    assert relative_positions(np.array([127], dtype), np.array([0, 1], dtype)).tolist() == [[-127, -126]]


def test_batched_positions():
    r = relative_positions(np.array([[0, 1], [5, 7]]), np.array([[0, 1, 2], [5, 6, 7]]))
    assert r.tolist() == [[[0, 1, 2], [-1, 0, 1]], [[0, 1, 2], [-2, -1, 0]]]


T5_VALUES = {0: 0, 1: 17, 7: 23, 8: 24, 11: 24, 12: 25, 91: 31, -90: 14, -91: 15}
T5_CAUSAL = {5: 0, -16: 16, -32: 21, -64: 26, -127: 31}


def test_t5_published_values():
    assert t5_bucket(list(T5_VALUES)).tolist() == list(T5_VALUES.values())
    assert t5_bucket(list(T5_CAUSAL), bidirectional=False).tolist() == list(T5_CAUSAL.values())


@st.composite
def t5_options(draw):
    bidirectional = draw(st.booleans())
    num_buckets = draw(st.integers(2, 20)) * 2 if bidirectional else draw(st.integers(2, 40))
    exact = (num_buckets // 2 if bidirectional else num_buckets) // 2
    return bidirectional, num_buckets, draw(st.integers(exact + 1, exact + 200))


@given(t5_options())
def test_t5_buckets_equal_exact_fractions(options):
    bidirectional, num_buckets, max_distance = options
    r = range(-max_distance - 3, max_distance + 4)
    got = t5_bucket(list(r), bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
    assert got.tolist() == [bucket_by_fractions(n, *options) for n in r]


@pytest.mark.parametrize("ratio", [2, 3, 5, 6, 7, 10])
@pytest.mark.parametrize("num_buckets", [8, 16, 32, 64])
def test_t5_borders_that_are_exact_powers(num_buckets, ratio):
    """Where a border falls on an integer exactly, exact · ratio^t, a rounded logarithm can miss it."""
    exact = steps = num_buckets // 4
    max_distance = exact * ratio**steps
    r = [sign * (exact * ratio**t + d) for t in range(steps + 1) for d in (-1, 0, 1) for sign in (-1, 1)]
    got = t5_bucket(r, num_buckets=num_buckets, max_distance=max_distance)
    assert got.tolist() == [bucket_by_fractions(n, True, num_buckets, max_distance) for n in r]


def test_t5_border_that_float32_misses():
    """124^(12/13) · 12 lies just above 1027: transformers' float32 logarithm puts 1027 into the next bucket."""
    r = [-1026, -1027, -1028]
    got = t5_bucket(r, num_buckets=50, max_distance=1488)
    assert got.tolist() == [bucket_by_fractions(n, True, 50, 1488) for n in r] == [23, 23, 24]


@pytest.mark.parametrize("bidirectional", [True, False])
def test_t5_extreme_integers_stay_inside(bidirectional):
    got = t5_bucket([INT64_MIN, INT64_MIN + 1, INT64_MAX], bidirectional=bidirectional)
    assert got.tolist() == ([15, 15, 31] if bidirectional else [31, 31, 0])
    far = t5_bucket([INT64_MIN, -(2**62), 2**62], max_distance=2**62)
    assert far.tolist() == [15, 15, 31]


def test_t5_bias_looks_up_head_and_bucket(rng):
    table = rng.standard_normal((32, 3)).astype(np.float32)
    queries, keys = [0, 4, 200], [0, 1, 199, 300]
    bias = t5_bias(queries, keys, table)
    assert bias.shape == (3, 3, 4) and bias.dtype == np.float32
    for h in range(3):
        for a, i in enumerate(queries):
            for b, j in enumerate(keys):
                assert bias[h, a, b] == table[bucket_by_fractions(j - i, True, 32, 128), h]
    batched = t5_bias(np.array([queries, queries]), np.array([keys, keys]), table, bidirectional=False, max_distance=64)
    assert batched.shape == (2, 3, 3, 4)
    assert batched[1, 2, 2, 1] == table[bucket_by_fractions(1 - 200, False, 32, 64), 2]


def test_alibi_published_slopes():
    assert alibi_slopes(6).tolist() == [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]
    twelve = [2.0**-h for h in range(1, 9)] + [2.0 ** -(h + 0.5) for h in range(4)]
    np.testing.assert_allclose(alibi_slopes(12), twelve, rtol=1e-15)
    assert alibi_slopes(1).tolist() == [2.0**-8]


def press_slopes(n):
    """The recursion of the authors' published code."""
    if math.log2(n).is_integer():
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]
    below = 2 ** math.floor(math.log2(n))
    return press_slopes(below) + press_slopes(2 * below)[0::2][: n - below]


@pytest.mark.parametrize("heads", range(1, 41))
def test_alibi_slopes_follow_the_authors_recursion(heads):
    np.testing.assert_allclose(alibi_slopes(heads), press_slopes(heads), rtol=1e-13)


def test_alibi_bias_is_minus_slope_times_distance():
    queries, keys = [3, 0], [0, 1, 3, 9]
    bias = alibi_bias(queries, keys, 6)
    assert bias.dtype == np.float64 and not np.signbit(bias[bias == 0]).any()
    for h, slope in enumerate([0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]):
        assert bias[h].tolist() == [[-slope * abs(j - i) for j in keys] for i in queries]


def test_alibi_never_rewards_distance():
    """The absolute value of the most negative integer is itself."""
    assert alibi_bias([0], [INT64_MIN], 8)[0, 0, 0] == -(2.0**62)


def test_alibi_row_of_a_cached_decode_is_a_row_of_the_full_pass():
    full = alibi_bias(list(range(7)), list(range(7)), 3)
    for i in range(7):
        assert (alibi_bias([i], list(range(7)), 3)[:, 0] == full[:, i]).all()


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_shaw_is_the_query_times_the_clipped_row(rng, limit):
    head_dim = 5
    q = rng.standard_normal((2, 3, 4, head_dim))
    table = rng.standard_normal((2 * limit + 1, head_dim))
    queries, keys = np.array([[0, 2, 3, 9], [1, 1, 4, 5]]), np.array([[0, 1, 9], [-2, 4, 5]])
    scores = shaw_scores(q, table, queries, keys)
    assert scores.shape == (2, 3, 4, 3)
    for n, h, a, b in np.ndindex(2, 3, 4, 3):
        r = min(max(int(keys[n, b] - queries[n, a]), -limit), limit)
        expected = sum(q[n, h, a, d] * table[limit + r, d] for d in range(head_dim)) / math.sqrt(head_dim)
        assert scores[n, h, a, b] == pytest.approx(expected, abs=1e-14)
    unbatched = shaw_scores(q[0], table, queries[0], keys[0])
    np.testing.assert_allclose(unbatched, scores[0], rtol=0, atol=1e-15)


@pytest.mark.parametrize("batched", [False, True])
def test_transformer_xl_equals_the_q_by_k_by_dim_array(rng, batched):
    """The sum that the shift form avoids: every p_{i-j} made, in float64, positions with gaps and signs."""
    batch, heads, head_dim, dim, base = 2, 3, 4, 6, 500.0
    q, k = rng.standard_normal((batch, heads, 5, head_dim)), rng.standard_normal((batch, heads, 7, head_dim))
    u, v = rng.standard_normal((2, heads, head_dim))
    w = rng.standard_normal((heads, head_dim, dim))
    queries = np.array([[3, 4, 9, 40, 41], [-7, 0, 2, 5, 1000]])
    keys = np.array([[0, 1, 3, 4, 9, 40, 41], [-7, -6, 0, 2, 5, 30, 1000]])
    scores = transformer_xl_scores(
        q,
        k,
        queries if batched else queries[0],
        keys if batched else keys[0],
        content_bias=u,
        position_bias=v,
        projection=w,
        base=base,
    )
    for n in range(batch):
        row = n if batched else 0
        p = np.array([[sinusoid(int(i - j), dim, base) for j in keys[row]] for i in queries[row]])
        expected = np.einsum("hd,hkd->hk", u, k[n])[:, None, :] + np.einsum("hqd,hde,qke->hqk", q[n] + v[:, None], w, p)
        np.testing.assert_allclose(scores[n], expected / math.sqrt(head_dim), rtol=0, atol=1e-11)


def test_transformer_xl_is_the_same_far_from_zero(rng):
    q, k = rng.standard_normal((2, 1, 3, 4))
    options = {
        "content_bias": rng.standard_normal((1, 4)),
        "position_bias": rng.standard_normal((1, 4)),
        "projection": rng.standard_normal((1, 4, 8)),
    }
    near = transformer_xl_scores(q, k, [0, 1, 2], [0, 1, 2], **options)
    far = transformer_xl_scores(q, k, [10**6, 10**6 + 1, 10**6 + 2], [10**6, 10**6 + 1, 10**6 + 2], **options)
    np.testing.assert_allclose(far, near, rtol=0, atol=1e-8)


def test_empty_sequences_give_empty_results(rng):
    assert relative_positions([], [1, 2]).shape == (0, 2)
    assert t5_bucket([]).shape == (0,)
    assert alibi_bias([], [0], 2).shape == (2, 0, 1)
    assert t5_bias([0], [], np.zeros((32, 2))).shape == (2, 1, 0)
    q, none = np.zeros((2, 3, 4)), np.zeros((2, 0, 4))
    assert shaw_scores(none, np.zeros((3, 4)), [], [0, 1]).shape == (2, 0, 2)
    rest = {"content_bias": np.zeros((2, 4)), "position_bias": np.zeros((2, 4)), "projection": np.zeros((2, 4, 8))}
    assert transformer_xl_scores(q, none, [0, 1, 2], [], **rest).shape == (2, 3, 0)
