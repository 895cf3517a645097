"""Each scheme against its own function or arithmetic, and what no cast, device or state dict may change."""

import copy

import numpy as np
import pytest
import torch

import seqpos
from seqpos import RotaryFrequencies
from seqpos.nn import (
    ALiBi,
    Attention,
    DecoderLM,
    LearnedEmbedding,
    NoPosition,
    PositionScheme,
    RotaryEmbedding,
    ShawRelative,
    SinusoidalEmbedding,
    T5Bias,
    TransformerXLRelative,
    make_scheme,
)

CLASSES = {
    "none": NoPosition,
    "sinusoidal": SinusoidalEmbedding,
    "learned": LearnedEmbedding,
    "shaw": ShawRelative,
    "transformer_xl": TransformerXLRelative,
    "t5": T5Bias,
    "alibi": ALiBi,
    "rope": RotaryEmbedding,
}
DOORS = {
    "none": "",
    "sinusoidal": "input",
    "learned": "input",
    "shaw": "score",
    "transformer_xl": "score",
    "t5": "score",
    "alibi": "score",
    "rope": "geometry",
}


def hooks(scheme, dtype=torch.float32):
    """What every hook gives at seeded arguments with positions per row."""
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(2, 5, 16, generator=generator).to(dtype)
    q, k = (torch.randn(2, 4, length, 4, generator=generator).to(dtype) for length in (5, 7))
    queries, keys = torch.tensor([[2, 3, 4, 5, 6], [3, 9, 11, 20, 63]]), torch.arange(7).expand(2, -1)
    return {
        "x": (x, scheme.embed(x, queries)),
        "q": (q, scheme.rotate_queries(q, queries)),
        "k": (k, scheme.rotate_keys(k, keys)),
        "bias": (None, scheme.bias(q, k, queries, keys)),
    }


def test_make_scheme_names_every_class(scheme_name, make):
    assert type(make(scheme_name)) is CLASSES[scheme_name]


def test_a_scheme_opens_its_own_door_alone(scheme_name, make):
    given = hooks(make(scheme_name), torch.float64)
    assert (given["x"][0] is not given["x"][1]) == (DOORS[scheme_name] == "input")
    assert (given["q"][0] is not given["q"][1]) == (DOORS[scheme_name] == "geometry")
    assert (given["k"][0] is not given["k"][1]) == (DOORS[scheme_name] == "geometry")
    assert (given["bias"][1] is not None) == (DOORS[scheme_name] == "score")


def test_dtype_and_shape_are_kept(scheme_name, make):
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        given = hooks(make(scheme_name).to(dtype), dtype)
        for before, after in (given["x"], given["q"], given["k"]):
            assert after.dtype == dtype and after.shape == before.shape
        if given["bias"][1] is not None:
            assert given["bias"][1].dtype == dtype
            assert given["bias"][1].shape[1:] == (4, 5, 7) and given["bias"][1].shape[0] in (1, 2)


def values(scheme, dtype=torch.float32):
    return {name: after for name, (_, after) in hooks(scheme, dtype).items() if after is not None}


def assert_same(scheme, expected):
    for name, value in values(scheme).items():
        torch.testing.assert_close(value, expected[name], rtol=0, atol=0)


@pytest.mark.parametrize("name", ["sinusoidal", "alibi", "rope"])
def test_derived_schemes_hold_no_state(name, make):
    scheme = make(name)
    assert not scheme.state_dict() and not list(scheme.parameters()) and not list(scheme.buffers())


@pytest.mark.parametrize("cast", [torch.Tensor.half, torch.Tensor.bfloat16], ids=["half", "bfloat16"])
def test_casts_there_and_back_change_nothing_that_is_derived(scheme_name, make, cast):
    scheme = make(scheme_name).float()
    for parameter in scheme.parameters():  # learned numbers are rounded by a cast: begin with rounded ones
        parameter.data = cast(parameter.data).float()
    expected = values(scheme)
    there = scheme.half() if cast is torch.Tensor.half else scheme.to(torch.bfloat16)
    assert_same(there.float(), expected)


