"""A language model under every scheme: batches, caches, packing, padding, shifts and the causal order."""

import pytest
import torch

from seqpos.nn import KeyValueCache

# Thousands of small calls, whose annotations the tests of schemes and attention enforce.
pytestmark = pytest.mark.usefixtures("unchecked")

SAME = {"rtol": 0, "atol": 1e-9}
"""Float64 through two layers; sums of another order differ by about 1e-13 of logits of about 10."""

RELATIVE = ["none", "shaw", "transformer_xl", "t5", "alibi", "rope"]


@torch.no_grad()
def decode(model, tokens, *, chunks=None, segments=None):
    """Logits token by token (or by chunks) with one cache."""
    cache, parts, start = KeyValueCache(), [], 0
    for size in chunks or [1] * tokens.shape[1]:
        part = slice(start, start + size)
        here = None if segments is None else segments[:, part]
        parts.append(model(tokens[:, part], segments=here, cache=cache))
        start += size
    return torch.cat(parts, dim=1)


@pytest.fixture(params=[None, 2], ids=["all_heads", "grouped"])
def model(request, make_model, scheme_name):
    return make_model(scheme_name, key_value_heads=request.param).eval()


def test_order_matters_under_every_scheme(make_model, scheme_name, tokens):
    """What makes the rest of this file worth running: a scheme that does nothing would pass it."""
    logits = make_model(scheme_name)(tokens)
    swapped = make_model(scheme_name)(tokens[:, [1, 0, *range(2, 9)]])
    assert not torch.allclose(logits[:, -1], swapped[:, -1], atol=1e-3)


def test_decoding_with_a_cache_equals_the_full_pass(model, tokens):
    full = model(tokens)
    torch.testing.assert_close(decode(model, tokens), full, **SAME)
    torch.testing.assert_close(decode(model, tokens, chunks=[4, 1, 0, 3, 1]), full, **SAME)


LEFT_PADDED = torch.tensor([[-1, -1, -1, 0, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0, 0, 0, 0], [0] * 9])
PACKED = torch.tensor([[0, 0, 0, 1, 1, 2, 2, 2, 2], [4, 4, 4, 4, 4, 4, 4, 4, 9], [0, 0, 0, 0, 0, 0, 0, 0, 0]])


@pytest.mark.parametrize("segments", [LEFT_PADDED, PACKED], ids=["left_padded", "packed"])
def test_decoding_with_segments_equals_the_full_pass(model, tokens, segments):
    full, real = model(tokens, segments=segments), segments >= 0
    for chunks in (None, [4, 2, 3]):
        stepped = decode(model, tokens, segments=segments, chunks=chunks)
        torch.testing.assert_close(stepped[real], full[real], **SAME)


def test_packed_and_padded_tokens_equal_sequences_apart(model, tokens):
    for segments in (LEFT_PADDED, PACKED):
        together = model(tokens, segments=segments)
        for n in range(3):
            for segment in set(segments[n].tolist()) - {-1}:
                here = segments[n] == segment
                torch.testing.assert_close(together[n, here], model(tokens[n : n + 1, here])[0], **SAME)


def test_each_row_equals_that_row_alone(model, tokens):
    together = model(tokens)
    for n in range(3):
        torch.testing.assert_close(together[n : n + 1], model(tokens[n : n + 1]), **SAME)
    positions = torch.stack([torch.arange(9), torch.arange(9).flip(0), torch.arange(9) ** 2 - 5]).clamp(min=0)
    together = model(tokens, positions=positions)
    for n in range(3):
        torch.testing.assert_close(together[n : n + 1], model(tokens[n : n + 1], positions=positions[n]), **SAME)


def test_the_future_does_not_change_the_past(model, tokens):
    changed = tokens.clone()
    changed[:, 5:] = (changed[:, 5:] + 1) % 11
    torch.testing.assert_close(model(changed)[:, :5], model(tokens)[:, :5], **SAME)
    assert not torch.allclose(model(changed)[:, 5:], model(tokens)[:, 5:])


def test_a_shift_of_all_positions_changes_input_schemes_alone(make_model, scheme_name, tokens):
    model = make_model(scheme_name)
    here, there = (model(tokens, positions=torch.arange(9) + shift) for shift in (0, 40))
    if scheme_name in RELATIVE:
        torch.testing.assert_close(here, there, **SAME)
    else:
        assert not torch.allclose(here, there, atol=1e-3)


@pytest.mark.parametrize("shape", [(2, 0), (0, 3), (0, 0)])
def test_empty_gives_empty(make_model, scheme_name, shape):
    model, tokens = make_model(scheme_name), torch.zeros(shape, dtype=torch.int64)
    assert model(tokens).shape == (*shape, 11)
    assert model(tokens, segments=tokens).shape == (*shape, 11)


def test_generate_takes_the_likeliest_of_full_passes(model, tokens):
    written = model.generate(tokens[:, :4], max_new_tokens=5)
    assert written[:, :4].equal(tokens[:, :4]) and written.shape == (3, 9)
    for t in range(4, 9):
        assert written[:, t].equal(model(written[:, :t])[:, -1].argmax(dim=-1))


def test_generate_from_left_padded_prompts(model, tokens):
    """Each row goes on as it would alone."""
    segments = torch.tensor([[-1, -1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 0]])
    written = model.generate(tokens[:, :4], max_new_tokens=4, segments=segments)
    for n, padding in enumerate((2, 1, 0)):
        alone = model.generate(tokens[n : n + 1, padding:4], max_new_tokens=4)
        assert written[n, padding:].equal(alone[0])


def test_generate_draws_by_the_temperature(make_model):
    """Cold draws are the likeliest token; hot ones follow softmax(logits / temperature)."""
    model, prompt = make_model("rope"), torch.tensor([[1, 2, 3]])
    cold = model.generate(prompt, max_new_tokens=6, temperature=1e-6)
    assert cold.equal(model.generate(prompt, max_new_tokens=6))
    generator = torch.Generator().manual_seed(0)
    drawn = model.generate(prompt.expand(4000, -1), max_new_tokens=1, temperature=5.0, generator=generator)[:, -1]
    expected = (model(prompt)[0, -1] / 5).softmax(dim=-1)
    observed = torch.bincount(drawn, minlength=11) / 4000
    assert (observed - expected).abs().max() < 0.04, "five standard errors of a share of one half"


def test_nothing_new_is_the_prompt(make_model, tokens):
    assert make_model("alibi").generate(tokens, max_new_tokens=0).equal(tokens)


def test_a_result_does_not_depend_on_earlier_calls(make_model, scheme_name, tokens):
    model = make_model(scheme_name)
    first = model(tokens[:, :3])
    model(tokens.repeat(1, 5))
    model.generate(tokens, max_new_tokens=2)
    assert model(tokens[:, :3]).equal(first)


def test_int32_tokens(make_model, tokens):
    model = make_model("rope")
    assert model(tokens.int()).equal(model(tokens))
    assert model.generate(tokens.int(), max_new_tokens=2)[:, 9:].equal(model.generate(tokens, max_new_tokens=2)[:, 9:])
