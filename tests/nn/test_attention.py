"""Attention against a softmax written out in float64, and what batches, packing, padding and caches leave equal."""

import math

import numpy as np
import pytest
import torch

from seqpos import convert_layout
from seqpos.nn import ALiBi, Attention, KeyValueCache, NoPosition, RotaryEmbedding

SAME = {"rtol": 0, "atol": 1e-11}


def attention_by_hand(attention, x, positions, segments=None):
    """One row; loops over heads and queries, softmax by math.exp."""
    length, heads, width = x.shape[0], attention.num_heads, attention.head_dim
    group = heads // attention.num_key_value_heads

    def split(linear, count):
        return (x @ linear.weight.T).reshape(length, count, width).transpose(0, 1)[None]

    scheme = attention.scheme
    q = scheme.rotate_queries(split(attention.query, heads), positions)
    k = scheme.rotate_keys(split(attention.key, heads // group), positions).repeat_interleave(group, 1)
    v = split(attention.value, heads // group).repeat_interleave(group, 1)
    bias = scheme.bias(q, k, positions, positions)
    mixed = torch.zeros(length, heads, width, dtype=x.dtype)
    for h in range(heads):
        for i in range(length):
            scores = {}
            for j in range(length):
                if (attention.causal and j > i) or (segments is not None and segments[i] != segments[j]):
                    continue
                score = float(q[0, h, i] @ k[0, h, j]) / math.sqrt(width)
                scores[j] = score + (0.0 if bias is None else float(bias[0, h, i, j]))
            total = sum(math.exp(score) for score in scores.values())
            for j, score in scores.items():
                mixed[i, h] += math.exp(score) / total * v[0, h, j]
    return mixed.reshape(length, -1) @ attention.output.weight.T


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("key_value_heads", [4, 2, 1])
def test_equals_a_softmax_written_out(make, scheme_name, causal, key_value_heads):
    attention = Attention(
        16, 4, scheme=make(scheme_name), causal=causal, num_key_value_heads=key_value_heads
    ).double()
    x = torch.randn(2, 6, 16, dtype=torch.float64)
    positions = torch.tensor([0, 1, 2, 5, 6, 9])
    segments = torch.tensor([1, 1, 1, 2, 2, 1])
    with torch.no_grad():
        plain, parted = attention(x, positions=positions), attention(x, positions=positions, segments=segments)
        for n in range(2):
            torch.testing.assert_close(plain[n], attention_by_hand(attention, x[n], positions), **SAME)
            torch.testing.assert_close(parted[n], attention_by_hand(attention, x[n], positions, segments), **SAME)


def test_positions_count_from_zero_unless_given(make, scheme_name):
    attention = Attention(16, 4, scheme=make(scheme_name)).double()
    x = torch.randn(2, 5, 16, dtype=torch.float64)
    torch.testing.assert_close(attention(x), attention(x, positions=torch.arange(5).expand(2, -1)), **SAME)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("key_value_heads", [4, 2])
def test_layouts_give_one_model_after_conversion(layout, key_value_heads):
    other = {"half": "interleaved", "interleaved": "half"}[layout]
    first, second = (
        Attention(32, 4, scheme=RotaryEmbedding(8, layout=name), num_key_value_heads=key_value_heads).double()
        for name in (layout, other)
    )
    second.load_state_dict(first.state_dict())
    x = torch.randn(2, 6, 32, dtype=torch.float64)
    assert not torch.allclose(first(x), second(x), atol=1e-6), "unconverted weights are another model"
    for name, heads in (("query", 4), ("key", key_value_heads)):
        weight = getattr(first, name).weight.detach()
        getattr(second, name).weight.data = convert_layout(weight, source=layout, target=other, num_heads=heads)
    torch.testing.assert_close(first(x), second(x), **SAME)


@pytest.mark.parametrize("length", [0, 1])
def test_short_sequences(make, scheme_name, length):
    attention = Attention(16, 4, scheme=make(scheme_name)).double()
    x = torch.randn(2, length, 16, dtype=torch.float64)
    result = attention(x)
    assert result.shape == x.shape
    if length:  # a softmax over one token is that token
        torch.testing.assert_close(result, attention.output(attention.value(x)), **SAME)
    assert attention(x, segments=torch.zeros(2, length, dtype=torch.int64)).shape == x.shape
    assert attention(x, cache=KeyValueCache()).shape == x.shape


def test_an_empty_call_leaves_the_cache_as_it_was(make, scheme_name):
    attention, cache = Attention(16, 4, scheme=make(scheme_name)).double(), KeyValueCache()
    x = torch.randn(2, 4, 16, dtype=torch.float64)
    assert cache.length(attention) == 0
    parts = [attention(part, cache=cache) for part in (x[:, :0], x[:, :2], x[:, :0], x[:, 2:])]
    torch.testing.assert_close(torch.cat(parts, dim=1), attention(x), **SAME)
    assert cache.length(attention) == 4


def test_a_batch_of_none():
    attention = Attention(16, 4, scheme=ALiBi(4))
    assert attention(torch.zeros(0, 3, 16)).shape == (0, 3, 16)


def test_padding_gives_no_nan(make, scheme_name):
    """Also its gradient, and rows that are padding throughout."""
    attention = Attention(16, 4, scheme=make(scheme_name)).double()
    x = torch.randn(3, 4, 16, dtype=torch.float64, requires_grad=True)
    segments = torch.tensor([[-1, -1, 0, 0], [0, 0, -1, -1], [-1, -1, -1, -1]])
    result = attention(x, segments=segments)
    assert result.isfinite().all()
    result.sum().backward()
    assert x.grad.isfinite().all()


def test_every_token_sees_itself():
    """What a softmax over nothing gives differs between versions of torch and paths within one: NaN or 0."""
    mask = Attention(8, 2, scheme=NoPosition())._mask(3, 3, torch.tensor([[-1, -1, 0]]), torch.device("cpu"))
    assert mask.diagonal(dim1=-2, dim2=-1).all() and not mask[0, 0, 1, 0] and not mask[0, 0, 2, 1]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_types_stay_close(make, scheme_name, dtype):
    attention = Attention(16, 4, scheme=make(scheme_name).float())
    x = torch.randn(2, 6, 16)
    expected = attention(x)
    result = attention.to(dtype)(x.to(dtype))
    assert result.dtype == dtype
    np.testing.assert_allclose(result.float().detach(), expected.detach(), atol=0.1)


def test_cached_alibi_counts_from_the_query():
    """One query against five keys: the nearest key has no penalty, the first has four slopes."""
    attention, cache = Attention(8, 2, scheme=ALiBi(2)).double(), KeyValueCache()
    x = torch.randn(1, 5, 8, dtype=torch.float64)
    attention(x[:, :4], cache=cache)
    torch.testing.assert_close(attention(x[:, 4:], cache=cache), attention(x)[:, 4:], **SAME)


def test_a_cache_goes_on_from_each_rows_last_position():
    rope = Attention(16, 4, scheme=RotaryEmbedding(4)).double()
    x = torch.randn(2, 4, 16, dtype=torch.float64)
    starts = torch.tensor([[10], [2]])
    cache = KeyValueCache()
    rope(x[:, :3], positions=starts + torch.arange(3), cache=cache)
    assert cache.next_positions(rope, 2, 2).tolist() == [[13, 14], [5, 6]]
    last = rope(x[:, 3:], cache=cache)
    torch.testing.assert_close(last, rope(x, positions=starts + torch.arange(4))[:, 3:], **SAME)


def test_a_cached_segment_goes_on_from_its_own_last_position():
    layer, cache = Attention(8, 2, scheme=NoPosition()), KeyValueCache()
    segments = torch.tensor([[-1, -1, 3, 3, 5, 3, -1, 5, 7], [0, 0, 0, 0, 0, 0, 0, 0, 0]])
    counted = torch.tensor([[0, 0, 0, 1, 0, 2, 0, 1, 0], [0, 1, 2, 3, 4, 5, 6, 7, 8]])
    got = []
    for a, b in ((0, 1), (1, 4), (4, 6), (6, 9)):
        following = cache.next_positions(layer, 2, b - a, segments[:, a:b])
        got.append(torch.zeros(2, 1, dtype=torch.int64) if following is None else following)
        layer(torch.zeros(2, b - a, 8), segments=segments[:, a:b], cache=cache)
    assert torch.cat(got, dim=1).equal(counted)


def test_two_layers_have_a_slot_each():
    one, two, cache = Attention(8, 2, scheme=NoPosition()), Attention(8, 2, scheme=NoPosition()), KeyValueCache()
    one(torch.zeros(1, 3, 8), cache=cache)
    two(torch.zeros(1, 1, 8), cache=cache)
    assert (cache.length(one), cache.length(two)) == (3, 1)


def test_a_cache_of_another_batch_is_refused():
    attention, cache = Attention(8, 2, scheme=NoPosition()), KeyValueCache()
    attention(torch.zeros(2, 3, 8), cache=cache)
    with pytest.raises(ValueError, match="cache must be of the same batch.*2 rows for 3"):
        attention(torch.zeros(3, 1, 8), cache=cache)