def test_meta_device_and_state_dict(scheme_name, make):
    scheme = make(scheme_name).float()
    with torch.device("meta"):
        empty = make_scheme(scheme_name, dim=16, num_heads=4, max_positions=64)
    filled = empty.to_empty(device="cpu")
    filled.load_state_dict(scheme.state_dict())
    assert_same(filled, values(scheme))


def test_rope_from_meta_begins_with_frequency_one():
    with torch.device("meta"):
        rope = RotaryEmbedding(8)
    assert rope.to_empty(device="cpu").inverse_frequencies[0] == 1.0


def test_inference_mode_and_copies_change_nothing(scheme_name, make):
    scheme = make(scheme_name).float()
    expected = values(scheme)
    with torch.inference_mode():
        assert_same(scheme, expected)
    assert_same(scheme, expected)
    assert_same(copy.deepcopy(scheme), expected)


def test_rows_of_a_batch_are_themselves(scheme_name, make):
    scheme = make(scheme_name)
    q, k, x = torch.randn(2, 4, 5, 4).double(), torch.randn(2, 4, 7, 4).double(), torch.randn(2, 5, 16).double()
    queries, keys = torch.randint(0, 64, (2, 5)), torch.randint(0, 64, (2, 7))
    for n in range(2):
        one = slice(n, n + 1)
        for at, to in ((queries[n], keys[n]), (queries[one], keys[one])):
            torch.testing.assert_close(scheme.embed(x, queries)[one], scheme.embed(x[one], at))
            torch.testing.assert_close(scheme.rotate_queries(q, queries)[one], scheme.rotate_queries(q[one], at))
            alone, both = scheme.bias(q[one], k[one], at, to), scheme.bias(q, k, queries, keys)
            assert (alone is None) == (both is None)
            if both is not None:
                torch.testing.assert_close(both[one], alone)


def test_sinusoidal_adds_the_function():
    x = torch.randn(2, 3, 5)
    positions = torch.tensor([[0, 1, 2], [7, -2, 400]])
    scheme = SinusoidalEmbedding(5, base=100, layout="concatenated")
    code = seqpos.sinusoidal_embedding(positions.numpy(), 5, base=100, layout="concatenated")
    np.testing.assert_array_equal(scheme.embed(x, positions), x + torch.from_numpy(code).float())


def test_learned_adds_its_row_and_ends_where_its_table_ends():
    scheme = LearnedEmbedding(512, 4)
    x = torch.zeros(1, 2, 4)
    assert scheme.embed(x, torch.tensor([0, 511])).equal(scheme.table[[0, 511]][None])
    for outside in (512, -1):
        with pytest.raises(ValueError, match=rf"0 … 511.* 512, got {outside}$"):
            scheme.embed(x, torch.tensor([0, outside]))


def test_relative_modules_are_their_functions(make):
    q, k = torch.randn(1, 4, 3, 4).double(), torch.randn(1, 4, 5, 4).double()
    at, to = torch.tensor([2, 3, 40]), torch.arange(5)
    shaw = make("shaw", max_distance=2)
    torch.testing.assert_close(shaw.bias(q, k, at, to), seqpos.shaw_scores(q, shaw.table, at, to))
    t5 = make("t5", bidirectional=False, num_buckets=8, max_distance=20)
    expected = seqpos.t5_bias(at, to, t5.table, bidirectional=False, max_distance=20)
    assert t5.bias(q, k, at, to).equal(expected[None])
    xl = make("transformer_xl", base=50.0)
    learned = {name: getattr(xl, name) for name in ("content_bias", "position_bias", "projection")}
    expected = seqpos.transformer_xl_scores(q, k, at, to, base=50.0, **learned)
    torch.testing.assert_close(xl.bias(q, k, at, to), expected)
    assert ALiBi(4).bias(q, k, at, to).equal(seqpos.alibi_bias(at, to, 4)[None])


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_rope_turns_queries_and_keys(layout):
    rope = RotaryEmbedding(8, base=500, layout=layout)
    q, k = torch.randn(2, 4, 3, 8), torch.randn(2, 2, 3, 8)
    positions = torch.tensor([[0, 5, 6], [100, 3, -4]])
    angles = seqpos.rotary_angles(positions, seqpos.inverse_frequencies(8, base=500))[:, None]
    turned = rope(q, k, positions=positions)
    assert turned[0].equal(seqpos.rotate(q, angles, layout=layout))
    assert turned[1].equal(seqpos.rotate(k, angles, layout=layout))


