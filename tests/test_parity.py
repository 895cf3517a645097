"""The package against independent implementations in Hugging Face transformers, at their own precision."""

import numpy as np
import pytest
import torch
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj_rotate
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama_rotate
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention

from seqpos import alibi_bias, inverse_frequencies, rotary_angles, rotate, sinusoidal_embedding, t5_bias, t5_bucket
from seqpos.nn import RotaryEmbedding

# Their angles are float32: at position p the angle is off by up to p · 2^-24 · 2 (the frequency and the product are
# each rounded), which is 6e-5 at 512. Entries of x reach about 4.
POSITIONS = 512
ATOL = 4 * POSITIONS * 2.0**-23


@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_llama_rotation_is_the_half_layout(base):
    config = LlamaConfig(
        hidden_size=64, num_attention_heads=2, rope_parameters={"rope_type": "default", "rope_theta": base}
    )
    q, k = torch.randn(2, 2, POSITIONS, 32), torch.randn(2, 1, POSITIONS, 32)
    positions = torch.arange(POSITIONS)[None]
    cos, sin = LlamaRotaryEmbedding(config)(q, positions)
    theirs = llama_rotate(q, k, cos, sin)
    angles = rotary_angles(positions[0], inverse_frequencies(32, base=base))
    for ours, their in zip((rotate(q, angles), rotate(k, angles)), theirs, strict=True):
        torch.testing.assert_close(ours, their, rtol=0, atol=ATOL)
    for ours, their in zip(RotaryEmbedding(32, base=base)(q, k, positions=positions), theirs, strict=True):
        torch.testing.assert_close(ours, their, rtol=0, atol=ATOL)


@pytest.mark.parametrize("rotary_dim", [16, 32])
def test_gptj_rotation_is_the_interleaved_layout(rotary_dim):
    """GPT-J turns the first rotary_dim dimensions of [batch, length, heads, head_dim]."""
    q = torch.randn(2, POSITIONS, 3, 32)
    sin, cos = create_sinusoidal_positions(POSITIONS, rotary_dim).expand(2, -1, -1).chunk(2, dim=-1)
    theirs = torch.cat([gptj_rotate(q[..., :rotary_dim], sin, cos), q[..., rotary_dim:]], dim=-1)
    angles = rotary_angles(torch.arange(POSITIONS), inverse_frequencies(rotary_dim))
    ours = rotate(q.transpose(1, 2), angles, layout="interleaved").transpose(1, 2)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=ATOL)


def test_concatenated_sinusoid_is_gptjs_table():
    table = create_sinusoidal_positions(POSITIONS, 32)
    ours = sinusoidal_embedding(torch.arange(POSITIONS), 32, layout="concatenated")
    torch.testing.assert_close(ours.float(), table, rtol=0, atol=ATOL / 4)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_t5_buckets(bidirectional):
    """At 32 buckets and distance 128 their float logarithm agrees with exact integers."""
    r = torch.arange(-1000, 1001)
    theirs = T5Attention._relative_position_bucket(r, bidirectional, 32, 128)
    assert t5_bucket(r, bidirectional=bidirectional).equal(theirs)


@pytest.mark.parametrize("heads", [1, 2, 6, 8, 12, 20, 32])
def test_bloom_alibi(heads):
    """Bloom's row equals the last query's up to a constant for each head, which the softmax drops."""
    length = 20
    theirs = build_alibi_tensor(torch.ones(1, length), heads, torch.float32).reshape(heads, length)
    ours = alibi_bias(torch.tensor([length - 1]), torch.arange(length), heads)[:, 0]
    torch.testing.assert_close((ours - ours[:, :1]).float(), theirs, rtol=1e-6, atol=0)


@pytest.mark.parametrize("heads", [1, 2, 6, 8, 12, 20, 32])
def test_mpt_alibi(heads):
    length = 20
    theirs = build_mpt_alibi_tensor(heads, length)[:, 0]
    ours = alibi_bias(torch.tensor([length - 1]), torch.arange(length), heads)[:, 0]
    torch.testing.assert_close(ours.float(), theirs, rtol=1e-6, atol=0)


def test_t5_bias_is_their_embedding_lookup(rng):
    table = torch.from_numpy(rng.standard_normal((32, 4)))
    r = torch.arange(9)[None, :] - torch.arange(9)[:, None]
    theirs = torch.nn.functional.embedding(T5Attention._relative_position_bucket(r), table).permute(2, 0, 1)
    np.testing.assert_array_equal(t5_bias(torch.arange(9), torch.arange(9), table), theirs)