def test_rope_with_its_own_frequencies_and_factor():
    """Fewer frequencies turn fewer dimensions; the factor scales those that turn, and scores by its square."""
    rope = RotaryEmbedding(6, frequencies=RotaryFrequencies(np.array([1.0, 0.5]), attention_factor=3.0))
    q = torch.randn(1, 1, 2, 6, dtype=torch.float64)
    turned = rope.rotate_queries(q, torch.tensor([0, 2]))
    assert turned[..., 4:].equal(q[..., 4:])
    torch.testing.assert_close(turned[0, 0, 0, :4], 3 * q[0, 0, 0, :4])
    expected = seqpos.rotate(q[0, 0, 1, :4].numpy(), [2.0, 1.0])
    np.testing.assert_allclose(turned[0, 0, 1, :4], 3 * expected, rtol=1e-14)
    score = turned[0, 0, 0, :4] @ rope.rotate_keys(q, torch.tensor([0, 2]))[0, 0, 0, :4]
    torch.testing.assert_close(score, 9 * q[0, 0, 0, :4] @ q[0, 0, 0, :4])


def test_rope_at_long_positions_keeps_neighbours_apart():
    rope = RotaryEmbedding(128, base=500_000.0)
    far = 2**24
    q = torch.ones(1, 1, 2, 128)
    turned = rope.rotate_queries(q, torch.tensor([far, far + 1]))[0, 0]
    for row, position in zip(turned, (far, far + 1), strict=True):
        angles = [position * 500_000.0 ** (-2 * m / 128) for m in range(64)]
        expected = np.concatenate([np.cos(angles) - np.sin(angles), np.cos(angles) + np.sin(angles)])
        assert abs(row.numpy() - expected).max() < 1e-6
    assert (turned[0] - turned[1]).abs().max() > 0.5


def test_two_ropes_do_not_share_a_table():
    q = torch.randn(1, 1, 3, 8)
    first = RotaryEmbedding(8, base=1e4).rotate_queries(q, torch.arange(3))
    second = RotaryEmbedding(8, base=5e5).rotate_queries(q, torch.arange(3))
    again = RotaryEmbedding(8, base=1e4).rotate_queries(q, torch.arange(3))
    assert first.equal(again) and not first.equal(second)


def test_bfloat16_is_turned_in_float32():
    q = torch.randn(1, 1, 300, 8).bfloat16()
    rope, positions = RotaryEmbedding(8).bfloat16(), torch.arange(300)
    expected = RotaryEmbedding(8).rotate_queries(q.float(), positions).bfloat16()
    assert rope.rotate_queries(q, positions).equal(expected)


@pytest.mark.parametrize("name", ["shaw", "t5", "transformer_xl", "learned"])
def test_learned_schemes_get_gradients(name, make):
    scheme = make(name)
    x = torch.randn(1, 5, 16, dtype=torch.float64)
    attention = Attention(16, 4, scheme=scheme).double()
    attention(scheme.embed(x, torch.arange(5))).square().sum().backward()
    for parameter in scheme.parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0


def test_instance_is_shared_and_factory_makes_one_a_layer():
    def count(scheme):
        return sum(p.numel() for p in DecoderLM(5, dim=16, num_layers=3, num_heads=4, scheme=scheme).parameters())

    shared, separate = count(T5Bias(4)), count(lambda: T5Bias(4))
    assert separate - shared == 2 * 32 * 4


def test_a_scheme_of_ten_lines_runs():
    class Nearest(PositionScheme):
        def bias(self, q, k, query_positions, key_positions):
            distance = (key_positions[None, :] - query_positions[:, None]).abs()
            return -1e4 * distance[None, None].to(q.dtype)

    attention = Attention(8, 2, scheme=Nearest()).double()
    x = torch.randn(1, 4, 8, dtype=torch.float64)
    torch.testing.assert_close(attention(x), attention.output(attention.value(x)), msg="each token sees itself alone")
